/* SPDX-License-Identifier: MIT */
#include "symbols.h"
#include "base.h"
#include "demangle.h"
#include "elf.h"
#include "os.h"

#include <stdlib.h>
#include <string.h>

#define MODULES_MAX 256
#define PATH_MAX_ 4096

struct module {
  char* name;
  struct elf* file;  /* NULL: not found */
  struct elf* debug; /* its debug file, if that has the symbols */
};

struct symbols {
  struct module modules[MODULES_MAX];
  size_t count;
  char** places; /* files and directories, in the order of looking */
  size_t nplaces;
  size_t room;
  char* program;
};

static const char* const directories[] = {
  "/lib",
  "/usr/lib",
  "/usr/local/lib",
  "/lib64",
  "/usr/lib64",
  "/lib/x86_64-linux-gnu",
  "/usr/lib/x86_64-linux-gnu",
  "/lib/aarch64-linux-gnu",
  "/usr/lib/aarch64-linux-gnu",
};

struct symbols* symbols_new(void) {
  struct symbols* symbols = base_alloc(1, sizeof(*symbols));

  symbols->program = base_copy("");
  return symbols;
}

void symbols_free(struct symbols* symbols) {
  if (symbols == NULL)
    return;
  for (size_t i = 0; i < symbols->count; i++) {
    free(symbols->modules[i].name);
    elf_close(symbols->modules[i].file);
    elf_close(symbols->modules[i].debug);
  }
  for (size_t i = 0; i < symbols->nplaces; i++)
    free(symbols->places[i]);
  free(symbols->places);
  free(symbols->program);
  free(symbols);
}

void symbols_add_place(struct symbols* symbols, const char* path) {
  symbols->places = base_grow(symbols->places, symbols->nplaces, &symbols->room,
                              sizeof(*symbols->places));
  symbols->places[symbols->nplaces++] = base_copy(path);
}

void symbols_set_program(struct symbols* symbols, const char* path) {
  free(symbols->program);
  symbols->program = base_copy(path);
}

/* `path` if that is its last part, else the file of this name in `path`. */
static struct elf* open_place(const char* path, const char* name) {
  char full[PATH_MAX_];

  if (path[0] == '\0')
    return NULL;
  if (strcmp(os_base_name(path), name) == 0) {
    struct elf* elf = elf_open(path);
    if (elf != NULL)
      return elf;
  }
  int n = snprintf(full, sizeof(full), "%s/%s", path, name);
  return n > 0 && (size_t) n < sizeof(full) ? elf_open(full) : NULL;
}

/* In the directories of a variable like PATH. */
static struct elf* open_listed(const char* variable, const char* name) {
  const char* list = getenv(variable);
  struct elf* elf = NULL;

  while (elf == NULL && list != NULL && *list != '\0') {
    char directory[PATH_MAX_];
    size_t len = strcspn(list, OS_LIST_SEPARATOR);
    if (len != 0 && len < sizeof(directory)) {
      memcpy(directory, list, len);
      directory[len] = '\0';
      elf = open_place(directory, name);
    }
    list += len + (list[len] != '\0');
  }
  return elf;
}

static struct elf* open_module(const struct symbols* symbols,
                               const char* name) {
  struct elf* elf = NULL;

  for (size_t i = 0; elf == NULL && i < symbols->nplaces; i++)
    elf = open_place(symbols->places[i], name);
  if (elf == NULL && strcmp(os_base_name(symbols->program), name) == 0)
    elf = elf_open(symbols->program);
  if (elf == NULL)
    elf = open_listed("LD_LIBRARY_PATH", name);
  for (size_t i = 0; elf == NULL && i < ARRAY_SIZE(directories); i++)
    elf = open_place(directories[i], name);
  return elf != NULL ? elf : open_listed("PATH", name);
}

/* Where distributions install the tables of stripped files. */
static struct elf* open_debug(const struct elf* elf) {
  char path[PATH_MAX_];
  const char* id = elf_build_id(elf);

  if (strlen(id) < 4)
    return NULL;
  snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", id,
           id + 2);
  return elf_open(path);
}

static const struct module* find_module(struct symbols* symbols,
                                        const char* name) {
  for (size_t i = 0; i < symbols->count; i++)
    if (strcmp(symbols->modules[i].name, name) == 0)
      return &symbols->modules[i];
  if (symbols->count == MODULES_MAX)
    return NULL;
  struct module* module = &symbols->modules[symbols->count++];
  module->name = base_copy(name);
  module->file = open_module(symbols, name);
  if (module->file != NULL && !elf_has_symbols(module->file))
    module->debug = open_debug(module->file);
  return module;
}

/* Splits "module+0xOFFSET"; -1 if it is something else. */
static int split_name(const char* name,
                      char module[SYMBOL_MAX],
                      uint64_t* offset) {
  const char* plus = strrchr(name, '+');
  char* end;

  if (plus == NULL || plus == name || strncmp(plus, "+0x", 3) != 0 ||
      (size_t) (plus - name) >= SYMBOL_MAX)
    return -1;
  *offset = strtoull(plus + 3, &end, 16);
  if (*end != '\0' || end == plus + 3)
    return -1;
  memcpy(module, name, (size_t) (plus - name));
  module[plus - name] = '\0';
  /* A base name: it does not lead out of the places. */
  return strpbrk(module, "/\\") == NULL ? 0 : -1;
}

int symbols_resolve(struct symbols* symbols,
                    const char* name,
                    char text[SYMBOL_MAX]) {
  char module_name[SYMBOL_MAX];
  uint64_t offset;

  if (split_name(name, module_name, &offset) != 0)
    return -1;
  const struct module* module = find_module(symbols, module_name);
  if (module == NULL || module->file == NULL)
    return -1;
  const struct elf* elf = module->debug != NULL ? module->debug : module->file;
  const char* found = elf_function(elf, elf_base(module->file) + offset);
  if (found == NULL)
    return -1;
  if (demangle(found, text, SYMBOL_MAX) == 0)
    return 0;
  snprintf(text, SYMBOL_MAX, "%s", found);
  for (char* at = text; *at != '\0'; at++)
    if ((unsigned char) *at < 0x20 || (unsigned char) *at >= 0x7f)
      *at = '?';
  return 0;
}
