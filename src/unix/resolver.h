/* SPDX-License-Identifier: MIT */
#ifndef UV_UNIX_RESOLVER_H_
#define UV_UNIX_RESOLVER_H_

/* Maps EAI_* of a resolver function to UV_EAI_*; EAI_SYSTEM maps errno, which
 * must still be that of the call. Context: any. */
int uv__eai_error(int eai);

#endif /* UV_UNIX_RESOLVER_H_ */
