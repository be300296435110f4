/* SPDX-License-Identifier: MIT */
/* Parser for escape sequences; ansi.h describes its output.
 *
 *   TEXT -ESC-> ESCAPE -[-> CSI -final-> TEXT         (also by U+009B)
 *               ESCAPE -] P ^ _-> STRING -BEL, ST-> TEXT
 *               ESCAPE -other-> TEXT
 *
 * A malformed sequence is consumed to its end and ignored. CAN and SUB end any
 * sequence, ESC begins a new one.
 */
#include "win/ansi.h"

#include <stddef.h>
#include <string.h>

/* struct uv__ansi.state: one of these, */
enum { IN_TEXT, IN_ESCAPE, IN_CHARSET, IN_CSI, IN_STRING };

#define STATE_MASK 0x7u

/* combined with these flags. */
enum {
  CSI_PRIVATE = 1u << 4,    /* starts with '?' */
  CSI_SPACE = 1u << 5,      /* a space before the final character */
  CSI_IN_ARG = 1u << 6,     /* the last character was a digit */
  CSI_BAD = 1u << 7,        /* malformed: consume and ignore */
  STRING_QUOTING = 1u << 8, /* quotes hide terminators */
  STRING_QUOTED = 1u << 9,  /* inside quotes */
  STRING_ESCAPE = 1u << 10, /* the last character was ESC */
  STRING_SLASH = 1u << 11   /* a backslash inside quotes */
};

enum {
  BEL = 0x07,
  CAN = 0x18,
  SUB = 0x1A,
  ESC = 0x1B,
  DEL = 0x7F,
  C1_FIRST = 0x80,
  C1_DCS = 0x90,
  C1_CSI = 0x9B,
  C1_ST = 0x9C,
  C1_OSC = 0x9D,
  C1_PM = 0x9E,
  C1_APC = 0x9F
};

/* A sequence: CSI, prefix, arguments, suffix, final character. */
struct sequence {
  char final;
  unsigned int marks; /* CSI_PRIVATE, CSI_SPACE */
  enum uv__ansi_op op;
  uint16_t least; /* minimum; missing arguments have this value */
};

static const struct sequence sequences[] = {
  { 'A', 0, UV__ANSI_CURSOR_UP, 1 },
  { 'B', 0, UV__ANSI_CURSOR_DOWN, 1 },
  { 'C', 0, UV__ANSI_CURSOR_FORWARD, 1 },
  { 'D', 0, UV__ANSI_CURSOR_BACK, 1 },
  { 'E', 0, UV__ANSI_NEXT_LINE, 1 },
  { 'F', 0, UV__ANSI_PREVIOUS_LINE, 1 },
  { 'G', 0, UV__ANSI_COLUMN, 1 },
  { 'H', 0, UV__ANSI_POSITION, 1 },
  { 'J', 0, UV__ANSI_ERASE_SCREEN, 0 },
  { 'K', 0, UV__ANSI_ERASE_LINE, 0 },
  { 'f', 0, UV__ANSI_POSITION, 1 },
  { 'm', 0, UV__ANSI_STYLE, 0 },
  { 's', 0, UV__ANSI_SAVE, 0 },
  { 'u', 0, UV__ANSI_RESTORE, 0 },
  { 'h', CSI_PRIVATE, UV__ANSI_SHOW_CURSOR, 0 },
  { 'l', CSI_PRIVATE, UV__ANSI_HIDE_CURSOR, 0 },
  { 'q', CSI_SPACE, UV__ANSI_CURSOR_SHAPE, 0 },
};

/* The only supported private mode: cursor visibility. */
#define MODE_CURSOR 25

static void enter_state(struct uv__ansi* parser, unsigned int state) {
  memset(parser, 0, sizeof(*parser));
  parser->state = (uint16_t) state;
}

static unsigned int state_of(const struct uv__ansi* parser) {
  return parser->state & STATE_MASK;
}

static void set_marks(struct uv__ansi* parser, unsigned int bits) {
  parser->state = (uint16_t) (parser->state | bits);
}

static void clear_marks(struct uv__ansi* parser, unsigned int bits) {
  parser->state = (uint16_t) (parser->state & ~bits);
}

static int is_marked(const struct uv__ansi* parser, unsigned int bits) {
  return (parser->state & bits) != 0;
}

/* ---- CSI ---- */

static enum uv__ansi_op finish_csi(struct uv__ansi* parser,
                                   uint32_t final,
                                   struct uv__ansi_args* args) {
  unsigned int marks = parser->state & (CSI_PRIVATE | CSI_SPACE);
  const struct sequence* found = NULL;

  if (is_marked(parser, CSI_BAD))
    return UV__ANSI_NOTHING;
  for (size_t i = 0; i < sizeof(sequences) / sizeof(*sequences); i++)
    if ((unsigned char) sequences[i].final == final &&
        sequences[i].marks == marks)
      found = &sequences[i];
  if (found == NULL)
    return UV__ANSI_NOTHING;
  if ((marks & CSI_PRIVATE) &&
      !(parser->argc == 1 && parser->argv[0] == MODE_CURSOR))
    return UV__ANSI_NOTHING;

  args->argc = parser->argc;
  for (int i = 0; i < UV__ANSI_ARGS_MAX; i++) {
    uint16_t arg = i < parser->argc ? parser->argv[i] : 0;
    args->argv[i] = arg < found->least ? found->least : arg;
  }
  return found->op;
}

/* Adds an argument, 0 for now. */
static void begin_arg(struct uv__ansi* parser) {
  if (parser->argc == UV__ANSI_ARGS_MAX)
    set_marks(parser, CSI_BAD);
  else
    parser->argv[parser->argc++] = 0;
}

static void take_digit(struct uv__ansi* parser, uint32_t digit) {
  if (!is_marked(parser, CSI_IN_ARG))
    begin_arg(parser);
  set_marks(parser, CSI_IN_ARG);
  if (is_marked(parser, CSI_BAD))
    return;

  uint16_t* arg = &parser->argv[parser->argc - 1];
  uint32_t value = *arg * 10u + digit;
  if (value > UINT16_MAX)
    set_marks(parser, CSI_BAD);
  else
    *arg = (uint16_t) value;
}

/* Handles a character between the introducer and the final one. */
static void take_parameter(struct uv__ansi* parser, uint32_t cp) {
  int at_start = parser->state == IN_CSI && parser->argc == 0;

  if (is_marked(parser, CSI_SPACE)) {
    set_marks(parser, CSI_BAD); /* only the final character may follow */
  } else if (cp >= '0' && cp <= '9') {
    take_digit(parser, cp - '0');
  } else if (cp == ';') {
    if (!is_marked(parser, CSI_IN_ARG))
      begin_arg(parser); /* omitted */
    clear_marks(parser, CSI_IN_ARG);
  } else if (cp == '?' && at_start) {
    set_marks(parser, CSI_PRIVATE);
  } else if (cp == ' ') {
    set_marks(parser, CSI_SPACE);
  } else {
    set_marks(parser, CSI_BAD); /* valid, but not supported */
  }
}

static enum uv__ansi_op feed_csi(struct uv__ansi* parser,
                                 uint32_t cp,
                                 struct uv__ansi_args* args) {
  if (cp < ' ')
    return UV__ANSI_TEXT; /* controls take effect immediately */
  if (cp < '@') {
    take_parameter(parser, cp);
    return UV__ANSI_NOTHING;
  }

  enum uv__ansi_op op = UV__ANSI_NOTHING;
  if (cp < DEL)
    op = finish_csi(parser, cp, args);
  else if (cp > C1_APC)
    op = UV__ANSI_TEXT; /* out of place: treat it as text */
  enter_state(parser, IN_TEXT);
  return op;
}

/* ---- strings: title, device control, ... ---- */

static void feed_quoted(struct uv__ansi* parser, uint32_t cp) {
  if (is_marked(parser, STRING_SLASH))
    clear_marks(parser, STRING_SLASH);
  else if (cp == '\\')
    set_marks(parser, STRING_SLASH);
  else if (cp == '"')
    clear_marks(parser, STRING_QUOTED);
}

static void feed_string(struct uv__ansi* parser, uint32_t cp) {
  if (is_marked(parser, STRING_QUOTED))
    feed_quoted(parser, cp);
  else if (cp == BEL || cp == C1_ST)
    enter_state(parser, IN_TEXT);
  else if (cp == ESC)
    set_marks(parser, STRING_ESCAPE);
  else if (cp == '"' && is_marked(parser, STRING_QUOTING))
    set_marks(parser, STRING_QUOTED);
}

/* ---- escape sequences ---- */

static enum uv__ansi_op with_style(enum uv__ansi_op op,
                                   struct uv__ansi_args* args) {
  memset(args, 0, sizeof(*args));
  args->argc = 1;
  args->argv[0] = 1;
  return op;
}

static enum uv__ansi_op feed_escape(struct uv__ansi* parser,
                                    uint32_t cp,
                                    struct uv__ansi_args* args) {
  switch (cp) {
  case '[':
    enter_state(parser, IN_CSI);
    return UV__ANSI_NOTHING;
  case ']':
    enter_state(parser, IN_STRING);
    return UV__ANSI_NOTHING;
  case 'P':
  case '^':
  case '_':
    enter_state(parser, IN_STRING | STRING_QUOTING);
    return UV__ANSI_NOTHING;
  case '7':
    enter_state(parser, IN_TEXT);
    return with_style(UV__ANSI_SAVE, args);
  case '8':
    enter_state(parser, IN_TEXT);
    return with_style(UV__ANSI_RESTORE, args);
  case 'c':
    enter_state(parser, IN_TEXT);
    return UV__ANSI_RESET;
  default:
    break;
  }
  if (cp < ' ')
    return UV__ANSI_TEXT;
  /* Space to slash: one more character follows, as when selecting a character
   * set. */
  enter_state(parser, cp < '0' ? IN_CHARSET : IN_TEXT);
  return UV__ANSI_NOTHING;
}

/* C1 controls: the single-character forms of ESC and a letter. */
static enum uv__ansi_op feed_c1(struct uv__ansi* parser, uint32_t cp) {
  switch (cp) {
  case C1_CSI:
    enter_state(parser, IN_CSI);
    break;
  case C1_OSC:
    enter_state(parser, IN_STRING);
    break;
  case C1_DCS:
  case C1_PM:
  case C1_APC:
    enter_state(parser, IN_STRING | STRING_QUOTING);
    break;
  default: /* no effect on a screen */
    break;
  }
  return UV__ANSI_NOTHING;
}

static enum uv__ansi_op feed_text(struct uv__ansi* parser, uint32_t cp) {
  if (cp >= C1_FIRST && cp <= C1_APC)
    return feed_c1(parser, cp);
  return UV__ANSI_TEXT;
}

/* Handles characters that mean the same in every sequence; returns whether this
 * was one. Quotes hide only ESC: CAN and SUB also end a string whose quote is
 * never closed. */
static int feed_common(struct uv__ansi* parser, uint32_t cp) {
  if (is_marked(parser, STRING_ESCAPE)) {
    clear_marks(parser, STRING_ESCAPE);
    if (cp == '\\') { /* ST as two characters */
      enter_state(parser, IN_TEXT);
      return 1;
    }
    enter_state(parser, IN_ESCAPE); /* a new sequence ends the string */
  }
  if ((cp == CAN || cp == SUB) && state_of(parser) != IN_TEXT) {
    enter_state(parser, IN_TEXT);
    return 1;
  }
  if (cp == ESC && state_of(parser) != IN_STRING) {
    enter_state(parser, IN_ESCAPE);
    return 1;
  }
  return 0;
}

enum uv__ansi_op uv__ansi_feed(struct uv__ansi* parser,
                               uint32_t cp,
                               struct uv__ansi_args* args) {
  if (feed_common(parser, cp))
    return UV__ANSI_NOTHING;

  switch (state_of(parser)) {
  case IN_ESCAPE:
    return feed_escape(parser, cp, args);
  case IN_CHARSET:
    enter_state(parser, IN_TEXT);
    return UV__ANSI_NOTHING;
  case IN_CSI:
    return feed_csi(parser, cp, args);
  case IN_STRING:
    feed_string(parser, cp);
    return UV__ANSI_NOTHING;
  default:
    return feed_text(parser, cp);
  }
}
