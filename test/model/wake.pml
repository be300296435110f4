/* SPDX-License-Identifier: MIT */
/* Waking a loop: src/loop/wake.c (one word with PENDING, AWAKE and SPINNING;
 * FOREIGN only delays the loop) over a wake fd that is reported once, and its
 * users:
 *
 *   senders   src/unix/async.c: pending, stack of sent handles, close
 *   workers   src/pool/done.c: stack of finished items
 *   signals   src/unix/signal-handler.c: a count and a mark; run last, after
 *             the fds were polled later than the mark
 *
 * The loop is uv__loop_poll() of src/loop/poll.c in several uv_run()s of every
 * mode and in the pull interface; between them the program watches the backend
 * fd, as an embedder does.
 *
 * Checked: after a send, an item or a signal the callback runs (otherwise
 * stuck: invalid end state); no sender touches a handle whose close has
 * finished, and neither senders nor workers touch the loop after
 * uv_loop_close().
 *
 * -DBROKEN=1 leaves out the write to a sleeping loop's fd, 2 the pending wake
 * for signals that were too late for the batch, 3 the count of threads inside
 * the loop: spin must reject each of these. (It finds no error if a close does
 * not wake the loop for the handles it collected: their senders have woken it.)
 */
#ifndef SENDERS
#define SENDERS 2 /* one handle each */
#endif
#ifndef SENDS
#define SENDS 2
#endif
#ifndef WORKERS
#define WORKERS 0 /* one item each */
#endif
#ifndef SIGNALS
#define SIGNALS 0
#endif
#ifndef OTHERS
#define OTHERS 1 /* waits that end for another reason */
#endif

#ifndef EMBEDDED
#define EMBEDDED 1 /* runs that never sleep, and the pull interface */
#endif

#ifndef BROKEN
#define BROKEN 0
#endif

#define PENDING 1
#define AWAKE 2
#define SPINNING 4

byte word;             /* uv__loop_state.wake.word */
bool wake_fd;        /* readable, and not reported yet by the poller */
byte sent;             /* bit per handle: on the stack */
byte pending;          /* bit per handle: raised */
byte unread;           /* bit per handle: written before the send */
byte closed;           /* bit per handle: memory is free again */
byte finished;         /* bit per item: on the stack work_done */
byte items;            /* bit per item: its callback has run */
bool caught;           /* signals_caught, the mark */
byte signals_pending;  /* counted, no callback yet */
byte busy;             /* senders and workers inside the loop */
byte senders_done;     /* have begun their last send */
bool signals_done;
bool loop_closed;

#define BIT(h) (1 << (h))
#define WITHOUT(set, h) (set & (255 - BIT(h)))

/* uv__wake_send() */
inline send_wake() {
  assert(!loop_closed);
  atomic { before = word; word = word | PENDING };
  if
  :: before == 0 && BROKEN != 1 -> wake_fd = true
  :: else -> skip
  fi
}

/* uv_async_send() */
proctype sender(byte h) {
  byte i = 0;
  byte before;
  bool was_raised;
  bool was_empty;

  do
  :: i < SENDS ->
    atomic {
      unread = unread | BIT(h);
      if /* a sender in its last send need not have returned from it */
      :: i == SENDS - 1 -> senders_done++
      :: else -> skip
      fi
    };
    atomic {
      was_raised = (pending & BIT(h)) != 0;
      pending = pending | BIT(h)
    };
    if
    :: was_raised -> skip
    :: else ->
      assert(!(closed & BIT(h)));
      busy++;
      atomic {
        assert(!(closed & BIT(h)));
        was_empty = sent == 0;
        sent = sent | BIT(h)
      };
      if
      :: was_empty -> send_wake()
      :: else -> skip
      fi;
      assert(!loop_closed);
      busy--
    fi;
    d_step {
      before = 0;
      was_raised = false;
      was_empty = false;
      i++
    }
  :: else -> break
  od
}

/* uv__work_push_done() */
proctype worker(byte i) {
  byte before;
  bool was_empty;

  assert(!loop_closed);
  if
  :: atomic { finished != 0 -> finished = finished | BIT(i) }
  :: finished == 0 ->
    busy++;
    atomic { was_empty = finished == 0; finished = finished | BIT(i) };
    if
    :: was_empty -> send_wake()
    :: else -> skip
    fi;
    assert(!loop_closed);
    d_step {
      busy--;
      before = 0;
      was_empty = false
    }
  fi
}

/* signal_deliver() */
proctype signaller() {
  byte i = 0;
  byte before;
  bool was_marked;

  do
  :: i < SIGNALS ->
    signals_pending++;
    atomic { was_marked = caught; caught = true };
    if
    :: was_marked -> skip
    :: else -> send_wake()
    fi;
    d_step {
      before = 0;
      was_marked = false;
      i++
    }
  :: else -> break
  od;
  signals_done = true
}

byte ready;        /* asyncs.ready */
byte round;        /* of uv__async_pass_run(): to be called in this pass */
byte at = SENDERS; /* the first handle whose turn in this pass is to come */

/* take_sent() and hand_out(): handles from `at` on have their turn in the pass
 * under way, the others in the next one. */
inline hand_out() {
  atomic {
    round = round | (sent & (255 - (BIT(at) - 1)));
    ready = ready | (sent & (BIT(at) - 1));
    sent = 0
  }
}

/* uv__async_close() */
inline close_handle(k) {
  atomic { was_pending = (pending & BIT(k)) != 0; pending = pending | BIT(k) };
  if
  :: was_pending ->
    do
    :: (ready | round) & BIT(k) -> break
    :: else -> hand_out()
    od
  :: else -> skip
  fi;
  ready = WITHOUT(ready, k);
  round = WITHOUT(round, k);
  closed = closed | BIT(k);
  if
  :: ready != 0 -> send_wake()
  :: else -> skip
  fi
}

/* uv__work_run_done() and uv__async_pass_run() */
inline dispatch_wake() {
  at = 0; /* the pass begins with finished work, whose callbacks */
  if
  :: finished != 0 ->
    atomic { items = items | finished; finished = 0 };
    if /* may close the first handle */
    :: SENDERS > 0 && !(closed & 1) -> close_handle(0)
    :: skip
    fi
  :: else -> skip
  fi;
  atomic { round = round | ready | sent; ready = 0; sent = 0 };
  h = 0;
  do
  :: h < SENDERS ->
    at = h;
    /* The code checks is_more_sent() after each callback; checking at every
     * step does no harm. */
    if
    :: sent & (255 - (BIT(at) - 1)) -> hand_out()
    :: else -> skip
    fi;
    if
    :: round & BIT(h) ->
      at = h + 1;
      round = WITHOUT(round, h);
      pending = WITHOUT(pending, h);
      unread = WITHOUT(unread, h); /* the callback reads it, */
      if                       /* and may close the first handle */
      :: !(closed & 1) -> close_handle(0)
      :: skip
      fi
    :: else -> skip
    fi;
    h++
  :: else -> break
  od;
  at = SENDERS;
  if
  :: ready != 0 -> send_wake()
  :: else -> skip
  fi
}

/* Variables whose values no longer matter must not make states differ. */
inline forget() {
  d_step {
    expected = 0;
    h = 0;
    before = 0;
    sleep = false;
      was_pending = false;
    woke = false;
    was_due = false;
    signals_due = false
  }
}

/* uv__wake_sleep(): may the wait block? */
inline fall_asleep() {
  if
  :: awake == 0 -> skip
  :: awake != 0 && (word & PENDING) -> sleep = false
  :: awake != 0 ->
    expected = AWAKE;
    if
    :: word = word | SPINNING; expected = AWAKE | SPINNING
    :: skip
    fi;
    atomic {
      if
      :: word == expected -> word = 0
      :: else -> sleep = false
      fi
    }
  fi
}

/* The poller's wait: was the wake reported? */
inline wait() {
  woke = false;
  if
  :: sleep ->
end_asleep:
    if
    :: atomic { wake_fd -> wake_fd = false; woke = true }
    :: others < OTHERS -> others++
    fi
  :: else ->
    if
    :: atomic { wake_fd -> wake_fd = false; woke = true }
    :: awake != 0 -> skip /* uv__wake_is_only_source(): not polled at all */
    :: !wake_fd -> skip
    fi
  fi
}

/* uv__wake_take() */
inline take() {
  was_pending = false;
  if
  :: word == awake -> skip
  :: else -> atomic { was_pending = (word & PENDING) != 0; word = awake }
  fi;
  woke = woke || was_pending
}

/* wait_once() and uv__loop_poll_dispatch() */
inline poll() {
  was_due = caught;
  sleep = may_sleep;
  if
  :: sleep -> fall_asleep()
  :: else -> skip
  fi;
  wait();
  signals_due = was_due || (caught && woke);
  if
  :: signals_due = false /* the batch was full */
  :: skip
  fi;
  take();
  if
  :: !signals_due && caught && BROKEN != 2 -> send_wake()
  :: else -> skip
  fi;
  if
  :: woke -> dispatch_wake()
  :: else -> skip
  fi;
  if
  :: signals_due -> caught = false; signals_pending = 0 /* uv__signal_run() */
  :: else -> skip
  fi;
  forget()
}

#define OVER                                                                   \
  (senders_done == SENDERS && (unread & (255 - closed)) == 0 &&                \
   items == BIT(WORKERS) - 1 && signals_done && signals_pending == 0)

active proctype loop() {
  byte awake, expected, h, before, others;
  bool sleep, may_sleep, was_pending, woke, was_due, signals_due;

again:
  if
  :: awake = AWAKE; may_sleep = true /* UV_RUN_DEFAULT, UV_RUN_ONCE */
  :: EMBEDDED -> awake = 0; may_sleep = false /* UV_RUN_NOWAIT */
  :: EMBEDDED -> awake = 0; may_sleep = true  /* uvx_backend_process() */
  fi;
  word = word | awake; /* uv__wake_run_begin() */
  do
  :: poll()
  :: !(closed & 1) -> close_handle(0); forget()
  :: OVER -> break
  :: break /* UV_RUN_ONCE, or uv_stop() */
  od;
  /* uv__wake_run_end() */
  if
  :: awake == 0 -> skip
  :: else ->
    awake = 0;
    atomic { before = word; word = word & (255 - AWAKE) };
    if
    :: before & PENDING -> wake_fd = true
    :: else -> skip
    fi
  fi;
  forget();
  if
  :: OVER -> skip
  :: else ->
    /* The embedder waits for the backend fd to be readable. */
end_outside:
    if
    :: wake_fd -> goto again
    :: OVER -> skip
    fi
  fi;
  /* All handles must be closed, then comes uv__async_close_loop(). */
  h = 0;
  do
  :: h < SENDERS ->
    if
    :: closed & BIT(h) -> skip
    :: else -> close_handle(h)
    fi;
    h++
  :: else -> break
  od;
  busy == 0 || BROKEN == 3;
  loop_closed = true
}

init {
  byte s = 0;
  atomic {
    do
    :: s < SENDERS -> run sender(s); s++
    :: else -> break
    od;
    s = 0;
    do
    :: s < WORKERS -> run worker(s); s++
    :: else -> break
    od;
    run signaller()
  };
  OVER
}
