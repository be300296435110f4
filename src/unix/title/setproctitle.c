/* SPDX-License-Identifier: MIT */
/* The process title, where the C library has setproctitle(). Keeps a copy,
 * because the system cannot return the title. Context: any, under `title.lock`.
 */
#include "unix/proc-info.h"
#include "os/system.h"
#include "unix/os.h"
#include "util/alloc.h"
#include "util/fork-lock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static struct {
  struct uv__fork_lock lock;
  char* text; /* NULL before uv_setup_args() and before the first title */
} title;

/* Not needed for setting a title, as in libuv. Without memory there is none to
 * return. */
char** uv_setup_args(int argc, char** argv) {
  if (argc <= 0 || argv == NULL)
    return argv;

  (void) uv__fork_lock(&title.lock);
  if (title.text == NULL)
    title.text = uv__strdup(argv[0]);
  uv__fork_unlock(&title.lock);
  return argv;
}

int uv__os_set_process_title(const char* name) {
  char* copy = uv__strdup(name);
  if (copy == NULL)
    return UV_ENOMEM;
  (void) uv__fork_lock(&title.lock);
  char* old = title.text;
  title.text = copy;
  setproctitle("%s", name);
  uv__fork_unlock(&title.lock);
  uv__free(old);
  return 0;
}

int uv__os_get_process_title(char* buffer, size_t size) {
  int err = UV_ENOBUFS;
  (void) uv__fork_lock(&title.lock);
  if (title.text != NULL && strlen(title.text) < size) {
    memcpy(buffer, title.text, strlen(title.text) + 1);
    err = 0;
  }
  uv__fork_unlock(&title.lock);
  return err;
}

void uv__proctitle_cleanup(void) {
  (void) uv__fork_lock(&title.lock);
  char* text = title.text;
  title.text = NULL;
  uv__fork_unlock(&title.lock);
  uv__free(text);
}
