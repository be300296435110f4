/* SPDX-License-Identifier: MIT */
/* The process title on systems that take it from the argument strings.
 *
 * The kernel lays out the arguments back to back, and ps(1) reads that area.
 * uv_setup_args() moves the arguments of the program to the heap and keeps the
 * area; setting a title writes it there, truncated to fit, the rest zeroed. The
 * title is always read back from the area. Context: any, under `title.lock`.
 */
#include "unix/proc-info.h"
#include "os/system.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "util/alloc.h"
#include "util/atomic.h"
#include "util/fork-lock.h"

#include <fcntl.h>
#include <string.h>

static struct {
  /* Protects these fields and the bytes of the area. A forked child may inherit
   * a half-written title, a mixture of two at worst. */
  struct uv__fork_lock lock;
  char** original;  /* what uv_setup_args() was given */
  char** copy;      /* what it returned; one block, owned */
  char* area;       /* the argument strings; NULL before uv_setup_args() */
  size_t area_size; /* its bytes, the last of which stays NUL */
} title;

/* Counts the contiguous bytes of argument strings from argv[0] on. The caller
 * may have replaced some strings; those are not ours to overwrite. */
static size_t area_measure(int argc, char** argv) {
  char* end = argv[0];
  for (int i = 0; i < argc && argv[i] == end; i++)
    end += strlen(end) + 1;
  return (size_t) (end - argv[0]);
}

/* A copy of the vector and its strings in one block, or NULL. */
static char** args_copy(int argc, char** argv) {
  size_t count = (size_t) argc;
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++)
    bytes += strlen(argv[i]) + 1;

  size_t table = (count + 1) * sizeof(char*);
  char** block = uv__malloc(table + bytes);
  if (block == NULL)
    return NULL;

  char* text = (char*) block + table;
  for (size_t i = 0; i < count; i++) {
    size_t size = strlen(argv[i]) + 1;
    block[i] = memcpy(text, argv[i], size);
    text += size;
  }
  block[count] = NULL;
  return block;
}

/* Without memory the arguments stay where they are and there is no title. */
static char** title_adopt(int argc, char** argv) {
  char** copy = args_copy(argc, argv);
  if (copy == NULL)
    return argv;
  title.original = argv;
  title.copy = copy;
  title.area_size = area_measure(argc, argv);
  uv__store_release(&title.area, argv[0]); /* last: publishes the rest */
  return copy;
}

char** uv_setup_args(int argc, char** argv) {
  if (argc <= 0 || argv == NULL)
    return argv;

  char** args = argv;
  (void) uv__fork_lock(&title.lock);
  if (title.area == NULL)
    args = title_adopt(argc, argv);
  else if (title.original == argv)
    args = title.copy; /* second call: the area may be overwritten */
  uv__fork_unlock(&title.lock);
  return args;
}

/* top(1) and others show the name of the first thread. Best effort: only the
 * full title is guaranteed. */
#if UV__HAVE_PROC_COMM
static void comm_set(const char* name) {
  int fd = uv__fd_open("/proc/self/comm", O_WRONLY, 0);
  if (fd < 0)
    return;
  /* Include the NUL, so that an empty name is written too. */
  (void) uv__fd_write(fd, name, strlen(name) + 1);
  (void) uv__fd_close(fd);
}
#else
static void comm_set(const char* name) {
  (void) name;
}
#endif

int uv__os_set_process_title(const char* name) {
  int err = UV_ENOBUFS;
  (void) uv__fork_lock(&title.lock);
  if (title.area != NULL) {
    size_t len = uv__min_size(strlen(name), title.area_size - 1);
    memmove(title.area, name, len);
    memset(title.area + len, 0, title.area_size - len);
    comm_set(title.area);
    err = 0;
  }
  uv__fork_unlock(&title.lock);
  return err;
}

int uv__os_get_process_title(char* buffer, size_t size) {
  int err = UV_ENOBUFS;
  (void) uv__fork_lock(&title.lock);
  if (title.area != NULL) {
    size_t len = strnlen(title.area, title.area_size - 1);
    if (len < size) {
      memcpy(buffer, title.area, len);
      buffer[len] = '\0';
      err = 0;
    }
  }
  uv__fork_unlock(&title.lock);
  return err;
}

void uv__proctitle_cleanup(void) {
  (void) uv__fork_lock(&title.lock);
  char** copy = title.copy;
  title.copy = NULL;
  title.original = NULL;
  title.area = NULL;
  title.area_size = 0;
  uv__fork_unlock(&title.lock);
  uv__free(copy);
}
