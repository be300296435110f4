/* SPDX-License-Identifier: MIT */
/* Frames of Windows pipes with ipc=1, whose parser is pure. The first byte says
 * how: a hostile peer (the rest is the stream), or our own writer (the rest is
 * what to write), and then what comes out is what went in. Either way the
 * stream arrives in small pieces. */
#include "fuzz.h"

#include "uv.h"
#include "win/ipc-frame.h"

enum { SOCKET_SIZE = 380, STREAM_MAX = 1 << 16, FRAMES_MAX = 256 };

/* What our writer has written, in order. */
struct sent {
  enum uv__ipc_kind kind;
  uint32_t size;
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

/* Two bytes of input make a frame: a socket, or up to 1 kB of data. */
static size_t write_frames(const uint8_t* data, size_t size) {
  char body[1024];
  char* at = stream;

  nsent = 0;
  for (size_t i = 0; i + 1 < size && nsent < FRAMES_MAX; i += 2) {
    struct sent* s = &sent[nsent];
    s->kind = data[i] & 1 ? UV__IPC_SOCKET : UV__IPC_DATA;
    s->size = s->kind == UV__IPC_SOCKET ? SOCKET_SIZE : (data[i] >> 1) * 8u;
    s->fill = data[i + 1];
    if (at + sizeof(struct uv__ipc_frame) + s->size > stream + sizeof(stream))
      break;
    memset(body, s->fill, sizeof(body));
    /* Data mostly follow their header by themselves, as buffers of a write. */
    if (data[i + 1] & 1) {
      at = uv__ipc_frame_put(at, s->kind, body, s->size);
    } else {
      at = uv__ipc_frame_put(at, s->kind, NULL, s->size);
      memcpy(at, body, s->size);
      at += s->size;
    }
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

static void check_frame(struct receiver* r, enum uv__ipc_kind kind) {
  if (r->trusted) {
    REQUIRE(r->frames < nsent);
    REQUIRE(sent[r->frames].kind == kind);
    REQUIRE(sent[r->frames].size == r->parser.frame.size);
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
    REQUIRE(r->parser.data_left == r->parser.frame.size);
    check_frame(r, UV__IPC_DATA);
    return 0;
  case UV__IPC_SOCKET_NEXT:
    REQUIRE(r->parser.socket == NULL);
    check_frame(r, UV__IPC_SOCKET);
    r->parser.socket = r->socket;
    return 0;
  case UV__IPC_SOCKET_WHOLE:
    REQUIRE(r->parser.socket == NULL);
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
