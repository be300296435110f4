/* SPDX-License-Identifier: MIT */
/* A trace that the library wrote, read back by tests: one event per line. */
#ifndef TRACE_FILE_H_
#define TRACE_FILE_H_

#include <stddef.h>

struct trace_file {
  char* text;
  char** lines; /* of whole events, without their commas */
  size_t count;
  int is_closed; /* it ends with "]", as a trace that was ended does */
};

/* Fails the test if the file is missing or a whole line is no event. The last
 * line may be torn if the trace was not ended. */
void trace_file_read(struct trace_file* trace, const char* path);
void trace_file_free(struct trace_file* trace);

/* How many events have all of these texts in them; NULL: any. */
size_t trace_file_count(const struct trace_file* trace,
                        const char* a,
                        const char* b);

/* A member's value, which must be there: a number, or a string's 0x... */
double trace_number(const char* line, const char* name);
unsigned long long trace_id(const char* line, const char* name);

/* The slices of each thread contain each other or are apart, and no two of them
 * begin or end at the same time: viewers add the duration to the time as
 * doubles, and could not tell which of two ends comes first. Sends are left
 * out: they have no length, so nothing can be inside one. */
void trace_file_check_nesting(const struct trace_file* trace);

/* Each arrow of a category begins once, before it ends, and ends once.
 * `passes`: how often it touches a worker in between. Returns how many. */
size_t trace_file_check_arrows(const struct trace_file* trace,
                               const char* category,
                               size_t passes);

#endif /* TRACE_FILE_H_ */
