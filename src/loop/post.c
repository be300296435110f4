/* SPDX-License-Identifier: MIT */
/* Posts: callbacks that other threads have the loop run.
 *
 * A producer exchanges `posted` for its node, then links it to the previous
 * one. If that is the stub, the node begins a batch, and its producer wakes the
 * loop. A pass exchanges `posted` for the stub, which makes the chain the
 * loop's, and calls up to POST_TURN nodes; the rest is for the next pass.
 *
 * Between exchange and link the chain has a gap. The loop never waits for it:
 *  1 at the stub, the wake of that batch is still to be sent;
 *  2 in the chain, the pass ends and the loop wakes itself: that producer sends
 *    no wake. The node before the gap, still to be written to, is not called;
 *  3 a pass that began with a rest wakes the loop for a chain that began
 *    meanwhile: the pass may have consumed that one's wake.
 *
 * Context: uvx_post() any | signal; the rest is the loop's. */
#include "loop/post.h"
#include "observe/callback.h"
#include "util/atomic.h"

/* Callbacks in a pass. Then timers and I/O have their turn. */
#define POST_TURN 1024

/* Looks at the same gap before the loop lets its producer run, which may have
 * a lower priority. */
#define GAPS_MAX 16

/* The links are through `next` of another uvx_post_t, or of the stub. */
static_assert(offsetof(struct uv__posts, next) >= offsetof(uvx_post_t, next),
              "the stub lies in the state of the loop");

void uv__post_init_loop(uv_loop_t* loop) {
  struct uv__loop_state* state = uv__loop_state(loop);

  state->shared.posted = uv__post_stub(&state->posts);
  state->posts.next = NULL;
  state->posts.first = NULL;
  state->posts.gaps_seen = 0;
}

/* The first of a batch. Counted as busy before its link: until that, the loop
 * can neither take the batch nor close. */
static int begin_batch(uv_loop_t* loop, uvx_post_t* post) {
  struct uv__loop_state* state = uv__loop_state(loop);

  /* Pairs with the acquire in uv__async_os_close_loop(). */
  uv__fetch_add(&state->shared.busy, 1);
  uv__store_release(&state->posts.next, post);
  int err = uv__wake_send(loop);
  uv__fetch_sub(&state->shared.busy, 1);
  return err < 0 ? err : 0;
}

int uvx_post(uv_loop_t* loop, uvx_post_t* post, uvx_post_cb cb) {
  if (loop == NULL || post == NULL || cb == NULL ||
      uv__loop_state(loop) == NULL)
    return UV_EINVAL;

  struct uv__loop_state* state = uv__loop_state(loop);
  if (uv__load_relaxed(&state->shared.posts_closed))
    return UV_ECANCELED;
  post->loop = loop;
  post->cb = cb;
  post->next = NULL;
  /* Pairs with the exchange in take_chain(): both are on one word, so a
   * producer that comes after it finds the stub. */
  uvx_post_t* previous = uv__exchange(&state->shared.posted, post);
  if (previous == uv__post_stub(&state->posts))
    return begin_batch(loop, post);
  /* Pairs with the acquire in next_post(). */
  uv__store_release(&previous->next, post);
  return 0;
}

/* Makes the chain that hangs on the stub the loop's own. Returns 0 if there is
 * none, or its producer has not linked it yet (1). */
static int take_chain(struct uv__loop_state* state) {
  struct uv__posts* posts = &state->posts;
  /* Pairs with begin_batch(). */
  uvx_post_t* first = uv__load_acquire(&posts->next);

  assert(posts->first == NULL);
  if (first == NULL)
    return 0;
  posts->first = first;
  uv__store_relaxed(&posts->next, NULL);
  posts->last = uv__exchange(&state->shared.posted, uv__post_stub(posts));
  return 1;
}

/* Takes the next post out of the loop's chain, NULL at its end or at a gap. */
static uvx_post_t* next_post(struct uv__posts* posts) {
  uvx_post_t* post = posts->first;

  if (post == NULL)
    return NULL;
  if (post == posts->last) {
    posts->first = NULL;
    return post;
  }
  /* Pairs with the release in uvx_post(). */
  uvx_post_t* next = uv__load_acquire(&post->next);
  if (next == NULL)
    return NULL;
  posts->first = next;
  return post;
}

int uv__post_run(uv_loop_t* loop) {
  struct uv__posts* posts = &uv__loop_state(loop)->posts;
  int had_rest = posts->first != NULL;
  int count = 0;

  if (!had_rest && !take_chain(uv__loop_state(loop)))
    return 0;
  while (count < POST_TURN) {
    uvx_post_t* post = next_post(posts);
    if (post == NULL)
      break;
    uv__debug_assert(post->loop == loop);
    count++;
    uv__call_post(post);
  }

  posts->gaps_seen = count == 0 ? posts->gaps_seen + 1 : 0;
  if (posts->gaps_seen >= GAPS_MAX)
    uv_sleep(1);
  if (posts->first != NULL || (had_rest && uv__post_is_due(loop)))
    (void) uv__wake_send(loop); /* the caller runs the loop: it is awake, or
                                 * its descriptor is woken */
  return count != 0 ? count : 1;
}
