/* SPDX-License-Identifier: MIT */
/* Watching a path by asking for its attributes again and again.
 *
 *   start -> stat on a worker -> compare -> callback if something changed
 *   -> timer until the next multiple of the interval -> stat ...
 *
 * A handle has one poller, made by its first start and kept until it closes.
 * Stopping cannot take back a stat that is on its way: it belongs to an earlier
 * run then, and its answer is dropped.
 *
 * L1  `busy` from submitting a stat until its callback has returned. Only one
 *     is on its way, and the poller is not freed meanwhile.
 * L2  An active handle is busy or has its timer armed. If the timer cannot be
 *     had, the callback gets the error and the handle is stopped.
 */
#include "fs-poll.h"
#include "alloc.h"
#include "out-string.h"

/* What is known about the path: 0 for attributes in `prev`, else an error that
 * was reported, or this. */
#define NOTHING_YET 1

struct poller {
  uv_fs_poll_t* handle;
  uv_fs_poll_cb cb;
  char* path; /* NULL while stopped */
  unsigned int interval_ms;
  unsigned int run;      /* counts starts and stops */
  unsigned int stat_run; /* the run that asked for the stat on its way */
  int busy;              /* L1 */
  int known;
  uint64_t asked_at; /* loop time of the last stat */
  uv_stat_t prev;
  uv_timer_t timer;
  uv_fs_t req;
};

/* For callbacks that have no attributes to show. */
static const uv_stat_t no_stat;

/* The attributes whose change is reported: what reading alone alters, and what
 * the file system settles later (blocks), is left out. */
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

static int differs(const uv_stat_t* a, const uv_stat_t* b) {
  struct fingerprint left = fingerprint_of(a);
  struct fingerprint right = fingerprint_of(b);
  return memcmp(&left, &right, sizeof(left)) != 0;
}

static void poller_free(struct poller* poller) {
  uv__handle_discard(uv__base(&poller->timer));
  uv__free(poller->path);
  uv__free(poller);
}

static struct poller* poller_new(uv_fs_poll_t* handle) {
  struct poller* poller = uv__calloc(1, sizeof(*poller));
  if (poller == NULL)
    return NULL;

  poller->handle = handle;
  (void) uv_timer_init(handle->loop, &poller->timer); /* cannot fail */
  uv__handle_make_internal(uv__base(&poller->timer));
  return poller;
}

/* Was the handle stopped, and perhaps started anew, since `run`? */
static int is_over(const struct poller* poller, unsigned int run) {
  return poller->run != run;
}

/* Both report the first time and when something changed. The callback may stop,
 * start or close the handle. */
static void report_error(struct poller* poller, int err) {
  unsigned int run = poller->run;
  if (err == poller->known)
    return;

  poller->cb(poller->handle, err, &poller->prev, &no_stat);
  if (!is_over(poller, run))
    poller->known = err;
}

static void report_stat(struct poller* poller, const uv_stat_t* now) {
  unsigned int run = poller->run;
  int news = poller->known < 0;

  if (poller->known == 0)
    news = differs(&poller->prev, now);
  if (news)
    poller->cb(poller->handle, 0, &poller->prev, now);

  if (!is_over(poller, run)) {
    poller->prev = *now;
    poller->known = 0;
  }
}

static void poll_stat_done(uv_fs_t* req);

static int ask(struct poller* poller) {
  uv_loop_t* loop = poller->handle->loop;

  poller->asked_at = uv_now(loop);
  poller->stat_run = poller->run;
  int err = uv_fs_stat(loop, &poller->req, poller->path, poll_stat_done);
  poller->busy = err == 0;
  return err;
}

static void poll_timer_done(uv_timer_t* timer);

/* Keeps the rhythm: the next multiple of the interval since the last stat. */
static int arm(struct poller* poller) {
  uint64_t interval = poller->interval_ms;
  uint64_t elapsed = uv_now(poller->handle->loop) - poller->asked_at;

  return uv_timer_start(&poller->timer, poll_timer_done,
                        interval - elapsed % interval, 0);
}

/* The callback comes last: it may close the handle and with it the poller. */
static void give_up(struct poller* poller, int err) {
  uv_fs_poll_t* handle = poller->handle;
  uv_fs_poll_cb cb = poller->cb;

  (void) uv_fs_poll_stop(handle); /* cannot fail */
  cb(handle, err, &no_stat, &no_stat);
}

/* After a stat was answered and reported: what comes next? */
static void carry_on(struct poller* poller) {
  uv_fs_poll_t* handle = poller->handle;

  if (uv__is_closing(uv__base(handle))) {
    poller_free(poller);
    handle->poll_ctx = NULL;
    uv__handle_close_later_done(uv__base(handle));
    return;
  }

  poller->busy = 0;
  if (!uv__is_active(uv__base(handle)))
    return;

  /* Started anew meanwhile: its first stat is due. If that cannot be had, the
   * timer tries again and tells. */
  if (is_over(poller, poller->stat_run) && ask(poller) == 0)
    return;
  int err = arm(poller);
  if (err != 0)
    give_up(poller, err);
}

static void poll_timer_done(uv_timer_t* timer) {
  struct poller* poller = container_of(timer, struct poller, timer);

  int err = ask(poller);
  if (err == 0)
    return;

  poller->busy = 1; /* while the callback runs, see L1 */
  report_error(poller, err);
  carry_on(poller);
}

static void poll_stat_done(uv_fs_t* req) {
  struct poller* poller = container_of(req, struct poller, req);

  if (!is_over(poller, poller->stat_run)) {
    if (req->result == 0)
      report_stat(poller, &req->statbuf);
    else
      report_error(poller, (int) req->result);
  }

  uv_fs_req_cleanup(req);
  carry_on(poller);
}

int uv_fs_poll_init(uv_loop_t* loop, uv_fs_poll_t* handle) {
  uv__handle_init(loop, uv__base(handle), UV_FS_POLL);
  handle->poll_ctx = NULL;
  return 0;
}

/* The first stat goes out at once, or when that of an earlier run is back. */
static int begin_run(struct poller* poller) {
  poller->run++;
  poller->known = NOTHING_YET;
  poller->prev = no_stat;
  return poller->busy ? 0 : ask(poller);
}

int uv_fs_poll_start(uv_fs_poll_t* handle,
                     uv_fs_poll_cb poll_cb,
                     const char* path,
                     unsigned int interval) {
  if (poll_cb == NULL || path == NULL || uv__is_closing(uv__base(handle)))
    return UV_EINVAL;
  if (uv__is_active(uv__base(handle)))
    return 0;

  if (handle->poll_ctx == NULL)
    handle->poll_ctx = poller_new(handle);
  struct poller* poller = handle->poll_ctx;
  if (poller == NULL)
    return UV_ENOMEM;

  poller->path = uv__strdup(path);
  if (poller->path == NULL)
    return UV_ENOMEM;
  poller->cb = poll_cb;
  poller->interval_ms = interval == 0 ? 1 : interval;

  int err = begin_run(poller);
  if (err != 0) {
    uv__free(poller->path);
    poller->path = NULL;
    return err;
  }

  uv__handle_start(uv__base(handle));
  return 0;
}

int uv_fs_poll_stop(uv_fs_poll_t* handle) {
  struct poller* poller = handle->poll_ctx;

  if (!uv__is_active(uv__base(handle)))
    return 0;

  uv__handle_stop(uv__base(handle));
  poller->run++;
  (void) uv_timer_stop(&poller->timer); /* cannot fail */
  uv__free(poller->path);
  poller->path = NULL;
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

enum uv__close_answer uv__fs_poll_close(uv_handle_t* handle) {
  uv_fs_poll_t* poll = (uv_fs_poll_t*) handle;
  struct poller* poller = poll->poll_ctx;

  (void) uv_fs_poll_stop(poll); /* cannot fail */
  if (poller == NULL)
    return UV__CLOSE_DONE;
  if (poller->busy)
    return UV__CLOSE_LATER; /* carry_on() goes on from here */

  poller_free(poller);
  poll->poll_ctx = NULL;
  return UV__CLOSE_DONE;
}
