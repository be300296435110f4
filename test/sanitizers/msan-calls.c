/* SPDX-License-Identifier: MIT */
/* Preloaded into tests under MSan: C library calls that fill memory and that
 * the MSan of clang 14 does not know (it knows the names from before glibc
 * 2.33, or none). Each is passed on, and what it filled is marked as
 * initialised. In programs without MSan this has no effect. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <net/if.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void __msan_unpoison(const volatile void* at, size_t size)
    __attribute__((weak));

static void filled(const void* at, size_t size) {
  if (__msan_unpoison != NULL)
    __msan_unpoison(at, size);
}

/* (MSan would check strlen().) */
static void filled_text(const char* text) {
  size_t size = 1;
  while (text[size - 1] != '\0')
    size++;
  filled(text, size);
}

#define REAL(name)                                                             \
 static __typeof__(name)* real;                                                \
 if (real == NULL)                                                             \
 real = (__typeof__(name)*) dlsym(RTLD_NEXT, #name)

int fstat(int fd, struct stat* st) {
  REAL(fstat);
  int r = real(fd, st);
  if (r == 0)
    filled(st, sizeof(*st));
  return r;
}

int stat(const char* path, struct stat* st) {
  REAL(stat);
  int r = real(path, st);
  if (r == 0)
    filled(st, sizeof(*st));
  return r;
}

int lstat(const char* path, struct stat* st) {
  REAL(lstat);
  int r = real(path, st);
  if (r == 0)
    filled(st, sizeof(*st));
  return r;
}

int fstatat(int fd, const char* path, struct stat* st, int flags) {
  REAL(fstatat);
  int r = real(fd, path, st, flags);
  if (r == 0)
    filled(st, sizeof(*st));
  return r;
}

/* Our own calls by number; of those only statx() fills memory that MSan checks.
 */
long syscall(long number, ...) {
  REAL(syscall);
  long args[6];
  va_list list;

  va_start(list, number);
  for (int i = 0; i < 6; i++)
    args[i] = va_arg(list, long);
  va_end(list);
  long r = real(number, args[0], args[1], args[2], args[3], args[4], args[5]);
  if (number == SYS_statx && r == 0)
    filled((void*) args[4], sizeof(struct statx));
  return r;
}

struct if_nameindex* if_nameindex(void) {
  REAL(if_nameindex);
  struct if_nameindex* all = real();
  struct if_nameindex* i = all;

  if (all == NULL)
    return NULL;
  for (filled(i, sizeof(*i)); i->if_index != 0; filled(++i, sizeof(*i)))
    filled_text(i->if_name);
  return all;
}

char* if_indextoname(unsigned index, char name[IF_NAMESIZE]) {
  REAL(if_indextoname);
  char* r = real(index, name);
  if (r != NULL)
    filled_text(name);
  return r;
}
