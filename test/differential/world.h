/* SPDX-License-Identifier: MIT */
/* The world of a program: one loop, the objects it works with (handles and
 * requests, by name), and the steps that run in their callbacks. */
#ifndef DIFFERENTIAL_WORLD_H_
#define DIFFERENTIAL_WORLD_H_

#include "program.h"

#include <uv.h>

#define OBJECTS_MAX 48

enum kind {
  KIND_TIMER,
  KIND_IDLE,
  KIND_PREPARE,
  KIND_CHECK,
  KIND_ASYNC,
  KIND_AREA /* the first of those that an area has for itself */
};

enum life {
  GONE,   /* not made, or closed */
  OPEN,   /* made; requests: under way */
  CLOSING /* its close callback has not run */
};

struct object {
  char name[16];
  int kind;
  int number; /* among those of its kind */
  int index;  /* among all objects */
  enum life life;
  uv_handle_t* handle;          /* NULL for requests, and while GONE */
  void (*gone)(struct object*); /* after the close callback; may be NULL */
  int reaction;                 /* index of the next step of its callbacks */
};

struct area {
  const char* name;
  const struct op* ops;    /* its own operations */
  const struct op* common; /* operations on the loop that it uses, too */
  const struct op* more;   /* operations of this system alone; may be NULL */
  int tells_timeout;       /* uv_backend_timeout() in callbacks, too: with
                               * descriptors it depends on when they are
                               * registered */
  void (*setup)(void);     /* adds its objects; called before the program
                               * is made */
  void (*begin)(void);     /* the loop exists; may be NULL */
  void (*end)(void);       /* releases everything that blocks; may be NULL */
  void (*cleanup)(void);   /* the loop is closed; may be NULL */
};

/* Adds a number of objects of a kind, named by a letter and a number. */
void world_add(int kind, const char* letter, int count);
int world_count(void);

/* Runs a program from the beginning to the closed loop. */
void world_run(const struct area* area, const struct program* program);

uv_loop_t* world_loop(void);
/* uv_run(), stopped after some callbacks. */
int world_run_loop(uv_run_mode mode);
/* 0 in the main line, else how deep in callbacks. */
int world_depth(void);
/* The program has had enough callbacks, or ended: start nothing more. */
int world_is_ending(void);

/* The object of a kind that an argument selects. */
struct object* object_pick(int kind, unsigned arg);
/* An open handle, or NULL. */
struct object* object_pick_open(unsigned arg);

/* Memory for a handle that is about to be initialised, filled with garbage. */
void* object_memory(struct object* object, size_t size);
/* The result: on 0 the object is open, otherwise the memory is freed. */
int object_made(struct object* object, int err);
/* Closes an open handle, with or without a callback. */
void object_close(struct object* object, int with_callback);
/* uv_tcp_close_reset(), which may refuse. */
int object_reset(struct object* object);

/* A line about a step: what was called, what it returned, the state of the
 * handle and of the loop afterwards. */
void world_say(const struct step* step,
               const struct object* object,
               long result,
               const char* format,
               ...) __attribute__((format(printf, 4, 5)));
void world_skip(const struct step* step);

/* A callback of an object ran: a line about it, then the object's next steps.
 * `object` may be gone or reused when it returns. */
void world_callback(struct object* object, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
