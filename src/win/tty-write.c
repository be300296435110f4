/* SPDX-License-Identifier: MIT */
/* Writing to consoles: converts UTF-8 to UTF-16, synchronously.
 *
 * Characters and escape sequences may be split anywhere between two writes; the
 * handle keeps the decoder's state. Invalid UTF-8 becomes U+FFFD.
 */
#include "win/tty.h"
#include "util/utf8.h"

/* Units collected per console call. */
#define TEXT_UNITS 2048

#define REPLACEMENT 0xFFFD

/* Does the console process escape sequences itself? */
enum vterm { VTERM_UNKNOWN, VTERM_YES, VTERM_NO };

/* One writer at a time, so that sequences of several handles do not mix; guards
 * what follows and the state of tty-screen.c. */
static SRWLOCK lock = SRWLOCK_INIT;
static enum vterm vterm;

/* A call of uv_write() or uv_try_write(). */
struct output {
  uv_tty_t* tty;
  int is_vt;       /* pass escape sequences through as text */
  DWORD sys_error; /* of the first failed call */
  DWORD used;
  WCHAR text[TEXT_UNITS];
};

static void output_flush(struct output* out) {
  DWORD done = 0;

  while (out->sys_error == ERROR_SUCCESS && done < out->used) {
    DWORD written = 0;
    if (!WriteConsoleW(out->tty->handle, out->text + done, out->used - done,
                       &written, NULL))
      out->sys_error = GetLastError();
    else if (written == 0)
      out->sys_error = ERROR_WRITE_FAULT;
    done += written;
  }
  out->used = 0;
}

static void put_text(struct output* out, uint32_t cp) {
  if (out->used + 4 > TEXT_UNITS)
    output_flush(out);

  /* On some consoles a lone line feed keeps the column. */
  if (cp == '\n' && !out->tty->tty.wr.previous_eol)
    out->text[out->used++] = L'\r';
  out->tty->tty.wr.previous_eol = cp == '\r';
  if (cp < 0x10000) {
    out->text[out->used++] = (WCHAR) cp;
    return;
  }
  cp -= 0x10000;
  out->text[out->used++] = (WCHAR) (0xD800 + (cp >> 10));
  out->text[out->used++] = (WCHAR) (0xDC00 + (cp & 0x3FF));
}

static void put_parsed(struct output* out, uint32_t cp) {
  uv_tty_t* tty = out->tty;
  struct uv__ansi parser = {
    .state = tty->tty.wr.ansi_parser_state,
    .argc = tty->tty.wr.ansi_csi_argc,
  };
  struct uv__ansi_args args = { 0 };

  for (int i = 0; i < UV__ANSI_ARGS_MAX; i++)
    parser.argv[i] = tty->tty.wr.ansi_csi_argv[i];
  enum uv__ansi_op op = uv__ansi_feed(&parser, cp, &args);
  tty->tty.wr.ansi_parser_state = parser.state;
  tty->tty.wr.ansi_csi_argc = parser.argc;
  for (int i = 0; i < UV__ANSI_ARGS_MAX; i++)
    tty->tty.wr.ansi_csi_argv[i] = parser.argv[i];

  if (op == UV__ANSI_TEXT) {
    put_text(out, cp);
  } else if (op != UV__ANSI_NOTHING) {
    output_flush(out);
    if (out->sys_error == ERROR_SUCCESS)
      out->sys_error = uv__tty_screen_apply(tty, op, &args);
  }
}

static void put_code_point(struct output* out, uint32_t cp) {
  if (uv__is_surrogate(cp) || cp > 0x10FFFF)
    cp = REPLACEMENT;
  if (out->is_vt)
    put_text(out, cp);
  else
    put_parsed(out, cp);
}

/* Handles the first byte of a character. The upper bits of utf8_codepoint hold
 * the smallest code point of this length, and the number of bytes to come. */
static void begin_character(struct output* out, unsigned char byte) {
  unsigned char* left = &out->tty->tty.wr.utf8_bytes_left;
  unsigned int* cp = &out->tty->tty.wr.utf8_codepoint;

  if (byte < 0x80) {
    put_code_point(out, byte);
    return;
  }
  *left = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
  if (byte < 0xC2 || byte > 0xF4) {
    *left = 0;
    put_code_point(out, REPLACEMENT);
    return;
  }
  *cp = (byte & (0x3Fu >> *left)) | (unsigned int) *left << 24;
}

static void put_byte(struct output* out, unsigned char byte) {
  static const uint32_t smallest[] = { 0, 0x80, 0x800, 0x10000 };
  unsigned char* left = &out->tty->tty.wr.utf8_bytes_left;
  unsigned int* cp = &out->tty->tty.wr.utf8_codepoint;

  if (*left == 0) {
    begin_character(out, byte);
    return;
  }
  if ((byte & 0xC0) != 0x80) { /* truncated; this byte begins another */
    *left = 0;
    put_code_point(out, REPLACEMENT);
    begin_character(out, byte);
    return;
  }
  unsigned int length = *cp >> 24;
  unsigned int value = (*cp & 0xFFFFFF) << 6 | (byte & 0x3Fu);
  *cp = value | length << 24;
  if (--*left == 0)
    put_code_point(out, value < smallest[length] ? REPLACEMENT : value);
}

/* Detects support once, by setting the mode, which is left to the program
 * afterwards. */
static void find_vterm(HANDLE handle) {
  DWORD mode;

  if (vterm != VTERM_UNKNOWN || !GetConsoleMode(handle, &mode))
    return;
  vterm = SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING)
              ? VTERM_YES
              : VTERM_NO;
}

void uv__tty_output_init(HANDLE handle) {
  AcquireSRWLockExclusive(&lock);
  find_vterm(handle);
  uv__tty_screen_init(handle);
  ReleaseSRWLockExclusive(&lock);
}

int uv__tty_write_bufs(uv_tty_t* tty,
                       const uv_buf_t bufs[],
                       unsigned int nbufs) {
  struct output out;

  AcquireSRWLockExclusive(&lock);
  out.tty = tty;
  out.is_vt = vterm == VTERM_YES;
  out.sys_error = ERROR_SUCCESS;
  out.used = 0;
  for (unsigned int i = 0; i < nbufs; i++)
    for (ULONG j = 0; j < bufs[i].len && out.sys_error == ERROR_SUCCESS; j++)
      put_byte(&out, (unsigned char) bufs[i].base[j]);
  output_flush(&out);
  ReleaseSRWLockExclusive(&lock);

  return out.sys_error == ERROR_SUCCESS
             ? 0
             : uv_translate_sys_error((int) out.sys_error);
}

void uv_tty_set_vterm_state(uv_tty_vtermstate_t state) {
  AcquireSRWLockExclusive(&lock);
  vterm = state == UV_TTY_SUPPORTED ? VTERM_YES : VTERM_NO;
  ReleaseSRWLockExclusive(&lock);
}

int uv_tty_get_vterm_state(uv_tty_vtermstate_t* state) {
  if (state == NULL)
    return UV_EINVAL;

  AcquireSRWLockShared(&lock);
  *state = vterm == VTERM_YES ? UV_TTY_SUPPORTED : UV_TTY_UNSUPPORTED;
  ReleaseSRWLockShared(&lock);
  return 0;
}
