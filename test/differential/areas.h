/* SPDX-License-Identifier: MIT */
/* The areas of the interface that programs are made for. */
#ifndef DIFFERENTIAL_AREAS_H_
#define DIFFERENTIAL_AREAS_H_

#include "world.h"

/* Operations on functions that came with these versions say so, since the same
 * objects are linked with older libraries, too. */
#define SINCE_1_45 0x012d00
#define SINCE_1_46 0x012e00
#define SINCE_1_47 0x012f00
#define SINCE_1_50 0x013200
#define SINCE_1_52 0x013400
#define SINCE_1_53 0x013500

#pragma weak uv_clock_gettime
#pragma weak uv_metrics_info
#pragma weak uv_os_free_group
#pragma weak uv_os_get_group
#pragma weak uv_os_get_passwd2
#pragma weak uv_thread_getname
#pragma weak uv_thread_setname
#pragma weak uv_udp_try_send2
#pragma weak uv_utf16_length_as_wtf8
#pragma weak uv_utf16_to_wtf8
#pragma weak uv_wtf8_length_as_utf16
#pragma weak uv_wtf8_to_utf16

extern const struct area area_loop;
extern const struct area area_stream;
extern const struct area area_udp;
extern const struct area area_poll;
extern const struct area area_work;
extern const struct area area_fs;
extern const struct area area_process;
extern const struct area area_watch;
extern const struct area area_pure;

/* What every area has: the handles of area loop, and a few of its
 * operations. */
void loop_setup(void);
extern const struct op loop_few_ops[];

/* The entry of a table that an argument means. */
#define AT(table, arg) \
  ((table)[(arg) % (sizeof(table) / sizeof((table)[0]))])

/* main() of the children of area process. */
int process_child(const char* what, const char* arg);

#endif
