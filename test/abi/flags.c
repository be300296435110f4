/* SPDX-License-Identifier: MIT */
/* The bits of uv_handle_t.flags: libuv's where it has one, and no two meanings
 * in one bit of a handle. Compiled, never run: see flags. The values are those
 * that libuv 1.53.0 shows in the field, and uvloop and Node use by number. */
#include "handle.h"
#include PLATFORM_HEADER

#define IS(flag, value) _Static_assert((flag) == (value), #flag " is " #value)

/* every handle */
IS(UV__CLOSING, 0x1);
IS(UV__CLOSED, 0x2);
IS(UV__ACTIVE, 0x4);
IS(UV__REF, 0x8);
IS(UV__INTERNAL, 0x10);
#define ENDGAME_QUEUED 0x20 /* libuv's on Windows; nothing of ours */

/* streams */
IS(UV__LISTENING, 0x40);
IS(UV__CONNECTED, 0x80);
IS(UV__SHUT, 0x200);
IS(UV__READ_EOF, 0x800);
IS(UV__READING, 0x1000);
IS(UV__BOUND, 0x2000);
IS(UV__READABLE, 0x4000);
IS(UV__WRITABLE, 0x8000);
IS(UV__READ_PENDING, 0x10000);
IS(UV__BLOCKING_WRITES, 0x100000);
IS(UV__IPV6, 0x400000);

/* one type each */
IS(UV__TCP_NODELAY, 0x1000000);
IS(UV__TCP_KEEPALIVE, 0x2000000);
IS(UV__TCP_SINGLE_ACCEPT, 0x4000000);
IS(UV__UDP_DRAINING, 0x1000000);
IS(UV__UDP_CONNECTED, 0x2000000);
IS(UV__UDP_RECVMMSG, 0x4000000);
IS(UV__PIPE_SYNC, 0x1000000);
IS(UV__PIPE_SERVER, 0x2000000);
IS(UV__TTY_INPUT, 0x1000000);
IS(UV__SIGNAL_ONE_SHOT, 0x2000000);
IS(UV__PROCESS_REAPED, 0x1000000);

/* Bits are disjoint exactly if adding them is the same as joining them. The
 * lists are called with + and with |. */
#define DISJOINT(list)                                                         \
 _Static_assert(list(+) == list(|), "two meanings in one bit: " #list)

#define HANDLE(op)                                                             \
 (0ull + UV__CLOSING op UV__CLOSED op UV__ACTIVE op UV__REF op UV__INTERNAL op \
             ENDGAME_QUEUED)
#define STREAM(op)                                                             \
 (HANDLE(op) op UV__LISTENING op UV__CONNECTED op UV__SHUTTING op UV__SHUT op  \
      UV__READ_EOF op UV__READING op UV__BOUND op UV__READABLE op UV__WRITABLE \
          op UV__READ_PENDING op UV__BLOCKING_WRITES op UV__IPV6 op            \
              PLATFORM_STREAM(op))
#define TCP(op)                                                                \
 (STREAM(op) op UV__TCP_NODELAY op UV__TCP_KEEPALIVE op UV__TCP_SINGLE_ACCEPT  \
      op PLATFORM_TCP(op))
#define PIPE(op)                                                               \
 (STREAM(op) op UV__PIPE_SYNC op UV__PIPE_SERVER op PLATFORM_PIPE(op))
#define TTY(op) (STREAM(op) op UV__TTY_INPUT op PLATFORM_TTY(op))
#define UDP(op)                                                                \
 (HANDLE(op) op UV__READING op UV__BOUND op UV__READ_PENDING op UV__IPV6 op    \
      UV__UDP_DRAINING op UV__UDP_CONNECTED op UV__UDP_RECVMMSG op             \
          PLATFORM_UDP(op))
#define SIGNAL(op) (HANDLE(op) op UV__SIGNAL_ONE_SHOT)
#define PROCESS(op) (HANDLE(op) op UV__PROCESS_REAPED)
#define POLL(op) (HANDLE(op) op UV__POLL_ATTACHED)

DISJOINT(TCP);
DISJOINT(PIPE);
DISJOINT(TTY);
DISJOINT(UDP);
DISJOINT(SIGNAL);
DISJOINT(PROCESS);
DISJOINT(POLL);
