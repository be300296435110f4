/* SPDX-License-Identifier: MIT */
/* Reports callbacks that block a loop for too long. */
#ifndef UV_OBSERVE_WATCHDOG_H_
#define UV_OBSERVE_WATCHDOG_H_

/* As uv__trace_init_loop() and uv__trace_shutdown(). */
void uv__watchdog_init_loop(void);
void uv__watchdog_shutdown(void);

#endif /* UV_OBSERVE_WATCHDOG_H_ */
