/* SPDX-License-Identifier: MIT */
/* A cache of function names: the same few callbacks recur. */
#ifndef UV_OBSERVE_SYMBOLS_H_
#define UV_OBSERVE_SYMBOLS_H_

#include "util/base.h"

/* Bytes of a name with its NUL; longer ones are cut off. */
#define UV__SYMBOL_MAX 256

struct uv__symbols {
  struct uv__symbol* table; /* NULL: nothing is cached */
  size_t count;
  int is_escaped; /* set after init: names are put through uv__trace_escape() */
  char scratch[UV__SYMBOL_MAX]; /* for a name that is not cached */
};

/* Neither fails: without memory each name is looked up again. */
void uv__symbols_init(struct uv__symbols* symbols);
void uv__symbols_close(struct uv__symbols* symbols);

/* Valid until the next call. Context: one thread at a time. */
const char* uv__symbol_name(struct uv__symbols* symbols, const void* address);

/* The name if it is in the cache, or NULL. Takes no lock: for a thread that
 * crashes, while the cache's own does not respond. Context: signal. */
const char* uv__symbol_known(const struct uv__symbols* symbols,
                             const void* address);

#endif /* UV_OBSERVE_SYMBOLS_H_ */
