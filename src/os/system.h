/* SPDX-License-Identifier: MIT */
/* The system and this process: what the platform supplies to system.c. Each
 * function does what is documented for the public one of that name, and returns
 * 0 or UV_E*. Arguments have been checked: pointers are valid, output buffers
 * satisfy out-string.h, numbers are in range. Context: any.
 */
#ifndef UV_OS_SYSTEM_H_
#define UV_OS_SYSTEM_H_

#include "util/base.h"

/* Each result is one block that the caller frees. The outputs are empty before
 * the call. */
int uv__os_environ(uv_env_item_t** envitems, int* count);
int uv__os_interface_addresses(uv_interface_address_t** addresses, int* count);
int uv__os_cpu_info(uv_cpu_info_t** cpu_infos, int* count);

int uv__os_getenv(const char* name, char* buffer, size_t* size);
int uv__os_setenv(const char* name, const char* value);
int uv__os_unsetenv(const char* name);
/* Does the process have more rights than its caller? Then its environment
 * cannot be trusted. */
int uv__os_has_raised_rights(void);

int uv__os_tmpdir(char* buffer, size_t* size);
int uv__os_cwd(char* buffer, size_t* size);
int uv__os_chdir(const char* dir);
int uv__os_exepath(char* buffer, size_t* size);

int uv__os_gethostname(char* buffer, size_t* size);
int uv__os_uname(uv_utsname_t* buffer);
int uv__os_if_indextoname(unsigned int ifindex, char* buffer, size_t* size);
int uv__os_if_indextoiid(unsigned int ifindex, char* buffer, size_t* size);

int uv__os_set_process_title(const char* title);
int uv__os_get_process_title(char* buffer, size_t size);
int uv__os_getpriority(uv_pid_t pid, int* priority);
int uv__os_setpriority(uv_pid_t pid, int priority);
int uv__os_getrusage(uv_rusage_t* rusage);
int uv__os_getrusage_thread(uv_rusage_t* rusage);
int uv__os_resident_set_memory(size_t* rss);

int uv__os_uptime(double* uptime);
int uv__os_clock_gettime(uv_clock_id clock_id, uv_timespec64_t* ts);
int uv__os_gettimeofday(uv_timeval64_t* tv);

/* Writes text to standard error. Neither blocks nor ends the process: what
 * cannot be written is dropped, and everything if descriptor 2 is another file
 * than when the library was loaded. Preserves errno. */
void uv__os_print(const char* text, size_t size);

/* Prints a line for the operator on standard error. */
void uv__os_print_line(const char* line);

#endif /* UV_OS_SYSTEM_H_ */
