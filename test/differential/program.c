/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <stdint.h>
#include <stdlib.h>

#define STEPS_MIN 8
#define MAIN_PERCENT 60 /* of the steps run in the main line */
#define MORE_PERCENT 30 /* of the reactions are followed by another at once */

/* splitmix64: a few lines, and the same numbers everywhere. */
static uint64_t random_next(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static unsigned random_below(uint64_t* state, unsigned limit) {
  return (unsigned) (random_next(state) >> 33) % limit;
}

static unsigned weight_of(const struct op* ops) {
  unsigned sum = 0;

  for (; ops != NULL && ops->name != NULL; ops++)
    sum += (unsigned) ops->weight;
  return sum;
}

static const struct op* op_at(const struct op* const ops[OP_TABLES],
                              unsigned at) {
  for (int table = 0; table < OP_TABLES; table++)
    for (const struct op* op = ops[table]; op != NULL && op->name != NULL;
         op++) {
      if (at < (unsigned) op->weight)
        return op;
      at -= (unsigned) op->weight;
    }
  abort(); /* not reached: `at` is less than the sum */
}

void program_make(struct program* program,
                  unsigned long seed,
                  const struct op* const ops[OP_TABLES],
                  int nobjects,
                  unsigned version) {
  uint64_t state = seed * 0x2545f4914f6cdd1du + 1;
  unsigned weight = weight_of(ops[0]) + weight_of(ops[1]) + weight_of(ops[2]);
  unsigned n = STEPS_MIN + random_below(&state, STEPS_MAX - STEPS_MIN);

  program->count = (int) n;
  for (unsigned i = 0; i < n; i++) {
    struct step* step = &program->steps[i];

    step->index = (int) i;
    step->where = IN_MAIN;
    if (random_below(&state, 100) >= MAIN_PERCENT)
      step->where = (int) random_below(&state, (unsigned) nobjects);
    step->more = random_below(&state, 100) < MORE_PERCENT;
    do
      step->op = op_at(ops, random_below(&state, weight));
    while (step->op->since > version);
    for (int k = 0; k < STEP_ARGS; k++)
      step->arg[k] = random_below(&state, 65536);
  }
}

static int is_listed(const char* list, int index) {
  while (*list != '\0') {
    char* end;
    long n = strtol(list, &end, 10);

    if (end == list)
      return 0;
    if (n == index)
      return 1;
    list = *end == ',' ? end + 1 : end;
  }
  return 0;
}

void program_keep(struct program* program, const char* list) {
  int kept = 0;

  if (list == NULL)
    return;
  for (int i = 0; i < program->count; i++)
    if (is_listed(list, program->steps[i].index))
      program->steps[kept++] = program->steps[i];
  program->count = kept;
}
