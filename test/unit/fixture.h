/* SPDX-License-Identifier: MIT */
/* A private directory that stands in for "/": files are written below it and it
 * is removed with everything inside. Any failure fails the test. */
#ifndef FIXTURE_H_
#define FIXTURE_H_

#include "unit.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
  char root[128];
};

static inline void fixture_init(struct fixture* fx) {
  const char* tmp = getenv("TMPDIR");
  snprintf(fx->root, sizeof(fx->root), "%s/uv-unit-XXXXXX",
           tmp == NULL ? "/tmp" : tmp);
  CHECK(mkdtemp(fx->root) != NULL);
}

/* Writes root + path, making its directories. */
static inline void fixture_write(struct fixture* fx,
                                 const char* path,
                                 const char* text) {
  char full[1024];
  snprintf(full, sizeof(full), "%s%s", fx->root, path);
  for (char* p = full + strlen(fx->root) + 1; *p != '\0'; p++) {
    if (*p != '/')
      continue;
    *p = '\0';
    CHECK(mkdir(full, 0700) == 0 || errno == EEXIST);
    *p = '/';
  }
  FILE* file = fopen(full, "w");
  CHECK(file != NULL);
  CHECK(fputs(text, file) >= 0);
  CHECK(fclose(file) == 0);
}

static inline int fixture_remove_one(const char* path,
                                     const struct stat* st,
                                     int kind,
                                     struct FTW* at) {
  (void) st;
  (void) kind;
  (void) at;
  return remove(path);
}

static inline void fixture_close(struct fixture* fx) {
  CHECK_EQ(0, nftw(fx->root, fixture_remove_one, 8, FTW_DEPTH | FTW_PHYS));
}

#endif /* FIXTURE_H_ */
