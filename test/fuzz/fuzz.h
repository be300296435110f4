/* SPDX-License-Identifier: MIT */
/* Shared by the fuzzers: a failed REQUIRE is a finding, and so is any sanitizer
 * report. Each file is one libFuzzer program; `run` builds them. */
#ifndef FUZZ_H_
#define FUZZ_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(cond) ((cond) ? (void) 0 : fuzz_fail(__FILE__, __LINE__, #cond))

static inline void fuzz_fail(const char* file, int line, const char* what) {
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/* The input as a string of its exact size, so that reading past it is detected.
 */
static inline char* fuzz_string(const uint8_t* data, size_t size) {
  char* text = malloc(size + 1);
  REQUIRE(text != NULL);
  memcpy(text, data, size);
  text[size] = '\0';
  return text;
}

#endif /* FUZZ_H_ */
