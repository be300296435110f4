/* SPDX-License-Identifier: MIT */
/* What the tool asks of the system: os-unix.c or os-win.c. */
#ifndef UV_TRACE_OS_H_
#define UV_TRACE_OS_H_

#include <stddef.h>
#include <stdint.h>

/* Between the directories of a variable like PATH. */
extern const char OS_LIST_SEPARATOR[];

/* Variables for the dynamic linker. */
extern const char OS_LIBRARY_PATH[];
extern const char OS_PRELOAD[];

/* What follows the last separator of a path. */
const char* os_base_name(const char* path);

/* Whether it is a file that can be read like one: no pipe, no device. */
int os_is_regular(const char* path);

/* Seconds since it was written to; 0 if one cannot know. */
double os_file_age(const char* path);

/* How a program ended. */
struct os_exit {
  int status; /* exit status, or 128 + signal */
  int signal; /* 0: none */
  int64_t pid;
};

/* Runs a program of PATH with the environment as it is now and waits for it.
 * Interrupts from the terminal are for the program. Returns 0, or an errno. */
int os_run(char* const argv[], struct os_exit* how);

int os_set_variable(const char* name, const char* value);

/* Makes a directory for the user alone; one that exists will do. 0 or errno. */
int os_make_directory(const char* path);

/* Removes a directory if it is empty. */
void os_remove_directory(const char* path);

/* The path from the root, for programs that change their directory. 0 or errno.
 */
int os_full_path(const char* path, char* full, size_t size);

int64_t os_pid(void);

/* The path of a process's program. 0 or errno. */
int os_program(int64_t pid, char* path, size_t size);

/* Calls `each` for each name in a directory. 0 or errno. */
int os_list(const char* path,
            void (*each)(const char* name, void* arg),
            void* arg);

/* Copies the value of a variable of another process, as it was when that was
 * started. 0, or an errno: ENOENT if it is not set, ENOSYS if one cannot know.
 */
int os_read_variable(int64_t pid, const char* name, char* value, size_t size);

/* The path of a process's working directory. 0 or an errno, as above. */
int os_directory(int64_t pid, char* path, size_t size);

/* Whether a process exists; 1 if one cannot know. */
int os_process_exists(int64_t pid);

/* The terminal of standard output: whether it is one, and its size. */
int os_terminal(int* columns, int* rows);

/* Waits; returns early when a signal to stop came. */
void os_sleep_ms(unsigned ms);

/* From now on SIGINT and SIGTERM make os_is_stopping() true. */
void os_catch_stop(void);
int os_is_stopping(void);

/* Nanoseconds of a clock that does not jump. */
uint64_t os_now(void);

#endif /* UV_TRACE_OS_H_ */
