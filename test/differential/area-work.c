/* SPDX-License-Identifier: MIT */
/* Area work: requests of the thread pool, and cancelling them. Work either ends
 * at once or blocks until a step releases it. */
#include "areas.h"
#include "moment.h"
#include "trace.h"

#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_WORK = KIND_AREA };

#define REQUESTS 8

enum request { WORK, BLOCKED_WORK, STAT, ADDR_INFO, NAME_INFO, RANDOM };

static const char* const request_names[] = { "work",        "blocked work",
                                             "stat",        "getaddrinfo",
                                             "getnameinfo", "random" };

/* One of each kind, since the type decides how it is cancelled. */
struct slot {
  union {
    uv_req_t req;
    uv_work_t work;
    uv_fs_t fs;
    uv_getaddrinfo_t addrinfo;
    uv_getnameinfo_t nameinfo;
    uv_random_t random;
  } u;
  sem_t release;
  int is_blocked;
  char bytes[16];
};

static struct slot slots[REQUESTS];

static void work_run(uv_work_t* req) {
  (void) req;
}

static void work_block(uv_work_t* req) {
  struct object* o = req->data;

  while (sem_wait(&slots[o->number].release) != 0) {
    /* interrupted */
  }
}

static void ended(struct object* o, long status) {
  slots[o->number].is_blocked = 0;
  o->life = GONE;
  world_callback(o, "done %s", trace_code(status));
}

static void on_work(uv_work_t* req, int status) {
  ended(req->data, status);
}

static void on_stat(uv_fs_t* req) {
  long result = (long) req->result;

  uv_fs_req_cleanup(req);
  ended(req->data, result);
}

static void on_addrinfo(uv_getaddrinfo_t* req,
                        int status,
                        struct addrinfo* res) {
  uv_freeaddrinfo(res);
  ended(req->data, status);
}

static void on_nameinfo(uv_getnameinfo_t* req,
                        int status,
                        const char* host,
                        const char* service) {
  (void) host;
  (void) service;
  ended(req->data, status);
}

static void on_random(uv_random_t* req, int status, void* buf, size_t size) {
  (void) buf;
  (void) size;
  ended(req->data, status);
}

static int submit_nameinfo(struct slot* slot) {
  struct sockaddr_in addr;

  uv_ip4_addr("127.0.0.1", 80, &addr);
  return uv_getnameinfo(world_loop(), &slot->u.nameinfo, on_nameinfo,
                        (const struct sockaddr*) &addr,
                        NI_NUMERICHOST | NI_NUMERICSERV);
}

static int submit_addrinfo(struct slot* slot) {
  struct addrinfo hints;

  memset(&hints, 0, sizeof(hints));
  hints.ai_flags = AI_NUMERICHOST;
  hints.ai_socktype = SOCK_STREAM;
  return uv_getaddrinfo(world_loop(), &slot->u.addrinfo, on_addrinfo,
                        "127.0.0.1", NULL, &hints);
}

static int submit(struct slot* slot, enum request kind) {
  switch (kind) {
  case STAT:
    return uv_fs_stat(world_loop(), &slot->u.fs, ".", on_stat);
  case ADDR_INFO:
    return submit_addrinfo(slot);
  case NAME_INFO:
    return submit_nameinfo(slot);
  case RANDOM:
    return uv_random(world_loop(), &slot->u.random, slot->bytes,
                     sizeof(slot->bytes), 0, on_random);
  case BLOCKED_WORK:
    return uv_queue_work(world_loop(), &slot->u.work, work_block, on_work);
  case WORK:
    break;
  }
  return uv_queue_work(world_loop(), &slot->u.work, work_run, on_work);
}

static void work_submit(const struct step* step) {
  static const enum request kinds[] = {
    WORK, WORK,      BLOCKED_WORK, BLOCKED_WORK, BLOCKED_WORK,
    STAT, ADDR_INFO, NAME_INFO,    RANDOM
  };
  struct object* o = object_pick(KIND_WORK, step->arg[0]);
  struct slot* slot = &slots[o->number];
  enum request kind = AT(kinds, step->arg[1]);

  if (o->life != GONE || world_is_ending()) {
    world_skip(step);
    return;
  }
  memset(&slot->u, 0xa5, sizeof(slot->u));
  sem_init(&slot->release, 0, 0);
  slot->u.req.data = o;
  slot->is_blocked = kind == BLOCKED_WORK;
  int err = submit(slot, kind);
  moment_settle();
  if (err == 0)
    o->life = OPEN;
  world_say(step, NULL, err, "submit %s %s", o->name, request_names[kind]);
}

static void work_release(const struct step* step) {
  struct object* o = object_pick(KIND_WORK, step->arg[0]);
  struct slot* slot = &slots[o->number];

  if (o->life != OPEN || !slot->is_blocked) {
    world_skip(step);
    return;
  }
  slot->is_blocked = 0;
  sem_post(&slot->release);
  moment_settle();
  world_say(step, NULL, 0, "release %s", o->name);
}

static void work_cancel(const struct step* step) {
  struct object* o = object_pick(KIND_WORK, step->arg[0]);

  if (o->life != OPEN)
    world_skip(step);
  else
    world_say(step, NULL, uv_cancel(&slots[o->number].u.req), "cancel %s",
              o->name);
}

static void work_bad(const struct step* step) {
  static uv_work_t req;
  world_say(step, NULL, uv_queue_work(world_loop(), &req, NULL, on_work),
            "queue_work without a function");
}

/* ------------------------------------------------------------------------- */

static void setup(void) {
  loop_setup();
  world_add(KIND_WORK, "w", REQUESTS);
}

static void end(void) {
  for (unsigned i = 0; i < REQUESTS; i++) {
    if (object_pick(KIND_WORK, i)->life == OPEN && slots[i].is_blocked)
      sem_post(&slots[i].release);
    moment_settle();
  }
}

static const struct op ops[] = {
  { "work_submit", 120, work_submit, 0 },
  { "work_release", 50, work_release, 0 },
  { "work_cancel", 60, work_cancel, 0 },
  { "work_bad", 2, work_bad, 0 },
  { NULL, 0, NULL, 0 },
};

const struct area area_work = {
  .name = "work",
  .ops = ops,
  .common = loop_few_ops,
  .setup = setup,
  .end = end,
};
