/* SPDX-License-Identifier: MIT */
/* kqueue(2) for Linux, for tests only: the interface of FreeBSD's man page, as
 * far as the filters of shim.h go. Values are our own. */
#ifndef KQUEUE_SHIM_SYS_EVENT_H_
#define KQUEUE_SHIM_SYS_EVENT_H_

#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kevent {
  uintptr_t ident;
  short filter;
  unsigned short flags;
  unsigned int fflags;
  int64_t data;
  void* udata;
};

#define EVFILT_READ (-1)
#define EVFILT_WRITE (-2)
#define EVFILT_VNODE (-4)
#define EVFILT_PROC (-5)
#define EVFILT_TIMER (-7)
#define EVFILT_USER (-10)
#define EVFILT_EXCEPT (-15)

/* Actions. */
#define EV_ADD 0x0001
#define EV_DELETE 0x0002
#define EV_ENABLE 0x0004
#define EV_DISABLE 0x0008
/* How it is reported. */
#define EV_ONESHOT 0x0010
#define EV_CLEAR 0x0020
#define EV_RECEIPT 0x0040
#define EV_DISPATCH 0x0080
/* Returned. */
#define EV_ERROR 0x4000
#define EV_EOF 0x8000

/* EVFILT_READ, EVFILT_EXCEPT */
#define NOTE_LOWAT 0x0001
#define NOTE_OOB 0x0002

/* EVFILT_VNODE */
#define NOTE_DELETE 0x0001
#define NOTE_WRITE 0x0002
#define NOTE_EXTEND 0x0004
#define NOTE_ATTRIB 0x0008
#define NOTE_LINK 0x0010
#define NOTE_RENAME 0x0020
#define NOTE_REVOKE 0x0040

/* EVFILT_PROC */
#define NOTE_EXIT 0x80000000u
#define NOTE_EXITSTATUS 0x04000000u /* macOS */

/* EVFILT_TIMER; without one of them, milliseconds */
#define NOTE_SECONDS 0x0001
#define NOTE_MSECONDS 0x0002
#define NOTE_USECONDS 0x0004
#define NOTE_NSECONDS 0x0008

/* EVFILT_USER: what to do with the stored flags, and the trigger */
#define NOTE_FFNOP 0x00000000u
#define NOTE_FFAND 0x40000000u
#define NOTE_FFOR 0x80000000u
#define NOTE_FFCOPY 0xc0000000u
#define NOTE_FFCTRLMASK 0xc0000000u
#define NOTE_FFLAGSMASK 0x00ffffffu
#define NOTE_TRIGGER 0x01000000u

#define EV_SET(kev, a, b, c, d, e, f)                                          \
 do {                                                                          \
  struct kevent* kev_ = (kev);                                                 \
  kev_->ident = (uintptr_t) (a);                                               \
  kev_->filter = (short) (b);                                                  \
  kev_->flags = (unsigned short) (c);                                          \
  kev_->fflags = (unsigned int) (d);                                           \
  kev_->data = (int64_t) (e);                                                  \
  kev_->udata = (void*) (f);                                                   \
 } while (0)

int kqueue(void);
int kevent(int kq,
           const struct kevent* changelist,
           int nchanges,
           struct kevent* eventlist,
           int nevents,
           const struct timespec* timeout);

#ifdef __cplusplus
}
#endif

#endif /* KQUEUE_SHIM_SYS_EVENT_H_ */
