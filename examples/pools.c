/* SPDX-License-Identifier: MIT */
/* Work that may block for long in a pool of its own: uvx_pool_new(). The
 * thumbnails do not wait for the backup, and no two parts of the backup are
 * written at a time.
 *
 * Exit status 0: all thumbnails were ready while the backup blocked.
 */
#include <stdio.h>

#include <uv.h>
#include <uv/ext.h>

#define PARTS 3
#define THUMBNAILS 20

static uv_sem_t disk; /* stands for a disk that does not answer */
static uvx_pool_t* backups;
static int thumbnails;
static int parts;
static int is_late;

/* Threads of the pools. */
static void write_part(uv_work_t* req) {
  (void) req;
  uv_sem_wait(&disk);
}

static void draw(uv_work_t* req) {
  (void) req;
}

/* The loop's thread. */
static void on_written(uv_work_t* req, int status) {
  (void) req;
  is_late |= status != 0 || thumbnails < THUMBNAILS;
  if (++parts == PARTS)
    uvx_pool_free(backups); /* nothing is left in it */
}

static void on_drawn(uv_work_t* req, int status) {
  (void) req;
  is_late |= status != 0 || parts != 0;
  if (++thumbnails == THUMBNAILS)
    for (int i = 0; i < PARTS; i++)
      uv_sem_post(&disk); /* it answers */
}

int main(void) {
  static uv_work_t writes[PARTS];
  static uv_work_t drawings[THUMBNAILS];
  uvx_pool_options_t options = { .size = sizeof(options),
                                 .threads = 1, /* one part after the other */
                                 .idle_ms = 1000,
                                 .name = "backup" };
  uv_loop_t* loop = uv_default_loop();

  if (loop == NULL || uv_sem_init(&disk, 0) != 0 ||
      uvx_pool_new(&backups, &options) != 0)
    return 1;
  for (int i = 0; i < PARTS; i++)
    if (uvx_queue_work(backups, loop, &writes[i], write_part, on_written) != 0)
      return 1;
  for (int i = 0; i < THUMBNAILS; i++)
    if (uv_queue_work(loop, &drawings[i], draw, on_drawn) != 0)
      return 1;
  uv_run(loop, UV_RUN_DEFAULT);
  printf("%d thumbnails, then %d parts\n", thumbnails, parts);
  uv_sem_destroy(&disk);
  return uv_loop_close(loop) != 0 || is_late;
}
