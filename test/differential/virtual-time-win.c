/* SPDX-License-Identifier: MIT */
/* Virtual time on Windows: both libraries read QueryPerformanceCounter() and
 * wait in GetQueuedCompletionStatusEx(), through pointers that the linker takes
 * from the import library unless a program defines them, as this one does.
 *
 * Other threads are known to sleep by /proc, under Wine: DIFFER_PID is this
 * process' number there. Without it, a few milliseconds have to suffice.
 */
#include "moment.h"
#include "world.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define NS_PER_MS 1000000u
#define TICKS_PER_MS 10000 /* the counter's frequency is 10 MHz */
/* As in virtual-time.c. */
#define WAKE_MS 2000
#define FOR_EVER_MS 100000000
#define QUIET_MAX_MS 2000
/* The system delivers completions by its own threads, always. */
#define PATIENCE_MIN_MS 3
#define SETTLE_MS 5

typedef BOOL(
    WINAPI* wait_fn)(HANDLE, OVERLAPPED_ENTRY*, ULONG, ULONG*, DWORD, BOOL);
typedef BOOL(WINAPI* counter_fn)(LARGE_INTEGER*);

static _Thread_local int is_loop_thread;
static uint64_t now_ns;
static uint64_t start_ns;
static uint64_t progress_ns; /* when something happened last */
static DWORD patience_ms = PATIENCE_MIN_MS;
static void (*idle)(void);

static FARPROC kernel32(const char* name) {
  FARPROC address = GetProcAddress(GetModuleHandleA("kernel32.dll"), name);

  if (address == NULL)
    abort();
  return address;
}

static uint64_t real_ticks(void) {
  static counter_fn counter;
  LARGE_INTEGER ticks;

  if (counter == NULL)
    counter = (counter_fn) (void*) kernel32("QueryPerformanceCounter");
  counter(&ticks);
  return (uint64_t) ticks.QuadPart;
}

static BOOL WINAPI timed_counter(LARGE_INTEGER* ticks) {
  uint64_t now = is_loop_thread ? now_ns / 100 : real_ticks();

  ticks->QuadPart = (LONGLONG) now;
  return TRUE;
}

static BOOL WINAPI timed_frequency(LARGE_INTEGER* frequency) {
  frequency->QuadPart = TICKS_PER_MS * 1000;
  return TRUE;
}

void moment_start(void (*on_idle)(void)) {
  /* On a whole second, so that rounding does not matter. */
  start_ns = (real_ticks() / (TICKS_PER_MS * 1000) + 1) * 1000 * NS_PER_MS;
  now_ns = start_ns;
  progress_ns = start_ns;
  idle = on_idle;
  is_loop_thread = 1;
}

void moment_stop(void) {
  idle = NULL;
}

void moment_progress(void) {
  progress_ns = now_ns;
}

void moment_pass(unsigned ms) {
  now_ns += (uint64_t) ms * NS_PER_MS;
  /* libuv reads the clock at other points of an iteration than it does on Unix
   * and than we do: keep both up to date. */
  uv_update_time(world_loop());
}

long long moment_since(unsigned long long now_ms) {
  return (long long) (now_ms - start_ns / NS_PER_MS);
}

void moment_patience(int ms) {
  patience_ms = (DWORD) ms < PATIENCE_MIN_MS ? PATIENCE_MIN_MS : (DWORD) ms;
}

int moment_is_virtual(void) {
  return 1;
}

/* --- other threads ------------------------------------------------------- */

static int thread_sleeps(const char* dir, const char* id) {
  char path[128];
  char stat[256];
  DWORD n = 0;

  snprintf(path, sizeof(path), "%s\\%.20s\\stat", dir, id);
  HANDLE file = CreateFileA(path, GENERIC_READ, FILE_SHARE_READ, NULL,
                            OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE)
    return 1; /* ended meanwhile */
  if (!ReadFile(file, stat, sizeof(stat) - 1, &n, NULL))
    n = 0;
  CloseHandle(file);
  stat[n] = '\0';
  const char* name_end = strrchr(stat, ')');
  return name_end == NULL || name_end[2] == 'S';
}

static int others_sleep(const char* pid) {
  char dir[64];
  char pattern[72];
  WIN32_FIND_DATAA entry;
  int all = 1;

  snprintf(dir, sizeof(dir), "Z:\\proc\\%.10s\\task", pid);
  snprintf(pattern, sizeof(pattern), "%s\\*", dir);
  HANDLE find = FindFirstFileA(pattern, &entry);
  if (find == INVALID_HANDLE_VALUE)
    return 1;
  do {
    if (entry.cFileName[0] != '.' && strcmp(entry.cFileName, pid) != 0)
      all = thread_sleeps(dir, entry.cFileName);
  } while (all && FindNextFileA(find, &entry));
  FindClose(find);
  return all;
}

void moment_settle(void) {
  const char* pid = getenv("DIFFER_PID");

  if (pid == NULL) {
    Sleep(SETTLE_MS);
    return;
  }
  /* A thread may be between two sleeps: check twice. */
  for (int quiet = 0; quiet < 2; quiet++)
    if (!others_sleep(pid)) {
      quiet = -1;
      Sleep(0);
    }
}

/* --- waiting ------------------------------------------------------------- */

static BOOL WINAPI timed_wait(HANDLE port,
                              OVERLAPPED_ENTRY* entries,
                              ULONG max,
                              ULONG* count,
                              DWORD timeout,
                              BOOL alertable) {
  static wait_fn wait;

  if (wait == NULL)
    wait = (wait_fn) (void*) kernel32("GetQueuedCompletionStatusEx");
  if (!is_loop_thread)
    return wait(port, entries, max, count, timeout, alertable);
  moment_settle();
  if (wait(port, entries, max, count, 0, alertable))
    return TRUE;
  if (timeout == 0)
    return FALSE;
  if (wait(port, entries, max, count, patience_ms, alertable))
    return TRUE;
  if (timeout != INFINITE && timeout < FOR_EVER_MS) {
    now_ns += (uint64_t) timeout * NS_PER_MS;
    if (now_ns - progress_ns < QUIET_MAX_MS * (uint64_t) NS_PER_MS) {
      SetLastError(WAIT_TIMEOUT);
      return FALSE;
    }
  }
  progress_ns = now_ns;
  if (idle != NULL)
    idle();
  return wait(port, entries, max, count, WAKE_MS, alertable);
}

/* What the libraries call. */
wait_fn __imp_GetQueuedCompletionStatusEx = timed_wait;
counter_fn __imp_QueryPerformanceCounter = timed_counter;
counter_fn __imp_QueryPerformanceFrequency = timed_frequency;
