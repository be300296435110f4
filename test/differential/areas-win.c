/* SPDX-License-Identifier: MIT */
/* Areas poll and watch are about descriptors and about inotify's events. */
#include "areas.h"

const struct area* const areas[] = {
  &area_loop, &area_stream,  &area_udp,  &area_work,
  &area_fs,   &area_process, &area_pure, NULL,
};
