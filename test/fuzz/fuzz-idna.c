/* SPDX-License-Identifier: MIT */
/* Host names: any bytes into a buffer of any size. An accepted result ends with
 * a NUL, is ASCII, and is unchanged by a second conversion. */
#include "fuzz.h"

#include "idna.h"

/* Longer names are irrelevant to the DNS: Punycode may be longer than its
 * input, so the second conversion may be refused. */
enum { DNS_LABEL_MAX = 63 };

static size_t longest_label(const char* name) {
  size_t longest = 0;
  while (*name != '\0') {
    size_t len = strcspn(name, ".");
    longest = len > longest ? len : longest;
    name += len + (name[len] == '.');
  }
  return longest;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1)
    return 0;
  size_t room = data[0] + (size_t) (data[0] > 200 ? 200 : 0);
  size--;
  char* in = malloc(size == 0 ? 1 : size);
  char* out = malloc(room == 0 ? 1 : room);
  REQUIRE(in != NULL && out != NULL);
  memcpy(in, data + 1, size);

  ssize_t n = uv__idna_toascii(in, in + size, out, out + room);
  if (n > 0) {
    REQUIRE((size_t) n <= room);
    REQUIRE(out[n - 1] == '\0');
    REQUIRE(strlen(out) == (size_t) n - 1);
    char* again = malloc((size_t) n);
    REQUIRE(again != NULL);
    for (ssize_t i = 0; i < n - 1; i++)
      REQUIRE((unsigned char) out[i] < 0x80);
    if (n > 1 && longest_label(out) <= DNS_LABEL_MAX) {
      REQUIRE(uv__idna_toascii(out, out + n - 1, again, again + n) == n);
      REQUIRE(memcmp(out, again, (size_t) n) == 0);
    }
    free(again);
  } else {
    REQUIRE(n == UV_EINVAL);
  }

  const char* p = in;
  while (p < in + size) {
    const char* before = p;
    unsigned cp = uv__utf8_decode1(&p, in + size);
    REQUIRE(p > before && p <= in + size);
    REQUIRE(cp == (unsigned) -1 || cp <= 0x10FFFF);
  }
  free(in);
  free(out);
  return 0;
}
