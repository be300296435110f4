/* SPDX-License-Identifier: MIT */
/* Managed loops: state that belongs to one loop each, keys that choose the
 * loop, messages instead of locks, and one shutdown for all.
 *
 * Exit status 0: every key was counted, on the loop that owns it.
 */
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>
#include <uv/ext.h>

#define KEYS 10000

struct message {
  uvx_post_t post;
  unsigned key;
};

static uvx_loops_t* loops;
static unsigned counted[4]; /* by loop: only its thread touches it */
static unsigned answered;   /* loop 0's */

/* Loop 0: the message comes back. */
static void on_answer(uvx_post_t* post) {
  free(post);
  if (++answered == KEYS)
    uvx_loops_shutdown(loops);
}

/* The loop that owns the key. */
static void on_key(uvx_post_t* post) {
  counted[uvx_loop_index(post->loop)]++;
  uvx_post(uvx_loops_get(loops, 0), post, on_answer);
}

static void send_keys(uv_loop_t* loop, void* arg) {
  (void) loop;
  (void) arg;
  for (unsigned key = 0; key < KEYS; key++) {
    struct message* message = malloc(sizeof(*message));
    if (message == NULL)
      abort();
    message->key = key;
    uv_loop_t* owner = uvx_loops_get(loops, key % uvx_loops_count(loops));
    uvx_post(owner, &message->post, on_key);
  }
}

/* Every loop, when the shutdown begins. */
static void print_count(uv_loop_t* loop, void* arg) {
  int index = uvx_loop_index(loop);

  (void) arg;
  printf("loop %d: %u keys\n", index, counted[index]);
}

int main(void) {
  uvx_loops_options_t options = { .size = sizeof(options), .count = 4 };

  if (uvx_loops_new(&loops, &options) != 0)
    return 1;
  uvx_loops_on_start(loops, uvx_loops_get(loops, 0), send_keys, NULL);
  uvx_loops_on_end(loops, NULL, print_count, NULL);
  int err = uvx_loops_run(loops);
  for (unsigned i = 0; i < options.count; i++)
    if (counted[i] != KEYS / options.count)
      return 1;
  return err != 0 || answered != KEYS || uvx_loops_free(loops) != 0;
}
