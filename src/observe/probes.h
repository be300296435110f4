/* SPDX-License-Identifier: MIT */
/* Static probes (USDT) for bpftrace, perf and SystemTap, where the build found
 * <sys/sdt.h>; elsewhere these functions are empty.
 *
 * A probe is an instruction that does nothing, and a note in the library that
 * tells where it is, where its arguments are, and which counter the kernel
 * raises while somebody is attached. That counter is one half of uv__observers:
 * attaching makes the loops take the observed way, which has the probes, and
 * what nobody watches has none of them. docs/internals/trace.md lists them.
 */
#ifndef UV_OBSERVE_PROBES_H_
#define UV_OBSERVE_PROBES_H_

#include "observe/hooks.h"
#include "observe/trace/format.h"

#if UV__HAVE_SDT

/* With counters; all of them are the same word, see hooks.c. */
# define _SDT_HAS_SEMAPHORES 1
# include <sys/sdt.h>

# define UV__PROBE_COUNTER(name)                                               \
  UV__HIDDEN extern unsigned short libuv_##name##_semaphore

UV__PROBE_COUNTER(callback__begin);
UV__PROBE_COUNTER(callback__end);
UV__PROBE_COUNTER(iteration__begin);
UV__PROBE_COUNTER(iteration__end);
UV__PROBE_COUNTER(work__submit);
UV__PROBE_COUNTER(work__start);
UV__PROBE_COUNTER(work__done);
UV__PROBE_COUNTER(wake);

static inline int uv__is_probed(void) {
  return uv__is_observed_by(UV__OBSERVE_PROBES);
}

static inline void uv__probe_callback_begin(const struct uv__record* record) {
  if (uv__is_probed())
    STAP_PROBE5(libuv, callback__begin, record->loop, record->object,
                record->symbol, uv__record_type_name(record->type),
                uv__call_name((enum uv__call) record->call));
}

static inline void uv__probe_callback_end(const struct uv__record* record) {
  if (uv__is_probed())
    STAP_PROBE4(libuv, callback__end, record->loop, record->object,
                record->symbol, record->end_ns - record->begin_ns);
}

static inline void uv__probe_iteration_begin(const uv_loop_t* loop) {
  if (uv__is_probed())
    STAP_PROBE1(libuv, iteration__begin, loop);
}

static inline void uv__probe_iteration_end(const struct uv__record* record) {
  if (uv__is_probed())
    STAP_PROBE4(libuv, iteration__end, record->loop, record->value,
                record->detail, record->end_ns - record->begin_ns);
}

static inline void uv__probe_submit(const uv_loop_t* loop,
                                    const struct uv__work* w,
                                    enum uv__work_id work_id) {
  if (uv__is_probed())
    STAP_PROBE3(libuv, work__submit, loop, w, uv__work_name(work_id));
}

static inline void uv__probe_work_start(const struct uv__work* w) {
  if (uv__is_probed())
    STAP_PROBE2(libuv, work__start, w->loop, w);
}

static inline void uv__probe_work_done(const struct uv__work* w) {
  if (uv__is_probed())
    STAP_PROBE2(libuv, work__done, w->loop, w);
}

static inline void uv__probe_wake(const uv_async_t* handle) {
  if (uv__is_probed())
    STAP_PROBE2(libuv, wake, handle->loop, handle);
}

#else

static inline void uv__probe_callback_begin(const struct uv__record* record) {
  (void) record;
}

static inline void uv__probe_callback_end(const struct uv__record* record) {
  (void) record;
}

static inline void uv__probe_iteration_begin(const uv_loop_t* loop) {
  (void) loop;
}

static inline void uv__probe_iteration_end(const struct uv__record* record) {
  (void) record;
}

static inline void uv__probe_submit(const uv_loop_t* loop,
                                    const struct uv__work* w,
                                    enum uv__work_id work_id) {
  (void) loop;
  (void) w;
  (void) work_id;
}

static inline void uv__probe_work_start(const struct uv__work* w) {
  (void) w;
}

static inline void uv__probe_work_done(const struct uv__work* w) {
  (void) w;
}

static inline void uv__probe_wake(const uv_async_t* handle) {
  (void) handle;
}

#endif

#endif /* UV_OBSERVE_PROBES_H_ */
