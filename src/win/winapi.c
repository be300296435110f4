/* SPDX-License-Identifier: MIT */
/* Looks up the functions of winapi.h at run time. Context: any. */
#include "win/winapi.h"
#include "util/base.h"
#include "util/fatal.h"

#include <string.h>

struct entry_point {
  const WCHAR* dll;
  const char* name;
  size_t offset; /* of the pointer in struct uv__winapi */
  int required;  /* every supported Windows has it */
};

#define ALWAYS(dll, name)                                                      \
 { L##dll, #name, offsetof(struct uv__winapi, name), 1 }
#define PERHAPS(dll, name)                                                     \
 { L##dll, #name, offsetof(struct uv__winapi, name), 0 }

static const struct entry_point entry_points[] = {
  ALWAYS("ntdll.dll", NtDeviceIoControlFile),
  ALWAYS("ntdll.dll", NtQueryInformationFile),
  ALWAYS("ntdll.dll", NtSetInformationFile),
  ALWAYS("ntdll.dll", NtQueryVolumeInformationFile),
  ALWAYS("ntdll.dll", NtQueryDirectoryFile),
  ALWAYS("ntdll.dll", NtQuerySystemInformation),
  ALWAYS("ntdll.dll", NtQueryInformationProcess),
  ALWAYS("ntdll.dll", RtlNtStatusToDosError),
  ALWAYS("ntdll.dll", RtlGetVersion),
  PERHAPS("bcrypt.dll", BCryptGenRandom),
  /* The exported name of RtlGenRandom(). */
  { L"advapi32.dll", "SystemFunction036",
    offsetof(struct uv__winapi, RtlGenRandom), 0 },
  PERHAPS("kernelbase.dll", SetThreadDescription),
  PERHAPS("kernelbase.dll", GetThreadDescription),
  PERHAPS("kernelbase.dll", GetFileInformationByName),
  PERHAPS("kernel32.dll", GetPackageFamilyName),
  PERHAPS("kernel32.dll", IsWow64Process2),
  PERHAPS("ws2_32.dll", GetHostNameW),
  PERHAPS("user32.dll", SetWinEventHook),
  PERHAPS("powrprof.dll", PowerRegisterSuspendResumeNotification),
  PERHAPS("powrprof.dll", PowerUnregisterSuspendResumeNotification),
};

static struct uv__winapi winapi;
static uv_once_t winapi_once = UV_ONCE_INIT;

static FARPROC look_up(const struct entry_point* entry) {
  HMODULE module = GetModuleHandleW(entry->dll);

  /* Only from the system directory, not from the program's. */
  if (module == NULL)
    module = LoadLibraryExW(entry->dll, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
  return module == NULL ? NULL : GetProcAddress(module, entry->name);
}

static void winapi_fill(void) {
  for (size_t i = 0; i < ARRAY_SIZE(entry_points); i++) {
    FARPROC address = look_up(&entry_points[i]);

    if (address == NULL && entry_points[i].required)
      uv__fatal(entry_points[i].name, UV_ENOSYS);
    memcpy((char*) &winapi + entry_points[i].offset, &address, sizeof(address));
  }
}

const struct uv__winapi* uv__winapi(void) {
  uv_once(&winapi_once, winapi_fill);
  return &winapi;
}
