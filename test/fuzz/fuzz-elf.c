/* SPDX-License-Identifier: MIT */
/* uv-trace: the symbols of a module's file, and mangled names. */
#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../tools/uv-trace/demangle.h"
#include "../../tools/uv-trace/elf.h"

static void names(const char* text) {
  char out[64];

  memset(out, 'x', sizeof(out));
  if (demangle(text, out, sizeof(out)) == 0)
    REQUIRE(memchr(out, '\0', sizeof(out)) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char path[64];
  int fd = memfd_create("elf", 0);

  REQUIRE(fd >= 0);
  REQUIRE(write(fd, data, size) == (ssize_t) size);
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  struct elf* elf = elf_open(path);
  if (elf != NULL) {
    REQUIRE(strlen(elf_build_id(elf)) <= 2 * ELF_BUILD_ID_MAX);
    (void) elf_base(elf);
    for (uint64_t address = 0; address < 0x200; address++) {
      const char* name = elf_function(elf, address);
      if (name != NULL) {
        REQUIRE(elf_has_symbols(elf));
        REQUIRE(strlen(name) < size);
        names(name);
      }
    }
  }
  elf_close(elf);
  close(fd);
  char* text = fuzz_string(data, size);
  names(text);
  free(text);
  return 0;
}
