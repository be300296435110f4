/* SPDX-License-Identifier: MIT */
/* Counts what the library allocates, and sees that all of it comes back.
 *
 * Exit status 0: the library is no older than its header, and freed everything.
 */
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>

static int blocks; /* (A program with threads needs an atomic counter.) */

static void* count_malloc(size_t size) {
  void* block = malloc(size);
  blocks += block != NULL;
  return block;
}

static void* count_realloc(void* old, size_t size) {
  void* block = realloc(old, size);
  blocks += old == NULL && block != NULL;
  return block;
}

static void* count_calloc(size_t count, size_t size) {
  void* block = calloc(count, size);
  blocks += block != NULL;
  return block;
}

static void count_free(void* block) {
  blocks -= block != NULL;
  free(block);
}

/* Eight bytes that nobody can guess. */
static int print_token(void) {
  unsigned char token[8];
  int err = uv_random(NULL, NULL, token, sizeof token, 0, NULL);
  if (err != 0)
    return err;
  for (size_t i = 0; i < sizeof token; i++)
    printf("%02x", token[i]);
  printf("\n");
  return 0;
}

int main(void) {
  /* Before any other call: a block is freed by what allocated it. */
  if (uv_replace_allocator(count_malloc, count_realloc, count_calloc,
                           count_free) != 0)
    return 1;
  printf("libuv %s, built with the header of %d.%d.%d\n", uv_version_string(),
         UV_VERSION_MAJOR, UV_VERSION_MINOR, UV_VERSION_PATCH);
  if (uv_version() < UV_VERSION_HEX || print_token() != 0)
    return 1;

  uv_loop_t loop;
  if (uv_loop_init(&loop) != 0)
    return 1;
  uv_run(&loop, UV_RUN_DEFAULT);
  if (uv_loop_close(&loop) != 0)
    return 1;
  printf("%d blocks before the end\n", blocks);
  uv_library_shutdown(); /* frees what the library keeps until exit() */
  printf("%d after it\n", blocks);
  return blocks != 0;
}
