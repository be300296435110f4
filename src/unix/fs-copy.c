/* SPDX-License-Identifier: MIT */
/* Moving bytes between files: sendfile and copyfile.
 *
 * copyfile: if requested, clone by name (fs-clone.c), then by descriptor.
 * Otherwise copy with the system's library function, or with copy_file_range(),
 * then sendfile(), then read and write, each from where the previous one
 * stopped; only the error of the last one counts. A copy with data gets the
 * current time, an empty one the times of the source. Owner, mode and times are
 * best effort: not every file system has them.
 *
 * Set-user-ID: only for a file that this call created, when it is complete.
 * Whoever has an older one open or mapped could change the program.
 *
 * Failure: a destination that this call created is removed, if the name still
 * refers to it; one that existed never is.
 */
#include "unix/fs-ops.h"
#include "unix/fd.h"
#include "unix/fs-clone.h"
#include "unix/newer-calls.h"
#include "unix/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#if UV__HAVE_SENDFILE_ANY
# include <sys/sendfile.h>
#elif UV__HAVE_SENDFILE_SOCKET || UV__HAVE_SENDFILE_INOUT
# include <sys/socket.h>
# include <sys/types.h>
# include <sys/uio.h>
#endif

#if UV__HAVE_FCOPYFILE
# include <copyfile.h>
#endif

#if UV__HAVE_FICLONE
# include <linux/fs.h>
# include <sys/ioctl.h>
# ifndef FICLONE /* headers before Linux 4.5 */
#  define FICLONE _IOW(0x94, 9, int)
# endif
#endif

/* Bytes per call. The kernel can be interrupted between calls. */
#define KERNEL_CHUNK ((size_t) 1 << 30)
#define USER_CHUNK ((size_t) 1 << 14)

#define SET_ID (S_ISUID | S_ISGID)

#define CLONE_FLAGS (UV_FS_COPYFILE_FICLONE | UV_FS_COPYFILE_FICLONE_FORCE)

/* A method that moves up to `len` bytes at both file positions: bytes, 0 at the
 * end, or UV_E*. */
typedef ssize_t mover(int out, int in, size_t len);

#if UV__HAVE_COPY_FILE_RANGE
static ssize_t move_by_range(int out, int in, size_t len) {
  ssize_t n;
  do
    n = uv__copy_file_range(in, out, len);
  while (n < 0 && errno == EINTR);
  return n < 0 ? uv__errno() : n;
}
#else
static ssize_t move_by_range(int out, int in, size_t len) {
  (void) out;
  (void) in;
  (void) len;
  return UV_ENOSYS;
}
#endif

/* If `off` is NULL, reads at and advances the position of `in`. */
#if UV__HAVE_SENDFILE_ANY
static ssize_t kernel_sendfile(int out, int in, off_t* off, size_t len) {
  ssize_t n;
  do
    n = sendfile(out, in, off, len);
  while (n < 0 && errno == EINTR);
  return n < 0 ? uv__errno() : n;
}
#elif UV__HAVE_SENDFILE_SOCKET || UV__HAVE_SENDFILE_INOUT
/* sendfile() of this system; stores what it sent, also before an error. */
static int send_to_socket(int out, int in, off_t off, size_t len, off_t* sent) {
# if UV__HAVE_SENDFILE_INOUT
  *sent = (off_t) len;
  return sendfile(in, out, off, sent, NULL, 0);
# else
  return sendfile(in, out, off, len, NULL, sent, 0);
# endif
}

/* From a regular file to a stream socket; refuses anything else. */
static ssize_t kernel_sendfile(int out, int in, off_t* off, size_t len) {
  off_t sent = 0;
  int rc;

  if (off == NULL || len == 0) /* a length of 0 is everything */
    return UV_ENOSYS;
  do
    rc = send_to_socket(out, in, *off, len, &sent);
  while (rc != 0 && sent == 0 && errno == EINTR);
  return rc != 0 && sent == 0 ? uv__errno() : (ssize_t) sent;
}
#else
static ssize_t kernel_sendfile(int out, int in, off_t* off, size_t len) {
  (void) out;
  (void) in;
  (void) off;
  (void) len;
  return UV_ENOSYS;
}
#endif

static ssize_t move_by_sendfile(int out, int in, size_t len) {
  return kernel_sendfile(out, in, NULL, len);
}

static int wait_writable(int fd) {
  struct pollfd pfd = { .fd = fd, .events = POLLOUT };
  int rc;
  do
    rc = poll(&pfd, 1, -1);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? uv__errno() : 0;
}

/* Writes everything: bytes already read from a moving position would be lost
 * otherwise. */
static int write_all(int fd, const char* data, size_t len) {
  while (len > 0) {
    ssize_t n = uv__fd_write(fd, data, len);
    if (n == UV_EAGAIN)
      n = wait_writable(fd);
    if (n < 0)
      return (int) n;

    data += n;
    len -= (size_t) n;
  }
  return 0;
}

static ssize_t move_by_read(int out, int in, size_t len) {
  char data[USER_CHUNK];

  ssize_t got = uv__fd_read(in, data, uv__min_size(len, sizeof(data)));
  if (got <= 0)
    return got;

  int err = write_all(out, data, (size_t) got);
  return err != 0 ? err : got;
}

/* Uses one method until `len` bytes are moved (SIZE_MAX: until the end) or it
 * stops. Adds to *done; 0 or UV_E*. */
static int move_all(mover* move, int out, int in, size_t len, size_t* done) {
  while (*done < len) {
    ssize_t n = move(out, in, uv__min_size(len - *done, KERNEL_CHUNK));
    if (n < 0)
      return (int) n;
    if (n == 0)
      return 0;
    *done += (size_t) n;
  }
  return 0;
}

/* sendfile. */

static ssize_t read_at(int fd, void* data, size_t len, off_t off) {
  ssize_t n;
  do
    n = pread(fd, data, len, off);
  while (n < 0 && errno == EINTR);
  return n < 0 ? uv__errno() : n;
}

/* Reads at an offset, so a short write loses nothing. Makes at least one call,
 * so that a bad descriptor is reported even with nothing to send. */
static ssize_t send_from_offset(int out, int in, off_t off, size_t len) {
  char data[USER_CHUNK];
  size_t done = 0;
  ssize_t n;

  do {
    size_t want = uv__min_size(len - done, sizeof(data));
    n = read_at(in, data, want, off + (off_t) done);
    if (n > 0)
      n = uv__fd_write(out, data, (size_t) n);
    if (n > 0)
      done += (size_t) n;
  } while (n > 0 && done < len);

  return n < 0 && done == 0 ? n : (ssize_t) done;
}

/* Pipes and sockets have no offsets. What is read from them cannot be put back,
 * so nothing is read if there is nowhere to write it. */
static ssize_t send_from_stream(int out, int in, size_t len) {
  size_t done = 0;
  int err = uv__fd_flags(out);
  if (err < 0)
    return err;
  err = move_all(move_by_read, out, in, len, &done);
  return err != 0 && done == 0 ? err : (ssize_t) done;
}

/* Could another method succeed? */
static int is_refusal(ssize_t err) {
  static const int refusals[] = {
    UV_EINVAL, UV_EIO, UV_ENOTSOCK, UV_EXDEV, UV_ENOSYS, UV_ENOTSUP, UV_ESPIPE,
  };

  for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
    if (err == refusals[i])
      return 1;
  return 0;
}

ssize_t uv__fs_sendfile(uv_fs_t* req) {
  int out = req->file;
  int in = *uv__fs_sendfile_from(req);
  size_t len = uv__min_size(*uv__fs_sendfile_length(req), UV__FS_BYTES_MAX);
  off_t off = req->off;

  ssize_t n = kernel_sendfile(out, in, &off, len);
  if (n < 0 && is_refusal(n))
    n = send_from_offset(out, in, req->off, len);
  if (n == UV_ESPIPE)
    n = send_from_stream(out, in, len);
  /* For a directory, sendfile() reports EBADF (not open for writing) or EPIPE
   * (closed pipe); libuv tries copy_file_range() first, which reports EISDIR.
   * It moves nothing in these cases. */
  if ((n == UV_EBADF || n == UV_EPIPE) &&
      move_by_range(out, in, len) == UV_EISDIR)
    n = UV_EISDIR;
  return n;
}

/* copyfile. */

struct copy {
  const char* from;
  const char* to;
  int flags;
  int in; /* open while copying */
  int out;
  struct stat in_st;
  struct stat out_st; /* before we changed anything */
  int created;        /* by this call: remove it on failure */
  int has_owner;      /* the copy has the owner and group of the source */
  int has_data;       /* at least one byte was copied */
};

static int open_from(struct copy* copy) {
  copy->in = uv__fd_open(copy->from, O_RDONLY, 0);
  if (copy->in < 0)
    return copy->in;

  if (fstat(copy->in, &copy->in_st) == 0)
    return 0;
  int err = uv__errno();
  (void) uv__fd_close(copy->in); /* only read from */
  return err;
}

/* Creates the file only with O_EXCL, so that we know whether it is ours. */
static int open_to(struct copy* copy) {
  int mode = (int) (copy->in_st.st_mode & 0777);

  copy->out = uv__fd_open(copy->to, O_WRONLY | O_CREAT | O_EXCL, mode);
  copy->created = copy->out >= 0;

  /* O_CREAT: the name may be a dangling link, which O_EXCL does not follow.
   * What is created then counts as existing: it has another name, and somebody
   * else may have been faster. */
  if (copy->out == UV_EEXIST && !(copy->flags & UV_FS_COPYFILE_EXCL))
    copy->out = uv__fd_open(copy->to, O_WRONLY | O_CREAT, mode);
  if (copy->out < 0)
    return copy->out;

  if (fstat(copy->out, &copy->out_st) == 0)
    return 0;
  copy->created = 0; /* not to be recognised */
  return uv__errno();
}

/* Removes the destination if it is the file that this call created: the name
 * may have been given to another one meanwhile. (No system call compares and
 * removes at once; between the two the name can still change.) */
static void remove_created(const struct copy* copy) {
  struct stat st;

  if (copy->created && lstat(copy->to, &st) == 0 &&
      st.st_dev == copy->out_st.st_dev && st.st_ino == copy->out_st.st_ino)
    (void) unlink(copy->to); /* the first error is the one to report */
}

static int truncate_to(int fd, off_t size) {
  int rc;
  do
    rc = ftruncate(fd, size);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? uv__errno() : 0;
}

static int is_same_file(const struct copy* copy) {
  return copy->in_st.st_dev == copy->out_st.st_dev &&
         copy->in_st.st_ino == copy->out_st.st_ino;
}

#if UV__HAVE_FICLONE
static int clone_data(struct copy* copy) {
  if (ioctl(copy->out, FICLONE, copy->in) != 0)
    return uv__errno();

  /* Cloning does not shorten a longer destination. */
  copy->has_data = copy->in_st.st_size > 0;
  return truncate_to(copy->out, copy->in_st.st_size);
}
#else
static int clone_data(struct copy* copy) {
  (void) copy;
  return UV_ENOSYS;
}
#endif

/* Clones if requested and possible; fails only if the caller accepts nothing
 * else. */
static int try_clone(struct copy* copy, int* cloned) {
  *cloned = 0;
  if (!(copy->flags & CLONE_FLAGS))
    return 0;

  int err = clone_data(copy);
  *cloned = err == 0;
  return copy->flags & UV_FS_COPYFILE_FICLONE_FORCE ? err : 0;
}

#if UV__HAVE_FCOPYFILE
/* Copies all data with one library call. UV_ENOSYS: not applicable, and both
 * files are at their start. */
static int copy_by_library(struct copy* copy) {
  if (!S_ISREG(copy->in_st.st_mode) || !S_ISREG(copy->out_st.st_mode))
    return UV_ENOSYS;
  copy->has_data = copy->in_st.st_size > 0;
  if (fcopyfile(copy->in, copy->out, NULL, COPYFILE_DATA) == 0)
    return 0;
  int err = uv__errno();
  if (err != UV_ENOTSUP)
    return err;
  if (lseek(copy->in, 0, SEEK_SET) != 0 || lseek(copy->out, 0, SEEK_SET) != 0)
    return uv__errno();
  err = truncate_to(copy->out, 0);
  return err != 0 ? err : UV_ENOSYS;
}

/* Extended attributes and access lists. */
static void copy_extras(const struct copy* copy) {
  (void) fcopyfile(copy->in, copy->out, NULL,
                   COPYFILE_XATTR | COPYFILE_ACL); /* best effort */
}
#else
static int copy_by_library(struct copy* copy) {
  (void) copy;
  return UV_ENOSYS;
}

static void copy_extras(const struct copy* copy) {
  (void) copy;
}
#endif

/* Bytes to copy; SIZE_MAX: until the end. A regular file of size 0 (/proc) is
 * read to its end; a device or pipe of size 0 copies nothing, because it may
 * have no end. */
static size_t size_to_copy(const struct copy* copy) {
  off_t size = copy->in_st.st_size;

  if (S_ISREG(copy->in_st.st_mode) && size == 0)
    return SIZE_MAX;
  if (size <= 0)
    return 0;
  return (uintmax_t) size < SIZE_MAX ? (size_t) size : SIZE_MAX;
}

static int copy_data(struct copy* copy) {
  static mover* const methods[] = {
    move_by_range,
    move_by_sendfile,
    move_by_read,
  };
  size_t done = 0;
  int err = copy_by_library(copy);
  if (err != UV_ENOSYS)
    return err;
  size_t size = size_to_copy(copy);
  for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
    err = move_all(methods[i], copy->out, copy->in, size, &done);
  copy->has_data = done > 0;
  return err;
}

/* Without the right to change the owner, a process may still set one of its own
 * groups. */
static int copy_owner(const struct copy* copy) {
  if (fchown(copy->out, copy->in_st.st_uid, copy->in_st.st_gid) == 0)
    return 0;

  int err = uv__errno();
  (void) fchown(copy->out, (uid_t) -1, copy->in_st.st_gid); /* best effort */
  return err;
}

/* Owner and permissions, without set-user-ID. */
static void copy_rights(struct copy* copy) {
  copy->has_owner = copy_owner(copy) == 0;
  /* Best effort. */
  (void) fchmod(copy->out, copy->in_st.st_mode & (mode_t) ~SET_ID & 07777);
}

/* Not for another owner: the file must not run as another user. Writing clears
 * these bits, so this comes last. */
static void copy_set_id(const struct copy* copy) {
  if ((copy->in_st.st_mode & SET_ID) && copy->created && copy->has_owner)
    (void) fchmod(copy->out, copy->in_st.st_mode & 07777); /* best effort */
}

static void copy_times(const struct copy* copy) {
  struct timespec ts[2] = {
    UV__STAT_TIM(&copy->in_st, a),
    UV__STAT_TIM(&copy->in_st, m),
  };
  if (copy->has_data)
    ts[1].tv_nsec = UTIME_OMIT;
  (void) futimens(copy->out, ts); /* best effort */
}

/* Empties an old file before it gets a new owner and mode: they are not for its
 * old contents. Sets them before writing data, so that nobody without
 * permission can read it. */
static int copy_by_writing(struct copy* copy) {
  int err = copy->created ? 0 : truncate_to(copy->out, 0);
  if (err != 0)
    return err;

  copy_rights(copy);
  return copy_data(copy);
}

static int copy_regular(struct copy* copy) {
  int cloned;
  int err = try_clone(copy, &cloned);
  if (err != 0)
    return err;

  if (cloned)
    copy_rights(copy);
  else
    err = copy_by_writing(copy);
  if (err != 0)
    return err;

  copy_set_id(copy);
  copy_extras(copy);
  copy_times(copy);
  return 0;
}

static int copy_contents(struct copy* copy) {
  /* Checked here, because errors of the destination take precedence. */
  if (S_ISDIR(copy->in_st.st_mode))
    return UV_EISDIR;
  if (is_same_file(copy))
    return 0;
  if (S_ISREG(copy->out_st.st_mode))
    return copy_regular(copy);

  /* Devices and pipes keep their attributes and cannot be cloned. */
  if (copy->flags & UV_FS_COPYFILE_FICLONE_FORCE)
    return UV_ENOTSUP;
  return copy_data(copy);
}

#if UV__HAVE_CLONEFILE
/* Tries a clone by name. Returns 1 if that settles the request; *err is the
 * result. */
static int is_cloned_by_name(const struct copy* copy, int* err) {
  if (!(copy->flags & CLONE_FLAGS) || S_ISDIR(copy->in_st.st_mode))
    return 0;
  *err = uv__fs_clone(copy->in, copy->to, copy->flags);
  if (*err == 0 || *err == UV_EEXIST)
    return 1;
  return *err != UV_ENOSYS && (copy->flags & UV_FS_COPYFILE_FICLONE_FORCE);
}
#else
static int is_cloned_by_name(const struct copy* copy, int* err) {
  (void) copy;
  (void) err;
  return 0;
}
#endif

ssize_t uv__fs_copyfile(uv_fs_t* req) {
  struct copy copy = {
    .from = req->path,
    .to = req->new_path,
    .flags = req->flags,
  };

  int err = open_from(&copy);
  if (err != 0)
    return err;

  if (is_cloned_by_name(&copy, &err))
    goto close_in;
  err = open_to(&copy);
  if (copy.out < 0)
    goto close_in;

  if (err == 0)
    err = copy_contents(&copy);

  /* Before closing it: no other file can have its inode number yet. */
  if (err != 0)
    remove_created(&copy);
  /* Some file systems (NFS) report write errors only on close. */
  int close_err = uv__fd_close(copy.out);
  if (err == 0 && close_err != 0) {
    remove_created(&copy);
    err = close_err;
  }

close_in:
  (void) uv__fd_close(copy.in); /* only read from */
  return err;
}
