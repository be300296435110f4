/* SPDX-License-Identifier: MIT */
/* One timer on one loop, by the package's header and library. */
#include <stdio.h>
#include <uv.h>

static int calls;

static void on_timer(uv_timer_t* timer) {
  calls++;
  uv_close((uv_handle_t*) timer, NULL);
}

int main(void) {
  uv_loop_t loop;
  uv_timer_t timer;

  if (uv_loop_init(&loop) != 0 || uv_timer_init(&loop, &timer) != 0 ||
      uv_timer_start(&timer, on_timer, 1, 0) != 0)
    return 1;
  uv_run(&loop, UV_RUN_DEFAULT);
  printf("libuv %s\n", uv_version_string());
  return uv_loop_close(&loop) != 0 || calls != 1;
}
