/* SPDX-License-Identifier: MIT */
/* Raw mode: reading single keys.
 *
 *   a thread-pool wait on the console handle -> UV_READ -> all available
 *   events, as bytes, in as few callbacks as the buffers allow
 *
 * A key that did not fit, or that repeats, stays in the handle (last_key and
 * last_input_record) and is delivered before the next event.
 */
#include "win/tty.h"
#include "observe/callback.h"
#include "win/tty-keys.h"

/* Size suggested to alloc_cb; more than anybody types at once. */
#define SUGGESTED_SIZE 1024

/* Bytes collected for one buffer. */
struct typed {
  uv_buf_t buf;
  size_t used;
  int is_resized; /* among the keys were changes of the window's size */
};

/* Context: system thread pool. */
static void CALLBACK on_input(void* data, BOOLEAN timed_out) {
  uv_tty_t* tty = data;

  (void) timed_out;
  uv__req_set_bytes(&tty->read_req, 0);
  uv__req_post(tty->loop, &tty->read_req);
}

static int has_rest(const uv_tty_t* tty) {
  return tty->tty.rd.last_key_offset < tty->tty.rd.last_key_len;
}

void uv__tty_raw_read(uv_tty_t* tty) {
  uv_read_t* req = &tty->read_req;

  tty->tty.rd.read_raw_wait = NULL;
  if (has_rest(tty)) {
    uv__req_set_bytes(req, 0);
    uv__req_pend(tty->loop, req);
    return;
  }
  uv__req_overlapped(req)->Internal = STATUS_PENDING;
  if (RegisterWaitForSingleObject(&tty->tty.rd.read_raw_wait, tty->handle,
                                  on_input, tty, INFINITE,
                                  WT_EXECUTEINWAITTHREAD | WT_EXECUTEONLYONCE))
    return;
  uv__req_set_error(req, GetLastError());
  tty->tty.rd.read_raw_wait = NULL;
  uv__req_pend(tty->loop, req);
}

/* Afterwards no other thread touches the handle. */
static void stop_waiting(uv_tty_t* tty) {
  if (tty->tty.rd.read_raw_wait == NULL)
    return;
  /* Waits for a running callback, which does not wait for this thread. */
  UnregisterWaitEx(tty->tty.rd.read_raw_wait, INVALID_HANDLE_VALUE);
  tty->tty.rd.read_raw_wait = NULL;
}

void uv__tty_raw_stop(uv_tty_t* tty) {
  uv_read_t* req = &tty->read_req;

  if (tty->tty.rd.read_raw_wait == NULL)
    return; /* already pended or stopped */
  stop_waiting(tty);
  if (HasOverlappedIoCompleted(&req->u.io.overlapped))
    return; /* on_input() came first and has posted it */
  uv__req_set_error(req, ERROR_OPERATION_ABORTED);
  uv__req_pend(tty->loop, req);
}

static void raw_deliver(uv_tty_t* tty, struct typed* typed) {
  uv_stream_t* stream = (uv_stream_t*) tty;
  uv_buf_t buf = typed->buf;
  size_t used = typed->used;

  typed->buf = uv_buf_init(NULL, 0);
  typed->used = 0;
  uv__call_read(stream, (ssize_t) used, &buf);
}

/* Copies the rest of the last key; 0 if there is none. */
static int take_rest(uv_tty_t* tty, struct typed* typed) {
  WORD* repeat = &tty->tty.rd.last_input_record.Event.KeyEvent.wRepeatCount;

  if (!has_rest(tty)) {
    if (tty->tty.rd.last_key_len == 0 || *repeat <= 1) {
      tty->tty.rd.last_key_len = 0;
      tty->tty.rd.last_key_offset = 0;
      return 0;
    }
    --*repeat;
    tty->tty.rd.last_key_offset = 0;
  }
  while (has_rest(tty) && typed->used < typed->buf.len)
    typed->buf.base[typed->used++] =
        tty->tty.rd.last_key[tty->tty.rd.last_key_offset++];
  return 1;
}

static_assert(VK_F12 == UV__VK_F12 && VK_MENU == UV__VK_MENU &&
                  VK_DECIMAL == UV__VK_DECIMAL && VK_DELETE == UV__VK_DELETE &&
                  LEFT_CTRL_PRESSED == UV__KEY_LEFT_CTRL &&
                  SHIFT_PRESSED == UV__KEY_SHIFT &&
                  ENHANCED_KEY == UV__KEY_ENHANCED,
              "keys have the system's numbers");

static struct uv__key key_of(const KEY_EVENT_RECORD* event) {
  return (struct uv__key) {
    .is_down = event->bKeyDown,
    .code = event->wVirtualKeyCode,
    .unit = event->uChar.UnicodeChar,
    .state = event->dwControlKeyState,
  };
}

/* Makes the next event the last key, which may have no bytes. */
static DWORD take_event(uv_tty_t* tty, struct typed* typed) {
  INPUT_RECORD* record = &tty->tty.rd.last_input_record;
  DWORD count = 0;

  if (!ReadConsoleInputW(tty->handle, record, 1, &count))
    return GetLastError();
  if (count == 0)
    return ERROR_SUCCESS;
  if (record->EventType == WINDOW_BUFFER_SIZE_EVENT)
    typed->is_resized = 1;
  if (record->EventType != KEY_EVENT)
    return ERROR_SUCCESS;

  int is_vt = tty->tty.rd.mode.mode == UV_TTY_MODE_RAW_VT;
  struct uv__key key = key_of(&record->Event.KeyEvent);
  uint16_t high = tty->tty.rd.last_utf16_high_surrogate;
  tty->tty.rd.last_key_offset = 0;
  tty->tty.rd.last_key_len =
      uv__tty_encode_key(&key, &high, is_vt, tty->tty.rd.last_key);
  tty->tty.rd.last_utf16_high_surrogate = high;
  return ERROR_SUCCESS;
}

static int get_memory(uv_tty_t* tty, struct typed* typed) {
  uv_stream_t* stream = (uv_stream_t*) tty;

  if (typed->buf.base != NULL)
    return 1;
  uv__call_alloc(uv__base(stream), stream->alloc_cb, SUGGESTED_SIZE,
                 &typed->buf);
  /* If alloc_cb stopped reading, it keeps the buffer. */
  if (stream->flags & UV__READING) {
    if (typed->buf.base != NULL && typed->buf.len != 0)
      return 1;
    uv__call_read(stream, UV_ENOBUFS, &typed->buf);
  }
  typed->buf = uv_buf_init(NULL, 0);
  return 0;
}

/* Copies the rest of the last key into the buffer, and delivers the buffer when
 * it is full. Returns whether reading continues. */
static int store_rest(uv_tty_t* tty, struct typed* typed) {
  for (;;) {
    int may_repeat = tty->tty.rd.last_key_len != 0;
    if (!may_repeat || !(tty->flags & UV__READING))
      return (tty->flags & UV__READING) != 0;
    if (!get_memory(tty, typed))
      return 0;
    if (!take_rest(tty, typed))
      return 1;
    if (typed->used == typed->buf.len)
      raw_deliver(tty, typed);
  }
}

/* Handles all available events; returns the Win32 error that ended this. */
static DWORD take_events(uv_tty_t* tty, struct typed* typed) {
  DWORD count = 0;

  while (store_rest(tty, typed)) {
    if (!GetNumberOfConsoleInputEvents(tty->handle, &count))
      return GetLastError();
    if (count == 0)
      return ERROR_SUCCESS;
    DWORD sys_error = take_event(tty, typed);
    if (sys_error != ERROR_SUCCESS)
      return sys_error;
  }
  return ERROR_SUCCESS;
}

int uv__tty_raw_done(uv_tty_t* tty) {
  struct typed typed = { uv_buf_init(NULL, 0), 0, 0 };
  DWORD sys_error = uv__req_win32_error(&tty->read_req);

  stop_waiting(tty);
  if (!(tty->flags & UV__READING) || sys_error == ERROR_OPERATION_ABORTED)
    return 0;
  if (sys_error == ERROR_SUCCESS)
    sys_error = take_events(tty, &typed);
  if (typed.is_resized)
    uv__tty_check_resize(); /* once for all of them */
  /* A buffer from alloc_cb is always returned, even if empty. */
  if (typed.buf.base != NULL)
    raw_deliver(tty, &typed);
  return sys_error == ERROR_SUCCESS ? 0
                                    : uv_translate_sys_error((int) sys_error);
}
