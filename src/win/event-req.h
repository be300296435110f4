/* SPDX-License-Identifier: MIT */
/* Requests on a socket that is attached to another completion port.
 *
 * A socket can be attached only once, and the attachment stays when it is
 * passed to another process or opened by us. Its requests then carry an event,
 * marked so that the other port gets no packet; a thread-pool wait posts them
 * to our loop.
 *
 *   uv__event_req_prepare -> submit -> (pending) uv__event_req_wait
 *     -> system thread: uv__req_post -> handler: uv__event_req_end
 */
#ifndef UV_WIN_EVENT_REQ_H_
#define UV_WIN_EVENT_REQ_H_

#include "win/overlapped.h"

/* Where the request keeps its event and its wait. */
struct uv__event_req {
  HANDLE* event;
  HANDLE* wait;
};

/* Creates the event if there is none and stores it in the zeroed OVERLAPPED. 0
 * or UV_E*. */
int uv__event_req_prepare(struct uv__event_req places, OVERLAPPED* overlapped);

/* The request is pending: posts it to the loop of `handle` when it completes.
 * If no wait can be registered, cancels the operation on `sock` and pends its
 * result. */
void uv__event_req_wait(struct uv__event_req places,
                        uv_handle_t* handle,
                        void* request,
                        SOCKET sock);

/* The request completed, or was never submitted: frees both. */
void uv__event_req_end(struct uv__event_req places);

#endif /* UV_WIN_EVENT_REQ_H_ */
