/* SPDX-License-Identifier: MIT */
/* The pause of managed loops: src/loops-pause.c, with its names. PAUSERS of
 * LOOPS loops pause PAUSES times each; the others only run callbacks. A worker
 * runs functions that the program queued on the loops, ITEMS of them, between
 * pauses: src/pool/gate.c.
 *
 * Checked: in a pause no other loop runs a callback and no function runs; there
 * is one pauser; a loop finishes an iteration between two pauses, and if
 * functions wait for their end, one of them runs; all end (otherwise an invalid
 * end state). With -DTIMEOUTS=1 each wait of a pauser may
 * end at any moment; without it every wait must end by itself.
 *
 * -DBROKEN=1 lets a waiter time out into another's pause, 2 begins a pause
 * while loops are in the last one, 3 has a pauser wait for those who wait for
 * their turn, 4 does not wait for a function that runs, 5 begins functions in a
 * pause, 6 lets a worker that is on its way find the gate closed: spin must
 * reject all of them.
 */
#ifndef LOOPS
#define LOOPS 3
#endif
#ifndef PAUSERS
#define PAUSERS 2
#endif
#ifndef PAUSES
#define PAUSES 2
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef TIMEOUTS
#define TIMEOUTS 0
#endif
#ifndef BROKEN
#define BROKEN 0
#endif

#define NOBODY 255

mtype = { RUNNING, PARKED, WAITING, PAUSER };

mtype state[LOOPS] = RUNNING;
bool park_queued[LOOPS];
byte running = LOOPS;
byte waiting;
byte pauser = NOBODY;
byte leaving;
chan turns = [LOOPS] of { byte };

bool is_closed;     /* the gate */
byte queued, aside; /* functions */
bool is_coming;     /* the worker is not idle */
bool is_owed;       /* it may take one although the gate is closed */
bool came_back;     /* some were aside at the last end, none has begun since */
bool item_runs;     /* the worker is in a function */
byte ran;
bool in_pause;      /* what the program believes: the pause is in force */
byte ended;         /* loops that will not pause again */

#define is_my_turn(i) (pauser == NOBODY && \
                       (leaving == 0 || BROKEN == 2) && turns?[eval(i)])
#define all_stand (running == 0 && (!item_runs || BROKEN == 4) && !is_owed && \
                   (BROKEN != 3 || waiting == 0))

/* A callback of the program's. */
inline callback(i) {
  assert(!in_pause || pauser == i)
}

/* With the mutex: each is one atomic step up to a wait. */
inline set_state(i, s) {
  if
  :: state[i] == RUNNING -> running--
  :: state[i] == WAITING -> waiting--
  :: else -> skip
  fi;
  if
  :: s == RUNNING -> running++
  :: s == WAITING -> waiting++
  :: else -> skip
  fi;
  state[i] = s
}

inline end_pause() {
  k = 0;
  do
  :: k < LOOPS && state[k] == PARKED -> leaving++; k++
  :: k < LOOPS && state[k] != PARKED -> k++
  :: k == LOOPS -> break
  od;
  k = 0;
  is_closed = false; /* uv__gate_open() */
  is_owed = false;
  came_back = came_back || aside > 0;
  queued = queued + aside;
  aside = 0;
  is_coming = is_coming || queued > 0;
  set_state(pauser, RUNNING);
  pauser = NOBODY
}

/* wait_for_end(); `state[i]` is set. */
inline wait_for_end(i) {
  atomic {
    pauser == NOBODY;
    set_state(i, RUNNING);
    leaving--
  }
}

/* uv__loops_park() */
inline park(i) {
  atomic {
    park_queued[i] = false;
    stands = pauser != NOBODY && pauser != i;
    if
    :: stands ->
      set_state(i, PARKED)
    :: else -> skip
    fi
  };
  if
  :: stands -> wait_for_end(i)
  :: else -> skip
  fi
}

inline pause_and_resume(i) {
  atomic { turns!i; set_state(i, WAITING) };
  if
  :: atomic {
       is_my_turn(i) ->
       turns??eval(i);
       assert(pauser == NOBODY);
       pauser = i;
       set_state(i, PAUSER);
       is_closed = true; /* uv__gate_close() */
       is_owed = queued > 0 && is_coming && !item_runs && BROKEN != 6;
       k = 0;
       do
       :: k < LOOPS && state[k] == RUNNING -> park_queued[k] = true; k++
       :: k < LOOPS && state[k] != RUNNING ->
         assert(state[k] != PARKED);
         k++
       :: k == LOOPS -> break
       od;
       k = 0
     };
     if
     :: all_stand ->
       in_pause = true;
       assert(pauser == i);
       assert(!item_runs);
       assert(!came_back);
       in_pause = false;
       atomic { end_pause() }
     :: TIMEOUTS -> atomic { end_pause() }
     fi
  :: TIMEOUTS ->
     atomic {
       turns??eval(i);
       stands = pauser != NOBODY && BROKEN != 1;
       if
       :: stands -> set_state(i, PARKED)
       :: else -> set_state(i, RUNNING)
       fi
     };
     if
     :: stands -> wait_for_end(i)
     :: else -> skip
     fi
  fi
}

proctype loop(byte i) {
  byte pauses = (i < PAUSERS -> PAUSES : 0);
  byte k;
  bool stands;

  do
  :: park_queued[i] -> park(i); callback(i)
  :: pauses > 0 -> callback(i); pauses--; pause_and_resume(i); callback(i)
  :: pauses == 0 -> break
  od;
  atomic { ended++ };
  do /* as long as anybody may pause */
  :: park_queued[i] -> park(i); callback(i)
  :: ended == LOOPS && !park_queued[i] -> break
  od
}

/* take_item() in pool.c, uv__gate_take() */
inline take() {
  if
  :: queued > 0 && (!is_closed || is_owed || BROKEN == 5) ->
    queued--;
    item_runs = true;
    came_back = false
  :: else ->
    aside = aside + queued;
    queued = 0;
    is_coming = false
  fi;
  is_owed = false
}

proctype worker() {
  do
  :: atomic { is_coming -> take() };
    if
    :: item_runs ->
      assert(!in_pause);
      atomic { item_runs = false; ran++ }
    :: else -> skip
    fi
  :: ran == ITEMS && !is_coming -> break
  od
}

/* The program queues functions at any time. */
proctype submitter() {
  byte items = ITEMS;

  do
  :: items > 0 -> atomic { queued++; is_coming = true; items-- }
  :: else -> break
  od
}

init {
  byte i = 0;
  atomic {
    do
    :: i < LOOPS -> run loop(i); i++
    :: else -> break
    od;
    run worker();
    run submitter()
  }
}
