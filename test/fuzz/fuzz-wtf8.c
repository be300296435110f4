/* SPDX-License-Identifier: MIT */
/* UTF-16 to WTF-8 and back is the identity, in buffers of the exact size; any
 * bytes as WTF-8 are refused or survive the round trip. */
#include "fuzz.h"

#include "uv.h"

static void from_utf16(const uint8_t* data, size_t size) {
  size_t units = size / 2;
  uint16_t* in = malloc(units * 2 + 1);
  REQUIRE(in != NULL);
  memcpy(in, data, units * 2);
  size_t len = 0;
  while (len < units && in[len] != 0)
    len++;

  size_t bytes = uv_utf16_length_as_wtf8(in, (ssize_t) len);
  REQUIRE(bytes <= len * 3);
  char* wtf8 = malloc(bytes + 1);
  size_t room = bytes; /* and the NUL, which the caller does not count */
  REQUIRE(uv_utf16_to_wtf8(in, (ssize_t) len, &wtf8, &room) == 0);
  REQUIRE(room == bytes);
  REQUIRE(strlen(wtf8) == bytes);

  ssize_t back = uv_wtf8_length_as_utf16(wtf8);
  REQUIRE(back == (ssize_t) len + 1);
  uint16_t* out = malloc((size_t) back * 2);
  REQUIRE(out != NULL);
  uv_wtf8_to_utf16(wtf8, out, (size_t) back);
  REQUIRE(memcmp(in, out, len * 2) == 0);
  REQUIRE(out[len] == 0);

  /* Too small by any amount: the required size is reported. */
  if (bytes > 0) {
    size_t room = data[0] % bytes;
    char* cut = malloc(room + 1);
    size_t told = room;
    REQUIRE(uv_utf16_to_wtf8(in, (ssize_t) len, &cut, &told) == UV_ENOBUFS);
    REQUIRE(told == bytes);
    REQUIRE(strlen(cut) <= room);
    free(cut);
  }
  free(in);
  free(out);
  free(wtf8);
}

static void from_wtf8(const uint8_t* data, size_t size) {
  char* in = fuzz_string(data, size);
  ssize_t units = uv_wtf8_length_as_utf16(in);

  if (units >= 0) {
    REQUIRE(units >= 1);
    uint16_t* out = malloc((size_t) units * 2);
    REQUIRE(out != NULL);
    uv_wtf8_to_utf16(in, out, (size_t) units);
    REQUIRE(out[units - 1] == 0);
    char* back = NULL;
    size_t len = 0;
    REQUIRE(uv_utf16_to_wtf8(out, units - 1, &back, &len) == 0);
    /* A pair encoded as two surrogates is decoded as one character. */
    REQUIRE(len <= strlen(in));
    ssize_t again = uv_wtf8_length_as_utf16(back);
    REQUIRE(again == units);
    free(back);
    free(out);
  }
  free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  from_utf16(data, size);
  from_wtf8(data, size);
  return 0;
}
