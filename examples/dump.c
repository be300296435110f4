/* SPDX-License-Identifier: MIT */
/* A program that is late: what is it doing? It prints its own loop when its
 * watchdog timer finds that a job takes too long. To print it without changing
 * the program:
 *
 *   UV_DUMP_SIGNAL=USR2 ./dump &
 *   kill -USR2 $!
 *
 * Exit status 0: the dump was printed.
 */
#include <stdio.h>

#include <uv.h>
#include <uv/ext.h>

static uv_sem_t go;
static int result = 1;

static void wait_for_go(uv_work_t* job) {
  (void) job;
  uv_sem_wait(&go);
}

static void check_job(uv_timer_t* timer) {
  printf("the job takes longer than expected:\n");
  result = uvx_dump(timer->loop, stdout);
  uv_sem_post(&go); /* here it may end */
}

static void job_done(uv_work_t* job, int status) {
  uv_timer_t* timer = job->data;

  (void) status;
  uv_close((uv_handle_t*) timer, NULL);
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  uv_timer_t timer;
  uv_work_t job;

  uv_sem_init(&go, 0);
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, check_job, 50, 0);
  job.data = &timer;
  uv_queue_work(loop, &job, wait_for_go, job_done);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0 || result != 0;
}
