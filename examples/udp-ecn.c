/* SPDX-License-Identifier: MIT */
/* ECN, as QUIC uses it: each datagram is sent with a mark of its own, and the
 * server answers it with the mark that it saw, from the address it was sent to.
 *
 * Exit status 0: every mark came back, or the system has none of this.
 */
#include <stdio.h>

#include <uv.h>
#include <uv/ext.h>

static uv_udp_t server, client;
static int answers, right;

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char room[65536];
  (void) handle;
  (void) size;
  *buf = uv_buf_init(room, sizeof(room));
}

static void on_question(uv_udp_t* udp,
                        ssize_t nread,
                        const uv_buf_t* buf,
                        const struct sockaddr* from,
                        unsigned flags) {
  uvx_udp_recv_info_t info = { .size = sizeof(info) };
  (void) nread;
  (void) buf;
  (void) flags;
  if (from == NULL || uvx_udp_recv_info(udp, &info) != 0)
    return;

  uvx_udp_send_options_t options = { .size = sizeof(options) };
  options.flags = info.valid & UVX_UDP_PKTINFO;
  options.src = (struct sockaddr*) &info.dst;
  char mark = (char) (info.tos & 3);
  uv_buf_t bufs[] = { uv_buf_init(&mark, 1) }, *list = bufs;
  struct sockaddr* to = (struct sockaddr*) from;
  uvx_udp_try_send(udp, 1, &list, &(unsigned) { 1 }, &to, &options);
}

static void on_answer(uv_udp_t* udp,
                      ssize_t nread,
                      const uv_buf_t* buf,
                      const struct sockaddr* from,
                      unsigned flags) {
  (void) udp;
  (void) nread;
  (void) flags;
  if (from == NULL)
    return;
  printf("sent with ECN %d, arrived with %d\n", answers, buf->base[0]);
  right += buf->base[0] == answers++;
  if (answers == 4) {
    uv_close((uv_handle_t*) &client, NULL);
    uv_close((uv_handle_t*) &server, NULL);
  }
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  struct sockaddr_in addr;
  uv_udp_send_t reqs[4];
  uv_buf_t buf = uv_buf_init("?", 1);

  uv_ip4_addr("127.0.0.1", 0, &addr);
  uv_udp_init(loop, &server);
  uv_udp_bind(&server, (struct sockaddr*) &addr, 0);
  uv_udp_getsockname(&server, (struct sockaddr*) &addr,
                     &(int) { sizeof(addr) });
  uv_udp_init(loop, &client);
  if (uvx_udp_set_recv_info(&server, UVX_UDP_TOS | UVX_UDP_PKTINFO) != 0)
    return puts("this system does not tell the ECN of datagrams") < 0;
  uv_udp_recv_start(&server, on_alloc, on_question);
  for (int ecn = 0; ecn < 4; ecn++) {
    uvx_udp_send_options_t options = { .size = sizeof(options) };
    options.flags = UVX_UDP_TOS;
    options.tos = ecn;
    if (uvx_udp_send(&reqs[ecn], &client, &buf, 1, (struct sockaddr*) &addr,
                     &options, NULL) != 0)
      return 1;
  }
  uv_udp_recv_start(&client, on_alloc, on_answer);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0 || right != 4;
}
