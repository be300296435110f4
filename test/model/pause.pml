/* SPDX-License-Identifier: MIT */
/* The pause of managed loops: src/loops-pause.c, with its names. PAUSERS of
 * LOOPS loops pause PAUSES times each; the others only run callbacks. A worker
 * runs functions that the program queued on the loops, ITEMS of them, between
 * pauses.
 *
 * Checked: in a pause no other loop runs a callback and no function runs; there
 * is one pauser; a loop finishes an iteration between two pauses; all end
 * (otherwise an invalid end state). With -DTIMEOUTS=1 each wait of a pauser may
 * end at any moment; without it every wait must end by itself.
 *
 * -DBROKEN=1 lets a waiter time out into another's pause, 2 begins a pause
 * while loops are in the last one, 3 has a pauser wait for those who wait for
 * their turn, 4 does not wait for a function that runs, 5 begins functions in a
 * pause: spin must reject all of them.
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

byte nheld;         /* workers that wait with a function */
bool item_runs;     /* the worker is in a function */
bool in_pause;      /* what the program believes: the pause is in force */
byte ended;         /* loops that will not pause again */

#define is_my_turn(i) (pauser == NOBODY && \
                       (leaving == 0 || BROKEN == 2) && turns?[eval(i)])
#define all_stand (running == 0 && (!item_runs || BROKEN == 4) && \
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
  set_state(pauser, RUNNING);
  leaving = leaving + nheld;
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

proctype worker() {
  byte items = ITEMS;
  bool waits;

  do
  :: items > 0 ->
    atomic { /* uv__loops_begin_work() */
      waits = pauser != NOBODY && BROKEN != 5;
      if
      :: waits -> nheld++
      :: else -> item_runs = true
      fi
    };
    if
    :: waits ->
      atomic { pauser == NOBODY -> nheld--; leaving--; item_runs = true }
    :: else -> skip
    fi;
    assert(!in_pause);
    atomic { item_runs = false };
    items--
  :: items == 0 -> break
  od
}

init {
  byte i = 0;
  atomic {
    do
    :: i < LOOPS -> run loop(i); i++
    :: else -> break
    od;
    run worker()
  }
}
