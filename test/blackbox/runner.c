/* SPDX-License-Identifier: MIT */
/* Runs the black-box tests.
 *
 *   uv-test [--tap] [-j N] [PATTERN...]   all, or those that match (`*`, `?`)
 *   uv-test --list [PATTERN...]           their names
 *   uv-test --run NAME                    in this process and directory
 *   uv-test --helper NAME ARGS            what a test starts as its child
 *
 * Each test is a process in its own directory, with a time limit: 10 s times
 * UV_TEST_TIMEOUT_MULTIPLIER. The last line is "N passed, N failed, N skipped".
 * Exit status 0 if none failed, 1 if some did, 2 for invalid arguments. */
#include "runner.h"
#include "test.h"
#include "uv/ext.h"

#include <ctype.h>

#define TIME_LIMIT_MS 10000
#define JOBS_DEFAULT 4
#define JOBS_MAX 64
#define EXIT_SKIPPED 77 /* as in assert.c */
#define EXIT_AGAIN 75   /* likewise: the environment failed */
#define SKIP_MARK "# SKIP "

struct test_case {
  const char* name;
  int (*run)(void);
  const char* left_out; /* why there is none on this system */
};

struct helper_case {
  const char* name;
  int (*run)(int argc, char** argv);
};

#define TEST(name) int test_##name(void);
#define TEST_LEFT_OUT(name, why)
#define HELPER(name) int helper_##name(int argc, char** argv);
#include "list.h"
#undef TEST
#undef TEST_LEFT_OUT
#undef HELPER

static const struct test_case tests[] = {
#define TEST(name) { #name, test_##name, NULL },
#define TEST_LEFT_OUT(name, why) { #name, NULL, why },
#define HELPER(name)
#include "list.h"
#undef TEST
#undef TEST_LEFT_OUT
#undef HELPER
};

static const struct helper_case helpers[] = {
#define TEST(name)
#define TEST_LEFT_OUT(name, why)
#define HELPER(name) { #name, helper_##name },
#include "list.h"
#undef TEST
#undef TEST_LEFT_OUT
#undef HELPER
  { NULL, NULL }, /* there may be none */
};

#define NTESTS (sizeof(tests) / sizeof(tests[0]))

/* What is about observers: not in a build without (LIBUV_OBSERVE=OFF). */
static const char* const observing[] = {
  "dump_*",
  "metrics_files_*",
  "metrics_forked_*",
  "metrics_loop_*",
  "metrics_that_fill_*",
  "misuse_init_of_an_open_handle_is_explained",
  "misuse_request_in_use_is_explained",
  "observe_*",
  "pools_are_in_the_dump",
  "pools_idle_threads_end",
  "stderr_pipe_gets_the_message",
  "trace_*",
  "uring_cancel_while_observed",
  "watchdog_*",
};

struct options {
  int tap;
  int list;
  int jobs;
  char** patterns; /* NULL-terminated; none: everything */
};

struct counts {
  unsigned passed;
  unsigned failed;
  unsigned skipped;
};

/* `*` is any text, `?` any character. */
static int matches(const char* pattern, const char* name) {
  const char* star = NULL; /* the last one seen, and where its text ends */
  const char* mark = NULL;

  while (*name != '\0') {
    if (*pattern == '*') {
      star = ++pattern;
      mark = name;
    } else if (*pattern == '?' || *pattern == *name) {
      pattern++;
      name++;
    } else if (star != NULL) {
      pattern = star;
      name = ++mark;
    } else {
      return 0;
    }
  }
  while (*pattern == '*')
    pattern++;
  return *pattern == '\0';
}

static int is_selected(const char* name, char** patterns) {
  if (*patterns == NULL)
    return 1;
  for (; *patterns != NULL; patterns++)
    if (matches(*patterns, name))
      return 1;
  return 0;
}

static const char* why_left_out(const struct test_case* test) {
  if (test->left_out != NULL || uvx_trace_stop() != UV_ENOTSUP)
    return test->left_out;
  for (size_t i = 0; i < sizeof(observing) / sizeof(observing[0]); i++)
    if (matches(observing[i], test->name))
      return "built without observers";
  return NULL;
}

static int pattern_matches_nothing(char* pattern) {
  char* one[] = { pattern, NULL };
  for (size_t i = 0; i < NTESTS; i++)
    if (is_selected(tests[i].name, one))
      return 0;
  return 1;
}

static uint64_t time_limit_ms(void) {
  const char* text = getenv("UV_TEST_TIMEOUT_MULTIPLIER");
  int multiplier = text == NULL ? 1 : atoi(text);
  if (multiplier < 1)
    multiplier = 1;
  return (uint64_t) TIME_LIMIT_MS * (unsigned) multiplier;
}

/* The reason a skipped test gave; `line` is what it is found in. */
static const char* skip_reason(FILE* output, char* line, int size) {
  rewind(output);
  while (fgets(line, size, output) != NULL) {
    if (strncmp(line, SKIP_MARK, strlen(SKIP_MARK)) != 0)
      continue;
    line[strcspn(line, "\n")] = '\0';
    return line + strlen(SKIP_MARK);
  }
  return "";
}

static void print_output(FILE* output, int tap) {
  char line[1024];
  rewind(output);
  while (fgets(line, sizeof(line), output) != NULL) {
    printf("%s%s", tap ? "#   " : "    ", line);
    if (strchr(line, '\n') == NULL)
      putchar('\n');
  }
}

static void describe_end(enum runner_end end, int value) {
  switch (end) {
  case RUNNER_EXITED:
    printf("# exit status %d\n", value);
    break;
  case RUNNER_KILLED:
    printf("# killed by signal %d (%#x)\n", value, (unsigned) value);
    break;
  case RUNNER_TIMEOUT:
    printf("# no end after %u ms\n", (unsigned) time_limit_ms());
    break;
  }
}

static void report(const struct options* options,
                   struct runner_job* job,
                   enum runner_end end,
                   int value,
                   struct counts* counts) {
  unsigned number = counts->passed + counts->failed + counts->skipped + 1;
  unsigned took_ms = (unsigned) (runner_os_now_ms() - job->started_ms);
  char line[1024];

  if (end == RUNNER_EXITED && value == EXIT_SKIPPED) {
    counts->skipped++;
    printf("ok %u - %s # SKIP %s\n", number, job->name,
           skip_reason(job->output, line, sizeof(line)));
  } else if (end == RUNNER_EXITED && value == 0) {
    counts->passed++;
    printf("ok %u - %s%s", number, job->name, options->tap ? "\n" : "");
    if (!options->tap)
      printf(" (%u ms)\n", took_ms);
  } else {
    counts->failed++;
    printf("not ok %u - %s\n", number, job->name);
    describe_end(end, value);
    print_output(job->output, options->tap);
  }
  fflush(stdout);
}

static void report_left_out(const struct test_case* test,
                            const char* why,
                            struct counts* counts) {
  unsigned number = counts->passed + counts->failed + ++counts->skipped;
  printf("ok %u - %s # SKIP %s\n", number, test->name, why);
}

static void start_job(struct runner_job* job) {
  if (runner_os_start(job) != 0)
    exit(2);
  job->deadline_ms = job->started_ms + time_limit_ms();
}

/* Once for each test. */
static void start_again(struct runner_job* job) {
  printf("# %s: again\n", job->name);
  runner_os_clean(job);
  job->is_second = 1;
  start_job(job);
}

static int start_next(const struct options* options,
                      size_t* next,
                      struct runner_job* job,
                      struct counts* counts) {
  while (*next < NTESTS) {
    const struct test_case* test = &tests[(*next)++];
    if (!is_selected(test->name, options->patterns))
      continue;
    const char* why = why_left_out(test);
    if (why != NULL) {
      report_left_out(test, why, counts);
      continue;
    }
    job->name = test->name;
    job->is_second = 0;
    start_job(job);
    return 1;
  }
  return 0;
}

static int run_tests(const struct options* options) {
  struct runner_job jobs[JOBS_MAX];
  struct counts counts = { 0, 0, 0 };
  size_t next = 0;
  int running = 0;

  if (options->tap) {
    unsigned n = 0;
    for (size_t i = 0; i < NTESTS; i++)
      n += (unsigned) is_selected(tests[i].name, options->patterns);
    printf("1..%u\n", n);
  }

  for (;;) {
    while (running < options->jobs) {
      if (!start_next(options, &next, &jobs[running], &counts))
        break;
      running++;
    }
    if (running == 0)
      break;

    enum runner_end end;
    int value;
    int i = runner_os_wait(jobs, running, &end, &value);
    if (end == RUNNER_EXITED && value == EXIT_AGAIN && !jobs[i].is_second) {
      start_again(&jobs[i]);
      continue;
    }
    report(options, &jobs[i], end, value, &counts);
    runner_os_clean(&jobs[i]);
    jobs[i] = jobs[--running];
  }

  printf("%u passed, %u failed, %u skipped\n", counts.passed, counts.failed,
         counts.skipped);
  return counts.failed != 0;
}

static int list_tests(const struct options* options) {
  for (size_t i = 0; i < NTESTS; i++)
    if (is_selected(tests[i].name, options->patterns))
      puts(tests[i].name);
  return 0;
}

static int run_one(const char* name) {
  test_running = name;
  for (size_t i = 0; i < NTESTS; i++)
    if (strcmp(tests[i].name, name) == 0 && tests[i].run != NULL)
      return tests[i].run();
  fprintf(stderr, "no test called %s\n", name);
  return 2;
}

static int run_helper(const char* name, int argc, char** argv) {
  for (size_t i = 0; helpers[i].name != NULL; i++)
    if (strcmp(helpers[i].name, name) == 0)
      return helpers[i].run(argc, argv);
  fprintf(stderr, "no helper called %s\n", name);
  return 2;
}

static int usage(void) {
  fprintf(stderr, "usage: uv-test [--tap] [-j N] [--list] [PATTERN...]\n"
                  "       uv-test --run NAME\n");
  return 2;
}

static int parse(char** argv, struct options* options) {
  for (; *argv != NULL && **argv == '-'; argv++) {
    if (strcmp(*argv, "--tap") == 0)
      options->tap = 1;
    else if (strcmp(*argv, "--list") == 0)
      options->list = 1;
    else if (strcmp(*argv, "-j") == 0 && argv[1] != NULL)
      options->jobs = atoi(*++argv);
    else if (strncmp(*argv, "-j", 2) == 0 &&
             isdigit((unsigned char) (*argv)[2]))
      options->jobs = atoi(*argv + 2);
    else
      return -1;
  }
  if (options->jobs < 1 || options->jobs > JOBS_MAX)
    return -1;
  options->patterns = argv;
  return 0;
}

int main(int argc, char** argv) {
  if (argc >= 3 && strcmp(argv[1], "--helper") == 0)
    return run_helper(argv[2], argc - 3, argv + 3);
  if (argc == 3 && strcmp(argv[1], "--run") == 0)
    return run_one(argv[2]);

  struct options options = { .jobs = JOBS_DEFAULT };
  if (parse(argv + 1, &options) != 0)
    return usage();
  for (char** p = options.patterns; *p != NULL; p++) {
    if (pattern_matches_nothing(*p)) {
      fprintf(stderr, "no test called %s\n", *p);
      return 2;
    }
  }

  if (options.list)
    return list_tests(&options);
  if (runner_os_init(argv[0]) != 0)
    return 2;
  return run_tests(&options);
}
