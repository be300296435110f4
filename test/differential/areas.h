/* SPDX-License-Identifier: MIT */
/* The areas of the API that programs are generated for. */
#ifndef DIFFERENTIAL_AREAS_H_
#define DIFFERENTIAL_AREAS_H_

#include "world.h"

/* Operations on functions that came with these versions say so, since the same
 * objects are linked with older libraries, too (weak.h). */
#define SINCE_1_45 0x012d00
#define SINCE_1_46 0x012e00
#define SINCE_1_47 0x012f00
#define SINCE_1_50 0x013200
#define SINCE_1_51 0x013300
#define SINCE_1_52 0x013400
#define SINCE_1_53 0x013500

extern const struct area area_loop;
extern const struct area area_stream;
extern const struct area area_ipc; /* Unix */
extern const struct area area_udp;
extern const struct area area_poll;
extern const struct area area_work;
extern const struct area area_fs;
extern const struct area area_process;
extern const struct area area_watch;
extern const struct area area_tty;
extern const struct area area_thread;
extern const struct area area_system;
extern const struct area area_pure;

/* Those that this system has; ended by NULL (areas-unix.c, areas-win.c). */
extern const struct area* const areas[];

/* Common to all areas: the handles of area loop and some of its operations. */
void loop_setup(void);
extern const struct op loop_few_ops[];

/* What areas have on this system alone (their files *-unix.c, areas-win.c). */
extern const struct op stream_more_ops[];
extern const struct op udp_more_ops[];
extern const struct op fs_more_ops[];
extern const struct op process_more_ops[];

/* The table entry that an argument selects. */
#define AT(table, arg) ((table)[(arg) % (sizeof(table) / sizeof((table)[0]))])

/* A UDP socket, bound to loopback or not, that no handle has; and its end
 * (sockets-unix.c, sockets-win.c). */
uv_os_sock_t socket_make(int is_bound);
void socket_drop(uv_os_sock_t sock);

/* main() of the children of area process. */
int process_child(const char* what, const char* arg);

#endif
