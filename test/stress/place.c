/* SPDX-License-Identifier: MIT */
/* Clients and workers that share one processor, with real-time priority, beside
 * programs that use all processors, and workers that block for long. */
#include "stress.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Submitters on the first processor; the workers anywhere. */
static void pinned_clients(void) {
  struct client clients[4] = { { 0 } };

  for (int i = 0; i < 4; i++)
    clients[i].is_pinned = 1;
  stress_clients(clients, 4);
}

/* The whole process on one processor, although the library counted them all
 * when the first loop was made. */
static void pinned_late(void) {
  struct client clients[2] = { { 0 } };
  uv_loop_t loop;

  CHECK(uv_loop_init(&loop) == 0);
  CHECK(uv_loop_close(&loop) == 0);
  CHECK(stress_pin(0));
  stress_clients(clients, 2);
}

/* Before the library looks. */
static void pinned_early(void) {
  struct client clients[2] = { { 0 } };

  CHECK(stress_pin(0));
  stress_clients(clients, 2);
}

/* A loop that the kernel never preempts for a worker. The workers were started
 * before, and have the usual priority. */
static void realtime_client(void) {
  struct client clients[2] = { { 0 } };

  CHECK(stress_pin(0));
  clients[0].is_realtime = 1;
  stress_clients(clients, 2);
}

/* ------------------------------------------------------------------------- */

static void run_hog(void) {
  for (;;)
    continue;
}

static pid_t start_hog(void) {
  pid_t pid = fork();

  CHECK(pid != -1);
  if (pid == 0) {
    alarm(120); /* should this process be killed */
    run_hog();
  }
  return pid;
}

static void beside_hogs(void) {
  struct client clients[3] = { { 0 } };
  pid_t hogs[2] = { start_hog(), start_hog() };

  stress_clients(clients, 3);
  for (int i = 0; i < 2; i++) {
    CHECK(kill(hogs[i], SIGKILL) == 0);
    CHECK(waitpid(hogs[i], NULL, 0) == hogs[i]);
  }
}

/* ------------------------------------------------------------------------- */

/* All workers but one wait for a pipe; the others' requests go on. */
static int pipe_fds[2];

static void after_read(uv_fs_t* req) {
  CHECK(req->result == 1);
  uv_fs_req_cleanup(req);
  stress_progress();
}

static void run_blockers(void* arg) {
  unsigned count = stress_size() - 1;
  uv_fs_t reqs[16];
  char bytes[16];
  uv_loop_t loop;

  (void) arg;
  if (count > 16)
    count = 16;
  CHECK(uv_loop_init(&loop) == 0);
  while (stress_goes_on()) {
    for (unsigned i = 0; i < count; i++) {
      uv_buf_t buf = uv_buf_init(&bytes[i], 1);
      CHECK(uv_fs_read(&loop, &reqs[i], pipe_fds[0], &buf, 1, -1, after_read) ==
            0);
    }
    usleep(20000);
    for (unsigned i = 0; i < count; i++)
      CHECK(write(pipe_fds[1], "x", 1) == 1);
    CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  }
  CHECK(uv_loop_close(&loop) == 0);
}

static void blocked_workers(void) {
  struct client clients[2] = { { 0 } };
  uv_thread_t blocker;

  CHECK(pipe(pipe_fds) == 0);
  CHECK(uv_thread_create(&blocker, run_blockers, NULL) == 0);
  stress_clients(clients, 2);
  CHECK(uv_thread_join(&blocker) == 0);
}

/* ------------------------------------------------------------------------- */

/* Signals that interrupt every wait, and one that a loop watches (and that does
 * nothing while none does). */
static void on_signal(int signum) {
  (void) signum;
}

static int signals_over; /* atomic */

static void send_signals(void* arg) {
  unsigned seed = stress_seed();

  (void) arg;
  while (!__atomic_load_n(&signals_over, __ATOMIC_RELAXED)) {
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGURG);
    usleep(stress_random(&seed, 200));
  }
}

static void on_uv_signal(uv_signal_t* handle, int signum) {
  (void) handle;
  (void) signum;
  stress_progress();
}

static void run_signal_loop(void* arg) {
  uv_loop_t loop;
  uv_signal_t handle;

  (void) arg;
  while (stress_goes_on()) {
    CHECK(uv_loop_init(&loop) == 0);
    CHECK(uv_signal_init(&loop, &handle) == 0);
    CHECK(uv_signal_start(&handle, on_uv_signal, SIGURG) == 0);
    for (int i = 0; i < 20; i++)
      uv_run(&loop, UV_RUN_ONCE);
    uv_close((uv_handle_t*) &handle, NULL);
    CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
    CHECK(uv_loop_close(&loop) == 0);
  }
}

static void interrupted_waits(void) {
  struct client clients[2] = { { 0 } };
  struct sigaction action;
  uv_thread_t sender;
  uv_thread_t watcher;

  memset(&action, 0, sizeof(action));
  action.sa_handler = on_signal; /* and no SA_RESTART */
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  CHECK(uv_thread_create(&watcher, run_signal_loop, NULL) == 0);
  CHECK(uv_thread_create(&sender, send_signals, NULL) == 0);
  stress_clients(clients, 2);
  CHECK(uv_thread_join(&watcher) == 0);
  __atomic_store_n(&signals_over, 1, __ATOMIC_RELAXED);
  CHECK(uv_thread_join(&sender) == 0);
}

const struct scenario place_scenarios[] = {
  { "pinned-clients", pinned_clients, 0 },
  { "pinned-late", pinned_late, 0 },
  { "pinned-early", pinned_early, 0 },
  { "realtime-client", realtime_client, 0 },
  { "beside-hogs", beside_hogs, 0 },
  { "blocked-workers", blocked_workers, 0 },
  { "interrupted-waits", interrupted_waits, 0 },
  { NULL, NULL, 0 },
};
