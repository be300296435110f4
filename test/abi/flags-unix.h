/* SPDX-License-Identifier: MIT */
/* The flags of src/unix, for flags.c; 0 where a type has none of its own. */
#include "unix/stream.h"
#include "unix/udp.h"

#define PLATFORM_STREAM(op) (UV__STREAM_SOCKET op UV__STREAM_MESSAGES)
#define PLATFORM_TCP(op) 0
#define PLATFORM_PIPE(op) 0
#define PLATFORM_TTY(op) 0
#define PLATFORM_UDP(op) (UV__UDP_GSO op UV__UDP_NO_GSO)
