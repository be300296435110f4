/* SPDX-License-Identifier: MIT */
/* Environment variables. As in the C library, changing the environment while
 * another thread reads it is not safe.
 */
#include "os/system.h"
#include "unix/fd.h"
#include "unix/os.h"
#include "util/alloc.h"
#include "util/out-string.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#if UV__HAVE_GETAUXVAL
# include <sys/auxv.h>
#else
# include <unistd.h>
#endif

extern char** environ; /* used only by UV__ENVIRON */

/* Number of assignments in the environment, and their bytes with NULs. */
struct env_extent {
  size_t count;
  size_t bytes;
};

static struct env_extent env_measure(void) {
  struct env_extent extent = { 0, 0 };
  for (char** entry = UV__ENVIRON; entry != NULL && *entry != NULL; entry++) {
    if (strchr(*entry, '=') == NULL)
      continue;
    extent.count++;
    extent.bytes += strlen(*entry) + 1;
  }
  return extent;
}

/* Fills `items` and the bytes behind it; returns how many fit. */
static size_t env_copy(uv_env_item_t* items, struct env_extent room) {
  char* text = (char*) (items + room.count);
  size_t count = 0;
  for (char** entry = UV__ENVIRON; entry != NULL && *entry != NULL; entry++) {
    const char* equals = strchr(*entry, '=');
    if (equals == NULL)
      continue;
    size_t size = strlen(*entry) + 1;
    if (count == room.count || size > room.bytes)
      break;
    memcpy(text, *entry, size);
    items[count].name = text;
    items[count].value = text + (equals - *entry) + 1;
    items[count].value[-1] = '\0';
    count++;
    text += size;
    room.bytes -= size;
  }
  return count;
}

/* The result is one block: the items, then their strings. */
int uv__os_environ(uv_env_item_t** envitems, int* count) {
  struct env_extent extent = env_measure();
  if (extent.count == 0)
    return 0;
  if (extent.count > INT_MAX)
    return UV_E2BIG;

  size_t table = extent.count * sizeof(uv_env_item_t);
  uv_env_item_t* items = uv__malloc(table + extent.bytes);
  if (items == NULL)
    return UV_ENOMEM;
  *count = (int) env_copy(items, extent);
  *envitems = items;
  return 0;
}

int uv__os_getenv(const char* name, char* buffer, size_t* size) {
  const char* value = getenv(name);
  if (value == NULL)
    return UV_ENOENT;
  return uv__out_string_put(value, strlen(value), buffer, size);
}

int uv__os_setenv(const char* name, const char* value) {
  return setenv(name, value, 1) == 0 ? 0 : uv__errno();
}

int uv__os_unsetenv(const char* name) {
  return unsetenv(name) == 0 ? 0 : uv__errno();
}

#if UV__HAVE_GETAUXVAL
int uv__os_has_raised_rights(void) {
  return getauxval(AT_SECURE) != 0;
}
#else
int uv__os_has_raised_rights(void) {
  return issetugid();
}
#endif
