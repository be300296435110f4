/* SPDX-License-Identifier: MIT */
/* Names of phases, file operations and types, as the trace has them. */
#ifndef UV_TRACE_NAMES_H_
#define UV_TRACE_NAMES_H_

#include "trace-record.h"

const char* uv__phase_name(enum uv__phase phase);
const char* uv__fs_type_name(unsigned type);
/* Of a record's `type`. */
const char* uv__record_type_name(unsigned type);

#endif /* UV_TRACE_NAMES_H_ */
