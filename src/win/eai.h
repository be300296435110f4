/* SPDX-License-Identifier: MIT */
#ifndef UV_WIN_EAI_H_
#define UV_WIN_EAI_H_

/* What a resolver function returned, as UV_EAI_*; 0 for 0. Context: any. */
int uv__eai_error(int sys_error);

#endif /* UV_WIN_EAI_H_ */
