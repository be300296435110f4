/* SPDX-License-Identifier: MIT */
/* Names of addresses in the code.
 *
 * dladdr() of glibc takes the lock that dlclose() holds while it runs the
 * library's destructor, which waits for a thread that may be about to call it.
 * So modules are searched here: dl_iterate_phdr() has a lock of its own. The
 * demangler is looked up once, when observing starts.
 */
#include "os/symbol.h"
#include "unix/os.h"
#include "util/atomic.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if UV__HAVE_DL_PHDR
# include <elf.h>
# include <link.h>
# include <sys/auxv.h>
#endif

/* Bytes of a symbol as it is in a module; longer ones are cut off. */
#define RAW_MAX 1024

/* What is known of an address. */
struct place {
  char module[256];
  char symbol[RAW_MAX]; /* "" if there is none */
  uintptr_t base;       /* where the module is mapped */
  uintptr_t start;      /* of the symbol */
};

typedef char* (*demangle_fn)(const char*, char*, size_t*, int*);

static void* demangler; /* atomic: of the program's C++ run time, or NULL */

void uv__symbol_os_init(void) {
  uv__store_relaxed(&demangler, dlsym(RTLD_DEFAULT, "__cxa_demangle"));
}

static char* symbol_demangle(const char* name) {
  void* found = uv__load_relaxed(&demangler);
  demangle_fn demangle;

  if (found == NULL || strncmp(name, "_Z", 2) != 0)
    return NULL;
  memcpy(&demangle, &found, sizeof(demangle));
  return demangle(name, NULL, NULL, NULL);
}

static void set_module(struct place* place, const char* path) {
  const char* slash = path == NULL ? NULL : strrchr(path, '/');
  const char* name = slash == NULL ? path : slash + 1;

  snprintf(place->module, sizeof(place->module), "%s",
           name == NULL ? "?" : name);
}

#if UV__HAVE_DL_PHDR
struct search {
  uintptr_t address;
  struct place* place;
  int is_found;
};

/* The parts of a module that name its symbols; NULL: it has none. */
struct names {
  const ElfW(Sym) * symbols;
  const char* strings;
  size_t count;
};

/* The dynamic linker may have added the base, or not. */
static const void* pointer_of(uintptr_t base, const ElfW(Dyn) * entry) {
  uintptr_t value = (uintptr_t) entry->d_un.d_ptr;

  return (const void*) (value < base ? value + base : value);
}

/* A GNU hash table: four words, a filter, buckets, chains. The last symbol ends
 * the chain that begins last. */
static size_t gnu_hash_count(const uint32_t* table) {
  const uint32_t* buckets =
      table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t* chains = buckets + table[0];
  uint32_t last = 0;

  for (uint32_t i = 0; i < table[0]; i++)
    if (buckets[i] > last)
      last = buckets[i];
  if (last < table[1])
    return table[1]; /* no chain at all */
  while ((chains[last - table[1]] & 1) == 0)
    last++;
  return last + 1;
}

static struct names module_names(uintptr_t base, const ElfW(Dyn) * entry) {
  struct names names = { NULL, NULL, 0 };

  for (; entry->d_tag != DT_NULL; entry++) {
    const void* pointer = pointer_of(base, entry);
    if (entry->d_tag == DT_SYMTAB)
      names.symbols = pointer;
    else if (entry->d_tag == DT_STRTAB)
      names.strings = pointer;
    else if (entry->d_tag == DT_HASH)
      names.count = ((const uint32_t*) pointer)[1];
    else if (entry->d_tag == DT_GNU_HASH && names.count == 0)
      names.count = gnu_hash_count(pointer);
  }
  return names;
}

static int is_code(const ElfW(Sym) * symbol) {
  unsigned type = symbol->st_info & 0xf;

  return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
         (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE ||
          type == STT_GNU_IFUNC);
}

/* The symbol that has the address in it. */
static const ElfW(Sym) *
    find_symbol(const struct names* names, uintptr_t offset) {
  for (size_t i = 0; i < names->count; i++) {
    const ElfW(Sym)* symbol = &names->symbols[i];
    if (is_code(symbol) && offset >= symbol->st_value &&
        (offset - symbol->st_value < symbol->st_size ||
         offset == symbol->st_value))
      return symbol;
  }
  return NULL;
}

static int has_address(const struct dl_phdr_info* info, uintptr_t address) {
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    if (part->p_type == PT_LOAD &&
        address - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
      return 1;
  }
  return 0;
}

/* Where the first part is mapped; parts are in order. */
static uintptr_t base_of(const struct dl_phdr_info* info) {
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    if (part->p_type == PT_LOAD)
      return info->dlpi_addr + (part->p_vaddr & -part->p_align);
  }
  return info->dlpi_addr;
}

static const ElfW(Dyn) * dynamic_of(const struct dl_phdr_info* info) {
  for (size_t i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      return (const void*) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  return NULL;
}

static int search_module(struct dl_phdr_info* info, size_t size, void* arg) {
  struct search* search = arg;
  struct place* place = search->place;

  (void) size;
  if (!has_address(info, search->address))
    return 0;
  search->is_found = 1;
  place->base = base_of(info);
  /* The program itself has no name here. */
  set_module(place, info->dlpi_name != NULL && info->dlpi_name[0] != '\0'
                        ? info->dlpi_name
                        : (const char*) getauxval(AT_EXECFN));
  const ElfW(Dyn)* dynamic = dynamic_of(info);
  if (dynamic == NULL)
    return 1;
  struct names names = module_names(info->dlpi_addr, dynamic);
  if (names.symbols == NULL || names.strings == NULL)
    return 1;
  const ElfW(Sym)* symbol =
      find_symbol(&names, search->address - info->dlpi_addr);
  if (symbol != NULL) {
    place->start = info->dlpi_addr + symbol->st_value;
    snprintf(place->symbol, sizeof(place->symbol), "%s",
             names.strings + symbol->st_name);
  }
  return 1;
}

static int find_place(const void* address, struct place* place) {
  struct search search = { (uintptr_t) address, place, 0 };

  place->symbol[0] = '\0';
  (void) dl_iterate_phdr(search_module, &search);
  return search.is_found;
}
#else
static int find_place(const void* address, struct place* place) {
  Dl_info info;

  place->symbol[0] = '\0';
  if (dladdr((void*) (uintptr_t) address, &info) == 0)
    return 0;
  set_module(place, info.dli_fname);
  place->base = (uintptr_t) info.dli_fbase;
  place->start = (uintptr_t) info.dli_saddr;
  if (info.dli_sname != NULL)
    snprintf(place->symbol, sizeof(place->symbol), "%s", info.dli_sname);
  return 1;
}
#endif

void uv__symbol_os_name(const void* address, char* name, size_t size) {
  struct place place;

  if (!find_place(address, &place)) {
    snprintf(name, size, "%p", (void*) (uintptr_t) address);
    return;
  }
  /* The nearest symbol below belongs to another function. */
  if (place.symbol[0] == '\0' || place.start != (uintptr_t) address) {
    snprintf(name, size, "%s+0x%zx", place.module,
             (size_t) ((uintptr_t) address - place.base));
    return;
  }
  char* readable = symbol_demangle(place.symbol);
  snprintf(name, size, "%s", readable != NULL ? readable : place.symbol);
  free(readable); /* allocated by __cxa_demangle */
}

void uv__symbol_os_place(const void* address, char* name, size_t size) {
  struct place place;

  if (!find_place(address, &place)) {
    snprintf(name, size, "%p", (void*) (uintptr_t) address);
    return;
  }
  size_t offset = (size_t) ((uintptr_t) address - place.base);
  if (place.symbol[0] == '\0') {
    snprintf(name, size, "%s+0x%zx", place.module, offset);
    return;
  }
  char* readable = symbol_demangle(place.symbol);
  snprintf(name, size, "%s+0x%zx (%s+0x%zx)", place.module, offset,
           readable != NULL ? readable : place.symbol,
           (size_t) ((uintptr_t) address - place.start));
  free(readable);
}
