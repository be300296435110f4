/* SPDX-License-Identifier: MIT */
/* Converts key events to the bytes a terminal would send; tty-keys.c. Pure:
 * independent of the operating system, so that it is tested everywhere. */
#ifndef UV_WIN_TTY_KEYS_H_
#define UV_WIN_TTY_KEYS_H_

#include <stdint.h>

/* VK_* of the Windows API. */
enum {
  UV__VK_CLEAR = 0x0C,
  UV__VK_MENU = 0x12,
  UV__VK_PRIOR = 0x21,
  UV__VK_NEXT = 0x22,
  UV__VK_END = 0x23,
  UV__VK_HOME = 0x24,
  UV__VK_LEFT = 0x25,
  UV__VK_UP = 0x26,
  UV__VK_RIGHT = 0x27,
  UV__VK_DOWN = 0x28,
  UV__VK_INSERT = 0x2D,
  UV__VK_DELETE = 0x2E,
  UV__VK_NUMPAD0 = 0x60,
  UV__VK_NUMPAD1 = 0x61,
  UV__VK_NUMPAD2 = 0x62,
  UV__VK_NUMPAD3 = 0x63,
  UV__VK_NUMPAD4 = 0x64,
  UV__VK_NUMPAD5 = 0x65,
  UV__VK_NUMPAD6 = 0x66,
  UV__VK_NUMPAD7 = 0x67,
  UV__VK_NUMPAD8 = 0x68,
  UV__VK_NUMPAD9 = 0x69,
  UV__VK_DECIMAL = 0x6E,
  UV__VK_F1 = 0x70,
  UV__VK_F2 = 0x71,
  UV__VK_F3 = 0x72,
  UV__VK_F4 = 0x73,
  UV__VK_F5 = 0x74,
  UV__VK_F6 = 0x75,
  UV__VK_F7 = 0x76,
  UV__VK_F8 = 0x77,
  UV__VK_F9 = 0x78,
  UV__VK_F10 = 0x79,
  UV__VK_F11 = 0x7A,
  UV__VK_F12 = 0x7B
};

/* Control key states of the Windows API. */
enum {
  UV__KEY_RIGHT_ALT = 0x01,
  UV__KEY_LEFT_ALT = 0x02,
  UV__KEY_RIGHT_CTRL = 0x04,
  UV__KEY_LEFT_CTRL = 0x08,
  UV__KEY_SHIFT = 0x10,
  UV__KEY_ENHANCED = 0x100
};

/* A key event. */
struct uv__key {
  int is_down;    /* pressed; else released */
  uint16_t code;  /* UV__VK_*, or another */
  uint16_t unit;  /* UTF-16 unit of its character, or 0 */
  uint32_t state; /* UV__KEY_* */
};

/* Maximum bytes per key. */
#define UV__TTY_KEY_MAX 8

/* Converts a key event; returns the number of bytes, 0 if none. `high` keeps
 * the first half of a character that arrives in two events. `is_vt`: the
 * console itself generates escape sequences. */
unsigned char uv__tty_encode_key(const struct uv__key* key,
                                 uint16_t* high,
                                 int is_vt,
                                 char out[UV__TTY_KEY_MAX]);

/* Encodes a code point as UTF-8; returns the number of bytes, at most 4. */
unsigned char uv__tty_put_utf8(uint32_t cp, char* out);

#endif /* UV_WIN_TTY_KEYS_H_ */
