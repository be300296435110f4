/* SPDX-License-Identifier: MIT */
/* Area tty: handles on the slave of a pseudo-terminal whose master the program
 * has: modes, sizes, typing and writing. */
#include "areas.h"
#include "moment.h"
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { KIND_TTY = KIND_AREA };

#define TTYS 3
#define PATIENCE_MS 4 /* see delivery() */

static int master;
static int slave;

static uv_tty_t* tty_of(const struct object* object) {
  return (uv_tty_t*) object->handle;
}

/* The settings of the terminal that modes change. */
static unsigned settings(void) {
  struct termios t;

  if (tcgetattr(slave, &t) != 0)
    return 0;
  return (unsigned) (t.c_iflag ^ t.c_oflag << 8 ^ t.c_lflag << 4 ^
                     t.c_cflag << 2) +
         t.c_cc[VMIN] * 7u + t.c_cc[VTIME] * 11u;
}

static void tty_say(const struct step* step,
                    const struct object* object,
                    long result,
                    const char* what) {
  if (object->handle == NULL)
    world_say(step, object, result, "%s %s", what, object->name);
  else
    world_say(step, object, result, "%s %s q=%zu%s%s settings=%x", what,
              object->name,
              uv_stream_get_write_queue_size((uv_stream_t*) object->handle),
              uv_is_readable((uv_stream_t*) object->handle) ? " readable" : "",
              uv_is_writable((uv_stream_t*) object->handle) ? " writable" : "",
              settings());
}

static void tty_init(const struct step* step) {
  static const char* const kinds[] = { "slave", "slave", "slave", "master",
                                       "file",  "null",  "-1" };
  struct object* o = object_pick(KIND_TTY, step->arg[0]);
  const char* kind = AT(kinds, step->arg[1]);
  char what[64];
  int fd = -1;

  if (o->life != GONE) {
    world_skip(step);
    return;
  }
  if (strcmp(kind, "slave") == 0)
    fd = dup(slave);
  else if (strcmp(kind, "master") == 0)
    fd = dup(master);
  else if (strcmp(kind, "file") == 0)
    fd = open("file", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  else if (strcmp(kind, "null") == 0)
    fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  uv_tty_t* memory = object_memory(o, sizeof(*memory));
  int err = object_made(
      o, uv_tty_init(world_loop(), memory, fd, (int) (step->arg[2] % 2)));
  if (err != 0 && fd != -1)
    close(fd);
  snprintf(what, sizeof(what), "tty_init %s %u", kind, step->arg[2] % 2);
  tty_say(step, o, err, what);
}

static struct object* tty_pick(unsigned arg) {
  struct object* o = object_pick(KIND_TTY, arg);
  return o->life == OPEN ? o : NULL;
}

static void tty_mode(const struct step* step) {
  struct object* o = tty_pick(step->arg[0]);
  int mode = (int) (step->arg[1] % 5);
  char what[32];

  if (o == NULL) {
    world_skip(step);
    return;
  }
  snprintf(what, sizeof(what), "set_mode %d", mode);
  tty_say(step, o, uv_tty_set_mode(tty_of(o), (uv_tty_mode_t) mode), what);
}

static void tty_reset(const struct step* step) {
  int err = uv_tty_reset_mode();
  world_say(step, NULL, err, "reset_mode settings=%x", settings());
}

static void tty_size(const struct step* step) {
  struct object* o = tty_pick(step->arg[0]);
  struct winsize size = { .ws_row = (unsigned short) (step->arg[1] % 100),
                          .ws_col = (unsigned short) (step->arg[2] % 200) };
  int width = -1;
  int height = -1;

  if (o == NULL) {
    world_skip(step);
    return;
  }
  if (step->arg[3] % 2)
    ioctl(master, TIOCSWINSZ, &size);
  int err = uv_tty_get_winsize(tty_of(o), &width, &height);
  world_say(step, o, err, "winsize %s %d %d", o->name, width, height);
}

static void tty_vterm(const struct step* step) {
  uv_tty_vtermstate_t state;

  if (step->arg[0] % 2)
    uv_tty_set_vterm_state(UV_TTY_SUPPORTED);
  world_say(step, NULL, uv_tty_get_vterm_state(&state), "vterm_state");
}

/* --- data ---------------------------------------------------------------- */

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  static char data[65536];

  (void) handle;
  *buf = uv_buf_init(data, suggested < sizeof(data) ? suggested : sizeof(data));
}

static void on_read(uv_stream_t* stream, ssize_t nread, const uv_buf_t* buf) {
  unsigned sum = 0;

  for (ssize_t i = 0; i < nread; i++)
    sum = sum * 31 + (unsigned char) buf->base[i];
  world_callback(stream->data, "read_cb %s sum=%u", trace_code(nread), sum);
}

static void tty_read(const struct step* step) {
  struct object* o = tty_pick(step->arg[0]);

  if (o == NULL)
    world_skip(step);
  else if (step->arg[1] % 4 == 0)
    tty_say(step, o, uv_read_stop((uv_stream_t*) o->handle), "read_stop");
  else
    tty_say(step, o, uv_read_start((uv_stream_t*) o->handle, on_alloc, on_read),
            "read_start");
}

static const char* const lines[] = { "a line\n", "half", "\r\n",
                                     "\x04",     "\n",   "two\nlines\n" };

static void on_write(uv_write_t* req, int status) {
  struct object* o = req->data;

  free(req);
  world_callback(o, "write_cb %s", trace_code(status));
}

/* The kernel hands data from one side to the other on a thread of its own. */
static void delivery(void) {
  usleep(1000 * PATIENCE_MS);
}

static void tty_write(const struct step* step) {
  struct object* o = tty_pick(step->arg[0]);
  const char* line = AT(lines, step->arg[1]);
  uv_buf_t buf = uv_buf_init((char*) line, (unsigned) strlen(line));

  if (o == NULL) {
    world_skip(step);
  } else if (step->arg[2] % 2) {
    tty_say(step, o, uv_try_write((uv_stream_t*) o->handle, &buf, 1),
            "try_write");
  } else {
    uv_write_t* req = malloc(sizeof(*req));
    req->data = o;
    int err = uv_write(req, (uv_stream_t*) o->handle, &buf, 1, on_write);
    if (err != 0)
      free(req);
    tty_say(step, o, err, "write");
  }
  delivery();
}

/* Somebody types. */
static void type(const struct step* step) {
  const char* line = AT(lines, step->arg[0]);
  long n = write(master, line, strlen(line));

  delivery();
  world_say(step, NULL, n < 0 ? -errno : n, "type %u", step->arg[0] % 6);
}

/* Somebody looks at the screen. */
static void look(const struct step* step) {
  char screen[4096];
  unsigned sum = 0;
  long n;

  delivery();
  n = read(master, screen, sizeof(screen));
  for (long i = 0; i < n; i++)
    sum = sum * 31 + (unsigned char) screen[i];
  world_say(step, NULL, n < 0 ? -errno : n, "screen %u", sum);
}

/* ------------------------------------------------------------------------- */

static void setup(void) {
  loop_setup();
  world_add(KIND_TTY, "y", TTYS);
}

static void begin(void) {
  struct winsize size = { .ws_row = 24, .ws_col = 80 };

  if (openpty(&master, &slave, NULL, NULL, &size) != 0)
    abort();
  fcntl(master, F_SETFL, O_NONBLOCK);
  fcntl(master, F_SETFD, FD_CLOEXEC);
  fcntl(slave, F_SETFD, FD_CLOEXEC);
  moment_patience(PATIENCE_MS);
}

static void cleanup(void) {
  trace_add("at the end: settings=%x", settings());
  trace_add(", reset_mode %s", trace_code(uv_tty_reset_mode()));
  trace_add(" settings=%x", settings());
  trace_end();
}

static const struct op ops[] = {
  { "tty_init", 60, tty_init, 0 },   { "tty_mode", 60, tty_mode, 0 },
  { "tty_reset", 15, tty_reset, 0 }, { "tty_size", 15, tty_size, 0 },
  { "tty_vterm", 3, tty_vterm, 0 },  { "tty_read", 60, tty_read, 0 },
  { "tty_write", 40, tty_write, 0 }, { "type", 60, type, 0 },
  { "look", 20, look, 0 },           { NULL, 0, NULL, 0 },
};

const struct area area_tty = {
  .name = "tty",
  .ops = ops,
  .common = loop_few_ops,
  .setup = setup,
  .begin = begin,
  .cleanup = cleanup,
};
