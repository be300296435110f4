/* SPDX-License-Identifier: MIT */
/* Processors: how many are available, their model, speed and times.
 *
 * Times come from the kernel, model and speed from what the firmware stored in
 * the registry. The result is one block: entries, then the model names.
 * Context: any.
 */
#include "os/system.h"
#include "util/alloc.h"
#include "win/error.h"
#include "win/wide.h"
#include "win/winapi.h"

#include <stdio.h>
#include <string.h>

#define MODEL_UNITS 128
#define MODEL_BYTES (3 * MODEL_UNITS)
#define TICKS_PER_MSEC 10000

struct cpu_description {
  char model[MODEL_BYTES];
  DWORD mhz;
};

static unsigned int count_bits(DWORD_PTR bits) {
  unsigned int count = 0;

  for (; bits != 0; bits &= bits - 1)
    count++;
  return count;
}

unsigned int uv_available_parallelism(void) {
  DWORD_PTR usable;
  DWORD_PTR all;
  unsigned int count = 0;

  /* Both masks are 0 if the process spans several processor groups. */
  if (GetProcessAffinityMask(GetCurrentProcess(), &usable, &all))
    count = count_bits(usable);
  if (count == 0)
    count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
  return count == 0 ? 1 : count;
}

static void cpu_describe(DWORD cpu, struct cpu_description* out) {
  WCHAR key[80];
  WCHAR model[MODEL_UNITS];
  DWORD bytes = sizeof(model);
  size_t room = sizeof(out->model);

  snprintf(out->model, sizeof(out->model), "unknown");
  out->mhz = 0;
  _snwprintf(key, ARRAY_SIZE(key),
             L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\%lu", cpu);
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, L"ProcessorNameString",
                   RRF_RT_REG_SZ, NULL, model, &bytes) == ERROR_SUCCESS)
    (void) uv__wide_put(model, -1, out->model, &room); /* large enough */
  bytes = sizeof(out->mhz);
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, L"~MHz", RRF_RT_REG_DWORD, NULL,
                   &out->mhz, &bytes) != ERROR_SUCCESS)
    out->mhz = 0;
}

static void entry_times(uv_cpu_info_t* to,
                        const struct uv__processor_times* from) {
  uint64_t kernel = (uint64_t) (from->kernel.QuadPart - from->idle.QuadPart);

  to->cpu_times.user = (uint64_t) from->user.QuadPart / TICKS_PER_MSEC;
  to->cpu_times.nice = 0;
  to->cpu_times.sys = kernel / TICKS_PER_MSEC;
  to->cpu_times.idle = (uint64_t) from->idle.QuadPart / TICKS_PER_MSEC;
  to->cpu_times.irq = (uint64_t) from->interrupt.QuadPart / TICKS_PER_MSEC;
}

static int times_get(struct uv__processor_times* times, DWORD* count) {
  ULONG used = 0;
  ULONG size = (ULONG) (*count * sizeof(*times));
  LONG status = uv__winapi()->NtQuerySystemInformation(
      UV__SYSTEM_PROCESSOR_PERFORMANCE, times, size, &used);

  if (status < 0)
    return uv__status_error(status);
  if (used / sizeof(*times) < *count)
    *count = (DWORD) (used / sizeof(*times));
  return 0;
}

static uv_cpu_info_t* cpu_info_build(const struct uv__processor_times* times,
                                     DWORD count) {
  struct cpu_description cpu;
  size_t bytes = count * (sizeof(uv_cpu_info_t) + sizeof(cpu.model));
  uv_cpu_info_t* infos = uv__malloc(bytes);
  if (infos == NULL)
    return NULL;

  char* text = (char*) (infos + count);
  for (DWORD i = 0; i < count; i++) {
    cpu_describe(i, &cpu);
    entry_times(&infos[i], &times[i]);
    infos[i].speed = (int) cpu.mhz;
    infos[i].model = text;
    size_t size = strlen(cpu.model) + 1;
    memcpy(text, cpu.model, size);
    text += size;
  }
  return infos;
}

int uv__os_cpu_info(uv_cpu_info_t** cpu_infos, int* count) {
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  DWORD cpus = system.dwNumberOfProcessors;
  struct uv__processor_times* times = uv__calloc(cpus, sizeof(*times));
  if (times == NULL)
    return UV_ENOMEM;

  int err = times_get(times, &cpus);
  if (err == 0) {
    *cpu_infos = cpu_info_build(times, cpus);
    err = *cpu_infos == NULL ? UV_ENOMEM : 0;
  }
  if (err == 0)
    *count = (int) cpus;
  uv__free(times);
  return err;
}
