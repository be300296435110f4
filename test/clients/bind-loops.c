/* SPDX-License-Identifier: MIT */
/* BIND's isc/loop.h, isc/async.h and isc/job.h on uvx_loops_*: as much of them
 * as BIND's own tests of its loop manager use, which see the structures. */
#ifndef SHIM_LOOP_C_
#define SHIM_LOOP_C_

#include <stdbool.h>
#include <stdlib.h>

#include <isc/async.h>
#include <isc/atomic.h>
#include <isc/job.h>
#include <isc/loop.h>
#include <isc/mem.h>
#include <isc/thread.h>
#include <isc/tid.h>
#include <isc/util.h>
#include <uv.h>
#include <uv/ext.h>

/* cmocka counts what its tests allocate; this lives from setup to teardown. */
#undef calloc
#undef free

struct call;

struct isc_loop {
  isc_loopmgr_t* loopmgr;
  uv_loop_t* loop;
  uint32_t tid;
  bool paused;
  bool shuttingdown;
  uvx_post_t run_jobs;
  ISC_LIST(isc_job_t) jobs;
};

struct isc_loopmgr {
  isc_mem_t* mctx;
  uint_fast32_t nloops;
  atomic_bool paused;
  uvx_loops_t* managed;
  isc_loop_t* loops;
  struct call* hooks; /* linked by post.data */
};

/* A function and its argument, until it is called or the manager is freed. */
struct call {
  uvx_post_t post;
  isc_job_t job; /* what isc_loop_setup() returns */
  isc_job_cb cb;
  void* cbarg;
};

thread_local isc_loop_t* isc__loop_local;

static void check(int err) {
  if (err != 0) {
    fprintf(stderr, "%s\n", uv_strerror(err));
    abort();
  }
}

static struct call* new_call(isc_job_cb cb, void* cbarg) {
  struct call* call = calloc(1, sizeof(*call));
  if (call == NULL)
    abort();
  call->cb = cb;
  call->cbarg = cbarg;
  return call;
}

static void enter(uv_loop_t* loop, void* arg) {
  isc_loopmgr_t* mgr = arg;
  isc__loop_local = &mgr->loops[uvx_loop_index(loop)];
  isc__tid_init(isc__loop_local->tid);
}

static void leave(uv_loop_t* loop, void* arg) {
  isc_loopmgr_t* mgr = arg;
  mgr->loops[uvx_loop_index(loop)].shuttingdown = true;
}

void isc_loopmgr_create(isc_mem_t* mctx, uint32_t n, isc_loopmgr_t** mgrp) {
  uvx_loops_options_t options = { .size = sizeof(options), .count = n };
  isc_loopmgr_t* mgr = calloc(1, sizeof(*mgr));

  mgr->mctx = mctx;
  mgr->nloops = n;
  mgr->loops = calloc(n, sizeof(mgr->loops[0]));
  check(uvx_loops_new(&mgr->managed, &options));
  check(uvx_loops_on_start(mgr->managed, NULL, enter, mgr));
  check(uvx_loops_on_end(mgr->managed, NULL, leave, mgr));
  for (uint32_t i = 0; i < n; i++) {
    isc_loop_t* loop = &mgr->loops[i];
    *loop = (isc_loop_t) { .loopmgr = mgr, .tid = i };
    loop->loop = uvx_loops_get(mgr->managed, i);
    loop->run_jobs.data = loop;
    ISC_LIST_INIT(loop->jobs);
  }
  isc__tid_initcount(n);
  *mgrp = mgr;
}

void isc_loopmgr_destroy(isc_loopmgr_t** mgrp) {
  isc_loopmgr_t* mgr = *mgrp;
  check(uvx_loops_free(mgr->managed));
  while (mgr->hooks != NULL) {
    struct call* hook = mgr->hooks;
    mgr->hooks = hook->post.data;
    free(hook);
  }
  free(mgr->loops);
  free(mgr);
  *mgrp = NULL;
}

void isc_loopmgr_run(isc_loopmgr_t* mgr) {
  check(uvx_loops_run(mgr->managed));
}
void isc_loopmgr_shutdown(isc_loopmgr_t* mgr) {
  uvx_loops_shutdown(mgr->managed);
}
uint32_t isc_loopmgr_nloops(isc_loopmgr_t* mgr) {
  return mgr->nloops;
}
isc_loop_t* isc_loop_main(isc_loopmgr_t* mgr) {
  return &mgr->loops[0];
}
isc_loop_t* isc_loop_get(isc_loopmgr_t* mgr, uint32_t tid) {
  return &mgr->loops[tid];
}
isc_loopmgr_t* isc_loop_getloopmgr(isc_loop_t* loop) {
  return loop->loopmgr;
}
isc_mem_t* isc_loop_getmctx(isc_loop_t* loop) {
  return loop->loopmgr->mctx;
}
bool isc_loop_shuttingdown(isc_loop_t* loop) {
  return loop->shuttingdown;
}

static void set_paused(isc_loopmgr_t* mgr, bool paused) {
  atomic_store(&mgr->paused, paused);
  for (uint32_t i = 0; i < mgr->nloops; i++)
    mgr->loops[i].paused = paused;
}

void isc_loopmgr_pause(isc_loopmgr_t* mgr) {
  check(uvx_loops_pause(mgr->managed, -1));
  set_paused(mgr, true);
}

void isc_loopmgr_resume(isc_loopmgr_t* mgr) {
  set_paused(mgr, false);
  uvx_loops_resume(mgr->managed);
}

static void on_hook(uv_loop_t* loop, void* arg) {
  struct call* call = arg;
  (void) loop;
  call->cb(call->cbarg);
}

typedef int (*add_hook)(uvx_loops_t*, uv_loop_t*, uvx_loop_cb, void*);

static isc_job_t* add(isc_loopmgr_t* mgr,
                      isc_loop_t* loop,
                      add_hook add,
                      isc_job_cb cb,
                      void* cbarg) {
  struct call* call = new_call(cb, cbarg);
  call->post.data = mgr->hooks;
  mgr->hooks = call;
  check(add(mgr->managed, loop == NULL ? NULL : loop->loop, on_hook, call));
  return &call->job;
}

isc_job_t* isc_loop_setup(isc_loop_t* loop, isc_job_cb cb, void* cbarg) {
  return add(loop->loopmgr, loop, uvx_loops_on_start, cb, cbarg);
}

isc_job_t* isc_loop_teardown(isc_loop_t* loop, isc_job_cb cb, void* cbarg) {
  return add(loop->loopmgr, loop, uvx_loops_on_end, cb, cbarg);
}

void isc_loopmgr_setup(isc_loopmgr_t* mgr, isc_job_cb cb, void* cbarg) {
  (void) add(mgr, NULL, uvx_loops_on_start, cb, cbarg);
}

void isc_loopmgr_teardown(isc_loopmgr_t* mgr, isc_job_cb cb, void* cbarg) {
  (void) add(mgr, NULL, uvx_loops_on_end, cb, cbarg);
}

static void on_async(uvx_post_t* post) {
  struct call* call = (struct call*) post;
  call->cb(call->cbarg);
  free(call);
}

void isc_async_run(isc_loop_t* loop, isc_job_cb cb, void* cbarg) {
  check(uvx_post(loop->loop, &new_call(cb, cbarg)->post, on_async));
}

/* Jobs that are added meanwhile run in a later iteration. */
static void on_jobs(uvx_post_t* post) {
  isc_loop_t* loop = post->data;
  isc_job_t* job = ISC_LIST_HEAD(loop->jobs);
  ISC_LIST_INIT(loop->jobs);
  while (job != NULL) {
    isc_job_t* next = ISC_LIST_NEXT(job, link);
    ISC_LINK_INIT(job, link);
    job->cb(job->cbarg); /* may free it */
    job = next;
  }
}

void isc_job_run(isc_loop_t* loop, isc_job_t* job, isc_job_cb cb, void* cbarg) {
  bool is_first = ISC_LIST_EMPTY(loop->jobs);
  job->cb = cb;
  job->cbarg = cbarg;
  ISC_LINK_INIT(job, link);
  ISC_LIST_APPEND(loop->jobs, job, link);
  if (is_first)
    check(uvx_post(loop->loop, &loop->run_jobs, on_jobs));
}
#endif
