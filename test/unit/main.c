/* SPDX-License-Identifier: MIT */
/* Runs the white-box tests.
 *
 *   unit            all of them
 *   unit NAME...    these
 *   unit --list     their names
 *   unit --run NAME this one, in this process
 *
 * Prints TAP and, as the last line, "N passed, N failed, N skipped". Exit
 * status 0 if none failed, 1 if some did, 2 for a name that is not there.
 *
 * Each test is a process of its own (process-unix.c, process-win.c).
 */
#include "harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_LIMIT_S 10

/* Another list makes another program of this file: the contract tests. */
#ifndef UNIT_LIST
# define UNIT_LIST "list.h"
#endif

struct unit_case {
  const char* name;
  void (*run)(void);
  const char* left_out; /* why it does not exist on this system */
};

#define UNIT(name) void unit_test_##name(void);
#define UNIT_LEFT_OUT(name, why)
#include UNIT_LIST
#undef UNIT
#undef UNIT_LEFT_OUT

static const struct unit_case cases[] = {
#define UNIT(name) { #name, unit_test_##name, NULL },
#define UNIT_LEFT_OUT(name, why) { #name, NULL, why },
#include UNIT_LIST
#undef UNIT
#undef UNIT_LEFT_OUT
};

#define NCASES (sizeof(cases) / sizeof(cases[0]))

/* One line of ASCII whatever the test prints: TAP readers expect that. */
void unit_say(const char* format, ...) {
  char raw[UNIT_MESSAGE_SIZE / 4];
  va_list args;
  va_start(args, format);
  vsnprintf(raw, sizeof(raw), format, args);
  va_end(args);

  char* to = unit_message;
  for (const char* p = raw; *p != '\0'; p++) {
    int plain = *p >= ' ' && *p <= '~';
    to += snprintf(to, 5, plain ? "%c" : "\\x%02x", (unsigned char) *p);
  }
}

void unit_check(int ok, const char* file, int line, const char* text) {
  if (ok)
    return;
  unit_say("%s:%d: %s", file, line, text);
  unit_os_end(UNIT_FAILED);
}

void unit_check_row(int ok,
                    const char* file,
                    int line,
                    const char* text,
                    const char* what) {
  if (ok)
    return;
  unit_say("%s:%d: %s [%s]", file, line, text, what);
  unit_os_end(UNIT_FAILED);
}

void unit_check_eq(intmax_t want,
                   intmax_t got,
                   const char* file,
                   int line,
                   const char* want_text,
                   const char* got_text) {
  if (want == got)
    return;
  unit_say("%s:%d: %s == %s: want %jd, got %jd", file, line, want_text,
           got_text, want, got);
  unit_os_end(UNIT_FAILED);
}

void unit_check_str(const char* want,
                    const char* got,
                    const char* file,
                    int line,
                    const char* text) {
  if (want == NULL ? got == NULL : got != NULL && strcmp(want, got) == 0)
    return;
  unit_say("%s:%d: %s: want \"%s\", got \"%s\"", file, line, text,
           want != NULL ? want : "(null)", got != NULL ? got : "(null)");
  unit_os_end(UNIT_FAILED);
}

void unit_check_mem(const void* want,
                    const void* got,
                    size_t n,
                    const char* file,
                    int line,
                    const char* text) {
  const unsigned char* a = want;
  const unsigned char* b = got;
  size_t i = 0;

  while (i < n && a[i] == b[i])
    i++;
  if (i == n)
    return;
  unit_say("%s:%d: %s: byte %zu: want %02x, got %02x", file, line, text, i,
           a[i], b[i]);
  unit_os_end(UNIT_FAILED);
}

void unit_skip(const char* reason) {
  unit_say("%s", reason);
  unit_os_end(UNIT_SKIPPED);
}

int unit_time_limit_s(void) {
  const char* text = getenv("UV_TEST_TIMEOUT_MULTIPLIER");
  int multiplier = text == NULL ? 1 : atoi(text);
  return TIME_LIMIT_S * (multiplier < 1 ? 1 : multiplier);
}

static enum unit_outcome run_case(const struct unit_case* c) {
  unit_message[0] = '\0';
  fflush(NULL);
  if (c->left_out != NULL) {
    unit_say("%s", c->left_out);
    return UNIT_SKIPPED;
  }
  return unit_os_run(c->name, c->run);
}

static const struct unit_case* find_case(const char* name) {
  for (size_t i = 0; i < NCASES; i++)
    if (strcmp(cases[i].name, name) == 0)
      return &cases[i];
  return NULL;
}

static void report(size_t number, const char* name, enum unit_outcome outcome) {
  switch (outcome) {
  case UNIT_PASSED:
    printf("ok %zu - %s\n", number, name);
    break;
  case UNIT_SKIPPED:
    printf("ok %zu - %s # SKIP %s\n", number, name, unit_message);
    break;
  case UNIT_FAILED:
    printf("not ok %zu - %s\n# %s\n", number, name, unit_message);
    break;
  }
  fflush(stdout);
}

static int list_cases(void) {
  for (size_t i = 0; i < NCASES; i++)
    puts(cases[i].name);
  return 0;
}

static int run_cases(size_t n, char** names) {
  unsigned counts[3] = { 0, 0, 0 };

  printf("1..%zu\n", n);
  for (size_t i = 0; i < n; i++) {
    const struct unit_case* c = names == NULL ? &cases[i] : find_case(names[i]);
    enum unit_outcome outcome = run_case(c);
    counts[outcome]++;
    report(i + 1, c->name, outcome);
  }

  printf("%u passed, %u failed, %u skipped\n", counts[UNIT_PASSED],
         counts[UNIT_FAILED], counts[UNIT_SKIPPED]);
  return counts[UNIT_FAILED] != 0;
}

static int run_here(const char* name) {
  const struct unit_case* c = find_case(name);

  if (c == NULL || c->run == NULL) {
    fprintf(stderr, "no test called %s\n", name);
    return 2;
  }
  c->run();
  return 0;
}

int main(int argc, char** argv) {
  if (unit_os_init(argv[0]) != 0)
    return 2;
  if (argc == 2 && strcmp(argv[1], "--list") == 0)
    return list_cases();
  if (argc == 3 && strcmp(argv[1], "--run") == 0)
    return run_here(argv[2]);

  for (int i = 1; i < argc; i++) {
    if (find_case(argv[i]) == NULL) {
      fprintf(stderr, "no test called %s\n", argv[i]);
      return 2;
    }
  }

  if (argc > 1)
    return run_cases((size_t) argc - 1, argv + 1);
  return run_cases(NCASES, NULL);
}
