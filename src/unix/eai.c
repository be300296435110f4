/* SPDX-License-Identifier: MIT */
/* Resolver errors. Systems number and even name them differently, hence a list
 * of pairs instead of an index.
 */
#include "unix/eai.h"
#include "base.h"

#include <errno.h>
#include <netdb.h>

struct eai_pair {
  int native;
  int uv;
};

static const struct eai_pair eai_pairs[] = {
#ifdef EAI_ADDRFAMILY
  { EAI_ADDRFAMILY, UV_EAI_ADDRFAMILY },
#endif
  { EAI_AGAIN, UV_EAI_AGAIN },
  { EAI_BADFLAGS, UV_EAI_BADFLAGS },
#ifdef EAI_BADHINTS
  { EAI_BADHINTS, UV_EAI_BADHINTS },
#endif
#ifdef EAI_CANCELED
  { EAI_CANCELED, UV_EAI_CANCELED },
#endif
  { EAI_FAIL, UV_EAI_FAIL },
  { EAI_FAMILY, UV_EAI_FAMILY },
  { EAI_MEMORY, UV_EAI_MEMORY },
#ifdef EAI_NODATA
  { EAI_NODATA, UV_EAI_NODATA },
#endif
  { EAI_NONAME, UV_EAI_NONAME },
#ifdef EAI_OVERFLOW
  { EAI_OVERFLOW, UV_EAI_OVERFLOW },
#endif
#ifdef EAI_PROTOCOL
  { EAI_PROTOCOL, UV_EAI_PROTOCOL },
#endif
  { EAI_SERVICE, UV_EAI_SERVICE },
  { EAI_SOCKTYPE, UV_EAI_SOCKTYPE },
};

int uv__eai_error(int eai) {
  if (eai == 0)
    return 0;
  if (eai == EAI_SYSTEM && errno != 0) /* without it: as unknown a failure */
    return -errno;
  for (size_t i = 0; i < ARRAY_SIZE(eai_pairs); i++)
    if (eai_pairs[i].native == eai)
      return eai_pairs[i].uv;
  return UV_EAI_FAIL; /* a code newer than this table */
}
