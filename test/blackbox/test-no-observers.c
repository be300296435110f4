/* SPDX-License-Identifier: MIT */
/* A library that was built without observers (LIBUV_OBSERVE=OFF) says so, and
 * the variables of the environment change nothing. */
#include "test.h"
#include "uv/ext.h"

static int calls;

static void on_timer(uv_timer_t* timer) {
  calls++;
  uv_close((uv_handle_t*) timer, NULL);
}

static void use_loop(void) {
  uv_loop_t loop;
  uv_timer_t timer;

  ASSERT_OK(uv_loop_init(&loop));
  ASSERT_OK(uv_timer_init(&loop, &timer));
  ASSERT_OK(uv_timer_start(&timer, on_timer, 1, 0));
  ASSERT_OK(uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_OK(uv_loop_close(&loop));
  ASSERT_EQ(1, calls);
}

TEST_IMPL(no_observers_is_an_error_of_each_function) {
  uvx_trace_options_t trace;
  uvx_metrics_options_t counting;
  uvx_watchdog_options_t watchdog;
  uvx_metrics_t metrics;

  if (uvx_trace_stop() != UV_ENOTSUP)
    SKIP("built with observers");
  memset(&trace, 0, sizeof(trace));
  memset(&counting, 0, sizeof(counting));
  memset(&watchdog, 0, sizeof(watchdog));
  ASSERT_EQ(UV_ENOTSUP, uvx_trace_start(&trace));
  ASSERT_EQ(UV_ENOTSUP, uvx_trace_write());
  ASSERT_EQ(UV_ENOTSUP, uvx_metrics_start(&counting));
  ASSERT_EQ(UV_ENOTSUP, uvx_metrics_stop());
  ASSERT_EQ(UV_ENOTSUP,
            uvx_metrics(uv_default_loop(), &metrics, sizeof(metrics)));
  ASSERT_EQ(UV_ENOTSUP, uvx_watchdog_start(&watchdog));
  ASSERT_EQ(UV_ENOTSUP, uvx_watchdog_stop());
  ASSERT_EQ(UV_ENOTSUP, uvx_dump(uv_default_loop(), stderr));
  return 0;
}

TEST_IMPL(no_observers_ignores_their_variables) {
  uv_fs_t req;

  if (uvx_trace_stop() != UV_ENOTSUP)
    SKIP("built with observers");
  ASSERT_OK(uv_os_setenv("UV_TRACE", "none.json"));
  ASSERT_OK(uv_os_setenv("UV_METRICS", "none.prom"));
  ASSERT_OK(uv_os_setenv("UV_WATCHDOG", "1"));
  use_loop();
  ASSERT_EQ(UV_ENOENT, uv_fs_stat(NULL, &req, "none.json", NULL));
  uv_fs_req_cleanup(&req);
  ASSERT_EQ(UV_ENOENT, uv_fs_stat(NULL, &req, "none.prom", NULL));
  uv_fs_req_cleanup(&req);
  return 0;
}
