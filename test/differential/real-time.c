/* SPDX-License-Identifier: MIT */
/* Real time: the library runs on the system's own clock and poller. A thread
 * notices when the loop has been asleep for a while. */
#include "moment.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define LOOK_MS 3
#define QUIET_LOOKS 3

static pthread_t watcher;
static atomic_uint progress;
static atomic_int ending;
static void (*idle)(void);

static void* watch(void* arg) {
  struct timespec pause = { 0, LOOK_MS * 1000000 };
  unsigned before = 0;
  int quiet = 0;

  (void) arg;
  while (!atomic_load(&ending)) {
    nanosleep(&pause, NULL);
    unsigned now = atomic_load(&progress);
    quiet = now == before ? quiet + 1 : 0;
    before = now;
    if (quiet >= QUIET_LOOKS) {
      idle();
      quiet = 0;
    }
  }
  return NULL;
}

void moment_start(void (*on_idle)(void)) {
  idle = on_idle;
  if (pthread_create(&watcher, NULL, watch, NULL) != 0)
    idle = NULL;
}

void moment_stop(void) {
  atomic_store(&ending, 1);
  if (idle != NULL)
    pthread_join(watcher, NULL);
  idle = NULL;
}

void moment_progress(void) {
  atomic_fetch_add(&progress, 1);
}

void moment_pass(unsigned ms) {
  struct timespec pause = { 0, (long) (ms % 3) * 1000000 };

  nanosleep(&pause, NULL);
}

long long moment_since(unsigned long long now_ms) {
  (void) now_ms;
  return 0;
}

void moment_settle(void) {
  /* Racing with the pool is the point here. */
}

void moment_patience(int ms) {
  (void) ms;
}

int moment_is_virtual(void) {
  return 0;
}
