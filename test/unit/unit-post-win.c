/* SPDX-License-Identifier: MIT */
/* Packets that the completion port refuses at first for lack of memory: none of
 * them is lost, whoever posts it. */
#include "replace-win.h"

#include "win/signal.h"

#include <signal.h>

static uv_loop_t loop;
static uv_async_t async;
static int calls;

static LONG refusals; /* how many posts are refused; any thread */
static DWORD refusal_error = ERROR_NO_SYSTEM_RESOURCES;
static void (*on_refusal)(void);

static BOOL WINAPI answer_PostQueuedCompletionStatus(HANDLE port,
                                                     DWORD bytes,
                                                     ULONG_PTR key,
                                                     OVERLAPPED* overlapped) {
  if (InterlockedCompareExchange(&refusals, 0, 0) > 0) {
    InterlockedDecrement(&refusals);
    if (on_refusal != NULL)
      on_refusal();
    SetLastError(refusal_error);
    return FALSE;
  }
  return REAL("kernel32", PostQueuedCompletionStatus)(port, bytes, key,
                                                      overlapped);
}
REPLACE(PostQueuedCompletionStatus, 16);

static void on_async(uv_async_t* handle) {
  calls++;
  uv_close((uv_handle_t*) handle, NULL);
}

static void on_close(uv_handle_t* handle) {
  (void) handle;
  calls++;
}

UNIT_TEST(post_async_is_not_lost) {
  static const DWORD errors[] = { ERROR_NO_SYSTEM_RESOURCES,
                                  ERROR_NOT_ENOUGH_MEMORY,
                                  ERROR_NOT_ENOUGH_QUOTA };

  CHECK_EQ(0, uv_loop_init(&loop));
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(0, uv_async_init(&loop, &async, on_async));
    refusals = 3;
    refusal_error = errors[i];
    CHECK_EQ(0, uv_async_send(&async));
    CHECK_EQ(0, refusals);
    CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
    CHECK_EQ(i + 1, calls);
  }
  CHECK_EQ(0, uv_loop_close(&loop));
}

/* Other senders that come meanwhile rely on the packet. */
static void send_again(void) {
  CHECK_EQ(0, uv_async_send(&async));
}

UNIT_TEST(post_async_serves_the_senders_that_come_meanwhile) {
  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_async_init(&loop, &async, on_async));
  refusals = 2;
  on_refusal = send_again;
  (void) uv_async_send(&async);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(1, calls);
  CHECK_EQ(0, uv_loop_close(&loop));
}

/* Closing waits for the packet of a send that is not complete. */
static void close_once(void) {
  on_refusal = NULL;
  uv_close((uv_handle_t*) &async, on_close);
}

UNIT_TEST(post_async_is_waited_for_by_a_close) {
  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_async_init(&loop, &async, NULL));
  refusals = 2;
  on_refusal = close_once;
  (void) uv_async_send(&async);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT)); /* ends within the time limit */
  CHECK_EQ(1, calls);
  CHECK_EQ(0, uv_loop_close(&loop));
}

static uv_sem_t may_finish;

static void wait_for_loop(uv_work_t* req) {
  (void) req;
  uv_sem_wait(&may_finish);
}

static void on_work(uv_work_t* req, int status) {
  (void) req;
  CHECK_EQ(0, status);
  calls++;
}

/* Nobody could be told that a wake-up failed. */
UNIT_TEST(post_wake_of_finished_work_is_not_lost) {
  uv_work_t req;

  CHECK_EQ(0, uv_sem_init(&may_finish, 0));
  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_queue_work(&loop, &req, wait_for_loop, on_work));
  /* Outside uv_run(), every wake-up is a packet. */
  refusals = 3;
  uv_sem_post(&may_finish);
  while (InterlockedCompareExchange(&refusals, 0, 0) > 0)
    uv_sleep(1);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(1, calls);
  CHECK_EQ(0, uv_loop_close(&loop));
}

static void on_signal(uv_signal_t* handle, int signum) {
  CHECK_EQ(SIGINT, signum);
  calls++;
  uv_close((uv_handle_t*) handle, NULL);
}

UNIT_TEST(post_signal_is_not_lost) {
  uv_signal_t handle;

  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_signal_init(&loop, &handle));
  CHECK_EQ(0, uv_signal_start(&handle, on_signal, SIGINT));
  refusals = 3;
  CHECK_EQ(1, uv__signal_deliver(SIGINT));
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(1, calls);
  CHECK_EQ(0, uv_loop_close(&loop));
}

static void on_exit_close(uv_process_t* process, int64_t status, int signum) {
  CHECK_EQ(0, status);
  CHECK_EQ(0, signum);
  calls++;
  uv_close((uv_handle_t*) process, NULL);
}

/* Posted by a thread of the system, as everything else that waits. */
UNIT_TEST(post_end_of_a_process_is_not_lost) {
  uv_process_t process;
  uv_process_options_t options = { 0 };
  char file[1024];
  size_t size = sizeof(file);
  char* args[] = { file, (char*) "--list", NULL };

  CHECK_EQ(0, uv_exepath(file, &size));
  options.file = file;
  options.args = args;
  options.exit_cb = on_exit_close;
  CHECK_EQ(0, uv_loop_init(&loop));
  refusals = 3;
  CHECK_EQ(0, uv_spawn(&loop, &process, &options));
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(0, refusals);
  CHECK_EQ(1, calls);
  CHECK_EQ(0, uv_loop_close(&loop));
}
