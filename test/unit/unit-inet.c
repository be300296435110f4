/* SPDX-License-Identifier: MIT */
/* inet.c: which texts are addresses, what is written, and where it ends,
 * compared with the C library's own functions. */
#include "unit.h"

#include "uv.h"

#include <stdlib.h>
#include <string.h>

#if TEST_POSIX
# include <arpa/inet.h>
#endif

#define N(a) (sizeof(a) / sizeof((a)[0]))

UNIT_TEST(inet_pton4_good) {
  static const struct {
    const char* text;
    unsigned char bytes[4];
  } rows[] = {
    { "0.0.0.0", { 0, 0, 0, 0 } },
    { "1.2.3.4", { 1, 2, 3, 4 } },
    { "10.0.0.1", { 10, 0, 0, 1 } },
    { "127.0.0.1", { 127, 0, 0, 1 } },
    { "255.255.255.255", { 255, 255, 255, 255 } },
    { "9.99.199.249", { 9, 99, 199, 249 } },
  };

  for (size_t i = 0; i < N(rows); i++) {
    unsigned char got[4];
    CHECK_ROW(uv_inet_pton(AF_INET, rows[i].text, got) == 0, rows[i].text);
    CHECK_MEM(rows[i].bytes, got, 4);
  }
}

UNIT_TEST(inet_pton4_bad) {
  static const char* const rows[] = {
    "",
    ".",
    "...",
    "1",
    "1.2",
    "1.2.3",
    "1.2.3.",
    "1.2.3.4.",
    "1.2.3.4.5",
    ".1.2.3.4",
    "1..2.3",
    "1.2..3.4",
    "256.0.0.0",
    "0.0.0.256",
    "0.0.0.1000",
    "99999999999999999999.0.0.0",
    "01.2.3.4",
    "1.2.3.04",
    "00.0.0.0",
    "1.2.3.00",
    "0x1.2.3.4",
    "1.2.3.0x4",
    " 1.2.3.4",
    "1.2.3.4 ",
    "1.2.3.4\n",
    "1.2.3. 4",
    "1.2.3.-4",
    "+1.2.3.4",
    "1.2.3.4%lo",
    "a.b.c.d",
    "1,2,3,4",
    "::1.2.3.4",
    "1.2.3.4/8",
    "2555.0.0.0",
    "255.255.255*000",
  };

  for (size_t i = 0; i < N(rows); i++) {
    unsigned char got[4] = { 9, 9, 9, 9 };
    CHECK_ROW(uv_inet_pton(AF_INET, rows[i], got) == UV_EINVAL, rows[i]);
    CHECK_MEM("\x9\x9\x9\x9", got, 4); /* untouched */
  }
}

struct v6_row {
  const char* text;
  const char* canonical; /* what ntop makes of it */
  unsigned char bytes[16];
};

static const struct v6_row v6_rows[] = {
  { "::", "::", { 0 } },
  { "::1", "::1", { [15] = 1 } },
  { "1::", "1::", { [1] = 1 } },
  { "0:0:0:0:0:0:0:0", "::", { 0 } },
  { "0000:0000:0000:0000:0000:0000:0000:0001", "::1", { [15] = 1 } },
  { "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7:8",
    { 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8 } },
  { "1:2:3:4:5:6:7::",
    "1:2:3:4:5:6:7:0",
    { 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7 } },
  { "::2:3:4:5:6:7:8",
    "0:2:3:4:5:6:7:8",
    { 0, 0, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8 } },
  { "1:2:3::6:7:8",
    "1:2:3::6:7:8",
    { 0, 1, 0, 2, 0, 3, 0, 0, 0, 0, 0, 6, 0, 7, 0, 8 } },
  { "1:2:3:4::6:7:8",
    "1:2:3:4:0:6:7:8",
    { 0, 1, 0, 2, 0, 3, 0, 4, 0, 0, 0, 6, 0, 7, 0, 8 } },
  { "fe80::2acf:DAFF:fedd:342A",
    "fe80::2acf:daff:fedd:342a",
    { 0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0x2A, 0xCF, 0xDA, 0xFF, 0xFE, 0xDD, 0x34,
      0x2A } },
  { "::ffff:1.2.3.4",
    "::ffff:1.2.3.4",
    { [10] = 0xFF, [11] = 0xFF, [12] = 1, [13] = 2, [14] = 3, [15] = 4 } },
  { "::1.2.3.4", "::1.2.3.4", { [12] = 1, [13] = 2, [14] = 3, [15] = 4 } },
  { "::0.0.1.2", "::102", { [14] = 1, [15] = 2 } },
  { "::0.0.0.2", "::2", { [15] = 2 } },
  { "::1:2", "::0.1.0.2", { [13] = 1, [15] = 2 } },
  { "64:ff9b::1.2.3.4",
    "64:ff9b::102:304",
    { 0, 0x64, 0xFF, 0x9B, [12] = 1, [13] = 2, [14] = 3, [15] = 4 } },
  { "1:2:3:4:5:6:1.2.3.4",
    "1:2:3:4:5:6:102:304",
    { 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1, 2, 3, 4 } },
  { "1:2:3:4:5::1.2.3.4",
    "1:2:3:4:5:0:102:304",
    { 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 0, 1, 2, 3, 4 } },
  { "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
      255 } },
  /* the first of the longest runs is abbreviated */
  { "1:0:0:2:0:0:3:4",
    "1::2:0:0:3:4",
    { 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4 } },
  { "1:0:0:2:0:0:0:3",
    "1:0:0:2::3",
    { 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3 } },
  { "1:0:2:0:3:0:4:0",
    "1:0:2:0:3:0:4:0",
    { 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0 } },
  { "0:0:1:2:3:4:5:6",
    "::1:2:3:4:5:6",
    { 0, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6 } },
  { "1:2:3:4:5:6:0:0",
    "1:2:3:4:5:6::",
    { 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 0, 0, 0 } },
  { "::ffff:0:1.2.3.4",
    "::ffff:0:102:304",
    { [8] = 0xFF, [9] = 0xFF, [12] = 1, [13] = 2, [14] = 3, [15] = 4 } },
  { "00ab::0c", "ab::c", { [1] = 0xAB, [15] = 0x0C } },
};

/* Each address, alone and with a zone of any kind. */
UNIT_TEST(inet_pton6_good) {
  static const char* const zones[] = {
    "",    "%",
    "%lo", "%1",
    "%%",  "%en1:1.2.3.4",
    "%::", "%012345678901234567890123456789012345678901234567890123456789",
  };

  for (size_t i = 0; i < N(v6_rows); i++) {
    for (size_t z = 0; z < N(zones); z++) {
      char text[128];
      strcpy(text, v6_rows[i].text);
      strcat(text, zones[z]);
      unsigned char got[16];
      CHECK_ROW(uv_inet_pton(AF_INET6, text, got) == 0, text);
      CHECK_ROW(memcmp(v6_rows[i].bytes, got, 16) == 0, text);
    }
  }
}

UNIT_TEST(inet_ntop6) {
  for (size_t i = 0; i < N(v6_rows); i++) {
    char got[46];
    CHECK_EQ(0, uv_inet_ntop(AF_INET6, v6_rows[i].bytes, got, sizeof(got)));
    CHECK_STR(v6_rows[i].canonical, got);
  }
}

UNIT_TEST(inet_pton6_bad) {
  static const char* const rows[] = {
    "",
    ":",
    ":::",
    "::::",
    "%",
    "%lo",
    "1",
    "1:",
    ":1",
    "1:2",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:",
    ":1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:",
    ":1::",
    "1:::2",
    ":::1",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::",
    "::1:2:3:4:5:6:7:8",
    "1:2:3:4::5:6:7:8",
    "1::2::3",
    "::1::",
    "::1:",
    "00001::",
    "12345::",
    "::12345",
    "::fffff",
    "g::",
    "::g",
    "::1g",
    "0x1::",
    "::-1",
    " ::1",
    "::1 ",
    "[::1]",
    "::1/64",
    "1.2.3.4",
    "1.2.3.4::",
    "::1.2.3",
    "::1.2.3.4.5",
    "::1.2.3.4:5",
    "::1.2.3.256",
    "::01.2.3.4",
    "::1.2.3.04",
    "::.1.2.3",
    "::1..2.3",
    "::a.2.3.4",
    "::1.2.3.4.",
    "1:2:3:4:5:1.2.3.4",
    "1:2:3:4:5:6:7:1.2.3.4",
    "1:2:3:4:5:6:7:1.2.12.0",
    "::1:2:3:4:5:6:1.2.3.4",
    "1:2:3:4:5:6::1.2.3.4",
    "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255.255",
    "abcde::1",
    "fe80:0:0:0:2acf:daff:abcd:1.2.3.4",
    "fe80:0:0:2acf:daff:1.2.3.4.5",
  };

  for (size_t i = 0; i < N(rows); i++) {
    unsigned char got[16];
    memset(got, 9, sizeof(got));
    CHECK_ROW(uv_inet_pton(AF_INET6, rows[i], got) == UV_EINVAL, rows[i]);
    for (size_t k = 0; k < 16; k++)
      CHECK_EQ(9, got[k]); /* untouched */

    /* A zone does not make a bad address valid. */
    char text[128];
    strcpy(text, rows[i]);
    strcat(text, "%en1");
    CHECK_ROW(uv_inet_pton(AF_INET6, text, got) == UV_EINVAL, text);
  }
}

/* Very long texts are refused, not copied. */
UNIT_TEST(inet_pton_too_long) {
  size_t size = 1 << 20;
  char* text = malloc(size + 1);
  unsigned char got[16];
  CHECK(text != NULL);

  static const char fill[] = "0:.a%";
  for (size_t i = 0; i < sizeof(fill) - 1; i++) {
    memset(text, fill[i], size);
    text[size] = '\0';
    CHECK_EQ(UV_EINVAL, uv_inet_pton(AF_INET, text, got));
    CHECK_EQ(UV_EINVAL, uv_inet_pton(AF_INET6, text, got));
  }

  /* A zone may have any length. */
  memcpy(text, "::1", 3);
  CHECK_EQ(0, uv_inet_pton(AF_INET6, text, got));
  free(text);
}

/* Each target size: the complete text, or UV_ENOSPC and nothing touched. */
UNIT_TEST(inet_ntop_every_size) {
  for (size_t i = 0; i < N(v6_rows); i++) {
    size_t need = strlen(v6_rows[i].canonical) + 1;
    for (size_t size = 0; size <= need; size++) {
      char* out = malloc(size > 0 ? size : 1);
      CHECK(out != NULL);
      memset(out, '#', size > 0 ? size : 1);
      int err = uv_inet_ntop(AF_INET6, v6_rows[i].bytes, out, size);
      CHECK_EQ(size < need ? UV_ENOSPC : 0, err);
      for (size_t k = 0; size < need && k < size; k++)
        CHECK_EQ('#', out[k]);
      free(out);
    }
  }

  for (size_t size = 0; size <= 16; size++) {
    char* out = malloc(size > 0 ? size : 1);
    CHECK(out != NULL);
    int err = uv_inet_ntop(AF_INET, "\xFF\xFF\xFF\xFF", out, size);
    CHECK_EQ(size < 16 ? UV_ENOSPC : 0, err);
    if (err == 0)
      CHECK_STR("255.255.255.255", out);
    free(out);
  }
}

UNIT_TEST(inet_arguments) {
  unsigned char bytes[16] = { 0 };
  char text[64];

  CHECK_EQ(UV_EAFNOSUPPORT, uv_inet_pton(42, "127.0.0.1", bytes));
  CHECK_EQ(UV_EAFNOSUPPORT, uv_inet_pton(AF_UNIX, "127.0.0.1", bytes));
  CHECK_EQ(UV_EAFNOSUPPORT, uv_inet_ntop(42, bytes, text, sizeof(text)));
  CHECK_EQ(UV_EINVAL, uv_inet_pton(AF_INET, NULL, bytes));
  CHECK_EQ(UV_EINVAL, uv_inet_pton(AF_INET6, "::", NULL));
  CHECK_EQ(UV_EINVAL, uv_inet_ntop(AF_INET, NULL, text, sizeof(text)));
  CHECK_EQ(UV_EINVAL, uv_inet_ntop(AF_INET, bytes, NULL, 16));
  CHECK_EQ(UV_ENOSPC, uv_inet_ntop(AF_INET, bytes, NULL, 0));
}

/* A small generator, so that failures can be repeated. */
static uint32_t next_random(uint32_t* state) {
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

#if TEST_POSIX
/* Texts made of the characters of addresses: we and the C library agree on
 * which are addresses, and which addresses they are. */
UNIT_TEST(inet_pton_agrees_with_libc) {
  uint32_t state = 1;
  unsigned nvalid = 0;

  for (int round = 0; round < 400000; round++) {
    static const char* const parts[] = {
      "0", "1", ":", ":", "::", ".", "ff", "12", "255", "abcd", "0.0", "1:2"
    };
    char text[128] = "";
    for (uint32_t n = next_random(&state) % 14; n > 0; n--)
      strcat(text, parts[next_random(&state) % N(parts)]);

    unsigned char ours[16];
    unsigned char theirs[16];
    static const int families[] = { AF_INET, AF_INET6 };
    for (size_t f = 0; f < 2; f++) {
      int good = inet_pton(families[f], text, theirs) == 1;
      int err = uv_inet_pton(families[f], text, ours);
      CHECK_ROW(good == (err == 0), text);
      if (!good)
        continue;
      nvalid++;
      CHECK_ROW(memcmp(ours, theirs, f == 0 ? 4 : 16) == 0, text);
    }
  }
  CHECK(nvalid > 1000); /* otherwise nothing was tested */
}
#endif

/* Sparse random addresses survive the round trip through text. */
UNIT_TEST(inet_round_trip) {
  uint32_t state = 7;

  for (int round = 0; round < 200000; round++) {
    unsigned char in[16] = { 0 };
    uint32_t mask = next_random(&state);
    for (int i = 0; i < 16; i++)
      if (mask >> i & 1)
        in[i] = (unsigned char) next_random(&state);

    char text[46];
    unsigned char back[16];
    CHECK_EQ(0, uv_inet_ntop(AF_INET6, in, text, sizeof(text)));
    CHECK_ROW(uv_inet_pton(AF_INET6, text, back) == 0, text);
    CHECK_ROW(memcmp(in, back, 16) == 0, text);

    char theirs[46];
    CHECK(inet_ntop(AF_INET6, in, theirs, sizeof(theirs)) != NULL);
    if (TEST_NTOP_RFC5952)
      CHECK_STR(theirs, text);
    CHECK_ROW(uv_inet_pton(AF_INET6, theirs, back) == 0, theirs);
    CHECK_ROW(memcmp(in, back, 16) == 0, theirs);
    CHECK_EQ(0, uv_inet_ntop(AF_INET, in, text, sizeof(text)));
    CHECK(inet_ntop(AF_INET, in, theirs, sizeof(theirs)) != NULL);
    CHECK_STR(theirs, text);
  }
}
