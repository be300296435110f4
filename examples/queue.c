/* SPDX-License-Identifier: MIT */
/* From other threads to the loop: a queue with a lock, and an async handle.
 *
 * The handle carries no data and several sends may be one call, so the callback
 * takes everything there is. Exit status 0: every number arrived, once.
 */
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>

#define THREADS 4
#define NUMBERS 1000 /* of each */

struct item {
  struct item* next;
  int number;
};

static uv_mutex_t lock;
static struct item* items; /* guarded by lock */
static uv_async_t async;
static long sum;
static int arrived;

/* Any thread. */
static void push(int number) {
  struct item* item = malloc(sizeof(*item));
  if (item == NULL)
    return;
  item->number = number;
  uv_mutex_lock(&lock);
  item->next = items;
  items = item;
  /* With the lock held: once the loop has the last item, no thread sends any
   * more, and the handle can be closed. */
  uv_async_send(&async);
  uv_mutex_unlock(&lock);
}

static void produce(void* arg) {
  (void) arg;
  for (int i = 1; i <= NUMBERS; i++)
    push(i);
}

/* The loop's thread. */
static void on_async(uv_async_t* handle) {
  uv_mutex_lock(&lock);
  struct item* list = items;
  items = NULL;
  uv_mutex_unlock(&lock);

  while (list != NULL) {
    struct item* next = list->next;
    sum += list->number;
    arrived++;
    free(list);
    list = next;
  }
  if (arrived == THREADS * NUMBERS)
    uv_close((uv_handle_t*) handle, NULL);
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  uv_thread_t threads[THREADS];

  if (uv_mutex_init(&lock) != 0 || uv_async_init(loop, &async, on_async) != 0)
    return 1;
  for (int i = 0; i < THREADS; i++)
    if (uv_thread_create(&threads[i], produce, NULL) != 0)
      return 1;
  uv_run(loop, UV_RUN_DEFAULT);
  for (int i = 0; i < THREADS; i++)
    uv_thread_join(&threads[i]);
  uv_mutex_destroy(&lock);
  printf("%d numbers, sum %ld\n", arrived, sum);
  return uv_loop_close(loop) != 0 ||
         sum != (long) THREADS * NUMBERS * (NUMBERS + 1) / 2;
}
