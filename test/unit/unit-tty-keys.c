/* SPDX-License-Identifier: MIT */
/* win/tty-keys.c: what keys send. It is pure, so it is compiled in here and
 * tested on every system. */
#include "unit.h"

#include "util/base.h"

/* Not the library's own, where it has one. */
#define uv__tty_encode_key unit_tty_encode_key
#define uv__tty_put_utf8 unit_tty_put_utf8
#include "win/tty-keys.c"

static uint16_t high;

/* What a pressed key sends. */
static const char* press(unsigned code, unsigned unit, unsigned state) {
  static char text[UV__TTY_KEY_MAX + 1];
  struct uv__key key = { 1, (uint16_t) code, (uint16_t) unit, state };
  char out[UV__TTY_KEY_MAX];

  unsigned len = uv__tty_encode_key(&key, &high, 0, out);
  CHECK(len <= sizeof(out));
  memcpy(text, out, len);
  text[len] = '\0';
  return text;
}

UNIT_TEST(tty_keys_with_a_character) {
  CHECK_STR("a", press('A', 'a', 0));
  CHECK_STR("\r", press(0x0D, '\r', 0));
  CHECK_STR("\303\244", press(0xDE, 0xE4, 0));
  CHECK_STR("\342\202\254", press('E', 0x20AC, 0));
  CHECK_STR("\033a", press('A', 'a', UV__KEY_LEFT_ALT));
  /* AltGr is both, and part of the character. */
  CHECK_STR("@", press('Q', '@', UV__KEY_RIGHT_ALT | UV__KEY_LEFT_CTRL));
  CHECK_STR("\001", press('A', 1, UV__KEY_LEFT_CTRL));
}

UNIT_TEST(tty_keys_with_a_sequence) {
  static const struct {
    unsigned code;
    unsigned state;
    const char* text;
  } rows[] = {
    { UV__VK_UP, 0, "\033[A" },
    { UV__VK_HOME, 0, "\033[1~" },
    { UV__VK_F1, 0, "\033[[A" },
    { UV__VK_F12, 0, "\033[24~" },
    { UV__VK_NUMPAD8, 0, "\033[A" },
    { UV__VK_UP, UV__KEY_SHIFT, "\033[1;2A" },
    { UV__VK_UP, UV__KEY_RIGHT_CTRL, "\033[1;5A" },
    { UV__VK_DELETE, UV__KEY_LEFT_ALT | UV__KEY_LEFT_CTRL, "\033\033[3;5~" },
    { UV__VK_NUMPAD4, UV__KEY_LEFT_ALT | UV__KEY_ENHANCED, "\033\033[D" },
    { UV__VK_DELETE, UV__KEY_LEFT_ALT | UV__KEY_ENHANCED, "\033\033[3~" },
    { 0x10, 0, "" }, /* Shift alone */
  };

  for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
    CHECK_STR(rows[i].text, press(rows[i].code, 0, rows[i].state));
}

/* libuv 1.50.0's, which are rxvt's. */
UNIT_TEST(tty_keys_for_functions) {
  static const struct {
    unsigned code;
    const char* plain;
    const char* shift;
    const char* ctrl;
    const char* both;
  } rows[] = {
    { UV__VK_F1, "\033[[A", "\033[23~", "\033[11^", "\033[23^" },
    { UV__VK_F4, "\033[[D", "\033[26~", "\033[14^", "\033[26^" },
    { UV__VK_F5, "\033[[E", "\033[28~", "\033[15^", "\033[28^" },
    { UV__VK_F6, "\033[17~", "\033[29~", "\033[17^", "\033[29^" },
    { UV__VK_F10, "\033[21~", "\033[34~", "\033[21^", "\033[34^" },
    { UV__VK_F11, "\033[23~", "\033[23$", "\033[23^", "\033[23@" },
    { UV__VK_F12, "\033[24~", "\033[24$", "\033[24^", "\033[24@" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    unsigned both = UV__KEY_SHIFT | UV__KEY_RIGHT_CTRL;
    CHECK_STR(rows[i].plain, press(rows[i].code, 0, 0));
    CHECK_STR(rows[i].shift, press(rows[i].code, 0, UV__KEY_SHIFT));
    CHECK_STR(rows[i].ctrl, press(rows[i].code, 0, UV__KEY_LEFT_CTRL));
    CHECK_STR(rows[i].both, press(rows[i].code, 0, both));
  }
}

/* Every key with every modifier fits, and starts with an escape. */
UNIT_TEST(tty_keys_all_fit) {
  for (size_t i = 0; i < ARRAY_SIZE(key_codes); i++)
    for (unsigned state = 0; state < 0x20; state++) {
      const char* text = press(key_codes[i].key, 0, state | UV__KEY_ENHANCED);
      CHECK(text[0] == '\033' || text[0] == '\0');
    }
}

/* Alt and keypad digits: only the composed character counts. */
UNIT_TEST(tty_keys_composed) {
  struct uv__key released = { 0, UV__VK_MENU, 0xE9, 0 };
  char out[UV__TTY_KEY_MAX];

  CHECK_STR("", press(UV__VK_NUMPAD1, 0, UV__KEY_LEFT_ALT));
  CHECK_STR("", press(UV__VK_END, 0, UV__KEY_LEFT_ALT)); /* without NumLock */
  CHECK_EQ(2, uv__tty_encode_key(&released, &high, 0, out));
  CHECK_MEM("\303\251", out, 2);
  released.unit = 0;
  CHECK_EQ(0, uv__tty_encode_key(&released, &high, 0, out));
  released.code = 'A';
  released.unit = 'a';
  CHECK_EQ(0, uv__tty_encode_key(&released, &high, 0, out));
}

UNIT_TEST(tty_keys_characters_of_two_units) {
  high = 0;
  CHECK_STR("", press(0, 0xD83D, 0));
  CHECK_STR("\360\237\230\200", press(0, 0xDE00, 0));
  CHECK_EQ(0, high);
  CHECK_STR("\357\277\275", press(0, 0xDE00, 0)); /* half of nothing */
  CHECK_STR("", press(0, 0xD83D, 0));
  CHECK_STR("a", press('A', 'a', 0)); /* the half is forgotten */
  CHECK_STR("\357\277\275", press(0, 0xDE00, 0));
}

/* The console generates sequences, so keys do not; characters pass. */
UNIT_TEST(tty_keys_of_a_terminal) {
  struct uv__key key = { 1, UV__VK_UP, 0, 0 };
  char out[UV__TTY_KEY_MAX];

  CHECK_EQ(0, uv__tty_encode_key(&key, &high, 1, out));
  key.unit = '[';
  key.state = UV__KEY_LEFT_ALT;
  CHECK_EQ(1, uv__tty_encode_key(&key, &high, 1, out));
  CHECK_EQ('[', out[0]);
}
