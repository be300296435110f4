/* SPDX-License-Identifier: MIT */
/* What area system needs from the system, mostly to compare the library's
 * answers with (system-unix.c, system-win.c). */
#ifndef DIFFERENTIAL_SYSTEM_WORLD_H_
#define DIFFERENTIAL_SYSTEM_WORLD_H_

#include "areas.h"

/* What a process, or its thread, has used. */
struct usage {
  long seconds; /* in user mode */
  uint64_t maxrss;
  uint64_t faults;
};

size_t system_page_size(void);
double system_uptime(void);
void system_load(double average[3]);
void system_usage(int is_thread, struct usage* usage);
int system_parent(void); /* the number of the parent process */

/* Puts an entry into the environment that is not NAME=VALUE, or has an odd
 * name. */
void environment_add_odd(unsigned which);

/* What can be seen of a new end of a connection, which is closed. */
unsigned pipe_end_flags(uv_file file);
unsigned socket_end_flags(uv_os_sock_t sock);

/* A library to open, and one of its symbols. */
extern const char* const library_name;
extern const char* const library_symbol;

/* Operations in system_more_ops, since what they do differs. */
void cpu_info(const struct step* step);
extern const struct op system_more_ops[];

#endif
