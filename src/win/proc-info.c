/* SPDX-License-Identifier: MIT */
/* This process: ids, priority, current directory, program, resource usage.
 * Context: any.
 */
#include "os/system.h"
#include "util/alloc.h"
#include "util/out-string.h"
#include "win/error.h"
#include "win/sock.h"
#include "win/wide.h"
#include "win/winapi.h"

#include <psapi.h>
#include <stdio.h>
#include <string.h>

/* Longest possible path in units, including the NUL. */
#define PATH_UNITS_MAX 32768

uv_pid_t uv_os_getpid(void) {
  return (uv_pid_t) GetCurrentProcessId();
}

uv_pid_t uv_os_getppid(void) {
  struct uv__process_basic_info info;
  LONG status = uv__winapi()->NtQueryInformationProcess(
      GetCurrentProcess(), UV__PROCESS_BASIC_INFORMATION, &info, sizeof(info),
      NULL);

  return status < 0 ? -1 : (uv_pid_t) info.parent_pid;
}

/* ---- priority ---- */

/* Highest priority first. A priority maps to the last class whose bound it
 * reaches; a class maps to its bound. */
static const struct priority_step {
  int bound;
  DWORD class;
} priority_steps[] = {
  { UV_PRIORITY_HIGHEST, REALTIME_PRIORITY_CLASS },
  { UV_PRIORITY_HIGH, HIGH_PRIORITY_CLASS },
  { UV_PRIORITY_ABOVE_NORMAL, ABOVE_NORMAL_PRIORITY_CLASS },
  { UV_PRIORITY_NORMAL, NORMAL_PRIORITY_CLASS },
  { UV_PRIORITY_BELOW_NORMAL, BELOW_NORMAL_PRIORITY_CLASS },
  { UV_PRIORITY_LOW, IDLE_PRIORITY_CLASS },
};

/* pid 0 is this process. */
static int process_open(uv_pid_t pid, DWORD access, HANDLE* out) {
  DWORD id = pid == 0 ? GetCurrentProcessId() : (DWORD) pid;
  HANDLE process = OpenProcess(access, FALSE, id);

  if (process == NULL) {
    DWORD sys_error = GetLastError();
    /* The error for a process that does not exist. */
    if (sys_error == ERROR_INVALID_PARAMETER)
      return UV_ESRCH;
    return uv_translate_sys_error((int) sys_error);
  }
  *out = process;
  return 0;
}

int uv__os_getpriority(uv_pid_t pid, int* priority) {
  HANDLE process = NULL;
  int err = process_open(pid, PROCESS_QUERY_LIMITED_INFORMATION, &process);
  if (err != 0)
    return err;

  DWORD class = GetPriorityClass(process);
  err = class == 0 ? uv__last_error() : UV_UNKNOWN;
  for (size_t i = 0; i < ARRAY_SIZE(priority_steps) && class != 0; i++) {
    if (priority_steps[i].class != class)
      continue;
    *priority = priority_steps[i].bound;
    err = 0;
  }
  CloseHandle(process);
  return err;
}

/* The class for a priority within range. */
static DWORD priority_class(int priority) {
  size_t i = 0;

  while (i + 1 < ARRAY_SIZE(priority_steps) &&
         priority >= priority_steps[i + 1].bound)
    i++;
  return priority_steps[i].class;
}

int uv__os_setpriority(uv_pid_t pid, int priority) {
  HANDLE process = NULL;
  int err = process_open(pid, PROCESS_SET_INFORMATION, &process);
  if (err != 0)
    return err;

  if (!SetPriorityClass(process, priority_class(priority)))
    err = uv__last_error();
  CloseHandle(process);
  return err;
}

/* ---- current directory, program ---- */

int uv__os_cwd(char* buffer, size_t* size) {
  WCHAR* path = uv__malloc_array(PATH_UNITS_MAX, sizeof(*path));
  if (path == NULL)
    return UV_ENOMEM;

  int err = 0;
  DWORD len = GetCurrentDirectoryW(PATH_UNITS_MAX, path);
  if (len == 0)
    err = uv__last_error();
  else if (len >= PATH_UNITS_MAX)
    err = UV_ENAMETOOLONG;
  /* "C:\" keeps its separator. */
  if (err == 0 && path[len - 1] == L'\\' && !(len == 3 && path[1] == L':'))
    len--;
  if (err == 0)
    err = uv__wide_put(path, len, buffer, size);
  uv__free(path);
  return err;
}

/* Each drive has its own current directory, stored in the environment as "=C:";
 * relative paths such as "C:name" depend on it. */
static void drive_directory_set(const WCHAR* path) {
  WCHAR name[] = L"=?:";

  if (path[0] == L'\0' || path[1] != L':')
    return; /* a network share */
  name[1] = path[0] >= L'a' && path[0] <= L'z' ? (WCHAR) (path[0] - L'a' + L'A')
                                               : path[0];
  SetEnvironmentVariableW(name, path); /* best effort: the directory is set */
}

int uv__os_chdir(const char* dir) {
  WCHAR* path;
  int err = uv__wide_from_utf8(dir, &path);
  if (err != 0)
    return err;
  if (!SetCurrentDirectoryW(path))
    err = uv__last_error();
  uv__free(path);
  if (err != 0)
    return err;

  path = uv__malloc_array(PATH_UNITS_MAX, sizeof(*path));
  if (path == NULL)
    return 0;
  DWORD len = GetCurrentDirectoryW(PATH_UNITS_MAX, path);
  if (len > 0 && len < PATH_UNITS_MAX)
    drive_directory_set(path);
  uv__free(path);
  return 0;
}

/* Truncates only between characters, so that the result is valid text. */
static size_t cut_len(const char* text, size_t max) {
  size_t len = uv__min_size(strlen(text), max);

  while (len > 0 && text[len] != '\0' && ((uint8_t) text[len] & 0xC0) == 0x80)
    len--;
  return len;
}

/* Unlike other string getters, truncates: a small buffer gets the start of the
 * path, as much as fits with a NUL. */
int uv__os_exepath(char* buffer, size_t* size) {
  WCHAR* path = uv__malloc_array(PATH_UNITS_MAX, sizeof(*path));
  if (path == NULL)
    return UV_ENOMEM;

  char* text = NULL;
  DWORD len = GetModuleFileNameW(NULL, path, PATH_UNITS_MAX);
  int err = len == 0 ? uv__last_error() : uv__wide_to_utf8(path, len, &text);
  uv__free(path);
  if (err != 0)
    return err;

  size_t fits = cut_len(text, *size - 1);
  memcpy(buffer, text, fits);
  buffer[fits] = '\0';
  *size = fits;
  uv__free(text);
  return 0;
}

/* ---- resource usage ---- */

static uv_timeval_t timeval_from(FILETIME time) {
  uint64_t ticks = (uint64_t) time.dwHighDateTime << 32 | time.dwLowDateTime;
  uv_timeval_t tv;

  tv.tv_sec = (long) (ticks / 10000000);
  tv.tv_usec = (long) (ticks % 10000000 / 10);
  return tv;
}

int uv__os_getrusage(uv_rusage_t* rusage) {
  HANDLE process = GetCurrentProcess();
  FILETIME created, exited, kernel, user;
  if (!GetProcessTimes(process, &created, &exited, &kernel, &user))
    return uv__last_error();

  PROCESS_MEMORY_COUNTERS memory;
  if (!GetProcessMemoryInfo(process, &memory, sizeof(memory)))
    return uv__last_error();

  IO_COUNTERS io;
  if (!GetProcessIoCounters(process, &io))
    return uv__last_error();

  memset(rusage, 0, sizeof(*rusage));
  rusage->ru_utime = timeval_from(user);
  rusage->ru_stime = timeval_from(kernel);
  rusage->ru_majflt = memory.PageFaultCount;
  rusage->ru_maxrss = memory.PeakWorkingSetSize / 1024;
  rusage->ru_inblock = io.ReadOperationCount;
  rusage->ru_oublock = io.WriteOperationCount;
  return 0;
}

int uv__os_getrusage_thread(uv_rusage_t* rusage) {
  FILETIME created, exited, kernel, user;
  if (!GetThreadTimes(GetCurrentThread(), &created, &exited, &kernel, &user))
    return uv__last_error();

  memset(rusage, 0, sizeof(*rusage));
  rusage->ru_utime = timeval_from(user);
  rusage->ru_stime = timeval_from(kernel);
  return 0;
}

int uv__os_resident_set_memory(size_t* rss) {
  PROCESS_MEMORY_COUNTERS memory;

  if (!GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof(memory)))
    return uv__last_error();
  *rss = memory.WorkingSetSize;
  return 0;
}
