/* SPDX-License-Identifier: MIT */
#ifndef UV_UNIX_RESOLVER_H_
#define UV_UNIX_RESOLVER_H_

/* The EAI_* answer of a resolver function as UV_EAI_*; EAI_SYSTEM gives errno's
 * meaning, which must still be that of the call. Context: any. */
int uv__eai_error(int eai);

#endif /* UV_UNIX_RESOLVER_H_ */
