/* SPDX-License-Identifier: MIT */
/* The parsers of cgroup.h: text in, values out, no file access. Formats:
 * cgroups(7), proc(5), Documentation/admin-guide/cgroup-v2.rst.
 */
#include "unix/sysinfo/cgroup.h"

#include <limits.h>
#include <string.h>

/* v1 shows LONG_MAX rounded down to a page for "no limit"; no real amount is
 * that large. */
#define AMOUNT_MAX ((uint64_t) 1 << 60)

/* Whether the comma-separated list of `len` bytes contains `word`. */
static int list_has(const char* list, size_t len, const char* word) {
  size_t word_len = strlen(word);
  const char* end = list + len;
  while (list < end) {
    const char* comma = memchr(list, ',', (size_t) (end - list));
    size_t item = (size_t) ((comma == NULL ? end : comma) - list);
    if (item == word_len && memcmp(list, word, item) == 0)
      return 1;
    list += item + 1;
  }
  return 0;
}

enum uv__cgroup_kind uv__cgroup_parse_membership(const char* line,
                                                 const char* controller,
                                                 const char** path) {
  /* hierarchy-id ":" controllers ":" path */
  const char* list = strchr(line, ':');
  if (list == NULL)
    return UV__CGROUP_NONE;
  list++;
  const char* colon = strchr(list, ':');
  if (colon == NULL || colon[1] != '/')
    return UV__CGROUP_NONE;

  size_t len = (size_t) (colon - list);
  *path = colon + 1;
  if (len == 0)
    return strncmp(line, "0:", 2) == 0 ? UV__CGROUP_V2 : UV__CGROUP_NONE;
  return list_has(list, len, controller) ? UV__CGROUP_V1 : UV__CGROUP_NONE;
}

/* Terminates the word at *at and advances *at to the next one; NULL if there is
 * none. */
static char* word_take(char** at) {
  char* word = *at;
  if (*word == '\0')
    return NULL;
  char* space = strchr(word, ' ');
  if (space == NULL) {
    *at = word + strlen(word);
  } else {
    *space = '\0';
    *at = space + 1;
  }
  return word;
}

static int is_octal(char c) {
  return c >= '0' && c <= '7';
}

/* Blanks and backslashes in paths are escaped as three octal digits. */
static void path_unescape(char* text) {
  char* to = text;
  while (*text != '\0') {
    if (text[0] == '\\' && is_octal(text[1]) && is_octal(text[2]) &&
        is_octal(text[3])) {
      int byte = (text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0');
      *to++ = (char) byte;
      text += 4;
    } else {
      *to++ = *text++;
    }
  }
  *to = '\0';
}

enum uv__cgroup_kind uv__cgroup_parse_mount(char* line,
                                            const char* controller,
                                            const char** top,
                                            const char** mount) {
  /* id parent dev top mount options [tags] "-" type source super-options */
  char* at = line;
  char* word[6];
  for (size_t i = 0; i < ARRAY_SIZE(word); i++)
    if ((word[i] = word_take(&at)) == NULL)
      return UV__CGROUP_NONE;

  char* tag = word_take(&at);
  while (tag != NULL && strcmp(tag, "-") != 0)
    tag = word_take(&at);
  char* type = word_take(&at);
  char* source = word_take(&at);
  char* super = word_take(&at);
  if (type == NULL || source == NULL)
    return UV__CGROUP_NONE;

  path_unescape(word[3]);
  path_unescape(word[4]);
  *top = word[3];
  *mount = word[4];
  if (strcmp(type, "cgroup2") == 0)
    return UV__CGROUP_V2;
  if (strcmp(type, "cgroup") != 0 || super == NULL)
    return UV__CGROUP_NONE;
  int found = list_has(super, strlen(super), controller);
  return found ? UV__CGROUP_V1 : UV__CGROUP_NONE;
}

/* The part of `path` below `top`: "" or "/x/y"; NULL if it is elsewhere. */
static const char* path_below(const char* path, const char* top) {
  size_t len = strlen(top);
  if (len > 0 && top[len - 1] == '/')
    len--;
  if (strncmp(path, top, len) != 0)
    return NULL;
  path += len;
  if (path[0] != '\0' && path[0] != '/')
    return NULL;
  return strcmp(path, "/") == 0 ? "" : path;
}

/* "/../x" denotes a group outside the namespace. */
static int has_dotdot(const char* path) {
  for (const char* p = strstr(path, "/.."); p != NULL; p = strstr(p + 1, "/.."))
    if (p[3] == '/' || p[3] == '\0')
      return 1;
  return 0;
}

int uv__cgroup_locate(struct uv__cgroup_dir* dir,
                      const char* mount,
                      const char* top,
                      const char* path) {
  const char* below = path_below(path, top);
  if (below == NULL || has_dotdot(below))
    below = "";

  int err = uv__procfs_path(dir->path, mount, below);
  if (err != 0)
    return err;
  dir->top_len = strlen(mount);
  return 0;
}

int uv__cgroup_parse_amount(const char* text, uint64_t* amount) {
  if (strncmp(text, "max", 3) == 0) {
    *amount = UV__CGROUP_UNLIMITED;
    return 0;
  }
  uint64_t value;
  int err = uv__procfs_number(&text, &value);
  if (err != 0)
    return err;
  *amount = value > AMOUNT_MAX ? UV__CGROUP_UNLIMITED : value;
  return 0;
}

int uv__cgroup_parse_cpu_max(const char* text,
                             uint64_t* quota_us,
                             uint64_t* period_us) {
  uint64_t quota = UV__CGROUP_UNLIMITED;
  if (strncmp(text, "max", 3) == 0)
    text += 3;
  else if (uv__procfs_number(&text, &quota) != 0)
    return UV_EINVAL;

  uint64_t period;
  int err = uv__procfs_number(&text, &period);
  if (err != 0)
    return err;
  *quota_us = quota;
  *period_us = period;
  return 0;
}

unsigned int uv__cgroup_cpus(uint64_t quota_us, uint64_t period_us) {
  if (quota_us == UV__CGROUP_UNLIMITED || period_us == 0)
    return 0;
  uint64_t cpus = quota_us / period_us;
  if (cpus == 0)
    return 1;
  return cpus > UINT_MAX ? UINT_MAX : (unsigned int) cpus;
}
