/* SPDX-License-Identifier: MIT */
/* One job of the thread pool, embedded in every request that runs there.
 * Private to the library; it is here because requests contain it.
 */
#ifndef UV_THREADPOOL_H_
#define UV_THREADPOOL_H_

struct uv_loop_s;
struct uv__work_kind;

struct uv__work {
  /* Runs on a worker. The pool replaces it to mark a cancelled or done job. */
  void (*work)(struct uv__work* w);
  /* What kind of job it is: its functions, its name, its queue. */
  const struct uv__work_kind* kind;
  /* The loop that wants the result. */
  struct uv_loop_s* loop;
  /* Links the job into the pool's queue, then into the loop's done queue. */
  struct uv__queue wq;
};

#endif /* UV_THREADPOOL_H_ */
