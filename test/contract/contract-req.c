/* SPDX-License-Identifier: MIT */
/* P2 (what is reported) and P6 (wake) of a poller without watch operations: a
 * completed request is reported once, whenever the poller waits. */
#include "contract.h"

#include "win/overlapped.h"
#include "win/resume.h"

/* Completed, and in the port. */
static void post(uv_loop_t* loop, uv_req_t* req) {
  uv__req_overlapped(req);
  uv__req_post(loop, req);
}

CONTRACT(p2_request_is_reported_once) {
  uv_loop_t loop;
  uv_req_t req;
  struct uv__event event;

  contract_open(&loop, poller);
  CHECK(poller->watch == NULL);
  post(&loop, &req);
  CHECK_EQ(1, poller->wait(&loop, &event, 1, 1000));
  CHECK_EQ(UV__EVENT_REQ, event.kind);
  CHECK(event.key == (uintptr_t) &req);
  CHECK_EQ(0, contract_wait(&loop, -1, 20).count);
  post(&loop, &req); /* and again when it has completed again */
  CHECK_EQ(1, contract_wait(&loop, -1, 1000).reqs);
  contract_close(&loop);
}

/* More than the poller fetches in one call, and as many as it reports at
 * once. */
CONTRACT(p2_many_requests_in_one_wait) {
  enum { REQS = 128 };
  static uv_req_t reqs[REQS + 1];
  static struct uv__event events[REQS];
  uv_loop_t loop;

  contract_open(&loop, poller);
  for (int i = 0; i <= REQS; i++)
    post(&loop, &reqs[i]);
  CHECK_EQ(REQS, poller->wait(&loop, events, REQS, -1));
  for (int i = 0; i < REQS; i++)
    CHECK(events[i].key == (uintptr_t) &reqs[i]);
  CHECK_EQ(1, poller->wait(&loop, events, REQS, -1));
  CHECK_EQ(0, poller->wait(&loop, events, REQS, 0));
  contract_close(&loop);
}

/* All of them, in the order of completion. */
CONTRACT(p2_more_requests_than_room) {
  enum { REQS = 50, ROOM = 3 };
  uv_loop_t loop;
  uv_req_t reqs[REQS];
  struct uv__event events[ROOM];
  int seen = 0;

  contract_open(&loop, poller);
  for (int i = 0; i < REQS; i++)
    post(&loop, &reqs[i]);
  while (seen < REQS) {
    int n = poller->wait(&loop, events, ROOM, 1000);
    CHECK(n > 0 && n <= ROOM);
    for (int i = 0; i < n; i++)
      CHECK(events[i].key == (uintptr_t) &reqs[seen++]);
  }
  CHECK_EQ(0, contract_wait(&loop, -1, 0).count);
  contract_close(&loop);
}

CONTRACT(p6_wake_beside_requests) {
  uv_loop_t loop;
  uv_req_t reqs[2];

  contract_open(&loop, poller);
  post(&loop, &reqs[0]);
  CHECK_EQ(0, uv__wake_poller(&loop));
  post(&loop, &reqs[1]);
  struct contract_seen seen = contract_wait(&loop, -1, -1);
  CHECK_EQ(3, seen.count);
  CHECK_EQ(1, seen.woken);
  CHECK_EQ(2, seen.reqs);
  contract_close(&loop);
}

CONTRACT(p6_wake_without_room_beside_requests) {
  uv_loop_t loop;
  uv_req_t reqs[3];
  struct uv__event event;
  int woken = 0;

  contract_open(&loop, poller);
  for (int i = 0; i < 3; i++)
    post(&loop, &reqs[i]);
  CHECK_EQ(0, uv__wake_poller(&loop));
  for (int i = 0; i < 4; i++) {
    CHECK_EQ(1, poller->wait(&loop, &event, 1, 0));
    woken += event.kind == UV__EVENT_WAKE;
  }
  CHECK_EQ(1, woken);
  CHECK_EQ(0, contract_wait(&loop, -1, 0).count);
  contract_close(&loop);
}

/* The machine resumes: every loop wakes up and reads the clock. */
CONTRACT(p6_resume_wakes_every_loop) {
  uv_loop_t loops[3];

  for (int i = 0; i < 3; i++)
    contract_open(&loops[i], poller);
  contract_close(&loops[1]);
  uv__resume_wake_all();
  CHECK_EQ(1, contract_wait(&loops[0], -1, -1).woken);
  CHECK_EQ(1, contract_wait(&loops[2], -1, -1).woken);
  contract_close(&loops[0]);
  contract_close(&loops[2]);
  uv__resume_wake_all(); /* nobody there */
}

/* Closing a port drops the packets in it. */
CONTRACT(p7_requests_left_at_close) {
  uv_loop_t loop;
  static uv_req_t reqs[20];

  for (int round = 0; round < 3; round++) {
    contract_open(&loop, poller);
    for (int i = 0; i < 20; i++)
      post(&loop, &reqs[i]);
    contract_close(&loop);
  }
  contract_open(&loop, poller);
  CHECK_EQ(0, contract_wait(&loop, -1, 0).count);
  contract_close(&loop);
}
