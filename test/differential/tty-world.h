/* SPDX-License-Identifier: MIT */
/* The terminal of area tty: a pseudo-terminal, or the console of the program
 * (tty-unix.c, tty-win.c). */
#ifndef DIFFERENTIAL_TTY_WORLD_H_
#define DIFFERENTIAL_TTY_WORLD_H_

#include <uv.h>

#define TERMINAL_KINDS 7

/* How long it takes from one side of the terminal to the other: threads of the
 * kernel, or processes of Wine, hand the data over. */
extern const unsigned terminal_ms;

void terminal_begin(void);

/* What handles are made of: the terminal, and files that are none. */
extern const char* const terminal_kinds[TERMINAL_KINDS];
uv_file terminal_open(const char* kind);
/* Closes a file that no handle has. */
void terminal_drop(uv_file file);

/* The settings that modes change, as a number. */
unsigned terminal_settings(void);

void terminal_resize(int width, int height);

/* Somebody types: the number of characters, or an error. */
long terminal_type(const char* text);

/* Somebody looks at the screen: what is new on it, or all of it; the sum stands
 * for its content. */
long terminal_look(unsigned* sum);

#endif
