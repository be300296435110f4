/* SPDX-License-Identifier: MIT */
/* Interest, changes and answers of kqueue; see kqueue/interest.h.
 *
 * A changed fd is in the queue of changes once, however often it changes; what
 * the kernel is told follows from its entry when the wait begins. So nothing
 * can fail for want of memory once an fd has its entry.
 */
#include "unix/kqueue/interest.h"
#include "alloc.h"
#include "unix/io.h"

#include <errno.h>
#include <string.h>

#define MIN_ENTRIES 64u

/* What one filter is asked for, and by which interest. */
static const struct filter {
  __typeof__(((struct kevent*) NULL)->filter) filter;
  unsigned fflags;
  unsigned interest;
  int optional; /* not having it is no error */
} filters[] = {
  { EVFILT_READ, 0, POLLIN | POLLRDHUP, 0 },
  { EVFILT_WRITE, 0, POLLOUT, 0 },
#if defined(EVFILT_EXCEPT) && defined(NOTE_OOB)
  { EVFILT_EXCEPT, NOTE_OOB, POLLPRI, 1 },
#endif
};

/* Set on a filter of conditions: macOS reports data and its end, too, if there
 * are none (uipc_socket.c; the man page has the end). */
static int is_exceptional(const struct filter* filter) {
  return filter->fflags != 0;
}

#define FILTERS (sizeof(filters) / sizeof(filters[0]))
#define CHANGES (2 * FILTERS) /* of one fd: each may be removed first */

int uv__kqset_reserve(struct uv__kqset* set, unsigned fd) {
  if (fd < set->size)
    return 0;

  unsigned size = set->size == 0 ? MIN_ENTRIES : set->size;
  while (size <= fd)
    size *= 2;
  int* changed = uv__realloc_array(set->changed, size, sizeof(*changed));
  if (changed == NULL)
    return UV_ENOMEM;
  set->changed = changed;
  struct uv__kqset_entry* entries =
      uv__realloc_array(set->entries, size, sizeof(*entries));
  if (entries == NULL)
    return UV_ENOMEM;
  memset(entries + set->size, 0, (size - set->size) * sizeof(*entries));
  set->entries = entries;
  set->size = size;
  return 0;
}

struct uv__kqset_entry* uv__kqset_find(const struct uv__kqset* set,
                                       uintptr_t fd) {
  return fd < set->size ? &set->entries[fd] : NULL;
}

void uv__kqset_note_change(struct uv__kqset* set, int fd) {
  struct uv__kqset_entry* entry = &set->entries[fd];

  if (!entry->changed)
    set->changed[set->changed_count++] = fd;
  entry->changed = 1;
}

/* Interest in nothing but the end of data, or urgent data, must not wake us for
 * data: then the filter reports changes only, and is told again after each
 * event that we report (must_tell_again). */
static unsigned add_flags(const struct filter* filter, unsigned want) {
  unsigned asked = want & filter->interest;
  int changes_only = asked == POLLRDHUP || is_exceptional(filter);
  return changes_only ? EV_ADD | EV_CLEAR : EV_ADD;
}

static void set_change(struct kevent* out,
                       int fd,
                       const struct filter* filter,
                       unsigned flags) {
  EV_SET(out, (uintptr_t) fd, filter->filter, flags, filter->fflags, 0, 0);
}

/* Adds a filter, again perhaps. A kernel changes nothing but the parameters of
 * one that it knows: EV_CLEAR stays as it was first added (observed on FreeBSD
 * 14.1; the sources of the others do the same). So one with EV_CLEAR, now or
 * before, is removed first. If it is gone already, with its fd, that is ENOENT.
 */
static int describe_wanted(struct uv__kqset_entry* entry,
                           int fd,
                           const struct filter* filter,
                           struct kevent* out) {
  unsigned char bit = (unsigned char) (1u << (filter - filters));
  unsigned flags = add_flags(filter, entry->want);
  unsigned char edge = flags & EV_CLEAR ? bit : 0;
  int n = 0;

  if ((entry->known & bit) && (edge | (entry->edge & bit)))
    set_change(&out[n++], fd, filter, EV_DELETE);
  set_change(&out[n++], fd, filter, flags);
  entry->known |= bit;
  entry->edge = (unsigned char) ((entry->edge & ~bit) | edge);
  return n;
}

int uv__kqset_describe(struct uv__kqset_entry* entry,
                       int fd,
                       struct kevent* out) {
  int n = 0;

  if (entry->selected)
    return 0; /* the kernel has refused it already */
  for (unsigned i = 0; i < FILTERS; i++) {
    if (entry->want & filters[i].interest) {
      n += describe_wanted(entry, fd, &filters[i], &out[n]);
    } else if (entry->known & (1u << i)) {
      set_change(&out[n++], fd, &filters[i], EV_DELETE);
      entry->known &= (unsigned char) ~(1u << i);
    }
  }
  return n;
}

int uv__kqset_take_changes(struct uv__kqset* set) {
  unsigned left = 0;
  int n = 0;

  for (unsigned i = 0; i < set->changed_count; i++) {
    int fd = set->changed[i];
    struct uv__kqset_entry* entry = &set->entries[fd];
    if (entry->failed || n + (int) CHANGES > UV__KQSET_CHANGES_MAX) {
      set->changed[left++] = fd;
      continue;
    }
    entry->changed = 0;
    n += uv__kqset_describe(entry, fd, &set->changes[n]);
  }
  set->changed_count = left;
  return n;
}

static const struct filter* filter_of(const struct kevent* event) {
  for (unsigned i = 0; i < FILTERS; i++)
    if (filters[i].filter == event->filter)
      return &filters[i];
  return NULL;
}

void uv__kqset_note_error(struct uv__kqset* set, const struct kevent* event) {
  const struct filter* filter = filter_of(event);
  struct uv__kqset_entry* entry = uv__kqset_find(set, event->ident);

  if (event->data == 0 || filter == NULL || entry == NULL || filter->optional)
    return;
  if (event->data == ENOENT)
    return; /* to a removal; what is added need not be there */
  entry->known &= (unsigned char) ~(1u << (filter - filters));
  if (!(entry->want & filter->interest))
    return;
  uv__kqset_note_change(set, (int) event->ident);
  entry->failed = 1;
}

/* With EV_EOF fflags are the socket's error, 0 for a mere end. */
static unsigned exceptional_bits(const struct kevent* event,
                                 const struct filter* filter) {
  if (event->flags & EV_EOF)
    return event->fflags != 0 ? POLLHUP | POLLIN : 0;
  return event->fflags & filter->fflags ? filter->interest : 0;
}

/* From what a filter says to POLL*. The end of data also makes reading or
 * writing return at once. A socket's error comes with it; the next read or
 * write tells which, here it says that nothing goes either way any more. */
static unsigned bits_of(const struct kevent* event,
                        const struct uv__kqset_entry* entry) {
  const struct filter* filter = filter_of(event);
  unsigned bits = filter->interest & ~(unsigned) POLLRDHUP;

  if (is_exceptional(filter))
    return exceptional_bits(event, filter);
  if (!(event->flags & EV_EOF))
    return bits;
  if (event->fflags != 0)
    bits |= POLLHUP;
  if (event->filter == EVFILT_READ) {
    /* The end of a pipe, with nothing left in it. */
    if (event->data == 0 && entry->on_eof == POLLHUP)
      return POLLHUP;
    return bits | entry->on_eof;
  }
  bits |= entry->on_eof & (unsigned) POLLHUP;
  /* What the other filter has to say may come later: a hangup without POLLIN
   * would mean that there is nothing to read (P2). */
  return bits & POLLHUP ? bits | POLLIN : bits;
}

/* Adds to the event the fd has in this batch, or makes it. Returns the new
 * number of events. */
static int report_bits(struct uv__kqset_entry* entry,
                       uintptr_t fd,
                       unsigned bits,
                       struct uv__event* out,
                       int n) {
  bits &= entry->want | (unsigned) (POLLERR | POLLHUP);
  if (bits == 0)
    return n;
  if (entry->place != 0) {
    out[entry->place - 1].bits |= bits;
    return n;
  }
  out[n].key = fd;
  out[n].bits = bits;
  out[n].kind = UV__EVENT_IO;
  entry->place = n + 1;
  return n + 1;
}

/* Of a filter with EV_CLEAR, what is reported is told again, so that it is
 * reported again (P2). */
static int must_tell_again(const struct kevent* event,
                           const struct uv__kqset_entry* entry) {
  const struct filter* filter = filter_of(event);

  if (is_exceptional(filter))
    return exceptional_bits(event, filter) != 0;
  return (event->flags & EV_EOF) && event->filter == EVFILT_READ &&
         (entry->want & (POLLIN | POLLRDHUP)) == POLLRDHUP;
}

int uv__kqset_report(struct uv__kqset* set,
                     const struct kevent* event,
                     struct uv__event* out,
                     int n) {
  struct uv__kqset_entry* entry = uv__kqset_find(set, event->ident);

  if (entry == NULL || filter_of(event) == NULL)
    return n;
  if (must_tell_again(event, entry))
    uv__kqset_note_change(set, (int) event->ident);
  return report_bits(entry, event->ident, bits_of(event, entry), out, n);
}

int uv__kqset_report_bits(struct uv__kqset* set,
                          int fd,
                          unsigned bits,
                          struct uv__event* out,
                          int n) {
  return report_bits(&set->entries[fd], (uintptr_t) fd, bits, out, n);
}

int uv__kqset_report_failed(struct uv__kqset* set,
                            struct uv__event* out,
                            int n,
                            int max) {
  unsigned left = 0;

  for (unsigned i = 0; i < set->changed_count; i++) {
    int fd = set->changed[i];
    struct uv__kqset_entry* entry = &set->entries[fd];
    if (!entry->failed || (n == max && entry->place == 0)) {
      set->changed[left++] = fd;
      continue;
    }
    entry->failed = 0;
    entry->changed = 0;
    n = report_bits(entry, (uintptr_t) fd, POLLERR, out, n);
  }
  set->changed_count = left;
  return n;
}

int uv__kqset_has_failed(const struct uv__kqset* set) {
  for (unsigned i = 0; i < set->changed_count; i++)
    if (set->entries[set->changed[i]].failed)
      return 1;
  return 0;
}

void uv__kqset_clear(struct uv__kqset* set) {
  set->changed_count = 0;
  set->children = 0;
  if (set->size != 0)
    memset(set->entries, 0, set->size * sizeof(*set->entries));
}

void uv__kqset_report_end(struct uv__kqset* set,
                          const struct uv__event* out,
                          int n) {
  for (int i = 0; i < n; i++)
    if (out[i].kind == UV__EVENT_IO)
      set->entries[out[i].key].place = 0;
}
