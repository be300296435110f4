/* SPDX-License-Identifier: MIT */
/* A trace of the interesting part only: the program starts and stops it.
 *
 *   trace [FILE]    then: uv-trace report FILE, uv-trace html FILE
 *
 * Work on the pool, a timer, a callback that blocks the loop. Exit status 0:
 * the trace was written. Without FILE it is removed in the end.
 */
#include <stdio.h>

#include <uv.h>
#include <uv/ext.h>

static int ticks;

static void block_for(unsigned ms) {
  uint64_t end = uv_hrtime() + ms * UINT64_C(1000000);

  while (uv_hrtime() < end)
    continue;
}

static void compress(uv_work_t* work) {
  (void) work;
  block_for(3); /* on a thread of the pool */
}

static void on_compressed(uv_work_t* work, int status) {
  (void) work;
  (void) status;
}

/* Everything else waits meanwhile: this is what a trace is for. */
static void render_template(void) {
  block_for(40);
}

static void on_tick(uv_timer_t* timer) {
  static uv_work_t works[8];

  uv_queue_work(timer->loop, &works[ticks], compress, on_compressed);
  if (ticks == 4)
    render_template();
  if (++ticks == 8)
    uv_close((uv_handle_t*) timer, NULL);
}

int main(int argc, char** argv) {
  uvx_trace_options_t options = { .size = sizeof(options),
                                  .path = "trace-%p.json" };
  uv_loop_t* loop = uv_default_loop();
  uv_timer_t timer;

  if (argc > 1)
    options.path = argv[1];
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, on_tick, 5, 5);

  int err = uvx_trace_start(&options);
  if (err != 0) {
    fprintf(stderr, "trace: %s: %s\n", options.path, uv_strerror(err));
    return 1;
  }
  uv_run(loop, UV_RUN_DEFAULT);
  err = uvx_trace_stop(); /* the file is whole now */

  if (argc == 1) {
    char path[64];
    uv_fs_t req;
    snprintf(path, sizeof(path), "trace-%d.json", (int) uv_os_getpid());
    if (err == 0)
      err = uv_fs_unlink(loop, &req, path, NULL);
  }
  return err != 0 || uv_loop_close(loop) != 0;
}
