/* SPDX-License-Identifier: MIT */
/* SIGWINCH: consoles send no signal, but accessibility events report changes of
 * their layout, and raw input has an event for it. Each of them triggers a
 * check whether the window size has changed. While the user drags the border,
 * there are hundreds of them per second: the first is checked at once, those of
 * the next PAUSE_MS together.
 */
#include "win/signal.h"
#include "win/tty.h"
#include "win/winapi.h"

#ifndef EVENT_CONSOLE_LAYOUT
# define EVENT_CONSOLE_LAYOUT 0x4005
#endif

/* Between two checks, two frames of a screen with 60 Hz. */
#define PAUSE_MS 33

static SRWLOCK lock = SRWLOCK_INIT;
static COORD last_size; /* guarded by lock; 0, 0: unknown */
static uv_once_t watch_once = UV_ONCE_INIT;

static int window_size(COORD* size) {
  CONSOLE_SCREEN_BUFFER_INFO info;
  HANDLE handle = CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE,
                              FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                              OPEN_EXISTING, 0, NULL);
  if (handle == INVALID_HANDLE_VALUE)
    return 0;
  BOOL ok = GetConsoleScreenBufferInfo(handle, &info);
  CloseHandle(handle);
  if (!ok)
    return 0;
  size->X = info.dwSize.X;
  size->Y = (SHORT) (info.srWindow.Bottom - info.srWindow.Top + 1);
  return 1;
}

void uv__tty_check_resize(void) {
  COORD size;

  if (!window_size(&size))
    return;
  AcquireSRWLockExclusive(&lock);
  int was_known = last_size.X != 0;
  int is_other = size.X != last_size.X || size.Y != last_size.Y;
  last_size = size;
  ReleaseSRWLockExclusive(&lock);
  if (was_known && is_other)
    (void) uv__signal_deliver(SIGWINCH);
}

/* The watching thread's timer, which ends the pause; 0: there is none. */
static UINT_PTR pause_timer;
static int is_check_due; /* there were events during the pause */

static void check_and_pause(void);

static void CALLBACK on_pause_end(HWND window,
                                  UINT message,
                                  UINT_PTR timer,
                                  DWORD time) {
  (void) window;
  (void) message;
  (void) time;
  KillTimer(NULL, timer);
  pause_timer = 0;
  if (is_check_due)
    check_and_pause();
}

/* Without a timer, there is no pause. */
static void check_and_pause(void) {
  is_check_due = 0;
  uv__tty_check_resize();
  pause_timer = SetTimer(NULL, 0, PAUSE_MS, on_pause_end);
}

static void CALLBACK on_layout(HWINEVENTHOOK hook,
                               DWORD event,
                               HWND window,
                               LONG object,
                               LONG child,
                               DWORD thread,
                               DWORD time) {
  (void) hook;
  (void) event;
  (void) window;
  (void) object;
  (void) child;
  (void) thread;
  (void) time;
  if (pause_timer != 0)
    is_check_due = 1;
  else
    check_and_pause();
}

/* The process that owns the console window; 0 if unknown. */
static DWORD console_host(void) {
  ULONG_PTR host = 0;
  ULONG used = 0;

  LONG result = uv__winapi()->NtQueryInformationProcess(
      GetCurrentProcess(), UV__PROCESS_CONSOLE_HOST, &host, sizeof(host),
      &used);
  /* The two low bits are flags. */
  return result == STATUS_SUCCESS ? (DWORD) (host & ~(ULONG_PTR) 3) : 0;
}

/* Events are delivered to the registering thread while it waits for messages.
 * Runs as long as the process. */
static DWORD WINAPI watch_layout(void* arg) {
  MSG message;
  DWORD host = console_host();

  (void) arg;
  /* 0 would hook all processes of the desktop. */
  if (host == 0)
    return 0;
  if (uv__winapi()->SetWinEventHook(EVENT_CONSOLE_LAYOUT, EVENT_CONSOLE_LAYOUT,
                                    NULL, on_layout, host, 0,
                                    WINEVENT_OUTOFCONTEXT) == NULL)
    return 0;
  while (GetMessageW(&message, NULL, 0, 0) > 0) {
    TranslateMessage(&message);
    DispatchMessageW(&message);
  }
  return 0;
}

static void start_watching(void) {
  uv__tty_check_resize();
  if (uv__winapi()->SetWinEventHook == NULL)
    return; /* no desktop; raw input still reports changes */
  HANDLE thread = CreateThread(NULL, 0, watch_layout, NULL, 0, NULL);
  if (thread != NULL)
    CloseHandle(thread);
}

void uv__tty_watch_resize(void) {
  uv_once(&watch_once, start_watching);
}
