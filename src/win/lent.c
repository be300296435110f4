/* SPDX-License-Identifier: MIT */
/* The kernel has the requests: there is no list of them. */
#include "os/lent.h"

void uv__lent_os_visit(const uv_handle_t* handle,
                       const struct uv__lent_visitor* visitor,
                       void* arg) {
  (void) handle;
  (void) visitor;
  (void) arg;
}
