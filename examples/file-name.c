/* SPDX-License-Identifier: MIT */
/* A file name of Windows as bytes and back. Such names are UTF-16 that need not
 * be valid: half a pair of surrogates is a name too, which UTF-8 cannot hold.
 *
 * Exit status 0: the name came back as it was.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

/* As bytes, in memory of the library's allocator; NULL if there is none. */
static char* to_bytes(const uint16_t* name) {
  char* bytes = NULL;
  size_t length = 0;

  if (uv_utf16_to_wtf8(name, -1, &bytes, &length) != 0)
    return NULL;
  printf("%d bytes\n", (int) length);
  return length == uv_utf16_length_as_wtf8(name, -1) ? bytes : NULL;
}

/* And back; NULL if the bytes are no name. */
static uint16_t* to_units(const char* bytes) {
  ssize_t units = uv_wtf8_length_as_utf16(bytes); /* with the NUL */
  if (units < 0)
    return NULL;
  uint16_t* name = malloc((size_t) units * sizeof *name);
  if (name != NULL)
    uv_wtf8_to_utf16(bytes, name, (size_t) units);
  return name;
}

int main(void) {
  /* "e" with an accent, an emoji, and half of another one. */
  const uint16_t name[] = { 0x00e9, 0xd83d, 0xde00, 0xd83d, 0 };

  char* bytes = to_bytes(name);
  uint16_t* again = bytes != NULL ? to_units(bytes) : NULL;
  int is_same = again != NULL && memcmp(name, again, sizeof name) == 0;
  free(again);
  free(bytes);
  return is_same ? 0 : 1;
}
