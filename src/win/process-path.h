/* SPDX-License-Identifier: MIT */
/* Finding a program; process-path.c. Text is in NUL-terminated 16-bit units. */
#ifndef UV_WIN_PROCESS_PATH_H_
#define UV_WIN_PROCESS_PATH_H_

#include <stdint.h>

struct uv__program_query {
  const uint16_t* file;
  const uint16_t* cwd;  /* the child's; absolute */
  const uint16_t* path; /* %PATH%; may be NULL */
  int exact_name;       /* try the name as is before adding extensions */
  int search_cwd;       /* look for bare names in `cwd` first */
  int (*is_file)(const uint16_t* path); /* exists, not a directory? */
};

/* Finds the program's file; the caller frees it with uv__free(). 0, UV_ENOENT
 * or UV_ENOMEM. */
int uv__program_find(const struct uv__program_query* query, uint16_t** out);

#endif /* UV_WIN_PROCESS_PATH_H_ */
