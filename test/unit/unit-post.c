/* SPDX-License-Identifier: MIT */
/* loop/post.c on the fake poller: a sender that is between its two steps, and a
 * wake that fails. */
#include "loop/loop.h"
#include "poller-fake.h"
#include "util/atomic.h"
#include "uv/ext.h"

static uvx_post_t posts[3];

static void on_post(uvx_post_t* post) {
  fake_note("abc"[post - posts]);
}

/* The first step of uvx_post(). Returns what the second one would link to. */
static uvx_post_t* begin_post(uvx_post_t* post) {
  post->loop = &fake.loop;
  post->cb = on_post;
  post->next = NULL;
  return uv__exchange(&uv__loop_state(&fake.loop)->shared.posted, post);
}

/* The first post of a batch is not linked: nothing to do, until its sender
 * wakes the loop. */
UNIT_TEST(post_gap_at_the_stub_is_left_alone) {
  fake_init();
  (void) begin_post(&posts[0]);
  CHECK_EQ(1, uv_loop_alive(&fake.loop));
  CHECK_EQ(UV_EBUSY, uv_loop_close(&fake.loop));
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_NOWAIT));
  fake_check_trace("");
  CHECK_EQ(0, fake.wakes);

  uv__loop_state(&fake.loop)->posts.next = &posts[0];
  CHECK_EQ(0, uv__wake_send(&fake.loop));
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_NOWAIT));
  fake_check_trace("a");
  fake_close();
}

/* A later one is not linked: the post before it waits, and the loop wakes
 * itself, however often it has to look. */
UNIT_TEST(post_gap_in_the_chain_ends_the_pass) {
  fake_init();
  CHECK_EQ(0, uvx_post(&fake.loop, &posts[0], on_post));
  CHECK_EQ(0, uvx_post(&fake.loop, &posts[1], on_post));
  CHECK(begin_post(&posts[2]) == &posts[1]);
  CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_NOWAIT));
  fake_check_trace("a");
  CHECK_EQ(2, fake.wakes);
  for (int i = 0; i < 20; i++) {
    CHECK_EQ(1, uv_run(&fake.loop, UV_RUN_NOWAIT));
    CHECK_EQ(3 + i, fake.wakes);
  }

  posts[1].next = &posts[2];
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_NOWAIT));
  fake_check_trace("bc");
  CHECK_EQ(22, fake.wakes);
  fake_close();
}

/* The error of waking the loop is returned; the post is called all the same. */
UNIT_TEST(post_failed_wake_is_returned) {
  fake_init();
  fake.wake_err = UV_EIO;
  CHECK_EQ(UV_EIO, uvx_post(&fake.loop, &posts[0], on_post));
  CHECK_EQ(0, uvx_post(&fake.loop, &posts[1], on_post));
  fake.wake_err = 0;
  CHECK_EQ(0, uv_run(&fake.loop, UV_RUN_DEFAULT));
  fake_check_trace("ab");
  fake_close();
}
