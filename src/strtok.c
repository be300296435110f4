/* SPDX-License-Identifier: MIT */
/* strtok_r(3) for systems without it. libuv's test-strtok.c includes this
 * file: it may use no other module.
 */
#include "strtok.h"

#include <stddef.h>
#include <string.h>

char* uv__strtok(char* str, const char* sep, char** itr) {
  char* token = str != NULL ? str : *itr;
  if (token == NULL || sep == NULL)
    return NULL;

  token += strspn(token, sep);
  char* end = token + strcspn(token, sep);

  *itr = end;
  if (token == end)
    return NULL;
  if (*end != '\0') {
    *end = '\0';
    (*itr)++;
  }
  return token;
}
