/* SPDX-License-Identifier: MIT */
/* What a library compiled with glibc 2.38 asks of an older one: C23's readers
 * of numbers, which differ only in accepting binary literals. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

long __isoc23_strtol(const char* text, char** end, int base);
int __isoc23_sscanf(const char* text, const char* format, ...);
int __isoc23_fscanf(FILE* file, const char* format, ...);

long __isoc23_strtol(const char* text, char** end, int base) {
  return strtol(text, end, base);
}

int __isoc23_sscanf(const char* text, const char* format, ...) {
  va_list args;
  va_start(args, format);
  int count = vsscanf(text, format, args);
  va_end(args);
  return count;
}

int __isoc23_fscanf(FILE* file, const char* format, ...) {
  va_list args;
  va_start(args, format);
  int count = vfscanf(file, format, args);
  va_end(args);
  return count;
}
