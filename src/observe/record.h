/* SPDX-License-Identifier: MIT */
/* One event as the recording threads leave it for the writer: numbers and
 * addresses, no text.
 */
#ifndef UV_OBSERVE_RECORD_H_
#define UV_OBSERVE_RECORD_H_

#include "util/base.h"

enum uv__record_kind {
  UV__RECORD_CALLBACK,  /* a callback of the program, on the loop's thread */
  UV__RECORD_PHASE,     /* `call` is the phase; of a poll: value is the timeout
                         * in ms, detail the number of events */
  UV__RECORD_ITERATION, /* value: its number; detail: events; flow: handles in
                         * the upper half, requests in the lower */
  UV__RECORD_SUBMIT,    /* a request goes to the pool; value: how many wait,
                         * detail: how many run */
  UV__RECORD_WORK,      /* on a worker; value: ns in the queue, or -1 */
  UV__RECORD_POOL,      /* value: how many wait, detail: how many run */
  UV__RECORD_SEND,      /* uv_async_send(), on any thread */
  UV__RECORD_BLOCKED,   /* the watchdog's; `call` is the phase, value: ms */
  UV__RECORD_RUNNING,   /* a callback that has not ended */
  UV__RECORD_TEXT       /* a struct uv__text_record, for the next record */
};

/* Which of an object's callbacks. */
enum uv__call {
  UV__CALL_AFTER_WORK,
  UV__CALL_ALLOC,
  UV__CALL_ASYNC,
  UV__CALL_CHECK,
  UV__CALL_CLOSE,
  UV__CALL_CONNECT,
  UV__CALL_CONNECTION,
  UV__CALL_EXIT,
  UV__CALL_FS,
  UV__CALL_FS_EVENT,
  UV__CALL_FS_POLL,
  UV__CALL_GETADDRINFO,
  UV__CALL_GETNAMEINFO,
  UV__CALL_IDLE,
  UV__CALL_POLL,
  UV__CALL_POST,
  UV__CALL_PREPARE,
  UV__CALL_RANDOM,
  UV__CALL_READ,
  UV__CALL_RECV,
  UV__CALL_SEND,
  UV__CALL_SHUTDOWN,
  UV__CALL_SIGNAL,
  UV__CALL_TIMER,
  UV__CALL_WALK,
  UV__CALL_WRITE,
  UV__CALL_MAX
};

/* `type` of a callback: a uv_handle_type, a uv_req_type plus the first of
 * these, or the second for a post. */
#define UV__RECORD_REQ 64
#define UV__RECORD_POST 63

struct uv__record {
  uint64_t begin_ns;
  uint64_t end_ns; /* of what takes time */
  uint64_t flow;   /* flow id: links the events of one request; 0: none */
  const void* loop;
  const void* object; /* the handle or request */
  const void* symbol; /* the callback */
  int64_t value;      /* bytes, status, lateness: see format.c */
  int32_t detail;     /* fd, pid, signal; -1 if there is none */
  uint8_t kind;       /* enum uv__record_kind */
  uint8_t type;       /* see UV__RECORD_REQ; of work its kind */
  uint8_t call;       /* enum uv__call or enum uv__phase */
  uint8_t op;         /* uv_fs_type of files, events of a uv_poll_t */
};

/* What an event is about. */
enum uv__about_kind {
  UV__ABOUT_PATH,
  UV__ABOUT_HOST,
  UV__ABOUT_PEER, /* a struct sockaddr */
  UV__ABOUT_COMMAND,
  UV__ABOUT_MAX
};

/* A record with text: this is copied to its beginning, so far as there is room
 * before `kind`; its `type` is an enum uv__about_kind. */
#define UV__TEXT_ROOM offsetof(struct uv__record, kind)
#define UV__TEXT_BYTES (UV__TEXT_ROOM - sizeof(void*))
/* Records of the text of one event, at most; more text loses its beginning. */
#define UV__ABOUT_PIECES 3

struct uv__text_record {
  const void* object;         /* of the record that it belongs to */
  char bytes[UV__TEXT_BYTES]; /* zeros behind the text */
};

#endif /* UV_OBSERVE_RECORD_H_ */
