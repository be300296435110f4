/* SPDX-License-Identifier: MIT */
/* Takes a socket off the completion port it is attached to, so that another
 * port can have it (FileReplaceCompletionInformation, Windows 8.1). */
#ifndef UV_WIN_DETACH_H_
#define UV_WIN_DETACH_H_

#include "uv.h"

/* Does this system support that? Tried once, on a socket of its own. Context:
 * any. */
int uv__detach_works(void);

/* No operation may be in progress on the socket: 0 or UV_E*. Completions that
 * are in the port still arrive. */
int uv__detach(SOCKET sock);

/* Cancels the operation of a request, which is with the system, and waits until
 * it has ended; its completion is still to arrive. 0, or UV_EBUSY if the system
 * holds on to it for a second. */
int uv__detach_cancel(SOCKET sock, void* request);

#endif /* UV_WIN_DETACH_H_ */
