/* SPDX-License-Identifier: MIT */
#include "system-world.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

const char* const library_name = NULL; /* the program itself */
const char* const library_symbol = "getpid";

size_t system_page_size(void) {
  return (size_t) sysconf(_SC_PAGESIZE);
}

double system_uptime(void) {
  struct sysinfo info;

  sysinfo(&info);
  return info.uptime;
}

void system_load(double average[3]) {
  if (getloadavg(average, 3) != 3)
    abort();
}

void system_usage(int is_thread, struct usage* usage) {
  struct rusage rusage;

  getrusage(is_thread ? RUSAGE_THREAD : RUSAGE_SELF, &rusage);
  usage->seconds = rusage.ru_utime.tv_sec;
  usage->maxrss = (uint64_t) rusage.ru_maxrss;
  usage->faults = (uint64_t) rusage.ru_minflt;
}

int system_parent(void) {
  return getppid();
}

void environment_add_odd(unsigned which) {
  putenv(which % 2 ? "DIFFER_ODD" : "=DIFFER");
}

unsigned pipe_end_flags(uv_file file) {
  int flags = fcntl(file, F_GETFD) | (fcntl(file, F_GETFL) & O_NONBLOCK);

  close(file);
  return (unsigned) flags;
}

unsigned socket_end_flags(uv_os_sock_t sock) {
  return pipe_end_flags(sock);
}

static void descriptors(const struct step* step) {
  int fd = (int) (step->arg[0] % 5) - 1;
  world_say(step, NULL, 0, "osfhandle %d: %d %d", fd, uv_get_osfhandle(fd),
            uv_open_osfhandle(fd));
}

const struct op system_more_ops[] = {
  { "cpu_info", 5, cpu_info, SINCE_1_52 },
  { "descriptors", 5, descriptors, 0 },
  { NULL, 0, NULL, 0 },
};
