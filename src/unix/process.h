/* SPDX-License-Identifier: MIT */
/* Process handles, and how uv_spawn() creates a child: shared by process.c and
 * the process-*.c files, and the functions that the loop calls.
 *
 * The child runs in the memory of the parent until it calls exec, while the
 * calling thread is suspended (vfork). Therefore:
 * C1  the parent prepares everything the child needs;
 * C2  the child calls nothing of the C library that has state: no malloc, no
 *     stdio, no wrapper that acts on all threads (setuid) or on a sanitizer's
 *     tables;
 * C3  it writes only to the fields marked below, and to nothing else of ours.
 */
#ifndef UV_UNIX_PROCESS_H_
#define UV_UNIX_PROCESS_H_

#include "os/process.h"

/* loop.c: a loop is created; a loop was copied by fork, where the children
 * belong to the parent. */
int uv__process_init_loop(uv_loop_t* loop);
void uv__process_fork(uv_loop_t* loop);

/* io.c: the poller reports the end of a child (it may be unknown, or still
 * exiting); the loop was woken. Both run callbacks and return how many. */
int uv__process_child_ended(uv_loop_t* loop, int pid);
int uv__process_run_ended(uv_loop_t* loop);

enum uv__close_result uv__process_close(uv_handle_t* handle);

/* A descriptor of the child; its number is the index. */
struct uv__child_fd {
  int fd;       /* the parent's fd to put there; -1: /dev/null if it is one of
                 * the standard three, else nothing. Written by the child. */
  int blocking; /* clear O_NONBLOCK: the program did not ask for it */
  int copy;     /* process-spawn.c: a duplicate of fd above all targets; 0 */
};

struct uv__child {
  struct uv__child_fd* fds;
  int fds_count;
  int report_fd; /* where a forked child reports its error; else -1 */
  /* Candidates for exec, in order, ending with NULL. */
  char** paths;
  char** argv;
  char** envp;
  const char* cwd; /* or NULL */
  unsigned flags;  /* UV_PROCESS_* */
  uv_uid_t uid;
  uv_gid_t gid;
  volatile int err; /* by vfork: errno, written by the child */
};

/* The parent's side of the stdio containers. */
struct uv__stdio_pipe {
  uv_stream_t* stream; /* to get the parent's end; NULL: no pipe here */
  unsigned flags;      /* UV__READABLE, UV__WRITABLE, as seen by the parent */
  int parent_fd;       /* -1 once the stream owns it */
  int child_fd;        /* closed after the launch */
};

struct uv__stdio {
  int count;
  struct uv__child_fd* fds;     /* `count` of them, for the child */
  struct uv__stdio_pipe* pipes; /* likewise */
};

/* process-stdio.c. Creates the pipes that the options ask for; on failure there
 * is nothing to close. */
int uv__stdio_init(struct uv__stdio* stdio,
                   const uv_process_options_t* options);
/* Attaches the parent ends to their streams. On failure those already opened
 * stay open. */
int uv__stdio_open_streams(struct uv__stdio* stdio);
/* Closes the descriptors that no stream owns. */
void uv__stdio_close(struct uv__stdio* stdio);

/* process-path.c. Fills paths, argv and envp. Returns their memory, which the
 * caller frees, or NULL. */
void* uv__child_find_program(struct uv__child* child,
                             const uv_process_options_t* options);

/* process-launch.c. Starts the child and waits until it executes its program: 0
 * and *pid, or UV_E* of the step that failed; then the child is reaped. */
int uv__child_launch(struct uv__child* child, int* pid);

/* process-spawn.c. The same with posix_spawn(), for children without another
 * user; *refused if that cannot be done, and nothing happened. */
int uv__child_launch_by_spawn(struct uv__child* child, int* pid, int* refused);

/* process-child.c. Does this error of exec mean that the next directory should
 * be tried? Context: any | child. */
int uv__child_is_search_error(int err);

/* process-child.c. Returns only on failure, with an errno.
 * Context: child, signals blocked. */
int uv__child_run(struct uv__child* child);

/* process-end.c. Before the launch: sets up what is needed to detect the end of
 * a child. 0 or UV_E*; uv__child_unwatch() undoes it. */
int uv__child_prepare(uv_loop_t* loop);
/* After the launch: watches the child process->pid; the loop will call exit_cb.
 * On failure the child is killed. */
int uv__child_watch(uv_process_t* process);
/* Has the program itself waited for the child, so that the pid may be
 * reused? */
int uv__child_is_lost(const uv_process_t* process);
/* Stops watching the child, if there is one. */
void uv__child_unwatch(uv_process_t* process);

#endif /* UV_UNIX_PROCESS_H_ */
