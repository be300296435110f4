/* SPDX-License-Identifier: MIT */
/* Loads a shared library and calls a function of it.
 *
 *   plugin LIBRARY FUNCTION    a function that returns this process's id:
 *                              plugin libc.so.6 getpid
 *
 * Exit status 0: what it returned is the id.
 */
#include <stdio.h>

#include <uv.h>

typedef int (*get_id)(void);

/* Calls `name` of the library; -1 if the library or the function is missing. */
static int call(const char* path, const char* name) {
  uv_lib_t library;
  void* symbol = NULL;
  int result = -1;

  if (uv_dlopen(path, &library) != 0 ||
      uv_dlsym(&library, name, &symbol) != 0) {
    fprintf(stderr, "plugin: %s\n", uv_dlerror(&library));
  } else {
    get_id function;
    *(void**) &function = symbol; /* as POSIX has it: no cast between them */
    result = function();
  }
  uv_dlclose(&library); /* also after a failure: it frees the message */
  return result;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: plugin LIBRARY FUNCTION\n");
    return 2;
  }
  int id = call(argv[1], argv[2]);
  printf("%s() returned %d\n", argv[2], id);
  return id != (int) uv_os_getpid();
}
