/* SPDX-License-Identifier: MIT */
/* As much of the C++ ABI's names as callbacks usually have:
 * https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling */
#include "demangle.h"

#include <string.h>

struct output {
  char* at;
  size_t rest; /* a NUL included */
};

static int put(struct output* out, const char* text, size_t len) {
  if (len >= out->rest)
    return -1;
  memcpy(out->at, text, len);
  out->at += len;
  out->at[0] = '\0';
  out->rest -= len;
  return 0;
}

/* <length><name>, or C1 and its like for a constructor of `last`. */
static const char* take_name(const char* s,
                             struct output* out,
                             const char** last,
                             size_t* last_len) {
  static const char nameless[] = "_GLOBAL__N";
  size_t len = 0;

  if ((*s == 'C' || *s == 'D') && s[1] >= '0' && s[1] <= '5') {
    if (*last == NULL || (*s == 'D' && put(out, "~", 1) != 0) ||
        put(out, *last, *last_len) != 0)
      return NULL;
    return s + 2;
  }
  if (*s == 'L') /* internal linkage */
    s++;
  for (; *s >= '0' && *s <= '9' && len < 4096; s++)
    len = len * 10 + (size_t) (*s - '0');
  if (len == 0 || strlen(s) < len)
    return NULL;
  *last = s;
  *last_len = len;
  int is_nameless = strncmp(s, nameless, sizeof(nameless) - 1) == 0;
  int err = is_nameless ? put(out, "(anonymous)", 11) : put(out, s, len);
  return err != 0 ? NULL : s + len;
}

int demangle(const char* mangled, char* text, size_t size) {
  struct output out = { text, size };
  const char* last = NULL;
  size_t last_len = 0;
  int is_first = 1;

  if (size == 0 || strncmp(mangled, "_Z", 2) != 0)
    return -1;
  const char* s = mangled + 2;
  if (*s != 'N')
    return take_name(s, &out, &last, &last_len) == NULL ? -1 : 0;
  s++;
  while (*s == 'K' || *s == 'V' || *s == 'r') /* const, volatile */
    s++;
  for (; s != NULL && *s != 'E'; is_first = 0) {
    if (!is_first && put(&out, "::", 2) != 0)
      return -1;
    s = take_name(s, &out, &last, &last_len);
  }
  return s == NULL || is_first ? -1 : 0;
}
