/* SPDX-License-Identifier: MIT */
/* EVFILT_VNODE over inotify: the file behind an fd is watched through
 * /proc/self/fd. See shim.h.
 *
 * inotify has one watch per file, so the knotes of several fds share one. The
 * removal of a directory that is open is only seen in its parent.
 */
#include "shim.h"

#include <errno.h>
#include <limits.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SELF (IN_ATTRIB | IN_MODIFY | IN_MOVE_SELF | IN_DELETE_SELF)
#define ENTRIES (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)

static int open_inotify(struct shim_queue* queue) {
  struct epoll_event event;

  if (queue->inotify_fd != -1)
    return 0;
  int fd = shim_above_stdio(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (fd == -1)
    return errno;
  memset(&event, 0, sizeof(event));
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(queue->sets[SHIM_VNODE], EPOLL_CTL_ADD, fd, &event) != 0) {
    int err = errno;
    syscall(SYS_close, fd);
    return err;
  }
  queue->inotify_fd = fd;
  return 0;
}

static void update_stat(struct shim_knote* knote, unsigned* changes) {
  struct stat st;

  if (shim_stat((int) knote->want.ident, &st) != 0)
    return;
  int is_dir = S_ISDIR(st.st_mode);
  uint64_t nlink = (uint64_t) st.st_nlink;
  if (nlink != knote->nlink) {
    int is_removal = nlink == 0 || (!is_dir && nlink < knote->nlink);
    *changes |= is_removal ? NOTE_DELETE : NOTE_LINK; /* never both */
  }
  if (!is_dir && st.st_size > knote->size)
    *changes |= NOTE_EXTEND;
  knote->nlink = (uint64_t) st.st_nlink;
  knote->size = st.st_size;
}

/* The directory that `path` is in. */
static int watch_parent(struct shim_queue* queue, const char* link) {
  char path[PATH_MAX];
  ssize_t len = readlink(link, path, sizeof(path) - 4);

  if (len <= 1)
    return -1;
  memcpy(path + len, "/..", 4);
  return inotify_add_watch(queue->inotify_fd, path,
                           IN_DELETE | IN_MOVED_FROM | IN_MASK_ADD);
}

int shim_vnode_add(struct shim_queue* queue, struct shim_knote* knote) {
  char link[64];
  unsigned ignored = 0;
  struct stat st;

  int err = open_inotify(queue);
  if (err != 0)
    return err;
  snprintf(link, sizeof(link), "/proc/self/fd/%d", (int) knote->want.ident);
  knote->wd =
      inotify_add_watch(queue->inotify_fd, link, SELF | ENTRIES | IN_MASK_ADD);
  if (knote->wd == -1)
    return errno;
  update_stat(knote, &ignored);
  if (stat(link, &st) == 0 && S_ISDIR(st.st_mode))
    knote->parent_wd = watch_parent(queue, link);
  return 0;
}

static int is_used(struct shim_queue* queue,
                   const struct shim_knote* but,
                   int wd) {
  for (int i = 0; i < SHIM_BUCKETS; i++)
    for (struct shim_knote* knote = queue->buckets[i]; knote;
         knote = knote->next)
      if (knote != but && (knote->wd == wd || knote->parent_wd == wd))
        return 1;
  return 0;
}

void shim_vnode_remove(struct shim_queue* queue, struct shim_knote* knote) {
  if (knote->wd != -1 && !is_used(queue, knote, knote->wd))
    (void) inotify_rm_watch(queue->inotify_fd, knote->wd);
  if (knote->parent_wd != -1 && !is_used(queue, knote, knote->parent_wd))
    (void) inotify_rm_watch(queue->inotify_fd, knote->parent_wd);
}

/* "NOTE_DELETE: The unlink() system call was called" · "NOTE_WRITE: A write
 * occurred on the file" (for a directory, an entry came or went) ·
 * "NOTE_EXTEND" · "NOTE_ATTRIB" · "NOTE_LINK: The link count on the file
 * changed" · "NOTE_RENAME" */
static unsigned changes_of(struct shim_knote* knote,
                           unsigned mask,
                           int in_parent) {
  unsigned changes = 0;

  update_stat(knote, &changes);
  if (in_parent)
    return changes & NOTE_DELETE;
  if (mask & (IN_MODIFY | ENTRIES))
    changes |= NOTE_WRITE;
  if ((mask & IN_ATTRIB) && !(changes & (NOTE_LINK | NOTE_DELETE)))
    changes |= NOTE_ATTRIB;
  if (mask & IN_MOVE_SELF)
    changes |= NOTE_RENAME;
  if (mask & IN_UNMOUNT)
    changes |= NOTE_REVOKE;
  return changes;
}

/* filt_vfsvnode() of FreeBSD: "if (kn->kn_sfflags & hint) kn->kn_fflags |=
 * hint". A change counts if its flag was registered when it happened, whatever
 * is registered later; and an event that several flags describe comes with all
 * of them. */
static void record_changes(struct shim_knote* knote,
                           unsigned mask,
                           int in_parent) {
  unsigned changes = changes_of(knote, mask, in_parent);
  if (changes & knote->want.fflags)
    knote->seen |= changes;
}

static void see_all(struct shim_queue* queue, const struct inotify_event* e) {
  for (int i = 0; i < SHIM_BUCKETS; i++) {
    for (struct shim_knote* knote = queue->buckets[i]; knote;
         knote = knote->next) {
      if (knote->want.filter != EVFILT_VNODE)
        continue;
      if (knote->wd == e->wd)
        record_changes(knote, e->mask, 0);
      else if (knote->parent_wd == e->wd)
        record_changes(knote, e->mask, 1);
    }
  }
}

void shim_vnode_collect(struct shim_queue* queue) {
  alignas(struct inotify_event) char batch[8192];
  ssize_t size;

  if (queue->inotify_fd == -1)
    return;
  while ((size = read(queue->inotify_fd, batch, sizeof(batch))) > 0) {
    const char* at = batch;
    while (at < batch + size) {
      const struct inotify_event* event = (const void*) at;
      at += sizeof(*event) + event->len;
      see_all(queue, event);
    }
  }
}

int shim_vnode_event(struct shim_knote* knote, struct kevent* out) {
  *out = knote->want;
  out->fflags = knote->seen;
  out->data = 0;
  if (knote->want.flags & EV_CLEAR)
    knote->seen = 0;
  return 1;
}
