/* SPDX-License-Identifier: MIT */
/* Addresses as text: what is accepted can be printed into any buffer size, and
 * what is printed is accepted and means the same. The C library must agree on
 * what is an address. */
#include "fuzz.h"

#include "uv.h"

#include <arpa/inet.h>

static void check_family(int af, const char* text) {
  unsigned char addr[16];
  unsigned char theirs[16];
  char name[INET6_ADDRSTRLEN];

  memset(addr, 0, sizeof(addr));
  memset(theirs, 0, sizeof(theirs));
  int err = uv_inet_pton(af, text, addr);
  REQUIRE(err == 0 || err == UV_EINVAL);
  if (strchr(text, '%') == NULL) {
    int ok = inet_pton(af, text, theirs) == 1;
    REQUIRE(ok == (err == 0));
  }
  if (err != 0)
    return;
  if (strchr(text, '%') == NULL)
    REQUIRE(memcmp(addr, theirs, sizeof(addr)) == 0);

  REQUIRE(uv_inet_ntop(af, addr, name, sizeof(name)) == 0);
  unsigned char again[16];
  memset(again, 0, sizeof(again));
  REQUIRE(uv_inet_pton(af, name, again) == 0);
  REQUIRE(memcmp(addr, again, sizeof(addr)) == 0);
  for (size_t room = 0; room <= strlen(name); room++) {
    char* tight = malloc(room == 0 ? 1 : room);
    REQUIRE(uv_inet_ntop(af, addr, tight, room) == UV_ENOSPC);
    free(tight);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char* text = fuzz_string(data, size);
  struct sockaddr_in in4;
  struct sockaddr_in6 in6;
  char name[64];

  check_family(AF_INET, text);
  check_family(AF_INET6, text);
  if (uv_ip4_addr(text, 80, &in4) == 0)
    REQUIRE(uv_ip4_name(&in4, name, sizeof(name)) == 0);
  if (uv_ip6_addr(text, 80, &in6) == 0) {
    REQUIRE(uv_ip6_name(&in6, name, sizeof(name)) == 0);
    REQUIRE(uv_ip_name((struct sockaddr*) &in6, name, sizeof(name)) == 0);
  }
  /* Any sixteen bytes are an address. */
  if (size >= 16) {
    unsigned char back[16];
    REQUIRE(uv_inet_ntop(AF_INET6, data, name, sizeof(name)) == 0);
    REQUIRE(uv_inet_pton(AF_INET6, name, back) == 0);
    REQUIRE(memcmp(data, back, 16) == 0);
  }
  free(text);
  return 0;
}
