/* SPDX-License-Identifier: MIT */
/* The machine: system and host name, memory, load, uptime. Context: any. */
#include "os/system.h"
#include "util/out-string.h"
#include "win/compiler.h"
#include "win/error.h"
#include "win/sock.h"
#include "win/wide.h"
#include "win/winapi.h"

#include <stdio.h>
#include <string.h>

/* RRF_SUBKEY_WOW6464KEY, missing in older headers. */
#define UV__RRF_WOW6464KEY 0x00010000

/* For x86 and x64 programs on ARM64, GetNativeSystemInfo() returns the emulated
 * architecture; IsWow64Process2() returns the real one:
 * https://learn.microsoft.com/windows/win32/api/wow64apiset/
 * nf-wow64apiset-iswow64process2 */
static WORD machine_architecture(void) {
  USHORT own;
  USHORT native;
  SYSTEM_INFO system;

  GetNativeSystemInfo(&system);
  if (uv__winapi()->IsWow64Process2 != NULL &&
      uv__winapi()->IsWow64Process2(GetCurrentProcess(), &own, &native) &&
      native == IMAGE_FILE_MACHINE_ARM64)
    return PROCESSOR_ARCHITECTURE_ARM64;
  return system.wProcessorArchitecture;
}

static const char* machine_name(WORD architecture) {
  static const struct {
    WORD architecture;
    const char* name;
  } names[] = {
    { PROCESSOR_ARCHITECTURE_AMD64, "x86_64" },
    { PROCESSOR_ARCHITECTURE_ARM64, "arm64" },
    { PROCESSOR_ARCHITECTURE_ARM, "arm" },
    { PROCESSOR_ARCHITECTURE_IA64, "ia64" },
    { PROCESSOR_ARCHITECTURE_INTEL, "i686" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(names); i++)
    if (names[i].architecture == architecture)
      return names[i].name;
  return "unknown";
}

/* "Windows 10 Pro" or the like, from the registry; empty if it is missing.
 * 32-bit programs would see an outdated copy of the key. It says 10 on Windows
 * 11, which starts with build 22000. */
static void product_name(DWORD build, char* out, size_t size) {
  static const WCHAR key[] = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
  WCHAR name[256];
  DWORD bytes = sizeof(name);

  out[0] = '\0';
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, L"ProductName",
                   RRF_RT_REG_SZ | UV__RRF_WOW6464KEY, NULL, name,
                   &bytes) != ERROR_SUCCESS)
    return;
  if (build >= 22000 && wcsncmp(name, L"Windows 10", 10) == 0)
    name[9] = L'1';
  if (uv__wide_put(name, -1, out, &size) != 0)
    out[0] = '\0';
}

/* The name depends on the compiler, as in libuv. */
static void system_name(const OSVERSIONINFOW* version, char* out, size_t size) {
  if (UV__IS_MINGW)
    snprintf(out, size, "MINGW32_NT-%lu.%lu", version->dwMajorVersion,
             version->dwMinorVersion);
  else
    snprintf(out, size, "Windows_NT");
}

int uv__os_uname(uv_utsname_t* buffer) {
  OSVERSIONINFOW version;
  memset(&version, 0, sizeof(version));
  version.dwOSVersionInfoSize = sizeof(version);
  int err = uv__status_error(uv__winapi()->RtlGetVersion(&version));
  if (err != 0)
    return err;

  system_name(&version, buffer->sysname, sizeof(buffer->sysname));
  snprintf(buffer->release, sizeof(buffer->release), "%lu.%lu.%lu",
           version.dwMajorVersion, version.dwMinorVersion,
           version.dwBuildNumber);
  product_name(version.dwBuildNumber, buffer->version, sizeof(buffer->version));
  snprintf(buffer->machine, sizeof(buffer->machine), "%s",
           machine_name(machine_architecture()));
  return 0;
}

int uv__os_gethostname(char* buffer, size_t* size) {
  int err = uv__winsock_startup();
  if (err != 0)
    return err;

  WCHAR wide[UV_MAXHOSTNAMESIZE];
  if (uv__winapi()->GetHostNameW != NULL) {
    if (uv__winapi()->GetHostNameW(wide, (int) ARRAY_SIZE(wide)) != 0)
      return uv__wsa_error();
    return uv__wide_put(wide, -1, buffer, size);
  }

  char name[UV_MAXHOSTNAMESIZE];
  if (gethostname(name, sizeof(name)) != 0)
    return uv__wsa_error();
  return uv__out_string_put(name, strlen(name), buffer, size);
}

int uv__os_uptime(double* uptime) {
  *uptime = (double) GetTickCount64() / 1000;
  return 0;
}

/* Windows has no load average. */
void uv_loadavg(double avg[3]) {
  avg[0] = 0;
  avg[1] = 0;
  avg[2] = 0;
}

static MEMORYSTATUSEX memory_status(void) {
  MEMORYSTATUSEX status;

  memset(&status, 0, sizeof(status));
  status.dwLength = sizeof(status);
  if (!GlobalMemoryStatusEx(&status))
    memset(&status, 0, sizeof(status)); /* 0: unknown */
  return status;
}

uint64_t uv_get_free_memory(void) {
  return memory_status().ullAvailPhys;
}

uint64_t uv_get_total_memory(void) {
  return memory_status().ullTotalPhys;
}

/* 0: no known limit. */
uint64_t uv_get_constrained_memory(void) {
  return 0;
}

uint64_t uv_get_available_memory(void) {
  return uv_get_free_memory();
}
