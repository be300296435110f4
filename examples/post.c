/* SPDX-License-Identifier: MIT */
/* From other threads to the loop, a message at a time: uvx_post(). Compare
 * queue.c, the same with an async handle and a lock.
 *
 * Exit status 0: every number arrived, once.
 */
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>
#include <uv/ext.h>

#define THREADS 4
#define NUMBERS 1000 /* of each */

struct message {
  uvx_post_t post; /* first, so that the callback gets the message */
  int number;
};

static uv_loop_t* loop;
static uv_async_t keep; /* keeps the loop alive until all have arrived */
static long sum;
static int arrived;

/* The loop's thread. */
static void on_message(uvx_post_t* post) {
  struct message* message = (struct message*) post;

  sum += message->number;
  free(message);
  if (++arrived == THREADS * NUMBERS)
    uv_close((uv_handle_t*) &keep, NULL);
}

/* Any thread. */
static void produce(void* arg) {
  (void) arg;
  for (int i = 1; i <= NUMBERS; i++) {
    struct message* message = malloc(sizeof(*message));
    if (message == NULL)
      abort();
    message->number = i;
    uvx_post(loop, &message->post, on_message);
  }
}

int main(void) {
  uv_thread_t threads[THREADS];

  loop = uv_default_loop();
  if (loop == NULL || uv_async_init(loop, &keep, NULL) != 0)
    return 1;
  for (int i = 0; i < THREADS; i++)
    if (uv_thread_create(&threads[i], produce, NULL) != 0)
      return 1;
  uv_run(loop, UV_RUN_DEFAULT);
  for (int i = 0; i < THREADS; i++)
    uv_thread_join(&threads[i]);
  printf("%d numbers, sum %ld\n", arrived, sum);
  return uv_loop_close(loop) != 0 ||
         sum != (long) THREADS * NUMBERS * (NUMBERS + 1) / 2;
}
