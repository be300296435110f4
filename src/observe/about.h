/* SPDX-License-Identifier: MIT */
/* What requests are about: paths, hosts, addresses of peers, commands. In a
 * trace only if it was asked for (UV__OBSERVE_DETAILS).
 *
 * A record has no room for text. Records of UV__RECORD_TEXT go before the one
 * that they belong to and name its object; the writer joins them. What the
 * library does not keep until the callback is remembered in a table of the
 * loop's thread, where an entry may replace another one: then the callback
 * lacks it.
 */
#ifndef UV_OBSERVE_ABOUT_H_
#define UV_OBSERVE_ABOUT_H_

#include "observe/thread.h"

struct uv__about {
  unsigned count; /* 0: nothing is known */
  struct uv__record records[UV__ABOUT_PIECES];
};

/* A trace begins: what is remembered is from another one. */
void uv__about_forget_all(void);

/* Fills it in. `text` may be NULL, as may `addr`. Context: any. */
void uv__about_set_text(struct uv__about* about,
                        const void* object,
                        enum uv__about_kind kind,
                        const char* text);
void uv__about_set_addr(struct uv__about* about,
                        const void* object,
                        const struct sockaddr* addr);
/* The other end of a TCP handle, for a callback of `object`. Context: the
 * loop's thread, as the rest. */
void uv__about_set_peer(struct uv__about* about,
                        struct uv__observe_thread* thread,
                        const void* object,
                        const uv_tcp_t* tcp);

/* What was remembered of the object. */
void uv__about_recall(struct uv__about* about,
                      struct uv__observe_thread* thread,
                      const void* object);
/* Forgets the object, which is closed. */
void uv__about_forget(struct uv__observe_thread* thread, const void* object);

/* Adds it to the trace, right before the record of the object. */
void uv__about_add(const struct uv__about* about,
                   struct uv__observe_thread* thread);

#endif /* UV_OBSERVE_ABOUT_H_ */
