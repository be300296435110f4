/* SPDX-License-Identifier: MIT */
/* win/ipc-frame.c: libuv's frames, byte by byte. It is pure, so it is compiled
 * in here and tested on every system. */
#include "unit.h"

#include "util/base.h"

/* Not the library's own, where it has one. */
#define uv__ipc_parser_room unit_ipc_parser_room
#define uv__ipc_parser_fed unit_ipc_parser_fed
#define uv__ipc_header_put unit_ipc_header_put
#include "win/ipc-frame.c"

enum { SOCKET_SIZE = 632 };

static char description[SOCKET_SIZE];

/* Feeds `n` bytes that are not data, one by one; returns the last answer. */
static int feed(struct uv__ipc_parser* parser, const void* bytes, uint32_t n) {
  int event = UV__IPC_MORE;

  for (uint32_t i = 0; i < n; i++) {
    uint32_t missing;
    char* room = uv__ipc_parser_room(parser, SOCKET_SIZE, &missing);
    CHECK(event == UV__IPC_MORE);
    CHECK(missing >= 1);
    *room = ((const char*) bytes)[i];
    event = uv__ipc_parser_fed(parser, SOCKET_SIZE, 1);
  }
  return event;
}

UNIT_TEST(ipc_frame_headers_are_libuvs) {
  static const unsigned char data[] = { 1, 0, 0, 0, 0, 0, 0, 0,
                                        4, 3, 2, 1, 0, 0, 0, 0 };
  static const unsigned char connection[] = { 7, 0, 0, 0, 0, 0, 0, 0,
                                              1, 0, 0, 0, 0, 0, 0, 0 };
  char got[UV__IPC_HEADER_SIZE];

  memset(got, 0x55, sizeof(got));
  CHECK(uv__ipc_header_put(got, UV__IPC_HAS_DATA, 0x01020304) ==
        got + sizeof(got));
  CHECK_MEM(data, got, sizeof(got));
  memset(got, 0x55, sizeof(got));
  uv__ipc_header_put(
      got, UV__IPC_HAS_DATA | UV__IPC_HAS_SOCKET | UV__IPC_IS_CONNECTION, 1);
  CHECK_MEM(connection, got, sizeof(got));
}

UNIT_TEST(ipc_frame_data) {
  /* The second number is arbitrary. */
  static const unsigned char header[] = { 1, 0, 0, 0, 9, 9, 9, 9,
                                          0, 1, 0, 0, 0, 0, 0, 0 };
  struct uv__ipc_parser parser = { 0 };

  CHECK_EQ(UV__IPC_DATA_NEXT, feed(&parser, header, sizeof(header)));
  CHECK_EQ(256, parser.data_left);
  parser.data_left = 0; /* read */
  CHECK_EQ(UV__IPC_DATA_NEXT, feed(&parser, header, sizeof(header)));
  CHECK_EQ(256, parser.data_left);
}

UNIT_TEST(ipc_frame_socket_comes_before_its_data) {
  static const unsigned char header[] = { 3, 0, 0, 0, 0, 0, 0, 0,
                                          5, 0, 0, 0, 0, 0, 0, 0 };
  struct uv__ipc_parser parser = { 0 };
  char bytes[SOCKET_SIZE];

  for (int i = 0; i < SOCKET_SIZE; i++)
    bytes[i] = (char) i;
  CHECK_EQ(UV__IPC_SOCKET_NEXT, feed(&parser, header, sizeof(header)));
  CHECK_EQ(0, parser.data_left);
  CHECK_EQ(0, parser.flags & UV__IPC_IS_CONNECTION);
  parser.socket = description;
  CHECK_EQ(UV__IPC_SOCKET_WHOLE, feed(&parser, bytes, SOCKET_SIZE));
  CHECK(parser.socket == NULL);
  CHECK_MEM(bytes, description, SOCKET_SIZE);
  CHECK_EQ(5, parser.data_left);
}

/* A socket may arrive alone, and so may an empty frame. */
UNIT_TEST(ipc_frame_without_data) {
  static const unsigned char alone[] = { 6, 0, 0, 0, 0, 0, 0, 0,
                                         0, 0, 0, 0, 0, 0, 0, 0 };
  static const unsigned char empty[16] = { 0 };
  struct uv__ipc_parser parser = { 0 };

  CHECK_EQ(UV__IPC_SOCKET_NEXT, feed(&parser, alone, sizeof(alone)));
  CHECK_EQ(UV__IPC_IS_CONNECTION, parser.flags & UV__IPC_IS_CONNECTION);
  parser.socket = description;
  CHECK_EQ(UV__IPC_SOCKET_WHOLE, feed(&parser, description, SOCKET_SIZE));
  CHECK_EQ(0, parser.data_left);
  CHECK_EQ(UV__IPC_DATA_NEXT, feed(&parser, empty, sizeof(empty)));
  CHECK_EQ(0, parser.data_left);
}

UNIT_TEST(ipc_frame_garbage_is_refused) {
  static const unsigned char headers[][16] = {
    { 8 },                                     /* an unknown flag */
    { 1, 0, 0, 0x80 },                         /* another */
    { 5 },                                     /* a connection without a
                                                   * socket */
    { 0, 0, 0, 0, 0, 0, 0, 0, 1 },             /* data without its flag */
    { 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1 }, /* the last is not 0 */
    { 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1 },
  };

  for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
    struct uv__ipc_parser parser = { 0 };
    CHECK_EQ(UV_ECONNABORTED, feed(&parser, headers[i], 16));
  }
}
