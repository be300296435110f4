/* SPDX-License-Identifier: MIT */
/* Dumps of processes that get SIGQUIT, as Windows Error Reporting would write
 * them: if it is told to keep dumps (the registry key LocalDumps is there), in
 * the folder and of the kind it is told. Everything else means no dump.
 * https://learn.microsoft.com/windows/win32/wer/collecting-user-mode-dumps
 */
#include "win/process-impl.h"
#include "alloc.h"

#include <stdio.h>
#include <dbghelp.h>
#include <wchar.h>

#define KEY_NAME                                                               \
  L"SOFTWARE\\Microsoft\\Windows\\Windows Error Reporting\\LocalDumps"

#define FOLDER_DEFAULT L"%LOCALAPPDATA%\\CrashDumps"

/* The longest path there is, in units. */
#define PATH_UNITS 32768

#define DUMP_KIND_FULL 2

typedef BOOL WINAPI write_dump_fn(HANDLE process,
                                  DWORD pid,
                                  HANDLE file,
                                  MINIDUMP_TYPE type,
                                  PMINIDUMP_EXCEPTION_INFORMATION exception,
                                  PMINIDUMP_USER_STREAM_INFORMATION streams,
                                  PMINIDUMP_CALLBACK_INFORMATION callback);

/* What is configured, in buffers of PATH_UNITS. */
struct plan {
  WCHAR* folder;
  WCHAR* path;
  DWORD kind;
};

static int read_plan(HKEY key, struct plan* plan) {
  DWORD size = PATH_UNITS * sizeof(WCHAR);
  DWORD kind_size = sizeof(plan->kind);

  plan->kind = 0;
  (void) RegGetValueW(key, NULL, L"DumpType", RRF_RT_REG_DWORD, NULL,
                      &plan->kind, &kind_size); /* else a small one */
  /* Variables in it are expanded by the call. */
  if (RegGetValueW(key, NULL, L"DumpFolder", RRF_RT_ANY, NULL, plan->folder,
                   &size) == ERROR_SUCCESS)
    return 1;
  DWORD units =
      ExpandEnvironmentStringsW(FOLDER_DEFAULT, plan->folder, PATH_UNITS);
  return units != 0 && units <= PATH_UNITS;
}

/* folder\program.exe.pid.dmp */
static int make_path(HANDLE process, DWORD pid, struct plan* plan) {
  DWORD units = PATH_UNITS;

  if (!QueryFullProcessImageNameW(process, 0, plan->path, &units))
    return 0;
  const WCHAR* slash = wcsrchr(plan->path, L'\\');
  const WCHAR* name = slash == NULL ? plan->path : slash + 1;
  WCHAR base[MAX_PATH];
  if (wcslen(name) >= MAX_PATH)
    return 0;
  wcscpy(base, name);
  /* The count is of units, not bytes. */
  int n = swprintf(plan->path, PATH_UNITS, L"%ls\\%ls.%lu.dmp", plan->folder,
                   base, (unsigned long) pid);
  return n > 0;
}

static void write_file(HANDLE process, DWORD pid, const struct plan* plan) {
  HMODULE library =
      LoadLibraryExW(L"dbghelp.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
  if (library == NULL)
    return;
  write_dump_fn* write_dump =
      (write_dump_fn*) (void*) GetProcAddress(library, "MiniDumpWriteDump");

  (void) CreateDirectoryW(plan->folder, NULL); /* mostly there */
  HANDLE file = CreateFileW(plan->path, GENERIC_WRITE, FILE_SHARE_READ, NULL,
                            CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
  if (file != INVALID_HANDLE_VALUE) {
    MINIDUMP_TYPE type = plan->kind == DUMP_KIND_FULL ? MiniDumpWithFullMemory
                                                      : MiniDumpNormal;
    BOOL ok = write_dump != NULL &&
              write_dump(process, pid, file, type, NULL, NULL, NULL);
    CloseHandle(file);
    if (!ok)
      DeleteFileW(plan->path);
  }
  FreeLibrary(library);
}

void uv__process_dump(HANDLE process, DWORD pid) {
  struct plan plan;
  HKEY key;

  if (RegOpenKeyExW(HKEY_LOCAL_MACHINE, KEY_NAME, 0, KEY_QUERY_VALUE, &key) !=
      ERROR_SUCCESS)
    return;
  plan.folder = uv__malloc_array(PATH_UNITS, sizeof(WCHAR));
  plan.path = uv__malloc_array(PATH_UNITS, sizeof(WCHAR));
  if (plan.folder != NULL && plan.path != NULL && read_plan(key, &plan) &&
      make_path(process, pid, &plan))
    write_file(process, pid, &plan);
  uv__free(plan.folder);
  uv__free(plan.path);
  RegCloseKey(key);
}
