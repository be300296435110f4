/* SPDX-License-Identifier: MIT */
/* Parser of IPC frames. Headers may arrive in pieces of any size, which are
 * collected until the header is complete. A malformed header ends the stream
 * before any of its fields is used. Nothing here trusts the peer.
 */
#include "win/ipc-frame.h"
#include "util/base.h"

#include <assert.h>
#include <string.h>

#define FLAGS_KNOWN                                                            \
 (UV__IPC_HAS_DATA | UV__IPC_HAS_SOCKET | UV__IPC_IS_CONNECTION)

/* Offsets of the fields in a header. */
enum { AT_FLAGS = 0, AT_DATA_SIZE = 8, AT_ZERO = 12 };

static uint32_t get32(const unsigned char* at) {
  return at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 |
         (uint32_t) at[3] << 24;
}

static void put32(char* at, uint32_t value) {
  for (int i = 0; i < 4; i++)
    at[i] = (char) (value >> (8 * i) & 0xFF);
}

static uint32_t whole_size(const struct uv__ipc_parser* parser,
                           uint32_t socket_size) {
  return parser->socket != NULL ? socket_size : UV__IPC_HEADER_SIZE;
}

void* uv__ipc_parser_room(struct uv__ipc_parser* parser,
                          uint32_t socket_size,
                          uint32_t* missing) {
  char* whole =
      parser->socket != NULL ? (char*) parser->socket : (char*) parser->header;

  assert(parser->data_left == 0);
  *missing = whole_size(parser, socket_size) - parser->filled;
  return whole + parser->filled;
}

static int is_sane(const struct uv__ipc_parser* parser) {
  uint32_t flags = parser->flags;

  if (flags & ~(uint32_t) FLAGS_KNOWN)
    return 0;
  if ((flags & UV__IPC_IS_CONNECTION) && !(flags & UV__IPC_HAS_SOCKET))
    return 0;
  if (parser->data_size != 0 && !(flags & UV__IPC_HAS_DATA))
    return 0;
  return get32(parser->header + AT_ZERO) == 0;
}

/* Handles a complete header. */
static int begin_frame(struct uv__ipc_parser* parser) {
  parser->flags = get32(parser->header + AT_FLAGS);
  parser->data_size = get32(parser->header + AT_DATA_SIZE);
  if (!is_sane(parser))
    return UV_ECONNABORTED;
  if (parser->flags & UV__IPC_HAS_SOCKET)
    return UV__IPC_SOCKET_NEXT;
  parser->data_left = parser->data_size;
  return UV__IPC_DATA_NEXT;
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
    return begin_frame(parser);
  parser->socket = NULL;
  parser->data_left = parser->data_size;
  return UV__IPC_SOCKET_WHOLE;
}

char* uv__ipc_header_put(char* at, uint32_t flags, uint32_t data_size) {
  memset(at, 0, UV__IPC_HEADER_SIZE);
  put32(at + AT_FLAGS, flags);
  put32(at + AT_DATA_SIZE, data_size);
  return at + UV__IPC_HEADER_SIZE;
}
