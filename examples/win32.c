/* SPDX-License-Identifier: MIT */
/* A loop inside a Win32 message loop: windows and callbacks on one thread.
 *
 * Windows has no descriptor to wait for a loop by, so a helper thread waits in
 * uvx_backend_process() and posts a message when there is something to run. The
 * loop is the helper's until that returns: whoever wants to change it takes it
 * back first. When the loop has nothing to wait for, nobody waits for it, and
 * uvx_loop_on_interest() says when that changes.
 * Exit status 0: the timers that three messages started ran.
 */
#include <stdio.h>

#include <uv.h>
#include <uv/ext.h>

enum { WM_RETURNED = WM_APP, WM_CHANGED, WM_CLICK };

static uv_loop_t* loop;
static uv_async_t recall;
static uv_timer_t late; /* in an hour: the loop has something to wait for */
static uv_timer_t soon;
static HWND window;
static int is_lent;       /* the helper waits, or will */
static uv_sem_t lent;     /* to the helper */
static uv_sem_t returned; /* by the helper */
static int is_over;
static int clicks;
static int ticks;

static void wait_for_loop(void* arg) {
  (void) arg;
  for (uv_sem_wait(&lent); !is_over; uv_sem_wait(&lent)) {
    uvx_backend_process(loop, -1);
    uv_sem_post(&returned);
    PostMessage(window, WM_RETURNED, 0, 0);
  }
}

static void on_recall(uv_async_t* async) {
  (void) async; /* it only ends the wait */
}

/* The loop is this thread's until WM_RETURNED, which lends it again. */
static void take_loop(void) {
  if (!is_lent)
    return;
  uv_async_send(&recall);
  uv_sem_wait(&returned);
  is_lent = 0;
}

/* Runs what is ready, then lends the loop if there is something to wait for. */
static void run_loop(void) {
  is_lent = uvx_backend_dispatch(loop);
  if (is_lent)
    uv_sem_post(&lent);
}

static void on_interest(uv_loop_t* changed, void* arg) {
  (void) changed;
  (void) arg;
  PostMessage(window, WM_CHANGED, 0, 0);
}

static void on_late(uv_timer_t* timer) {
  (void) timer; /* not today */
}

static void on_soon(uv_timer_t* timer) {
  (void) timer;
  printf("tick %d\n", ++ticks);
  if (ticks == 3)
    PostQuitMessage(0);
  else
    PostMessage(window, WM_CLICK, 0, 0);
}

/* The first one finds a loop that nobody waits for; later ones end a wait. */
static void on_click(void) {
  clicks++;
  take_loop();
  uv_timer_start(&late, on_late, 3600 * 1000, 0);
  uv_timer_start(&soon, on_soon, 10, 0);
}

static LRESULT CALLBACK on_message(HWND handle,
                                   UINT message,
                                   WPARAM wide,
                                   LPARAM value) {
  switch (message) {
  case WM_CLICK:
    on_click();
    return 0;
  case WM_RETURNED:
    if (is_lent && uv_sem_trywait(&returned) == 0)
      is_lent = 0; /* not taken meanwhile */
    if (!is_lent)
      run_loop();
    return 0;
  case WM_CHANGED:
    if (!is_lent)
      run_loop();
    return 0;
  default:
    return DefWindowProc(handle, message, wide, value);
  }
}

static int open_window(void) {
  WNDCLASS kind = { 0 };

  kind.lpfnWndProc = on_message;
  kind.lpszClassName = TEXT("loop");
  if (RegisterClass(&kind) == 0)
    return 0;
  window = CreateWindow(kind.lpszClassName, NULL, 0, 0, 0, 0, 0, HWND_MESSAGE,
                        NULL, NULL, NULL);
  return window != NULL;
}

int main(void) {
  uv_thread_t helper;
  MSG message;

  loop = uv_default_loop();
  if (uv_sem_init(&lent, 0) != 0 || uv_sem_init(&returned, 0) != 0 ||
      uv_async_init(loop, &recall, on_recall) != 0 ||
      uv_timer_init(loop, &late) != 0 || uv_timer_init(loop, &soon) != 0 ||
      !open_window() || uvx_loop_on_interest(loop, on_interest, NULL) != 0 ||
      uv_thread_create(&helper, wait_for_loop, NULL) != 0)
    return 1;
  uv_unref((uv_handle_t*) &recall);
  PostMessage(window, WM_CLICK, 0, 0);
  while (GetMessage(&message, NULL, 0, 0) > 0)
    DispatchMessage(&message);

  take_loop();
  is_over = 1;
  uv_sem_post(&lent);
  uv_thread_join(&helper);
  uv_close((uv_handle_t*) &late, NULL);
  uv_close((uv_handle_t*) &soon, NULL);
  uv_close((uv_handle_t*) &recall, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0 || clicks != 3 || ticks != 3;
}
