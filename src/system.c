/* SPDX-License-Identifier: MIT */
/* System and process information: argument checks. Context: any. */
#include "os/system.h"
#include "util/alloc.h"
#include "util/out-string.h"

/* ---- lists, which are one block each ---- */

int uv_os_environ(uv_env_item_t** envitems, int* count) {
  if (envitems == NULL || count == NULL)
    return UV_EINVAL;
  *envitems = NULL;
  *count = 0;
  return uv__os_environ(envitems, count);
}

void uv_os_free_environ(uv_env_item_t* envitems, int count) {
  (void) count;
  uv__free(envitems);
}

int uv_interface_addresses(uv_interface_address_t** addresses, int* count) {
  if (addresses == NULL || count == NULL)
    return UV_EINVAL;
  *addresses = NULL;
  *count = 0;
  return uv__os_interface_addresses(addresses, count);
}

void uv_free_interface_addresses(uv_interface_address_t* addresses, int count) {
  (void) count;
  uv__free(addresses);
}

int uv_cpu_info(uv_cpu_info_t** cpu_infos, int* count) {
  if (cpu_infos == NULL || count == NULL)
    return UV_EINVAL;
  *cpu_infos = NULL;
  *count = 0;
  return uv__os_cpu_info(cpu_infos, count);
}

void uv_free_cpu_info(uv_cpu_info_t* cpu_infos, int count) {
  (void) count;
  uv__free(cpu_infos);
}

/* ---- environment ---- */

int uv_os_getenv(const char* name, char* buffer, size_t* size) {
  if (name == NULL || uv__out_string_check(buffer, size) != 0)
    return UV_EINVAL;
  return uv__os_getenv(name, buffer, size);
}

int uv_os_setenv(const char* name, const char* value) {
  if (name == NULL || value == NULL)
    return UV_EINVAL;
  return uv__os_setenv(name, value);
}

int uv_os_unsetenv(const char* name) {
  return name == NULL ? UV_EINVAL : uv__os_unsetenv(name);
}

/* ---- directories and names ---- */

int uv_os_tmpdir(char* buffer, size_t* size) {
  int err = uv__out_string_check(buffer, size);
  return err != 0 ? err : uv__os_tmpdir(buffer, size);
}

int uv_cwd(char* buffer, size_t* size) {
  int err = uv__out_string_check(buffer, size);
  return err != 0 ? err : uv__os_cwd(buffer, size);
}

int uv_chdir(const char* dir) {
  return dir == NULL ? UV_EINVAL : uv__os_chdir(dir);
}

int uv_exepath(char* buffer, size_t* size) {
  int err = uv__out_string_check(buffer, size);
  return err != 0 ? err : uv__os_exepath(buffer, size);
}

int uv_os_gethostname(char* buffer, size_t* size) {
  int err = uv__out_string_check(buffer, size);
  return err != 0 ? err : uv__os_gethostname(buffer, size);
}

int uv_os_uname(uv_utsname_t* buffer) {
  return buffer == NULL ? UV_EINVAL : uv__os_uname(buffer);
}

int uv_if_indextoname(unsigned int ifindex, char* buffer, size_t* size) {
  int err = uv__out_string_check(buffer, size);
  return err != 0 ? err : uv__os_if_indextoname(ifindex, buffer, size);
}

int uv_if_indextoiid(unsigned int ifindex, char* buffer, size_t* size) {
  int err = uv__out_string_check(buffer, size);
  return err != 0 ? err : uv__os_if_indextoiid(ifindex, buffer, size);
}

/* ---- this process ---- */

int uv_set_process_title(const char* title) {
  return title == NULL ? UV_EINVAL : uv__os_set_process_title(title);
}

int uv_get_process_title(char* buffer, size_t size) {
  if (buffer == NULL || size == 0)
    return UV_EINVAL;
  return uv__os_get_process_title(buffer, size);
}

int uv_os_getpriority(uv_pid_t pid, int* priority) {
  return priority == NULL ? UV_EINVAL : uv__os_getpriority(pid, priority);
}

int uv_os_setpriority(uv_pid_t pid, int priority) {
  /* Kernels would clamp silently. */
  if (priority < UV_PRIORITY_HIGHEST || priority > UV_PRIORITY_LOW)
    return UV_EINVAL;
  return uv__os_setpriority(pid, priority);
}

int uv_getrusage(uv_rusage_t* rusage) {
  return rusage == NULL ? UV_EINVAL : uv__os_getrusage(rusage);
}

int uv_getrusage_thread(uv_rusage_t* rusage) {
  return rusage == NULL ? UV_EINVAL : uv__os_getrusage_thread(rusage);
}

int uv_resident_set_memory(size_t* rss) {
  return rss == NULL ? UV_EINVAL : uv__os_resident_set_memory(rss);
}

/* ---- time ---- */

int uv_uptime(double* uptime) {
  return uptime == NULL ? UV_EINVAL : uv__os_uptime(uptime);
}

int uv_clock_gettime(uv_clock_id clock_id, uv_timespec64_t* ts) {
  if (ts == NULL)
    return UV_EFAULT;
  if (clock_id != UV_CLOCK_MONOTONIC && clock_id != UV_CLOCK_REALTIME)
    return UV_EINVAL;
  return uv__os_clock_gettime(clock_id, ts);
}

int uv_gettimeofday(uv_timeval64_t* tv) {
  return tv == NULL ? UV_EINVAL : uv__os_gettimeofday(tv);
}
