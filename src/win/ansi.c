/* SPDX-License-Identifier: MIT */
/* The parser of escape sequences; ansi.h says what comes out.
 *
 *   TEXT -ESC-> ESCAPE -[-> CSI -final-> TEXT         (also by U+009B)
 *               ESCAPE -] P ^ _-> STRING -BEL, ST-> TEXT
 *               ESCAPE -other-> TEXT
 *
 * A sequence that is wrong somewhere is read to its end and means nothing.
 * CAN and SUB end any sequence, ESC begins a new one.
 */
#include "win/ansi.h"

#include <stddef.h>
#include <string.h>

/* struct uv__ansi.state: one of these */
enum { IN_TEXT, IN_ESCAPE, IN_CHARSET, IN_CSI, IN_STRING };

#define STATE_MASK 0x7u

/* and these. */
enum {
  CSI_PRIVATE = 1u << 4,    /* begins with ? */
  CSI_SPACE = 1u << 5,      /* a blank before the last character */
  CSI_IN_ARG = 1u << 6,     /* a digit came last */
  CSI_BAD = 1u << 7,        /* read to the end, but wrong */
  STRING_QUOTING = 1u << 8, /* quotes hide terminators */
  STRING_QUOTED = 1u << 9,  /* between two of them */
  STRING_ESCAPE = 1u << 10, /* ESC came last */
  STRING_SLASH = 1u << 11   /* a backslash between quotes came last */
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

/* A sequence CSI prefix arguments suffix final. */
struct sequence {
  char final;
  unsigned int marks; /* CSI_PRIVATE, CSI_SPACE */
  enum uv__ansi_op op;
  uint16_t least; /* smaller arguments, and missing ones, are this */
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

/* The one private mode we know: is the cursor visible? */
#define MODE_CURSOR 25

static void enter(struct uv__ansi* parser, unsigned int state) {
  memset(parser, 0, sizeof(*parser));
  parser->state = (uint16_t) state;
}

static unsigned int state_of(const struct uv__ansi* parser) {
  return parser->state & STATE_MASK;
}

static void mark(struct uv__ansi* parser, unsigned int bits) {
  parser->state = (uint16_t) (parser->state | bits);
}

static void unmark(struct uv__ansi* parser, unsigned int bits) {
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

/* One more argument, 0 for now. */
static void begin_arg(struct uv__ansi* parser) {
  if (parser->argc == UV__ANSI_ARGS_MAX)
    mark(parser, CSI_BAD);
  else
    parser->argv[parser->argc++] = 0;
}

static void take_digit(struct uv__ansi* parser, uint32_t digit) {
  if (!is_marked(parser, CSI_IN_ARG))
    begin_arg(parser);
  mark(parser, CSI_IN_ARG);
  if (is_marked(parser, CSI_BAD))
    return;

  uint16_t* arg = &parser->argv[parser->argc - 1];
  uint32_t value = *arg * 10u + digit;
  if (value > UINT16_MAX)
    mark(parser, CSI_BAD);
  else
    *arg = (uint16_t) value;
}

/* A character between the introducer and the final one. */
static void take_parameter(struct uv__ansi* parser, uint32_t cp) {
  int at_start = parser->state == IN_CSI && parser->argc == 0;

  if (is_marked(parser, CSI_SPACE)) {
    mark(parser, CSI_BAD); /* only the final one may follow */
  } else if (cp >= '0' && cp <= '9') {
    take_digit(parser, cp - '0');
  } else if (cp == ';') {
    if (!is_marked(parser, CSI_IN_ARG))
      begin_arg(parser); /* left out */
    unmark(parser, CSI_IN_ARG);
  } else if (cp == '?' && at_start) {
    mark(parser, CSI_PRIVATE);
  } else if (cp == ' ') {
    mark(parser, CSI_SPACE);
  } else {
    mark(parser, CSI_BAD); /* known to others */
  }
}

static enum uv__ansi_op feed_csi(struct uv__ansi* parser,
                                 uint32_t cp,
                                 struct uv__ansi_args* args) {
  if (cp < ' ')
    return UV__ANSI_TEXT; /* controls act as if they stood before */
  if (cp < '@') {
    take_parameter(parser, cp);
    return UV__ANSI_NOTHING;
  }

  enum uv__ansi_op op = UV__ANSI_NOTHING;
  if (cp < DEL)
    op = finish_csi(parser, cp, args);
  else if (cp > C1_APC)
    op = UV__ANSI_TEXT; /* it cannot be meant to be here */
  enter(parser, IN_TEXT);
  return op;
}

/* ---- strings: title, device control, ... ---- */

static void feed_quoted(struct uv__ansi* parser, uint32_t cp) {
  if (is_marked(parser, STRING_SLASH))
    unmark(parser, STRING_SLASH);
  else if (cp == '\\')
    mark(parser, STRING_SLASH);
  else if (cp == '"')
    unmark(parser, STRING_QUOTED);
}

static void feed_string(struct uv__ansi* parser, uint32_t cp) {
  if (is_marked(parser, STRING_QUOTED))
    feed_quoted(parser, cp);
  else if (cp == BEL || cp == C1_ST)
    enter(parser, IN_TEXT);
  else if (cp == ESC)
    mark(parser, STRING_ESCAPE);
  else if (cp == '"' && is_marked(parser, STRING_QUOTING))
    mark(parser, STRING_QUOTED);
}

/* ---- escape ---- */

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
    enter(parser, IN_CSI);
    return UV__ANSI_NOTHING;
  case ']':
    enter(parser, IN_STRING);
    return UV__ANSI_NOTHING;
  case 'P':
  case '^':
  case '_':
    enter(parser, IN_STRING | STRING_QUOTING);
    return UV__ANSI_NOTHING;
  case '7':
    enter(parser, IN_TEXT);
    return with_style(UV__ANSI_SAVE, args);
  case '8':
    enter(parser, IN_TEXT);
    return with_style(UV__ANSI_RESTORE, args);
  case 'c':
    enter(parser, IN_TEXT);
    return UV__ANSI_RESET;
  default:
    break;
  }
  if (cp < ' ')
    return UV__ANSI_TEXT;
  /* Blank to slash: one more follows, as in the choice of a character set. */
  enter(parser, cp < '0' ? IN_CHARSET : IN_TEXT);
  return UV__ANSI_NOTHING;
}

/* The short forms of ESC and a letter. */
static enum uv__ansi_op feed_c1(struct uv__ansi* parser, uint32_t cp) {
  switch (cp) {
  case C1_CSI:
    enter(parser, IN_CSI);
    break;
  case C1_OSC:
    enter(parser, IN_STRING);
    break;
  case C1_DCS:
  case C1_PM:
  case C1_APC:
    enter(parser, IN_STRING | STRING_QUOTING);
    break;
  default: /* no meaning on a screen */
    break;
  }
  return UV__ANSI_NOTHING;
}

static enum uv__ansi_op feed_text(struct uv__ansi* parser, uint32_t cp) {
  if (cp >= C1_FIRST && cp <= C1_APC)
    return feed_c1(parser, cp);
  return UV__ANSI_TEXT;
}

/* Characters that mean the same in every sequence; whether this was one. Only
 * ESC is hidden by quotes: a quote that is never closed ends with CAN or SUB
 * too. */
static int feed_common(struct uv__ansi* parser, uint32_t cp) {
  if (is_marked(parser, STRING_ESCAPE)) {
    unmark(parser, STRING_ESCAPE);
    if (cp == '\\') { /* ST, in two characters */
      enter(parser, IN_TEXT);
      return 1;
    }
    enter(parser, IN_ESCAPE); /* a new sequence ended the string */
  }
  if ((cp == CAN || cp == SUB) && state_of(parser) != IN_TEXT) {
    enter(parser, IN_TEXT);
    return 1;
  }
  if (cp == ESC && state_of(parser) != IN_STRING) {
    enter(parser, IN_ESCAPE);
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
    enter(parser, IN_TEXT);
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
