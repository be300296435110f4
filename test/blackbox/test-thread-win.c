/* SPDX-License-Identifier: MIT */
/* Thread identity on Windows: threads that others started, and fibers. Method:
 * system threads and fibers created here. */
#include "ignore.h"
#include "test.h"

static uv_thread_t seen[3];

static DWORD WINAPI ask_who(void* arg) {
  uv_thread_t self = uv_thread_self();

  (void) arg;
  ASSERT_NOT_NULL(self);
  return 0;
}

static void run_foreign_thread(void) {
  HANDLE thread = CreateThread(NULL, 0, ask_who, NULL, 0, NULL);

  ASSERT_NOT_NULL(thread);
  ASSERT_EQ(WAIT_OBJECT_0, WaitForSingleObject(thread, INFINITE));
  ASSERT(CloseHandle(thread));
}

TEST_IMPL(thread_self_of_foreign_threads_leaks_nothing) {
  run_foreign_thread();
  int before = test_open_handles();
  for (int i = 0; i < 50; i++)
    run_foreign_thread();
  ASSERT_LE(test_open_handles(), before + 2); /* the last one may still be
                                               * ending */
  return 0;
}

static void CALLBACK fiber_main(void* back_to) {
  seen[1] = uv_thread_self();
  SwitchToFiber(back_to);
}

TEST_IMPL(thread_self_is_the_same_in_every_fiber) {
  void* first = ConvertThreadToFiber(NULL);

  if (first == NULL)
    SKIP("no fibers");
  void* second = CreateFiber(0, fiber_main, first);
  ASSERT_NOT_NULL(second);
  seen[0] = uv_thread_self();
  SwitchToFiber(second);
  seen[2] = uv_thread_self();
  ASSERT(uv_thread_equal(&seen[0], &seen[1]));
  ASSERT(uv_thread_equal(&seen[0], &seen[2]));
  DeleteFiber(second);
  return 0;
}

static void note_self(void* arg) {
  (void) arg;
  seen[0] = uv_thread_self();
}

/* A process has few fiber slots; a program may have taken them all. */
TEST_IMPL(thread_self_needs_no_slot_for_fibers) {
  uv_thread_t thread;
  int taken = 0;

  while (taken < 10000 && FlsAlloc(NULL) != FLS_OUT_OF_INDEXES)
    taken++;
  ASSERT_LT(taken, 10000);
  ASSERT_OK(uv_thread_create(&thread, note_self, NULL));
  uv_thread_t copy = thread;
  ASSERT_OK(uv_thread_join(&thread));
  ASSERT(uv_thread_equal(&seen[0], &copy));
  return 0;
}

TEST_IMPL(thread_priority_after_join) {
  uv_thread_t thread;
  int priority;

  ASSERT_OK(uv_thread_create(&thread, ignore_thread, NULL));
  ASSERT_OK(uv_thread_join(&thread));
  ASSERT_ERR(UV_ESRCH, uv_thread_getpriority(thread, &priority));
  ASSERT_ERR(UV_ESRCH,
             uv_thread_setpriority(thread, UV_THREAD_PRIORITY_NORMAL));
  return 0;
}
