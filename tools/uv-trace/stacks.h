/* SPDX-License-Identifier: MIT */
/* Samples of callbacks that blocked, added up: a tree of stacks below each
 * callback, and the time of each function. */
#ifndef UV_TRACE_STACKS_H_
#define UV_TRACE_STACKS_H_

#include "flame.h"
#include "names.h"

#include <stddef.h>
#include <stdint.h>

/* Frames of a stack; the outer ones of a longer one are left out. */
#define STACKS_FRAMES 64
/* More functions than these are counted together, as the last one. */
#define STACKS_ROWS 4096

struct stacks_row {
  uint32_t name;
  uint64_t ns;      /* it, or what it called, was running */
  uint64_t self_ns; /* it was */
  size_t depth;     /* frames that it was below, at most */
};

struct stacks {
  struct flame tree; /* callbacks, and frames below them */
  struct stacks_row* rows;
  size_t count;
  size_t room;
  struct map row_of; /* by name */
  uint64_t samples;
  uint64_t ns;
};

void stacks_init(struct stacks* stacks);
void stacks_close(struct stacks* stacks);

/* A sample: the callback, and the names below it, the outermost first. */
void stacks_add(struct stacks* stacks,
                uint32_t callback,
                const uint32_t* names,
                size_t count,
                uint64_t ns);

/* Puts the largest first. */
void stacks_sort(struct stacks* stacks);

/* The function of a frame as the library writes it: "module+0x10 (f+0x4)",
 * "JS:~f file.js:1:2". Stores its name. */
void stacks_name(char* name, size_t size, const char* frame);

#endif /* UV_TRACE_STACKS_H_ */
