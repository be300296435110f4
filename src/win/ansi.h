/* SPDX-License-Identifier: MIT */
/* Parser for terminal escape sequences, one character at a time. Pure:
 * independent of the operating system, so that it is tested and fuzzed
 * everywhere.
 *
 * References: ECMA-48; DEC STD 070; xterm's behaviour.
 */
#ifndef UV_WIN_ANSI_H_
#define UV_WIN_ANSI_H_

#include <stdint.h>

#define UV__ANSI_ARGS_MAX 4

/* The result of a character. */
enum uv__ansi_op {
  UV__ANSI_NOTHING,   /* part of a sequence, or of an unknown one */
  UV__ANSI_TEXT,      /* the character itself; C0 controls too */
  UV__ANSI_CURSOR_UP, /* argv[0]: distance, at least 1; and so on */
  UV__ANSI_CURSOR_DOWN,
  UV__ANSI_CURSOR_FORWARD,
  UV__ANSI_CURSOR_BACK,
  UV__ANSI_NEXT_LINE, /* down, to the first column */
  UV__ANSI_PREVIOUS_LINE,
  UV__ANSI_COLUMN,       /* argv[0]: column, from 1 */
  UV__ANSI_POSITION,     /* argv[0]: row, argv[1]: column, from 1 */
  UV__ANSI_ERASE_SCREEN, /* argv[0]: 0 after, 1 before the cursor, 2 all */
  UV__ANSI_ERASE_LINE,   /* the same */
  UV__ANSI_STYLE,        /* argv[0..argc): colours and attributes */
  UV__ANSI_SAVE,         /* the position; if argv[0] is 1, the style too */
  UV__ANSI_RESTORE,      /* the same */
  UV__ANSI_RESET,        /* everything to its initial state */
  UV__ANSI_SHOW_CURSOR,
  UV__ANSI_HIDE_CURSOR,
  UV__ANSI_CURSOR_SHAPE /* argv[0] if argc is 1; see DECSCUSR */
};

/* All zero before the first character. */
struct uv__ansi {
  uint16_t state; /* private to ansi.c */
  uint8_t argc;
  uint16_t argv[UV__ANSI_ARGS_MAX];
};

/* The arguments of the last result; omitted ones have their default values. */
struct uv__ansi_args {
  unsigned int argc; /* number of given arguments */
  uint16_t argv[UV__ANSI_ARGS_MAX];
};

/* Processes the next code point. Fills `args` if the result has any. Context:
 * any. */
enum uv__ansi_op uv__ansi_feed(struct uv__ansi* parser,
                               uint32_t cp,
                               struct uv__ansi_args* args);

#endif /* UV_WIN_ANSI_H_ */
