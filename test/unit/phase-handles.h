/* SPDX-License-Identifier: MIT */
/* A handle for each phase on the fake loop, and callbacks that record a letter:
 * i idle, p prepare, c check, t timer, a async, f source, x close. */
#ifndef PHASE_HANDLES_H_
#define PHASE_HANDLES_H_

#include "poller-fake.h"

static uv_idle_t idle;
static uv_prepare_t prepare;
static uv_check_t check;
static uv_timer_t timer;
static uv_async_t async;

static inline void idle_cb(uv_idle_t* h) {
  (void) h;
  fake_note('i');
}

static inline void prepare_cb(uv_prepare_t* h) {
  (void) h;
  fake_note('p');
}

static inline void check_cb(uv_check_t* h) {
  (void) h;
  fake_note('c');
}

static inline void timer_cb(uv_timer_t* h) {
  (void) h;
  fake_note('t');
}

static inline void async_cb(uv_async_t* h) {
  (void) h;
  fake_note('a');
}

static inline void close_cb(uv_handle_t* h) {
  (void) h;
  fake_note('x');
}

static inline void ready_cb(void) {
  fake_note('f');
}

/* All but the async handle: a loop is alive because of one. */
static inline void phase_handles_init(void) {
  fake_init();
  CHECK_EQ(0, uv_idle_init(&fake.loop, &idle));
  CHECK_EQ(0, uv_prepare_init(&fake.loop, &prepare));
  CHECK_EQ(0, uv_check_init(&fake.loop, &check));
  CHECK_EQ(0, uv_timer_init(&fake.loop, &timer));
  fake_source_init();
}

#endif /* PHASE_HANDLES_H_ */
