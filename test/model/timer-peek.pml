/* SPDX-License-Identifier: MIT */
/* uv__timer_peek_due() of src/timer.c: the loop's thread changes the heap, here
 * two words that belong together, while another thread reads them. A counter
 * that is odd during a change tells the reader whether what it read is whole.
 *
 * Unlike the other models this one is about a processor that reorders: stores
 * become visible in any order, but for those of the same word and those that a
 * release or a fence keeps apart; loads happen in any order but for an acquire
 * or a fence.
 *
 * Checked: words that the reader takes for whole belong together.
 *
 * -DBROKEN=1 leaves out the fence of change_begin(), 2 that of peek_due(): spin
 * must reject both.
 */
#ifndef CHANGES
#define CHANGES 3
#endif
#ifndef READS
#define READS 2
#endif
#ifndef BROKEN
#define BROKEN 0
#endif

byte changes; /* uv__timers.changes, as other processors see it */
byte key;
byte timer;

/* The n-th change: the counter becomes 2n - 1, the words n, the counter 2n. */
proctype writer() {
  byte n_key = 1;     /* the next store to each word */
  byte n_timer = 1;
  byte n_changes = 1; /* the next value of the counter */

  do
  :: n_changes <= 2 * CHANGES &&
     /* Release: an even value comes after the words. */
     (n_changes % 2 == 1 ||
      (n_key > n_changes / 2 && n_timer > n_changes / 2)) ->
    atomic { changes = n_changes; n_changes++ }
  :: n_key <= CHANGES && (BROKEN == 1 || n_changes > 2 * n_key - 1) ->
    atomic { key = n_key; n_key++ }
  :: n_timer <= CHANGES && (BROKEN == 1 || n_changes > 2 * n_timer - 1) ->
    atomic { timer = n_timer; n_timer++ }
  :: n_changes > 2 * CHANGES && n_key > CHANGES && n_timer > CHANGES ->
    break
  od
}

proctype reader() {
  byte before;
  byte after;
  byte a;
  byte b;
  bool has_a;
  bool has_b;
  bool has_after;
  byte i;

  for (i : 1 .. READS) {
    atomic {
      before = changes; /* acquire: the other loads come later */
      has_a = false;
      has_b = false;
      has_after = false
    }
    do
    :: !has_a -> atomic { a = key; has_a = true }
    :: !has_b -> atomic { b = timer; has_b = true }
    :: !has_after && (BROKEN == 2 || (has_a && has_b)) ->
      atomic { after = changes; has_after = true }
    :: has_a && has_b && has_after -> break
    od;
    assert(before % 2 != 0 || before != after || (a == b && a == before / 2))
  }
}

init {
  atomic { run writer(); run reader() }
}
