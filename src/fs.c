/* SPDX-License-Identifier: MIT */
/* The life of a file request; rules F1-F3 are in os/fs.h.
 *
 * Happy path: check the arguments against the type's row, fill the request, run
 * it here or on a worker, hand the result over. A refused request (bad
 * arguments, no memory, no worker) owns nothing and leaves the loop as it was.
 */
#include "fs.h"
#include "loop/check.h"
#include "loop/loop.h"
#include "observe/callback.h"
#include "os/fs-entries.h"
#include "pool/done.h"
#include "pool/lanes.h"
#include "req.h"
#include "util/alloc.h"

#include <string.h>

/* What a type needs of its arguments, and what its req->ptr is. */
enum {
  NEEDS_PATH = 1u << 0,
  NEEDS_NEW_PATH = 1u << 1,
  NEEDS_BUFS = 1u << 2,
  NEEDS_DIR = 1u << 3,        /* with room for entries where it is read */
  NEEDS_COPY_FLAGS = 1u << 4, /* no flag of copyfile that we do not know */
  PTR_IS_BLOCK = 1u << 5,     /* one allocation of the request's own */
  PTR_IS_ENTRIES = 1u << 6,   /* struct uv__entries of the request's own */
  LIMITS_BYTES = 1u << 7,     /* no more than UV__FS_BYTES_MAX at once */
  NEEDS_OTHERS =
      NEEDS_NEW_PATH | NEEDS_BUFS | NEEDS_DIR | NEEDS_COPY_FLAGS | LIMITS_BYTES
};

static const unsigned char traits[UV__FS_TYPES] = {
  [UV_FS_OPEN] = NEEDS_PATH,
  [UV_FS_CLOSE] = 0,
  [UV_FS_READ] = NEEDS_BUFS,
  [UV_FS_WRITE] = NEEDS_BUFS | LIMITS_BYTES,
  [UV_FS_SENDFILE] = LIMITS_BYTES,
  [UV_FS_STAT] = NEEDS_PATH,
  [UV_FS_LSTAT] = NEEDS_PATH,
  [UV_FS_FSTAT] = 0,
  [UV_FS_FTRUNCATE] = 0,
  [UV_FS_UTIME] = NEEDS_PATH,
  [UV_FS_FUTIME] = 0,
  [UV_FS_ACCESS] = NEEDS_PATH,
  [UV_FS_CHMOD] = NEEDS_PATH,
  [UV_FS_FCHMOD] = 0,
  [UV_FS_FSYNC] = 0,
  [UV_FS_FDATASYNC] = 0,
  [UV_FS_UNLINK] = NEEDS_PATH,
  [UV_FS_RMDIR] = NEEDS_PATH,
  [UV_FS_MKDIR] = NEEDS_PATH,
  [UV_FS_MKDTEMP] = NEEDS_PATH,
  [UV_FS_RENAME] = NEEDS_PATH | NEEDS_NEW_PATH,
  [UV_FS_SCANDIR] = NEEDS_PATH | PTR_IS_ENTRIES,
  [UV_FS_LINK] = NEEDS_PATH | NEEDS_NEW_PATH,
  [UV_FS_SYMLINK] = NEEDS_PATH | NEEDS_NEW_PATH,
  [UV_FS_READLINK] = NEEDS_PATH | PTR_IS_BLOCK,
  [UV_FS_CHOWN] = NEEDS_PATH,
  [UV_FS_FCHOWN] = 0,
  [UV_FS_REALPATH] = NEEDS_PATH | PTR_IS_BLOCK,
  [UV_FS_COPYFILE] = NEEDS_PATH | NEEDS_NEW_PATH | NEEDS_COPY_FLAGS,
  [UV_FS_LCHOWN] = NEEDS_PATH,
  [UV_FS_OPENDIR] = NEEDS_PATH, /* the directory outlives the request */
  [UV_FS_READDIR] = NEEDS_DIR,
  [UV_FS_CLOSEDIR] = NEEDS_DIR,
  [UV_FS_STATFS] = NEEDS_PATH | PTR_IS_BLOCK,
  [UV_FS_MKSTEMP] = NEEDS_PATH,
  [UV_FS_LUTIME] = NEEDS_PATH,
};

#define COPY_FLAGS                                                             \
 (UV_FS_COPYFILE_EXCL | UV_FS_COPYFILE_FICLONE | UV_FS_COPYFILE_FICLONE_FORCE)

static int has_bufs(const struct uv__fs_args* args) {
  return args->bufs != NULL && args->nbufs > 0 && args->nbufs <= INT32_MAX;
}

/* Checks a write, or a sendfile, which has no buffers. */
static int is_within_limit(const struct uv__fs_args* args) {
  return args->length <= UV__FS_BYTES_MAX &&
         uv__bufs_fit(args->bufs, args->nbufs);
}

static int has_dir(const struct uv__fs_args* args) {
  if (args->dir == NULL)
    return 0;
  return args->type != UV_FS_READDIR || args->dir->dirents != NULL;
}

/* The rest of check_args(), for types that need more than a path. */
UV__NOINLINE static int check_others(const struct uv__fs_args* args,
                                     unsigned needs) {
  if ((needs & NEEDS_NEW_PATH) && args->new_path == NULL)
    return UV_EINVAL;
  if ((needs & NEEDS_BUFS) && !has_bufs(args))
    return UV_EINVAL;
  if ((needs & LIMITS_BYTES) && !is_within_limit(args))
    return UV_EINVAL;
  if ((needs & NEEDS_DIR) && !has_dir(args))
    return UV_EINVAL;
  if ((needs & NEEDS_COPY_FLAGS) && (args->flags & ~COPY_FLAGS) != 0)
    return UV_EINVAL;
  return 0;
}

static int check_args(const struct uv__fs_args* args) {
  assert((unsigned) args->type < UV__FS_TYPES);
  unsigned needs = traits[args->type];

  if ((needs & NEEDS_PATH) && args->path == NULL)
    return UV_EINVAL;
  return needs & NEEDS_OTHERS ? check_others(args, needs) : 0;
}

static void init_req(uv_loop_t* loop,
                     uv_fs_t* req,
                     uv_fs_type type,
                     uv_fs_cb cb) {
  req->type = UV_FS;
  req->fs_type = type;
  req->loop = loop;
  req->cb = cb;
  req->result = 0;
  req->ptr = NULL;
  req->path = NULL;
  *uv__fs_owned(req) = NULL;
  *uv__fs_off_pool(req) = NULL;
  uv__fs_os_init(req);
}

/* `change` is 1 or -1. Only this thread writes the number. */
static void count_pending(const uv_loop_t* loop, int change) {
  unsigned* pending = &uv__loop_state(loop)->files_pending;

  uv__store_relaxed(pending, uv__load_relaxed(pending) + (unsigned) change);
}

/* Runs the operation and stores req->result. Context: any. */
static void fs_run(uv_fs_t* req) {
  const struct uv__fs_op* op = &uv__fs_ops[req->fs_type];

  do
    req->result = op->run(req);
  while (req->result == UV_EINTR && op->again_after_eintr);
}

static void fs_work(struct uv__work* w) {
  fs_run(container_of(w, uv_fs_t, work_req));
}

static void fs_done(struct uv__work* w, int status) {
  uv_fs_t* req = container_of(w, uv_fs_t, work_req);

  uv__req_unregister(req->loop);
  count_pending(req->loop, -1);
  if (status != 0) {
    assert(status == UV_ECANCELED);
    req->result = status;
  }
  uv__call_fs(req);
}

static const struct uv__work_kind fs_kind = {
  fs_work,
  fs_done,
  UV__WORK_FS,
  offsetof(uv_fs_t, work_req),
};

static int submit_to_pool(uv_fs_t* req) {
  return uv__work_submit(req->loop, &req->work_req, &fs_kind);
}

void uv__fs_done(uv_fs_t* req) {
  assert(*uv__fs_off_pool(req) != NULL);
  *uv__fs_off_pool(req) = NULL;
  if (uv__is_observed())
    uv__observed_done(&req->work_req, 0, &fs_kind);
  else
    fs_done(&req->work_req, 0);
}

void uv__fs_to_pool(uv_fs_t* req) {
  assert(*uv__fs_off_pool(req) != NULL);
  *uv__fs_off_pool(req) = NULL;
  int err = submit_to_pool(req);
  if (err == 0)
    return;

  if (req->result <= 0)
    req->result = err;
  uv__work_hand_over(req->loop, &req->work_req, 0, &fs_kind);
}

void uv__fs_cancelled(uv_fs_t* req) {
  assert(*uv__fs_off_pool(req) != NULL);
  *uv__fs_off_pool(req) = NULL;
  uv__work_hand_over(req->loop, &req->work_req, UV_ECANCELED, &fs_kind);
}

int uv__fs_cancel(uv_fs_t* req) {
  if (*uv__fs_off_pool(req) != NULL)
    return uv__fs_os_cancel(req);
  return uv__work_cancel(req->loop, &req->work_req, &fs_kind);
}

static int submit_req(uv_fs_t* req) {
  uv__debug_check(
      uv__loop_check_thread(req->loop, UV__RULE_FS_THREAD, req->loop));
  uv__req_start(req->loop, req, UV_FS);
  count_pending(req->loop, 1);
  uv__loop_changed(req->loop);
  if ((uv__loop_state(req->loop)->flags & UV__LOOP_OFFERS_FS) &&
      uv__fs_os_offer(req)) {
    *uv__fs_off_pool(req) = req;
    req->work_req.work = NULL; /* the pool cannot cancel it */
    if (uv__is_observed()) {
      req->work_req.kind = &fs_kind;
      uv__observed_submit(req->loop, &req->work_req);
    }
    return 0;
  }

  int err = submit_to_pool(req);
  if (err != 0) {
    uv__req_unregister(req->loop);
    count_pending(req->loop, -1);
  }
  return err;
}

/* Copies the buffer descriptors (F2), into the request itself if they fit
 * there: 0 or UV_ENOMEM. */
static int copy_bufs(uv_fs_t* req, const struct uv__fs_args* args) {
  req->bufs = req->bufsml;
  if (args->nbufs > ARRAY_SIZE(req->bufsml)) {
    req->bufs = uv__malloc_array(args->nbufs, sizeof(*req->bufs));
    *uv__fs_owned(req) = req->bufs;
  }

  if (req->bufs == NULL)
    return UV_ENOMEM;

  memcpy(req->bufs, args->bufs, args->nbufs * sizeof(*req->bufs));
  return 0;
}

UV__INLINE void free_ptr(uv_fs_t* req) {
  unsigned what = 0;

  /* The type may be anything in a request that was never started. */
  if ((unsigned) req->fs_type < UV__FS_TYPES)
    what = traits[req->fs_type];

  if (what & (PTR_IS_BLOCK | PTR_IS_ENTRIES)) {
    if (req->ptr != NULL && (what & PTR_IS_ENTRIES))
      uv__entries_close(req->ptr);
    uv__free(req->ptr);
  }
  req->ptr = NULL;
}

/* Frees what the request owns. */
UV__INLINE void empty_req(uv_fs_t* req) {
  free_ptr(req);
  if (*uv__fs_owned(req) != NULL)
    uv__free(*uv__fs_owned(req));
  *uv__fs_owned(req) = NULL;
  req->path = NULL;
  uv__fs_os_init(req);
}

/* The result stays 0, as in libuv, because nothing was started. */
UV__COLD static int refuse_req(uv_fs_t* req, int err) {
  empty_req(req);
  return err;
}

int uv__fs_start(uv_loop_t* loop,
                 uv_fs_t* req,
                 const struct uv__fs_args* args,
                 uv_fs_cb cb) {
  if (req == NULL)
    return UV_EINVAL;
  init_req(loop, req, args->type, cb);

  if (cb != NULL && loop == NULL)
    return refuse_req(req, UV_EINVAL);

  int err = check_args(args);
  if (err == 0)
    err = uv__fs_os_fill(req, args);
  if (err == 0 && args->bufs != NULL && cb != NULL)
    err = copy_bufs(req, args);
  if (err != 0)
    return refuse_req(req, err);

  if (cb == NULL) {
    fs_run(req);
    return (int) req->result;
  }

  err = submit_req(req);
  return err == 0 ? 0 : refuse_req(req, err);
}

void uv_fs_req_cleanup(uv_fs_t* req) {
  if (req != NULL)
    empty_req(req);
}

int uv_fs_scandir_next(uv_fs_t* req, uv_dirent_t* ent) {
  if (req == NULL || ent == NULL)
    return UV_EINVAL;
  if (req->result < 0)
    return (int) req->result;
  if (req->fs_type != UV_FS_SCANDIR || req->ptr == NULL)
    return UV_EOF;

  return uv__entries_next(req->ptr, ent);
}
