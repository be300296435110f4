/* SPDX-License-Identifier: MIT */
#include "observe/symbols.h"
#include "observe/trace/format.h"
#include "os/symbol.h"
#include "util/alloc.h"

#define SLOTS 4096 /* a power of two */
#define COUNT_MAX (SLOTS / 2)

struct uv__symbol {
  const void* address; /* NULL: free */
  char* name;
};

void uv__symbols_init(struct uv__symbols* symbols) {
  symbols->table = uv__calloc(SLOTS, sizeof(*symbols->table));
  symbols->count = 0;
  symbols->is_escaped = 0;
}

void uv__symbols_close(struct uv__symbols* symbols) {
  for (size_t i = 0; symbols->table != NULL && i < SLOTS; i++)
    uv__free(symbols->table[i].name);
  uv__free(symbols->table);
  symbols->table = NULL;
}

static size_t hash(const void* address) {
  uint64_t key = (uintptr_t) address;

  return (size_t) (key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS;
}

/* The address's slot, or the free one where it belongs. */
static struct uv__symbol* slot_of(const struct uv__symbols* symbols,
                                  const void* address) {
  size_t i = hash(address);

  while (symbols->table[i].address != NULL &&
         symbols->table[i].address != address)
    i = (i + 1) % SLOTS;
  return &symbols->table[i];
}

static void look_up(struct uv__symbols* symbols, const void* address) {
  static_assert(UV__SYMBOL_MAX > UV__TRACE_SYMBOL_MAX, "has room for either");
  char name[UV__SYMBOL_MAX];

  if (!symbols->is_escaped) {
    uv__symbol_os_name(address, symbols->scratch, sizeof(symbols->scratch));
    return;
  }
  uv__symbol_os_name(address, name, sizeof(name));
  uv__trace_escape(symbols->scratch, name);
}

const char* uv__symbol_name(struct uv__symbols* symbols, const void* address) {
  struct uv__symbol* slot = NULL;

  if (symbols->table != NULL)
    slot = slot_of(symbols, address);
  if (slot != NULL && slot->name != NULL)
    return slot->name;

  look_up(symbols, address);
  if (slot == NULL || address == NULL || symbols->count == COUNT_MAX)
    return symbols->scratch;
  slot->name = uv__strdup(symbols->scratch);
  if (slot->name == NULL)
    return symbols->scratch;
  slot->address = address;
  symbols->count++;
  return slot->name;
}

const char* uv__symbol_known(const struct uv__symbols* symbols,
                             const void* address) {
  return symbols->table != NULL && address != NULL
             ? slot_of(symbols, address)->name
             : NULL;
}
