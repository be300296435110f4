/* SPDX-License-Identifier: MIT */
/* What threads do is not documented. */
#include "os/thread-state.h"

void uv__thread_state_os_get(uint64_t tid, char* text, size_t size) {
  (void) tid;
  (void) size;
  text[0] = '\0';
}

void uv__thread_state_os_add_all(struct uv__strbuf* text) {
  (void) text;
}
