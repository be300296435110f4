/* SPDX-License-Identifier: MIT */
/* Headers may arrive in pieces of any size: each piece is kept until the whole
 * is there. A header that makes no sense ends the stream, before anything it
 * says is believed. Nothing here trusts the peer.
 */
#include "win/ipc-frame.h"
#include "base.h"

#include <assert.h>
#include <string.h>

static uint32_t whole_size(const struct uv__ipc_parser* parser,
                           uint32_t socket_size) {
  return parser->socket != NULL ? socket_size
                                : (uint32_t) sizeof(parser->frame);
}

void* uv__ipc_parser_room(struct uv__ipc_parser* parser,
                          uint32_t socket_size,
                          uint32_t* missing) {
  char* whole = parser->socket != NULL ? (char*) parser->socket
                                       : (char*) &parser->frame;

  assert(parser->data_left == 0);
  *missing = whole_size(parser, socket_size) - parser->filled;
  return whole + parser->filled;
}

/* A whole header has come. */
static int begin_frame(struct uv__ipc_parser* parser, uint32_t socket_size) {
  switch (parser->frame.kind) {
  case UV__IPC_DATA:
    parser->data_left = parser->frame.size;
    return UV__IPC_DATA_NEXT;
  case UV__IPC_SOCKET:
    return parser->frame.size == socket_size ? (int) UV__IPC_SOCKET_NEXT
                                             : UV_ECONNABORTED;
  default:
    return UV_ECONNABORTED;
  }
}

int uv__ipc_parser_fed(struct uv__ipc_parser* parser,
                       uint32_t socket_size,
                       uint32_t n) {
  uint32_t whole = whole_size(parser, socket_size);

  assert(n <= whole - parser->filled);
  parser->filled += n;
  if (parser->filled < whole)
    return UV__IPC_MORE;
  parser->filled = 0;
  if (parser->socket == NULL)
    return begin_frame(parser, socket_size);
  parser->socket = NULL;
  return UV__IPC_SOCKET_WHOLE;
}

char* uv__ipc_frame_put(char* at,
                        enum uv__ipc_kind kind,
                        const void* what,
                        uint32_t size) {
  struct uv__ipc_frame frame = { kind, size };

  memcpy(at, &frame, sizeof(frame));
  at += sizeof(frame);
  if (what == NULL)
    return at;
  memcpy(at, what, size);
  return at + size;
}
