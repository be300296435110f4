/* SPDX-License-Identifier: MIT */
#include "udp-world.h"

struct udp_world udp_world;

static void on_recv(uv_udp_t* handle,
                    ssize_t nread,
                    const uv_buf_t* buf,
                    const struct sockaddr* from,
                    unsigned flags) {
  struct udp_world_datagram* got = &udp_world.got[udp_world.got_count];

  ASSERT_PTR_EQ(&udp_world.receiver, handle);
  ASSERT_LT(udp_world.got_count, UDP_WORLD_MAX);
  got->info.size = sizeof(got->info);
  got->info_err = uvx_udp_recv_info(handle, &got->info);
  if (from == NULL) {
    ASSERT_ERR(UV_EINVAL, got->info_err); /* no datagram */
    ASSERT_LE(nread, 0);
    return;
  }
  got->nread = nread;
  got->flags = flags;
  memset(got->data, 0, sizeof(got->data));
  if (nread > 0)
    memcpy(got->data, buf->base,
           (size_t) nread < sizeof(got->data) ? (size_t) nread
                                              : sizeof(got->data));
  memcpy(&got->from, from,
         from->sa_family == AF_INET ? sizeof(struct sockaddr_in)
                                    : sizeof(struct sockaddr_in6));
  udp_world.got_count++;
  if (udp_world.on_got != NULL)
    udp_world.on_got();
}

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char room[4 * 65536];

  (void) handle;
  (void) size;
  *buf = uv_buf_init(room, sizeof(room));
}

static struct sockaddr* receiver_addr(void) {
  return (struct sockaddr*) &udp_world.to;
}

static void set_addr(const char* ip, int port) {
  if (strchr(ip, ':') == NULL)
    ASSERT_OK(uv_ip4_addr(ip, port, (struct sockaddr_in*) &udp_world.to));
  else
    ASSERT_OK(uv_ip6_addr(ip, port, (struct sockaddr_in6*) &udp_world.to));
}

void udp_world_begin(enum udp_world_kind kind, unsigned flags) {
  static const char* const binds[] = { "127.0.0.1", "::1", "::" };
  static const char* const peers[] = { "127.0.0.1", "::1", "::ffff:127.0.0.1" };
  static const char* const own[] = { "0.0.0.0", "::", "::" };
  int len = sizeof(udp_world.to);

  memset(&udp_world, 0, sizeof(udp_world));
  udp_world.kind = kind;
  ASSERT_OK(uv_loop_init(&udp_world.loop));
  ASSERT_OK(uv_udp_init_ex(&udp_world.loop, &udp_world.receiver, flags));
  ASSERT_OK(uv_udp_init(&udp_world.loop, &udp_world.sender));
  set_addr(binds[kind], 0);
  if (uv_udp_bind(&udp_world.receiver, receiver_addr(), 0) != 0)
    SKIP("no IPv6 here");
  ASSERT_OK(uv_udp_getsockname(&udp_world.receiver, receiver_addr(), &len));
  int port = ntohs(((struct sockaddr_in*) &udp_world.to)->sin_port);
  set_addr(own[kind], 0);
  ASSERT_OK(uv_udp_bind(&udp_world.sender, receiver_addr(), 0));
  set_addr(peers[kind], port);
  ASSERT_OK(uv_udp_recv_start(&udp_world.receiver, on_alloc, on_recv));
}

void udp_world_ask(unsigned mask) {
  int err = uvx_udp_set_recv_info(&udp_world.receiver, mask);

  if (err == UV_ENOTSUP)
    SKIP("the system does not tell this with datagrams");
  ASSERT_OK(err);
}

void udp_world_on_sent(uv_udp_send_t* req, int status) {
  (void) req;
  udp_world.sent_count++;
  udp_world.sent_status = status;
}

void udp_world_send(uv_udp_send_t* req,
                    const void* data,
                    unsigned size,
                    const uvx_udp_send_options_t* options) {
  uv_buf_t buf = uv_buf_init((char*) data, size);
  int err = uvx_udp_send(req, &udp_world.sender, &buf, 1, receiver_addr(),
                         options, udp_world_on_sent);

  if (err == UV_ENOTSUP)
    SKIP("the system has no such options of datagrams");
  ASSERT_OK(err);
}

void udp_world_expect(int count) {
  while (udp_world.got_count < count)
    uv_run(&udp_world.loop, UV_RUN_ONCE);
  ASSERT_EQ(count, udp_world.got_count);
}

void udp_world_end(void) {
  test_close_loop(&udp_world.loop);
}

int udp_world_is_host(const struct sockaddr_storage* addr, const char* ip4) {
  char name[64];
  char mapped[64] = "::ffff:";

  ASSERT_OK(uv_ip_name((const struct sockaddr*) addr, name, sizeof(name)));
  strncat(mapped, ip4, sizeof(mapped) - 8);
  switch (udp_world.kind) {
  case UDP_WORLD_V4:
    return strcmp(name, ip4) == 0;
  case UDP_WORLD_V6:
    return strcmp(name, "::1") == 0;
  case UDP_WORLD_MAPPED:
    return strcmp(name, mapped) == 0;
  }
  return 0;
}
