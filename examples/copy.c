/* SPDX-License-Identifier: MIT */
/* Copies a file on the thread pool, several blocks at a time.
 *
 *   copy FROM TO      copies, and compares the two
 *   copy              does so with files of several sizes in a temporary
 *                     directory, and once more with uv_fs_copyfile()
 *
 *   open FROM -> fstat -> open TO -> blocks -> fsync -> close both
 *
 * A block reads at its offset and writes the data to the same offset, repeating
 * both until done, because either may transfer less than requested; then it
 * takes the next free offset. BLOCKS of them are in flight at once, on as many
 * workers as the pool has. The first error stops all of them.
 *
 * Exit status 0: the copies exist and are equal. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#define BLOCKS 4
#define BLOCK_SIZE 65536u

struct copy;

struct block {
  uv_fs_t req;
  struct copy* copy;
  int64_t offset;
  size_t have; /* read so far, in data */
  size_t written;
  size_t size; /* to be copied, BLOCK_SIZE or the rest of the file */
  char data[BLOCK_SIZE];
};

struct copy {
  uv_loop_t* loop;
  const char* to;
  uv_fs_t req; /* for one request at a time */
  uv_file from_file;
  uv_file to_file;
  int mode;
  int64_t size;
  int64_t next; /* offset of the next block */
  int busy;     /* blocks in flight */
  int err;      /* the first one */
  struct block blocks[BLOCKS];
};

static void check(ssize_t err, const char* what) {
  if (err >= 0)
    return;
  fprintf(stderr, "copy: %s: %s\n", what, uv_strerror((int) err));
  exit(1);
}

static void note(struct copy* c, ssize_t err) {
  if (err < 0 && c->err == 0)
    c->err = (int) err;
}

/* The result of a finished request, which can be used again. */
static ssize_t result_of(uv_fs_t* req) {
  ssize_t result = req->result;

  uv_fs_req_cleanup(req);
  return result;
}

/* ---- the end: both files are closed, whatever happened ---- */

static void on_to_closed(uv_fs_t* req) {
  struct copy* c = req->data;
  note(c, result_of(req));
}

static void on_from_closed(uv_fs_t* req) {
  struct copy* c = req->data;

  (void) result_of(req); /* only read from */
  if (c->to_file >= 0)
    note(c, uv_fs_close(c->loop, req, c->to_file, on_to_closed));
}

static void close_both(struct copy* c) {
  note(c, uv_fs_close(c->loop, &c->req, c->from_file, on_from_closed));
}

static void on_synced(uv_fs_t* req) {
  struct copy* c = req->data;

  note(c, result_of(req));
  close_both(c);
}

static void finish(struct copy* c) {
  if (c->err == 0)
    note(c, uv_fs_fsync(c->loop, &c->req, c->to_file, on_synced));
  if (c->err != 0)
    close_both(c);
}

/* ---- blocks ---- */

static void block_next(struct block* b);

static void block_end(struct block* b, ssize_t err) {
  note(b->copy, err);
  if (--b->copy->busy == 0)
    finish(b->copy);
}

static void block_write(struct block* b);

static void on_block_written(uv_fs_t* req) {
  struct block* b = req->data;
  ssize_t n = result_of(req);

  if (n < 0) {
    block_end(b, n);
    return;
  }
  b->written += (size_t) n;
  block_write(b);
}

static void block_write(struct block* b) {
  if (b->written == b->have) {
    block_next(b);
    return;
  }
  uv_buf_t buf =
      uv_buf_init(b->data + b->written, (unsigned int) (b->have - b->written));
  int err = uv_fs_write(b->copy->loop, &b->req, b->copy->to_file, &buf, 1,
                        b->offset + (int64_t) b->written, on_block_written);
  if (err != 0)
    block_end(b, err);
}

static void block_read(struct block* b);

static void on_block_read(uv_fs_t* req) {
  struct block* b = req->data;
  ssize_t n = result_of(req);

  if (n < 0) {
    block_end(b, n);
    return;
  }
  b->have += (size_t) n;
  if (n == 0)
    b->size = b->have; /* the file was truncated */
  block_read(b);
}

static void block_read(struct block* b) {
  if (b->have == b->size) {
    block_write(b);
    return;
  }
  uv_buf_t buf =
      uv_buf_init(b->data + b->have, (unsigned int) (b->size - b->have));
  int err = uv_fs_read(b->copy->loop, &b->req, b->copy->from_file, &buf, 1,
                       b->offset + (int64_t) b->have, on_block_read);
  if (err != 0)
    block_end(b, err);
}

static void block_next(struct block* b) {
  struct copy* c = b->copy;

  if (c->next >= c->size || c->err != 0) {
    block_end(b, 0);
    return;
  }
  b->offset = c->next;
  b->have = 0;
  b->written = 0;
  b->size = BLOCK_SIZE;
  if (c->size - c->next < BLOCK_SIZE)
    b->size = (size_t) (c->size - c->next);
  c->next += (int64_t) b->size;
  block_read(b);
}

/* ---- the start ---- */

static void on_to_opened(uv_fs_t* req) {
  struct copy* c = req->data;

  c->to_file = (uv_file) result_of(req);
  if (c->to_file < 0) {
    note(c, c->to_file);
    close_both(c);
    return;
  }
  c->busy = BLOCKS;
  for (int i = 0; i < BLOCKS; i++) {
    c->blocks[i].copy = c;
    c->blocks[i].req.data = &c->blocks[i];
    block_next(&c->blocks[i]);
  }
}

static void on_stat(uv_fs_t* req) {
  struct copy* c = req->data;

  c->size = (int64_t) req->statbuf.st_size;
  c->mode = (int) (req->statbuf.st_mode & 0777);
  note(c, result_of(req));
  if (c->err == 0)
    note(c, uv_fs_open(c->loop, req, c->to, O_WRONLY | O_CREAT | O_TRUNC,
                       c->mode, on_to_opened));
  if (c->err != 0)
    close_both(c);
}

static void on_from_opened(uv_fs_t* req) {
  struct copy* c = req->data;

  c->from_file = (uv_file) result_of(req);
  if (c->from_file < 0) {
    note(c, c->from_file);
    return;
  }
  note(c, uv_fs_fstat(c->loop, req, c->from_file, on_stat));
  if (c->err != 0)
    close_both(c);
}

/* 0 or UV_E*. */
static int copy_file(uv_loop_t* loop, const char* from, const char* to) {
  struct copy* c = calloc(1, sizeof(*c));
  if (c == NULL)
    return UV_ENOMEM;

  c->loop = loop;
  c->to = to;
  c->to_file = -1;
  c->req.data = c;
  note(c, uv_fs_open(loop, &c->req, from, O_RDONLY, 0, on_from_opened));
  uv_run(loop, UV_RUN_DEFAULT);

  int err = c->err;
  free(c);
  return err;
}

/* ---- comparing: without callbacks, so each call completes at once ---- */

static uv_file open_now(const char* path, int flags) {
  uv_fs_t req;

  check(uv_fs_open(NULL, &req, path, flags, 0600, NULL), path);
  return (uv_file) result_of(&req);
}

static void close_now(uv_file file) {
  uv_fs_t req;

  check(uv_fs_close(NULL, &req, file, NULL), "close");
  uv_fs_req_cleanup(&req);
}

/* Reads until the buffer is full or the file ends. */
static size_t read_now(uv_file file, char* data, size_t size) {
  size_t have = 0;

  for (;;) {
    uv_fs_t req;
    uv_buf_t buf = uv_buf_init(data + have, (unsigned int) (size - have));
    ssize_t n =
        have == size ? 0 : uv_fs_read(NULL, &req, file, &buf, 1, -1, NULL);
    check(n, "read");
    if (n == 0)
      return have;
    uv_fs_req_cleanup(&req);
    have += (size_t) n;
  }
}

static int is_equal(const char* a, const char* b) {
  static char data[2][BLOCK_SIZE];
  uv_file files[2] = { open_now(a, O_RDONLY), open_now(b, O_RDONLY) };
  int equal;
  size_t n;

  do {
    n = read_now(files[0], data[0], BLOCK_SIZE);
    equal = read_now(files[1], data[1], BLOCK_SIZE) == n &&
            memcmp(data[0], data[1], n) == 0;
  } while (equal && n > 0);
  close_now(files[0]);
  close_now(files[1]);
  return equal;
}

/* ---- without arguments ---- */

static void make_file(const char* path, size_t size) {
  static char data[BLOCK_SIZE];
  uv_file file = open_now(path, O_WRONLY | O_CREAT | O_TRUNC);

  for (size_t done = 0; done < size;) {
    size_t n = size - done < BLOCK_SIZE ? size - done : BLOCK_SIZE;
    for (size_t i = 0; i < n; i++)
      data[i] = (char) ((done + i) * 2654435761u >> 13);
    uv_fs_t req;
    uv_buf_t buf = uv_buf_init(data, (unsigned int) n);
    ssize_t written = uv_fs_write(NULL, &req, file, &buf, 1, -1, NULL);
    check(written, "write");
    uv_fs_req_cleanup(&req);
    done += (size_t) written;
  }
  close_now(file);
}

static void require_equal(const char* a, const char* b) {
  if (is_equal(a, b))
    return;
  fprintf(stderr, "copy: %s and %s differ\n", a, b);
  exit(1);
}

static void remove_now(const char* path) {
  uv_fs_t req;

  check(uv_fs_unlink(NULL, &req, path, NULL), path);
  uv_fs_req_cleanup(&req);
}

/* One copy after the other, some longer than the file they replace. */
static void copy_some(uv_loop_t* loop, const char* from, const char* to) {
  static const size_t sizes[] = {
    0, 1, BLOCK_SIZE, BLOCK_SIZE + 1, 5 * 1024 * 1024 + 4321, 3 * BLOCK_SIZE - 1
  };
  uv_fs_t req;

  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    make_file(from, sizes[i]);
    check(copy_file(loop, from, to), "copy_file");
    require_equal(from, to);
    printf("%zu bytes copied, equal\n", sizes[i]);
  }

  /* The library's own copy, in one request; it refuses to overwrite on request.
   */
  int err = uv_fs_copyfile(loop, &req, from, to, UV_FS_COPYFILE_EXCL, NULL);
  uv_fs_req_cleanup(&req);
  if (err != UV_EEXIST)
    check(UV_EEXIST, "UV_FS_COPYFILE_EXCL");
  remove_now(to);
  check(uv_fs_copyfile(loop, &req, from, to, UV_FS_COPYFILE_EXCL, NULL),
        "uv_fs_copyfile");
  uv_fs_req_cleanup(&req);
  require_equal(from, to);

  /* And an error that is reported where it should be. */
  if (copy_file(loop, "/does/not/exist", to) != UV_ENOENT)
    check(UV_EINVAL, "a file that is not there");
}

static void self_test(uv_loop_t* loop) {
  char from[1024];
  char to[1024];
  char template[900];
  char tmp[800];
  size_t len = sizeof(tmp);
  uv_fs_t dir;
  uv_fs_t req;

  check(uv_os_tmpdir(tmp, &len), "uv_os_tmpdir");
  snprintf(template, sizeof(template), "%s/copy-XXXXXX", tmp);
  check(uv_fs_mkdtemp(NULL, &dir, template, NULL), template);
  snprintf(from, sizeof(from), "%s/from", dir.path);
  snprintf(to, sizeof(to), "%s/to", dir.path);

  copy_some(loop, from, to);

  remove_now(from);
  remove_now(to);
  check(uv_fs_rmdir(NULL, &req, dir.path, NULL), "rmdir");
  uv_fs_req_cleanup(&req);
  uv_fs_req_cleanup(&dir);
}

int main(int argc, char** argv) {
  uv_loop_t loop;

  check(uv_loop_init(&loop), "uv_loop_init");
  if (argc == 3) {
    check(copy_file(&loop, argv[1], argv[2]), argv[1]);
    require_equal(argv[1], argv[2]);
  } else if (argc == 1) {
    self_test(&loop);
  } else {
    fprintf(stderr, "usage: copy [FROM TO]\n");
    return 2;
  }
  check(uv_loop_close(&loop), "uv_loop_close");
  return 0;
}
