/* SPDX-License-Identifier: MIT */
/* Environment blocks: NUL-terminated NAME=value strings, sorted by name
 * ignoring case, followed by an empty string.
 *
 * A few variables are added if missing: without them programs do not find the
 * system's libraries, their user profile or a directory for temporary files.
 */
#include "win/process.h"
#include "util/alloc.h"
#include "win/wide.h"

#include <stdlib.h>
#include <wchar.h>

static const WCHAR* const required[] = {
  L"HOMEDRIVE",   L"HOMEPATH",    L"LOGONSERVER", L"PATH",
  L"SYSTEMDRIVE", L"SYSTEMROOT",  L"TEMP",        L"USERDOMAIN",
  L"USERNAME",    L"USERPROFILE", L"WINDIR",
};

struct variable {
  WCHAR* text;     /* NAME=value */
  size_t name_len; /* units before the = */
  size_t place;    /* index in the input */
};

/* Length of the name; 0 if it is not a variable. Names like =C: start with
 * '='. */
static size_t name_length(const WCHAR* text) {
  const WCHAR* equals = *text == L'\0' ? NULL : wcschr(text + 1, L'=');
  return equals == NULL ? 0 : (size_t) (equals - text);
}

static int compare_names(const WCHAR* a,
                         size_t a_len,
                         const WCHAR* b,
                         size_t b_len) {
  return CompareStringOrdinal(a, (int) a_len, b, (int) b_len, TRUE) -
         CSTR_EQUAL;
}

/* For qsort(): duplicates keep their order. */
static int compare_variables(const void* left, const void* right) {
  const struct variable* a = left;
  const struct variable* b = right;
  int order = compare_names(a->text, a->name_len, b->text, b->name_len);

  if (order != 0)
    return order;
  return a->place < b->place ? -1 : a->place > b->place;
}

const WCHAR* uv__env_find(const WCHAR* block, const WCHAR* name) {
  size_t len = wcslen(name);

  for (; *block != L'\0'; block += wcslen(block) + 1) {
    size_t name_len = name_length(block);
    if (name_len != 0 && compare_names(block, name_len, name, len) == 0)
      return block + name_len + 1;
  }
  return NULL;
}

int uv__env_own(const WCHAR* name, WCHAR** out) {
  DWORD size = GetEnvironmentVariableW(name, NULL, 0);

  *out = NULL;
  /* Another thread may change it in between: retry until both calls agree. */
  while (size != 0) {
    WCHAR* value = uv__malloc_array(size, sizeof(*value));
    if (value == NULL)
      return UV_ENOMEM;
    SetLastError(ERROR_SUCCESS); /* an empty value is not an error */
    DWORD used = GetEnvironmentVariableW(name, value, size);
    if (used < size && (used != 0 || GetLastError() == ERROR_SUCCESS)) {
      *out = value;
      return 0;
    }
    uv__free(value);
    size = used;
  }
  return 0;
}

static int has_variable(const struct variable* variables,
                        size_t count,
                        const WCHAR* name) {
  size_t len = wcslen(name);

  for (size_t i = 0; i < count; i++)
    if (compare_names(variables[i].text, variables[i].name_len, name, len) == 0)
      return 1;
  return 0;
}

/* Appends NAME=value from our own environment, if set. */
static int add_own(struct variable* variables,
                   size_t* count,
                   const WCHAR* name) {
  WCHAR* value = NULL;

  int err = uv__env_own(name, &value);
  if (err != 0 || value == NULL)
    return err;
  size_t name_len = wcslen(name);
  size_t value_len = wcslen(value);
  WCHAR* text = uv__malloc_array(name_len + value_len + 2, sizeof(*text));
  if (text != NULL) {
    wmemcpy(text, name, name_len);
    text[name_len] = L'=';
    wmemcpy(text + name_len + 1, value, value_len + 1);
    variables[*count] = (struct variable) { text, name_len, *count };
    ++*count;
  }
  uv__free(value);
  return text == NULL ? UV_ENOMEM : 0;
}

/* Fills the array; the caller frees its contents, on failure too. */
static int collect_variables(char** env,
                             struct variable* variables,
                             size_t* count) {
  for (; *env != NULL; env++) {
    WCHAR* text;
    int err = uv__wide_from_utf8(*env, &text);
    if (err != 0)
      return err;
    size_t name_len = name_length(text);
    if (name_len == 0) {
      uv__free(text); /* not a variable: skipped */
      continue;
    }
    variables[*count] = (struct variable) { text, name_len, *count };
    ++*count;
  }

  size_t given = *count;
  for (size_t i = 0; i < ARRAY_SIZE(required); i++) {
    int err = 0;
    if (!has_variable(variables, given, required[i]))
      err = add_own(variables, count, required[i]);
    if (err != 0)
      return err;
  }
  return 0;
}

static WCHAR* join_variables(const struct variable* variables, size_t count) {
  size_t units = 2; /* an empty block has two NULs */

  for (size_t i = 0; i < count; i++)
    units += wcslen(variables[i].text) + 1;
  WCHAR* block = uv__malloc_array(units, sizeof(*block));
  if (block == NULL)
    return NULL;

  WCHAR* at = block;
  for (size_t i = 0; i < count; i++) {
    size_t len = wcslen(variables[i].text);
    wmemcpy(at, variables[i].text, len + 1);
    at += len + 1;
  }
  at[0] = L'\0';
  if (count == 0)
    at[1] = L'\0';
  return block;
}

int make_program_env(char** env_block, WCHAR** dst_ptr) {
  size_t given = 0;
  size_t count = 0;

  while (env_block[given] != NULL)
    given++;
  struct variable* variables =
      uv__malloc_array(given + ARRAY_SIZE(required), sizeof(*variables));
  if (variables == NULL)
    return UV_ENOMEM;

  int err = collect_variables(env_block, variables, &count);
  WCHAR* block = NULL;
  if (err == 0) {
    qsort(variables, count, sizeof(*variables), compare_variables);
    block = join_variables(variables, count);
    err = block == NULL ? UV_ENOMEM : 0;
  }
  for (size_t i = 0; i < count; i++)
    uv__free(variables[i].text);
  uv__free(variables);
  if (err == 0)
    *dst_ptr = block;
  return err;
}
