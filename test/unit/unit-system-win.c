/* SPDX-License-Identifier: MIT */
/* What Windows does and Wine does not: sleep and resume, jobs with limits,
 * processes that are ending, consoles without terminal support, their windows,
 * aliases of packaged apps, 32-bit programs on other machines. And how much of
 * the stack a wait needs. */
#include "replace-win.h"

#include "win/winapi.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>

static uv_loop_t loop;

/* ---- waiting, and the clock ---- */

static void (*on_wait)(DWORD timeout);
static uintptr_t stack_at_wait;

static BOOL WINAPI answer_GetQueuedCompletionStatusEx(HANDLE port,
                                                      OVERLAPPED_ENTRY* entries,
                                                      ULONG count,
                                                      ULONG* removed,
                                                      DWORD timeout,
                                                      BOOL alertable) {
  stack_at_wait = (uintptr_t) __builtin_frame_address(0);
  if (on_wait != NULL)
    on_wait(timeout);
  return REAL("kernel32", GetQueuedCompletionStatusEx)(
      port, entries, count, removed, timeout, alertable);
}
REPLACE(GetQueuedCompletionStatusEx, 24);

static LONGLONG asleep; /* ticks */

static BOOL WINAPI answer_QueryPerformanceCounter(LARGE_INTEGER* now) {
  BOOL ok = REAL("kernel32", QueryPerformanceCounter)(now);

  now->QuadPart += asleep;
  return ok;
}
REPLACE(QueryPerformanceCounter, 4);

static const struct uv__power_subscription* subscription;
static int subscriptions;

static DWORD WINAPI power_register(DWORD flags,
                                   HANDLE recipient,
                                   void** registration) {
  CHECK_EQ(2, flags); /* DEVICE_NOTIFY_CALLBACK */
  subscription = (const struct uv__power_subscription*) recipient;
  subscriptions++;
  *registration = &subscription;
  return ERROR_SUCCESS;
}

static DWORD WINAPI power_unregister(void* registration) {
  CHECK(registration == &subscription);
  subscription = NULL;
  return ERROR_SUCCESS;
}

static void replace_power_functions(void) {
  struct uv__winapi* api = (struct uv__winapi*) uv__winapi();

  api->PowerRegisterSuspendResumeNotification = power_register;
  api->PowerUnregisterSuspendResumeNotification = power_unregister;
}

static void power_event(ULONG type) {
  CHECK_EQ(0, subscription->callback(subscription->context, type, NULL));
}

static int sleeps;

/* Two hours pass while the loop waits for an hour: the timeout of the port does
 * not include them. */
static void sleep_once(DWORD timeout) {
  LARGE_INTEGER frequency;

  if (sleeps++ > 0)
    return;
  CHECK(timeout > 1000 * 1000);
  QueryPerformanceFrequency(&frequency);
  power_event(PBT_APMSUSPEND);
  asleep = frequency.QuadPart * 7200;
  power_event(PBT_APMRESUMEAUTOMATIC);
}

static void count_timer(uv_timer_t* timer) {
  ++*(int*) timer->data;
}

UNIT_TEST(resume_ends_the_wait_of_a_loop) {
  uv_timer_t timer;
  int fired = 0;

  replace_power_functions();
  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_timer_init(&loop, &timer));
  timer.data = &fired;
  CHECK_EQ(0, uv_timer_start(&timer, count_timer, 3600 * 1000, 0));
  on_wait = sleep_once;
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT)); /* ends within the time limit */
  CHECK_EQ(1, fired);
  uv_close((uv_handle_t*) &timer, NULL);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(0, uv_loop_close(&loop));
}

/* The callback must not outlive a library that is unloaded. */
UNIT_TEST(resume_is_registered_while_there_are_loops) {
  uv_loop_t second;

  replace_power_functions();
  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_loop_init(&second));
  CHECK_EQ(1, subscriptions);
  CHECK_EQ(0, uv_loop_close(&loop));
  CHECK(subscription != NULL);
  CHECK_EQ(0, uv_loop_close(&second));
  CHECK(subscription == NULL);
  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(2, subscriptions);
  CHECK_EQ(0, uv_loop_close(&loop));
}

/* Threads with small stacks run loops, too. */
UNIT_TEST(loop_wait_needs_little_stack) {
  uv_async_t async;

  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_async_init(&loop, &async, NULL));
  uintptr_t stack = (uintptr_t) __builtin_frame_address(0);
  CHECK(uv_run(&loop, UV_RUN_NOWAIT) != 0);
  CHECK(stack_at_wait != 0 && stack > stack_at_wait);
  CHECK(stack - stack_at_wait < 4096);
  uv_close((uv_handle_t*) &async, NULL);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(0, uv_loop_close(&loop));
}

/* ---- processes ---- */

static int ending; /* termination is refused */
static DWORD exit_code;

static BOOL WINAPI answer_TerminateProcess(HANDLE process, UINT code) {
  if (!ending)
    return REAL("kernel32", TerminateProcess)(process, code);
  SetLastError(ERROR_ACCESS_DENIED);
  return FALSE;
}
REPLACE(TerminateProcess, 8);

static BOOL WINAPI answer_GetExitCodeProcess(HANDLE process, DWORD* code) {
  if (!ending)
    return REAL("kernel32", GetExitCodeProcess)(process, code);
  *code = exit_code;
  return TRUE;
}
REPLACE(GetExitCodeProcess, 8);

/* A process that has an exit status and still has threads cannot be terminated,
 * and neither can one that is not ours. */
UNIT_TEST(kill_of_a_process_that_is_ending) {
  ending = 1;
  exit_code = 1;
  CHECK_EQ(UV_ESRCH, uv_kill(uv_os_getpid(), SIGTERM));
  CHECK_EQ(UV_ESRCH, uv_kill(uv_os_getpid(), SIGKILL));
  CHECK_EQ(UV_ESRCH, uv_kill(uv_os_getpid(), 0));
  exit_code = STILL_ACTIVE;
  CHECK_EQ(UV_EPERM, uv_kill(uv_os_getpid(), SIGTERM));
  CHECK_EQ(0, uv_kill(uv_os_getpid(), 0));
}

#define ASSIGNED_MAX 4

static int jobs_are_recorded; /* the harness has jobs of its own */
static HANDLE assigned[ASSIGNED_MAX];
static int nassigned;
static DWORD limits;

static BOOL WINAPI answer_AssignProcessToJobObject(HANDLE job, HANDLE process) {
  if (jobs_are_recorded) {
    CHECK(nassigned < ASSIGNED_MAX);
    CHECK(limits != 0);
    assigned[nassigned++] = process;
  }
  return REAL("kernel32", AssignProcessToJobObject)(job, process);
}
REPLACE(AssignProcessToJobObject, 8);

static BOOL WINAPI answer_SetInformationJobObject(HANDLE job,
                                                  JOBOBJECTINFOCLASS info_class,
                                                  void* info,
                                                  DWORD size) {
  if (info_class == JobObjectExtendedLimitInformation)
    limits = ((JOBOBJECT_EXTENDED_LIMIT_INFORMATION*) info)
                 ->BasicLimitInformation.LimitFlags;
  return REAL("kernel32", SetInformationJobObject)(job, info_class, info, size);
}
REPLACE(SetInformationJobObject, 16);

static void on_exit_close(uv_process_t* process, int64_t status, int signum) {
  CHECK_EQ(0, status);
  CHECK_EQ(0, signum);
  uv_close((uv_handle_t*) process, NULL);
}

static void spawn_and_wait(unsigned int flags) {
  uv_process_t process;
  uv_process_options_t options;
  char file[1024];
  size_t size = sizeof(file);
  char* args[] = { file, (char*) "--list", NULL };

  CHECK_EQ(0, uv_exepath(file, &size));
  memset(&options, 0, sizeof(options));
  options.file = file;
  options.args = args;
  options.flags = flags;
  options.exit_cb = on_exit_close;
  CHECK_EQ(0, uv_spawn(&loop, &process, &options));
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
}

/* The process first, so that the job nests inside those it is in. */
UNIT_TEST(process_joins_the_job_before_its_children) {
  jobs_are_recorded = 1;
  CHECK_EQ(0, uv_loop_init(&loop));
  spawn_and_wait(UV_PROCESS_DETACHED);
  CHECK_EQ(0, nassigned);
  spawn_and_wait(0);
  CHECK_EQ(2, nassigned);
  CHECK(assigned[0] == GetCurrentProcess());
  CHECK(assigned[1] != GetCurrentProcess());
  CHECK(limits & JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE);
  CHECK(limits & JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK);
  spawn_and_wait(0);
  CHECK_EQ(3, nassigned);
  CHECK_EQ(0, uv_loop_close(&loop));
}

/* ---- a console without terminal support ---- */

#define BUFFER_ROWS 300
#define WINDOW_ROWS 25

static int is_console; /* every handle is one */
static int is_input;
static DWORD console_mode;
static int mode_changes;
static COORD cursor;
static SHORT window_top;
static SHORT window_rows = WINDOW_ROWS;
static LONG screen_queries; /* any thread */

static BOOL WINAPI answer_GetNumberOfConsoleInputEvents(HANDLE handle,
                                                        DWORD* count) {
  if (!is_console)
    return REAL("kernel32", GetNumberOfConsoleInputEvents)(handle, count);
  *count = 0;
  SetLastError(ERROR_INVALID_HANDLE);
  return is_input;
}
REPLACE(GetNumberOfConsoleInputEvents, 8);

static BOOL WINAPI answer_GetConsoleMode(HANDLE handle, DWORD* mode) {
  if (!is_console)
    return REAL("kernel32", GetConsoleMode)(handle, mode);
  *mode = console_mode;
  return TRUE;
}
REPLACE(GetConsoleMode, 8);

static BOOL WINAPI answer_SetConsoleMode(HANDLE handle, DWORD mode) {
  if (!is_console)
    return REAL("kernel32", SetConsoleMode)(handle, mode);
  mode_changes++;
  if (mode & ENABLE_VIRTUAL_TERMINAL_INPUT) {
    SetLastError(ERROR_INVALID_PARAMETER);
    return FALSE;
  }
  console_mode = mode;
  return TRUE;
}
REPLACE(SetConsoleMode, 8);

static BOOL WINAPI
answer_GetConsoleScreenBufferInfo(HANDLE handle,
                                  CONSOLE_SCREEN_BUFFER_INFO* info) {
  if (!is_console)
    return REAL("kernel32", GetConsoleScreenBufferInfo)(handle, info);
  memset(info, 0, sizeof(*info));
  InterlockedIncrement(&screen_queries);
  info->dwSize.X = 80;
  info->dwSize.Y = BUFFER_ROWS;
  info->dwCursorPosition = cursor;
  info->srWindow.Top = window_top;
  info->srWindow.Right = 79;
  info->srWindow.Bottom = (SHORT) (window_top + window_rows - 1);
  return TRUE;
}
REPLACE(GetConsoleScreenBufferInfo, 8);

/* The window follows the cursor. */
static BOOL WINAPI answer_SetConsoleCursorPosition(HANDLE handle, COORD to) {
  if (!is_console)
    return REAL("kernel32", SetConsoleCursorPosition)(handle, to);
  if (to.X < 0 || to.X >= 80 || to.Y < 0 || to.Y >= BUFFER_ROWS) {
    SetLastError(ERROR_INVALID_PARAMETER);
    return FALSE;
  }
  cursor = to;
  if (to.Y < window_top)
    window_top = to.Y;
  if (to.Y >= window_top + WINDOW_ROWS)
    window_top = (SHORT) (to.Y - WINDOW_ROWS + 1);
  return TRUE;
}
REPLACE(SetConsoleCursorPosition, 8);

static void open_console(uv_tty_t* tty, uv_file* other) {
  uv_file fds[2];

  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_pipe(fds, 0, 0));
  *other = fds[1];
  is_console = 1;
  CHECK_EQ(0, uv_tty_init(&loop, tty, fds[0], is_input));
}

static void close_console(uv_tty_t* tty, uv_file other) {
  uv_fs_t req;

  uv_close((uv_handle_t*) tty, NULL);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(0, uv_fs_close(NULL, &req, other, NULL));
  CHECK_EQ(0, uv_loop_close(&loop));
}

UNIT_TEST(tty_raw_vt_of_an_old_console_is_raw) {
  uv_tty_t tty;
  uv_file other;

  is_input = 1;
  console_mode = ENABLE_ECHO_INPUT | ENABLE_LINE_INPUT | ENABLE_PROCESSED_INPUT;
  open_console(&tty, &other);
  CHECK_EQ(0, uv_tty_set_mode(&tty, UV_TTY_MODE_RAW_VT));
  CHECK_EQ(ENABLE_WINDOW_INPUT, console_mode);
  CHECK_EQ(2, mode_changes);
  CHECK_EQ(0, uv_tty_set_mode(&tty, UV_TTY_MODE_RAW)); /* it is already */
  CHECK_EQ(2, mode_changes);
  close_console(&tty, other);
}

/* The mode is the console's, not the handle's. */
UNIT_TEST(tty_mode_that_somebody_changed_is_set_again) {
  const DWORD normal =
      ENABLE_ECHO_INPUT | ENABLE_LINE_INPUT | ENABLE_PROCESSED_INPUT;
  uv_tty_t tty;
  uv_file other;

  is_input = 1;
  console_mode = normal;
  open_console(&tty, &other);
  CHECK_EQ(0, uv_tty_set_mode(&tty, UV_TTY_MODE_NORMAL));
  CHECK_EQ(0, mode_changes);
  console_mode = ENABLE_PROCESSED_INPUT;
  CHECK_EQ(0, uv_tty_set_mode(&tty, UV_TTY_MODE_NORMAL));
  CHECK_EQ(normal, console_mode);
  CHECK_EQ(0, uv_tty_set_mode(&tty, UV_TTY_MODE_RAW));
  console_mode = normal;
  CHECK_EQ(0, uv_tty_set_mode(&tty, UV_TTY_MODE_RAW));
  CHECK_EQ(ENABLE_WINDOW_INPUT, console_mode);
  close_console(&tty, other);
}

/* Without ENABLE_EXTENDED_FLAGS the console would ignore the two others. */
UNIT_TEST(tty_mouse_and_editing_are_kept) {
  const DWORD kept = ENABLE_MOUSE_INPUT | ENABLE_EXTENDED_FLAGS |
                     ENABLE_INSERT_MODE | ENABLE_QUICK_EDIT_MODE;
  uv_tty_t tty;
  uv_file other;

  is_input = 1;
  console_mode =
      ENABLE_ECHO_INPUT | ENABLE_LINE_INPUT | ENABLE_PROCESSED_INPUT | kept;
  open_console(&tty, &other);
  CHECK_EQ(0, uv_tty_set_mode(&tty, UV_TTY_MODE_RAW));
  CHECK_EQ(ENABLE_WINDOW_INPUT | kept, console_mode);
  CHECK_EQ(0, uv_tty_set_mode(&tty, UV_TTY_MODE_RAW_VT)); /* is refused */
  CHECK_EQ(ENABLE_WINDOW_INPUT | kept, console_mode);
  console_mode &= ~(DWORD) ENABLE_MOUSE_INPUT;
  CHECK_EQ(0, uv_tty_set_mode(&tty, UV_TTY_MODE_NORMAL));
  CHECK_EQ(0, console_mode & ENABLE_MOUSE_INPUT);
  CHECK(console_mode & ENABLE_QUICK_EDIT_MODE);
  close_console(&tty, other);
}

static void write_text(uv_tty_t* tty, const char* text) {
  uv_buf_t buf = uv_buf_init((char*) text, (unsigned int) strlen(text));

  CHECK_EQ(buf.len, uv_try_write((uv_stream_t*) tty, &buf, 1));
}

/* In the first and the last row of the window, in the middle of the buffer and
 * at its end, where the window cannot move further down. */
UNIT_TEST(tty_cursor_is_restored_in_every_row) {
  static const SHORT tops[] = { 0, 100, BUFFER_ROWS - WINDOW_ROWS };
  uv_tty_t tty;
  uv_file other;

  open_console(&tty, &other);
  uv_tty_set_vterm_state(UV_TTY_UNSUPPORTED);
  for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
    for (SHORT row = 0; row < WINDOW_ROWS; row += WINDOW_ROWS - 1) {
      COORD want = { 3, (SHORT) (tops[i] + row) };
      cursor = want;
      window_top = tops[i];
      write_text(&tty, "\033[s");
      write_text(&tty, "\033[1;1H");
      CHECK_EQ(tops[i], cursor.Y);
      CHECK_EQ(0, cursor.X);
      write_text(&tty, "\033[u");
      CHECK_EQ(want.X, cursor.X);
      CHECK_EQ(want.Y, cursor.Y);
    }
  }
  close_console(&tty, other);
}

UNIT_TEST(tty_write_is_not_queued) {
  uv_buf_t buf = uv_buf_init("\033[H", 3);
  uv_write_t req;
  uv_tty_t tty;
  uv_file other;

  open_console(&tty, &other);
  uv_tty_set_vterm_state(UV_TTY_UNSUPPORTED);
  CHECK_EQ(0, uv_write(&req, (uv_stream_t*) &tty, &buf, 1, NULL));
  CHECK_EQ(0, uv_stream_get_write_queue_size((uv_stream_t*) &tty));
  CHECK_EQ(1, uv_is_active((uv_handle_t*) &tty));
  CHECK_EQ(UV_EAGAIN, uv_try_write((uv_stream_t*) &tty, &buf, 1));
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(3, uv_write_nwritten(&req));
  close_console(&tty, other);
}

static int vterm_state(void) {
  uv_tty_vtermstate_t state;

  CHECK_EQ(0, uv_tty_get_vterm_state(&state));
  return (int) state;
}

/* The mode of the console changes then, and is the program's afterwards. */
UNIT_TEST(tty_terminal_support_is_found_by_the_first_init) {
  DWORD terminal = ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING;
  uv_tty_t tty;
  uv_file other;

  CHECK_EQ(UV_TTY_UNSUPPORTED, vterm_state());
  console_mode = ENABLE_PROCESSED_OUTPUT;
  open_console(&tty, &other);
  CHECK_EQ(terminal, console_mode);
  CHECK_EQ(1, mode_changes);
  CHECK_EQ(UV_TTY_SUPPORTED, vterm_state());
  write_text(&tty, "");
  close_console(&tty, other);
  console_mode = ENABLE_PROCESSED_OUTPUT;
  open_console(&tty, &other);
  write_text(&tty, "");
  CHECK_EQ(1, mode_changes);
  close_console(&tty, other);
}

/* ---- files, and the window of a console ---- */

#define ALIAS L"alias-of-an-app"

static BOOL is_alias(const WCHAR* path, DWORD flags) {
  return wcsstr(path, ALIAS) != NULL && !(flags & FILE_FLAG_OPEN_REPARSE_POINT);
}

static HANDLE WINAPI answer_CreateFileW(const WCHAR* path,
                                        DWORD access,
                                        DWORD share,
                                        SECURITY_ATTRIBUTES* security,
                                        DWORD disposition,
                                        DWORD flags,
                                        HANDLE pattern) {
  if (disposition == OPEN_EXISTING && is_alias(path, flags)) {
    SetLastError(ERROR_CANT_ACCESS_FILE);
    return INVALID_HANDLE_VALUE;
  }
  if (is_console && wcscmp(path, L"CONOUT$") == 0)
    path = L"NUL";
  return REAL("kernel32", CreateFileW)(path, access, share, security,
                                       disposition, flags, pattern);
}
REPLACE(CreateFileW, 28);

/* The system can start the program it stands for, but not open it. */
UNIT_TEST(fs_stat_of_an_alias_of_an_app) {
  const char* path = "alias-of-an-app.exe";
  uv_fs_t req;

  int fd =
      uv_fs_open(NULL, &req, path, O_CREAT | O_TRUNC | O_WRONLY, 0600, NULL);
  CHECK(fd >= 0);
  CHECK_EQ(0, uv_fs_close(NULL, &req, fd, NULL));
  CHECK_EQ(0, uv_fs_stat(NULL, &req, path, NULL));
  CHECK_EQ(_S_IFREG, req.statbuf.st_mode & _S_IFMT);
  CHECK_EQ(1, req.statbuf.st_nlink);
  CHECK_EQ(UV_EACCES, uv_fs_open(NULL, &req, path, O_RDONLY, 0, NULL));
  CHECK_EQ(0, uv_fs_unlink(NULL, &req, path, NULL));
}

static ULONG_PTR console_host; /* a pid */
static LONG host_queries;

static LONG NTAPI answer_process_info(HANDLE process,
                                      int info_class,
                                      PVOID info,
                                      ULONG size,
                                      PULONG used) {
  (void) process;
  CHECK_EQ(49, info_class); /* ProcessConsoleHostProcess */
  CHECK_EQ(sizeof(console_host), size);
  *(ULONG_PTR*) info = console_host | 1; /* a flag */
  *used = size;
  InterlockedIncrement(&host_queries);
  return 0;
}

#define EVENTS 100

static LONG hooks;

/* The user drags the border of the window. */
static HWINEVENTHOOK WINAPI answer_hook(DWORD min,
                                        DWORD max,
                                        HMODULE module,
                                        WINEVENTPROC proc,
                                        DWORD pid,
                                        DWORD tid,
                                        DWORD flags) {
  (void) max;
  (void) module;
  (void) flags;
  CHECK_EQ(console_host, pid);
  CHECK_EQ(0, tid);
  for (int i = 1; i <= EVENTS; i++) {
    window_rows = (SHORT) (WINDOW_ROWS + i);
    proc(NULL, min, NULL, 0, 0, 0, 0);
  }
  InterlockedIncrement(&hooks);
  return (HWINEVENTHOOK) &hooks;
}

static HANDLE watcher; /* the library's thread */

static HANDLE WINAPI answer_CreateThread(SECURITY_ATTRIBUTES* security,
                                         SIZE_T stack,
                                         LPTHREAD_START_ROUTINE run,
                                         void* arg,
                                         DWORD flags,
                                         DWORD* id) {
  HANDLE thread =
      REAL("kernel32", CreateThread)(security, stack, run, arg, flags, id);

  if (is_console)
    DuplicateHandle(GetCurrentProcess(), thread, GetCurrentProcess(), &watcher,
                    0, FALSE, DUPLICATE_SAME_ACCESS);
  return thread;
}
REPLACE(CreateThread, 24);

static int resizes;

static void on_resize(uv_signal_t* handle, int signum) {
  (void) handle;
  CHECK_EQ(SIGWINCH, signum);
  resizes++;
}

static void watch_window(uv_signal_t* handle) {
  struct uv__winapi* api = (struct uv__winapi*) uv__winapi();

  api->NtQueryInformationProcess = answer_process_info;
  api->SetWinEventHook = answer_hook;
  is_console = 1;
  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_signal_init(&loop, handle));
  CHECK_EQ(0, uv_signal_start(handle, on_resize, SIGWINCH));
  CHECK(watcher != NULL);
}

static void stop_watching(uv_signal_t* handle) {
  uv_close((uv_handle_t*) handle, NULL);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(0, uv_loop_close(&loop));
}

/* 0 would ask for the events of every program on the desktop. */
UNIT_TEST(tty_resize_of_an_unknown_host_is_not_watched) {
  uv_signal_t handle;

  console_host = 0;
  watch_window(&handle);
  CHECK_EQ(WAIT_OBJECT_0, WaitForSingleObject(watcher, INFINITE));
  CHECK_EQ(1, host_queries);
  CHECK_EQ(0, hooks);
  stop_watching(&handle);
}

/* When it is first watched, at the first event, and after the others. */
UNIT_TEST(tty_resize_is_checked_once_per_pause) {
  uv_signal_t handle;

  console_host = 1236; /* the two low bits are flags */
  watch_window(&handle);
  while (InterlockedCompareExchange(&hooks, 0, 0) == 0 ||
         InterlockedCompareExchange(&screen_queries, 0, 0) < 3 || resizes == 0)
    if (uv_run(&loop, UV_RUN_NOWAIT) != 0)
      uv_sleep(1);
  CHECK_EQ(3, screen_queries);
  stop_watching(&handle);
}

/* ---- 32-bit programs ---- */

static DWORD registry_flags;

static LSTATUS WINAPI answer_RegGetValueW(HKEY key,
                                          const WCHAR* subkey,
                                          const WCHAR* name,
                                          DWORD flags,
                                          DWORD* type,
                                          void* data,
                                          DWORD* size) {
  registry_flags = flags;
  return REAL("advapi32", RegGetValueW)(key, subkey, name, flags, type, data,
                                        size);
}
REPLACE(RegGetValueW, 28);

static USHORT native_machine;

static BOOL WINAPI answer_wow64(HANDLE process, USHORT* own, USHORT* native) {
  (void) process;
  *own = IMAGE_FILE_MACHINE_I386;
  *native = native_machine;
  return TRUE;
}

/* The machine and the product are the system's, not those that it shows to a
 * 32-bit program. */
UNIT_TEST(uname_is_not_of_the_emulated_machine) {
  uv_utsname_t names;

  ((struct uv__winapi*) uv__winapi())->IsWow64Process2 = answer_wow64;
  native_machine = IMAGE_FILE_MACHINE_ARM64;
  CHECK_EQ(0, uv_os_uname(&names));
  CHECK_STR("arm64", names.machine);
  CHECK(registry_flags & 0x00010000); /* RRF_SUBKEY_WOW6464KEY */
  native_machine = IMAGE_FILE_MACHINE_AMD64;
  CHECK_EQ(0, uv_os_uname(&names));
  CHECK_STR("x86_64", names.machine);
}
