/* SPDX-License-Identifier: MIT */
/* Included in front of every file of ours by test/cross/build: function-like
 * macros that C libraries may define for their own functions ("Any function
 * declared in a header may be additionally implemented as a function-like
 * macro", C11 7.1.4). FreeBSD 14.1's <stdio.h> has the first eight; the headers
 * that come with zig have none of them. */
#ifndef UV_TEST_CROSS_LIBC_MACROS_H_
#define UV_TEST_CROSS_LIBC_MACROS_H_

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#undef feof
#undef ferror
#undef clearerr
#undef fileno
#undef getc
#undef getchar
#undef putc
#undef putchar
#undef isdigit
#undef isspace
#undef tolower
#undef toupper

#define feof(p) ((feof)(p))
#define ferror(p) ((ferror)(p))
#define clearerr(p) ((clearerr)(p))
#define fileno(p) ((fileno)(p))
#define getc(p) ((getc)(p))
#define getchar() ((getchar)())
#define putc(c, p) ((putc)((c), (p)))
#define putchar(c) ((putchar)(c))
#define isdigit(c) ((isdigit)(c))
#define isspace(c) ((isspace)(c))
#define tolower(c) ((tolower)(c))
#define toupper(c) ((toupper)(c))

#endif /* UV_TEST_CROSS_LIBC_MACROS_H_ */
