/* SPDX-License-Identifier: MIT */
/* The call of the Windows runner that a test of it replaces. */
#ifndef RUNNER_WIN_H_
#define RUNNER_WIN_H_

/* Before <windows.h>, or uv.h could not include it later. */
#include <winsock2.h>

#include <windows.h>

typedef BOOL runner_create_fn(char* command,
                              const char* folder,
                              STARTUPINFOA* startup,
                              PROCESS_INFORMATION* info);

/* Starts this program suspended. On failure GetLastError() says why. */
runner_create_fn runner_create_suspended;

/* The above, or a test's stand-in. */
extern runner_create_fn* runner_create;

#endif /* RUNNER_WIN_H_ */
