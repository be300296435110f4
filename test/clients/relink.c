/* SPDX-License-Identifier: MIT */
/* A program as people wrote them for libuv 1.44: it is compiled with Debian's
 * headers of that release, then run with (or linked to) another library.
 *
 * Every handle and request is between two guards, so a library that writes past
 * the size its caller compiled with is found out. Each part prints "ok NAME"
 * when what it expected has happened.
 */
#include <uv.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GUARD 0x5afe5afe5afe5afeULL

/* Types are the caller's: the size is fixed when this file is compiled. */
#define GUARDED(type)                                                          \
 struct {                                                                      \
  unsigned long long before;                                                   \
  type it;                                                                     \
  unsigned long long after;                                                    \
 }
#define GUARD_SET(x) ((x).before = GUARD, (x).after = GUARD)
#define GUARD_CHECK(x) EXPECT((x).before == GUARD && (x).after == GUARD)
#define EXPECT(condition)                                                      \
 ((condition) ? (void) 0 : give_up(#condition, __LINE__))

static void give_up(const char* what, int line) {
  printf("line %d: not so: %s\n", line, what);
  exit(1);
}

static struct {
  GUARDED(uv_loop_t) loop;
  GUARDED(uv_timer_t) timer;
  GUARDED(uv_idle_t) idle;
  GUARDED(uv_prepare_t) prepare;
  GUARDED(uv_check_t) check;
  GUARDED(uv_async_t) async;
  GUARDED(uv_signal_t) signal;
  GUARDED(uv_poll_t) poll;
  GUARDED(uv_process_t) process;
  GUARDED(uv_fs_event_t) fs_event;
  GUARDED(uv_fs_poll_t) fs_poll;
  GUARDED(uv_tcp_t) server;
  GUARDED(uv_tcp_t) accepted;
  GUARDED(uv_tcp_t) client;
  GUARDED(uv_pipe_t) listener;
  GUARDED(uv_pipe_t) peer;
  GUARDED(uv_pipe_t) pipe;
  GUARDED(uv_udp_t) receiver;
  GUARDED(uv_udp_t) sender;
  GUARDED(uv_tty_t) tty;
  GUARDED(uv_connect_t) connect;
  GUARDED(uv_write_t) write;
  GUARDED(uv_shutdown_t) shutdown;
  GUARDED(uv_udp_send_t) send;
  GUARDED(uv_fs_t) fs;
  GUARDED(uv_work_t) work;
  GUARDED(uv_getaddrinfo_t) getaddrinfo;
  GUARDED(uv_getnameinfo_t) getnameinfo;
  GUARDED(uv_random_t) random;
  GUARDED(uv_barrier_t) barrier;
  GUARDED(uv_rwlock_t) rwlock;
  GUARDED(uv_cond_t) cond;
  GUARDED(uv_sem_t) sem;
  GUARDED(uv_mutex_t) mutex;
} g;

#define EVERY(visit)                                                           \
 visit(g.loop), visit(g.timer), visit(g.idle), visit(g.prepare),               \
     visit(g.check), visit(g.async), visit(g.signal), visit(g.poll),           \
     visit(g.process), visit(g.fs_event), visit(g.fs_poll), visit(g.server),   \
     visit(g.accepted), visit(g.client), visit(g.listener), visit(g.peer),     \
     visit(g.pipe), visit(g.receiver), visit(g.sender), visit(g.tty),          \
     visit(g.connect), visit(g.write), visit(g.shutdown), visit(g.send),       \
     visit(g.fs), visit(g.work), visit(g.getaddrinfo), visit(g.getnameinfo),   \
     visit(g.random), visit(g.barrier), visit(g.rwlock), visit(g.cond),        \
     visit(g.sem), visit(g.mutex)

static uv_loop_t* loop = &g.loop.it;
static int count; /* of callbacks, in the part that runs */
static char received[64];

static void part_ends(const char* name) {
  EVERY(GUARD_CHECK);
  printf("ok %s\n", name);
  count = 0;
  memset(received, 0, sizeof(received));
}

static void run(void) {
  EXPECT(uv_run(loop, UV_RUN_DEFAULT) == 0);
}

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  (void) size;
  (void) handle;
  *buf = uv_buf_init(received + strlen(received),
                     sizeof(received) - 1 - strlen(received));
}

/* --- the loop's own watchers and timers --- */

static void on_idle(uv_idle_t* idle) {
  count += 1;
  uv_close((uv_handle_t*) idle, NULL);
}

static void on_prepare(uv_prepare_t* prepare) {
  count += 10;
  uv_close((uv_handle_t*) prepare, NULL);
}

static void on_check(uv_check_t* check) {
  count += 100;
  uv_close((uv_handle_t*) check, NULL);
}

static void on_timer(uv_timer_t* timer) {
  count += 1000;
  if (count >= 3000)
    uv_close((uv_handle_t*) timer, NULL);
}

static void part_watchers(void) {
  EXPECT(uv_idle_init(loop, &g.idle.it) == 0);
  EXPECT(uv_idle_start(&g.idle.it, on_idle) == 0);
  EXPECT(uv_prepare_init(loop, &g.prepare.it) == 0);
  EXPECT(uv_prepare_start(&g.prepare.it, on_prepare) == 0);
  EXPECT(uv_check_init(loop, &g.check.it) == 0);
  EXPECT(uv_check_start(&g.check.it, on_check) == 0);
  EXPECT(uv_timer_init(loop, &g.timer.it) == 0);
  EXPECT(uv_timer_start(&g.timer.it, on_timer, 2, 2) == 0);
  EXPECT(g.timer.it.type == UV_TIMER);
  EXPECT(uv_handle_size(UV_TIMER) == sizeof(uv_timer_t));
  run();
  EXPECT(count == 3111);
  part_ends("watchers");
}

/* --- threads --- */

static void thread_entry(void* arg) {
  uv_mutex_lock(&g.mutex.it);
  *(int*) arg += 1;
  uv_cond_signal(&g.cond.it);
  uv_mutex_unlock(&g.mutex.it);
  uv_rwlock_rdlock(&g.rwlock.it);
  uv_rwlock_rdunlock(&g.rwlock.it);
  uv_sem_post(&g.sem.it);
  uv_barrier_wait(&g.barrier.it);
  EXPECT(uv_async_send(&g.async.it) == 0);
}

static void on_async(uv_async_t* async) {
  uv_close((uv_handle_t*) async, NULL);
}

static void part_threads(void) {
  uv_thread_t thread;
  int value = 0;

  EXPECT(uv_async_init(loop, &g.async.it, on_async) == 0);
  EXPECT(uv_mutex_init(&g.mutex.it) == 0);
  EXPECT(uv_cond_init(&g.cond.it) == 0);
  EXPECT(uv_rwlock_init(&g.rwlock.it) == 0);
  EXPECT(uv_sem_init(&g.sem.it, 0) == 0);
  EXPECT(uv_barrier_init(&g.barrier.it, 2) == 0);
  EXPECT(uv_thread_create(&thread, thread_entry, &value) == 0);
  uv_mutex_lock(&g.mutex.it);
  while (value == 0)
    uv_cond_wait(&g.cond.it, &g.mutex.it);
  uv_mutex_unlock(&g.mutex.it);
  uv_sem_wait(&g.sem.it);
  uv_barrier_wait(&g.barrier.it);
  run();
  EXPECT(uv_thread_join(&thread) == 0);
  uv_barrier_destroy(&g.barrier.it);
  uv_sem_destroy(&g.sem.it);
  uv_rwlock_destroy(&g.rwlock.it);
  uv_cond_destroy(&g.cond.it);
  uv_mutex_destroy(&g.mutex.it);
  part_ends("threads");
}

/* --- streams: the same echo over TCP and over a pipe --- */

static void on_shutdown(uv_shutdown_t* req, int status) {
  EXPECT(status == 0);
  EXPECT(req->handle != NULL);
  count += 100;
}

static void on_written(uv_write_t* req, int status) {
  EXPECT(status == 0);
  EXPECT(uv_shutdown(&g.shutdown.it, req->handle, on_shutdown) == 0);
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread > 0) {
    count += (int) nread;
    return;
  }
  EXPECT(nread == UV_EOF);
  uv_close((uv_handle_t*) stream, NULL);
  if (stream->data != NULL)
    uv_close((uv_handle_t*) stream->data, NULL);
}

static void on_connected(uv_connect_t* req, int status) {
  static char hello[] = "hello, ";
  static char world[] = "world";
  uv_buf_t bufs[2];

  EXPECT(status == 0);
  bufs[0] = uv_buf_init(hello, 7);
  bufs[1] = uv_buf_init(world, 5);
  EXPECT(uv_write(&g.write.it, req->handle, bufs, 2, on_written) == 0);
  EXPECT(uv_read_start(req->handle, on_alloc, on_read) == 0);
}

static void on_connection(uv_stream_t* server, int status) {
  uv_stream_t* stream = server->data;

  EXPECT(status == 0);
  EXPECT(uv_accept(server, stream) == 0);
  stream->data = server;
  EXPECT(uv_read_start(stream, on_alloc, on_read) == 0);
}

static void part_tcp(void) {
  struct sockaddr_storage name;
  struct sockaddr_in any;
  int length = sizeof(name);

  EXPECT(uv_ip4_addr("127.0.0.1", 0, &any) == 0);
  EXPECT(uv_tcp_init(loop, &g.server.it) == 0);
  EXPECT(uv_tcp_init(loop, &g.accepted.it) == 0);
  EXPECT(uv_tcp_init(loop, &g.client.it) == 0);
  g.server.it.data = &g.accepted.it;
  g.client.it.data = NULL;
  EXPECT(uv_tcp_bind(&g.server.it, (struct sockaddr*) &any, 0) == 0);
  EXPECT(uv_listen((uv_stream_t*) &g.server.it, 8, on_connection) == 0);
  EXPECT(uv_tcp_getsockname(&g.server.it, (struct sockaddr*) &name, &length) ==
         0);
  EXPECT(uv_tcp_connect(&g.connect.it, &g.client.it, (struct sockaddr*) &name,
                        on_connected) == 0);
  EXPECT(uv_tcp_nodelay(&g.client.it, 1) == 0);
  run();
  EXPECT(count == 112);
  EXPECT(strcmp(received, "hello, world") == 0);
  part_ends("tcp");
}

static void part_pipe(void) {
  EXPECT(uv_pipe_init(loop, &g.listener.it, 0) == 0);
  EXPECT(uv_pipe_init(loop, &g.peer.it, 0) == 0);
  EXPECT(uv_pipe_init(loop, &g.pipe.it, 0) == 0);
  g.listener.it.data = &g.peer.it;
  g.pipe.it.data = NULL;
  unlink("relink.sock");
  EXPECT(uv_pipe_bind(&g.listener.it, "relink.sock") == 0);
  EXPECT(uv_listen((uv_stream_t*) &g.listener.it, 8, on_connection) == 0);
  uv_pipe_connect(&g.connect.it, &g.pipe.it, "relink.sock", on_connected);
  run();
  EXPECT(count == 112);
  EXPECT(strcmp(received, "hello, world") == 0);
  part_ends("pipe");
}

/* --- datagrams --- */

static void on_datagram(uv_udp_t* udp,
                        ssize_t nread,
                        const uv_buf_t* buf,
                        const struct sockaddr* from,
                        unsigned flags) {
  (void) flags;
  if (nread == 0 && from == NULL)
    return;
  EXPECT(nread == 4);
  EXPECT(memcmp(buf->base, "gram", 4) == 0);
  uv_close((uv_handle_t*) udp, NULL);
  count += 1;
}

static void on_sent(uv_udp_send_t* req, int status) {
  EXPECT(status == 0);
  uv_close((uv_handle_t*) req->handle, NULL);
  count += 10;
}

static void part_udp(void) {
  static char gram[] = "gram";
  struct sockaddr_storage name;
  struct sockaddr_in any;
  int length = sizeof(name);
  uv_buf_t buf = uv_buf_init(gram, 4);

  EXPECT(uv_ip4_addr("127.0.0.1", 0, &any) == 0);
  EXPECT(uv_udp_init(loop, &g.receiver.it) == 0);
  EXPECT(uv_udp_init(loop, &g.sender.it) == 0);
  EXPECT(uv_udp_bind(&g.receiver.it, (struct sockaddr*) &any, 0) == 0);
  EXPECT(uv_udp_recv_start(&g.receiver.it, on_alloc, on_datagram) == 0);
  EXPECT(uv_udp_getsockname(&g.receiver.it, (struct sockaddr*) &name,
                            &length) == 0);
  EXPECT(uv_udp_send(&g.send.it, &g.sender.it, &buf, 1,
                     (struct sockaddr*) &name, on_sent) == 0);
  run();
  EXPECT(count == 11);
  part_ends("udp");
}

/* --- files --- */

static void on_opened(uv_fs_t* req) {
  EXPECT(req->result >= 0);
  count = (int) req->result;
  uv_fs_req_cleanup(req);
}

static void on_stat(uv_fs_t* req) {
  EXPECT(req->result == 0);
  EXPECT(req->statbuf.st_size == 5);
  EXPECT(req->statbuf.st_mtim.tv_sec > 1500000000);
  uv_fs_req_cleanup(req);
}

static void part_files(void) {
  static char text[] = "files";
  uv_buf_t buf = uv_buf_init(text, 5);
  uv_dirent_t entry;
  int found = 0;
  uv_fs_t* fs = &g.fs.it;

  EXPECT(uv_fs_mkdir(loop, fs, "relink.dir", 0755, NULL) == 0);
  uv_fs_req_cleanup(fs);
  EXPECT(uv_fs_open(loop, fs, "relink.dir/a", O_RDWR | O_CREAT, 0644,
                    on_opened) == 0);
  run();
  EXPECT(uv_fs_write(loop, fs, count, &buf, 1, 0, NULL) == 5);
  uv_fs_req_cleanup(fs);
  EXPECT(uv_fs_close(loop, fs, count, NULL) == 0);
  uv_fs_req_cleanup(fs);
  EXPECT(uv_fs_stat(loop, fs, "relink.dir/a", on_stat) == 0);
  run();
  EXPECT(uv_fs_scandir(loop, fs, "relink.dir", 0, NULL) == 1);
  while (uv_fs_scandir_next(fs, &entry) != UV_EOF)
    found += strcmp(entry.name, "a") == 0 && entry.type == UV_DIRENT_FILE;
  EXPECT(found == 1);
  uv_fs_req_cleanup(fs);
  EXPECT(uv_fs_unlink(loop, fs, "relink.dir/a", NULL) == 0);
  uv_fs_req_cleanup(fs);
  EXPECT(uv_fs_rmdir(loop, fs, "relink.dir", NULL) == 0);
  uv_fs_req_cleanup(fs);
  part_ends("files");
}

static void on_change(uv_fs_event_t* handle,
                      const char* name,
                      int events,
                      int status) {
  EXPECT(status == 0);
  EXPECT((events & (UV_RENAME | UV_CHANGE)) != 0);
  if (strcmp(name, "relink.seen") == 0 && !uv_is_closing((void*) handle)) {
    uv_close((uv_handle_t*) handle, NULL);
    count += 1;
  }
}

static void on_poll_change(uv_fs_poll_t* handle,
                           int status,
                           const uv_stat_t* before,
                           const uv_stat_t* after) {
  EXPECT(status == 0);
  EXPECT(before->st_size != after->st_size);
  uv_close((uv_handle_t*) handle, NULL);
  count += 10;
}

static void on_touch(uv_timer_t* timer) {
  FILE* file = fopen("relink.seen", "a");

  EXPECT(file != NULL);
  fputs("more", file);
  fclose(file);
  uv_close((uv_handle_t*) timer, NULL);
}

static void part_watched_files(void) {
  FILE* file = fopen("relink.seen", "w");

  EXPECT(file != NULL);
  fclose(file);
  EXPECT(uv_fs_event_init(loop, &g.fs_event.it) == 0);
  EXPECT(uv_fs_event_start(&g.fs_event.it, on_change, ".", 0) == 0);
  EXPECT(uv_fs_poll_init(loop, &g.fs_poll.it) == 0);
  EXPECT(uv_fs_poll_start(&g.fs_poll.it, on_poll_change, "relink.seen", 20) ==
         0);
  EXPECT(uv_timer_init(loop, &g.timer.it) == 0);
  EXPECT(uv_timer_start(&g.timer.it, on_touch, 100, 0) == 0);
  run();
  EXPECT(count == 11);
  part_ends("watched-files");
}

/* --- the thread pool --- */

static void work(uv_work_t* req) {
  *(int*) req->data = 41;
}

static void after_work(uv_work_t* req, int status) {
  EXPECT(status == 0);
  *(int*) req->data += 1;
}

static void on_names(uv_getaddrinfo_t* req,
                     int status,
                     struct addrinfo* found) {
  EXPECT(status == 0);
  EXPECT(found->ai_family == AF_INET);
  (void) req;
  uv_freeaddrinfo(found);
  count += 1;
}

static void on_name(uv_getnameinfo_t* req,
                    int status,
                    const char* host,
                    const char* service) {
  EXPECT(status == 0);
  EXPECT(strcmp(host, "127.0.0.1") == 0);
  EXPECT(strcmp(service, "80") == 0);
  (void) req;
  count += 10;
}

static void on_random(uv_random_t* req,
                      int status,
                      void* bytes,
                      size_t length) {
  EXPECT(status == 0);
  EXPECT(bytes == req->data);
  EXPECT(length == 16);
  count += 100;
}

static void part_pool(void) {
  struct addrinfo hints;
  struct sockaddr_in addr;
  char bytes[16];
  int answer = 0;

  memset(&hints, 0, sizeof(hints));
  hints.ai_family = AF_INET;
  hints.ai_flags = AI_NUMERICHOST;
  g.work.it.data = &answer;
  g.random.it.data = bytes;
  EXPECT(uv_ip4_addr("127.0.0.1", 80, &addr) == 0);
  EXPECT(uv_queue_work(loop, &g.work.it, work, after_work) == 0);
  EXPECT(uv_getaddrinfo(loop, &g.getaddrinfo.it, on_names, "127.0.0.1", "80",
                        &hints) == 0);
  EXPECT(uv_getnameinfo(loop, &g.getnameinfo.it, on_name,
                        (struct sockaddr*) &addr,
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0);
  EXPECT(uv_random(loop, &g.random.it, bytes, sizeof(bytes), 0, on_random) ==
         0);
  run();
  EXPECT(answer == 42);
  EXPECT(count == 111);
  part_ends("pool");
}

/* --- processes and signals --- */

static void on_exit_of(uv_process_t* process, int64_t status, int signum) {
  EXPECT(status == 3);
  EXPECT(signum == 0);
  uv_close((uv_handle_t*) process, NULL);
  count += 1000;
}

static void on_output(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  (void) buf;
  if (nread >= 0)
    return;
  EXPECT(nread == UV_EOF);
  uv_close((uv_handle_t*) stream, NULL);
}

static void part_process(void) {
  static char* args[] = { "sh", "-c", "echo out; exit 3", NULL };
  uv_process_options_t options;
  uv_stdio_container_t stdio[3];

  memset(&options, 0, sizeof(options));
  EXPECT(uv_pipe_init(loop, &g.pipe.it, 0) == 0);
  stdio[0].flags = UV_IGNORE;
  stdio[1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
  stdio[1].data.stream = (uv_stream_t*) &g.pipe.it;
  stdio[2].flags = UV_INHERIT_FD;
  stdio[2].data.fd = 2;
  options.file = "sh";
  options.args = args;
  options.stdio = stdio;
  options.stdio_count = 3;
  options.exit_cb = on_exit_of;
  EXPECT(uv_spawn(loop, &g.process.it, &options) == 0);
  EXPECT(g.process.it.pid > 0);
  EXPECT(uv_read_start((uv_stream_t*) &g.pipe.it, on_alloc, on_output) == 0);
  run();
  EXPECT(count == 1000);
  EXPECT(strcmp(received, "out\n") == 0);
  part_ends("process");
}

static void on_signal(uv_signal_t* handle, int signum) {
  EXPECT(handle->signum == SIGUSR2);
  EXPECT(signum == SIGUSR2);
  uv_close((uv_handle_t*) handle, NULL);
  count += 1;
}

static void part_signal(void) {
  EXPECT(uv_signal_init(loop, &g.signal.it) == 0);
  EXPECT(uv_signal_start(&g.signal.it, on_signal, SIGUSR2) == 0);
  EXPECT(uv_kill(uv_os_getpid(), SIGUSR2) == 0);
  run();
  EXPECT(count == 1);
  part_ends("signal");
}

/* --- descriptors --- */

static void on_poll(uv_poll_t* handle, int status, int events) {
  EXPECT(status == 0);
  EXPECT(events == UV_READABLE);
  uv_close((uv_handle_t*) handle, NULL);
  count += 1;
}

static void part_poll(void) {
  int fds[2];

  EXPECT(pipe(fds) == 0);
  EXPECT(write(fds[1], "x", 1) == 1);
  EXPECT(uv_poll_init(loop, &g.poll.it, fds[0]) == 0);
  EXPECT(uv_poll_start(&g.poll.it, UV_READABLE | UV_DISCONNECT, on_poll) == 0);
  run();
  EXPECT(count == 1);
  close(fds[0]);
  close(fds[1]);
  part_ends("poll");
}

static void part_tty(void) {
  int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY);
  int width = 0;
  int height = 0;

  if (fd >= 0) {
    EXPECT(uv_guess_handle(fd) == UV_TTY);
    EXPECT(uv_tty_init(loop, &g.tty.it, fd, 0) == 0);
    EXPECT(uv_tty_get_winsize(&g.tty.it, &width, &height) == 0);
    uv_close((uv_handle_t*) &g.tty.it, NULL);
    run();
  }
  part_ends("tty");
}

/* --- what the machine is --- */

static void part_machine(void) {
  uv_cpu_info_t* cpus;
  uv_interface_address_t* addresses;
  uv_passwd_t passwd;
  uv_utsname_t name;
  uv_rusage_t usage;
  char path[4096];
  size_t size = sizeof(path);
  int number;

  EXPECT(uv_cpu_info(&cpus, &number) == 0);
  EXPECT(number > 0);
  uv_free_cpu_info(cpus, number);
  EXPECT(uv_interface_addresses(&addresses, &number) == 0);
  EXPECT(number > 0);
  uv_free_interface_addresses(addresses, number);
  EXPECT(uv_os_get_passwd(&passwd) == 0);
  uv_os_free_passwd(&passwd);
  EXPECT(uv_os_uname(&name) == 0);
  EXPECT(strcmp(name.sysname, "Linux") == 0);
  EXPECT(uv_getrusage(&usage) == 0);
  EXPECT(uv_exepath(path, &size) == 0);
  EXPECT(size == strlen(path));
  EXPECT(uv_get_total_memory() >= uv_get_free_memory());
  EXPECT(uv_version() >= ((1 << 16) | (44 << 8)));
  part_ends("machine");
}

int main(int argc, char** argv) {
  uv_setup_args(argc, argv);
  setvbuf(stdout, NULL, _IOLBF, 0);
  EVERY(GUARD_SET);
  EXPECT(uv_loop_init(loop) == 0);
  EXPECT(uv_loop_size() == sizeof(uv_loop_t));
  part_watchers();
  part_threads();
  part_tcp();
  part_pipe();
  part_udp();
  part_files();
  part_watched_files();
  part_pool();
  part_process();
  part_signal();
  part_poll();
  part_tty();
  part_machine();
  EXPECT(uv_loop_close(loop) == 0);
  part_ends("loop");
  printf("libuv %s\n", uv_version_string());
  return 0;
}
