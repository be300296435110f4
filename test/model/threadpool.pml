/* SPDX-License-Identifier: MIT */
/* The sleep/wake protocol of src/threadpool.c: inbox pushed without the lock,
 * workers that look before they sleep, wakes counted so that no more workers
 * are woken than there is work. Interleavings of single steps (sequential
 * consistency; the code has a full fence where it relies on it: push_inbox()
 * and wait_for_work()).
 *
 * Checked: nothing is ever left in the queues with every worker asleep (the
 * monitor would be stuck: invalid end state), counters never go below zero,
 * each item is run once. Spurious wake-ups of the condition variable included.
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
#ifndef SPURIOUS
#define SPURIOUS 1 /* wake-ups without a signal */
#endif

bool locked;
byte inbox, queued, done;
byte threads, starting, looking, sleeping, woken, spare = SIZE;
byte waiters, tokens, spurious;

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }
inline count_spare() { spare = sleeping - woken + SIZE - threads }
inline sort_in() { atomic { queued = queued + inbox; inbox = 0 } }

inline rouse() {
  if
  :: queued <= looking + woken + starting -> skip
  :: else ->
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
  fi
}

proctype worker() {
  lock();
  assert(starting > 0);
  starting--;
next:
  sort_in();
  if
  :: queued > 0 ->
    queued--;
    unlock();
    atomic { done++; assert(done <= SUBMITTERS * ITEMS) };
    lock();
    goto next
  :: else -> skip
  fi;
  if
  :: looking == 0 ->
    looking++;
    unlock();
    /* Looks for a while, in vain or not. */
    lock();
    assert(looking > 0);
    looking--;
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
