/* SPDX-License-Identifier: MIT */
/* Signals to processes: Windows has none, but a process can be terminated.
 *
 * SIGTERM, SIGKILL, SIGINT and SIGQUIT terminate it with exit status 1; SIGQUIT
 * first writes a dump. Signal 0 checks whether it is running.
 */
#include "win/process.h"

/* Exit status of terminated processes. */
#define KILLED_STATUS 1

/* A process that is terminating has its exit status at once, but its handle is
 * signalled only when its last thread is gone, which pending I/O can delay:
 * https://learn.microsoft.com/windows/win32/procthread/terminating-a-process */
static int is_running(HANDLE process) {
  DWORD status;

  if (WaitForSingleObject(process, 0) != WAIT_TIMEOUT)
    return 0;
  return !GetExitCodeProcess(process, &status) || status == STILL_ACTIVE;
}

static int end_process(HANDLE process) {
  if (TerminateProcess(process, KILLED_STATUS))
    return 0;
  DWORD sys_error = GetLastError();
  /* A process that has ended, or is about to, cannot be terminated again. */
  if (sys_error == ERROR_ACCESS_DENIED && !is_running(process))
    return UV_ESRCH;
  return uv_translate_sys_error((int) sys_error);
}

static int kill_process(HANDLE process, int signum) {
  if (signum < 0 || signum >= NSIG)
    return UV_EINVAL;

  switch (signum) {
  case 0:
    return is_running(process) ? 0 : UV_ESRCH;
  case SIGQUIT:
    uv__process_dump(process, GetProcessId(process));
    return end_process(process);
  case SIGTERM:
  case SIGKILL:
  case SIGINT:
    return end_process(process);
  default:
    return UV_ENOSYS;
  }
}

/* The handle of a process that has ended is open until uv_close(), so the
 * system answers: it refuses to terminate such a process (Wine does not). */
int uv__process_os_kill(uv_process_t* process, int signum) {
  if (process->process_handle == INVALID_HANDLE_VALUE)
    return UV_ESRCH;
  int err = kill_process(process->process_handle, signum);
  if (err == 0 && signum != 0)
    process->exit_signal = signum;
  return err;
}

int uv_kill(int pid, int signum) {
  const DWORD access = PROCESS_TERMINATE | PROCESS_QUERY_INFORMATION |
                       SYNCHRONIZE | (signum == SIGQUIT ? PROCESS_VM_READ : 0);

  if (signum < 0 || signum >= NSIG)
    return UV_EINVAL;
  if (pid == 0)
    return kill_process(GetCurrentProcess(), signum);
  HANDLE process = OpenProcess(access, FALSE, (DWORD) pid);
  if (process == NULL) {
    DWORD sys_error = GetLastError();
    return sys_error == ERROR_INVALID_PARAMETER
               ? UV_ESRCH /* no such process */
               : uv_translate_sys_error((int) sys_error);
  }

  int err = kill_process(process, signum);
  CloseHandle(process);
  return err;
}
