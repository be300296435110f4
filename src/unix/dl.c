/* SPDX-License-Identifier: MIT */
/* Shared libraries.
 *
 * dlerror() is per thread and clears its message when read; uv_lib_t keeps a
 * copy, so that uv_dlerror() can be called repeatedly. The copy lives until the
 * next uv_dl* call on that object. Context: any.
 */
#include "util/base.h"
#include "util/alloc.h"

#include <dlfcn.h>
#include <stddef.h>

/* Used if the message could not be copied; never freed. */
static char no_memory[] = "out of memory";

static void message_drop(uv_lib_t* lib) {
  if (lib->errmsg != no_memory)
    uv__free(lib->errmsg);
  lib->errmsg = NULL;
}

/* Stores the message of a failed call: -1, or 0 if there was no failure. */
static int message_take(uv_lib_t* lib) {
  const char* text = dlerror();
  if (text == NULL)
    return 0;
  lib->errmsg = uv__strdup(text);
  if (lib->errmsg == NULL)
    lib->errmsg = no_memory;
  return -1;
}

int uv_dlopen(const char* filename, uv_lib_t* lib) {
  lib->errmsg = NULL; /* the caller's object may be uninitialised */
  lib->handle = dlopen(filename, RTLD_LAZY);
  if (lib->handle != NULL)
    return 0;
  (void) message_take(lib); /* a failed dlopen() always has a message */
  return -1;
}

void uv_dlclose(uv_lib_t* lib) {
  message_drop(lib);
  if (lib->handle != NULL)
    (void) dlclose(lib->handle); /* cannot be reported; the handle is gone */
  lib->handle = NULL;
}

int uv_dlsym(uv_lib_t* lib, const char* name, void** ptr) {
  message_drop(lib);
  (void) dlerror(); /* clear an old message */
  *ptr = dlsym(lib->handle, name);
  /* NULL is a valid address; only a message indicates failure. */
  return *ptr == NULL ? message_take(lib) : 0;
}

const char* uv_dlerror(const uv_lib_t* lib) {
  return lib->errmsg == NULL ? "no error" : lib->errmsg;
}
