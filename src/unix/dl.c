/* SPDX-License-Identifier: MIT */
/* Shared libraries.
 *
 * dlerror() is per thread and clears its message when read; uv_lib_t keeps a
 * copy, so that uv_dlerror() can be called repeatedly. The copy lives until the
 * next uv_dl* call on that object. Context: any.
 */
#include "os/loop.h"
#include "unix/os.h"
#include "util/alloc.h"
#include "util/base.h"

#include <dlfcn.h>
#include <stddef.h>

#if UV__HAVE_DL_PHDR
# include <elf.h>
# include <link.h>
#endif

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

/* ---- the object that contains the library ---- */

static const char here = 0;

/* Systems without it load a file only if it is not there yet, too, unless it
 * was replaced meanwhile. */
#ifdef RTLD_NOLOAD
# define KEEP (RTLD_LAZY | RTLD_NOLOAD)
#else
# define KEEP RTLD_LAZY
#endif

#if UV__HAVE_DL_PHDR
/* The program itself has no name here, and none that dlopen() would find. */
static int is_own_program(struct dl_phdr_info* info,
                          size_t size,
                          void* is_own) {
  uintptr_t own = (uintptr_t) &here;

  (void) size;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    if (part->p_type == PT_LOAD &&
        own - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
      *(int*) is_own = info->dlpi_name == NULL || info->dlpi_name[0] == '\0';
  }
  return 0;
}

/* Is the library a part of the program, which is never unloaded? */
static int is_in_program(void) {
  int is_own = 0;

  (void) dl_iterate_phdr(is_own_program, &is_own);
  return is_own;
}
#else
/* dlopen() finds the program by its name. */
static int is_in_program(void) {
  return 0;
}
#endif

/* The reference is never given back. */
int uv__library_os_pin(void) {
  Dl_info info;

  if (is_in_program())
    return 0;
  if (dladdr((void*) (uintptr_t) &here, &info) == 0 ||
      dlopen(info.dli_fname, KEEP) == NULL) {
    (void) dlerror(); /* not the program's to find */
    return UV_ENOENT;
  }
  return 0;
}
