/* SPDX-License-Identifier: MIT */
/* The pool, names, random numbers, processes, threads, the system. */
#include "scenarios.h"
#include "uv/ext.h"

#include <sys/socket.h>
#include <unistd.h>

static uv_work_t works[6];
static int worked;

static void on_work(uv_work_t* work) {
  (void) work;
}

static void after_work(uv_work_t* work, int status) {
  (void) work;
  sc_arrived();
  if (status != 0)
    sc_fail(status);
  else
    worked++;
}

static uv_random_t random_req;
static char noise[64];

static void on_random(uv_random_t* r, int status, void* buf, size_t len) {
  (void) r;
  sc_arrived();
  SC_CHECK(buf == noise && len == sizeof(noise));
  if (status != 0)
    sc_fail(status);
}

void scenario_work(void) {
  worked = 0;
  for (int i = 0; i < 6; i++)
    if (sc_expect(uv_queue_work(&sc.loop, &works[i], on_work, after_work)) != 0)
      break;
  if (sc.err == 0)
    sc_expect(
        uv_random(&sc.loop, &random_req, noise, sizeof(noise), 0, on_random));
  sc_run();
  if (sc.err == 0) {
    SC_CHECK(worked == 6);
    sc_try(uv_random(NULL, NULL, noise, sizeof(noise), 0, NULL));
  }
  sc.goal = 1;
}

static uv_getaddrinfo_t info_req;
static uv_getnameinfo_t name_req;

static void on_name(uv_getnameinfo_t* r,
                    int status,
                    const char* host,
                    const char* service) {
  (void) r;
  sc_arrived();
  if (status != 0) {
    sc_fail(status);
    return;
  }
  SC_CHECK(host != NULL && service != NULL);
  sc.goal = 1;
}

static void on_info(uv_getaddrinfo_t* r, int status, struct addrinfo* list) {
  (void) r;
  sc_arrived();
  if (status != 0) {
    SC_CHECK(list == NULL);
    sc_fail(status);
    return;
  }
  sc_expect(uv_getnameinfo(&sc.loop, &name_req, on_name, list->ai_addr,
                           NI_NUMERICSERV));
  uv_freeaddrinfo(list);
}

void scenario_names(void) {
  struct addrinfo hints;

  memset(&hints, 0, sizeof(hints));
  hints.ai_family = AF_INET;
  hints.ai_flags = AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  sc_expect(
      uv_getaddrinfo(&sc.loop, &info_req, on_info, "localhost", "80", &hints));
  sc_run();
  if (sc.err != 0)
    return;
  if (sc_try(uv_getaddrinfo(&sc.loop, &info_req, NULL, "127.0.0.1", "80",
                            &hints)) == 0)
    uv_freeaddrinfo(info_req.addrinfo);
}

/* One request in each lane at the same time, twice: the system may refuse any
 * thread of any lane. */
static uv_work_t lane_work[2];
static uv_fs_t lane_stat[2];
static uv_getnameinfo_t lane_name[2];
static int lane_ends;

static void lane_ended(int err) {
  sc_arrived();
  if (err != 0)
    sc_fail(err);
  else if (++lane_ends == 6)
    sc.goal = 1;
}

static void on_lane_work(uv_work_t* work, int status) {
  (void) work;
  lane_ended(status);
}

static void on_lane_stat(uv_fs_t* req) {
  int err = req->result < 0 ? (int) req->result : 0;

  uv_fs_req_cleanup(req);
  lane_ended(err);
}

static void on_lane_name(uv_getnameinfo_t* req,
                         int status,
                         const char* host,
                         const char* service) {
  (void) req;
  (void) host;
  (void) service;
  lane_ended(status);
}

void scenario_lanes(void) {
  struct sockaddr_in addr;

  lane_ends = 0;
  uv_ip4_addr("127.0.0.1", 80, &addr);
  for (int i = 0; i < 2 && sc.err == 0; i++) {
    sc_expect(uv_queue_work(&sc.loop, &lane_work[i], on_work, on_lane_work));
    if (sc.err == 0)
      sc_expect(uv_fs_stat(&sc.loop, &lane_stat[i], "/", on_lane_stat));
    if (sc.err == 0)
      sc_expect(uv_getnameinfo(&sc.loop, &lane_name[i], on_lane_name,
                               (struct sockaddr*) &addr,
                               NI_NUMERICHOST | NI_NUMERICSERV));
  }
  sc_run();
}

/* A pool of the program's own: its memory, and any of its threads, may be
 * refused. */
void scenario_pools(void) {
  uvx_pool_options_t options = { .size = sizeof(options), .threads = 2 };
  uvx_pool_t* pool;

  worked = 0;
  if (sc_try(uvx_pool_new(&pool, &options)) != 0)
    return;
  if (sc_try(uvx_pool_set_threads(pool, 3)) == 0)
    for (int i = 0; i < 6 && sc.err == 0; i++)
      sc_expect(uvx_queue_work(pool, &sc.loop, &works[i], on_work, after_work));
  sc_run();
  SC_CHECK(sc.err != 0 || worked == 6);
  SC_CHECK(uvx_pool_free(pool) == 0);
  sc.goal = 1;
}

/* ------------------------------------------------------------------------- */

static uv_process_t process;
static uv_pipe_t in;
static uv_pipe_t out;
static uv_write_t write_req;
static uv_shutdown_t shutdown_req;
static int output;
static int ended;

static void process_over(void) {
  if (output != 5 || !ended)
    return;
  sc.goal = 1;
  sc_close_all();
}

static void on_exit_cb(uv_process_t* p, int64_t status, int signum) {
  (void) p;
  sc_arrived();
  ended = 1;
  if (status != 0 || signum != 0)
    sc_fail(UV_EIO); /* because its input or output was refused */
  process_over();
}

static void on_output(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  (void) buf;
  if (n > 0)
    output += (int) n;
  else if (n == UV_EOF && output != 5)
    sc_fail(UV_EOF);
  else if (n < 0 && n != UV_EOF)
    sc_fail((int) n);
  else if (n == UV_EOF && !uv_is_closing((uv_handle_t*) s))
    uv_close((uv_handle_t*) s, NULL);
  process_over();
}

static void on_input(uv_write_t* r, int status) {
  (void) r;
  sc_arrived();
  if (status != 0)
    sc_fail(status);
}

static void on_input_end(uv_shutdown_t* r, int status) {
  (void) r;
  sc_arrived();
  if (status != 0)
    sc_fail(status);
}

static void start_cat(unsigned flags) {
  static char* args[] = { (char*) "cat", NULL };
  uv_process_options_t options;
  uv_stdio_container_t stdio[3];
  uv_buf_t buf = uv_buf_init((char*) "hello", 5);

  output = 0;
  ended = 0;
  memset(&options, 0, sizeof(options));
  options.file = "cat";
  options.args = args;
  options.flags = flags;
  options.uid = getuid();
  options.gid = getgid();
  options.cwd = "/";
  options.exit_cb = on_exit_cb;
  options.stdio = stdio;
  options.stdio_count = 3;
  stdio[0].flags = UV_CREATE_PIPE | UV_READABLE_PIPE;
  stdio[0].data.stream = (uv_stream_t*) &in;
  stdio[1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
  stdio[1].data.stream = (uv_stream_t*) &out;
  stdio[2].flags = UV_IGNORE;
  if (sc_try(uv_pipe_init(&sc.loop, &in, 0)) != 0 ||
      sc_try(uv_pipe_init(&sc.loop, &out, 0)) != 0 ||
      sc_try(uv_spawn(&sc.loop, &process, &options)) != 0)
    return sc_run();
  sc.pending++;
  SC_CHECK(uv_process_get_pid(&process) > 0);
  if (sc_try(uv_read_start((uv_stream_t*) &out, sc_alloc, on_output)) == 0 &&
      sc_expect(uv_write(&write_req, (uv_stream_t*) &in, &buf, 1, on_input)) ==
          0)
    sc_expect(uv_shutdown(&shutdown_req, (uv_stream_t*) &in, on_input_end));
  sc_run();
  if (!ended) {
    sc.pending--; /* closed while it ran: no exit is reported */
    SC_CHECK(sc.err != 0);
  }
}

void scenario_process(void) {
  start_cat(0);
}

void scenario_process_detached(void) {
  start_cat(UV_PROCESS_DETACHED);
}

/* By fork(). */
void scenario_process_user(void) {
  start_cat(UV_PROCESS_SETUID | UV_PROCESS_SETGID);
}

/* Enough that the library asks the kernel which child has exited. */
#define CROWD 5

static uv_process_t crowd[CROWD];
static int crowd_ended;

static void on_crowd_exit(uv_process_t* p, int64_t status, int signum) {
  sc_arrived();
  if (status != 0 || signum != 0)
    sc_fail(UV_EIO);
  if (!uv_is_closing((uv_handle_t*) p))
    uv_close((uv_handle_t*) p, NULL);
  if (++crowd_ended == CROWD)
    sc.goal = 1;
}

void scenario_process_many(void) {
  static char* args[] = { (char*) "true", NULL };
  uv_process_options_t options;
  int started = 0;

  memset(&options, 0, sizeof(options));
  options.file = "true";
  options.args = args;
  options.exit_cb = on_crowd_exit;
  crowd_ended = 0;
  while (started < CROWD &&
         sc_try(uv_spawn(&sc.loop, &crowd[started], &options)) == 0) {
    started++;
    sc.pending++;
  }
  for (int i = 0; i < started && sc.err == 0; i++)
    sc_try(uv_process_kill(&crowd[i], 0)); /* is it there? */
  sc_run();
  if (crowd_ended != started) {
    sc.pending -= started - crowd_ended; /* closed while they ran */
    SC_CHECK(sc.err != 0);
  }
}

/* ------------------------------------------------------------------------- */

static void in_thread(void* arg) {
  (*(int*) arg)++;
}

void scenario_threads(void) {
  uv_mutex_t mutex;
  uv_rwlock_t rwlock;
  uv_cond_t cond;
  uv_sem_t sem;
  uv_barrier_t barrier;
  uv_key_t key;
  uv_thread_t thread;
  uv_thread_options_t options = { UV_THREAD_HAS_STACK_SIZE, 1 << 18 };
  uv_lib_t lib;
  int ran = 0;

  if (sc_try(uv_mutex_init(&mutex)) == 0)
    uv_mutex_destroy(&mutex);
  if (sc_try(uv_mutex_init_recursive(&mutex)) == 0)
    uv_mutex_destroy(&mutex);
  if (sc_try(uv_rwlock_init(&rwlock)) == 0)
    uv_rwlock_destroy(&rwlock);
  if (sc_try(uv_cond_init(&cond)) == 0)
    uv_cond_destroy(&cond);
  if (sc_try(uv_sem_init(&sem, 1)) == 0) {
    uv_sem_wait(&sem);
    uv_sem_post(&sem);
    uv_sem_destroy(&sem);
  }
  if (sc_try(uv_barrier_init(&barrier, 1)) == 0) {
    SC_CHECK(uv_barrier_wait(&barrier) > 0);
    uv_barrier_destroy(&barrier);
  }
  if (sc_try(uv_key_create(&key)) == 0)
    uv_key_delete(&key);
  if (sc_try(uv_thread_create(&thread, in_thread, &ran)) == 0)
    SC_CHECK(uv_thread_join(&thread) == 0 && ran == 1);
  ran = 0;
  if (sc_try(uv_thread_create_ex(&thread, &options, in_thread, &ran)) == 0)
    SC_CHECK(uv_thread_join(&thread) == 0 && ran == 1);
  sc_try(uv_dlopen(NULL, &lib));
  SC_CHECK(sc.err == 0 || fault_happened());
  uv_dlclose(&lib);
  sc.goal = 1;
}

enum { CPUMASK_MAX = 4096 };

/* dlerror texts are not distinguished: any failure counts as one. */
static void count(int err) {
  if (err != 0 && sc.err == 0)
    sc.err = err;
}

static void lists(void) {
  uv_cpu_info_t* cpus;
  uv_interface_address_t* addresses;
  uv_env_item_t* env;
  int n;

  int err = uv_cpu_info(&cpus, &n);
  count(err);
  if (err == 0)
    uv_free_cpu_info(cpus, n);
  err = uv_interface_addresses(&addresses, &n);
  count(err);
  if (err == 0)
    uv_free_interface_addresses(addresses, n);
  err = uv_os_environ(&env, &n);
  count(err);
  if (err == 0)
    uv_os_free_environ(env, n);
}

/* Of this process and thread, set to their current values. */
static void schedule(void) {
  char mask[CPUMASK_MAX];
  char name[16];
  uv_thread_t self = uv_thread_self();
  int size = uv_cpumask_size();
  int priority = 0;

  SC_CHECK(size <= CPUMASK_MAX);
  int err = uv_os_getpriority(0, &priority);
  count(err);
  if (err == 0)
    count(uv_os_setpriority(0, priority));
  err = uv_thread_getaffinity(&self, mask, (size_t) size);
  count(err);
  if (err == 0)
    count(uv_thread_setaffinity(&self, mask, NULL, (size_t) size));
  count(uv_thread_getname(&self, name, sizeof(name)));
  count(uv_kill(getpid(), 0));
}

static void texts(void) {
  char text[4096];
  size_t size;
  uv_utsname_t name;

  size = sizeof(text), count(uv_cwd(text, &size));
  size = sizeof(text), count(uv_exepath(text, &size));
  size = sizeof(text), count(uv_os_homedir(text, &size));
  size = sizeof(text), count(uv_os_tmpdir(text, &size));
  size = sizeof(text), count(uv_os_gethostname(text, &size));
  size = sizeof(text), count(uv_if_indextoname(1, text, &size));
  size = sizeof(text), count(uv_if_indextoiid(1, text, &size));
  count(uv_os_uname(&name));
  count(uv_chdir("."));
  count(uv_os_setenv("UV_FAULT", "1"));
  size = sizeof(text), count(uv_os_getenv("UV_FAULT", text, &size));
  count(uv_os_unsetenv("UV_FAULT"));
  struct sockaddr_in6 addr;
  count(uv_ip6_addr("fe80::1%lo", 1, &addr));
}

void scenario_system(void) {
  uv_passwd_t passwd;
  uv_group_t group;
  uv_rusage_t usage;
  double average[3];
  uv_timespec64_t now;
  uv_timeval64_t day;
  size_t rss;
  double uptime;

  lists();
  texts();
  int err = uv_os_get_passwd(&passwd);
  count(err);
  if (err == 0)
    uv_os_free_passwd(&passwd);
  err = uv_os_get_group(&group, getgid());
  count(err);
  if (err == 0)
    uv_os_free_group(&group);
  count(uv_getrusage(&usage));
  count(uv_resident_set_memory(&rss));
  count(uv_uptime(&uptime));
  schedule();
  count(uv_clock_gettime(UV_CLOCK_REALTIME, &now));
  count(uv_gettimeofday(&day));
  uv_loadavg(average);
  (void) uv_get_total_memory();
  (void) uv_get_free_memory();
  (void) uv_get_constrained_memory();
  (void) uv_get_available_memory();
  SC_CHECK(uv_available_parallelism() >= 1);
  sc.goal = 1;
}
