/* SPDX-License-Identifier: MIT */
/* uv_cpu_info(): one entry per CPU that is online.
 *
 *   /proc/stat                       the CPUs and their times
 *   /proc/cpuinfo                    model, clock (format varies by machine)
 *   /sys/.../cpuN/cpufreq            highest allowed clock, where known
 *
 * CPU numbers have gaps when some are offline, so the files are matched by
 * number, never by position. The result is one block: entries, then model
 * names. Context: any.
 */
#include "unix/sysinfo/linux-cpu.h"
#include "os/system.h"
#include "unix/sysinfo/procfs.h"
#include "util/alloc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Longest model name that is kept, including its NUL. */
#define MODEL_SIZE 64

/* More CPUs than any kernel can be configured for. */
#define CPUS_MAX 65536

struct cpu {
  unsigned int id;          /* N of cpuN */
  unsigned int mhz;         /* 0: unknown */
  unsigned int implementer; /* ARM's MIDR fields, 0: unknown */
  unsigned int part;
  struct uv_cpu_times_s times; /* in milliseconds */
  char model[MODEL_SIZE];      /* "": unknown */
};

struct cpu_table {
  struct cpu* at; /* owned */
  size_t count;
  size_t room;
};

static struct cpu* table_add(struct cpu_table* table) {
  if (table->count == table->room) {
    size_t room = table->room == 0 ? 16 : table->room * 2;
    struct cpu* grown = uv__realloc_array(table->at, room, sizeof(*grown));
    if (grown == NULL)
      return NULL;
    table->at = grown;
    table->room = room;
  }
  struct cpu* cpu = &table->at[table->count++];
  memset(cpu, 0, sizeof(*cpu));
  return cpu;
}

/* CPUs are listed in ascending order everywhere; searching from `hint` on makes
 * reading a file linear. */
static struct cpu* table_find(struct cpu_table* table,
                              uint64_t id,
                              size_t hint) {
  for (size_t i = 0; i < table->count; i++) {
    struct cpu* cpu = &table->at[(hint + i) % table->count];
    if (cpu->id == id)
      return cpu;
  }
  return NULL;
}

/* "cpuN user nice system idle iowait irq ...", counted in clock ticks. */
static int stat_line(const char* line,
                     uint64_t ticks_per_sec,
                     struct cpu* cpu) {
  if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9')
    return UV_ENOENT;

  const char* at = line + 3;
  uint64_t id;
  if (uv__procfs_number(&at, &id) != 0 || id >= UINT32_MAX)
    return UV_EINVAL;

  uint64_t iowait;
  struct uv_cpu_times_s* t = &cpu->times;
  uint64_t* const fields[] = { &t->user, &t->nice, &t->sys,
                               &t->idle, &iowait,  &t->irq };
  for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
    uint64_t ticks;
    if (uv__procfs_number(&at, &ticks) != 0)
      return UV_EINVAL;
    *fields[i] = ticks * 1000 / ticks_per_sec;
  }
  cpu->id = (unsigned int) id;
  return 0;
}

static int stat_read(const char* root, struct cpu_table* table) {
  struct uv__procfs_lines lines;
  int err = uv__procfs_lines_open(&lines, root, "/proc/stat");
  if (err != 0)
    return err;

  long ticks_per_sec = sysconf(_SC_CLK_TCK);
  if (ticks_per_sec <= 0)
    ticks_per_sec = 100;

  char* line;
  while ((line = uv__procfs_lines_next(&lines)) != NULL) {
    struct cpu cpu = { .id = 0 };
    if (stat_line(line, (uint64_t) ticks_per_sec, &cpu) != 0)
      continue;
    if (table->count == CPUS_MAX)
      break;
    struct cpu* added = table_add(table);
    if (added == NULL) {
      err = UV_ENOMEM;
      break;
    }
    *added = cpu;
  }
  uv__procfs_lines_close(&lines);
  return err;
}

enum cpuinfo_field {
  FIELD_NUMBER,      /* starts the paragraph of a CPU */
  FIELD_MODEL,       /* a name */
  FIELD_MHZ,         /* "2300.000" or "2300.000MHz" */
  FIELD_IMPLEMENTER, /* hexadecimal */
  FIELD_PART         /* hexadecimal */
};

/* The names of these fields on the various architectures. */
static const struct {
  const char* key;
  enum cpuinfo_field field;
} cpuinfo_keys[] = {
  { "processor", FIELD_NUMBER },
  { "model name", FIELD_MODEL },   /* x86, arm */
  { "Model Name", FIELD_MODEL },   /* loongarch */
  { "Processor", FIELD_MODEL },    /* arm before Linux 3.8, once for all */
  { "cpu model", FIELD_MODEL },    /* mips */
  { "cpu", FIELD_MODEL },          /* powerpc */
  { "uarch", FIELD_MODEL },        /* riscv */
  { "cpu MHz", FIELD_MHZ },        /* x86 */
  { "CPU MHz", FIELD_MHZ },        /* loongarch */
  { "clock", FIELD_MHZ },          /* powerpc */
  { "cpu MHz static", FIELD_MHZ }, /* s390 */
  { "CPU implementer", FIELD_IMPLEMENTER },
  { "CPU part", FIELD_PART },
};

/* Splits "key<blanks>: value" in place; 0 if it is not of that form. */
static int line_split(char* line, char** value) {
  char* colon = strchr(line, ':');
  if (colon == NULL)
    return 0;
  char* end = colon;
  while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  *end = '\0';
  *value = colon + 1 + strspn(colon + 1, " \t");
  return 1;
}

static unsigned int hex_parse(const char* text) {
  unsigned int value = 0;
  return sscanf(text, "%x", &value) == 1 ? value : 0;
}

static void field_apply(struct cpu* cpu,
                        enum cpuinfo_field field,
                        const char* value) {
  uint64_t number;
  switch (field) {
  case FIELD_NUMBER:
    break; /* handled by the caller */
  case FIELD_MODEL:
    snprintf(cpu->model, sizeof(cpu->model), "%s", value);
    break;
  case FIELD_MHZ:
    if (uv__procfs_number(&value, &number) == 0 && number <= INT32_MAX)
      cpu->mhz = (unsigned int) number;
    break;
  case FIELD_IMPLEMENTER:
    cpu->implementer = hex_parse(value);
    break;
  case FIELD_PART:
    cpu->part = hex_parse(value);
    break;
  }
}

/* Lines before the first paragraph describe all CPUs and go to `common`. The
 * file is optional, so failing to read it is no error. */
static void cpuinfo_read(const char* root,
                         struct cpu_table* table,
                         struct cpu* common) {
  struct uv__procfs_lines lines;
  if (uv__procfs_lines_open(&lines, root, "/proc/cpuinfo") != 0)
    return;

  struct cpu ignored;
  struct cpu* current = common;
  size_t hint = 0;
  char* line;
  while ((line = uv__procfs_lines_next(&lines)) != NULL) {
    char* value;
    if (!line_split(line, &value))
      continue;
    for (size_t i = 0; i < ARRAY_SIZE(cpuinfo_keys); i++) {
      if (strcmp(line, cpuinfo_keys[i].key) != 0)
        continue;
      const char* at = value;
      uint64_t id;
      if (cpuinfo_keys[i].field != FIELD_NUMBER) {
        field_apply(current, cpuinfo_keys[i].field, value);
      } else if (uv__procfs_number(&at, &id) == 0) {
        struct cpu* found = table_find(table, id, hint);
        current = found == NULL ? &ignored : found;
        hint = found == NULL ? hint : (size_t) (found - table->at);
      }
      break;
    }
  }
  uv__procfs_lines_close(&lines);
}

/* Model names of 64-bit ARM cores, which /proc/cpuinfo identifies by number.
 * Source: the "Main ID Register" sections of the reference manuals. */
static const struct {
  unsigned int implementer;
  unsigned int part;
  const char* name;
} arm_models[] = {
  { 0x41, 0xd03, "Cortex-A53" },  { 0x41, 0xd04, "Cortex-A35" },
  { 0x41, 0xd05, "Cortex-A55" },  { 0x41, 0xd07, "Cortex-A57" },
  { 0x41, 0xd08, "Cortex-A72" },  { 0x41, 0xd09, "Cortex-A73" },
  { 0x41, 0xd0a, "Cortex-A75" },  { 0x41, 0xd0b, "Cortex-A76" },
  { 0x41, 0xd0c, "Neoverse-N1" }, { 0x41, 0xd0d, "Cortex-A77" },
  { 0x41, 0xd40, "Neoverse-V1" }, { 0x41, 0xd41, "Cortex-A78" },
  { 0x41, 0xd44, "Cortex-X1" },   { 0x41, 0xd46, "Cortex-A510" },
  { 0x41, 0xd47, "Cortex-A710" }, { 0x41, 0xd48, "Cortex-X2" },
  { 0x41, 0xd49, "Neoverse-N2" }, { 0x41, 0xd4a, "Neoverse-E1" },
  { 0x41, 0xd4d, "Cortex-A715" }, { 0x41, 0xd4e, "Cortex-X3" },
  { 0x41, 0xd4f, "Neoverse-V2" }, { 0x43, 0x0af, "ThunderX2" },
  { 0xc0, 0xac3, "Ampere-1" },    { 0xc0, 0xac4, "Ampere-1a" },
};

static const char* arm_model(const struct cpu* cpu) {
  for (size_t i = 0; i < ARRAY_SIZE(arm_models); i++)
    if (arm_models[i].implementer == cpu->implementer &&
        arm_models[i].part == cpu->part)
      return arm_models[i].name;
  return NULL;
}

/* In kHz. The clock in /proc/cpuinfo is only the current one. */
static void frequency_read(const char* root, struct cpu* cpu) {
  char name[96];
  char path[UV__PROCFS_PATH_SIZE];
  char text[32];
  snprintf(name, sizeof(name),
           "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_max_freq", cpu->id);
  if (uv__procfs_path(path, root, name) != 0)
    return;
  if (uv__procfs_slurp(path, text, sizeof(text)) < 0)
    return;
  const char* at = text;
  uint64_t khz;
  if (uv__procfs_number(&at, &khz) == 0 && khz / 1000 <= INT32_MAX)
    cpu->mhz = (unsigned int) (khz / 1000);
}

/* Fills missing fields of one CPU from what is known about all of them. */
static void cpu_complete(struct cpu* cpu, const struct cpu* common) {
  const char* model = cpu->model;
  if (model[0] == '\0')
    model = arm_model(cpu);
  if (model == NULL && common->model[0] != '\0')
    model = common->model;
  if (model == NULL)
    model = "unknown";
  if (model != cpu->model)
    snprintf(cpu->model, sizeof(cpu->model), "%s", model);
  if (cpu->mhz == 0)
    cpu->mhz = common->mhz;
}

static int result_build(const struct cpu_table* table,
                        uv_cpu_info_t** infos,
                        int* count) {
  size_t bytes = 0;
  for (size_t i = 0; i < table->count; i++)
    bytes += strlen(table->at[i].model) + 1;

  uv_cpu_info_t* block = uv__malloc(table->count * sizeof(*block) + bytes);
  if (block == NULL)
    return UV_ENOMEM;

  char* text = (char*) (block + table->count);
  for (size_t i = 0; i < table->count; i++) {
    const struct cpu* cpu = &table->at[i];
    size_t size = strlen(cpu->model) + 1;
    block[i].model = memcpy(text, cpu->model, size);
    block[i].speed = (int) cpu->mhz;
    block[i].cpu_times = cpu->times;
    text += size;
  }
  *infos = block;
  *count = (int) table->count;
  return 0;
}

int uv__cpuinfo_read(const char* root, uv_cpu_info_t** infos, int* count) {
  struct cpu_table table = { .at = NULL };
  int err = stat_read(root, &table);
  if (err == 0 && table.count == 0)
    err = UV_ENOENT;
  if (err != 0)
    goto out;

  struct cpu common = { .id = 0 };
  cpuinfo_read(root, &table, &common);
  for (size_t i = 0; i < table.count; i++) {
    frequency_read(root, &table.at[i]);
    cpu_complete(&table.at[i], &common);
  }
  err = result_build(&table, infos, count);

out:
  uv__free(table.at);
  return err;
}

int uv__os_cpu_info(uv_cpu_info_t** cpu_infos, int* count) {
  return uv__cpuinfo_read("", cpu_infos, count);
}
