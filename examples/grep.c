/* SPDX-License-Identifier: MIT */
/* Searches files for a text, many at a time on the thread pool.
 *
 *   grep TEXT FILE...     prints the number of lines with TEXT in each file
 *
 * A worker reads its file with blocking calls and touches nothing but its own
 * job; the loop's thread prints. Exit status 0: found, 1: not, 2: an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

struct job {
  uv_work_t work;
  const char* text;
  const char* path;
  long lines;
  int failed;
};

static long total;
static int failures;

/* Runs on a worker. (A line longer than the buffer is counted in pieces.) */
static void search(uv_work_t* work) {
  struct job* job = (struct job*) work;
  char line[4096];
  FILE* file = fopen(job->path, "rb");

  if (file == NULL) {
    job->failed = 1;
    return;
  }
  while (fgets(line, sizeof(line), file) != NULL)
    job->lines += strstr(line, job->text) != NULL;
  job->failed = ferror(file);
  fclose(file);
}

/* Runs on the loop's thread. */
static void report(uv_work_t* work, int status) {
  struct job* job = (struct job*) work;

  if (status != 0 || job->failed) {
    fprintf(stderr, "grep: cannot read %s\n", job->path);
    failures++;
  } else {
    printf("%s:%ld\n", job->path, job->lines);
    total += job->lines;
  }
  free(job);
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();

  for (int i = 2; i < argc; i++) {
    struct job* job = calloc(1, sizeof(*job));
    if (job == NULL)
      return 2;
    job->text = argv[1];
    job->path = argv[i];
    if (uv_queue_work(loop, &job->work, search, report) != 0) {
      free(job);
      return 2;
    }
  }
  uv_run(loop, UV_RUN_DEFAULT);
  if (uv_loop_close(loop) != 0 || failures != 0)
    return 2;
  return total > 0 ? 0 : 1;
}
