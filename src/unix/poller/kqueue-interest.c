/* SPDX-License-Identifier: MIT */
/* Interest, changes and results of kqueue; see poller/kqueue-interest.h.
 *
 * A changed fd is in the queue of changes once, however often it changes; the
 * changes for the kernel are derived from its entry when the wait begins. So
 * once an fd has an entry, nothing can fail for lack of memory.
 */
#include "unix/poller/kqueue-interest.h"
#include "unix/io.h"
#include "util/alloc.h"

#include <errno.h>
#include <string.h>

#define MIN_ENTRIES 64u

/* One filter, and the interest that it serves. */
static const struct filter {
  __typeof__(((struct kevent*) NULL)->filter) filter;
  unsigned fflags;
  unsigned interest;
  int optional; /* optional: its absence is no error */
} filters[] = {
  /* POLLPRI: for the reset of a connection, which EVFILT_EXCEPT and select()
   * may not report. */
  { EVFILT_READ, 0, POLLIN | POLLRDHUP | POLLPRI, 0 },
  { EVFILT_WRITE, 0, POLLOUT, 0 },
#if defined(EVFILT_EXCEPT) && defined(NOTE_OOB)
  { EVFILT_EXCEPT, NOTE_OOB, POLLPRI, 1 },
#endif
};

/* Is this a filter for exceptional conditions? With no condition set, macOS
 * also reports data and EOF for it (xnu uipc_socket.c; the man page mentions
 * EOF). */
static int is_exceptional(const struct filter* filter) {
  return filter->fflags != 0;
}

#define FILTERS (sizeof(filters) / sizeof(filters[0]))
#define CHANGES (2 * FILTERS) /* per fd: each may be removed first */

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

void uv__kqset_mark_changed(struct uv__kqset* set, int fd) {
  struct uv__kqset_entry* entry = &set->entries[fd];

  if (!entry->changed)
    set->changed[set->changed_count++] = fd;
  entry->changed = 1;
}

/* Interest in only EOF or urgent data must not wake the loop for ordinary data:
 * such a filter reports changes only (EV_CLEAR) and is added again after each
 * reported event (must_add_again). */
static unsigned add_flags(const struct filter* filter, unsigned want) {
  unsigned wanted = want & filter->interest;
  return (wanted & (POLLIN | POLLOUT)) == 0 ? EV_ADD | EV_CLEAR : EV_ADD;
}

static void set_change(struct kevent* out,
                       int fd,
                       const struct filter* filter,
                       unsigned flags) {
  EV_SET(out, (uintptr_t) fd, filter->filter, flags, filter->fflags, 0, 0);
}

/* Adds a filter, possibly again. Adding an existing filter updates its
 * parameters but not EV_CLEAR (observed on FreeBSD 14.1; the sources of the
 * other BSDs agree). So a filter that has or had EV_CLEAR is removed first. If
 * it is gone already, along with its fd, the removal reports ENOENT.
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
    return 0; /* refused by the kernel before */
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

void uv__kqset_handle_error(struct uv__kqset* set, const struct kevent* event) {
  const struct filter* filter = filter_of(event);
  struct uv__kqset_entry* entry = uv__kqset_find(set, event->ident);

  if (event->data == 0 || filter == NULL || entry == NULL || filter->optional)
    return;
  if (event->data == ENOENT)
    return; /* from a removal; it need not exist */
  entry->known &= (unsigned char) ~(1u << (filter - filters));
  if (!(entry->want & filter->interest))
    return;
  uv__kqset_mark_changed(set, (int) event->ident);
  entry->failed = 1;
}

/* With EV_EOF, fflags is the error of the socket, or 0. */
static unsigned exceptional_bits(const struct kevent* event,
                                 const struct filter* filter) {
  if (event->flags & EV_EOF)
    return event->fflags != 0 ? POLLHUP | POLLIN : 0;
  return event->fflags & filter->fflags ? filter->interest : 0;
}

/* Maps an event to POLL*. EOF also makes reading or writing return at once. A
 * socket error comes with EOF; it is reported here as a hangup, and the next
 * read or write returns it. */
static unsigned event_bits(const struct kevent* event,
                           const struct uv__kqset_entry* entry) {
  const struct filter* filter = filter_of(event);
  unsigned bits = filter->interest & (POLLIN | POLLOUT);

  if (is_exceptional(filter))
    return exceptional_bits(event, filter);
  if (!(event->flags & EV_EOF))
    return bits;
  if (event->fflags != 0)
    bits |= POLLHUP;
  if (event->filter == EVFILT_READ) {
    /* EOF on a pipe that is empty. */
    if (event->data == 0 && entry->on_eof == POLLHUP)
      return POLLHUP;
    return bits | entry->on_eof;
  }
  bits |= entry->on_eof & (unsigned) POLLHUP;
  /* The other filter may report later: POLLHUP without POLLIN would mean that
   * there is nothing to read (P2). */
  return bits & POLLHUP ? bits | POLLIN : bits;
}

/* Adds to the event that the fd has in this batch, or creates it. Returns the
 * new number of events. */
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

/* A reported filter with EV_CLEAR is added again, so that it reports again
 * (P2). */
static int must_add_again(const struct kevent* event,
                          const struct uv__kqset_entry* entry) {
  const struct filter* filter = filter_of(event);

  if (is_exceptional(filter))
    return exceptional_bits(event, filter) != 0;
  if (event->filter != EVFILT_READ || (entry->want & POLLIN))
    return 0;
  return (event->flags & EV_EOF) &&
         (event_bits(event, entry) & (entry->want | (unsigned) POLLHUP)) != 0;
}

int uv__kqset_report(struct uv__kqset* set,
                     const struct kevent* event,
                     struct uv__event* out,
                     int n) {
  struct uv__kqset_entry* entry = uv__kqset_find(set, event->ident);

  if (entry == NULL || filter_of(event) == NULL)
    return n;
  if (must_add_again(event, entry))
    uv__kqset_mark_changed(set, (int) event->ident);
  return report_bits(entry, event->ident, event_bits(event, entry), out, n);
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
