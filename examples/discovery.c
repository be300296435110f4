/* SPDX-License-Identifier: MIT */
/* Finding services in the local network by UDP.
 *
 *   discovery serve PORT NAME       answers with NAME; ends with SIGINT
 *   discovery find PORT [ADDRESS]   asks everybody (255.255.255.255), or only
 *                                   ADDRESS, and prints who answers within
 *                                   half a second
 *
 * Exit status 0: somebody was found; everything was closed in the end.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#define QUESTION "who is there?"

static const char* name; /* of the service; NULL while searching */
static int found;

static void check(const char* what, int err) {
  if (err >= 0)
    return;
  fprintf(stderr, "discovery: %s: %s\n", what, uv_strerror(err));
  exit(1);
}

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char room[512]; /* datagrams are handled one at a time */
  (void) handle;
  (void) suggested;
  *buf = uv_buf_init(room, sizeof(room));
}

static void on_datagram(uv_udp_t* udp,
                        ssize_t nread,
                        const uv_buf_t* buf,
                        const struct sockaddr* from,
                        unsigned flags) {
  char text[64];
  if (from == NULL || nread < 0 || (flags & UV_UDP_PARTIAL))
    return; /* nothing more for now, or not for us */

  if (name == NULL) {
    uv_ip_name(from, text, sizeof(text));
    printf("%.*s at %s\n", (int) nread, buf->base, text);
    found++;
  } else if (nread == (ssize_t) strlen(QUESTION) &&
             memcmp(buf->base, QUESTION, (size_t) nread) == 0) {
    uv_buf_t reply = uv_buf_init((char*) name, (unsigned int) strlen(name));
    uv_udp_try_send(udp, &reply, 1, from); /* lost? they will ask again */
  }
}

static void close_any(uv_handle_t* handle, void* arg) {
  (void) arg;
  uv_close(handle, NULL);
}

static void on_signal(uv_signal_t* handle, int signum) {
  (void) signum;
  uv_walk(handle->loop, close_any, NULL);
}

static void on_time_over(uv_timer_t* handle) {
  uv_walk(handle->loop, close_any, NULL);
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  uv_udp_t udp;
  uv_timer_t timer;
  uv_signal_t sigint;
  struct sockaddr_in addr;

  if (argc < 3)
    return 2;
  int serve = strcmp(argv[1], "serve") == 0;
  const char* to = argc > 3 ? argv[3] : "255.255.255.255";
  if (serve)
    name = argc > 3 ? argv[3] : "nameless";

  uv_udp_init(loop, &udp);
  check("address", uv_ip4_addr(serve ? "0.0.0.0" : to, atoi(argv[2]), &addr));
  if (serve) {
    check("bind", uv_udp_bind(&udp, (const struct sockaddr*) &addr, 0));
    uv_signal_init(loop, &sigint);
    uv_signal_start(&sigint, on_signal, SIGINT);
  }
  check("receive", uv_udp_recv_start(&udp, on_alloc, on_datagram));
  if (!serve) {
    uv_buf_t question = uv_buf_init(QUESTION, sizeof(QUESTION) - 1);
    uv_udp_set_broadcast(&udp, 1);
    check("send",
          uv_udp_try_send(&udp, &question, 1, (const struct sockaddr*) &addr));
    uv_timer_init(loop, &timer);
    uv_timer_start(&timer, on_time_over, 500, 0);
  }
  printf("%s\n", serve ? "ready" : "asked");
  fflush(stdout);

  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0 || (!serve && found == 0);
}
