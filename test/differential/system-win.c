/* SPDX-License-Identifier: MIT */
#include "system-world.h"

#include <io.h>
#include <psapi.h>
#include <stdlib.h>
#include <tlhelp32.h>

const char* const library_name = "kernel32.dll";
const char* const library_symbol = "GetCurrentProcessId";

size_t system_page_size(void) {
  SYSTEM_INFO info;

  GetSystemInfo(&info);
  return info.dwPageSize;
}

double system_uptime(void) {
  return (double) GetTickCount64() / 1000;
}

/* There is none. */
void system_load(double average[3]) {
  average[0] = average[1] = average[2] = 0;
}

/* Of a thread, libuv says the times only. */
void system_usage(int is_thread, struct usage* usage) {
  PROCESS_MEMORY_COUNTERS memory;
  FILETIME created, ended, kernel, user;
  ULARGE_INTEGER ticks;

  if (is_thread)
    GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user);
  else
    GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user);
  ticks.LowPart = user.dwLowDateTime;
  ticks.HighPart = user.dwHighDateTime;
  usage->seconds = (long) (ticks.QuadPart / 10000000);
  GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof(memory));
  usage->maxrss = is_thread ? 0 : memory.PeakWorkingSetSize / 1024;
  usage->faults = 0;
}

int system_parent(void) {
  PROCESSENTRY32 entry = { .dwSize = sizeof(entry) };
  HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  int parent = -1;

  for (BOOL more = Process32First(all, &entry); more;
       more = Process32Next(all, &entry))
    if (entry.th32ProcessID == GetCurrentProcessId())
      parent = (int) entry.th32ParentProcessID;
  CloseHandle(all);
  return parent;
}

/* As the current directories of drives are named. */
void environment_add_odd(unsigned which) {
  SetEnvironmentVariableA(which % 2 ? "=Q:" : "=DIFFER",
                          which % 2 ? "Q:\\" : "=");
}

static unsigned handle_flags(HANDLE handle) {
  DWORD flags = 0;

  GetHandleInformation(handle, &flags);
  return flags;
}

unsigned pipe_end_flags(uv_file file) {
  HANDLE handle = (HANDLE) _get_osfhandle(file);
  DWORD kind = 0;
  DWORD mode = 0;
  unsigned flags = handle_flags(handle);

  GetNamedPipeInfo(handle, &kind, NULL, NULL, NULL);
  GetNamedPipeHandleStateA(handle, &mode, NULL, NULL, NULL, NULL, 0);
  _close(file);
  return flags | kind << 4 | mode << 8;
}

unsigned socket_end_flags(uv_os_sock_t sock) {
  int type = 0;
  int size = sizeof(type);
  unsigned flags = handle_flags((HANDLE) sock);

  getsockopt(sock, SOL_SOCKET, SO_TYPE, (char*) &type, &size);
  closesocket(sock);
  return flags | (unsigned) type << 4;
}

/* Handles have no numbers that could be compared: is it the C library's, and
 * what kind of file is the descriptor made of a copy? */
static void descriptors(const struct step* step) {
  static const int fds[] = { 0, 1, 2, 99 };
  int fd = AT(fds, step->arg[0]);
  HANDLE handle = uv_get_osfhandle(fd);
  HANDLE copy = INVALID_HANDLE_VALUE;
  int again = -1;

  if (DuplicateHandle(GetCurrentProcess(), handle, GetCurrentProcess(), &copy,
                      0, FALSE, DUPLICATE_SAME_ACCESS))
    again = uv_open_osfhandle(copy);
  world_say(step, NULL, 0, "osfhandle %d: %d, opened %d, guess %d", fd,
            handle == INVALID_HANDLE_VALUE, again >= 0,
            (int) uv_guess_handle(again));
  if (again >= 0)
    _close(again);
}

const struct op system_more_ops[] = {
  { "cpu_info", 5, cpu_info, 0 },
  { "descriptors", 5, descriptors, 0 },
  { NULL, 0, NULL, 0 },
};
