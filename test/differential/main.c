/* SPDX-License-Identifier: MIT */
/* differ AREA VERSION FIRST COUNT [KEEP]: runs the programs of COUNT seeds,
 * each as a process in a directory of its own, and prints their traces:
 *
 *   === SEED
 *   ... lines ...
 *   status: 0
 *
 * On Windows, where there is no fork(), COUNT is 1 and the program runs in this
 * process and directory; wine.py, which starts it, prints the status.
 *
 * Operations that libuv VERSION (a hexadecimal UV_VERSION_HEX) does not have
 * are left out. KEEP is a list of steps (0,3,9): only these are run. */
#include "areas.h"
#include "program.h"
#include "room.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct area* find_area(const char* name) {
  for (size_t i = 0; areas[i] != NULL; i++)
    if (strcmp(areas[i]->name, name) == 0)
      return areas[i];
  return NULL;
}

static const struct area* area;
static unsigned version;
static const char* keep;

static void run_program(unsigned long seed) {
  static struct program program;
  const struct op* const ops[OP_TABLES] = { area->ops, area->common,
                                            area->more };

  area->setup();
  program_make(&program, seed, ops, world_count(), version);
  program_keep(&program, keep);
  world_run(area, &program);
}

int main(int argc, char** argv) {
  if (argc >= 4 && strcmp(argv[1], "--child") == 0)
    return process_child(argv[2], argv[3]);
  area = argc >= 5 ? find_area(argv[1]) : NULL;
  if (area == NULL) {
    for (size_t i = 0; areas[i] != NULL; i++)
      puts(areas[i]->name);
    return argc == 1 ? 0 : 2;
  }
  argv = uv_setup_args(argc, argv);
  trace_open();
  version = (unsigned) strtoul(argv[2], NULL, 16);
  unsigned long first = strtoul(argv[3], NULL, 10);
  unsigned long count = strtoul(argv[4], NULL, 10);
  keep = argc > 5 ? argv[5] : NULL;
  for (unsigned long seed = first; seed < first + count; seed++) {
    printf("=== %lu\n", seed);
    fflush(stdout);
    trace_clear();
    room_run(run_program, seed);
  }
  return 0;
}
