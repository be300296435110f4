/* SPDX-License-Identifier: MIT */
/* Watching a path by asking for its attributes again and again.
 *
 *   start -> stat on a worker -> compare -> callback if something changed
 *   -> timer until the next multiple of the interval -> stat ...
 *
 * Each start creates a poller. Stopping closes its timer, once a stat in
 * progress has returned, and the timer's close callback frees the poller; until
 * then the loop stays alive, as with libuv. The handle's close_cb runs after
 * the last poller is freed.
 *
 * L1  `busy` from submitting a stat until its callback has returned. The timer
 *     of a busy poller is neither armed nor closed.
 * L2  The poller of an active handle is busy or has its timer armed. If that
 *     fails, the callback gets the error and the handle is stopped.
 */
#include "os/handle-class.h"
#include "misuse.h"
#include "observe/callback.h"
#include "util/alloc.h"
#include "util/out-string.h"

/* Value of `known` before the first stat. Otherwise it is 0 if `prev` holds
 * attributes, or the error that was reported. */
#define NOTHING_YET 1

struct poller {
  uv_fs_poll_t* handle;
  struct poller* older; /* stopped, not freed yet */
  uv_fs_poll_cb cb;
  unsigned int interval_ms;
  int busy; /* L1 */
  int known;
  uint64_t stat_time; /* loop time of the last stat */
  uv_stat_t prev;
  uv_timer_t timer;
  uv_fs_t req;
  char path[];
};

/* Passed to callbacks where there are no attributes. */
static const uv_stat_t no_stat;

/* The attributes whose change is reported. Left out are those that reading
 * changes, and the number of blocks, which the file system may settle later. */
struct fingerprint {
  uint64_t numbers[8];
  uv_timespec_t times[3];
};

static struct fingerprint fingerprint_of(const uv_stat_t* st) {
  return (struct fingerprint) {
    .numbers = { st->st_dev, st->st_ino, st->st_mode, st->st_uid, st->st_gid,
                 st->st_size, st->st_flags, st->st_gen },
    .times = { st->st_mtim, st->st_ctim, st->st_birthtim },
  };
}

static int stat_differs(const uv_stat_t* a, const uv_stat_t* b) {
  struct fingerprint left = fingerprint_of(a);
  struct fingerprint right = fingerprint_of(b);
  return memcmp(&left, &right, sizeof(left)) != 0;
}

static struct poller* poller_new(uv_fs_poll_t* handle, const char* path) {
  size_t size = strlen(path) + 1;
  struct poller* poller = uv__calloc(1, sizeof(*poller) + size);
  if (poller == NULL)
    return NULL;

  poller->handle = handle;
  poller->known = NOTHING_YET;
  memcpy(poller->path, path, size);
  (void) uv_timer_init(handle->loop, &poller->timer); /* cannot fail */
  uv__handle_make_internal(uv__base(&poller->timer));
  return poller;
}

/* Takes a poller out of its handle's list. */
static void poller_remove(struct poller* poller) {
  struct poller* at = poller->handle->poll_ctx;

  if (at == poller) {
    poller->handle->poll_ctx = poller->older;
    return;
  }
  while (at->older != poller)
    at = at->older;
  at->older = poller->older;
}

static void poller_end_done(uv_handle_t* timer) {
  struct poller* poller = container_of(timer, struct poller, timer);
  uv_fs_poll_t* handle = poller->handle;

  poller_remove(poller);
  uv__free(poller);
  if (uv__is_closing(uv__base(handle)) && handle->poll_ctx == NULL)
    uv__handle_close_after_done(uv__base(handle));
}

static void poller_end(struct poller* poller) {
  assert(!poller->busy);
  uv_close(uv__base(&poller->timer), poller_end_done);
}

/* Has it not been stopped? */
static int is_running(const struct poller* poller) {
  return poller->handle->poll_ctx == poller &&
         uv__is_active(uv__base(poller->handle));
}

/* Both report changes only. The callback may stop, start or close the
 * handle. */
static void report_error(struct poller* poller, int err) {
  if (err == poller->known)
    return;

  poller->known = err;
  uv__call_fs_poll(poller->handle, poller->cb, err, &poller->prev, &no_stat);
}

static void report_stat(struct poller* poller, const uv_stat_t* now) {
  int is_change = poller->known < 0;

  if (poller->known == 0)
    is_change = stat_differs(&poller->prev, now);
  if (is_change)
    uv__call_fs_poll(poller->handle, poller->cb, 0, &poller->prev, now);

  poller->prev = *now;
  poller->known = 0;
}

static void poll_stat_done(uv_fs_t* req);

static int start_stat(struct poller* poller) {
  uv_loop_t* loop = poller->handle->loop;

  assert(!poller->busy);
  poller->stat_time = uv_now(loop);
  int err = uv_fs_stat(loop, &poller->req, poller->path, poll_stat_done);
  poller->busy = err == 0;
  return err;
}

static void poll_timer_done(uv_timer_t* timer);

/* Fires at the next multiple of the interval since the last stat. */
static int arm_poller(struct poller* poller) {
  uint64_t interval = poller->interval_ms;
  uint64_t elapsed = uv_now(poller->handle->loop) - poller->stat_time;

  assert(!poller->busy);
  return uv_timer_start(&poller->timer, poll_timer_done,
                        interval - elapsed % interval, 0);
}

/* Continues after a stat was reported: arms the timer, or ends the poller. */
static void finish_round(struct poller* poller) {
  poller->busy = 0;
  if (!is_running(poller)) {
    poller_end(poller);
    return;
  }

  int err = arm_poller(poller);
  if (err == 0)
    return;
  (void) uv_fs_poll_stop(poller->handle); /* cannot fail */
  /* The poller is freed in the close phase, not before. */
  uv__call_fs_poll(poller->handle, poller->cb, err, &no_stat, &no_stat);
}

static void poll_timer_done(uv_timer_t* timer) {
  struct poller* poller = container_of(timer, struct poller, timer);

  int err = start_stat(poller);
  if (err == 0)
    return;

  poller->busy = 1; /* while the callback runs, see L1 */
  report_error(poller, err);
  finish_round(poller);
}

static void poll_stat_done(uv_fs_t* req) {
  struct poller* poller = container_of(req, struct poller, req);

  assert(poller->busy);
  if (is_running(poller)) {
    if (req->result == 0)
      report_stat(poller, &req->statbuf);
    else
      report_error(poller, (int) req->result);
  }

  uv_fs_req_cleanup(req);
  finish_round(poller);
}

int uv_fs_poll_init(uv_loop_t* loop, uv_fs_poll_t* handle) {
  uv__handle_init(loop, uv__base(handle), UV_FS_POLL);
  handle->poll_ctx = NULL;
  return 0;
}

int uv_fs_poll_start(uv_fs_poll_t* handle,
                     uv_fs_poll_cb poll_cb,
                     const char* path,
                     unsigned int interval) {
  if (poll_cb == NULL || path == NULL || uv__is_closing(uv__base(handle)))
    return uv__misuse_refuse(UV__RULE_FS_POLL_START, handle, UV_EINVAL);
  if (uv__is_active(uv__base(handle)))
    return 0;

  struct poller* poller = poller_new(handle, path);
  if (poller == NULL)
    return UV_ENOMEM;
  poller->cb = poll_cb;
  poller->interval_ms = interval == 0 ? 1 : interval;

  int err = start_stat(poller);
  if (err != 0) {
    uv__handle_discard(uv__base(&poller->timer));
    uv__free(poller);
    return err;
  }

  poller->older = handle->poll_ctx;
  handle->poll_ctx = poller;
  uv__handle_start(uv__base(handle));
  return 0;
}

int uv_fs_poll_stop(uv_fs_poll_t* handle) {
  struct poller* poller = handle->poll_ctx;

  if (!uv__is_active(uv__base(handle)))
    return 0;

  uv__handle_stop(uv__base(handle));
  if (!poller->busy)
    poller_end(poller);
  return 0;
}

int uv_fs_poll_getpath(uv_fs_poll_t* handle, char* buffer, size_t* size) {
  struct poller* poller = handle->poll_ctx;

  if (uv__out_string_check(buffer, size) != 0)
    return UV_EINVAL;
  if (!uv__is_active(uv__base(handle))) {
    *size = 0;
    return UV_EINVAL;
  }
  return uv__out_string_put(poller->path, strlen(poller->path), buffer, size);
}

enum uv__close_result uv__fs_poll_close(uv_handle_t* handle) {
  uv_fs_poll_t* poll = (uv_fs_poll_t*) handle;

  assert(handle->type == UV_FS_POLL);
  (void) uv_fs_poll_stop(poll); /* cannot fail */
  return poll->poll_ctx == NULL ? UV__CLOSE_DONE : UV__CLOSE_AFTER;
}
