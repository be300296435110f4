/* SPDX-License-Identifier: MIT */
/* Posts to a loop: src/loop/post.c, a queue of many producers and one consumer
 * with a stub, and the wake-ups that go with it. (That a wake reaches the loop
 * is wake.pml's business: here it is one flag.)
 *
 * PRODUCERS threads post POSTS nodes each; the callback of the first one posts
 * one more. A pass calls at most TURN nodes. WAKES wakes come from elsewhere.
 *
 * Checked: every post is called once, in the order of the exchanges (otherwise
 * an assertion, or stuck: invalid end state); no producer touches a node whose
 * callback has begun, nor the loop after uv_loop_close().
 *
 * -DBROKEN=1 leaves out the wake for a chain that began during a pass with a
 * rest, 2 the wake after a gap in the chain, 3 the count of threads inside the
 * loop: spin must reject each of these.
 */
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef POSTS
#define POSTS 2
#endif
#ifndef TURN
#define TURN 1
#endif
#ifndef WAKES
#define WAKES 1
#endif
#ifndef BROKEN
#define BROKEN 0
#endif

#define NODES (PRODUCERS * POSTS + 1)
#define AGAIN NODES       /* the node that a callback posts */
#define STUB (NODES + 1)
#define NONE 0

byte next[NODES + 2];     /* by node, the first is 1 */
byte order[NODES + 1];    /* how many exchanges came before the node's */
bool called[NODES + 1];
byte head = STUB;
byte exchanges;
byte calls;
bool pending;             /* a wake */
byte busy;                /* threads inside the loop */
bool loop_closed;

/* uvx_post() and begin_batch(). */
inline post(sent, previous) {
  assert(!loop_closed);
  next[sent] = NONE;
  atomic {
    previous = head;
    head = sent;
    order[sent] = exchanges;
    exchanges++
  };
  if
  :: previous == STUB ->
    if
    :: BROKEN != 3 -> busy++
    :: else -> skip
    fi;
    next[STUB] = sent;
    assert(!loop_closed);
    pending = true;
    if
    :: BROKEN != 3 -> busy--
    :: else -> skip
    fi
  :: else ->
    assert(!called[previous]);
    next[previous] = sent
  fi;
  previous = NONE
}

proctype producer(byte p) {
  byte i = 0;
  byte before;

  do
  :: i < POSTS ->
    post(p * POSTS + i + 1, before);
    i++
  :: else -> break
  od
}

proctype other() {
  byte i = 0;

  do
  :: i < WAKES && !loop_closed -> pending = true; i++
  :: break
  od
}

byte first, last;

/* uv__post_run() */
inline run_posts() {
  had_rest = first != NONE;
  count = 0;
  if
  :: had_rest -> skip
  :: !had_rest && next[STUB] == NONE -> goto pass_over
  :: !had_rest && next[STUB] != NONE ->
    first = next[STUB];
    next[STUB] = NONE;
    atomic { last = head; head = STUB }
  fi;
  do
  :: count == TURN || first == NONE -> break
  :: count < TURN && first != NONE ->
    node = first;
    if
    :: node == last -> first = NONE
    :: else ->
      if
      :: next[node] == NONE -> break
      :: else -> first = next[node]
      fi
    fi;
    count++;
    atomic {
      called[node] = true;
      assert(order[node] == calls);
      calls++
    };
    if
    :: node == 1 -> post(AGAIN, before)
    :: else -> skip
    fi
  od;
  if
  :: first != NONE && (BROKEN != 2 || count == TURN) -> pending = true
  :: first == NONE && had_rest && next[STUB] != NONE && BROKEN != 1 ->
    pending = true
  :: else -> skip
  fi;
pass_over:
  skip;
  d_step { node = NONE; count = 0; had_rest = false }
}

active proctype loop() {
  byte node, count, before;
  bool had_rest;

  do
  :: calls == NODES && first == NONE && head == STUB -> break
  :: else ->
    pending; /* sleeps */
    pending = false;
    run_posts()
  od;
  busy == 0;
  loop_closed = true
}

init {
  byte p = 0;
  atomic {
    do
    :: p < PRODUCERS -> run producer(p); p++
    :: else -> break
    od;
    run other()
  }
}
