/* SPDX-License-Identifier: MIT */
/* File requests: what the platform supplies to fs.c, and what its own executor
 * of requests (io_uring) calls.
 *
 *   fs-api.c fills uv__fs_args -> uv__fs_start() checks them, fills the request
 *   -> uv__fs_ops[type] runs inline (no callback) or on a worker, or the
 *   platform's executor takes the request (uv__fs_os_offer())
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

#include "util/base.h"
#include "util/bufs.h"

#define UV__FS_TYPES (UV_FS_LUTIME + 1)

/* The most that one request transfers: the synchronous forms return the number
 * of bytes as an int. */
#define UV__FS_BYTES_MAX UV__WRITE_BYTES_MAX

/* The arguments of a request. Which members matter depends on `type`. Kept
 * small, because every request clears all of it. */
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
  /* Performs the operation and returns the result or UV_E*; sets req->ptr only
   * on success. Context: the caller of uv_fs_*() or a worker. */
  ssize_t (*run)(uv_fs_t* req);
  /* run() has had no effect when it returns UV_EINTR, so it is repeated. */
  int again_after_eintr;
};

/* Indexed by uv_fs_type; src/<platform>/fs-ops.c. */
extern const struct uv__fs_op uv__fs_ops[UV__FS_TYPES];

/* The block that a request owns: copies of paths or buffer descriptors, or the
 * names that a readdir returned. In a reserved word, because the public fields
 * do not say whether they are borrowed (F2). */
static inline void** uv__fs_owned(uv_fs_t* req) {
  return &req->reserved[0];
}

/* Not NULL while the platform's executor, not the pool, has the request. */
static inline void** uv__fs_off_pool(uv_fs_t* req) {
  return &req->reserved[1];
}

/* Does the request need copies of what the caller passed (F2)? */
static inline int uv__fs_is_async(const uv_fs_t* req) {
  return req->cb != NULL;
}

/* Implemented by the platform; src/<platform>/fs-ops.c. */

/* Initialises the private fields, as of an empty request. */
void uv__fs_os_init(uv_fs_t* req);

/* Fills the request from checked arguments, with copies of the paths where F2
 * requires them: 0 or UV_E*. */
int uv__fs_os_fill(uv_fs_t* req, const struct uv__fs_args* args);

/* Offers the request to the platform's own executor. Called while the loop has
 * UV__LOOP_OFFERS_FS: the platform sets it if it has an executor, and clears it
 * if the user has not enabled that. Returns 1 if the executor takes the request
 * and will call one of the three functions below; 0 if the pool has to run
 * it. */
int uv__fs_os_offer(uv_fs_t* req);
/* uv_cancel() of a request that the executor took. */
int uv__fs_os_cancel(uv_fs_t* req);

/* Called by the executor. The request is complete, with its result in place:
 * runs the callback. */
void uv__fs_done(uv_fs_t* req);
/* The executor could not perform the request, or only part of a write, of which
 * req->result bytes are written: the pool does the rest. */
void uv__fs_to_pool(uv_fs_t* req);
/* The request was cancelled: its callback gets UV_ECANCELED, later. */
void uv__fs_cancelled(uv_fs_t* req);

#endif /* UV_OS_FS_H_ */
