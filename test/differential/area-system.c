/* SPDX-License-Identifier: MIT */
/* Area system: what the library says about the machine, the process and its
 * own objects. Numbers that change by themselves are compared with what the
 * system says; of the others the value is shown. */
#include "system-world.h"
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static void say(const struct step* step, const char* text) {
  world_say(step, NULL, 0, "%s", text);
}

static unsigned sum_of(const void* data, size_t size) {
  const unsigned char* bytes = data;
  unsigned sum = 0;

  for (size_t i = 0; i < size; i++)
    sum = sum * 31 + bytes[i];
  return sum;
}

/* --- the machine --------------------------------------------------------- */

void cpu_info(const struct step* step) {
  uv_cpu_info_t* infos;
  int count;
  int err = uv_cpu_info(&infos, &count);

  if (err == 0) {
    int has_times = 1;
    for (int i = 0; i < count; i++)
      has_times &= infos[i].cpu_times.user > 0 && infos[i].cpu_times.idle > 0;
    world_say(step, NULL, err, "cpu_info %d: %s, times %d", count,
              infos[0].model, has_times);
    uv_free_cpu_info(infos, count);
  }
}

static int is_near(double value, double other) {
  return fabs(value - other) <= 0.05 * other + 1;
}

static void memory(const struct step* step) {
  uint64_t total = uv_get_total_memory();
  uint64_t constrained = uv_get_constrained_memory();

  world_say(step, NULL, 0, "memory %llu %llu, free %d",
            (unsigned long long) total, (unsigned long long) constrained,
            uv_get_free_memory() <= total);
}

static void available_memory(const struct step* step) {
  uint64_t available = uv_get_available_memory();
  world_say(step, NULL, 0, "available memory %d",
            available > 0 && available <= uv_get_total_memory());
}

static void resident(const struct step* step) {
  size_t rss = 0;
  int err = uv_resident_set_memory(&rss);
  world_say(step, NULL, err, "resident set in pages %d",
            rss > 0 && rss % system_page_size() == 0);
}

static void load(const struct step* step) {
  double average[3] = { -1, -1, -1 };
  double system[3];

  uv_loadavg(average);
  system_load(system);
  world_say(step, NULL, 0, "loadavg %d %d %d", is_near(average[0], system[0]),
            is_near(average[1], system[1]), is_near(average[2], system[2]));
}

static void uptime(const struct step* step) {
  double seconds = -1;
  int err = uv_uptime(&seconds);

  world_say(step, NULL, err, "uptime %d", is_near(seconds, system_uptime()));
}

static void uname_one(const struct step* step) {
  uv_utsname_t name;
  int err = uv_os_uname(step->arg[0] % 6 == 0 ? NULL : &name);

  if (err != 0)
    world_say(step, NULL, err, "uname NULL");
  else
    world_say(step, NULL, err, "uname %s %s %s %s", name.sysname, name.release,
              name.version, name.machine);
}

static void interfaces(const struct step* step) {
  uv_interface_address_t* addresses;
  int count;
  int err = uv_interface_addresses(&addresses, &count);

  trace_add("interfaces: ");
  for (int i = 0; err == 0 && i < count; i++)
    trace_add("%s %d %u %u %u, ", addresses[i].name, addresses[i].is_internal,
              sum_of(addresses[i].phys_addr, 6),
              sum_of(&addresses[i].address, sizeof(addresses[i].address)),
              sum_of(&addresses[i].netmask, sizeof(addresses[i].netmask)));
  trace_end();
  world_say(step, NULL, err, "interface_addresses %d", count);
  if (err == 0)
    uv_free_interface_addresses(addresses, count);
}

static void interface_id(const struct step* step) {
  static const unsigned indices[] = { 0, 1, 2, 9999 };
  char name[UV_IF_NAMESIZE] = "";
  size_t size = step->arg[1] % (sizeof(name) + 1);
  unsigned index = AT(indices, step->arg[0]);
  int err = uv_if_indextoiid(index, name, &size);

  world_say(step, NULL, err, "if_indextoiid %u: %zu %s", index, size,
            err == 0 ? name : "");
}

static void parallelism(const struct step* step) {
  world_say(step, NULL, uv_available_parallelism(), "available_parallelism");
}

/* --- the process --------------------------------------------------------- */

static void usage(const struct step* step) {
  struct usage system;
  uv_rusage_t rusage;
  int is_thread = step->arg[0] % 2;
  int err;

  system_usage(is_thread, &system);
  err = is_thread ? uv_getrusage_thread(&rusage) : uv_getrusage(&rusage);
  world_say(
      step, NULL, err, "getrusage %d: seconds %d, rss %d, faults %d", is_thread,
      rusage.ru_utime.tv_sec >= system.seconds &&
          rusage.ru_utime.tv_sec <= system.seconds + 1,
      rusage.ru_maxrss >= system.maxrss, rusage.ru_minflt >= system.faults);
}

static void ids(const struct step* step) {
  world_say(step, NULL, 0, "pids %d %d", uv_os_getpid() == getpid(),
            uv_os_getppid() == system_parent());
}

static void passwd(const struct step* step) {
  uv_passwd_t p;
  int err = uv_os_get_passwd(step->arg[0] % 6 == 0 ? NULL : &p);

  if (err != 0) {
    world_say(step, NULL, err, "get_passwd");
    return;
  }
  world_say(step, NULL, err, "get_passwd %s %lu %lu %s %s", p.username, p.uid,
            p.gid, p.shell, p.homedir);
  uv_os_free_passwd(&p);
}

/* Those that name the process or its directory. */
static int is_own_variable(const char* name) {
  static const char* const names[] = { "_", "DIFFER_PID", "PWD", "=Z:" };

  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (strcmp(name, names[i]) == 0)
      return 1;
  return 0;
}

static void environ_all(const struct step* step) {
  uv_env_item_t* items;
  int count;
  int err;

  if (step->arg[0] % 2)
    uv_os_setenv("DIFFER_EMPTY", "");
  if (step->arg[0] % 3 == 0)
    environment_add_odd(step->arg[0]);
  err = uv_os_environ(&items, &count);
  unsigned sum = 0;
  for (int i = 0; err == 0 && i < count; i++)
    if (!is_own_variable(items[i].name))
      sum += sum_of(items[i].name, strlen(items[i].name)) ^
             sum_of(items[i].value, strlen(items[i].value));
  world_say(step, NULL, err, "environ %d %u", count, sum);
  if (err == 0)
    uv_os_free_environ(items, count);
}

static void title(const struct step* step) {
  static const char* const titles[] = {
    "", "x", "a title",
    "a title that is longer than the arguments of this "
    "program are likely to be, and then some more to be sure of it: one two "
    "three four five six seven eight nine ten eleven twelve"
  };
  static const size_t sizes[] = { 0, 1, 2, 8, 20, 256 };
  const char* to = AT(titles, step->arg[0]);
  size_t size = AT(sizes, step->arg[1]);
  char now[256] = "";
  int set = uv_set_process_title(to);
  int err = uv_get_process_title(step->arg[2] % 20 == 0 ? NULL : now, size);

  /* How much is kept depends on the program's path and arguments. */
  world_say(step, NULL, err, "set_process_title %s, get %zu: %.20s",
            trace_code(set), size, err == 0 ? now : "");
}

static void times(const struct step* step) {
  struct timeval system;
  uv_timeval64_t tv;
  uint64_t before = uv_hrtime();
  int err = uv_gettimeofday(step->arg[0] % 6 == 0 ? NULL : &tv);

  gettimeofday(&system, NULL);
  world_say(step, NULL, err, "gettimeofday %d, hrtime %llu",
            err != 0 || llabs(system.tv_sec - tv.tv_sec) <= 1,
            (unsigned long long) (uv_hrtime() - before));
}

/* --- small functions ----------------------------------------------------- */

static void versions(const struct step* step) {
  world_say(step, NULL, 0, "version %d %d", uv_version() >> 16,
            strncmp(uv_version_string(), "1.", 2));
}

static void texts(const struct step* step) {
  static const int codes[] = { UV_EINVAL, UV_EOF, UV_EAI_AGAIN, UV_UNKNOWN,
                               UV_ENOTSUP };
  int code = AT(codes, step->arg[0]);
  world_say(step, NULL, code, "%s: %s", uv_err_name(code), uv_strerror(code));
}

static void pairs(const struct step* step) {
  static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, 99 };
  static const int flags[] = { 0, UV_NONBLOCK_PIPE, UV_READABLE_PIPE, 1 << 20 };
  int is_pipe = step->arg[0] % 2;
  int type = AT(types, step->arg[1]);
  int protocol = step->arg[3] % 8 == 0 ? 99 : 0;
  int first = AT(flags, step->arg[2]);
  int second = AT(flags, step->arg[2] / 4);
  unsigned seen[2] = { 0, 0 };
  uv_file files[2];
  uv_os_sock_t socks[2];
  int err = is_pipe ? uv_pipe(files, first, second)
                    : uv_socketpair(type, protocol, socks, first, second);

  for (int i = 0; i < 2 && err == 0; i++)
    seen[i] = is_pipe ? pipe_end_flags(files[i]) : socket_end_flags(socks[i]);
  world_say(step, NULL, err, "%s type %d protocol %d flags %#x %#x: %#x %#x",
            is_pipe ? "pipe" : "socketpair", type, protocol, first, second,
            seen[0], seen[1]);
}

static void allocator(const struct step* step) {
  unsigned without = step->arg[0] % 8; /* one of them, or none */
  int err = uv_replace_allocator(
      without == 1 ? NULL : malloc, without == 2 ? NULL : realloc,
      without == 3 ? NULL : calloc, without == 4 ? NULL : free);
  world_say(step, NULL, err, "replace_allocator without %u", without);
}

static void symbols(const struct step* step) {
  const char* const names[] = { library_symbol, "differ_missing", "" };
  const char* name = AT(names, step->arg[0]);
  uv_lib_t lib;
  void* address = NULL;
  int opened =
      uv_dlopen(step->arg[1] % 4 ? library_name : "./missing.so", &lib);
  int found = opened == 0 ? uv_dlsym(&lib, name, &address) : 0;
  char text[96];

  /* Messages of the linker may begin with this program's path. */
  const char* message = uv_dlerror(&lib);
  const char* symbol = strstr(message, "undefined symbol");
  snprintf(text, sizeof(text), "%s", symbol == NULL ? message : symbol);
  world_say(step, NULL, found, "dlopen %d, dlsym \"%s\" %d: %s", opened, name,
            address != NULL, text);
  uv_dlclose(&lib);
}

/* --- objects ------------------------------------------------------------- */

static void data_of_loop(const struct step* step) {
  static int value;
  uv_loop_t* loop = world_loop();

  uv_loop_set_data(loop, step->arg[0] % 2 ? &value : NULL);
  world_say(step, NULL, 0, "loop data %d, size %zu, fd %d",
            uv_loop_get_data(loop) == &value, uv_loop_size(),
            uv_backend_fd(loop) >= 0);
}

static void data_of_request(const struct step* step) {
  static int value;
  uv_fs_t req;

  uv_fs_stat(NULL, &req, step->arg[0] % 2 ? "." : "missing", NULL);
  uv_req_set_data((uv_req_t*) &req, &value);
  world_say(step, NULL, (long) uv_fs_get_result(&req),
            "request: data %d, type %d, fs type %d, ptr %d, path %s, dir %d, "
            "system error %d",
            uv_req_get_data((uv_req_t*) &req) == &value,
            uv_req_get_type((uv_req_t*) &req), uv_fs_get_type(&req),
            uv_fs_get_ptr(&req) != NULL, uv_fs_get_path(&req),
            req.result == 0 &&
                (uv_fs_get_statbuf(&req)->st_mode & 0170000) == 0040000,
            uv_fs_get_system_error(&req));
  uv_fs_req_cleanup(&req);
}

static uv_timer_t timer; /* no object of the world */

static void data_of_handle(const struct step* step) {
  int is_new = timer.loop == NULL;
  int err = is_new ? uv_timer_init(world_loop(), &timer) : 0;

  if (is_new)
    uv_unref((uv_handle_t*) &timer);
  /* The world takes a handle with data for one of its own. */
  uv_handle_set_data((uv_handle_t*) &timer, &timer);
  int is_kept = uv_handle_get_data((uv_handle_t*) &timer) == &timer;
  uv_handle_set_data((uv_handle_t*) &timer, NULL);
  world_say(step, NULL, err, "handle: data %d, type %d, loop %d", is_kept,
            uv_handle_get_type((uv_handle_t*) &timer),
            uv_handle_get_loop((uv_handle_t*) &timer) == world_loop());
}

/* The list of handles, without their addresses and without those that a
 * library has for itself ("I"). */
static void print(const struct step* step) {
  FILE* file = fopen("printed", "w+b");
  char line[128];

  if (step->arg[0] % 2)
    uv_print_all_handles(world_loop(), file);
  else
    uv_print_active_handles(world_loop(), file);
  rewind(file);
  while (fgets(line, sizeof(line), file) != NULL) {
    char* address = strrchr(line, ' ');
    if (strncmp(line, "[--I]", 5) == 0 || strncmp(line, "[-AI]", 5) == 0)
      continue;
    *address = '\0';
    trace_add("printed: %s", line);
    trace_end();
  }
  fclose(file);
  say(step, "printed");
}

static void loops(const struct step* step) {
  uv_loop_t* loop = uv_loop_new();
  int alive = uv_loop_alive(loop);
  int is_default = step->arg[0] % 2 && uv_default_loop() == uv_default_loop();

  uv_loop_delete(loop);
  if (is_default)
    world_say(step, NULL, uv_loop_close(uv_default_loop()),
              "loop_new alive %d, default loop", alive);
  else
    world_say(step, NULL, 0, "loop_new alive %d", alive);
}

/* ------------------------------------------------------------------------- */

static void begin(void) {
  /* The probe of a library for the size of the title happens only once. */
  uv_set_process_title("differ");
}

static void end(void) {
  if (timer.loop != NULL)
    uv_close((uv_handle_t*) &timer, NULL);
}

/* The last call of all. */
static void cleanup(void) {
  uv_library_shutdown();
  uv_library_shutdown();
  trace_add("library_shutdown");
  trace_end();
}

static const struct op ops[] = {
  { "memory", 8, memory, 0 },
  { "available_memory", 8, available_memory, SINCE_1_45 },
  { "resident", 8, resident, 0 },
  { "loadavg", 5, load, 0 },
  { "uptime", 8, uptime, 0 },
  { "uname", 8, uname_one, 0 },
  { "interfaces", 8, interfaces, 0 },
  { "interface_id", 10, interface_id, 0 },
  { "parallelism", 8, parallelism, 0 },
  { "rusage", 8, usage, SINCE_1_50 },
  { "ids", 5, ids, 0 },
  { "passwd", 8, passwd, 0 },
  { "environ", 8, environ_all, 0 },
  { "title", 15, title, 0 },
  { "times", 8, times, 0 },
  { "versions", 3, versions, 0 },
  { "texts", 5, texts, 0 },
  { "pairs", 20, pairs, 0 },
  { "allocator", 5, allocator, 0 },
  { "symbols", 15, symbols, 0 },
  { "loop_data", 8, data_of_loop, 0 },
  { "request_data", 10, data_of_request, 0 },
  { "handle_data", 8, data_of_handle, 0 },
  { "print", 15, print, 0 },
  { "loops", 8, loops, 0 },
  { NULL, 0, NULL, 0 },
};

const struct area area_system = {
  .name = "system",
  .ops = ops,
  .common = loop_few_ops,
  .more = system_more_ops,
  .setup = loop_setup,
  .begin = begin,
  .end = end,
  .cleanup = cleanup,
};
