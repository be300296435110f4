/* SPDX-License-Identifier: MIT */
/* Converts key events to the bytes a terminal would send.
 *
 * Keys with a character send it, preceded by ESC if Alt is held. Other keys
 * send escape sequences: the Linux console's if unmodified; with Shift and Ctrl
 * xterm's (CSI number ; modifiers final), except function keys, which send
 * rxvt's (CSI number final).
 */
#include "win/tty-keys.h"
#include "util/base.h"
#include "util/utf8.h"

#include <stdio.h>
#include <string.h>

#define ESC "\033"

struct key_code {
  uint16_t key;
  const char* plain;
  unsigned char number;  /* for the modified form */
  char final;            /* 0: a function key, */
  unsigned char shifted; /* which has another number with Shift */
};

static const struct key_code key_codes[] = {
  { UV__VK_UP, ESC "[A", 1, 'A', 0 },
  { UV__VK_DOWN, ESC "[B", 1, 'B', 0 },
  { UV__VK_RIGHT, ESC "[C", 1, 'C', 0 },
  { UV__VK_LEFT, ESC "[D", 1, 'D', 0 },
  { UV__VK_CLEAR, ESC "[G", 1, 'G', 0 },
  { UV__VK_HOME, ESC "[1~", 1, '~', 0 },
  { UV__VK_INSERT, ESC "[2~", 2, '~', 0 },
  { UV__VK_DELETE, ESC "[3~", 3, '~', 0 },
  { UV__VK_END, ESC "[4~", 4, '~', 0 },
  { UV__VK_PRIOR, ESC "[5~", 5, '~', 0 },
  { UV__VK_NEXT, ESC "[6~", 6, '~', 0 },
  { UV__VK_F1, ESC "[[A", 11, 0, 23 },
  { UV__VK_F2, ESC "[[B", 12, 0, 24 },
  { UV__VK_F3, ESC "[[C", 13, 0, 25 },
  { UV__VK_F4, ESC "[[D", 14, 0, 26 },
  { UV__VK_F5, ESC "[[E", 15, 0, 28 },
  { UV__VK_F6, ESC "[17~", 17, 0, 29 },
  { UV__VK_F7, ESC "[18~", 18, 0, 31 },
  { UV__VK_F8, ESC "[19~", 19, 0, 32 },
  { UV__VK_F9, ESC "[20~", 20, 0, 33 },
  { UV__VK_F10, ESC "[21~", 21, 0, 34 },
  { UV__VK_F11, ESC "[23~", 23, 0, 23 },
  { UV__VK_F12, ESC "[24~", 24, 0, 24 },
  { UV__VK_NUMPAD0, ESC "[2~", 2, '~', 0 },
  { UV__VK_NUMPAD1, ESC "[4~", 4, '~', 0 },
  { UV__VK_NUMPAD2, ESC "[B", 1, 'B', 0 },
  { UV__VK_NUMPAD3, ESC "[6~", 6, '~', 0 },
  { UV__VK_NUMPAD4, ESC "[D", 1, 'D', 0 },
  { UV__VK_NUMPAD5, ESC "[G", 1, 'G', 0 },
  { UV__VK_NUMPAD6, ESC "[C", 1, 'C', 0 },
  { UV__VK_NUMPAD7, ESC "[1~", 1, '~', 0 },
  { UV__VK_NUMPAD8, ESC "[A", 1, 'A', 0 },
  { UV__VK_NUMPAD9, ESC "[5~", 5, '~', 0 },
  { UV__VK_DECIMAL, ESC "[3~", 3, '~', 0 },
};

/* Keypad digits without NumLock. */
static const uint16_t keypad[] = {
  UV__VK_INSERT, UV__VK_END,   UV__VK_DOWN, UV__VK_NEXT, UV__VK_LEFT,
  UV__VK_CLEAR,  UV__VK_RIGHT, UV__VK_HOME, UV__VK_UP,   UV__VK_PRIOR,
};

unsigned char uv__tty_put_utf8(uint32_t cp, char* out) {
  static const unsigned char leads[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
  unsigned char len = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;

  for (unsigned char i = len; i > 1; i--) {
    out[i - 1] = (char) (0x80 | (cp & 0x3F));
    cp >>= 6;
  }
  out[0] = (char) (len == 1 ? cp : leads[len] | cp);
  return len;
}

/* Alt with keypad digits composes a character, which arrives when Alt is
 * released; the digits themselves are ignored. */
static int is_composing(const struct uv__key* key) {
  uint16_t code = key->code;

  if (!(key->state & UV__KEY_LEFT_ALT))
    return 0;
  if (key->state & UV__KEY_ENHANCED)
    return 0;
  if (code >= UV__VK_NUMPAD0 && code <= UV__VK_NUMPAD9)
    return 1;
  for (size_t i = 0; i < ARRAY_SIZE(keypad); i++)
    if (keypad[i] == code)
      return 1;
  return 0;
}

static int has_ctrl(const struct uv__key* key) {
  return (key->state & (UV__KEY_LEFT_CTRL | UV__KEY_RIGHT_CTRL)) != 0;
}

/* With Ctrl it is AltGr, which selects other characters. */
static int has_alt(const struct uv__key* key) {
  return (key->state & (UV__KEY_LEFT_ALT | UV__KEY_RIGHT_ALT)) &&
         (key->unit == 0 || !has_ctrl(key));
}

/* The event's character as a code point, or 0 if it is incomplete. */
static uint32_t code_point(uint16_t unit, uint16_t* high) {
  uint16_t first = *high;

  *high = 0;
  if (unit >= 0xD800 && unit <= 0xDBFF) {
    *high = unit;
    return 0;
  }
  if (!uv__is_surrogate(unit))
    return unit;
  if (first == 0)
    return 0xFFFD; /* unpaired surrogate */
  return 0x10000 + (((uint32_t) first - 0xD800) << 10) + (unit - 0xDC00u);
}

/* Shift and Ctrl each select another final character; from F11 on, the number
 * stays the same. */
static int format_function(const struct key_code* code,
                           int shift,
                           int ctrl,
                           char* text,
                           size_t size) {
  int is_last = code->number == code->shifted;
  char final = ctrl ? '^' : '~';

  if (shift && is_last)
    final = ctrl ? '@' : '$';
  return snprintf(text, size, ESC "[%u%c", shift ? code->shifted : code->number,
                  final);
}

static unsigned char put_sequence(const struct uv__key* key, char* out) {
  int shift = (key->state & UV__KEY_SHIFT) != 0;
  int ctrl = has_ctrl(key);

  for (size_t i = 0; i < ARRAY_SIZE(key_codes); i++) {
    const struct key_code* code = &key_codes[i];
    char text[16];
    int len;

    if (code->key != key->code)
      continue;
    if (!shift && !ctrl)
      len = snprintf(text, sizeof(text), "%s", code->plain);
    else if (code->final == 0)
      len = format_function(code, shift, ctrl, text, sizeof(text));
    else
      len = snprintf(text, sizeof(text), ESC "[%u;%d%c", code->number,
                     1 + shift + 4 * ctrl, code->final);
    memcpy(out, text, (size_t) len);
    return (unsigned char) len;
  }
  return 0;
}

unsigned char uv__tty_encode_key(const struct uv__key* key,
                                 uint16_t* high,
                                 int is_vt,
                                 char out[UV__TTY_KEY_MAX]) {
  uint16_t unit = key->unit;
  unsigned char at = 0;
  unsigned char len;

  /* Releasing Alt may deliver the composed character. */
  if (!key->is_down && (key->code != UV__VK_MENU || unit == 0))
    return 0;
  if (key->is_down && !is_vt && is_composing(key))
    return 0;

  if (key->is_down && !is_vt && has_alt(key))
    out[at++] = '\033';
  if (unit == 0) {
    len = is_vt ? 0 : put_sequence(key, out + at);
  } else {
    uint32_t cp = code_point(unit, high);
    len = cp == 0 ? 0 : uv__tty_put_utf8(cp, out + at);
  }
  return len == 0 ? 0 : (unsigned char) (at + len);
}
