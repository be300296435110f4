/* SPDX-License-Identifier: MIT */
/* The hand-off from senders to a loop: src/async.c (pending, stack of sent
 * handles, close) over src/wakeup.c (one word with NOTED, AWAKE and LOOKING)
 * and an edge-triggered wake fd. The loop runs in several uv_run()s; between
 * them the program watches the backend fd, as an embedder does.
 *
 * Checked: after a send the callback runs (or would be stuck: invalid end
 * state); no sender touches a handle whose close has finished, nor the loop
 * after uv_loop_close().
 */
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef SENDS
#define SENDS 2
#endif

#define NOTED 1
#define AWAKE 2
#define LOOKING 4

byte word;         /* uv__loop_state.wakeup.word */
bool wake_fd;      /* there is an event that epoll has not reported yet */
byte sent;         /* bit per handle: on the stack */
byte pending;      /* bit per handle: raised */
byte news;         /* bit per handle: written before the send */
byte closed;       /* bit per handle: memory is free again */
byte busy;         /* senders inside the loop */
byte senders_over;
bool loop_closed;

#define BIT(h) (1 << (h))
#define ALL ((1 << SENDERS) - 1)

/* uv__wakeup_send() */
inline note() {
  atomic { before = word; word = word | NOTED };
  if
  :: before == 0 -> wake_fd = true
  :: else -> skip
  fi
}

/* A handle for each sender. */
proctype sender(byte h) {
  byte i = 0;
  byte before;
  bool was_raised;
  bool was_empty;

  do
  :: i < SENDS ->
    news = news | BIT(h);
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
      :: was_empty -> assert(!loop_closed); note()
      :: else -> skip
      fi;
      assert(!loop_closed);
      busy--
    fi;
    i++
  :: else -> break
  od;
  senders_over++
}

byte batch;        /* asyncs.ready */

inline dispatch() {
  atomic { batch = batch | sent; sent = 0 };
  h = 0;
  do
  :: h < SENDERS ->
    if
    :: batch & BIT(h) ->
      batch = batch & (255 - BIT(h));
      pending = pending & (255 - BIT(h));
      news = news & (255 - BIT(h)) /* the callback reads it */
    :: else -> skip
    fi;
    h++
  :: else -> break
  od
}

/* uv__wakeup_take() */
inline take() {
  if
  :: word == awake -> skip
  :: else ->
    atomic { noted = (word & NOTED) != 0; word = awake };
    if
    :: noted -> dispatch()
    :: else -> skip
    fi
  fi
}

/* One poll phase that may block; `awake` as in uv_run(). */
inline poll() {
  sleep = true;
  if
  :: awake == 0 -> skip
  :: awake != 0 && (word & NOTED) -> sleep = false
  :: else ->
    expected = AWAKE;
    if
    :: word = word | LOOKING; expected = AWAKE | LOOKING
    :: skip
    fi;
    atomic {
      if
      :: word == expected -> word = 0
      :: else -> sleep = false
      fi
    }
  fi;
  if
  :: sleep ->
end_asleep:
    atomic { wake_fd -> wake_fd = false };
    dispatch()
  :: else ->
    /* A look without blocking, which may be skipped. */
    if
    :: wake_fd -> wake_fd = false; dispatch()
    :: skip
    fi
  fi;
  take()
}

/* uv__async_close() of the first sender's handle. */
inline close_first() {
  atomic { noted = (pending & 1) != 0; pending = pending | 1 };
  if
  :: noted ->
    do
    :: batch & 1 -> break
    :: else -> atomic { batch = batch | sent; sent = 0 }
    od
  :: else -> skip
  fi;
  batch = batch & 254;
  closed = closed | 1;
  if
  :: batch != 0 -> note()
  :: else -> skip
  fi
}

#define OVER (senders_over == SENDERS && (news & (255 - closed)) == 0)

active proctype loop() {
  byte awake, expected, h;
  bool sleep, noted;
  byte before;

again:
  /* uv__wakeup_run_begin() */
  awake = AWAKE;
  word = word | AWAKE;
  do
  :: poll()
  :: !(closed & 1) -> close_first()
  :: OVER -> break
  :: break /* UV_RUN_ONCE, or uv_stop() */
  od;
  /* uv__wakeup_run_end() */
  awake = 0;
  atomic { before = word; word = word & (255 - AWAKE) };
  if
  :: before & NOTED -> wake_fd = true
  :: else -> skip
  fi;
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
  /* uv__async_close_loop() */
  busy == 0;
  loop_closed = true
}

init {
  byte s = 0;
  atomic {
    do
    :: s < SENDERS -> run sender(s); s++
    :: else -> break
    od
  };
  OVER
}
