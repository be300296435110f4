/* SPDX-License-Identifier: MIT */
/* The sleep/wake protocol of src/threadpool.c: inbox pushed without the lock,
 * workers that look before they sleep, one wake under way at a time, whoever
 * takes an item waking the next one, and the lookout's being relieved at any
 * moment. Interleavings of single steps (sequential consistency; the code uses
 * read-modify-write operations on one word where it relies on it:
 * uv__work_submit() and count_spare()).
 *
 * Checked: nothing is ever left in the queues with every worker asleep (the
 * monitor would be stuck: invalid end state), counters never go below zero,
 * each item is run once, and one that blocks does not hold up the others.
 * Spurious wake-ups of the condition variable included.
 */
#ifndef SIZE
#define SIZE 2 /* workers there may be */
#endif
#ifndef SUBMITTERS
#define SUBMITTERS 2
#endif
#ifndef ITEMS
#define ITEMS 2 /* of each submitter */
#endif
#ifndef BLOCK
#define BLOCK 0 /* 1: the first item ends after all the others */
#endif
#ifndef RELIEFS
#define RELIEFS 1 /* changes of the lookout */
#endif
#ifndef SPURIOUS
#define SPURIOUS 1 /* wake-ups without a signal */
#endif

bool locked;
byte inbox, queued, done;
byte threads, starting, looking, sleeping, woken, spare = SIZE;
byte reliefs;
bool is_blocked;
byte waiters, tokens, spurious;

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }
inline count_spare() {
  atomic {
    if
    :: looking + woken + starting > 0 -> spare = 0
    :: else -> spare = sleeping - woken + SIZE - threads
    fi
  }
}
inline sort_in() { atomic { queued = queued + inbox; inbox = 0 } }

inline wake_or_start() {
  if
  :: sleeping > woken ->
    woken++;
    count_spare();
    atomic {
      if
      :: waiters > 0 -> waiters--; tokens++
      :: else -> skip
      fi
    }
  :: else ->
    if
    :: threads == SIZE -> skip
    :: else ->
      threads++;
      starting++;
      count_spare();
      run worker()
    fi
  fi
}

inline rouse() {
  if
  :: (queued == 0 && inbox == 0) || looking + woken + starting > 0 -> skip
  :: else -> wake_or_start()
  fi
}

/* After some items somebody else is to be the lookout. */
inline change_lookout() {
  if
  :: reliefs < RELIEFS && looking + woken + starting == 0 ->
    reliefs++;
    wake_or_start()
  :: skip
  fi
}

proctype worker() {
  lock();
  assert(starting > 0);
  starting--;
  count_spare();
next:
  if
  :: queued == 0 -> sort_in()
  :: else -> skip
  fi;
  if
  :: queued > 0 ->
    queued--;
    change_lookout();
    rouse();
    unlock();
    if
    :: atomic { BLOCK && !is_blocked -> is_blocked = true };
      done == SUBMITTERS * ITEMS - 1
    :: else -> skip
    fi;
    atomic { done++; assert(done <= SUBMITTERS * ITEMS) };
    lock();
    goto next
  :: else -> skip
  fi;
  if
  :: looking == 0 || reliefs > 0 ->
    looking++;
    count_spare();
    unlock();
    /* Looks for a while, in vain or not, or until relieved. */
    lock();
    assert(looking > 0);
    looking--;
    count_spare();
    if
    :: queued > 0 || inbox > 0 -> goto next
    :: else -> skip
    fi
  :: skip /* not worth looking */
  fi;
  sleeping++;
  count_spare();
  if
  :: inbox == 0 ->
    atomic { waiters++; locked = false };
end_asleep:
    if
    :: atomic { tokens > 0 -> tokens-- }
    :: atomic { spurious < SPURIOUS && waiters > 0 -> spurious++; waiters-- }
    fi;
    lock();
    if
    :: woken > 0 -> woken--
    :: else -> skip
    fi
  :: else -> skip
  fi;
  assert(sleeping > 0);
  sleeping--;
  count_spare();
  goto next
}

proctype submitter() {
  byte i = 0;
  do
  :: i < ITEMS ->
    inbox++;
    if
    :: spare == 0 -> skip
    :: else ->
      lock();
      sort_in();
      rouse();
      unlock()
    fi;
    i++
  :: else -> break
  od
}

init {
  byte s = 0;
  atomic {
    do
    :: s < SUBMITTERS -> run submitter(); s++
    :: else -> break
    od
  };
  done == SUBMITTERS * ITEMS
}
