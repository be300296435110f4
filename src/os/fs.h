/* SPDX-License-Identifier: MIT */
/* File requests: what the platform supplies, and what its executors call.
 *
 *   fs-api.c fills uv__fs_args -> uv__fs_start: check, fill the request, then
 *   inline (no callback) or through the pool; both run uv__fs_ops[type]; or
 *   through another executor of the platform's (uv__fs_os_offer)
 *   -> req->result -> callback -> uv_fs_req_cleanup()
 *
 * F1  A request owns at most two things: the block of uv__fs_owned(), and what
 *     req->ptr points at where its type says so.
 * F2  A synchronous request borrows its paths and buffers from the caller; an
 *     asynchronous one has copies. The data the buffers point at is never
 *     copied.
 * F3  A request that was never started, or was refused, can be cleaned up.
 */
#ifndef UV_OS_FS_H_
#define UV_OS_FS_H_

#include "base.h"
#include "bufs.h"

#define UV__FS_TYPES (UV_FS_LUTIME + 1)

/* The most that one read moves, and that one write or sendfile is given: the
 * synchronous forms return the result as an int. */
#define UV__FS_BYTES_MAX UV__WRITE_BYTES_MAX

/* What the caller asked for. Which members matter depends on `type`. No larger
 * than it must be: all of it is cleared for each request. */
struct uv__fs_args {
  uv_fs_type type;
  unsigned int nbufs;
  const char* path;
  const char* new_path;
  uv_file file;
  uv_file from; /* sendfile: where the bytes come from */
  int flags;    /* of open, copyfile, symlink; the mode of access */
  int mode;
  const uv_buf_t* bufs;
  uv_uid_t uid;
  uv_gid_t gid;
  uv_dir_t* dir;
  union {
    struct {
      int64_t off;   /* of read, write, sendfile; length for ftruncate */
      size_t length; /* of sendfile */
    };
    struct {
      double atime; /* of those that set times */
      double mtime;
    };
  };
};

/* One file operation of the platform. */
struct uv__fs_op {
  /* Does the work and returns the result or UV_E*; sets req->ptr only on
   * success. Context: the caller of uv_fs_*() or a worker. */
  ssize_t (*run)(uv_fs_t* req);
  /* Nothing has happened yet when run() says UV_EINTR: call it again. */
  int again_after_eintr;
};

/* Indexed by uv_fs_type; src/<platform>/fs-ops.c. */
extern const struct uv__fs_op uv__fs_ops[UV__FS_TYPES];

/* The block a request owns: copies of paths or buffer descriptors, or the names
 * a readdir handed out. Kept in a reserved word because the public fields do
 * not say whether they are borrowed (F2). */
static inline void** uv__fs_owned(uv_fs_t* req) {
  return &req->reserved[0];
}

/* Is it with the platform's executor rather than with the pool? */
static inline void** uv__fs_off_pool(uv_fs_t* req) {
  return &req->reserved[1];
}

/* Must the request have copies of what the caller passed? */
static inline int uv__fs_is_async(const uv_fs_t* req) {
  return req->cb != NULL;
}

/* Gives the request a copy of the buffer descriptors, in itself if they fit
 * there: 0 or UV_ENOMEM. For uv__fs_os_fill(). */
int uv__fs_copy_bufs(uv_fs_t* req, const struct uv__fs_args* args);

/* The platform's share; src/<platform>/fs-ops.c. */

/* Puts the platform's private fields into the state of an empty request. */
void uv__fs_os_init(uv_fs_t* req);

/* Fills the request from checked arguments, with copies where F2 asks for
 * them: 0 or UV_ENOMEM... */
int uv__fs_os_fill(uv_fs_t* req, const struct uv__fs_args* args);

/* Another executor than the pool, where the platform has one and the user asked
 * for it. 1 if it takes the request and will call one of those below; 0 if it
 * does not. */
int uv__fs_os_offer(uv_fs_t* req);
/* As uv_cancel(), for what it took. */
int uv__fs_os_cancel(uv_fs_t* req);

/* For that executor. It has done the request, and req->result and what belongs
 * to it are set: runs the callback. */
void uv__fs_done(uv_fs_t* req);
/* It has not, or not all of a write, whose req->result is the bytes that are
 * written; the pool goes on. */
void uv__fs_to_pool(uv_fs_t* req);
/* It will not: UV_ECANCELED is delivered in the next round. */
void uv__fs_cancelled(uv_fs_t* req);

#endif /* UV_OS_FS_H_ */
