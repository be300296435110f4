/* SPDX-License-Identifier: MIT */
/* Included in front of every file of ours by test/cross/build: function-like
 * macros that C libraries may define for their own functions ("Any function
 * declared in a header may be additionally implemented as a function-like
 * macro", C11 7.1.4). FreeBSD 14.1's <stdio.h> has the first eight; the headers
 * that come with zig have none of them. test/steps/tidy knows these names, and
 * those that are no functions. */
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
#undef isalnum
#undef isalpha
#undef isblank
#undef iscntrl
#undef isdigit
#undef isgraph
#undef islower
#undef isprint
#undef ispunct
#undef isspace
#undef isupper
#undef isxdigit
#undef tolower
#undef toupper
#undef memcpy
#undef memmove
#undef memset
#undef strcpy
#undef strncpy
#undef strcat
#undef strncat
#undef strcmp
#undef strdup
#undef strndup
#undef snprintf
#undef vsnprintf
#undef sprintf
#undef vsprintf
#undef fgets

#define feof(p) ((feof) (p))
#define ferror(p) ((ferror) (p))
#define clearerr(p) ((clearerr) (p))
#define fileno(p) ((fileno) (p))
#define getc(p) ((getc) (p))
#define getchar() ((getchar) ())
#define putc(c, p) ((putc) ((c), (p)))
#define putchar(c) ((putchar) (c))

#define isalnum(c) ((isalnum) (c))
#define isalpha(c) ((isalpha) (c))
#define isblank(c) ((isblank) (c))
#define iscntrl(c) ((iscntrl) (c))
#define isdigit(c) ((isdigit) (c))
#define isgraph(c) ((isgraph) (c))
#define islower(c) ((islower) (c))
#define isprint(c) ((isprint) (c))
#define ispunct(c) ((ispunct) (c))
#define isspace(c) ((isspace) (c))
#define isupper(c) ((isupper) (c))
#define isxdigit(c) ((isxdigit) (c))
#define tolower(c) ((tolower) (c))
#define toupper(c) ((toupper) (c))

#define memcpy(...) ((memcpy) (__VA_ARGS__))
#define memmove(...) ((memmove) (__VA_ARGS__))
#define memset(...) ((memset) (__VA_ARGS__))
#define strcpy(...) ((strcpy) (__VA_ARGS__))
#define strncpy(...) ((strncpy) (__VA_ARGS__))
#define strcat(...) ((strcat) (__VA_ARGS__))
#define strncat(...) ((strncat) (__VA_ARGS__))
#define strcmp(...) ((strcmp) (__VA_ARGS__))
#define strdup(...) ((strdup) (__VA_ARGS__))
#define strndup(...) ((strndup) (__VA_ARGS__))
#define snprintf(...) ((snprintf) (__VA_ARGS__))
#define vsnprintf(...) ((vsnprintf) (__VA_ARGS__))
#define sprintf(...) ((sprintf) (__VA_ARGS__))
#define vsprintf(...) ((vsprintf) (__VA_ARGS__))
#define fgets(...) ((fgets) (__VA_ARGS__))

#endif /* UV_TEST_CROSS_LIBC_MACROS_H_ */
