/* SPDX-License-Identifier: MIT */
/* The call of the Windows runner that a test of it replaces. */
#ifndef RUNNER_WIN_H_
#define RUNNER_WIN_H_

/* Before <windows.h>, or uv.h could not include it later. */
#include <winsock2.h>

#include <windows.h>

typedef BOOL WINAPI runner_create_fn(LPCSTR program,
                                     LPSTR command,
                                     LPSECURITY_ATTRIBUTES process,
                                     LPSECURITY_ATTRIBUTES thread,
                                     BOOL inherit,
                                     DWORD flags,
                                     LPVOID environment,
                                     LPCSTR folder,
                                     LPSTARTUPINFOA startup,
                                     LPPROCESS_INFORMATION info);

/* CreateProcessA(), or a test's stand-in. */
extern runner_create_fn* runner_create;

#endif /* RUNNER_WIN_H_ */
