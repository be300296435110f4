/* SPDX-License-Identifier: MIT */
/* Process handles, and how uv_spawn() makes a child: what process.c and the
 * process-*.c files share, and what the loop asks of them.
 *
 * The child runs in the memory of the parent until it has called exec, while
 * the calling thread is suspended (vfork). Therefore
 * C1  everything it needs is prepared by the parent;
 * C2  it calls nothing of the C library that has state: no malloc, no stdio,
 *     and no wrapper that acts on all threads (setuid) or on a sanitizer's
 *     tables;
 * C3  it writes to the fields named so below, and to nothing else of ours.
 */
#ifndef UV_UNIX_PROCESS_H_
#define UV_UNIX_PROCESS_H_

#include "os/process.h"

/* loop.c: a loop is made; is the child's copy after fork, where the parent's
 * children are nobody's to wait for. */
int uv__process_init_loop(uv_loop_t* loop);
void uv__process_fork(uv_loop_t* loop);

/* io.c: the poller reports the end of a child (it may be nobody's, or not
 * quite over); the loop was woken. Both run callbacks and return how many. */
int uv__process_child_ended(uv_loop_t* loop, int pid);
int uv__process_run_ended(uv_loop_t* loop);

enum uv__close_answer uv__process_close(uv_handle_t* handle);

/* A descriptor of the child: its number is its index. */
struct uv__child_fd {
  int fd;       /* the parent's fd to put there; -1: /dev/null if it is one of
                 * the standard three, else nothing. Written by the child. */
  int blocking; /* clear O_NONBLOCK: the program did not ask for it */
  int copy;     /* process-spawn.c: a duplicate of fd above all targets; 0 */
};

struct uv__child {
  struct uv__child_fd* fds;
  int fds_count;
  /* What to execute: the first of these that can be, NULL ends the list. */
  char** paths;
  char** argv;
  /* "/bin/sh", one place for a path, argv[1]...: for a script without "#!".
   * The place is written by the child. */
  char** shell_argv;
  char** envp;
  const char* cwd; /* or NULL */
  unsigned flags;  /* UV_PROCESS_* */
  uv_uid_t uid;
  uv_gid_t gid;
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

/* process-stdio.c. Makes the pipes that the options ask for; on failure there
 * is nothing to close. */
int uv__stdio_init(struct uv__stdio* stdio,
                   const uv_process_options_t* options);
/* Gives the streams their end. What is open stays so on failure. */
int uv__stdio_open_streams(struct uv__stdio* stdio);
/* Closes what is not a stream's by now. */
void uv__stdio_close(struct uv__stdio* stdio);

/* process-path.c. Fills paths, argv, shell_argv and envp; returns the memory
 * they are in, to be freed by the caller, or NULL. */
void* uv__child_find_program(struct uv__child* child,
                             const uv_process_options_t* options);

/* process-launch.c. Starts the child and waits until it executes its program:
 * 0 and *pid, or UV_E* of whatever step failed, with the child gone. */
int uv__child_launch(struct uv__child* child, int* pid);

/* process-spawn.c. The same by posix_spawn(), for who keeps his user; *refused
 * if it cannot be done that way, and nothing happened. */
int uv__child_launch_by_spawn(struct uv__child* child, int* pid, int* refused);

/* process-child.c. Does this error of exec say "look in the next directory"?
 * Context: any | child. */
int uv__child_is_elsewhere(int err);

/* process-child.c. Returns only on failure, with an errno.
 * Context: child, signals blocked. */
int uv__child_run(struct uv__child* child);

/* process-end.c. Before the launch: what must be in place so that no end is
 * missed. 0 or UV_E*; uv__child_leave() takes it back. */
int uv__child_prepare(uv_loop_t* loop);
/* After it: process->pid is a child; from now on its end is told to exit_cb, by
 * the loop. On failure it is gone. */
int uv__child_follow(uv_process_t* process);
/* Has the program waited for the child itself, so that the pid may be somebody
 * else's? */
int uv__child_is_lost(const uv_process_t* process);
/* The handle wants to hear of no end. Also without a child. */
void uv__child_leave(uv_process_t* process);

#endif /* UV_UNIX_PROCESS_H_ */
