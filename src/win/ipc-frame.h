/* SPDX-License-Identifier: MIT */
/* Frames on a pipe with ipc=1: building and parsing. Pure: independent of the
 * operating system, so that it is tested and fuzzed everywhere.
 *
 * The format is libuv's, because the other process may use another libuv. A
 * frame is
 *
 *   header   four little-endian 32-bit numbers: flags, reserved (ignored),
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
  UV__IPC_IS_CONNECTION = 4 /* the socket is not a listener */
};

/* Size of a header. */
#define UV__IPC_HEADER_SIZE 16

/* State of the receiver. All zero is the start of a stream. Data is not passed
 * through the parser: the caller reads it into place. */
struct uv__ipc_parser {
  unsigned char header[UV__IPC_HEADER_SIZE]; /* being received */
  uint32_t flags;                            /* of the last complete header */
  uint32_t data_size;                        /* from the last complete header */
  void* socket;       /* description being received, or NULL */
  uint32_t filled;    /* bytes of the header or the description */
  uint32_t data_left; /* bytes of data before the next header */
};

enum uv__ipc_event {
  UV__IPC_MORE = 0,     /* incomplete */
  UV__IPC_DATA_NEXT,    /* data_left bytes of data follow, perhaps none */
  UV__IPC_SOCKET_NEXT,  /* a description follows: set `socket` */
  UV__IPC_SOCKET_WHOLE, /* complete, and `socket` is NULL again; data_left
                         * bytes of data follow, perhaps none */
};

/* Where the next bytes go, and in *missing how many are needed, at least 1.
 * Only when data_left is 0. `socket_size` is the size of a description. */
void* uv__ipc_parser_room(struct uv__ipc_parser* parser,
                          uint32_t socket_size,
                          uint32_t* missing);

/* `n` bytes, at most *missing, were stored there: enum uv__ipc_event, or
 * UV_ECONNABORTED if the peer violates the protocol. */
int uv__ipc_parser_fed(struct uv__ipc_parser* parser,
                       uint32_t socket_size,
                       uint32_t n);

/* Writes a frame header to `at` and returns its end, where the description of a
 * socket goes if the flags announce one, then the data. */
char* uv__ipc_header_put(char* at, uint32_t flags, uint32_t data_size);

#endif /* UV_WIN_IPC_FRAME_H_ */
