/* SPDX-License-Identifier: MIT */
/* The options of all commands. */
#ifndef UV_TRACE_OPTIONS_H_
#define UV_TRACE_OPTIONS_H_

#include <stddef.h>
#include <stdint.h>

/* Which options a command takes: bits. */
enum {
  OPTION_OUTPUT = 1,
  OPTION_TOP = 2,
  OPTION_STARVED = 4,
  OPTION_MODULES = 8,
  OPTION_SLICES = 16,
  OPTION_FILE = 32,
  OPTION_ONCE = 64,
  OPTION_INTERVAL = 128,
  OPTION_LIBRARY = 256,
  OPTION_PRELOAD = 512,
  OPTION_BLOCKED = 2048,
  OPTION_DETAILS = 4096,
  OPTION_PROGRAM = 1024 /* what follows the first word belongs to it */
};

/* Strings belong to argv. */
struct options {
  const char* output;  /* -o, or NULL */
  const char* file;    /* --file, or NULL */
  const char* library; /* --library, or NULL */
  const char* preload; /* --preload, or NULL */
  uint64_t top;
  uint64_t starved_ms;
  uint64_t slices;
  uint64_t interval_ms;
  uint64_t blocked_ms; /* 0: blocked callbacks are not looked for */
  int is_once;
  int has_details;
  struct symbols* symbols; /* with the places of --modules; owned */
  char** words;            /* what is no option: argv, closed up */
  int nwords;
};

/* Reads the arguments after a command's name, which argv keeps. Returns 0, or
 * -1 after it has said what is wrong. options_close() in either case. */
int options_parse(struct options* options, unsigned which, char** argv);
void options_close(struct options* options);

#endif /* UV_TRACE_OPTIONS_H_ */
