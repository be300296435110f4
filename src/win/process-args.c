/* SPDX-License-Identifier: MIT */
/* Command lines.
 *
 * A Windows program gets one string and splits it itself, usually like
 * CommandLineToArgvW(): spaces separate, quotes group, and backslashes are
 * literal unless followed by a quote; then two of them stand for one, and an
 * odd one makes the quote literal.
 */
#include "win/process.h"
#include "util/alloc.h"
#include "win/wide.h"

#include <wchar.h>

static WCHAR* put_repeated(WCHAR* at, WCHAR unit, size_t count) {
  while (count-- > 0)
    *at++ = unit;
  return at;
}

WCHAR* quote_cmd_arg(const WCHAR* source, WCHAR* target) {
  int needs_quotes = *source == L'\0' || wcspbrk(source, L" \t\"") != NULL;
  size_t backslashes = 0;

  if (!needs_quotes) {
    size_t len = wcslen(source);
    wmemcpy(target, source, len + 1);
    return target + len;
  }

  *target++ = L'"';
  for (; *source != L'\0'; source++) {
    if (*source == L'"') /* double those before it, and one to escape it */
      target = put_repeated(target, L'\\', backslashes + 1);
    backslashes = *source == L'\\' ? backslashes + 1 : 0;
    *target++ = *source;
  }
  /* Trailing backslashes would escape the closing quote. */
  target = put_repeated(target, L'\\', backslashes);
  *target++ = L'"';
  *target = L'\0';
  return target;
}

/* Units for all arguments with quotes and separators, or UV_EINVAL. *longest is
 * the length of the longest one without quotes. */
static ssize_t measure_args(char** args, size_t* longest) {
  size_t total = 1;

  *longest = 1;
  for (char** arg = args; *arg != NULL; arg++) {
    ssize_t units = uv__wide_size(*arg);
    if (units < 0)
      return units;
    total += 2 * (size_t) units + 3;
    if ((size_t) units > *longest)
      *longest = (size_t) units;
  }
  return (ssize_t) total;
}

int make_program_args(char** args, int verbatim_arguments, WCHAR** dst_ptr) {
  size_t longest;
  ssize_t total = measure_args(args, &longest);
  if (total < 0)
    return (int) total;

  WCHAR* line = uv__malloc_array((size_t) total, sizeof(*line));
  WCHAR* arg = uv__malloc_array(longest, sizeof(*arg));
  if (line == NULL || arg == NULL) {
    uv__free(line);
    uv__free(arg);
    return UV_ENOMEM;
  }

  WCHAR* at = line;
  for (size_t i = 0; args[i] != NULL; i++) {
    if (i > 0)
      *at++ = L' ';
    uv_wtf8_to_utf16(args[i], (uint16_t*) arg,
                     (size_t) uv_wtf8_length_as_utf16(args[i]));
    if (verbatim_arguments) {
      size_t len = wcslen(arg);
      wmemcpy(at, arg, len);
      at += len;
    } else {
      at = quote_cmd_arg(arg, at);
    }
  }
  *at = L'\0';
  uv__free(arg);
  *dst_ptr = line;
  return 0;
}
