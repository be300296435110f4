/* SPDX-License-Identifier: MIT */
/* Consoles as streams: initialisation, modes, closing, and the table of stream
 * operations. win/tty.h says which file does what.
 */
#include "win/tty.h"
#include "win/fd.h"

#include <string.h>

/* The console's input mode before we first changed it, for
 * uv_tty_reset_mode(). */
static SRWLOCK reset_lock = SRWLOCK_INIT;
static DWORD reset_mode;
static int reset_is_set;

/* What uv_tty_set_mode() does not change: the mouse and the ways to edit, which
 * the program or its user has chosen. */
#define KEPT_INPUT_MODES                                                       \
 (ENABLE_MOUSE_INPUT | ENABLE_INSERT_MODE | ENABLE_QUICK_EDIT_MODE |           \
  ENABLE_EXTENDED_FLAGS)

static const DWORD input_modes[] = {
  [UV_TTY_MODE_NORMAL] =
      ENABLE_ECHO_INPUT | ENABLE_LINE_INPUT | ENABLE_PROCESSED_INPUT,
  [UV_TTY_MODE_RAW] = ENABLE_WINDOW_INPUT,
  [UV_TTY_MODE_IO] = 0, /* not supported */
  [UV_TTY_MODE_RAW_VT] = ENABLE_WINDOW_INPUT | ENABLE_VIRTUAL_TERMINAL_INPUT,
};

void uv__tty_init_process(void) {
  /* Nothing to do: state is initialised on first use. */
}

/* Returns whether the console handle is readable; UV_E* if it is not a
 * console. */
static int find_direction(HANDLE handle) {
  CONSOLE_SCREEN_BUFFER_INFO info;
  DWORD count;

  if (GetNumberOfConsoleInputEvents(handle, &count))
    return 1;
  if (GetConsoleScreenBufferInfo(handle, &info))
    return 0;
  return uv__last_error(); /* UV_EBADF for files, too */
}

int uv__tty_os_init(uv_loop_t* loop, uv_tty_t* tty, uv_file fd) {
  HANDLE handle = INVALID_HANDLE_VALUE;
  int owner = UV__NO_FD;

  int err = uv__fd_take(fd, &handle, &owner);
  if (err != 0)
    return err;
  int is_input = find_direction(handle);
  if (is_input < 0) {
    uv__fd_take_undo(handle, owner);
    return is_input;
  }

  uv__stream_init(loop, (uv_stream_t*) tty, UV_TTY);
  memset(&tty->tty, 0, sizeof(tty->tty));
  tty->handle = handle;
  tty->u.fd = owner;
  uv__stream_opened(
      (uv_stream_t*) tty,
      UV__CONNECTED | (is_input ? UV__READABLE | UV__TTY_INPUT : UV__WRITABLE));
  if (is_input)
    tty->tty.rd.mode.mode = UV_TTY_MODE_NORMAL;
  else
    uv__tty_output_init(handle);
  return 0;
}

int uv__tty_fileno(const uv_handle_t* handle, uv_os_fd_t* fd) {
  const uv_tty_t* tty = (const uv_tty_t*) handle;

  if (tty->handle == INVALID_HANDLE_VALUE)
    return UV_EBADF;
  *fd = tty->handle;
  return 0;
}

/* ---- modes ---- */

/* Ends the pending read; its completion starts the next one. */
static void stop_waiting(uv_tty_t* tty) {
  if (!(tty->flags & UV__READ_PENDING))
    return;
  if (tty->flags & UV__TTY_BY_LINE)
    uv__tty_line_stop(tty);
  else
    uv__tty_raw_stop(tty);
}

static void save_reset_mode(HANDLE handle) {
  DWORD mode;

  AcquireSRWLockExclusive(&reset_lock);
  if (!reset_is_set && GetConsoleMode(handle, &mode)) {
    reset_mode = mode;
    reset_is_set = 1;
  }
  ReleaseSRWLockExclusive(&reset_lock);
}

/* Consoles before Windows 10 do not support virtual terminal input and reject
 * the mode; keys are then converted to the same sequences here (tty-keys.c).
 * Wine accepts the mode.
 * https://learn.microsoft.com/windows/console/setconsolemode */
static int change_mode(uv_tty_t* tty, uv_tty_mode_t* mode, DWORD kept) {
  if (SetConsoleMode(tty->handle, input_modes[*mode] | kept))
    return 0;
  int err = uv__last_error();
  if (*mode != UV_TTY_MODE_RAW_VT ||
      !SetConsoleMode(tty->handle, input_modes[UV_TTY_MODE_RAW] | kept))
    return err;
  *mode = UV_TTY_MODE_RAW;
  return 0;
}

int uv__tty_os_set_mode(uv_tty_t* tty, uv_tty_mode_t mode) {
  if (!(tty->flags & UV__READABLE))
    return UV_EINVAL;
  if (mode == UV_TTY_MODE_IO)
    return UV_ENOTSUP;
  DWORD current = 0;
  int is_known = GetConsoleMode(tty->handle, &current) != 0;
  DWORD kept = current & KEPT_INPUT_MODES;
  /* The console has one mode: another handle or process may have changed it. */
  if (tty->tty.rd.mode.mode == (int) mode && is_known &&
      current == (input_modes[mode] | kept))
    return 0;

  save_reset_mode(tty->handle);
  stop_waiting(tty);
  int err = change_mode(tty, &mode, kept);
  if (err != 0)
    return err;
  tty->tty.rd.mode.mode = (int) mode;
  tty->tty.rd.last_key_len = 0;
  tty->tty.rd.last_key_offset = 0;
  return 0;
}

int uv_tty_reset_mode(void) {
  int err = 0;

  if (!TryAcquireSRWLockExclusive(&reset_lock))
    return UV_EBUSY;
  if (reset_is_set) {
    HANDLE handle = CreateFileW(L"CONIN$", GENERIC_READ | GENERIC_WRITE,
                                FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                                OPEN_EXISTING, 0, NULL);
    if (handle == INVALID_HANDLE_VALUE || !SetConsoleMode(handle, reset_mode))
      err = uv__last_error();
    if (handle != INVALID_HANDLE_VALUE)
      CloseHandle(handle);
  }
  ReleaseSRWLockExclusive(&reset_lock);
  uv__tty_screen_restore_cursor();
  return err;
}

int uv__tty_os_get_winsize(const uv_tty_t* tty, int* width, int* height) {
  CONSOLE_SCREEN_BUFFER_INFO info;

  if (!GetConsoleScreenBufferInfo(tty->handle, &info))
    return uv__last_error();
  *width = info.dwSize.X;
  *height = info.srWindow.Bottom - info.srWindow.Top + 1;
  return 0;
}

/* ---- reading ---- */

static void read_continue(uv_tty_t* tty) {
  if (!(tty->flags & UV__READING) || (tty->flags & UV__READ_PENDING))
    return;

  tty->flags |= UV__READ_PENDING;
  tty->reqs_pending++;
  if (tty->tty.rd.mode.mode == UV_TTY_MODE_NORMAL) {
    tty->flags |= UV__TTY_BY_LINE;
    uv__tty_line_read(tty);
  } else {
    tty->flags &= ~UV__TTY_BY_LINE;
    uv__tty_raw_read(tty);
  }
}

static int read_start(uv_stream_t* stream) {
  stream->flags |= UV__READING;
  uv__activity_begin(stream, &stream->activecnt);
  read_continue((uv_tty_t*) stream);
  return 0;
}

static void read_stop(uv_stream_t* stream) {
  stream->flags &= ~UV__READING;
  uv__activity_end(stream, &stream->activecnt);
  /* Otherwise it would consume input meant for other readers. */
  stop_waiting((uv_tty_t*) stream);
}

void uv__tty_read_done(uv_handle_t* handle, uv_req_t* req) {
  uv_tty_t* tty = (uv_tty_t*) handle;

  (void) req;
  tty->flags &= ~UV__READ_PENDING;
  int err = tty->flags & UV__TTY_BY_LINE ? uv__tty_line_done(tty)
                                         : uv__tty_raw_done(tty);
  if (err != 0 && (tty->flags & UV__READING))
    uv__stream_read_end((uv_stream_t*) tty, err, NULL);
  if (!uv__is_closing(handle))
    read_continue(tty);
  uv__req_finished(tty, &tty->reqs_pending);
}

/* ---- writing ---- */

static int write_now(uv_write_t* req,
                     uv_stream_t* stream,
                     const uv_buf_t bufs[],
                     unsigned int nbufs,
                     uv_stream_t* send_handle) {
  size_t bytes = 0;

  for (unsigned int i = 0; i < nbufs; i++)
    bytes += bufs[i].len;
  /* Nothing is queued: the data is on the screen when uv_write() returns. */
  uv__stream_write_begin(stream, req, 0, send_handle);
  req->coalesced = uv__tty_write_bufs((uv_tty_t*) stream, bufs, nbufs);
  uv__req_overlapped(req);
  uv__req_set_bytes(req, bytes);
  uv__req_pend(stream->loop, req);
  return 0;
}

/* `coalesced`, which only pipes need otherwise, carries the result. */
void uv__tty_write_done(uv_handle_t* handle, uv_req_t* base) {
  uv_write_t* req = (uv_write_t*) base;
  int err = req->coalesced;

  req->coalesced = 0;
  req->write_extra.nwritten = err == 0 ? uv__req_bytes(req) : 0;
  uv__stream_write_report((uv_stream_t*) handle, req, err);
}

static int try_write(uv_stream_t* stream,
                     const uv_buf_t bufs[],
                     unsigned int nbufs,
                     uv_stream_t* send_handle) {
  size_t bytes = 0;

  if (send_handle != NULL)
    return UV_EINVAL;
  if (stream->write_reqs_pending > 0)
    return UV_EAGAIN;
  int err = uv__tty_write_bufs((uv_tty_t*) stream, bufs, nbufs);
  if (err != 0)
    return err;
  for (unsigned int i = 0; i < nbufs; i++)
    bytes += bufs[i].len;
  return (int) uv__min_size(bytes, INT32_MAX);
}

static void shut_down(uv_stream_t* stream, uv_shutdown_t* req) {
  if (stream->write_reqs_pending > 0)
    return; /* the last of them calls again */
  stream->reqs_pending++;
  uv__req_set_bytes(req, 0);
  uv__req_pend(stream->loop, req);
}

void uv__tty_shutdown_done(uv_handle_t* handle, uv_req_t* req) {
  uv_stream_t* stream = (uv_stream_t*) handle;

  (void) req; /* stream->shutdown_req */
  uv__stream_shutdown_end(stream, uv__is_closing(handle) ? UV_ECANCELED : 0);
  uv__req_finished(stream, &stream->reqs_pending);
}

/* In the same iteration as the callback of the last write, as in libuv. */
static void shut_down_after_write(uv_stream_t* stream, uv_shutdown_t* req) {
  stream->reqs_pending++;
  uv__tty_shutdown_done(uv__base(stream), uv__req_base(req));
}

/* ---- closing ---- */

enum uv__close_result uv__tty_close(uv_handle_t* handle) {
  uv_tty_t* tty = (uv_tty_t*) handle;

  stop_waiting(tty);
  uv__fd_give_back(&tty->handle, &tty->u.fd);
  tty->flags &= ~(UV__READING | UV__READABLE | UV__WRITABLE);
  uv__handle_stop(handle);
  return uv__close_when_idle(tty->reqs_pending);
}

static void tty_release(uv_stream_t* stream) {
  if (stream->flags & UV__TTY_INPUT)
    uv__tty_line_free((uv_tty_t*) stream);
}

enum uv__finish_result uv__tty_finish(uv_handle_t* handle) {
  return uv__stream_finish(handle);
}

static int is_open(const uv_stream_t* stream) {
  return ((const uv_tty_t*) stream)->handle != INVALID_HANDLE_VALUE;
}

static int set_blocking(uv_stream_t* stream, int on) {
  (void) stream;
  /* Console writes always block. */
  return on ? 0 : UV_EINVAL;
}

const struct uv__stream_ops uv__tty_stream_ops = {
  .is_open = is_open,
  .listen = NULL,
  .accept = NULL,
  .accept_fd = NULL,
  .reject = NULL,
  .listen_pause = NULL,
  .give_away = NULL,
  .read_start = read_start,
  .read_stop = read_stop,
  .can_send = NULL,
  .write = write_now,
  .try_write = try_write,
  .shutdown = shut_down,
  .shutdown_after_write = shut_down_after_write,
  .set_blocking = set_blocking,
  .cancel_write = NULL,
  .cancel_connect = NULL,
  .release = tty_release,
};
