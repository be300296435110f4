/* SPDX-License-Identifier: MIT */
/* Replaces functions of the system in this program, to give answers that
 * Windows gives and Wine does not.
 *
 * The library calls the system through pointers that the linker takes from the
 * import library unless the program defines them:
 *
 *   static BOOL WINAPI answer_CloseHandle(HANDLE handle) { ... }
 *   REPLACE(CloseHandle, 4);
 *
 * `bytes` is the size of the arguments on 32-bit x86, where it is part of the
 * symbol. REAL() is the system's own function.
 */
#ifndef REPLACE_WIN_H_
#define REPLACE_WIN_H_

#include "unit.h"

#include "uv.h"

#if defined(__i386__)
# define IMPORT_SYMBOL(name, bytes) "__imp__" # name "@" # bytes
#else
# define IMPORT_SYMBOL(name, bytes) "__imp_" # name
#endif

#define REPLACE(name, bytes)                                                   \
 extern __typeof__(&name)                                                      \
     const import_##name __asm__(IMPORT_SYMBOL(name, bytes));                  \
 __typeof__(&name) const import_##name = answer_##name

#define REAL(dll, name)                                                        \
 ((__typeof__(&name)) (void*) GetProcAddress(GetModuleHandleA(dll), #name))

#endif /* REPLACE_WIN_H_ */
