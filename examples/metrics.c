/* SPDX-License-Identifier: MIT */
/* How busy is the loop? Idle time and counters, looked at from a timer.
 *
 * The timer is not referenced: it does not keep the program alive. Exit status
 * 0: a loop that works half of the time was found to be busy in part.
 */
#include <stdio.h>

#include <uv.h>

static int jobs;
static double busy = -1;

static void work_hard(uv_timer_t* timer) {
  uint64_t end = uv_hrtime() + 5000000; /* 5 ms */
  while (uv_hrtime() < end)
    continue;
  if (++jobs == 30)
    uv_close((uv_handle_t*) timer, NULL);
}

static void measure(uv_timer_t* timer) {
  static uint64_t last_time;
  static uint64_t last_idle;
  uint64_t now = uv_hrtime();
  uint64_t idle = uv_metrics_idle_time(timer->loop);
  uv_metrics_t metrics;

  uv_metrics_info(timer->loop, &metrics);
  if (last_time != 0) {
    busy = 1 - (double) (idle - last_idle) / (double) (now - last_time);
    printf("busy %.0f%%, %u iterations, %u events\n", busy * 100,
           (unsigned) metrics.loop_count, (unsigned) metrics.events);
  }
  last_time = now;
  last_idle = idle;
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  uv_timer_t worker;
  uv_timer_t meter;

  uv_loop_configure(loop, UV_METRICS_IDLE_TIME); /* before it runs */
  uv_timer_init(loop, &worker);
  uv_timer_start(&worker, work_hard, 10, 10);
  uv_timer_init(loop, &meter);
  uv_timer_start(&meter, measure, 0, 100);
  uv_unref((uv_handle_t*) &meter);
  uv_run(loop, UV_RUN_DEFAULT);

  uv_close((uv_handle_t*) &meter, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0 || busy <= 0 || busy > 1;
}
