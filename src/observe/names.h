/* SPDX-License-Identifier: MIT */
/* Names of phases, file operations and types, as the trace has them. */
#ifndef UV_OBSERVE_NAMES_H_
#define UV_OBSERVE_NAMES_H_

#include "loop/state.h"
#include "observe/record.h"
#include "pool/kind.h"

const char* uv__phase_name(enum uv__phase phase);
const char* uv__fs_type_name(unsigned type);
/* Of a record's `type`. */
const char* uv__record_type_name(unsigned type);

const char* uv__call_name(enum uv__call call);
const char* uv__work_name(enum uv__work_id work_id);

/* The names of numbers. */
enum uv__key_name {
  UV__KEY_NONE,
  UV__KEY_BYTES,
  UV__KEY_STATUS,
  UV__KEY_FD,
  UV__KEY_PID,
  UV__KEY_SIGNUM
};

/* A callback, and the names of its `value` and `detail`; UV__KEY_NONE: not
 * shown. Index: enum uv__call. */
struct uv__call_row {
  const char* name;
  uint8_t value;    /* where it is 0 or more */
  uint8_t negative; /* where it is less */
  uint8_t detail;
};

extern const struct uv__call_row uv__calls[];

/* A class of work in `class`, and its work if there is no symbol. Index: enum
 * uv__work_id. */
struct uv__work_row {
  const char* name;
  const char* work;
};

extern const struct uv__work_row uv__work_rows[];

#endif /* UV_OBSERVE_NAMES_H_ */
