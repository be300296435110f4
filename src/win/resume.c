/* SPDX-License-Identifier: MIT */
/* Since Windows 8 the time-out of a completion port leaves out the time that
 * the machine spends asleep, but the clock of uv_hrtime() counts it: a loop
 * that waits for a timer would be late by as long as the machine slept. So the
 * system is asked to tell when it resumes, and every loop is woken. (Wine has
 * no sleep to resume from.)
 *
 *   https://learn.microsoft.com/windows/win32/api/ioapiset/
 *   nf-ioapiset-getqueuedcompletionstatus
 *   https://learn.microsoft.com/windows/win32/api/powerbase/
 *   nf-powerbase-powerregistersuspendresumenotification
 *
 * It is asked for while there are loops, and no longer: the callback must not
 * outlive the library when that is unloaded.
 */
#include "win/resume.h"
#include "win/winapi.h"

#define NOTIFY_CALLBACK 2u /* DEVICE_NOTIFY_CALLBACK */

static SRWLOCK lock = SRWLOCK_INIT; /* of what follows */
static struct uv__queue loops = { &loops, &loops }; /* of uv__loop_os.resume */
static void* registration; /* NULL: nobody will tell us */

void uv__resume_wake_all(void) {
  AcquireSRWLockShared(&lock);
  for (struct uv__queue* q = loops.next; q != &loops; q = q->next) {
    struct uv__loop_os* os = uv__queue_entry(q, struct uv__loop_os, resume);
    /* Fails only if the port cannot hold one more packet: it is awake then. */
    (void) os->base.poller->wake(os->loop);
  }
  ReleaseSRWLockShared(&lock);
}

/* Context: a thread of the system's. */
static ULONG CALLBACK on_power_event(void* context, ULONG type, void* setting) {
  (void) context;
  (void) setting;
  if (type == PBT_APMRESUMESUSPEND || type == PBT_APMRESUMEAUTOMATIC)
    uv__resume_wake_all();
  return 0;
}

static void* subscribe(void) {
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
    registration = subscribe();
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
  /* Without the lock, which a callback that is running may want. */
  if (over != NULL)
    uv__winapi()->PowerUnregisterSuspendResumeNotification(over);
}
