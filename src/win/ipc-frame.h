/* SPDX-License-Identifier: MIT */
/* Frames on a pipe with ipc=1, put together and taken apart. Pure: no operating
 * system in here, so that it is tested and fuzzed on every one.
 *
 * The format is libuv's, because the process at the other end may have another
 * libuv than this one. A frame is
 *
 *   header   four 32-bit numbers, least byte first: flags, reserved (ignored),
 *            bytes of data, reserved (0)
 *   socket   its description, if the flags announce one
 *   data     as many bytes as the header says
 */
#ifndef UV_WIN_IPC_FRAME_H_
#define UV_WIN_IPC_FRAME_H_

#include <stdint.h>

enum {
  UV__IPC_HAS_DATA = 1,
  UV__IPC_HAS_SOCKET = 2,
  UV__IPC_IS_CONNECTION = 4 /* the socket is no listener */
};

/* Of a header. */
#define UV__IPC_HEADER_SIZE 16

/* How far the receiver is. All zero is the beginning of a stream. Bytes are not
 * passed through here: the caller reads them to where they belong. */
struct uv__ipc_parser {
  unsigned char header[UV__IPC_HEADER_SIZE]; /* the one being received */
  uint32_t flags;     /* of the last whole header */
  uint32_t data_size; /* what it announced */
  void* socket;       /* the description being received, or NULL */
  uint32_t filled;    /* bytes of the header or the description */
  uint32_t data_left; /* bytes of data before the next header */
};

enum uv__ipc_event {
  UV__IPC_MORE = 0,     /* something is still missing */
  UV__IPC_DATA_NEXT,    /* data_left bytes of data come, perhaps none */
  UV__IPC_SOCKET_NEXT,  /* a description comes: `socket` must be set */
  UV__IPC_SOCKET_WHOLE, /* it is there, and `socket` NULL again; data_left bytes
                         * of data come, perhaps none */
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

/* Puts the header of a frame to `at` and returns its end, where the description
 * of a socket goes if the flags announce one, then the data. */
char* uv__ipc_header_put(char* at, uint32_t flags, uint32_t data_size);

#endif /* UV_WIN_IPC_FRAME_H_ */
