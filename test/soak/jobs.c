/* SPDX-License-Identifier: MIT */
/* Next to the clients: files, names, children and timers. Each restarts when it
 * is done, until the run ends. */
#include "soak.h"

enum { FILES = 4, NAMES = 4, CHILDREN = 2, TIMERS = 500, FILE_SIZE = 4096 };

/* ---------------------------------------------------------------------------
 * Files: open, write, read back, close. */

struct file {
  uv_fs_t req;
  uv_file fd;
  char path[32];
  char out[FILE_SIZE];
  char in[FILE_SIZE];
};

static struct file files[FILES];
static long long files_done;

static void file_open(struct file* f);

static struct file* file_of(uv_fs_t* req) {
  struct file* f = req->data;
  owed--;
  REQUIRE(req->result >= 0);
  return f;
}

static void on_file_closed(uv_fs_t* req) {
  struct file* f = file_of(req);
  uv_fs_req_cleanup(req);
  files_done++;
  if (!ending_all)
    file_open(f);
}

static void on_file_read(uv_fs_t* req) {
  struct file* f = file_of(req);
  REQUIRE(req->result == FILE_SIZE);
  REQUIRE(memcmp(f->in, f->out, FILE_SIZE) == 0);
  uv_fs_req_cleanup(req);
  REQUIRE(uv_fs_close(&loop, req, f->fd, on_file_closed) == 0);
  owed++;
}

static void on_file_written(uv_fs_t* req) {
  struct file* f = file_of(req);
  uv_buf_t buf = uv_buf_init(f->in, FILE_SIZE);
  REQUIRE(req->result == FILE_SIZE);
  uv_fs_req_cleanup(req);
  REQUIRE(uv_fs_read(&loop, req, f->fd, &buf, 1, 0, on_file_read) == 0);
  owed++;
}

static void on_file_open(uv_fs_t* req) {
  struct file* f = file_of(req);
  uv_buf_t buf = uv_buf_init(f->out, FILE_SIZE);
  f->fd = (uv_file) req->result;
  uv_fs_req_cleanup(req);
  memset(f->out, (int) draw(256), FILE_SIZE);
  REQUIRE(uv_fs_write(&loop, req, f->fd, &buf, 1, 0, on_file_written) == 0);
  owed++;
}

static void file_open(struct file* f) {
  f->req.data = f;
  REQUIRE(uv_fs_open(&loop, &f->req, f->path, UV_FS_O_CREAT | UV_FS_O_RDWR,
                     0600, on_file_open) == 0);
  owed++;
}

/* ---------------------------------------------------------------------------
 * Names: of the hosts file, and back. */

static uv_getaddrinfo_t name_reqs[NAMES];
static uv_getnameinfo_t back_reqs[NAMES];
static long long names_done;

static void name_ask(int i);

static void on_back(uv_getnameinfo_t* req,
                    int status,
                    const char* host,
                    const char* service) {
  owed--;
  REQUIRE(status == 0);
  REQUIRE(strcmp(host, "127.0.0.1") == 0 && strcmp(service, "80") == 0);
  names_done++;
  if (!ending_all)
    name_ask((int) (req - back_reqs));
}

static void on_name(uv_getaddrinfo_t* req, int status, struct addrinfo* list) {
  int i = (int) (req - name_reqs);

  owed--;
  REQUIRE(status == 0 && list != NULL);
  REQUIRE(uv_getnameinfo(&loop, &back_reqs[i], on_back, list->ai_addr,
                         NI_NUMERICHOST | NI_NUMERICSERV) == 0);
  owed++;
  uv_freeaddrinfo(list);
}

static void name_ask(int i) {
  struct addrinfo hints;
  memset(&hints, 0, sizeof(hints));
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  REQUIRE(uv_getaddrinfo(&loop, &name_reqs[i], on_name,
                         draw(2) ? "localhost" : "127.0.0.1", "80",
                         &hints) == 0);
  owed++;
}

/* ---------------------------------------------------------------------------
 * Children: cat says what it was told. */

struct child {
  uv_process_t process;
  uv_pipe_t in;
  uv_pipe_t out;
  uv_write_t write;
  size_t heard;
  int open;
};

static char child_words[10000];
static struct child children[CHILDREN];
static long long children_done;

static void child_start(struct child* c);

static void on_child_closed(uv_handle_t* handle) {
  struct child* c = handle->data;
  if (--c->open > 0)
    return;
  REQUIRE(c->heard == sizeof(child_words));
  children_done++;
  if (!ending_all)
    child_start(c);
}

static void on_child_exit(uv_process_t* p, int64_t status, int signum) {
  owed--;
  REQUIRE(status == 0 && signum == 0);
  uv_close((uv_handle_t*) p, on_child_closed);
}

static void on_child_read(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
  struct child* c = s->data;
  if (n >= 0) {
    REQUIRE(c->heard + (size_t) n <= sizeof(child_words));
    REQUIRE(memcmp(buf->base, child_words + c->heard, (size_t) n) == 0);
    c->heard += (size_t) n;
    return;
  }
  REQUIRE(n == UV_EOF);
  uv_close((uv_handle_t*) s, on_child_closed);
}

static void on_child_written(uv_write_t* req, int status) {
  owed--;
  REQUIRE(status == 0);
  uv_close((uv_handle_t*) req->handle, on_child_closed);
}

static void child_start(struct child* c) {
  static char* args[] = { (char*) "cat", NULL };
  uv_process_options_t options;
  uv_stdio_container_t stdio[2];
  uv_buf_t buf = uv_buf_init(child_words, sizeof(child_words));

  REQUIRE(uv_pipe_init(&loop, &c->in, 0) == 0);
  REQUIRE(uv_pipe_init(&loop, &c->out, 0) == 0);
  c->process.data = c;
  c->in.data = c;
  c->out.data = c;
  c->heard = 0;
  c->open = 3;
  memset(&options, 0, sizeof(options));
  options.file = args[0];
  options.args = args;
  options.exit_cb = on_child_exit;
  options.stdio = stdio;
  options.stdio_count = 2;
  stdio[0].flags = UV_CREATE_PIPE | UV_READABLE_PIPE;
  stdio[0].data.stream = (uv_stream_t*) &c->in;
  stdio[1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
  stdio[1].data.stream = (uv_stream_t*) &c->out;
  REQUIRE(uv_spawn(&loop, &c->process, &options) == 0);
  REQUIRE(uv_write(&c->write, (uv_stream_t*) &c->in, &buf, 1,
                   on_child_written) == 0);
  REQUIRE(uv_read_start((uv_stream_t*) &c->out, soak_alloc, on_child_read) ==
          0);
  owed += 2;
}

/* ---------------------------------------------------------------------------
 * Timers: never early, also those that were put off. */

struct alarm {
  uv_timer_t timer;
  uint64_t due_ns;
};

static struct alarm alarms[TIMERS];
static long long alarms_done;

static void alarm_set(struct alarm* a);

static void on_alarm(uv_timer_t* timer) {
  struct alarm* a = timer->data;
  REQUIRE(uv_hrtime() >= a->due_ns);
  alarms_done++;
  alarm_set(a);
  /* Postpones another one. */
  alarm_set(&alarms[draw(TIMERS)]);
}

static void alarm_set(struct alarm* a) {
  uint64_t ms = 1 + draw(3000);
  /* uv_now() may be behind, and counts whole ms. */
  a->due_ns = (uv_now(&loop) + ms - 1) * 1000000;
  REQUIRE(uv_timer_start(&a->timer, on_alarm, ms, 0) == 0);
}

/* ------------------------------------------------------------------------- */

void jobs_start(void) {
  for (size_t i = 0; i < sizeof(child_words); i++)
    child_words[i] = (char) ('a' + i % 26);
  for (int i = 0; i < FILES; i++) {
    snprintf(files[i].path, sizeof(files[i].path), "soak-%d.data", i);
    file_open(&files[i]);
  }
  for (int i = 0; i < NAMES; i++)
    name_ask(i);
  for (int i = 0; i < CHILDREN; i++)
    child_start(&children[i]);
  for (int i = 0; i < TIMERS; i++) {
    REQUIRE(uv_timer_init(&loop, &alarms[i].timer) == 0);
    alarms[i].timer.data = &alarms[i];
    alarm_set(&alarms[i]);
  }
}

void jobs_stop(void) {
  for (int i = 0; i < TIMERS; i++)
    uv_close((uv_handle_t*) &alarms[i].timer, NULL);
}

int jobs_report(int* total) {
  printf("# %lld files, %lld names, %lld children, %lld timers\n", files_done,
         names_done, children_done, alarms_done);
  *total += 1;
  return verdict(files_done > 0 && names_done > 0 && children_done > 0 &&
                     alarms_done > 0,
                 "files, names, children and timers went on");
}
