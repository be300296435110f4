/* SPDX-License-Identifier: MIT */
/* win/ansi.c: escape sequences. The parser is pure, so it is compiled in here
 * and tested on every system. */
#include "unit.h"

#include "util/base.h"

/* Not the library's own, where it has one. */
#define uv__ansi_feed unit_ansi_feed
#include "win/ansi.c"

/* Feeds all of `text` to a new parser; returns the answer to its last byte. */
static enum uv__ansi_op feed(const char* text,
                             size_t len,
                             struct uv__ansi_args* args) {
  struct uv__ansi parser = { 0 };
  enum uv__ansi_op op = UV__ANSI_NOTHING;

  memset(args, 0, sizeof(*args));
  for (size_t i = 0; i < len; i++)
    op = uv__ansi_feed(&parser, (unsigned char) text[i], args);
  return op;
}

#define FEED(text) feed("" text, sizeof(text) - 1, &args)

UNIT_TEST(ansi_csi_arguments) {
  struct uv__ansi_args args;

  CHECK_EQ(UV__ANSI_POSITION, FEED("\x1b[3;4H"));
  CHECK_EQ(2, args.argc);
  CHECK_EQ(3, args.argv[0]);
  CHECK_EQ(4, args.argv[1]);
  CHECK_EQ(UV__ANSI_CURSOR_UP, FEED("\x9b"
                                    "A"));
  CHECK_EQ(1, args.argv[0]);
  CHECK_EQ(UV__ANSI_SHOW_CURSOR, FEED("\x1b[?25h"));
  CHECK_EQ(UV__ANSI_NOTHING, FEED("\x1b[?26h"));
  CHECK_EQ(UV__ANSI_NOTHING, FEED("\x1b[65536A"));     /* too large */
  CHECK_EQ(UV__ANSI_NOTHING, FEED("\x1b[1;2;3;4;5m")); /* too many */
}

UNIT_TEST(ansi_string_ends) {
  struct uv__ansi_args args;

  CHECK_EQ(UV__ANSI_NOTHING, FEED("\x1b]0;title"));
  CHECK_EQ(UV__ANSI_TEXT, FEED("\x1b]0;title\a"
                               "x"));
  CHECK_EQ(UV__ANSI_TEXT, FEED("\x1b]0;title\x1b\\x"));
  CHECK_EQ(UV__ANSI_TEXT, FEED("\x1b]0;title\x9cx"));
  CHECK_EQ(UV__ANSI_CURSOR_UP, FEED("\x1b]0;title\x1b[A"));
}

/* Between quotes, terminators are part of the string, in the kinds of strings
 * that have quotes. */
UNIT_TEST(ansi_quotes_hide_the_end) {
  struct uv__ansi_args args;

  CHECK_EQ(UV__ANSI_NOTHING, FEED("\x1bP\"\a"
                                  "x"));
  CHECK_EQ(UV__ANSI_NOTHING, FEED("\x1b^\"\x9cx"));
  CHECK_EQ(UV__ANSI_NOTHING, FEED("\x1b_\"\x1b\\x"));
  CHECK_EQ(UV__ANSI_NOTHING, FEED("\x1bP\"\\\"\a"
                                  "x"));
  CHECK_EQ(UV__ANSI_TEXT, FEED("\x1bP\"\"\a"
                               "x"));
  CHECK_EQ(UV__ANSI_TEXT, FEED("\x1b]\"\a"
                               "x"));
}

/* CAN and SUB end any state, including an unterminated quote. */
UNIT_TEST(ansi_cancel) {
  static const char* const begun[] = {
    "\x1b",        "\x1b(",      "\x1b[1;2",    "\x1b[?",     "\x1b]0;t",
    "\x1bP1\"abc", "\x1b^\"abc", "\x1b_\"",     "\x90\"abc",  "\x9e\"abc",
    "\x9f\"abc",   "\x1bP\"a\\", "\x1bP\"\x1b", "\x1bPa\x1b",
  };
  struct uv__ansi_args args;

  for (size_t i = 0; i < ARRAY_SIZE(begun); i++) {
    for (int control = 0x18; control <= 0x1a; control += 2) {
      char text[16];
      size_t len = strlen(begun[i]);
      memcpy(text, begun[i], len);
      text[len] = (char) control;
      text[len + 1] = 'x';
      CHECK_EQ(UV__ANSI_NOTHING, feed(text, len + 1, &args));
      CHECK_EQ(UV__ANSI_TEXT, feed(text, len + 2, &args));
    }
  }
  CHECK_EQ(UV__ANSI_TEXT, FEED("\x18")); /* nothing to end */
}
