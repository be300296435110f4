/* SPDX-License-Identifier: MIT */
#include "options.h"
#include "base.h"
#include "symbols.h"

#include <string.h>

#define NUMBER_MAX UINT64_C(1000000000)

static const struct row {
  const char* name;
  unsigned bit;
  const char* value; /* what the value is called; NULL: there is none */
  size_t text_at;    /* in struct options; 0: it is not stored as text */
  size_t number_at;
} rows[] = {
  { "-o", OPTION_OUTPUT, "a file", offsetof(struct options, output), 0 },
  { "--top", OPTION_TOP, "a number", 0, offsetof(struct options, top) },
  { "--starved", OPTION_STARVED, "milliseconds", 0,
    offsetof(struct options, starved_ms) },
  { "--slices", OPTION_SLICES, "a number", 0,
    offsetof(struct options, slices) },
  { "--interval", OPTION_INTERVAL, "milliseconds", 0,
    offsetof(struct options, interval_ms) },
  { "--blocked", OPTION_BLOCKED, "milliseconds", 0,
    offsetof(struct options, blocked_ms) },
  { "--details", OPTION_DETAILS, NULL, 0, 0 },
  { "--file", OPTION_FILE, "a file", offsetof(struct options, file), 0 },
  { "--library", OPTION_LIBRARY, "a directory",
    offsetof(struct options, library), 0 },
  { "--preload", OPTION_PRELOAD, "a library", offsetof(struct options, preload),
    0 },
  { "--modules", OPTION_MODULES, "a file or directory", 0, 0 },
  { "--once", OPTION_ONCE, NULL, 0, 0 },
};

static int read_number(const char* text, uint64_t* number) {
  uint64_t value = 0;

  if (*text == '\0')
    return -1;
  for (; *text != '\0'; text++) {
    if (*text < '0' || *text > '9')
      return -1;
    value = value * 10 + (uint64_t) (*text - '0');
    if (value > NUMBER_MAX)
      return -1;
  }
  *number = value;
  return 0;
}

static int set_option(struct options* options,
                      const struct row* row,
                      const char* value) {
  char* base = (char*) options;

  if (row->bit == OPTION_DETAILS) {
    options->has_details = 1;
    return 0;
  }
  if (row->bit == OPTION_ONCE) {
    options->is_once = 1;
    return 0;
  }
  if (value == NULL || *value == '\0') {
    base_say("%s needs %s", row->name, row->value);
    return -1;
  }
  if (row->bit == OPTION_MODULES)
    symbols_add_place(options->symbols, value);
  else if (row->number_at == 0)
    memcpy(base + row->text_at, &value, sizeof(value));
  else if (read_number(value, (uint64_t*) (base + row->number_at)) != 0) {
    base_say("%s needs %s, not %s", row->name, row->value, value);
    return -1;
  }
  return 0;
}

/* The option's row; `*value` is what follows a "=", or NULL. */
static const struct row* find_row(const char* word,
                                  unsigned which,
                                  const char** value) {
  size_t len = strcspn(word, "=");

  *value = word[len] == '=' ? word + len + 1 : NULL;
  for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
    if ((rows[i].bit & which) != 0 && strlen(rows[i].name) == len &&
        strncmp(rows[i].name, word, len) == 0)
      return &rows[i];
  return NULL;
}

int options_parse(struct options* options, unsigned which, char** argv) {
  int is_program = 0;

  memset(options, 0, sizeof(*options));
  options->top = 15;
  options->starved_ms = 10;
  options->slices = 100000;
  options->interval_ms = 1000;
  options->symbols = symbols_new();
  options->words = argv;
  for (int i = 0; argv[i] != NULL; i++) {
    const char* value;
    /* "-" is standard input. */
    if (is_program || argv[i][0] != '-' || argv[i][1] == '\0') {
      options->words[options->nwords++] = argv[i];
      is_program |= (which & OPTION_PROGRAM) != 0;
      continue;
    }
    if (strcmp(argv[i], "--") == 0) {
      is_program = 1;
      continue;
    }
    const struct row* row = find_row(argv[i], which, &value);
    if (row == NULL) {
      base_say("unknown option %s (uv-trace --help)", argv[i]);
      return -1;
    }
    if (row->value != NULL && value == NULL && argv[i + 1] != NULL)
      value = argv[++i];
    if (set_option(options, row, value) != 0)
      return -1;
  }
  options->words[options->nwords] = NULL;
  return 0;
}

void options_close(struct options* options) {
  symbols_free(options->symbols);
}
