/* SPDX-License-Identifier: MIT */
/* Wakes all loops when the machine resumes from sleep.
 *
 * Since Windows 8 the timeout of a completion port does not count time that the
 * machine is asleep, but the clock of uv_hrtime() does: a loop that waits for a
 * timer would be late by the length of the sleep. Not needed on Wine.
 *
 *   https://learn.microsoft.com/windows/win32/api/ioapiset/
 *   nf-ioapiset-getqueuedcompletionstatus
 *   https://learn.microsoft.com/windows/win32/api/powerbase/
 *   nf-powerbase-powerregistersuspendresumenotification
 *
 * Registered only while loops exist: the callback must not outlive the library
 * if it is unloaded.
 */
#include "win/resume.h"
#include "win/winapi.h"

#define NOTIFY_CALLBACK 2u /* DEVICE_NOTIFY_CALLBACK */

static SRWLOCK lock = SRWLOCK_INIT;                 /* guards the following */
static struct uv__queue loops = { &loops, &loops }; /* of uv__loop_os.resume */
static void* registration;                          /* NULL: not registered */

void uv__resume_wake_all(void) {
  AcquireSRWLockShared(&lock);
  for (struct uv__queue* q = loops.next; q != &loops; q = q->next) {
    struct uv__loop_os* os = uv__queue_entry(q, struct uv__loop_os, resume);
    (void) os->base.poller->wake(os->loop); /* cannot fail on Windows */
  }
  ReleaseSRWLockShared(&lock);
}

/* Context: system thread. */
static ULONG CALLBACK on_power_event(void* context, ULONG type, void* setting) {
  (void) context;
  (void) setting;
  if (type == PBT_APMRESUMESUSPEND || type == PBT_APMRESUMEAUTOMATIC)
    uv__resume_wake_all();
  return 0;
}

static void* resume_subscribe(void) {
  static const struct uv__power_subscription subscription = { on_power_event,
                                                              NULL };
  void* made = NULL;

  if (uv__winapi()->PowerRegisterSuspendResumeNotification == NULL ||
      uv__winapi()->PowerUnregisterSuspendResumeNotification == NULL)
    return NULL;
  if (uv__winapi()->PowerRegisterSuspendResumeNotification(
          NOTIFY_CALLBACK, (HANDLE) &subscription, &made) != 0)
    return NULL;
  return made;
}

void uv__resume_add(uv_loop_t* loop) {
  struct uv__loop_os* os = uv__loop_os(loop);

  os->loop = loop;
  AcquireSRWLockExclusive(&lock);
  int is_first = uv__queue_empty(&loops);
  uv__queue_push_back(&loops, &os->resume);
  if (is_first)
    registration = resume_subscribe();
  ReleaseSRWLockExclusive(&lock);
}

void uv__resume_remove(uv_loop_t* loop) {
  void* over = NULL;

  AcquireSRWLockExclusive(&lock);
  uv__queue_remove(&uv__loop_os(loop)->resume);
  if (uv__queue_empty(&loops)) {
    over = registration;
    registration = NULL;
  }
  ReleaseSRWLockExclusive(&lock);
  /* Without the lock, which a running callback may need. */
  if (over != NULL)
    uv__winapi()->PowerUnregisterSuspendResumeNotification(over);
}
