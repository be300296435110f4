/* SPDX-License-Identifier: MIT */
/* Line mode: a thread waits in ReadConsoleW() while the user edits.
 *
 *   thread: a line -> UV_READ -> UTF-8 -> alloc_cb, read_cb, in chunks of the
 *   size of the user's buffers
 *
 * To interrupt the thread, we write a Return key into the console's input.
 * Cancelling the call would release the thread, but the console would still
 * consider a line read to be pending and swallow the next line.
 */
#include "win/tty.h"
#include "observe/callback.h"
#include "util/alloc.h"
#include "win/system-work.h"

#include <string.h>

/* A line is read in parts of this many units. */
#define LINE_UNITS 4096

/* Maximum UTF-8 bytes per unit. */
#define BYTES_PER_UNIT 3

#define SUGGESTED_SIZE 65536

/* Milliseconds to wait for the Return before cancelling the call. */
#define STOP_TRIES_MAX 1000

/* Identifies our Return: no key has this scan code. */
#define FAKE_SCAN_CODE 0xFFFF

/* Stored in read_line_buffer.base, from the first read on. */
struct line {
  CRITICAL_SECTION lock; /* guards thread and stop */
  HANDLE thread;         /* in ReadConsoleW(), or NULL */
  int stop;              /* the thread must give up */
  int was_faked;         /* the line was ended by our Return */
  DWORD units;           /* the thread's result, until it is handled */
  size_t at;             /* bytes of text already delivered */
  size_t size;           /* bytes of text */
  WCHAR wide[LINE_UNITS];
  char text[LINE_UNITS * BYTES_PER_UNIT + 1];
};

static struct line* line_of(const uv_tty_t* tty) {
  return (struct line*) (void*) tty->tty.rd.read_line_buffer.base;
}

static struct line* get_line(uv_tty_t* tty) {
  struct line* line = line_of(tty);
  if (line != NULL)
    return line;

  line = uv__calloc(1, sizeof(*line));
  if (line == NULL)
    return NULL;
  InitializeCriticalSection(&line->lock);
  tty->tty.rd.read_line_buffer = uv_buf_init((char*) line, sizeof(*line));
  return line;
}

void uv__tty_line_free(uv_tty_t* tty) {
  struct line* line = line_of(tty);
  if (line == NULL)
    return;

  DeleteCriticalSection(&line->lock);
  uv__free(line);
  tty->tty.rd.read_line_buffer = uv_buf_init(NULL, 0);
}

/* ---- the thread ---- */

/* Returns whether the thread may wait. */
static int line_publish(struct line* line, HANDLE thread) {
  EnterCriticalSection(&line->lock);
  int go = !line->stop && thread != NULL;
  if (go)
    line->thread = thread;
  LeaveCriticalSection(&line->lock);
  return go;
}

static void line_retract(struct line* line) {
  EnterCriticalSection(&line->lock);
  line->thread = NULL;
  LeaveCriticalSection(&line->lock);
}

/* Returns the Win32 error. A read ended by Ctrl-C, or by our Return, succeeds
 * with no data. */
static DWORD read_console(HANDLE handle, struct line* line, WCHAR carried) {
  DWORD first = 0;
  DWORD units = 0;

  if (carried != 0)
    line->wide[first++] = carried;
  SetLastError(ERROR_SUCCESS);
  BOOL ok = ReadConsoleW(handle, line->wide + first, LINE_UNITS - first, &units,
                         NULL);
  DWORD sys_error = GetLastError();
  line->units = first + units;
  if (!ok)
    return sys_error;
  if (units == 0 && sys_error != ERROR_SUCCESS)
    return ERROR_OPERATION_ABORTED;
  return ERROR_SUCCESS;
}

static void CALLBACK work_read(PTP_CALLBACK_INSTANCE instance, void* arg) {
  uv_tty_t* tty = arg;
  struct line* line = line_of(tty);
  HANDLE thread = OpenThread(THREAD_TERMINATE, FALSE, GetCurrentThreadId());
  DWORD sys_error = ERROR_OPERATION_ABORTED;

  (void) instance;
  if (line_publish(line, thread))
    sys_error =
        read_console(tty->handle, line, tty->tty.rd.last_utf16_high_surrogate);
  line_retract(line);
  if (thread != NULL)
    CloseHandle(thread);
  uv__req_set_error(&tty->read_req, sys_error);
  uv__req_post(tty->loop, &tty->read_req);
}

/* ---- loop thread ---- */

static void line_pend(uv_tty_t* tty, DWORD sys_error) {
  uv__req_set_error(&tty->read_req, sys_error);
  uv__req_pend(tty->loop, &tty->read_req);
}

void uv__tty_line_read(uv_tty_t* tty) {
  struct line* line = get_line(tty);

  if (line == NULL) {
    line_pend(tty, ERROR_NOT_ENOUGH_MEMORY);
    return;
  }
  line->stop = 0; /* no thread is running */
  line->was_faked = 0;
  line->units = 0;
  if (line->at < line->size)
    line_pend(tty, ERROR_SUCCESS);
  else if (uv__system_work(work_read, tty) != 0)
    line_pend(tty, ERROR_NOT_ENOUGH_MEMORY);
}

/* Tells the thread to give up; returns whether it is inside its call. */
static int is_in_call(struct line* line) {
  EnterCriticalSection(&line->lock);
  line->stop = 1;
  int in_call = line->thread != NULL;
  LeaveCriticalSection(&line->lock);
  return in_call;
}

static void cancel_call(struct line* line) {
  EnterCriticalSection(&line->lock);
  if (line->thread != NULL)
    CancelSynchronousIo(line->thread);
  LeaveCriticalSection(&line->lock);
}

static void press_return(HANDLE input) {
  INPUT_RECORD record;
  DWORD written;

  memset(&record, 0, sizeof(record));
  record.EventType = KEY_EVENT;
  record.Event.KeyEvent.bKeyDown = TRUE;
  record.Event.KeyEvent.wRepeatCount = 1;
  record.Event.KeyEvent.wVirtualKeyCode = VK_RETURN;
  record.Event.KeyEvent.wVirtualScanCode = FAKE_SCAN_CODE;
  record.Event.KeyEvent.uChar.UnicodeChar = L'\r';
  WriteConsoleInputW(input, &record, 1, &written);
}

/* Removes our Return from the input if it is still there, because the user's
 * own came first; returns whether it was. */
static int remove_return(HANDLE input) {
  INPUT_RECORD record;
  DWORD count = 0;

  if (!PeekConsoleInputW(input, &record, 1, &count) || count == 0)
    return 0;
  if (record.EventType != KEY_EVENT ||
      record.Event.KeyEvent.wVirtualScanCode != FAKE_SCAN_CODE)
    return 0;
  return ReadConsoleInputW(input, &record, 1, &count) && count == 1;
}

static void wait_until_out(struct line* line) {
  for (int i = 0; i < STOP_TRIES_MAX; i++) {
    if (!is_in_call(line))
      return;
    Sleep(i == 0 ? 0 : 1);
  }
  cancel_call(line);
}

/* The Return was echoed: moves the cursor back. In the last row of the buffer,
 * everything has scrolled up by one. */
static void undo_echo(HANDLE screen, const CONSOLE_SCREEN_BUFFER_INFO* before) {
  COORD to = before->dwCursorPosition;

  if (to.Y > 0 && to.Y == before->dwSize.Y - 1)
    to.Y--;
  SetConsoleCursorPosition(screen, to);
}

void uv__tty_line_stop(uv_tty_t* tty) {
  struct line* line = line_of(tty);
  CONSOLE_SCREEN_BUFFER_INFO before;

  if (line == NULL || !is_in_call(line))
    return;
  HANDLE screen = CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE,
                              FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                              OPEN_EXISTING, 0, NULL);
  int is_known = screen != INVALID_HANDLE_VALUE &&
                 GetConsoleScreenBufferInfo(screen, &before);

  press_return(tty->handle);
  wait_until_out(line);
  line->was_faked = !remove_return(tty->handle);
  if (is_known && line->was_faked)
    undo_echo(screen, &before);
  if (screen != INVALID_HANDLE_VALUE)
    CloseHandle(screen);
}

/* Converts what the thread has read to UTF-8. */
static void line_convert(uv_tty_t* tty, struct line* line) {
  size_t units = line->units;
  char* text = line->text;
  size_t size = sizeof(line->text);
  WCHAR last = units == 0 ? 0 : line->wide[units - 1];

  /* Keep a lone high surrogate until the low one arrives. */
  int is_half = last >= 0xD800 && last <= 0xDBFF;
  tty->tty.rd.last_utf16_high_surrogate = is_half ? last : 0;
  if (is_half)
    units--;
  line->at = 0;
  line->size = 0;
  if (units != 0 && uv_utf16_to_wtf8((const uint16_t*) line->wide,
                                     (ssize_t) units, &text, &size) == 0)
    line->size = size;
}

static void line_deliver(uv_tty_t* tty, struct line* line) {
  uv_stream_t* stream = (uv_stream_t*) tty;

  while (line->at < line->size && (stream->flags & UV__READING)) {
    uv_buf_t buf = uv_buf_init(NULL, 0);
    uv__call_alloc(uv__base(stream), stream->alloc_cb, SUGGESTED_SIZE, &buf);
    if (!(stream->flags & UV__READING))
      return; /* alloc_cb stopped reading; it keeps the buffer */
    if (buf.base == NULL || buf.len == 0) {
      uv__call_read(stream, UV_ENOBUFS, &buf);
      return;
    }
    size_t n = uv__min_size(buf.len, line->size - line->at);
    memcpy(buf.base, line->text + line->at, n);
    line->at += n;
    uv__call_read(stream, (ssize_t) n, &buf);
  }
}

int uv__tty_line_done(uv_tty_t* tty) {
  struct line* line = line_of(tty);
  DWORD sys_error = uv__req_win32_error(&tty->read_req);

  if (line == NULL)
    return uv_translate_sys_error((int) sys_error);
  /* Input typed before the thread was stopped is lost, but not a line that was
   * already complete. */
  int was_stopped = line->stop && sys_error != ERROR_SUCCESS;
  if (was_stopped || sys_error == ERROR_OPERATION_ABORTED || line->was_faked)
    return 0;
  if (sys_error != ERROR_SUCCESS)
    return uv_translate_sys_error((int) sys_error);

  if (line->at == line->size) {
    if (line->units == 0)
      return UV_EOF;
    line_convert(tty, line);
  }
  line_deliver(tty, line);
  return 0;
}
