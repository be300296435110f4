/* SPDX-License-Identifier: MIT */
#ifndef UV_TRACE_DEMANGLE_H_
#define UV_TRACE_DEMANGLE_H_

#include <stddef.h>

/* Writes "a::b::c" for a C++ function's mangled name, without its parameters.
 * Returns 0, or -1 for what it does not know: operators, templates, lambdas. */
int demangle(const char* mangled, char* text, size_t size);

#endif /* UV_TRACE_DEMANGLE_H_ */
