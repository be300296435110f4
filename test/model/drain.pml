/* SPDX-License-Identifier: MIT */
/* The end of managed loops: src/loops-run.c, wait_quietly(). Each of LOOPS loops
 * has a queue of posts; BALLS posts go round the ring of loops, HOPS times
 * each. A loop without a post is quiet. If all are quiet and no queue has a
 * post, all may leave.
 *
 * Checked: no post goes to a loop that has left, none is left over, and all
 * loops leave (otherwise an invalid end state).
 *
 * -DBROKEN=1 lets a waiting loop take a post while it counts as quiet, 2 leaves
 * the queues out of the test: spin must reject both.
 */
#ifndef LOOPS
#define LOOPS 3
#endif
#ifndef BALLS
#define BALLS 2
#endif
#ifndef HOPS
#define HOPS 3
#endif
#ifndef BROKEN
#define BROKEN 0
#endif

byte queued[LOOPS];
bool quiet[LOOPS];
bool left[LOOPS];
bool drained;
byte hops; /* made by all of them */

/* A callback: passes the ball on. */
inline call(i) {
  if
  :: atomic { hops < BALLS * HOPS -> hops++ };
    assert(!left[(i + 1) % LOOPS]);
    queued[(i + 1) % LOOPS]++
  :: hops == BALLS * HOPS -> skip
  fi
}

/* is_drained(), with the mutex. */
inline test_drained() {
  k = 0;
  do
  :: k < LOOPS && quiet[k] && (queued[k] == 0 || BROKEN == 2) -> k++
  :: else -> break
  od;
  if
  :: k == LOOPS -> drained = true
  :: else -> skip
  fi;
  k = 0
}

proctype loop(byte i) {
  byte k;

again:
  do /* uv_run() */
  :: queued[i] > 0 -> queued[i]--; call(i)
  :: queued[i] == 0 -> break
  od;
  atomic { quiet[i] = true; test_drained() };
  if
  :: drained -> goto leave
  :: else -> skip
  fi;
  queued[i] > 0 || drained; /* uvx_backend_process() */
  if
  :: BROKEN == 1 && queued[i] > 0 -> queued[i]--; call(i)
  :: else -> skip
  fi;
  atomic {
    if
    :: drained -> skip
    :: else -> quiet[i] = false
    fi
  };
  if
  :: drained -> skip
  :: else -> goto again
  fi;
leave:
  assert(queued[i] == 0);
  left[i] = true
}

init {
  byte i = 0;
  atomic {
    queued[0] = BALLS; /* the end functions post them */
    do
    :: i < LOOPS -> run loop(i); i++
    :: else -> break
    od
  };
  left[0] && left[1] && left[LOOPS - 1] && hops == BALLS * HOPS
}
