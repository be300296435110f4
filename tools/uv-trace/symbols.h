/* SPDX-License-Identifier: MIT */
/* Names of functions for "module+0xOFFSET", from the modules' symbol tables.
 *
 * The library names what the dynamic linker knows; static functions are only
 * in a file's .symtab. A trace gives a module's base name: it is looked for
 * beside the program, among the files and directories that the user named, in
 * the directories of the system's libraries, and in those of PATH. A stripped
 * module's table may be in the debug file that its build id names.
 */
#ifndef UV_TRACE_SYMBOLS_H_
#define UV_TRACE_SYMBOLS_H_

#include <stddef.h>

/* Room for a name, NUL included; longer ones are cut. */
#define SYMBOL_MAX 512

struct symbols;

struct symbols* symbols_new(void);
void symbols_free(struct symbols* symbols);

/* A file or a directory to look at first. */
void symbols_add_place(struct symbols* symbols, const char* path);

/* The traced program's path, or "". */
void symbols_set_program(struct symbols* symbols, const char* path);

/* Stores the function's name if `name` is "module+0xOFFSET" and the module's
 * file has a function there. Returns 0, or -1. */
int symbols_resolve(struct symbols* symbols,
                    const char* name,
                    char text[SYMBOL_MAX]);

#endif /* UV_TRACE_SYMBOLS_H_ */
