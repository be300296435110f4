/* SPDX-License-Identifier: MIT */
#include "observe/output.h"
#include "os/private-file.h"

#include <stdio.h>
#include <string.h>

int uv__output_set(struct uv__output* output, const char* name, unsigned mode) {
  size_t len = strlen(name);

  if (len == 0 || !uv__private_file_is_mode(mode))
    return UV_EINVAL;
  int err = uv__private_file_os_absolute(name, output->pattern,
                                         sizeof(output->pattern));
  if (err != 0)
    return err;
  size_t all = strlen(output->pattern);
  output->given = output->pattern;
  if (all >= len && strcmp(output->pattern + all - len, name) == 0)
    output->given += all - len;
  output->mode = mode;
  return 0;
}

int uv__output_has_pid(const struct uv__output* output) {
  return strstr(output->given, "%p") != NULL;
}

int uv__output_path(const struct uv__output* output, char* path, size_t size) {
  const char* from = output->pattern;
  size_t used = 0;

  while (*from != '\0') {
    int is_pid = from >= output->given && from[0] == '%' && from[1] == 'p';
    int n = is_pid
                ? snprintf(path + used, size - used, "%d", (int) uv_os_getpid())
                : snprintf(path + used, size - used, "%c", *from);
    if (n < 0 || (size_t) n >= size - used)
      return UV_ENAMETOOLONG;
    used += (size_t) n;
    from += is_pid ? 2 : 1;
  }
  return 0;
}
