/* SPDX-License-Identifier: MIT */
/* Escape sequences on consoles without virtual terminal support (before Windows
 * 10 1511): carries them out with console calls. The lock of tty-write.c is
 * held.
 *
 * The screen is the visible window, as wide as the buffer; rows count from the
 * window's top. If the user has scrolled away, it is the part of the buffer
 * that would be visible with the cursor in the last row.
 */
#include "win/tty.h"

#define FOREGROUND_COLORS (FOREGROUND_RED | FOREGROUND_GREEN | FOREGROUND_BLUE)
#define BACKGROUND_COLORS (BACKGROUND_RED | BACKGROUND_GREEN | BACKGROUND_BLUE)
#define BACKGROUND_SHIFT 4

/* Percentage of the character cell that the cursor fills. */
enum { CURSOR_LARGE = 100, CURSOR_SMALL = 25 };

/* The state before we wrote anything. */
static struct {
  int is_known;
  WORD attributes;
  CONSOLE_CURSOR_INFO cursor;
  int cursor_changed;
} defaults;

struct screen {
  HANDLE handle;
  CONSOLE_SCREEN_BUFFER_INFO info;
  int top;    /* first row within the buffer */
  int width;  /* columns */
  int height; /* rows */
};

void uv__tty_screen_init(HANDLE handle) {
  CONSOLE_SCREEN_BUFFER_INFO info;

  if (defaults.is_known || !GetConsoleScreenBufferInfo(handle, &info) ||
      !GetConsoleCursorInfo(handle, &defaults.cursor))
    return;
  defaults.attributes = info.wAttributes;
  defaults.is_known = 1;
}

static int screen_query(HANDLE handle, struct screen* screen) {
  CONSOLE_SCREEN_BUFFER_INFO* info = &screen->info;

  screen->handle = handle;
  if (!GetConsoleScreenBufferInfo(handle, info))
    return 0;
  screen->width = info->dwSize.X;
  screen->height = info->srWindow.Bottom - info->srWindow.Top + 1;
  screen->top = info->srWindow.Top;
  int row = info->dwCursorPosition.Y;
  if (row < screen->top || row >= screen->top + screen->height)
    screen->top = row < screen->height ? 0 : row - screen->height + 1;
  return 1;
}

static int clamp_index(int value, int count) {
  if (value < 0)
    return 0;
  return value < count ? value : count - 1;
}

/* Column and row count from 0 and are clamped to the screen. */
static BOOL move_to(const struct screen* screen, int x, int y) {
  COORD to = { (SHORT) clamp_index(x, screen->width),
               (SHORT) (screen->top + clamp_index(y, screen->height)) };
  return SetConsoleCursorPosition(screen->handle, to);
}

static int cursor_column(const struct screen* screen) {
  return screen->info.dwCursorPosition.X;
}

static int cursor_row(const struct screen* screen) {
  return screen->info.dwCursorPosition.Y - screen->top;
}

static BOOL move_cursor(const struct screen* screen,
                        enum uv__ansi_op op,
                        const uint16_t argv[]) {
  int x = cursor_column(screen);
  int y = cursor_row(screen);
  int n = argv[0];

  switch (op) {
  case UV__ANSI_CURSOR_UP:
    return move_to(screen, x, y - n);
  case UV__ANSI_CURSOR_DOWN:
    return move_to(screen, x, y + n);
  case UV__ANSI_CURSOR_FORWARD:
    return move_to(screen, x + n, y);
  case UV__ANSI_CURSOR_BACK:
    return move_to(screen, x - n, y);
  case UV__ANSI_NEXT_LINE:
    return move_to(screen, 0, y + n);
  case UV__ANSI_PREVIOUS_LINE:
    return move_to(screen, 0, y - n);
  case UV__ANSI_COLUMN:
    return move_to(screen, n - 1, y);
  default: /* UV__ANSI_POSITION */
    return move_to(screen, argv[1] - 1, n - 1);
  }
}

/* Blanks the cells from `from` up to `to` (exclusive), counted row by row. */
static BOOL blank_cells(const struct screen* screen,
                        int from,
                        int to,
                        WORD style) {
  COORD at = { (SHORT) (from % screen->width),
               (SHORT) (screen->top + from / screen->width) };
  DWORD count = (DWORD) (to - from);
  DWORD written;

  return FillConsoleOutputCharacterW(screen->handle, L' ', count, at,
                                     &written) &&
         FillConsoleOutputAttribute(screen->handle, style, count, at, &written);
}

/* Erases the part of the cells from `first` to `last` that `how` selects. */
static BOOL erase_cells(const struct screen* screen,
                        int how,
                        int first,
                        int last) {
  int cursor = cursor_row(screen) * screen->width + cursor_column(screen);
  WORD style = screen->info.wAttributes;

  switch (how) {
  case 0:
    return blank_cells(screen, cursor, last, style);
  case 1:
    return blank_cells(screen, first, cursor + 1, style);
  case 2:
    return blank_cells(screen, first, last, style);
  default:
    return TRUE; /* unknown: ignored */
  }
}

static BOOL erase_screen(const struct screen* screen, int how) {
  return erase_cells(screen, how, 0, screen->height * screen->width);
}

static BOOL erase_line(const struct screen* screen, int how) {
  int first = cursor_row(screen) * screen->width;
  return erase_cells(screen, how, first, first + screen->width);
}

/* ---- style ---- */

static WORD swap_colors(WORD style) {
  WORD foreground = style & FOREGROUND_COLORS;
  WORD background = style & BACKGROUND_COLORS;

  style &= (WORD) ~(FOREGROUND_COLORS | BACKGROUND_COLORS);
  style |= (WORD) (foreground << BACKGROUND_SHIFT);
  return style | (WORD) (background >> BACKGROUND_SHIFT);
}

static WORD set_inverse(WORD style, int on) {
  int is_on = (style & COMMON_LVB_REVERSE_VIDEO) != 0;
  return is_on == on ? style
                     : (WORD) (swap_colors(style) ^ COMMON_LVB_REVERSE_VIDEO);
}

/* ANSI has red in bit 0 and blue in bit 2; the console has them swapped. */
static WORD console_color(int color) {
  return (WORD) (((color & 1) ? FOREGROUND_RED : 0) |
                 ((color & 2) ? FOREGROUND_GREEN : 0) |
                 ((color & 4) ? FOREGROUND_BLUE : 0));
}

static WORD set_foreground(WORD style, WORD color) {
  return (WORD) ((style & ~FOREGROUND_COLORS) | color);
}

static WORD set_background(WORD style, WORD color) {
  return (WORD) ((style & ~BACKGROUND_COLORS) | (color << BACKGROUND_SHIFT));
}

/* Codes 30 to 49, and the bright ones from 90 and 100. The style is not
 * inverse. */
static WORD set_color(WORD style, int code) {
  WORD normal = defaults.attributes;

  if (code >= 30 && code <= 37)
    return set_foreground(style, console_color(code - 30));
  if (code == 39)
    return set_foreground(style, normal & FOREGROUND_COLORS);
  if (code >= 40 && code <= 47)
    return set_background(style, console_color(code - 40));
  if (code == 49)
    return set_background(
        style, (WORD) ((normal & BACKGROUND_COLORS) >> BACKGROUND_SHIFT));
  if (code >= 90 && code <= 97)
    return set_foreground(style, console_color(code - 90)) |
           FOREGROUND_INTENSITY;
  if (code >= 100 && code <= 107)
    return set_background(style, console_color(code - 100)) |
           BACKGROUND_INTENSITY;
  return style;
}

static WORD add_style(WORD style, int code) {
  switch (code) {
  case 0:
    return defaults.attributes;
  case 1:
    return style | FOREGROUND_INTENSITY;
  case 2:
  case 21:
  case 22:
    return style & (WORD) ~FOREGROUND_INTENSITY;
  case 5:
    return style | BACKGROUND_INTENSITY;
  case 25:
    return style & (WORD) ~BACKGROUND_INTENSITY;
  case 7:
    return set_inverse(style, 1);
  case 27:
    return set_inverse(style, 0);
  default:
    break;
  }
  int inverse = (style & COMMON_LVB_REVERSE_VIDEO) != 0;
  return set_inverse(set_color(set_inverse(style, 0), code), inverse);
}

static BOOL set_style(const struct screen* screen,
                      const struct uv__ansi_args* args) {
  WORD style = screen->info.wAttributes;

  if (args->argc == 0)
    style = add_style(style, 0);
  for (unsigned int i = 0; i < args->argc; i++) {
    /* 256 or true colour, which the console lacks: skip the rest. */
    if (args->argv[i] == 38 || args->argv[i] == 48)
      break;
    style = add_style(style, args->argv[i]);
  }
  return SetConsoleTextAttribute(screen->handle, style);
}

/* ---- cursor shape ---- */

static BOOL show_cursor(HANDLE handle, BOOL visible) {
  CONSOLE_CURSOR_INFO info;

  if (!GetConsoleCursorInfo(handle, &info))
    return FALSE;
  info.bVisible = visible;
  defaults.cursor_changed = 1;
  return SetConsoleCursorInfo(handle, &info);
}

static BOOL shape_cursor(HANDLE handle, const struct uv__ansi_args* args) {
  int shape = args->argc == 0 ? 1 : args->argv[0];
  CONSOLE_CURSOR_INFO info;

  if (args->argc > 1 || shape > 6)
    return TRUE; /* unknown: ignored */
  if (!GetConsoleCursorInfo(handle, &info))
    return FALSE;
  if (shape == 0)
    info.dwSize = defaults.cursor.dwSize;
  else
    info.dwSize = shape <= 2 ? CURSOR_LARGE : CURSOR_SMALL;
  defaults.cursor_changed = 1;
  return SetConsoleCursorInfo(handle, &info);
}

void uv__tty_screen_restore_cursor(void) {
  if (!defaults.is_known || !defaults.cursor_changed)
    return;
  HANDLE handle = CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE,
                              FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                              OPEN_EXISTING, 0, NULL);
  if (handle == INVALID_HANDLE_VALUE)
    return;
  if (SetConsoleCursorInfo(handle, &defaults.cursor))
    defaults.cursor_changed = 0;
  CloseHandle(handle);
}

static BOOL save_cursor(uv_tty_t* tty,
                        const struct screen* screen,
                        int with_style) {
  tty->tty.wr.saved_position.X = (SHORT) cursor_column(screen);
  tty->tty.wr.saved_position.Y = (SHORT) cursor_row(screen);
  if (with_style)
    tty->tty.wr.saved_attributes = screen->info.wAttributes;
  return TRUE;
}

static BOOL restore_cursor(const uv_tty_t* tty,
                           const struct screen* screen,
                           int with_style) {
  COORD to = tty->tty.wr.saved_position;

  if (with_style &&
      !SetConsoleTextAttribute(screen->handle, tty->tty.wr.saved_attributes))
    return FALSE;
  return move_to(screen, to.X, to.Y);
}

/* Clears the whole buffer, not only the visible part. */
static BOOL reset_screen(struct screen* screen) {
  COORD home = { 0, 0 };

  screen->top = 0;
  screen->height = screen->info.dwSize.Y;
  return SetConsoleTextAttribute(screen->handle, defaults.attributes) &&
         SetConsoleCursorPosition(screen->handle, home) &&
         blank_cells(screen, 0, screen->width * screen->height,
                     defaults.attributes) &&
         SetConsoleCursorInfo(screen->handle, &defaults.cursor);
}

static BOOL apply_sequence(uv_tty_t* tty,
                           struct screen* screen,
                           enum uv__ansi_op op,
                           const struct uv__ansi_args* args) {
  switch (op) {
  case UV__ANSI_NOTHING:
  case UV__ANSI_TEXT:
    return TRUE;
  case UV__ANSI_CURSOR_UP:
  case UV__ANSI_CURSOR_DOWN:
  case UV__ANSI_CURSOR_FORWARD:
  case UV__ANSI_CURSOR_BACK:
  case UV__ANSI_NEXT_LINE:
  case UV__ANSI_PREVIOUS_LINE:
  case UV__ANSI_COLUMN:
  case UV__ANSI_POSITION:
    return move_cursor(screen, op, args->argv);
  case UV__ANSI_ERASE_SCREEN:
    return erase_screen(screen, args->argv[0]);
  case UV__ANSI_ERASE_LINE:
    return erase_line(screen, args->argv[0]);
  case UV__ANSI_STYLE:
    return set_style(screen, args);
  case UV__ANSI_SAVE:
    return save_cursor(tty, screen, args->argv[0]);
  case UV__ANSI_RESTORE:
    return restore_cursor(tty, screen, args->argv[0]);
  case UV__ANSI_RESET:
    return reset_screen(screen);
  case UV__ANSI_SHOW_CURSOR:
    return show_cursor(screen->handle, TRUE);
  case UV__ANSI_HIDE_CURSOR:
    return show_cursor(screen->handle, FALSE);
  case UV__ANSI_CURSOR_SHAPE:
    return shape_cursor(screen->handle, args);
  }
  return TRUE;
}

DWORD uv__tty_screen_apply(uv_tty_t* tty,
                           enum uv__ansi_op op,
                           const struct uv__ansi_args* args) {
  struct screen screen;

  if (!screen_query(tty->handle, &screen) ||
      !apply_sequence(tty, &screen, op, args))
    return GetLastError();
  return ERROR_SUCCESS;
}
