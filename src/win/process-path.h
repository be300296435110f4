/* SPDX-License-Identifier: MIT */
/* Where a program is; process-path.c. Text is in 16-bit units, with a 0 at its
 * end. */
#ifndef UV_WIN_PROCESS_PATH_H_
#define UV_WIN_PROCESS_PATH_H_

#include <stdint.h>

struct uv__program_query {
  const uint16_t* file;
  const uint16_t* cwd;  /* the child's; absolute */
  const uint16_t* path; /* %PATH%; may be NULL */
  int exact_name;       /* a path's name is tried before extensions are added */
  int search_cwd;       /* bare names are looked for in `cwd` first */
  int (*is_file)(const uint16_t* path); /* is it there, and no directory? */
};

/* Finds the program's file; to be freed with uv__free(). 0, UV_ENOENT or
 * UV_ENOMEM. */
int uv__program_find(const struct uv__program_query* query, uint16_t** out);

#endif /* UV_WIN_PROCESS_PATH_H_ */
