/* SPDX-License-Identifier: MIT */
/* Requests on a socket that belongs to another completion port.
 *
 * A socket can be attached to one port in its life, and that goes with the
 * socket when it is passed to another process or opened from elsewhere. Its
 * requests then carry an event, marked so that the foreign port hears nothing;
 * a wait of the system's thread pool hands them to our loop.
 *
 *   uv__event_req_prepare -> submit -> (pending) uv__event_req_wait
 *     -> system thread: uv__req_post -> handler: uv__event_req_end
 */
#ifndef UV_WIN_EVENT_REQ_H_
#define UV_WIN_EVENT_REQ_H_

#include "win/overlapped.h"

/* The places where the request keeps its event and its wait. */
struct uv__event_req {
  HANDLE* event;
  HANDLE* wait;
};

/* Makes the event if there is none and puts it into the OVERLAPPED, which was
 * cleared before. 0 or UV_E*. */
int uv__event_req_prepare(struct uv__event_req places, OVERLAPPED* overlapped);

/* The request was submitted and is pending: has it come to the loop of `handle`
 * when it ends. Where no wait can be had the operation on `sock` is cancelled
 * and its result pended. */
void uv__event_req_wait(struct uv__event_req places,
                        uv_handle_t* handle,
                        void* request,
                        SOCKET sock);

/* The request ended, or was never submitted: gives both back. */
void uv__event_req_end(struct uv__event_req places);

#endif /* UV_WIN_EVENT_REQ_H_ */
