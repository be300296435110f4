/* SPDX-License-Identifier: MIT */
/* Frames of Windows pipes with ipc=1. The first byte selects the source: a
 * hostile peer (the rest is the stream), or our own writer (the rest says what
 * to write), in which case the output must equal the input. Either way the
 * stream arrives in small pieces. */
#include "fuzz.h"

#include "uv.h"
#include "win/ipc-frame.h"

enum { SOCKET_SIZE = 632, STREAM_MAX = 1 << 16, FRAMES_MAX = 256 };

/* What our writer has written, in order. */
struct sent {
  uint32_t flags;
  uint32_t size; /* of the data */
  uint8_t fill;
};

static struct sent sent[FRAMES_MAX];
static size_t nsent;
static char stream[STREAM_MAX];

static uint32_t piece(uint32_t* seed, uint32_t most) {
  *seed = *seed * 1103515245u + 12345u;
  uint32_t n = 1 + (*seed >> 16) % 16;
  return n < most ? n : most;
}

/* Two bytes of input make a frame: up to 0.5 kB of data, perhaps a socket. */
static size_t write_frames(const uint8_t* data, size_t size) {
  char* at = stream;

  nsent = 0;
  for (size_t i = 0; i + 1 < size && nsent < FRAMES_MAX; i += 2) {
    struct sent* s = &sent[nsent];
    s->size = (data[i] >> 2) * 8u;
    s->flags = s->size == 0 ? 0 : UV__IPC_HAS_DATA;
    if (data[i] & 1)
      s->flags |= UV__IPC_HAS_SOCKET;
    if ((data[i] & 3) == 3)
      s->flags |= UV__IPC_IS_CONNECTION;
    s->fill = data[i + 1];
    uint32_t body = s->size + (data[i] & 1 ? (uint32_t) SOCKET_SIZE : 0);
    if (at + UV__IPC_HEADER_SIZE + body > stream + sizeof(stream))
      break;
    at = uv__ipc_header_put(at, s->flags, s->size);
    memset(at, s->fill, body);
    at += body;
    nsent++;
  }
  return (size_t) (at - stream);
}

struct receiver {
  struct uv__ipc_parser parser;
  char* socket;  /* of its exact size */
  size_t frames; /* whole or begun */
  int trusted;   /* our writer is at the other end */
};

static void check_frame(struct receiver* r) {
  if (r->trusted) {
    REQUIRE(r->frames < nsent);
    REQUIRE(sent[r->frames].flags == r->parser.flags);
    REQUIRE(sent[r->frames].size == r->parser.data_size);
  }
  r->frames++;
}

static void check_bytes(struct receiver* r, const char* at, uint32_t n) {
  if (!r->trusted)
    return;
  for (uint32_t i = 0; i < n; i++)
    REQUIRE((uint8_t) at[i] == sent[r->frames - 1].fill);
}

/* A piece that is not data: 0, or UV_E*. */
static int take_control(struct receiver* r, const char* at, uint32_t n) {
  uint32_t missing = 0;
  char* room = uv__ipc_parser_room(&r->parser, SOCKET_SIZE, &missing);

  REQUIRE(missing > 0 && missing <= SOCKET_SIZE && n <= missing);
  memcpy(room, at, n);
  int event = uv__ipc_parser_fed(&r->parser, SOCKET_SIZE, n);
  switch (event) {
  case UV__IPC_MORE:
    REQUIRE(n < missing);
    return 0;
  case UV__IPC_DATA_NEXT:
    REQUIRE(r->parser.data_left == r->parser.data_size);
    check_frame(r);
    return 0;
  case UV__IPC_SOCKET_NEXT:
    REQUIRE(r->parser.socket == NULL);
    REQUIRE(r->parser.data_left == 0);
    check_frame(r);
    r->parser.socket = r->socket;
    return 0;
  case UV__IPC_SOCKET_WHOLE:
    REQUIRE(r->parser.socket == NULL);
    REQUIRE(r->parser.data_left == r->parser.data_size);
    check_bytes(r, r->socket, SOCKET_SIZE);
    return 0;
  default:
    REQUIRE(event == UV_ECONNABORTED);
    REQUIRE(!r->trusted);
    return event;
  }
}

static void receive(struct receiver* r, const char* at, size_t size) {
  uint32_t seed = (uint32_t) size;

  while (size > 0) {
    uint32_t n = piece(&seed, size > 4096 ? 4096 : (uint32_t) size);
    if (r->parser.data_left != 0) {
      if (n > r->parser.data_left)
        n = r->parser.data_left;
      check_bytes(r, at, n);
      r->parser.data_left -= n;
    } else {
      uint32_t missing = 0;
      (void) uv__ipc_parser_room(&r->parser, SOCKET_SIZE, &missing);
      n = n < missing ? n : missing;
      if (take_control(r, at, n) != 0)
        return;
    }
    at += n;
    size -= n;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  struct receiver r;

  if (size == 0)
    return 0;
  memset(&r, 0, sizeof(r));
  r.socket = malloc(SOCKET_SIZE);
  REQUIRE(r.socket != NULL);
  r.trusted = data[0] & 1;
  if (r.trusted) {
    receive(&r, stream, write_frames(data + 1, size - 1));
    REQUIRE(r.frames == nsent);
    REQUIRE(r.parser.data_left == 0 && r.parser.filled == 0);
    REQUIRE(r.parser.socket == NULL);
  } else {
    receive(&r, (const char*) data + 1, size - 1);
  }
  free(r.socket);
  return 0;
}
