/* SPDX-License-Identifier: MIT */
/* Dumps of processes that get SIGQUIT, like those of Windows Error Reporting:
 * if it is configured to keep dumps (the registry key LocalDumps exists), in
 * the configured folder and of the configured type. Otherwise there is no dump.
 * https://learn.microsoft.com/windows/win32/wer/collecting-user-mode-dumps
 */
#include "win/process.h"
#include "util/alloc.h"
#include "win/dump-path.h"

#include <dbghelp.h>

#define KEY_NAME                                                               \
 L"SOFTWARE\\Microsoft\\Windows\\Windows Error Reporting\\LocalDumps"

#define FOLDER_DEFAULT L"%LOCALAPPDATA%\\CrashDumps"

/* Longest possible path in units. */
#define PATH_UNITS 32768

#define DUMP_KIND_SMALL 1
#define DUMP_KIND_FULL 2

typedef BOOL WINAPI write_dump_fn(HANDLE process,
                                  DWORD pid,
                                  HANDLE file,
                                  MINIDUMP_TYPE type,
                                  PMINIDUMP_EXCEPTION_INFORMATION exception,
                                  PMINIDUMP_USER_STREAM_INFORMATION streams,
                                  PMINIDUMP_CALLBACK_INFORMATION callback);

/* The configuration, in buffers of PATH_UNITS. */
struct plan {
  WCHAR* folder;
  WCHAR* image; /* path of the program */
  WCHAR* path;
  DWORD kind;
};

/* A string, whose variables the call expands: values of other types need not be
 * NUL-terminated. */
static int read_folder(HKEY key, WCHAR* folder) {
  DWORD size = PATH_UNITS * sizeof(WCHAR);
  LSTATUS status = RegGetValueW(key, NULL, L"DumpFolder", RRF_RT_REG_SZ, NULL,
                                folder, &size);

  if (status != ERROR_FILE_NOT_FOUND)
    return status == ERROR_SUCCESS;
  DWORD units = ExpandEnvironmentStringsW(FOLDER_DEFAULT, folder, PATH_UNITS);
  return units != 0 && units <= PATH_UNITS;
}

static DWORD read_kind(HKEY key) {
  DWORD kind;
  DWORD size = sizeof(kind);

  return RegGetValueW(key, NULL, L"DumpType", RRF_RT_REG_DWORD, NULL, &kind,
                      &size) == ERROR_SUCCESS
             ? kind
             : DUMP_KIND_SMALL;
}

static int make_plan(HANDLE process, DWORD pid, HKEY key, struct plan* plan) {
  DWORD units = PATH_UNITS;

  plan->kind = read_kind(key);
  return read_folder(key, plan->folder) &&
         QueryFullProcessImageNameW(process, 0, plan->image, &units) &&
         uv__dump_path(plan->path, PATH_UNITS, plan->folder, plan->image,
                       pid) == 0;
}

static void write_file(HANDLE process, DWORD pid, const struct plan* plan) {
  HMODULE library =
      LoadLibraryExW(L"dbghelp.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
  if (library == NULL)
    return;
  write_dump_fn* write_dump =
      (write_dump_fn*) (void*) GetProcAddress(library, "MiniDumpWriteDump");

  (void) CreateDirectoryW(plan->folder, NULL); /* usually exists */
  HANDLE file = CreateFileW(plan->path, GENERIC_WRITE, FILE_SHARE_READ, NULL,
                            CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
  if (file != INVALID_HANDLE_VALUE) {
    MINIDUMP_TYPE type =
        plan->kind == DUMP_KIND_FULL ? MiniDumpWithFullMemory : MiniDumpNormal;
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
  plan.image = uv__malloc_array(PATH_UNITS, sizeof(WCHAR));
  plan.path = uv__malloc_array(PATH_UNITS, sizeof(WCHAR));
  if (plan.folder != NULL && plan.image != NULL && plan.path != NULL &&
      make_plan(process, pid, key, &plan))
    write_file(process, pid, &plan);
  uv__free(plan.folder);
  uv__free(plan.image);
  uv__free(plan.path);
  RegCloseKey(key);
}
