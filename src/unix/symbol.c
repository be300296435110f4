/* SPDX-License-Identifier: MIT */
/* Names of addresses in the code. */
#include "os/symbol.h"
#include "unix/os.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Demangles C++ names if the program has a C++ run time. */
static char* symbol_demangle(const char* name) {
  char* (*find)(const char*, char*, size_t*, int*);
  void* found = dlsym(RTLD_DEFAULT, "__cxa_demangle");

  if (found == NULL || strncmp(name, "_Z", 2) != 0)
    return NULL;
  memcpy(&find, &found, sizeof(find));
  return find(name, NULL, NULL, NULL);
}

static const char* base_of(const char* path) {
  const char* slash = path == NULL ? NULL : strrchr(path, '/');

  if (path == NULL)
    return "?";
  return slash == NULL ? path : slash + 1;
}

void uv__symbol_os_name(const void* address, char* name, size_t size) {
  Dl_info info;

  if (dladdr((void*) (uintptr_t) address, &info) == 0) {
    snprintf(name, size, "%p", (void*) (uintptr_t) address);
    return;
  }
  /* The nearest symbol below belongs to another function. */
  if (info.dli_sname == NULL || info.dli_saddr != address) {
    snprintf(name, size, "%s+0x%zx", base_of(info.dli_fname),
             (size_t) ((const char*) address - (const char*) info.dli_fbase));
    return;
  }
  char* readable = symbol_demangle(info.dli_sname);
  snprintf(name, size, "%s", readable != NULL ? readable : info.dli_sname);
  free(readable); /* allocated by __cxa_demangle */
}

void uv__symbol_os_place(const void* address, char* name, size_t size) {
  Dl_info info;

  if (dladdr((void*) (uintptr_t) address, &info) == 0) {
    snprintf(name, size, "%p", (void*) (uintptr_t) address);
    return;
  }
  size_t offset =
      (size_t) ((const char*) address - (const char*) info.dli_fbase);
  if (info.dli_sname == NULL) {
    snprintf(name, size, "%s+0x%zx", base_of(info.dli_fname), offset);
    return;
  }
  char* readable = symbol_demangle(info.dli_sname);
  snprintf(name, size, "%s+0x%zx (%s+0x%zx)", base_of(info.dli_fname), offset,
           readable != NULL ? readable : info.dli_sname,
           (size_t) ((const char*) address - (const char*) info.dli_saddr));
  free(readable);
}
