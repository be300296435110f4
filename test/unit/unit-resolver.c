/* SPDX-License-Identifier: MIT */
/* Resolver errors become libuv's, including unspecific ones. */
#include "unit.h"

#include "uv.h"
#include "unix/resolver.h"

#include <errno.h>
#include <netdb.h>

UNIT_TEST(eai_known_codes) {
  CHECK(uv__eai_error(0) == 0);
  CHECK(uv__eai_error(EAI_AGAIN) == UV_EAI_AGAIN);
  CHECK(uv__eai_error(EAI_MEMORY) == UV_EAI_MEMORY);
  CHECK(uv__eai_error(EAI_NONAME) == UV_EAI_NONAME);
  CHECK(uv__eai_error(EAI_SERVICE) == UV_EAI_SERVICE);
}

/* "Other system error": errno has it. If it does not (a resolver module that
 * forgot to set it), a failure must not look like success. */
UNIT_TEST(eai_system_with_and_without_errno) {
  errno = EMFILE;
  CHECK(uv__eai_error(EAI_SYSTEM) == UV_EMFILE);
  errno = 0;
  CHECK(uv__eai_error(EAI_SYSTEM) == UV_EAI_FAIL);
}

UNIT_TEST(eai_unknown_codes) {
  errno = 0;
  CHECK(uv__eai_error(-12345) == UV_EAI_FAIL);
  CHECK(uv__eai_error(12345) == UV_EAI_FAIL);
}
