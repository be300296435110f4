/* SPDX-License-Identifier: MIT */
/* The sleep/wake protocol of src/pool/pool.c over src/pool/queue.c: fast items
 * pushed on the inbox without the lock, slow ones limited to half of the
 * workers, workers that spin before they sleep, one wake-up in flight at a
 * time, a worker that takes an item waking the next, a spinner that is replaced
 * at any moment, refused threads, cancelling, and shutdown.
 *
 * The model interleaves single steps (sequential consistency). Where the code
 * relies on that, it uses read-modify-write operations on one word:
 * uv__work_submit() and update_spare().
 *
 * Checked: no item stays queued while every worker sleeps (the monitor would be
 * stuck: invalid end state); counters never go below zero; each item is run,
 * cancelled or refused once; an item that blocks does not hold up the others;
 * slow items keep their limit; a shutdown runs what is queued and ends, and no
 * worker is left that uses the lock.
 *
 * What the code decides by counting (how long to spin, when to hand off, slow
 * or fast first) is nondeterministic here: every choice must be right.
 *
 * -DBROKEN=1 leaves out the check of the inbox before sleeping, 2 the check of
 * `ending` after spinning, 3 waking the next worker, 4 workers that are started
 * during the shutdown: spin must reject each of these. */
#ifndef SIZE
#define SIZE 2 /* the maximum number of workers */
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
#ifndef HANDOFFS
#define HANDOFFS 1 /* hand-offs of the spinner */
#endif
#ifndef REFUSALS
#define REFUSALS 0 /* threads that the system refuses */
#endif
#ifndef CANCELS
#define CANCELS 0
#endif
#ifndef BROKEN
#define BROKEN 0
#endif

#define SLOW_MAX ((SIZE + 1) / 2)
#define SLOTS (SLOW_MAX - slow_running)
/* update_ready(), and uv__work_queue_has_any() */
#define READY (fast + (slow < SLOTS -> slow : SLOTS))
#define HAS_ANY (READY > 0 || inbox > 0)
#define ONE_COMING (spinning + woken + starting > 0)

bool locked, ending, destroyed;
byte inbox, fast, slow, slow_running, slow_made, done;
byte submitted; /* submitters that have ended */
byte threads, starting, spinning, sleeping, woken, spare = SIZE;
byte handoffs, refusals, cancels;
byte exited; /* bit per worker */
bool is_blocked;
byte posts;  /* of unlock_pool(), still to be made */
byte tokens; /* of the semaphore */

inline lock() { atomic { assert(!destroyed); !locked -> locked = true } }
/* The caller has a variable `to_post`. */
inline unlock() {
  atomic { to_post = posts; posts = 0; locked = false };
  atomic { tokens = tokens + to_post; to_post = 0 }
}
inline update_spare() {
  atomic {
    if
    :: ONE_COMING -> spare = 0
    :: else -> spare = sleeping - woken + SIZE - threads
    fi
  }
}
inline drain_inbox() { atomic { fast = fast + inbox; inbox = 0 } }
inline finish_one() {
  atomic { done++; assert(done <= SUBMITTERS * ITEMS) }
}

inline wake_sleeper() {
  if
  :: sleeping > woken ->
    woken++;
    posts++;
    update_spare()
  :: else -> skip
  fi
}

/* start_worker(); sets `failed` if that was refused. */
inline start() {
  if
  :: threads++;
    starting++;
    update_spare();
    run worker(threads - 1)
  :: refusals < REFUSALS ->
    refusals++;
    failed = true
  fi
}

inline ensure_worker() {
  failed = false;
  if
  :: !HAS_ANY || ONE_COMING -> skip
  :: else ->
    if
    :: sleeping > woken || threads == SIZE -> wake_sleeper()
    :: else ->
      start();
      failed = failed && threads == 0
    fi
  fi
}

/* After some items another worker becomes the spinner. */
inline hand_off_spinner() {
  if
  :: handoffs < HANDOFFS && !ONE_COMING ->
    handoffs++;
    failed = threads == SIZE;
    if
    :: failed -> skip
    :: else -> start()
    fi;
    if
    :: failed -> wake_sleeper()
    :: else -> skip
    fi
  :: skip
  fi
}

/* The rest of take_work() */
inline leave_none_behind() {
  hand_off_spinner();
  if
  :: BROKEN == 3 -> skip
  :: else -> ensure_worker()
  fi
}

proctype worker(byte me) {
  bool failed;
  byte to_post;

  lock();
  assert(starting > 0);
  starting--;
  update_spare();
next:
  if
  :: fast == 0 -> drain_inbox()
  :: else -> skip
  fi;
  /* uv__work_queue_take(): the code has an order between the first two. */
  if
  :: slow > 0 && SLOTS > 0 ->
    slow--;
    slow_running++;
    assert(slow_running <= SLOW_MAX);
    leave_none_behind();
    unlock();
    finish_one();
    lock();
    slow_running--;
    goto next
  :: fast > 0 ->
    fast--;
    leave_none_behind();
    unlock();
    if
    :: atomic { BLOCK && !is_blocked -> is_blocked = true };
      done == SUBMITTERS * ITEMS - 1
    :: else -> skip
    fi;
    finish_one();
    lock();
    goto next
  :: else -> skip
  fi;
  if
  :: ending -> goto over
  :: else -> skip
  fi;
  /* wait_for_work() */
  if
  :: spinning == 0 || handoffs > 0 ->
    spinning++;
    update_spare();
    unlock();
    /* Spins for a while, successfully or not, or until replaced. */
    lock();
    assert(spinning > 0);
    spinning--;
    update_spare();
    if
    :: HAS_ANY || (ending && BROKEN != 2) -> goto next
    :: else -> skip
    fi
  :: skip /* not worth spinning */
  fi;
  sleeping++;
  update_spare();
  if
  :: inbox == 0 || BROKEN == 1 ->
    unlock();
end_asleep:
    atomic { tokens > 0 -> tokens-- };
    lock();
    assert(woken > 0);
    woken--
  :: else -> skip
  fi;
  assert(sleeping > 0);
  sleeping--;
  update_spare();
  goto next;
over:
  unlock();
  exited = exited | (1 << me)
}

inline submit_fast() {
  inbox++;
  if
  :: spare == 0 -> skip
  :: else ->
    lock();
    ensure_worker();
    if
    :: failed -> drain_inbox(); assert(fast > 0); fast--; finish_one()
    :: else -> skip
    fi;
    unlock()
  fi
}

inline submit_slow() {
  lock();
  drain_inbox();
  slow++;
  ensure_worker();
  if
  :: failed -> assert(slow > 0); slow--; finish_one()
  :: else -> skip
  fi;
  unlock()
}

/* uv__work_cancel() of some item that is still queued. */
inline cancel() {
  lock();
  drain_inbox();
  if
  :: fast > 0 -> fast--; finish_one()
  :: slow > 0 -> slow--; finish_one()
  :: else -> skip
  fi;
  unlock()
}

proctype submitter() {
  byte i = 0;
  byte to_post;
  bool failed;
  do
  :: i < ITEMS ->
    if
    :: atomic { slow_made < SLOW -> slow_made++ }; submit_slow()
    :: submit_fast()
    fi;
    if
    :: atomic { cancels < CANCELS -> cancels++ }; cancel()
    :: skip
    fi;
    i++
  :: else -> break
  od;
  submitted++
}

init {
  byte s = 0;
  byte to_post;
  byte count;
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
  /* uv__threadpool_shutdown() */
  lock();
  ending = true;
  do
  :: sleeping > woken -> wake_sleeper()
  :: else -> break
  od;
  unlock();
  s = 0;
  count = threads;
  do
  :: s < count ->
    exited & (1 << s); /* uv_thread_join() */
    s++;
    if
    :: BROKEN == 4 -> skip
    :: else -> lock(); count = threads; unlock() /* count_threads() */
    fi
  :: else -> break
  od;
  destroyed = true;
  assert(done == SUBMITTERS * ITEMS)
}
