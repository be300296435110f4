/* SPDX-License-Identifier: MIT */
/* The flags of src/win, for flags.c. */
#include "win/pipe.h"
#include "win/tcp.h"
#include "win/tty.h"
#include "win/udp.h"

#define PLATFORM_STREAM(op) UV__SKIP_PORT
#define PLATFORM_TCP(op)                                                       \
 (UV__TCP_CONNECTING op UV__TCP_SHARED_SOCKET op UV__TCP_NO_PORT op            \
      UV__TCP_ANNOUNCED)
#define PLATFORM_PIPE(op) (UV__PIPE_FOREIGN op UV__PIPE_CONN)
#define PLATFORM_TTY(op) UV__TTY_BY_LINE
#define PLATFORM_UDP(op) (UV__SKIP_PORT op UV__UDP_NO_PORT)
