/* SPDX-License-Identifier: MIT */
/* The functions of an ELF file. The file is untrusted, too. */
#ifndef UV_TRACE_ELF_H_
#define UV_TRACE_ELF_H_

#include <stdint.h>

#define ELF_BUILD_ID_MAX 64

struct elf;

/* NULL if it cannot be read or is no ELF file. Freed with elf_close(). */
struct elf* elf_open(const char* path);
void elf_close(struct elf* elf);

/* Whether it has a .symtab, which strip(1) removes. */
int elf_has_symbols(const struct elf* elf);

/* Where its first byte is loaded without relocation. */
uint64_t elf_base(const struct elf* elf);

/* In hexadecimal, or "". */
const char* elf_build_id(const struct elf* elf);

/* The function that begins at this address, or NULL. */
const char* elf_function(const struct elf* elf, uint64_t address);

#endif /* UV_TRACE_ELF_H_ */
