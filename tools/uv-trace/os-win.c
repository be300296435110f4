/* SPDX-License-Identifier: MIT */
#include "os.h"

#include <windows.h>

#include <direct.h>
#include <errno.h>
#include <io.h>
#include <process.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char OS_LIST_SEPARATOR[] = ";";
const char OS_LIBRARY_PATH[] = "PATH";
const char OS_PRELOAD[] = "LD_PRELOAD"; /* there is no such thing */

static volatile sig_atomic_t is_stopping;

const char* os_base_name(const char* path) {
  const char* base = path;

  for (; *path != '\0'; path++)
    if (*path == '/' || *path == '\\' || *path == ':')
      base = path + 1;
  return base;
}

int os_is_regular(const char* path) {
  HANDLE file = CreateFileA(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                            OPEN_EXISTING, 0, NULL);
  int is_regular = 0;

  if (file != INVALID_HANDLE_VALUE) {
    is_regular = GetFileType(file) == FILE_TYPE_DISK;
    CloseHandle(file);
  }
  return is_regular;
}

double os_file_age(const char* path) {
  (void) path;
  return 0; /* a thread writes it here, whatever the loop does */
}

/* Appends an argument quoted by the rules of CommandLineToArgvW(). */
static void quote(char* to, const char* arg) {
  size_t slashes = 0;

  to += strlen(to);
  *to++ = '"';
  for (; *arg != '\0'; arg++) {
    if (*arg == '"')
      for (slashes++; slashes > 0; slashes--)
        *to++ = '\\';
    slashes = *arg == '\\' ? slashes + 1 : 0;
    *to++ = *arg;
  }
  for (; slashes > 0; slashes--)
    *to++ = '\\';
  *to++ = '"';
  *to++ = ' ';
  *to = '\0';
}

int os_run(char* const argv[], struct os_exit* how) {
  STARTUPINFOA startup = { .cb = sizeof(startup) };
  PROCESS_INFORMATION process;
  DWORD status = 0;
  size_t size = 1;

  for (size_t i = 0; argv[i] != NULL; i++)
    size += 2 * strlen(argv[i]) + 4;
  char* line = calloc(1, size);
  if (line == NULL)
    return ENOMEM;
  for (size_t i = 0; argv[i] != NULL; i++)
    quote(line, argv[i]);
  fflush(NULL);
  signal(SIGINT, SIG_IGN);
  BOOL started = CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL,
                                &startup, &process);
  free(line);
  if (!started)
    return ENOENT;
  WaitForSingleObject(process.hProcess, INFINITE);
  GetExitCodeProcess(process.hProcess, &status);
  CloseHandle(process.hThread);
  CloseHandle(process.hProcess);
  signal(SIGINT, SIG_DFL);
  how->pid = process.dwProcessId;
  how->signal = 0;
  how->status = (int) status;
  return 0;
}

int os_set_variable(const char* name, const char* value) {
  return SetEnvironmentVariableA(name, value) ? 0 : ENOMEM;
}

int os_make_directory(const char* path) {
  if (_mkdir(path) == 0)
    return 0;
  int err = errno;
  DWORD attributes = GetFileAttributesA(path);
  if (err == EEXIST && attributes != INVALID_FILE_ATTRIBUTES &&
      (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
    return 0;
  return err;
}

void os_remove_directory(const char* path) {
  (void) _rmdir(path); /* it stays if there is something in it */
}

int os_full_path(const char* path, char* full, size_t size) {
  return _fullpath(full, path, size) == NULL ? ENAMETOOLONG : 0;
}

int64_t os_pid(void) {
  return GetCurrentProcessId();
}

int os_program(int64_t pid, char* path, size_t size) {
  (void) pid;
  (void) path;
  (void) size;
  return ENOSYS;
}

int os_list(const char* path,
            void (*each)(const char* name, void* arg),
            void* arg) {
  char pattern[MAX_PATH];
  WIN32_FIND_DATAA entry;

  snprintf(pattern, sizeof(pattern), "%s\\*", path);
  HANDLE find = FindFirstFileA(pattern, &entry);
  if (find == INVALID_HANDLE_VALUE)
    return ENOENT;
  do
    each(entry.cFileName, arg);
  while (FindNextFileA(find, &entry));
  FindClose(find);
  return 0;
}

int os_read_variable(int64_t pid, const char* name, char* value, size_t size) {
  (void) pid;
  (void) name;
  (void) value;
  (void) size;
  return ENOSYS;
}

int os_directory(int64_t pid, char* path, size_t size) {
  (void) pid;
  (void) path;
  (void) size;
  return ENOSYS;
}

int os_process_exists(int64_t pid) {
  (void) pid;
  return 1;
}

int os_terminal(int* columns, int* rows) {
  CONSOLE_SCREEN_BUFFER_INFO info;
  HANDLE out = GetStdHandle(STD_OUTPUT_HANDLE);
  DWORD mode;

  if (!GetConsoleMode(out, &mode))
    return 0;
  SetConsoleMode(out, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  if (GetConsoleScreenBufferInfo(out, &info)) {
    *columns = info.srWindow.Right - info.srWindow.Left + 1;
    *rows = info.srWindow.Bottom - info.srWindow.Top + 1;
  }
  return 1;
}

void os_sleep_ms(unsigned ms) {
  for (; ms > 0 && !is_stopping; ms -= ms < 50 ? ms : 50)
    Sleep(ms < 50 ? ms : 50);
}

static void stop(int signum) {
  (void) signum;
  is_stopping = 1;
}

void os_catch_stop(void) {
  signal(SIGINT, stop);
  signal(SIGTERM, stop);
}

int os_is_stopping(void) {
  return is_stopping;
}

uint64_t os_now(void) {
  return (uint64_t) GetTickCount64() * 1000000;
}
