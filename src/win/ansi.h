/* SPDX-License-Identifier: MIT */
/* Escape sequences of terminals, taken apart one character at a time. Pure: no
 * operating system in here, so that it is tested and fuzzed on every one.
 *
 * References: ECMA-48; DEC STD 070; what xterm does.
 */
#ifndef UV_WIN_ANSI_H_
#define UV_WIN_ANSI_H_

#include <stdint.h>

#define UV__ANSI_ARGS_MAX 4

/* What a character completed. */
enum uv__ansi_op {
  UV__ANSI_NOTHING,       /* part of a sequence, or of one we do not know */
  UV__ANSI_TEXT,          /* the character itself; C0 controls too */
  UV__ANSI_CURSOR_UP,     /* argv[0]: how far, at least 1; and so on */
  UV__ANSI_CURSOR_DOWN,
  UV__ANSI_CURSOR_FORWARD,
  UV__ANSI_CURSOR_BACK,
  UV__ANSI_NEXT_LINE,     /* down, to the first column */
  UV__ANSI_PREVIOUS_LINE,
  UV__ANSI_COLUMN,        /* argv[0]: which, from 1 */
  UV__ANSI_POSITION,      /* argv[0]: row, argv[1]: column, from 1 */
  UV__ANSI_ERASE_SCREEN,  /* argv[0]: 0 behind, 1 before the cursor, 2 all */
  UV__ANSI_ERASE_LINE,    /* likewise */
  UV__ANSI_STYLE,         /* argv[0..argc): colours and attributes */
  UV__ANSI_SAVE,          /* the position; argv[0] is 1: the style as well */
  UV__ANSI_RESTORE,       /* likewise */
  UV__ANSI_RESET,         /* everything as at the start */
  UV__ANSI_SHOW_CURSOR,
  UV__ANSI_HIDE_CURSOR,
  UV__ANSI_CURSOR_SHAPE   /* argv[0] if argc is 1; see DECSCUSR */
};

/* All zero before the first character. */
struct uv__ansi {
  uint16_t state; /* ansi.c's */
  uint8_t argc;
  uint16_t argv[UV__ANSI_ARGS_MAX];
};

/* The arguments of the last answer; those that were left out are what leaving
 * them out means. */
struct uv__ansi_args {
  unsigned int argc; /* that were given */
  uint16_t argv[UV__ANSI_ARGS_MAX];
};

/* Takes the next code point in. `args` is filled where the answer has any.
 * Context: any. */
enum uv__ansi_op uv__ansi_feed(struct uv__ansi* parser,
                               uint32_t cp,
                               struct uv__ansi_args* args);

#endif /* UV_WIN_ANSI_H_ */
