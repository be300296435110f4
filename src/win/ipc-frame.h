/* SPDX-License-Identifier: MIT */
/* Frames on a pipe with ipc=1, put together and taken apart. Pure: no operating
 * system in here, so that it is tested and fuzzed on every one.
 *
 * A frame is a header and what it announces: data, or the description of a
 * socket. Both ends are on one machine: no byte order to care for.
 */
#ifndef UV_WIN_IPC_FRAME_H_
#define UV_WIN_IPC_FRAME_H_

#include <stdint.h>

enum uv__ipc_kind { UV__IPC_DATA = 0x55560001, UV__IPC_SOCKET = 0x55560002 };

struct uv__ipc_frame {
  uint32_t kind; /* enum uv__ipc_kind */
  uint32_t size; /* bytes that follow */
};

/* How far the receiver is. All zero is the beginning of a stream. Bytes are not
 * passed through here: the caller reads them to where they belong. */
struct uv__ipc_parser {
  struct uv__ipc_frame frame; /* the header being received */
  void* socket;               /* the description being received, or NULL */
  uint32_t filled;            /* bytes of the one or the other */
  uint32_t data_left;         /* bytes of data before the next header */
};

enum uv__ipc_event {
  UV__IPC_MORE = 0,     /* something is still missing */
  UV__IPC_DATA_NEXT,    /* data_left bytes of data come, perhaps none */
  UV__IPC_SOCKET_NEXT,  /* a description comes: `socket` must be set */
  UV__IPC_SOCKET_WHOLE, /* it is there; `socket` is NULL again */
};

/* Where the next bytes belong, and in *missing how many are wanted, 1 at least.
 * Only when data_left is 0. `socket_size` is the size of a description. */
void* uv__ipc_parser_room(struct uv__ipc_parser* parser,
                          uint32_t socket_size,
                          uint32_t* missing);

/* `n` bytes, no more than were missing, were put there: enum uv__ipc_event, or
 * UV_ECONNABORTED if the peer speaks something else. */
int uv__ipc_parser_fed(struct uv__ipc_parser* parser,
                       uint32_t socket_size,
                       uint32_t n);

/* Puts a frame with `size` bytes of `what` (may be NULL: they come later) to
 * `at`; returns its end. */
char* uv__ipc_frame_put(char* at,
                        enum uv__ipc_kind kind,
                        const void* what,
                        uint32_t size);

#endif /* UV_WIN_IPC_FRAME_H_ */
