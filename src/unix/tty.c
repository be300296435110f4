/* SPDX-License-Identifier: MIT */
/* Terminals: streams with modes.
 *
 * The handle opens the terminal again and works on its own file description:
 * setting O_NONBLOCK on the caller's would affect every process that shares it.
 * The caller's fd stays unchanged and belongs to the caller. If the terminal
 * cannot be reopened (pty master, no permission), the handle takes over the fd,
 * leaves it blocking, and writes block.
 *
 * The first handle that changes the mode is remembered with the mode it found.
 * Closing that handle restores the mode, and uv_tty_reset_mode() does so for
 * programs that exit without closing it. Closing another handle changes
 * nothing: the mode it found may be one that the first had set.
 */
#include "os/tty.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "unix/stream.h"
#include "util/atomic.h"
#include "util/fork-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* Size of a terminal path. */
#define PATH_SIZE 256

/* What uv_tty_reset_mode() restores. Only set_mode and close wait for the lock:
 * a signal handler calling uv_tty_reset_mode() may have interrupted them and
 * must not wait. */
static struct {
  struct uv__fork_lock lock; /* guards what follows */
  int is_set; /* atomic, written last: a fork may find the rest half written */
  int fd;
  struct termios termios;
} reset;

static int get_termios(int fd, struct termios* termios) {
  int r;

  do
    r = tcgetattr(fd, termios);
  while (r == -1 && errno == EINTR);
  return r == 0 ? 0 : uv__errno();
}

/* Applies at once (TCSANOW): draining the output could block for ever. */
static int set_termios(int fd, const struct termios* termios) {
  int r;

  do
    r = tcsetattr(fd, TCSANOW, termios);
  while (r == -1 && errno == EINTR);
  return r == 0 ? 0 : uv__errno();
}

/* A pty master cannot be reopened: opening its name creates another pty. */
#if UV__HAVE_PTSNAME_R
static int is_pty_master(int fd) {
  char name[PATH_SIZE];
  return ptsname_r(fd, name, sizeof(name)) == 0;
}
#else
static int is_pty_master(int fd) {
  return ptsname(fd) != NULL;
}
#endif

static int open_by_name(int fd, int flags) {
  char name[PATH_SIZE];
  int r = ttyname_r(fd, name, sizeof(name));
  return r != 0 ? uv_translate_sys_error(r) : uv__fd_open(name, flags, 0);
}

#if UV__HAVE_PROCFS_EXE
/* Works for terminals without a visible name, as in a container. */
static int open_by_fd(int fd, int flags) {
  char name[PATH_SIZE];
  snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
  return uv__fd_open(name, flags, 0);
}
#else
static int open_by_fd(int fd, int flags) {
  (void) fd;
  (void) flags;
  return UV_ENOTSUP;
}
#endif

/* A new, non-blocking fd of the terminal behind `fd`, or UV_E*. */
static int open_again(int fd, int access_mode) {
  int flags = access_mode | O_NOCTTY | O_NONBLOCK;

  if (is_pty_master(fd))
    return UV_ENOTSUP;
  int own_fd = open_by_name(fd, flags);
  return own_fd >= 0 ? own_fd : open_by_fd(fd, flags);
}

static unsigned directions_of(int access_mode) {
  switch (access_mode) {
  case O_RDONLY:
    return UV__READABLE;
  case O_WRONLY:
    return UV__WRITABLE;
  default:
    return UV__READABLE | UV__WRITABLE;
  }
}

/* Chooses the fd of the handle; 0 or UV_E*. */
static int choose_fd(uv_tty_t* tty, int fd, int is_tty, int access_mode) {
  int own_fd = is_tty ? open_again(fd, access_mode) : fd;
  int err = 0;

  if (own_fd < 0) {
    own_fd = fd;
    tty->flags |= UV__BLOCKING_WRITES;
  } else if (own_fd == fd) {
    err = uv__fd_nonblock(fd, 1);
  }
  if (err == 0)
    err =
        uv__stream_open((uv_stream_t*) tty, own_fd, directions_of(access_mode));
  if (err != 0 && own_fd != fd)
    uv__fd_close(own_fd);
  return err;
}

int uv__tty_os_init(uv_loop_t* loop, uv_tty_t* tty, uv_file fd) {
  uv_handle_type type = uv_guess_handle(fd);
  if (type == UV_FILE || type == UV_UNKNOWN_HANDLE)
    return UV_EINVAL;

  int flags = uv__fd_flags(fd);
  if (flags < 0)
    return flags;

  uv__stream_init(loop, (uv_stream_t*) tty, UV_TTY);
  tty->mode = UV_TTY_MODE_NORMAL;
  int err = choose_fd(tty, fd, type == UV_TTY, flags & O_ACCMODE);
  if (err != 0)
    uv__handle_discard(uv__base(tty));
  return err;
}

/* Raw input: no line editing, echo, signals, flow control or translation.
 * Output is still processed, so that "\n" starts a new line. */
static void make_raw(struct termios* termios) {
  termios->c_iflag &= ~(tcflag_t) (BRKINT | ICRNL | INPCK | ISTRIP | IXON);
  termios->c_oflag |= ONLCR;
  termios->c_cflag |= CS8;
  termios->c_lflag &= ~(tcflag_t) (ECHO | ICANON | IEXTEN | ISIG);
  termios->c_cc[VMIN] = 1;
  termios->c_cc[VTIME] = 0;
}

static struct termios termios_for_mode(const uv_tty_t* tty,
                                       uv_tty_mode_t mode) {
  struct termios termios = tty->orig_termios;

  if (mode == UV_TTY_MODE_RAW)
    make_raw(&termios);
  else if (mode == UV_TTY_MODE_IO)
    cfmakeraw(&termios);
  return termios;
}

/* The first mode change of the process is the one to undo at exit. */
static void reset_remember(const uv_tty_t* tty, int fd) {
  if (uv__load_relaxed(&reset.is_set))
    return;
  reset.fd = fd;
  reset.termios = tty->orig_termios;
  uv__store_release(&reset.is_set, 1); /* for a child of fork() */
}

/* Under the lock: otherwise a concurrent reset could be undone. */
static int change_mode(uv_tty_t* tty, uv_tty_mode_t mode) {
  int fd = uv__stream_fd((uv_stream_t*) tty);

  if (tty->mode == UV_TTY_MODE_NORMAL) {
    struct termios found;
    int err = get_termios(fd, &found);
    if (err != 0)
      return err;
    tty->orig_termios = found;
    reset_remember(tty, fd);
  }

  struct termios termios = termios_for_mode(tty, mode);
  int err = set_termios(fd, &termios);
  if (err == 0)
    tty->mode = (int) mode;
  return err;
}

int uv__tty_os_set_mode(uv_tty_t* tty, uv_tty_mode_t mode) {
  if (mode == UV_TTY_MODE_RAW_VT)
    mode = UV_TTY_MODE_RAW; /* the same mode: the difference is Windows' */
  if (tty->mode == (int) mode)
    return 0;

  (void) uv__fork_lock(&reset.lock);
  int err = change_mode(tty, mode);
  uv__fork_unlock(&reset.lock);
  return err;
}

int uv_tty_reset_mode(void) {
  int saved_errno = errno;
  int err = 0;

  if (!uv__fork_trylock(&reset.lock))
    return UV_EBUSY; /* called from a signal handler, or a race */
  if (uv__load_relaxed(&reset.is_set))
    err = set_termios(reset.fd, &reset.termios);
  uv__fork_unlock(&reset.lock);
  errno = saved_errno;
  return err;
}

/* Restores the original mode before the fd of the remembered handle is closed.
 */
static void restore_mode(int fd) {
  (void) uv__fork_lock(&reset.lock);
  if (uv__load_relaxed(&reset.is_set) && reset.fd == fd) {
    (void) set_termios(fd, &reset.termios); /* the terminal may be gone */
    uv__store_relaxed(&reset.is_set, 0);
  }
  uv__fork_unlock(&reset.lock);
}

enum uv__close_result uv__tty_close(uv_handle_t* handle) {
  uv_tty_t* tty = (uv_tty_t*) handle;
  int fd = uv__stream_fd((uv_stream_t*) tty);

  assert(handle->type == UV_TTY);
  if (fd != -1)
    restore_mode(fd);
  uv__stream_close((uv_stream_t*) tty);
  return UV__CLOSE_DONE;
}

int uv__tty_os_get_winsize(const uv_tty_t* tty, int* width, int* height) {
  struct winsize size;
  int r;

  do
    r = ioctl(uv__stream_fd((const uv_stream_t*) tty), TIOCGWINSZ, &size);
  while (r == -1 && errno == EINTR);
  if (r == -1)
    return uv__errno();

  *width = size.ws_col;
  *height = size.ws_row;
  return 0;
}

/* Only Windows consoles may lack virtual terminal sequences. */
void uv_tty_set_vterm_state(uv_tty_vtermstate_t state) {
  (void) state;
}

int uv_tty_get_vterm_state(uv_tty_vtermstate_t* state) {
  (void) state;
  return UV_ENOTSUP;
}
