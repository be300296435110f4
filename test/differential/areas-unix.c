/* SPDX-License-Identifier: MIT */
#include "areas.h"

const struct area* const areas[] = {
  &area_loop,   &area_stream, &area_ipc,     &area_udp,   &area_poll,
  &area_work,   &area_fs,     &area_process, &area_watch, &area_tty,
  &area_thread, &area_system, &area_pure,    NULL,
};
