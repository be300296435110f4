/* SPDX-License-Identifier: MIT */
/* The hand-over of work in src/pool/pool.c over src/pool/queue.c: one lock, a
 * list of idle workers with a condition variable each, one spinner that is
 * elected without the lock and ends with it, slow items limited to half of the
 * workers, a worker that takes an item calling the next, the flush by a loop
 * that is about to sleep, the start of the minimum by the first worker and the
 * release of the queue by the last one that begins (lanes.c), growing when
 * stuck, refused threads, threads beyond the minimum that end when idle, a
 * number of threads that goes down to 1 and up again (uv__pool_set_threads()),
 * cancelling, and shutdown.
 *
 * The model interleaves single steps (sequential consistency). The code needs
 * no more than the lock's order: a spinner clears `spinner` with the lock held,
 * and a submit reads it with the lock held.
 *
 * Checked: no item stays queued while every worker sleeps (the monitor would be
 * stuck: invalid end state); counters never go below zero; each item is run,
 * cancelled or refused once; an item that blocks does not hold up the others;
 * slow items keep their limit; no item begins beyond the number of threads;
 * when an item is done, the minimum of threads exists or was refused; a shutdown runs what is queued and ends, and no worker
 * is left that uses the lock.
 *
 * What the code decides by time (how long to spin, when an idle thread ends,
 * when a pool is stuck) is nondeterministic here: every choice must be right.
 *
 * -DBROKEN=1 lets a spinner go idle without another look at the queue, 2 leaves
 * out calling the next worker, 3 waking the idle workers at the shutdown, 4
 * lets a spinner clear `spinner` before it has the lock and checks that a
 * submit wakes nobody while a spinner comes for its item, 5 has idle workers
 * not come when there are too many: spin must reject each of these. */
#ifndef SIZE
#define SIZE 2 /* the maximum number of threads */
#endif
#ifndef MIN
#define MIN SIZE
#endif
#ifndef SUBMITTERS
#define SUBMITTERS 2
#endif
#ifndef ITEMS
#define ITEMS 2 /* per submitter */
#endif
#ifndef SLOW
#define SLOW 0 /* slow ones among all items */
#endif
#ifndef BLOCK
#define BLOCK 0 /* 1: the first fast item ends after all the others */
#endif
#ifndef SPINS
#define SPINS 2 /* in all, so that a search ends */
#endif
#ifndef ENDS
#define ENDS 0 /* threads beyond the minimum that end, in all */
#endif
#ifndef REFUSALS
#define REFUSALS 0 /* threads that the system refuses */
#endif
#ifndef FLUSH
#define FLUSH 0 /* 1: a submitter may go to sleep after each item */
#endif
#ifndef GROWS
#define GROWS 0 /* times the pool is found stuck */
#endif
#ifndef SHRINKS
#define SHRINKS 0 /* times the number of threads becomes 1, and SIZE again */
#endif
#ifndef CANCELS
#define CANCELS 0
#endif
#ifndef BROKEN
#define BROKEN 0
#endif

#define SLOW_MAX ((SIZE + 1) / 2)
#define SLOTS (SLOW_MAX - slow_running)
#define READY (fast + (slow < SLOTS -> slow : SLOTS)) /* update_ready() */
#define ONE_COMING (starting + woken + spinner > 0)
#define NONE 255

bool locked, is_ending, is_open, is_started, destroyed;
short missing; /* threads created less those that began; see lanes.c */
byte spinner;
byte fast, slow, slow_running, slow_made, done;
byte submitted; /* submitters that have ended */
byte threads, starting, woken, nidle;
byte idle[SIZE]; /* the list: a stack */
bool alive[SIZE], called[SIZE];
byte refusals, cancels, spins, ends;
bool is_blocked, is_opened;
byte grows;
byte limit = SIZE, shrinks;
byte running; /* items */

#define LEAST (limit < MIN -> limit : MIN)

/* The caller has the variables `to_call`, initially NONE, and `i`. */
inline lock() { atomic { assert(!destroyed); !locked -> locked = true } }
inline unlock() {
  locked = false;
  atomic {
    if
    :: to_call != NONE -> called[to_call] = true; to_call = NONE
    :: else -> skip
    fi
  }
}
inline finish_one() {
  atomic { done++; assert(done <= SUBMITTERS * ITEMS) }
}

inline take_idle() {
  d_step {
    nidle--;
    to_call = idle[nidle];
    idle[nidle] = 0;
    woken++
  }
}

/* start_worker(); sets `failed` if that was refused. */
inline start() {
  atomic {
    failed = false;
    if
    :: i = 0;
      do
      :: alive[i] -> i++
      :: else -> break
      od;
      alive[i] = true;
      threads++;
      starting++;
      run worker(i);
      i = 0
    :: refusals < REFUSALS -> refusals++; failed = true
    fi
  }
}

inline call_worker() {
  if
  :: READY == 0 || ONE_COMING -> skip
  :: else ->
    if
    :: nidle > 0 -> take_idle()
    :: nidle == 0 && threads < (GROWS > 0 -> MIN : limit) -> start()
    :: else -> skip
    fi
  fi
}

/* begin_thread() in lanes.c */
inline begin_thread() {
  if
  :: is_open -> skip
  :: else ->
    if
    :: atomic { !is_started -> is_started = true };
      failed = false;
      do
      :: failed || threads >= MIN || is_ending -> break
      :: else ->
        lock();
        if
        :: threads < MIN && !is_ending -> start()
        :: else -> skip
        fi;
        unlock()
      od;
      atomic { missing = missing + threads - 1; is_last = missing == 0 }
    :: atomic { is_started -> missing--; is_last = missing == 0 }
    fi;
    if
    :: atomic { is_last && !is_opened -> is_opened = true };
      lock();
      is_open = true;
      call_worker();
      unlock()
    :: else -> skip
    fi
  fi
}

/* What follows the take of an item, in run_items(). */
inline leave_none_behind() {
  if
  :: BROKEN == 2 -> skip
  :: else -> call_worker()
  fi;
  unlock()
}

proctype worker(byte me) {
  bool failed, gave_up, is_last, is_spinner;
  byte to_call = NONE;
  byte i;

  begin_thread();
  lock();
  assert(starting > 0);
  starting--;
next:
  /* uv__work_queue_take(): the code has an order between the first two. */
  if
  :: threads > limit && is_open -> goto over
  :: else -> skip
  fi;
  if
  :: is_open && slow > 0 && SLOTS > 0 && !gave_up ->
    slow--;
    slow_running++;
    assert(slow_running <= SLOW_MAX);
    leave_none_behind();
    finish_one();
    lock();
    slow_running--;
    goto next
  :: is_open && fast > 0 && !gave_up ->
    fast--;
    running++;
    assert(running <= limit);
    leave_none_behind();
    if
    :: atomic { BLOCK && !is_blocked -> is_blocked = true };
      done == SUBMITTERS * ITEMS - 1
    :: else -> skip
    fi;
    assert(threads >= LEAST || refusals > 0 || is_ending || shrinks > 0);
    finish_one();
    /* spin_for_work() */
    if
    :: atomic { READY == 0 && spinner == 0 && spins < SPINS ->
                spinner = 1; spins++ };
      /* Spins for a while, successfully or not. */
      if
      :: BROKEN == 1 && READY == 0 -> gave_up = true
      :: skip
      fi;
      is_spinner = true
    :: skip
    fi;
    if
    :: BROKEN == 4 && is_spinner -> spinner = 0
    :: else -> skip
    fi;
    lock();
    running--;
    if
    :: is_spinner -> spinner = 0; is_spinner = false
    :: else -> skip
    fi;
    goto next
  :: else -> gave_up = false
  fi;
  if
  :: is_ending -> goto over
  :: else -> skip
  fi;
  /* wait_for_call() */
  d_step { called[me] = false; idle[nidle] = me; nidle++ };
  unlock();
end_asleep:
  if
  :: called[me] ->
    lock();
    assert(woken > 0);
    woken--;
    goto next
  :: threads > MIN && ends < ENDS ->
    lock();
    if
    :: nidle > 0 && idle[nidle - 1] == me && threads > MIN ->
      /* leave_idle(); only the newest here, which keeps the model small */
      d_step { nidle--; idle[nidle] = 0; ends++ };
      goto over
    :: else -> unlock(); goto end_asleep
    fi
  fi;
over:
  threads--;
  alive[me] = false;
  unlock()
}

inline submit() {
  lock();
  failed = false;
  had_spinner = spinner > 0;
  if
  :: threads == 0 -> start()
  :: else -> skip
  fi;
  if
  :: failed -> finish_one() /* refused */
  :: else ->
    if
    :: atomic { slow_made < SLOW -> slow_made++ }; slow++
    :: fast++
    fi;
    call_worker();
    assert(!had_spinner || to_call == NONE)
  fi;
  unlock()
}

/* uv__pool_flush(): at most one worker at a time here. Then
 * uv__pool_watch(), which may find the pool stuck. */
inline sleep() {
  lock();
  if
  :: nidle > 0 && starting + woken + spinner < READY -> take_idle()
  :: nidle == 0 && READY > 0 && !ONE_COMING && grows < GROWS &&
     threads < SIZE -> grows++; start()
  :: else -> skip
  fi;
  unlock()
}

/* uv__pool_set_threads(), once the pool is open: 1, or SIZE after that. */
inline set_threads() {
  lock();
  if
  :: is_open && shrinks < SHRINKS && !is_ending ->
    shrinks++;
    limit = (limit == 1 -> SIZE : 1);
    do
    :: threads > limit && nidle > 0 && BROKEN != 5 ->
      take_idle();
      atomic { called[to_call] = true; to_call = NONE }
    :: else -> break
    od;
    call_worker()
  :: else -> skip
  fi;
  unlock()
}

/* uv__pool_cancel() of some item that is still queued. */
inline cancel() {
  lock();
  if
  :: fast > 0 -> fast--; finish_one()
  :: slow > 0 -> slow--; finish_one()
  :: else -> skip
  fi;
  unlock()
}

proctype submitter() {
  byte n = 0;
  byte to_call = NONE;
  byte i;
  bool failed, had_spinner;
  do
  :: n < ITEMS ->
    submit();
    if
    :: FLUSH -> sleep()
    :: SHRINKS > 0 -> set_threads()
    :: skip
    fi;
    if
    :: atomic { cancels < CANCELS -> cancels++ }; cancel()
    :: skip
    fi;
    n++
  :: else -> break
  od;
  submitted++
}

init {
  byte s = 0;
  byte to_call = NONE;
  atomic {
    do
    :: s < SUBMITTERS -> run submitter(); s++
    :: else -> break
    od
  };
  submitted == SUBMITTERS;
  if
  :: true -> done == SUBMITTERS * ITEMS
  :: true -> skip /* shut down with items queued or running */
  fi;
  /* uv__pool_end(), uv__pool_join() */
  lock();
  is_ending = true;
  is_open = true;
  do
  :: nidle > 0 && BROKEN != 3 ->
    take_idle();
    atomic { called[to_call] = true; to_call = NONE }
  :: else -> break
  od;
  unlock();
  threads == 0 && !locked;
  destroyed = true;
  assert(done == SUBMITTERS * ITEMS)
}
