/* SPDX-License-Identifier: MIT */
/* Metrics from their start to their end, and the file they are written to. */
#ifndef UV_OBSERVE_METRICS_SESSION_H_
#define UV_OBSERVE_METRICS_SESSION_H_

/* As uv__trace_init_loop() and uv__trace_shutdown(). */
void uv__metrics_init_loop(void);
void uv__metrics_shutdown(void);

#endif /* UV_OBSERVE_METRICS_SESSION_H_ */
