/* SPDX-License-Identifier: MIT */
/* Pipes: unix domain sockets with names, and descriptors of any kind passed to
 * uv_pipe_open().
 *
 * A name is a path or, on Linux, an abstract name: it begins with a NUL, may
 * contain more of them and creates no file; for an empty one the kernel picks a
 * name. The handle that bound a path unlinks it when it is closed, if the path
 * still leads to the file that bind() created.
 */
#include "os/pipe.h"
#include "unix/fd.h"
#include "unix/newer-calls.h"
#include "unix/os.h"
#include "unix/sock.h"
#include "unix/stream.h"
#include "util/alloc.h"
#include "util/out-string.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define PATH_OFFSET offsetof(struct sockaddr_un, sun_path)

/* A name in the form that the socket calls take. */
struct socket_name {
  struct sockaddr_un addr;
  socklen_t addrlen;
  size_t len; /* of the name, after truncation */
};

/* The file that bind() creates. uv_pipe_t.pipe_fname is its path. */
struct bound_file {
  dev_t dev;
  ino_t ino;
  char path[];
};

static uv_stream_t* stream_of(uv_pipe_t* pipe) {
  return (uv_stream_t*) pipe;
}

void uv__pipe_os_init(uv_loop_t* loop, uv_pipe_t* pipe) {
  uv__stream_init(loop, stream_of(pipe), UV_NAMED_PIPE);
  pipe->pipe_fname = NULL;
}

static struct bound_file* file_of(const char* path) {
  const char* file = path - offsetof(struct bound_file, path);
  return (struct bound_file*) (void*) file;
}

static struct bound_file* file_new(const char* path, size_t len) {
  struct bound_file* file = uv__malloc(sizeof(*file) + len + 1);

  if (file == NULL)
    return NULL;
  memcpy(file->path, path, len);
  file->path[len] = '\0';
  return file;
}

/* The path may lead to another file now: after chdir() if it is relative, or if
 * a successor of this server bound it again. Called while the socket is open,
 * which keeps the inode number from being reused. */
static void file_remove(const struct bound_file* file) {
  struct stat st;

  if (lstat(file->path, &st) == 0 && st.st_dev == file->dev &&
      st.st_ino == file->ino)
    (void) unlink(file->path); /* without permission it stays */
}

enum uv__close_result uv__pipe_close(uv_handle_t* handle) {
  uv_pipe_t* pipe = (uv_pipe_t*) handle;

  assert(handle->type == UV_NAMED_PIPE);
  if (pipe->pipe_fname != NULL) {
    struct bound_file* file = file_of(pipe->pipe_fname);
    pipe->pipe_fname = NULL;
    file_remove(file);
    uv__free(file);
  }
  uv__stream_close(stream_of(pipe));
  return UV__CLOSE_DONE;
}

void uv__pipe_disown_file(uv_pipe_t* pipe) {
  if (pipe->pipe_fname != NULL)
    uv__free(file_of(pipe->pipe_fname));
  pipe->pipe_fname = NULL;
}

int uv__pipe_os_open(uv_pipe_t* pipe, uv_file fd) {
  if (uv__io_fd_taken(pipe->loop, fd))
    return UV_EEXIST;

  return uv__stream_adopt(stream_of(pipe), fd);
}

static int make_address(struct socket_name* out,
                        const struct uv__pipe_name* name) {
  size_t len = name->len;

  if (name->is_abstract && !UV__HAVE_ABSTRACT_SOCKET)
    return UV_EINVAL;
  if (len > sizeof(out->addr.sun_path)) {
    if (name->is_exact)
      return UV_EINVAL;
    len = sizeof(out->addr.sun_path);
  }
  memset(&out->addr, 0, sizeof(out->addr));
  out->addr.sun_family = AF_UNIX;
  memcpy(out->addr.sun_path, name->text, len);
  out->addrlen = (socklen_t) (PATH_OFFSET + len);
  out->len = len;
  return 0;
}

/* bind(2), and `file` learns which file that created. If it is gone already, it
 * gets the number of none. */
static int bind_to(int fd,
                   const struct socket_name* at,
                   struct bound_file* file) {
  struct stat st = { .st_ino = 0 };

  if (bind(fd, (const struct sockaddr*) &at->addr, at->addrlen) != 0) {
    int err = uv__errno();
    /* As on Windows, where a missing directory is indistinguishable. */
    return err == UV_ENOENT ? UV_EACCES : err;
  }
  if (file != NULL) {
    (void) lstat(file->path, &st);
    file->dev = st.st_dev;
    file->ino = st.st_ino;
  }
  return 0;
}

/* Binds a new socket and opens it; the handle keeps `file` if the name is a
 * path. */
static int bind_new(uv_pipe_t* pipe,
                    const struct socket_name* at,
                    struct bound_file* file) {
  int fd = uv__sock_open(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0)
    return fd;
  int err = bind_to(fd, at, file);
  if (err != 0)
    goto err_close;
  err = uv__stream_open(stream_of(pipe), fd, UV__STREAM_SOCKET);
  if (err != 0)
    goto err_remove;

  pipe->pipe_fname = file != NULL ? file->path : NULL;
  pipe->flags |= UV__BOUND;
  return 0;

err_remove:
  if (file != NULL)
    file_remove(file);
err_close:
  uv__fd_close(fd);
  return err;
}

int uv__pipe_os_bind(uv_pipe_t* pipe, const struct uv__pipe_name* name) {
  struct socket_name where;
  struct bound_file* file = NULL;

  if (pipe->io_watcher.fd != -1)
    return UV_EINVAL; /* bound or connected */
  int err = make_address(&where, name);
  if (err != 0)
    return err;

  if (!name->is_abstract) {
    file = file_new(name->text, where.len);
    if (file == NULL)
      return UV_ENOMEM;
  }
  err = bind_new(pipe, &where, file);
  if (err != 0)
    uv__free(file);
  return err;
}

/* The result of uv__sock_connect(), on a new socket if there is none. */
static int try_connect(uv_pipe_t* pipe, const struct socket_name* name) {
  uv_stream_t* stream = stream_of(pipe);

  if (uv__stream_fd(stream) == -1) {
    int fd = uv__sock_open(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
      return fd;
    int err = uv__stream_open(stream, fd, UV__STREAM_SOCKET);
    if (err != 0) {
      uv__fd_close(fd);
      return err;
    }
  }

  int result =
      uv__sock_connect(uv__stream_fd(stream),
                       (const struct sockaddr*) &name->addr, name->addrlen);
  if (result >= 0)
    stream->flags |= UV__READABLE | UV__WRITABLE;
  return result;
}

int uv__pipe_os_connect(uv_connect_t* req,
                        uv_pipe_t* pipe,
                        const struct uv__pipe_name* name) {
  struct socket_name where;

  int err = make_address(&where, name);
  if (err != 0)
    return err;
  if (pipe->connect_req != NULL)
    return UV_EALREADY;

  uv__stream_connecting(stream_of(pipe), req, try_connect(pipe, &where));
  return 0;
}

void uv__pipe_os_connect_fail(uv_connect_t* req, uv_pipe_t* pipe, int err) {
  uv__stream_connect_fail(stream_of(pipe), req, err);
}

/* For a name of maximum length the kernel adds a NUL after sun_path. */
union any_name {
  struct sockaddr_un un;
  struct sockaddr any;
  char space[sizeof(struct sockaddr_un) + 1];
};

/* Copies out a name; an abstract one is not a string and gets no NUL. */
static int put_name(const char* text, size_t len, char* buffer, size_t* size) {
  if (len == 0 || text[0] != '\0')
    return uv__out_string_put(text, len, buffer, size);

  int fits = len <= *size;
  *size = len;
  if (!fits)
    return UV_ENOBUFS;
  memcpy(buffer, text, len);
  return 0;
}

typedef int ask_fn(int fd, struct sockaddr* name, int* namelen);

/* Stores the length of the name, which is followed by a NUL: 0 or UV_E*. */
static int query_name(const uv_pipe_t* pipe,
                      ask_fn* ask,
                      union any_name* name,
                      size_t* len) {
  int addrlen = sizeof(*name);

  memset(name, 0, sizeof(*name));
  int err = ask(pipe->io_watcher.fd, &name->any, &addrlen);
  if (err != 0)
    return err;

  *len = 0;
  if (addrlen > (int) PATH_OFFSET)
    *len = uv__min_size((size_t) addrlen, sizeof(*name)) - PATH_OFFSET;
  /* A path ends at its first NUL. FreeBSD returns only NULs for an unnamed
   * socket. */
  const char* text = name->space + PATH_OFFSET;
  if (*len != 0 && (text[0] != '\0' || !UV__HAVE_ABSTRACT_SOCKET))
    *len = strnlen(text, *len);
  return 0;
}

/* `fallback` is the known name of the socket, or NULL. */
static int get_name(const uv_pipe_t* pipe,
                    ask_fn* ask,
                    const char* fallback,
                    char* buffer,
                    size_t* size) {
  union any_name name;
  size_t len;

  int err = query_name(pipe, ask, &name, &len);
  if (err != 0) {
    *size = 0; /* as in libuv: there is no name */
    return err;
  }
  if (len == 0 && fallback != NULL)
    return put_name(fallback, strlen(fallback), buffer, size);
  return put_name(name.space + PATH_OFFSET, len, buffer, size);
}

int uv__pipe_os_getsockname(const uv_pipe_t* pipe, char* buffer, size_t* size) {
  return get_name(pipe, uv__sock_local_name, pipe->pipe_fname, buffer, size);
}

int uv__pipe_os_getpeername(const uv_pipe_t* pipe, char* buffer, size_t* size) {
  return get_name(pipe, uv__sock_peer_name, NULL, buffer, size);
}

void uv_pipe_pending_instances(uv_pipe_t* pipe, int count) {
  (void) pipe; /* Windows only */
  (void) count;
}

/* Permission bits for uv_pipe_chmod()'s mode. */
static mode_t mode_of_flags(int mode) {
  mode_t bits = 0;

  if (mode & UV_READABLE)
    bits |= S_IRUSR | S_IRGRP | S_IROTH;
  if (mode & UV_WRITABLE)
    bits |= S_IWUSR | S_IWGRP | S_IWOTH;
  return bits;
}

/* Adds permissions to the socket's file. The path may have been replaced by
 * another file: links are not followed, and only a socket is changed. */
#if UV__HAVE_FCHMODAT2
static int is_without_proc(int err) {
  return err == UV_ENOENT || err == UV_ENOTDIR || err == UV_EACCES;
}

/* Changes the file of an O_PATH descriptor, which fchmod() does not accept: by
 * /proc or, without it (in a chroot), by a call of Linux 6.6. */
static int chmod_held(int fd, mode_t mode) {
  char held[32];

  snprintf(held, sizeof(held), "/proc/self/fd/%d", fd);
  if (chmod(held, mode) == 0)
    return 0;
  int err = uv__errno();
  if (!is_without_proc(err))
    return err;
  return uv__fchmod_path(fd, mode) == 0 ? 0 : uv__errno();
}

static int add_permissions(const char* path, mode_t bits) {
  struct stat st;
  int err = UV_EINVAL;

  /* The O_PATH descriptor pins the file that was checked, so that the same one
   * is changed. */
  int fd = uv__fd_open(path, O_PATH | O_NOFOLLOW, 0);
  if (fd < 0)
    return fd;
  if (fstat(fd, &st) != 0) {
    err = uv__errno();
  } else if (S_ISSOCK(st.st_mode)) {
    mode_t mode = (st.st_mode & 07777) | bits;
    err = chmod_held(fd, mode);
    /* Only the name is left (a filter may say EPERM). */
    if (err == UV_ENOSYS || err == UV_EPERM)
      err = chmod(path, mode) == 0 ? 0 : uv__errno();
  }
  uv__fd_close(fd);
  return err;
}
#else
static int add_permissions(const char* path, mode_t bits) {
  struct stat st;

  if (fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
    return uv__errno();
  if (!S_ISSOCK(st.st_mode))
    return UV_EINVAL;
  mode_t mode = (st.st_mode & 07777) | bits;
  return fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW) == 0 ? 0
                                                                  : uv__errno();
}
#endif

int uv__pipe_os_chmod(uv_pipe_t* pipe, int mode) {
  union any_name name;
  const char* path = pipe->pipe_fname;
  size_t len;

  /* The socket may have been bound before uv_pipe_open(). */
  if (path == NULL) {
    int err = query_name(pipe, uv__sock_local_name, &name, &len);
    if (err != 0)
      return err;
    path = name.space + PATH_OFFSET;
  }
  /* Without a file there are no permissions to change. */
  if (path[0] == '\0')
    return UV_ENOENT;
  return add_permissions(path, mode_of_flags(mode));
}
