/* SPDX-License-Identifier: MIT */
/* The public functions of a library that was built without observers. */
#include "uv/ext.h"

int uvx_trace_start(const uvx_trace_options_t* options) {
  (void) options;
  return UV_ENOTSUP;
}

int uvx_trace_stop(void) {
  return UV_ENOTSUP;
}

int uvx_trace_write(void) {
  return UV_ENOTSUP;
}

int uvx_metrics_start(const uvx_metrics_options_t* options) {
  (void) options;
  return UV_ENOTSUP;
}

int uvx_metrics_stop(void) {
  return UV_ENOTSUP;
}

int uvx_metrics(const uv_loop_t* loop, uvx_metrics_t* metrics, size_t size) {
  (void) loop;
  (void) metrics;
  (void) size;
  return UV_ENOTSUP;
}

int uvx_watchdog_start(const uvx_watchdog_options_t* options) {
  (void) options;
  return UV_ENOTSUP;
}

int uvx_watchdog_stop(void) {
  return UV_ENOTSUP;
}

int uvx_dump(const uv_loop_t* loop, FILE* stream) {
  (void) loop;
  (void) stream;
  return UV_ENOTSUP;
}
