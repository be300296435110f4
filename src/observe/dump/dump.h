/* SPDX-License-Identifier: MIT */
/* A description of a loop for people: its handles, requests and the pool. */
#ifndef UV_OBSERVE_DUMP_DUMP_H_
#define UV_OBSERVE_DUMP_DUMP_H_

#include "observe/symbols.h"
#include "util/base.h"
#include "util/string-builder.h"

struct uv__dump {
  struct uv__strbuf text;
  struct uv__symbols symbols;
  uint64_t now_ns;
};

void uv__dump_init(struct uv__dump* dump);
void uv__dump_free(struct uv__dump* dump);

/* A loop and its handles. Context: the loop's thread, or any while no thread
 * uses the loop. */
void uv__dump_loop(struct uv__dump* dump, const uv_loop_t* loop);

/* One handle, as a line. dump/handle.c. */
void uv__dump_handle(struct uv__dump* dump, const uv_handle_t* handle);

/* The thread pool and the requests in it. dump/pool.c. Context: any. */
void uv__dump_pool(struct uv__dump* dump);

/* Appends text that the program or its peers chose: without control characters,
 * and cut if it is very long. */
void uv__dump_add_name(struct uv__dump* dump, const char* name, size_t len);

#endif /* UV_OBSERVE_DUMP_DUMP_H_ */
