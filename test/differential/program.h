/* SPDX-License-Identifier: MIT */
/* Programs: a list of steps, made from a seed.
 *
 * A step is an operation with arguments and the place where it runs: in the
 * main line, or in a callback of an object (the next one that has not run a
 * step yet). Which handle an argument selects, and whether the operation is
 * allowed at that moment, is decided when it runs; so any subset of the steps
 * of a program is a program, too. That is what minimising relies on.
 */
#ifndef DIFFERENTIAL_PROGRAM_H_
#define DIFFERENTIAL_PROGRAM_H_

#define STEPS_MAX 80
#define STEP_ARGS 4
#define IN_MAIN (-1)
#define OP_TABLES 3

struct step;

struct op {
  const char* name;
  int weight; /* how often, compared with the others */
  void (*run)(const struct step*);
  unsigned since; /* the version of libuv that has it */
};

struct step {
  int index;               /* in the program as generated */
  int where;               /* IN_MAIN or the number of an object */
  int more;                /* run the next step in this place, too */
  unsigned arg[STEP_ARGS]; /* 0..65535; the operation reads them */
  const struct op* op;
};

struct program {
  int count;
  struct step steps[STEPS_MAX];
};

/* Fills a program from a seed. `ops` are tables, each NULL or ended by a NULL
 * name; `nobjects` is how many objects may have reactions; operations that are
 * newer than `version` (UV_VERSION_HEX) are left out. */
void program_make(struct program* program,
                  unsigned long seed,
                  const struct op* const ops[OP_TABLES],
                  int nobjects,
                  unsigned version);

/* Keeps the steps whose numbers are in a list like "0,3,9"; NULL: all. */
void program_keep(struct program* program, const char* list);

#endif
