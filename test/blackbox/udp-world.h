/* SPDX-License-Identifier: MIT */
/* A sender and a receiver for the tests of uvx_udp_*: over IPv4, over IPv6, and
 * over IPv4 between sockets of IPv6 (addresses that are mapped). */
#ifndef UDP_WORLD_H_
#define UDP_WORLD_H_

#include "test.h"
#include "uv/ext.h"

enum udp_world_kind { UDP_WORLD_V4, UDP_WORLD_V6, UDP_WORLD_MAPPED };

/* What was received. */
struct udp_world_datagram {
  ssize_t nread;
  unsigned flags;
  char data[64]; /* its beginning */
  struct sockaddr_storage from;
  int info_err;
  uvx_udp_recv_info_t info;
};

#define UDP_WORLD_MAX 400

struct udp_world {
  uv_loop_t loop;
  uv_udp_t sender;
  uv_udp_t receiver;
  struct sockaddr_storage to; /* the receiver's address, for the sender */
  enum udp_world_kind kind;
  struct udp_world_datagram got[UDP_WORLD_MAX];
  int got_count;
  void (*on_got)(void); /* called in recv_cb, or NULL */
  int sent_count;       /* send callbacks */
  int sent_status;      /* of the last one */
};

extern struct udp_world udp_world;

/* Binds and starts the receiver, with these flags for uv_udp_init_ex(). Skips
 * the test where there is no such address. */
void udp_world_begin(enum udp_world_kind kind, unsigned flags);

/* Has the receiver tell this. Skips the test if the system cannot. */
void udp_world_ask(unsigned mask);

/* Sends with uvx_udp_send(). Skips the test if the system has no such options.
 */
void udp_world_send(uv_udp_send_t* req,
                    const void* data,
                    unsigned size,
                    const uvx_udp_send_options_t* options);

/* Counts its calls. */
void udp_world_on_sent(uv_udp_send_t* req, int status);

/* Runs the loop until so many datagrams have come. */
void udp_world_expect(int count);

void udp_world_end(void);

/* Does the address name this IPv4 host, or ::1 with kind V6? */
int udp_world_is_host(const struct sockaddr_storage* addr, const char* ip4);

#endif /* UDP_WORLD_H_ */
