/* SPDX-License-Identifier: MIT */
/* Environment variables: the process's own block, not the C runtime's copy.
 * Context: any.
 */
#include "os/system.h"
#include "util/alloc.h"
#include "util/out-string.h"
#include "win/error.h"
#include "win/wide.h"

#include <limits.h>
#include <string.h>
#include <wchar.h>

/* Most values fit, so that one call suffices. */
#define VALUE_UNITS 256

/* Variables for the current directory of each drive have names that start with
 * an equals sign ("=C:"). */
static const WCHAR* equals_of(const WCHAR* entry) {
  return entry[0] == L'\0' ? NULL : wcschr(entry + 1, L'=');
}

static size_t utf8_size(const WCHAR* wide, ssize_t len) {
  return uv_utf16_length_as_wtf8((const uint16_t*) wide, len) + 1;
}

/* Converts to `*to`, which has room, and advances it; returns the start. */
static char* text_append(char** to, const WCHAR* wide, ssize_t len) {
  char* at = *to;
  size_t size = utf8_size(wide, len);
  size_t room = size;

  /* Fits: measured before. */
  (void) uv_utf16_to_wtf8((const uint16_t*) wide, len, &at, &room);
  *to = at + size;
  return at;
}

static uv_env_item_t* environ_copy(const WCHAR* block,
                                   size_t count,
                                   size_t bytes) {
  uv_env_item_t* items = uv__malloc(count * sizeof(*items) + bytes);
  if (items == NULL)
    return NULL;

  char* text = (char*) (items + count);
  uv_env_item_t* item = items;
  for (const WCHAR* entry = block; *entry != 0; entry += wcslen(entry) + 1) {
    const WCHAR* equals = equals_of(entry);
    if (equals == NULL)
      continue;
    item->name = text_append(&text, entry, equals - entry);
    item->value = text_append(&text, equals + 1, -1);
    item++;
  }
  return items;
}

/* The result is one block: the items, then their strings. */
int uv__os_environ(uv_env_item_t** envitems, int* count) {
  /* A snapshot: other threads cannot change it. */
  WCHAR* block = GetEnvironmentStringsW();
  if (block == NULL)
    return uv__last_error();

  size_t entries = 0;
  size_t bytes = 0;
  for (const WCHAR* entry = block; *entry != 0; entry += wcslen(entry) + 1) {
    const WCHAR* equals = equals_of(entry);
    if (equals == NULL)
      continue;
    entries++;
    bytes += utf8_size(entry, equals - entry) + utf8_size(equals + 1, -1);
  }

  int err = 0;
  if (entries > INT_MAX)
    err = UV_E2BIG;
  if (err == 0 && entries > 0) {
    *envitems = environ_copy(block, entries, bytes);
    err = *envitems == NULL ? UV_ENOMEM : 0;
  }
  if (err == 0)
    *count = (int) entries;
  FreeEnvironmentStringsW(block);
  return err;
}

/* The length without the NUL, or the required size with it. For 0, an empty
 * value or none, *sys_error tells which. */
static DWORD value_get(const WCHAR* name,
                       WCHAR* value,
                       DWORD units,
                       DWORD* sys_error) {
  SetLastError(ERROR_SUCCESS); /* not changed by an empty value */
  DWORD len = GetEnvironmentVariableW(name, value, units);
  *sys_error = len == 0 ? GetLastError() : ERROR_SUCCESS;
  return len;
}

/* For values that did not fit; another thread may make them longer again. */
static int value_put_long(const WCHAR* name,
                          DWORD units,
                          char* buffer,
                          size_t* size) {
  for (;;) {
    WCHAR* value = uv__malloc_array(units, sizeof(*value));
    if (value == NULL)
      return UV_ENOMEM;

    DWORD sys_error;
    DWORD len = value_get(name, value, units, &sys_error);
    int err = uv_translate_sys_error((int) sys_error);
    if (err == 0 && len < units)
      err = uv__wide_put(value, len, buffer, size);
    uv__free(value);
    if (sys_error != ERROR_SUCCESS || len < units)
      return err;
    units = len;
  }
}

int uv__os_getenv(const char* name, char* buffer, size_t* size) {
  WCHAR* wide_name;
  int err = uv__wide_from_utf8(name, &wide_name);
  if (err != 0)
    return err;

  WCHAR value[VALUE_UNITS];
  DWORD sys_error;
  DWORD len = value_get(wide_name, value, VALUE_UNITS, &sys_error);
  if (sys_error != ERROR_SUCCESS)
    err = uv_translate_sys_error((int) sys_error);
  else if (len < VALUE_UNITS)
    err = uv__wide_put(value, len, buffer, size);
  else
    err = value_put_long(wide_name, len, buffer, size);
  uv__free(wide_name);
  return err;
}

int uv__os_setenv(const char* name, const char* value) {
  WCHAR* wide_name;
  int err = uv__wide_from_utf8(name, &wide_name);
  if (err != 0)
    return err;
  WCHAR* wide_value;
  err = uv__wide_from_utf8(value, &wide_value);
  if (err != 0)
    goto out_free_name;

  if (!SetEnvironmentVariableW(wide_name, wide_value))
    err = uv__last_error();
  uv__free(wide_value);

out_free_name:
  uv__free(wide_name);
  return err;
}

int uv__os_unsetenv(const char* name) {
  WCHAR* wide_name;
  int err = uv__wide_from_utf8(name, &wide_name);
  if (err != 0)
    return err;

  if (!SetEnvironmentVariableW(wide_name, NULL))
    err = uv__last_error();
  /* A variable that does not exist counts as removed. */
  if (err == UV_ENOENT)
    err = 0;
  uv__free(wide_name);
  return err;
}

/* Starting a program never gives it more rights than its parent has. */
int uv__os_has_raised_rights(void) {
  return 0;
}
