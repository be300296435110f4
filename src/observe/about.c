/* SPDX-License-Identifier: MIT */
#include "observe/about.h"
#include "observe/hooks.h"
#include "util/alloc.h"
#include "util/atomic.h"

#include <string.h>

#define SLOTS 1024 /* a power of two */

/* What is remembered of an object, in one record. */
struct slot {
  const void* object; /* NULL: free */
  int64_t key;        /* of a handle its descriptor */
  struct uv__record record;
};

struct uv__about_table {
  unsigned session; /* which trace this is of */
  struct slot slots[SLOTS];
};

static unsigned session; /* atomic: traces so far */

void uv__about_forget_all(void) {
  uv__fetch_add(&session, 1);
}

static void record_fill(struct uv__record* record,
                        const void* object,
                        enum uv__about_kind kind,
                        const void* bytes,
                        size_t size) {
  struct uv__text_record text;

  assert(size <= sizeof(text.bytes));
  memset(&text, 0, sizeof(text));
  text.object = object;
  memcpy(text.bytes, bytes, size);
  memset(record, 0, sizeof(*record));
  memcpy(record, &text, UV__TEXT_ROOM);
  record->kind = UV__RECORD_TEXT;
  record->type = (uint8_t) kind;
}

/* The ends of paths and of commands say more than the beginnings do. */
static void set_pieces(struct uv__about* about,
                       const void* object,
                       enum uv__about_kind kind,
                       const char* text,
                       unsigned pieces) {
  size_t length = strlen(text);
  size_t room = pieces * UV__TEXT_BYTES;

  if (length > room) {
    text += length - room;
    length = room;
  }
  about->count = 0;
  while (length != 0) {
    size_t size = uv__min_size(length, UV__TEXT_BYTES);
    record_fill(&about->records[about->count++], object, kind, text, size);
    text += size;
    length -= size;
  }
}

void uv__about_set_text(struct uv__about* about,
                        const void* object,
                        enum uv__about_kind kind,
                        const char* text) {
  set_pieces(about, object, kind, text != NULL ? text : "", UV__ABOUT_PIECES);
}

void uv__about_set_addr(struct uv__about* about,
                        const void* object,
                        const struct sockaddr* addr) {
  size_t size = 0;

  about->count = 0;
  if (addr != NULL && addr->sa_family == AF_INET)
    size = sizeof(struct sockaddr_in);
  if (addr != NULL && addr->sa_family == AF_INET6)
    size = sizeof(struct sockaddr_in6);
  if (size != 0)
    record_fill(&about->records[about->count++], object, UV__ABOUT_PEER, addr,
                size);
}

/* The thread's table; NULL if there is no memory for it. */
static struct uv__about_table* table_of(struct uv__observe_thread* thread) {
  unsigned now = uv__load_relaxed(&session);

  if (thread == NULL)
    return NULL;
  if (thread->about == NULL)
    thread->about = uv__calloc(1, sizeof(*thread->about));
  else if (thread->about->session != now)
    memset(thread->about, 0, sizeof(*thread->about));
  if (thread->about != NULL)
    thread->about->session = now;
  return thread->about;
}

static struct slot* slot_of(struct uv__observe_thread* thread,
                            const void* object) {
  struct uv__about_table* table = table_of(thread);
  uint64_t key = (uintptr_t) object;

  if (table == NULL)
    return NULL;
  return &table->slots[(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS];
}

static void slot_fill(struct slot* slot,
                      const void* object,
                      int64_t key,
                      const struct uv__about* about) {
  slot->object = about->count != 0 ? object : NULL;
  slot->key = key;
  if (about->count != 0)
    slot->record = about->records[0];
}

static void slot_take(struct uv__about* about,
                      const struct slot* slot,
                      const void* object) {
  about->records[0] = slot->record;
  /* The first field: see struct uv__text_record. */
  memcpy(&about->records[0], &object, sizeof(object));
  about->count = 1;
}

void uv__about_set_peer(struct uv__about* about,
                        struct uv__observe_thread* thread,
                        const void* object,
                        const uv_tcp_t* tcp) {
  struct slot* slot = slot_of(thread, tcp);
  struct sockaddr_storage addr;
  int size = sizeof(addr);
  uv_os_fd_t fd;

  about->count = 0;
  if (slot == NULL || uv_fileno((const uv_handle_t*) tcp, &fd) != 0)
    return;
  int64_t key = (int64_t) (intptr_t) fd;
  if (slot->object != (const void*) tcp || slot->key != key) {
    if (uv_tcp_getpeername(tcp, (struct sockaddr*) &addr, &size) != 0)
      return; /* not connected, or no longer */
    uv__about_set_addr(about, tcp, (const struct sockaddr*) &addr);
    slot_fill(slot, tcp, key, about);
  }
  if (slot->object != NULL)
    slot_take(about, slot, object);
}

void uv__about_recall(struct uv__about* about,
                      struct uv__observe_thread* thread,
                      const void* object) {
  struct slot* slot = slot_of(thread, object);

  about->count = 0;
  if (slot == NULL || slot->object != object)
    return;
  slot_take(about, slot, object);
  slot->object = NULL; /* a request is called back once */
}

void uv__about_forget(struct uv__observe_thread* thread, const void* object) {
  struct slot* slot = slot_of(thread, object);

  if (slot != NULL && slot->object == object)
    slot->object = NULL;
}

void uv__about_add(const struct uv__about* about,
                   struct uv__observe_thread* thread) {
  for (unsigned i = 0; i < about->count; i++)
    uv__observe_thread_add(thread, &about->records[i]);
}

static void remember(const void* object, const struct uv__about* about) {
  struct slot* slot = slot_of(uv__observe_thread_self(), object);

  if (slot != NULL)
    slot_fill(slot, object, -1, about);
}

void uv__observed_text(const void* object,
                       enum uv__about_kind kind,
                       const char* text) {
  struct uv__about about;

  if (!uv__is_observed_by(UV__OBSERVE_DETAILS))
    return;
  set_pieces(&about, object, kind, text, 1);
  remember(object, &about);
}

void uv__observed_addr(const void* object, const struct sockaddr* addr) {
  struct uv__about about;

  if (!uv__is_observed_by(UV__OBSERVE_DETAILS))
    return;
  uv__about_set_addr(&about, object, addr);
  remember(object, &about);
}
