/* SPDX-License-Identifier: MIT */
/* Three ticks of a timer, then the program ends: the smallest of them all.
 *
 * Exit status 0: it ticked three times and left nothing behind.
 */
#include <stdio.h>

#include <uv.h>

static int ticks;

static void on_tick(uv_timer_t* timer) {
  printf("tick %d\n", ++ticks);
  if (ticks == 3)
    uv_close((uv_handle_t*) timer, NULL);
}

int main(void) {
  uv_loop_t loop;
  uv_timer_t timer;

  int err = uv_loop_init(&loop);
  if (err != 0) {
    fprintf(stderr, "timer: %s\n", uv_strerror(err));
    return 1;
  }
  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, on_tick, 0, 10); /* now, then every 10 ms */

  uv_run(&loop, UV_RUN_DEFAULT); /* returns when the timer is closed */
  return uv_loop_close(&loop) != 0 || ticks != 3;
}
