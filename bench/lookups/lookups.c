/* SPDX-License-Identifier: MIT */
/* Lookups at a name server that never answers, of numeric hosts, and of a few
 * names again and again. Prints one line per figure; see run. */
#define _GNU_SOURCE
#include "uv.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 1000, RATE_NAMES = 10, RATE_MS = 20 };

typedef int resolver(const char*,
                     const char*,
                     const struct addrinfo*,
                     struct addrinfo**);

static const struct addrinfo hints = { .ai_family = AF_INET,
                                       .ai_socktype = SOCK_STREAM };
static uv_loop_t* loop;
static uv_getaddrinfo_t reqs[NAMES_MAX];
static int calls;   /* atomic: of the resolver */
static int call_ms; /* what each takes; 0: what the system's takes */

/* Before that of the C library. */
int getaddrinfo(const char* node,
                const char* service,
                const struct addrinfo* wanted,
                struct addrinfo** list) {
  resolver* real = (resolver*) dlsym(RTLD_NEXT, "getaddrinfo");

  __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (call_ms == 0)
    return real(node, service, wanted, list);
  usleep((useconds_t) call_ms * 1000);
  return real("192.0.2.1", service, wanted, list);
}

static void check(int err) {
  if (err == 0)
    return;
  fprintf(stderr, "%s\n", uv_strerror(err));
  exit(1);
}

static void on_list(uv_getaddrinfo_t* req, int status, struct addrinfo* list) {
  (void) req;
  (void) status;
  uv_freeaddrinfo(list);
}

static void ask(int i, int number) {
  char name[32];

  snprintf(name, sizeof(name), "host%d.example", number);
  check(uv_getaddrinfo(loop, &reqs[i], on_list, name, NULL, &hints));
}

static void ask_all(int count, int is_equal) {
  for (int i = 0; i < count; i++)
    ask(i, is_equal ? 0 : i);
}

static double seconds_since(uint64_t start_ns) {
  return (double) (uv_hrtime() - start_ns) / 1e9;
}

static void run_names(const char* what, int count) {
  uint64_t start_ns = uv_hrtime();

  ask_all(count, strcmp(what, "equal") == 0);
  uv_run(loop, UV_RUN_DEFAULT);
  printf("%d %s names: %.2f s, %d calls\n", count, what,
         seconds_since(start_ns), calls);
}

/* ---- numeric hosts, one after another ---- */

static int left;

static void ask_number(void);

static void on_number(uv_getaddrinfo_t* req, int err, struct addrinfo* list) {
  on_list(req, err, list);
  check(err);
  if (left > 0)
    ask_number();
}

static void ask_number(void) {
  left--;
  check(uv_getaddrinfo(loop, &reqs[0], on_number, "127.0.0.1", NULL, &hints));
}

static void run_numbers(int count) {
  uint64_t start_ns = uv_hrtime();

  left = count;
  ask_number();
  uv_run(loop, UV_RUN_DEFAULT);
  printf("numeric hosts one after another: %.0f/s\n",
         count / seconds_since(start_ns));
}

/* ---- few names, one request per millisecond ---- */

static void on_time(uv_timer_t* timer) {
  static int asked;

  ask(asked, asked % RATE_NAMES);
  if (++asked == NAMES_MAX)
    uv_close((uv_handle_t*) timer, NULL);
}

static void run_rate(void) {
  uv_timer_t timer;
  uint64_t start_ns = uv_hrtime();

  call_ms = RATE_MS;
  check(uv_timer_init(loop, &timer));
  check(uv_timer_start(&timer, on_time, 1, 1));
  uv_run(loop, UV_RUN_DEFAULT);
  printf("%d requests of %d names in %.2f s: %d calls\n", NAMES_MAX, RATE_NAMES,
         seconds_since(start_ns), calls);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int count = argc > 2 ? atoi(argv[2]) : 0;

  loop = uv_default_loop();
  if (strcmp(what, "equal") == 0 || strcmp(what, "different") == 0) {
    run_names(what, count);
  } else if (strcmp(what, "exit") == 0) {
    ask_all(count, 0);
    uv_run(loop, UV_RUN_NOWAIT);
    usleep(100000); /* the workers are in the resolver now */
    exit(0);
  } else if (strcmp(what, "numeric") == 0) {
    run_numbers(count);
  } else {
    run_rate();
  }
  return 0;
}
