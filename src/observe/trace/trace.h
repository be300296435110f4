/* SPDX-License-Identifier: MIT */
/* What an operator's signal does to the trace: UV_TRACE_SIGNAL. */
#ifndef UV_OBSERVE_TRACE_TRACE_H_
#define UV_OBSERVE_TRACE_TRACE_H_

#include "util/base.h"

/* Has the environment or the program named a file? Context: any. */
int uv__trace_has_output(void);

/* Writes the record if the trace is kept in memory, and otherwise starts or
 * ends the trace. Says what it did. Context: a thread that is not the trace's.
 */
void uv__trace_signaled(void);

/* From now on the signal does nothing: the library ends. Context: any. */
void uv__trace_ignore_signal(void);

#endif /* UV_OBSERVE_TRACE_TRACE_H_ */
