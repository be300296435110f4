/* SPDX-License-Identifier: MIT */
/* A program that is traced, counted and watched: what cannot be started is
 * told, what fails later is the trace's or the metrics' loss, never the
 * program's. */
#include "scenarios.h"
#include "uv/ext.h"

static uv_timer_t timer;
static uv_async_t async;
static uv_work_t work;
static uv_fs_t stat_req;
static int callbacks;

static void on_callback(void) {
  if (++callbacks < 4)
    return;
  sc.goal = 1;
  sc_close_all();
}

static void on_timer(uv_timer_t* handle) {
  (void) handle;
  on_callback();
}

static void on_async(uv_async_t* handle) {
  (void) handle;
  on_callback();
}

static void on_work(uv_work_t* req) {
  (void) req;
}

static void after_work(uv_work_t* req, int status) {
  (void) req;
  sc_arrived();
  if (status != 0)
    sc_fail(status);
  else
    on_callback();
}

static void on_stat(uv_fs_t* req) {
  sc_arrived();
  if (req->result != 0)
    sc_fail((int) req->result);
  else
    on_callback();
  uv_fs_req_cleanup(req);
}

static void run_some(void) {
  callbacks = 0;
  if (sc_try(uv_timer_init(&sc.loop, &timer)) == 0 &&
      sc_try(uv_timer_start(&timer, on_timer, 1, 0)) == 0 &&
      sc_try(uv_async_init(&sc.loop, &async, on_async)) == 0 &&
      sc_try(uv_async_send(&async)) == 0 &&
      sc_expect(uv_queue_work(&sc.loop, &work, on_work, after_work)) == 0)
    sc_expect(uv_fs_stat(&sc.loop, &stat_req, "/", on_stat));
  sc_run();
}

void scenario_observe(void) {
  uvx_trace_options_t tracing = { .size = sizeof(tracing),
                                  .path = "observed-%p.json" };
  uvx_metrics_options_t counting = { sizeof(counting), "observed-%p.prom", 1, 0,
                                     0 };
  uvx_watchdog_options_t watching = { .size = sizeof(watching), .limit_ms = 1 };

  int is_traced = sc_try(uvx_trace_start(&tracing)) == 0;
  int is_counted = sc_try(uvx_metrics_start(&counting)) == 0;
  int is_watched = sc_try(uvx_watchdog_start(&watching)) == 0;
  if (sc.err == 0)
    run_some();
  SC_CHECK(uvx_watchdog_stop() == (is_watched ? 0 : UV_ESRCH));
  SC_CHECK(uvx_metrics_stop() == (is_counted ? 0 : UV_ESRCH));
  SC_CHECK(uvx_trace_stop() == (is_traced ? 0 : UV_ESRCH));
}

/* A trace in memory: what it refuses to be without, and writing it. */
void scenario_record(void) {
  uvx_trace_options_t recording = { .size = sizeof(recording),
                                    .path = "recorded-%p.json",
                                    .memory_mb = 1,
                                    .details = 1 };

  int is_recorded = sc_try(uvx_trace_start(&recording)) == 0;
  if (sc.err == 0)
    run_some();
  for (int i = 0; is_recorded && i < 2; i++)
    (void) sc_try(uvx_trace_write());
  SC_CHECK(uvx_trace_stop() == (is_recorded ? 0 : UV_ESRCH));
}
