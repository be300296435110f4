/* SPDX-License-Identifier: MIT */
/* Differences between Microsoft's compiler and the GNU ones. */
#ifndef UV_WIN_COMPILER_H_
#define UV_WIN_COMPILER_H_

#include "util/base.h"

/* Whether the library is compiled for mingw-w64's headers and C runtime. */
#if defined(__MINGW32__)
# define UV__IS_MINGW 1
#else
# define UV__IS_MINGW 0
#endif

/* UV__ON_THREAD_EVENT(function) registers a PIMAGE_TLS_CALLBACK that the loader
 * calls when threads start and end. The linker sorts these sections by name;
 * the C runtime has the first and the last entry of the list and refers to it
 * through _tls_used, which must be linked. On 32-bit x86, names have an
 * additional underscore. */
#if defined(_MSC_VER)

# if defined(_M_IX86)
#  define UV__LINK_NAME(name) "/INCLUDE:_" #  name
# else
#  define UV__LINK_NAME(name) "/INCLUDE:" #  name
# endif

# define UV__ON_THREAD_EVENT(function)                                         \
  __pragma(section(".CRT$XLU", long, read))                                    \
      __pragma(comment(linker, UV__LINK_NAME(_tls_used))) __pragma(comment(    \
          linker,                                                              \
          UV__LINK_NAME(                                                       \
              uv__thread_event_entry))) extern const PIMAGE_TLS_CALLBACK       \
          uv__thread_event_entry;                                              \
  __declspec(allocate(".CRT$XLU"))                                             \
      const PIMAGE_TLS_CALLBACK uv__thread_event_entry = function

#else

# define UV__ON_THREAD_EVENT(function)                                         \
  __attribute__((section(".CRT$XLU"),                                          \
                 used)) static const PIMAGE_TLS_CALLBACK thread_event_entry =  \
      function

#endif

#endif /* UV_WIN_COMPILER_H_ */
