/* SPDX-License-Identifier: MIT */
#include "thread-world.h"

#include <windows.h>

typedef HRESULT(WINAPI* rename_fn)(HANDLE, const WCHAR*);

size_t thread_stack_bytes(void) {
  ULONG_PTR low;
  ULONG_PTR high;

  GetCurrentThreadStackLimits(&low, &high);
  return high - low;
}

/* mingw-w64 does not declare SetThreadDescription(). */
void thread_rename(const char* name) {
  FARPROC found = GetProcAddress(GetModuleHandleA("kernelbase.dll"),
                                 "SetThreadDescription");
  WCHAR wide[32];

  MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, 32);
  if (found != NULL)
    ((rename_fn) (void*) found)(GetCurrentThread(), wide);
}
