/* SPDX-License-Identifier: MIT */
/* Names of addresses in the code. */
#include "os/symbol.h"
#include "win/wide.h"

#include <stdio.h>
#include <string.h>

void uv__symbol_os_init(void) {
}

/* Function names are in separate debug files. */
void uv__symbol_os_name(const void* address, char* name, size_t size) {
  HMODULE module;
  WCHAR path[MAX_PATH];
  char text[MAX_PATH * 3];
  size_t len = sizeof(text);
  const DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                      GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;

  if (!GetModuleHandleExW(flags, (LPCWSTR) address, &module) ||
      GetModuleFileNameW(module, path, MAX_PATH) == 0 ||
      uv__wide_put(path, -1, text, &len) != 0) {
    snprintf(name, size, "%p", (void*) (uintptr_t) address);
    return;
  }
  const char* slash = strrchr(text, '\\');
  snprintf(name, size, "%s+0x%llx", slash == NULL ? text : slash + 1,
           (unsigned long long) ((const char*) address - (const char*) module));
}

void uv__symbol_os_place(const void* address, char* name, size_t size) {
  uv__symbol_os_name(address, name, size);
}

/* No compiler writes a list of its functions here. */
void uv__symbol_os_generated(struct uv__generated* functions, size_t count) {
  for (size_t i = 0; i < count; i++)
    functions[i].name[0] = '\0';
}
