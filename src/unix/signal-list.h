/* SPDX-License-Identifier: MIT */
/* The delivery lists of signal.h: which handles are on them, and in which
 * order. Everything here needs the change lock of signal.c (S3); signal
 * handlers only follow the links.
 */
#ifndef UV_UNIX_SIGNAL_LIST_H_
#define UV_UNIX_SIGNAL_LIST_H_

#include "uv.h"

/* The kinds of handles on a list, as far as the disposition depends on them. */
enum uv__signal_listeners {
  UV__LISTENERS_NONE,
  UV__LISTENERS_ONE_SHOT,
  UV__LISTENERS_PERSISTENT
};

enum uv__signal_listeners uv__signal_list_kind(int signum);

/* Adds the handle. `one_shot`: it wants one delivery only. `is_last`: it is or
 * was one-shot, and is delivered after those that were not. */
void uv__signal_list_add(uv_signal_t* handle,
                         int signum,
                         int one_shot,
                         int is_last);

/* Removes the handle: 1, or 0 if it is not there. The caller keeps its link
 * until no signal handler may hold it (S1). */
int uv__signal_list_remove(uv_signal_t* handle, int signum);

void uv__signal_list_clear(int signum);

/* Makes everything else agree with the links. Context: child of a fork. */
void uv__signal_list_repair(int signum);

#endif /* UV_UNIX_SIGNAL_LIST_H_ */
