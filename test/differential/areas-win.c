/* SPDX-License-Identifier: MIT */
/* Area watch is about inotify's events. */
#include "areas.h"

#define NO_OPS                                                                 \
 {                                                                             \
  { NULL, 0, NULL, 0 }                                                         \
 }

const struct op stream_more_ops[] = NO_OPS;
const struct op udp_more_ops[] = NO_OPS;
const struct op fs_more_ops[] = NO_OPS;
const struct op process_more_ops[] = NO_OPS;

const struct area* const areas[] = {
  &area_loop,    &area_stream, &area_udp,    &area_poll,   &area_work, &area_fs,
  &area_process, &area_tty,    &area_thread, &area_system, &area_pure, NULL,
};
