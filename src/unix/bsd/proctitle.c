/* SPDX-License-Identifier: MIT */
/* The process title, where the C library has setproctitle(). The title is kept
 * here too, because the system can only be told. Context: any, under
 * `title.lock`.
 */
#include "unix/proctitle.h"
#include "system-os.h"
#include "alloc.h"
#include "unix/os.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#if UV__HAVE_SETPROCTITLE

static struct {
  uv_mutex_t lock;
  char* text; /* NULL before uv_setup_args() and without memory */
} title = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Without memory there is no title, as with uv_setup_args() not called. */
char** uv_setup_args(int argc, char** argv) {
  if (argc <= 0 || argv == NULL)
    return argv;

  uv_mutex_lock(&title.lock);
  if (title.text == NULL)
    title.text = uv__strdup(argv[0]);
  uv_mutex_unlock(&title.lock);
  return argv;
}

int uv__os_set_process_title(const char* name) {
  char* copy = uv__strdup(name);
  if (copy == NULL)
    return UV_ENOMEM;
  int err = UV_ENOBUFS;
  uv_mutex_lock(&title.lock);
  if (title.text != NULL) {
    char* old = title.text;
    title.text = copy;
    copy = old;
    setproctitle("%s", name);
    err = 0;
  }
  uv_mutex_unlock(&title.lock);
  uv__free(copy);
  return err;
}

int uv__os_get_process_title(char* buffer, size_t size) {
  int err = UV_ENOBUFS;
  uv_mutex_lock(&title.lock);
  if (title.text != NULL && strlen(title.text) < size) {
    memcpy(buffer, title.text, strlen(title.text) + 1);
    err = 0;
  }
  uv_mutex_unlock(&title.lock);
  return err;
}

void uv__proctitle_cleanup(void) {
  uv_mutex_lock(&title.lock);
  uv__free(title.text);
  title.text = NULL;
  uv_mutex_unlock(&title.lock);
}

#endif /* UV__HAVE_SETPROCTITLE */
