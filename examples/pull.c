/* SPDX-License-Identifier: MIT */
/* The pull loop in one thread: the program's own main loop stays in charge.
 *
 * The main loop here draws frames. Between two of them it asks the loop for
 * events without waiting, and runs their callbacks. pull-echo.c has the form
 * with a second thread that waits. Exit status 0: the timer ran, and frames
 * were drawn meanwhile.
 */
#include <stdio.h>

#include <uv.h>
#include <uv/ext.h>

static int frames;
static int ticks;

static void on_tick(uv_timer_t* timer) {
  printf("tick at frame %d\n", frames);
  if (++ticks == 3)
    uv_close((uv_handle_t*) timer, NULL);
}

static void draw_frame(void) {
  frames++;
  uv_sleep(1);
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  uv_timer_t timer;
  int alive = 1;

  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, on_tick, 5, 5);
  while (alive) {
    draw_frame();
    if (uvx_backend_process(loop, 0) < 0) /* collects events, runs nothing */
      return 1;
    alive = uvx_backend_dispatch(loop); /* runs callbacks, never waits */
  }
  return uv_loop_close(loop) != 0 || ticks != 3 || frames < 3;
}
