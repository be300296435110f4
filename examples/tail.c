/* SPDX-License-Identifier: MIT */
/* tail -f: prints a file, then what is appended to it.
 *
 *   tail FILE     ends with SIGINT
 *
 * One read at a time; a change that comes meanwhile makes it read once more.
 * Exit status 0: no error.
 */
#include <signal.h>
#include <stdio.h>

#include <uv.h>

static uv_fs_t req;
static uv_file file;
static int64_t offset;
static int reading;
static int changed; /* while reading */
static int failed;
static char block[4096];

static void read_more(uv_loop_t* loop);

static void on_read(uv_fs_t* r) {
  reading = 0;
  if (r->result < 0) {
    fprintf(stderr, "tail: %s\n", uv_strerror((int) r->result));
    failed = 1;
  } else if (r->result > 0) {
    fwrite(block, 1, (size_t) r->result, stdout);
    fflush(stdout);
    offset += r->result;
  }
  if (r->result > 0 || changed)
    read_more(r->loop);
}

static void read_more(uv_loop_t* loop) {
  uv_buf_t buf = uv_buf_init(block, sizeof(block));
  changed = reading;
  if (reading)
    return;
  uv_fs_req_cleanup(&req);
  if (uv_fs_read(loop, &req, file, &buf, 1, offset, on_read) == 0)
    reading = 1;
  else
    failed = 1;
}

static void on_change(uv_fs_event_t* handle,
                      const char* filename,
                      int events,
                      int status) {
  (void) filename;
  (void) events;
  if (status == 0)
    read_more(handle->loop);
}

static void close_any(uv_handle_t* handle, void* arg) {
  (void) arg;
  uv_close(handle, NULL);
}

static void on_signal(uv_signal_t* handle, int signum) {
  (void) signum;
  uv_walk(handle->loop, close_any, NULL);
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  uv_fs_event_t event;
  uv_signal_t sigint;

  if (argc < 2)
    return 2;
  file = uv_fs_open(NULL, &req, argv[1], UV_FS_O_RDONLY, 0, NULL);
  uv_fs_event_init(loop, &event);
  int err = file < 0 ? file : uv_fs_event_start(&event, on_change, argv[1], 0);
  if (err != 0) {
    fprintf(stderr, "tail: %s: %s\n", argv[1], uv_strerror(err));
    return 1;
  }
  read_more(loop);

  uv_signal_init(loop, &sigint);
  uv_signal_start(&sigint, on_signal, SIGINT);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_fs_req_cleanup(&req);
  uv_fs_close(NULL, &req, file, NULL);
  uv_fs_req_cleanup(&req);
  return uv_loop_close(loop) != 0 || failed;
}
