/* SPDX-License-Identifier: MIT */
/* Read by bytes: classes, byte orders and hosts mix freely, and nothing is
 * assumed to be aligned, sorted or within the file. */
#include "elf.h"
#include "base.h"
#include "os.h"

#include <stdlib.h>
#include <string.h>

/* Of tables that are taken into memory. */
#define TABLE_MAX ((uint64_t) 512 << 20)
#define NOTE_MAX 1024

enum { PT_LOAD_ = 1, SHT_SYMTAB_ = 2, SHT_NOTE_ = 7, NT_BUILD_ID_ = 3 };
enum { STT_FUNC_ = 2, STT_GNU_IFUNC_ = 10 };

struct function {
  uint64_t address;
  uint32_t name; /* in strings */
  uint32_t is_global;
};

struct section {
  uint64_t type;
  uint64_t offset;
  uint64_t size;
  uint64_t link;
};

struct elf {
  FILE* file;
  uint64_t file_size;
  int is_64;
  int is_big;
  uint64_t base;
  char build_id[2 * ELF_BUILD_ID_MAX + 1];
  struct function* functions; /* by address */
  size_t nfunctions;
  char* strings; /* ends with a NUL */
  uint64_t nstrings;
};

/* A table of the file: `entry` bytes each. */
struct table {
  uint64_t offset;
  uint64_t count;
  uint64_t entry;
};

static uint64_t get(const struct elf* elf, const unsigned char* at, int size) {
  uint64_t value = 0;

  for (int i = 0; i < size; i++)
    value = value << 8 | at[elf->is_big ? i : size - 1 - i];
  return value;
}

/* A field that is 4 bytes at `at32` or 8 at `at64`. */
static uint64_t get_word(const struct elf* elf,
                         const unsigned char* from,
                         int at32,
                         int at64) {
  return elf->is_64 ? get(elf, from + at64, 8) : get(elf, from + at32, 4);
}

static int read_at(const struct elf* elf,
                   uint64_t offset,
                   void* out,
                   uint64_t size) {
  if (offset > elf->file_size || size > elf->file_size - offset ||
      offset > INT32_MAX)
    return -1;
  if (fseek(elf->file, (long) offset, SEEK_SET) != 0)
    return -1;
  return fread(out, 1, (size_t) size, elf->file) == size ? 0 : -1;
}

/* A part of the file in memory, a NUL behind it; NULL if it is not there. */
static unsigned char* read_part(const struct elf* elf,
                                uint64_t offset,
                                uint64_t size) {
  if (size > TABLE_MAX || offset > elf->file_size ||
      size > elf->file_size - offset)
    return NULL;
  unsigned char* part = base_alloc((size_t) size + 1, 1);
  if (read_at(elf, offset, part, size) == 0)
    return part;
  free(part);
  return NULL;
}

static void read_base(struct elf* elf, const struct table* segments) {
  elf->base = UINT64_MAX;
  for (uint64_t i = 0; i < segments->count; i++) {
    unsigned char row[56] = { 0 };
    uint64_t size =
        segments->entry < sizeof(row) ? segments->entry : sizeof(row);
    if (read_at(elf, segments->offset + i * segments->entry, row, size) != 0)
      break;
    uint64_t address = get_word(elf, row, 8, 16);
    if (get(elf, row, 4) == PT_LOAD_ && address < elf->base)
      elf->base = address;
  }
  elf->base = elf->base == UINT64_MAX ? 0 : elf->base & ~UINT64_C(0xfff);
}

static int read_section(const struct elf* elf,
                        const struct table* sections,
                        uint64_t i,
                        struct section* section) {
  unsigned char row[64] = { 0 };
  uint64_t size = elf->is_64 ? 64 : 40;

  if (i >= sections->count || sections->entry < size ||
      read_at(elf, sections->offset + i * sections->entry, row, size) != 0)
    return -1;
  section->type = get(elf, row + 4, 4);
  section->offset = get_word(elf, row, 16, 24);
  section->size = get_word(elf, row, 20, 32);
  section->link = elf->is_64 ? get(elf, row + 40, 4) : get(elf, row + 24, 4);
  return 0;
}

/* The first note of a section, if it is the build id. */
static void read_note(struct elf* elf, const struct section* section) {
  uint64_t size = section->size < NOTE_MAX ? section->size : NOTE_MAX;
  unsigned char* note = read_part(elf, section->offset, size);

  if (note == NULL)
    return;
  if (size >= 16 && get(elf, note, 4) == 4 &&
      get(elf, note + 8, 4) == NT_BUILD_ID_ &&
      memcmp(note + 12, "GNU", 4) == 0) {
    uint64_t len = get(elf, note + 4, 4);
    for (uint64_t i = 0; len <= ELF_BUILD_ID_MAX && len <= size - 16 && i < len;
         i++)
      snprintf(elf->build_id + 2 * i, 3, "%02x", note[16 + i]);
  }
  free(note);
}

static int by_address(const void* a, const void* b) {
  const struct function* x = a;
  const struct function* y = b;

  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  if (x->is_global != y->is_global)
    return x->is_global ? -1 : 1;
  return x->name < y->name ? -1 : x->name > y->name;
}

static void add_function(struct elf* elf,
                         const unsigned char* row,
                         size_t* room) {
  unsigned info = row[elf->is_64 ? 4 : 12];
  uint64_t name = get(elf, row, 4);
  uint64_t address = get_word(elf, row, 4, 8);
  unsigned type = info & 15;

  if ((type != STT_FUNC_ && type != STT_GNU_IFUNC_) || address == 0 ||
      name >= elf->nstrings || elf->strings[name] == '\0')
    return;
  elf->functions =
      base_grow(elf->functions, elf->nfunctions, room, sizeof(*elf->functions));
  struct function* function = &elf->functions[elf->nfunctions++];
  function->address = address;
  function->name = (uint32_t) name;
  function->is_global = info >> 4 != 0;
}

static void read_symbols(struct elf* elf,
                         const struct section* symtab,
                         const struct section* strtab) {
  size_t size = elf->is_64 ? 24 : 16;
  size_t room = 0;
  unsigned char* rows = read_part(elf, symtab->offset, symtab->size);

  elf->strings = (char*) read_part(elf, strtab->offset, strtab->size);
  if (rows != NULL && elf->strings != NULL) {
    elf->nstrings = strtab->size;
    for (uint64_t i = 0; i < symtab->size / size; i++)
      add_function(elf, rows + i * size, &room);
    if (elf->nfunctions != 0)
      qsort(elf->functions, elf->nfunctions, sizeof(*elf->functions),
            by_address);
  }
  free(rows);
}

static void read_sections(struct elf* elf, const struct table* sections) {
  for (uint64_t i = 0; i < sections->count; i++) {
    struct section section;
    struct section strtab;
    if (read_section(elf, sections, i, &section) != 0)
      return;
    if (section.type == SHT_NOTE_ && elf->build_id[0] == '\0')
      read_note(elf, &section);
    if (section.type == SHT_SYMTAB_ && elf->strings == NULL &&
        read_section(elf, sections, section.link, &strtab) == 0)
      read_symbols(elf, &section, &strtab);
  }
}

static int read_header(struct elf* elf) {
  unsigned char row[64] = { 0 };

  if (fseek(elf->file, 0, SEEK_END) != 0)
    return -1;
  long size = ftell(elf->file);
  elf->file_size = size < 0 ? 0 : (uint64_t) size;
  if (read_at(elf, 0, row, 52) != 0 || memcmp(row, "\177ELF", 4) != 0)
    return -1;
  elf->is_64 = row[4] == 2;
  elf->is_big = row[5] == 2;
  if (elf->is_64 && read_at(elf, 0, row, 64) != 0)
    return -1;
  int at = elf->is_64 ? 54 : 42; /* e_phentsize and what follows it */
  struct table segments = { get_word(elf, row, 28, 32),
                            get(elf, row + at + 2, 2), get(elf, row + at, 2) };
  struct table sections = { get_word(elf, row, 32, 40),
                            get(elf, row + at + 6, 2),
                            get(elf, row + at + 4, 2) };
  if (segments.offset > elf->file_size || sections.offset > elf->file_size)
    return -1;
  read_base(elf, &segments);
  read_sections(elf, &sections);
  return 0;
}

struct elf* elf_open(const char* path) {
  /* A trace may name the file: it must not be one that blocks. */
  FILE* file = os_is_regular(path) ? fopen(path, "rb") : NULL;

  if (file == NULL)
    return NULL;
  struct elf* elf = base_alloc(1, sizeof(*elf));
  elf->file = file;
  int err = read_header(elf);
  fclose(file);
  elf->file = NULL;
  if (err == 0)
    return elf;
  elf_close(elf);
  return NULL;
}

void elf_close(struct elf* elf) {
  if (elf == NULL)
    return;
  free(elf->functions);
  free(elf->strings);
  free(elf);
}

int elf_has_symbols(const struct elf* elf) {
  return elf->nfunctions != 0;
}

uint64_t elf_base(const struct elf* elf) {
  return elf->base;
}

const char* elf_build_id(const struct elf* elf) {
  return elf->build_id;
}

const char* elf_function(const struct elf* elf, uint64_t address) {
  size_t low = 0;
  size_t high = elf->nfunctions;

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (elf->functions[middle].address < address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == elf->nfunctions || elf->functions[low].address != address)
    return NULL;
  return elf->strings + elf->functions[low].name;
}
