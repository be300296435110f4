/* SPDX-License-Identifier: MIT */
/* select(2) on a thread; see select-thread.h.
 *
 *   thread: select on the armed fds -> mark and disarm the ready ones -> wake
 *   loop: collect -> callbacks -> arm again before the next wait
 *
 * The lock protects the whole structure. The thread releases it while in
 * select(); every change increments `version` and interrupts the select()
 * through a pipe, and a result for an older version is discarded. A forked
 * child has no thread and may find the lock held: it can still remove devices,
 * and abandons the rest.
 */
#include "unix/poller/select-thread.h"
#include "loop/loop.h"
#include "unix/fd.h"
#include "unix/sock.h"
#include "util/alloc.h"
#include "util/fork-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>

/* Urgent data stays exceptional until all data before it is read. If the urgent
 * byte itself was read, its fd is put on hold: select() leaves it out, and the
 * thread looks again after this time, without waking the loop. */
#define HOLD_MS 20

struct device {
  int fd;
  unsigned want;  /* POLLIN | POLLOUT | POLLPRI */
  unsigned ready; /* subset of `want`, to be collected */
  int armed;      /* the thread selects on it */
  int on_hold;    /* but not for POLLPRI, until the hold ends */
};

struct uv__selector {
  uv_loop_t* loop;
  uv_thread_t thread;
  struct uv__fork_lock lock;
  unsigned version; /* of what is armed */
  int ending;
  int pipe[2]; /* ends a select */
  struct device* devices;
  unsigned count;
  unsigned room;
  uint64_t hold_end; /* of all that are on hold, uv_hrtime(); 0: none is */
};

struct select_request {
  unsigned version;
  struct timeval timeout; /* until the hold ends */
  int max_fd;
  fd_set in;
  fd_set out;
  fd_set oob;
};

/* Makes the thread select again. The lock is held. */
static void selector_changed(struct uv__selector* s) {
  static const char byte = 0;
  s->version++;
  (void) uv__fd_write(s->pipe[1], &byte, 1); /* full: wakes it anyway */
}

static void hold_begin(struct uv__selector* s, struct device* device) {
  device->on_hold = 1;
  if (s->hold_end == 0)
    s->hold_end = uv_hrtime() + HOLD_MS * 1000000;
}

/* Ends the hold when its time has come; returns microseconds until then. */
static int64_t hold_update(struct uv__selector* s) {
  uint64_t now = s->hold_end == 0 ? 0 : uv_hrtime();

  if (now < s->hold_end)
    return (int64_t) ((s->hold_end - now) / 1000 + 1);
  for (unsigned i = 0; s->hold_end != 0 && i < s->count; i++)
    s->devices[i].on_hold = 0;
  s->hold_end = 0;
  return 0;
}

static void request_fill(struct uv__selector* s, struct select_request* q) {
  q->timeout.tv_sec = 0;
  q->timeout.tv_usec = (suseconds_t) hold_update(s);
  FD_ZERO(&q->in);
  FD_ZERO(&q->out);
  FD_ZERO(&q->oob);
  FD_SET(s->pipe[0], &q->in);
  q->max_fd = s->pipe[0];
  q->version = s->version;
  for (unsigned i = 0; i < s->count; i++) {
    const struct device* device = &s->devices[i];
    if (!device->armed)
      continue;
    if (device->want & POLLIN)
      FD_SET(device->fd, &q->in);
    if (device->want & POLLOUT)
      FD_SET(device->fd, &q->out);
    if ((device->want & POLLPRI) && !device->on_hold)
      FD_SET(device->fd, &q->oob);
    if (device->fd > q->max_fd)
      q->max_fd = device->fd;
  }
}

/* Marks the fds that are ready; returns whether there are any. */
static int devices_mark(struct uv__selector* s,
                        const struct select_request* q) {
  int found = 0;

  if (q->version != s->version)
    return 0;
  for (unsigned i = 0; i < s->count; i++) {
    struct device* device = &s->devices[i];
    unsigned ready = 0;
    if (!device->armed)
      continue;
    if ((device->want & POLLIN) && FD_ISSET(device->fd, &q->in))
      ready |= POLLIN;
    if ((device->want & POLLOUT) && FD_ISSET(device->fd, &q->out))
      ready |= POLLOUT;
    if ((device->want & POLLPRI) && FD_ISSET(device->fd, &q->oob)) {
      if (uv__sock_has_urgent(device->fd))
        ready |= POLLPRI;
      else
        hold_begin(s, device);
    }
    if (ready == 0)
      continue;
    device->ready = ready;
    device->armed = 0;
    found = 1;
  }
  return found;
}

/* An armed fd was closed. Reports all as ready; the owner gets the error when
 * it reads. */
static int devices_mark_all(struct uv__selector* s) {
  int found = 0;

  for (unsigned i = 0; i < s->count; i++) {
    struct device* device = &s->devices[i];
    if (!device->armed)
      continue;
    device->ready = device->want;
    device->armed = 0;
    found = 1;
  }
  return found;
}

static void pipe_drain(int fd) {
  char sink[64];
  while (uv__fd_read(fd, sink, sizeof(sink)) == (ssize_t) sizeof(sink))
    continue;
}

/* Context: the helper thread. */
static void selector_main(void* arg) {
  struct uv__selector* s = arg;
  struct select_request q;

  (void) uv__fork_lock(&s->lock);
  while (!s->ending) {
    request_fill(s, &q);
    uv__fork_unlock(&s->lock);
    int n = select(q.max_fd + 1, &q.in, &q.out, &q.oob,
                   q.timeout.tv_usec == 0 ? NULL : &q.timeout);
    int err = n == -1 ? errno : 0;
    if (n > 0 && FD_ISSET(s->pipe[0], &q.in))
      pipe_drain(s->pipe[0]);

    (void) uv__fork_lock(&s->lock);
    int found = 0;
    if (n > 0)
      found = devices_mark(s, &q);
    else if (err == EBADF && q.version == s->version)
      found = devices_mark_all(s);
    if (found)
      (void) uv__wake_poller(s->loop); /* no way to report a failure */
  }
  uv__fork_unlock(&s->lock);
}

static int selector_new(uv_loop_t* loop, struct uv__selector** out) {
  struct uv__selector* s = uv__calloc(1, sizeof(*s));
  int err;

  if (s == NULL)
    return UV_ENOMEM;
  s->loop = loop;
  err = uv__fd_pipe_above_stdio(s->pipe, O_CLOEXEC | O_NONBLOCK);
  if (err != 0)
    goto err_free;
  err = UV_EMFILE;
  if (s->pipe[0] < FD_SETSIZE)
    err = uv_thread_create(&s->thread, selector_main, s);
  if (err != 0)
    goto err_close_pipe;
  *out = s;
  return 0;

err_close_pipe:
  uv__fd_close(s->pipe[0]);
  uv__fd_close(s->pipe[1]);
err_free:
  uv__free(s);
  return err;
}

static struct device* device_find(struct uv__selector* s, int fd) {
  for (unsigned i = 0; i < s->count; i++)
    if (s->devices[i].fd == fd)
      return &s->devices[i];
  return NULL;
}

static struct device* device_add(struct uv__selector* s, int fd) {
  if (s->count == s->room) {
    unsigned room = s->room == 0 ? 4 : s->room * 2;
    void* grown = uv__realloc_array(s->devices, room, sizeof(*s->devices));
    if (grown == NULL)
      return NULL;
    s->devices = grown;
    s->room = room;
  }
  struct device* device = &s->devices[s->count++];
  device->fd = fd;
  return device;
}

int uv__select_watch(struct uv__selector** selector,
                     uv_loop_t* loop,
                     int fd,
                     unsigned want) {
  if (!UV__HAVE_SELECT_THREAD)
    return UV_ENOTSUP;
  if (fd >= FD_SETSIZE)
    return UV_EMFILE;
  if (*selector == NULL) {
    int err = selector_new(loop, selector);
    if (err != 0)
      return err;
  }

  struct uv__selector* s = *selector;
  (void) uv__fork_lock(&s->lock);
  struct device* device = device_find(s, fd);
  if (device == NULL)
    device = device_add(s, fd);
  if (device != NULL) {
    device->want = want & (POLLIN | POLLOUT | POLLPRI);
    device->ready = 0;
    device->on_hold = 0;
    device->armed = device->want != 0;
    selector_changed(s);
  }
  uv__fork_unlock(&s->lock);
  return device == NULL ? UV_ENOMEM : 0;
}

void uv__select_forget(struct uv__selector* s, int fd) {
  if (s == NULL)
    return;
  (void) uv__fork_lock(&s->lock);
  struct device* device = device_find(s, fd);
  if (device != NULL) {
    *device = s->devices[--s->count];
    selector_changed(s);
  }
  uv__fork_unlock(&s->lock);
}

int uv__select_arm(struct uv__selector* s) {
  int found = 0;
  int waiting = 0;

  if (s == NULL)
    return 0;
  (void) uv__fork_lock(&s->lock);
  for (unsigned i = 0; i < s->count; i++) {
    struct device* device = &s->devices[i];
    waiting |= device->ready != 0;
    if (device->armed || device->ready != 0 || device->want == 0)
      continue;
    device->armed = 1;
    found = 1;
  }
  if (found)
    selector_changed(s);
  uv__fork_unlock(&s->lock);
  return waiting;
}

int uv__select_collect(struct uv__selector* s, unsigned* bits) {
  int fd = -1;

  if (s == NULL)
    return -1;
  (void) uv__fork_lock(&s->lock);
  for (unsigned i = 0; i < s->count && fd == -1; i++) {
    if (s->devices[i].ready == 0)
      continue;
    fd = s->devices[i].fd;
    *bits = s->devices[i].ready;
    s->devices[i].ready = 0;
  }
  uv__fork_unlock(&s->lock);
  return fd;
}

static void selector_free(struct uv__selector* s) {
  uv__fd_close(s->pipe[0]);
  uv__fd_close(s->pipe[1]);
  uv__free(s->devices);
  uv__free(s);
}

void uv__select_close(struct uv__selector* s) {
  if (s == NULL)
    return;
  (void) uv__fork_lock(&s->lock);
  s->ending = 1;
  selector_changed(s);
  uv__fork_unlock(&s->lock);
  uv_thread_join(&s->thread);
  selector_free(s);
}

void uv__select_abandon(struct uv__selector* s) {
  if (s != NULL)
    selector_free(s);
}
