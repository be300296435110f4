/* SPDX-License-Identifier: MIT */
/* Area tty: handles on a terminal of which the program has the other side, too:
 * modes, sizes, typing and writing. */
#include "areas.h"
#include "moment.h"
#include "trace.h"
#include "tty-world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_TTY = KIND_AREA };

#define TTYS 3

static uv_tty_t* tty_of(const struct object* object) {
  return (uv_tty_t*) object->handle;
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
              terminal_settings());
}

static void tty_init(const struct step* step) {
  struct object* o = object_pick(KIND_TTY, step->arg[0]);
  const char* kind = AT(terminal_kinds, step->arg[1]);
  char what[64];

  if (o->life != GONE) {
    world_skip(step);
    return;
  }
  uv_file file = terminal_open(kind);
  uv_tty_t* memory = object_memory(o, sizeof(*memory));
  int err = object_made(
      o, uv_tty_init(world_loop(), memory, file, (int) (step->arg[2] % 2)));
  if (err != 0 && file != -1)
    terminal_drop(file);
  snprintf(what, sizeof(what), "tty_init %s %u", kind, step->arg[2] % 2);
  tty_say(step, o, err, what);
}

static struct object* tty_pick(unsigned arg) {
  struct object* o = object_pick(KIND_TTY, arg);
  return o->life == OPEN ? o : NULL;
}

static void set_mode(const struct step* step, int mode) {
  struct object* o = tty_pick(step->arg[0]);
  char what[32];

  if (o == NULL) {
    world_skip(step);
    return;
  }
  snprintf(what, sizeof(what), "set_mode %d", mode);
  tty_say(step, o, uv_tty_set_mode(tty_of(o), (uv_tty_mode_t) mode), what);
}

static void tty_mode(const struct step* step) {
  static const int modes[] = { UV_TTY_MODE_NORMAL, UV_TTY_MODE_RAW,
                               UV_TTY_MODE_IO, 99 };
  set_mode(step, AT(modes, step->arg[1]));
}

static void tty_mode_vt(const struct step* step) {
  set_mode(step, UV_TTY_MODE_RAW_VT);
}

static void tty_reset(const struct step* step) {
  int err = uv_tty_reset_mode();
  world_say(step, NULL, err, "reset_mode settings=%x", terminal_settings());
}

static void tty_size(const struct step* step) {
  struct object* o = tty_pick(step->arg[0]);
  int width = -1;
  int height = -1;

  if (o == NULL) {
    world_skip(step);
    return;
  }
  if (step->arg[3] % 2)
    terminal_resize((int) (step->arg[2] % 200), (int) (step->arg[1] % 100));
  int err = uv_tty_get_winsize(tty_of(o), &width, &height);
  world_say(step, o, err, "winsize %s %d %d", o->name, width, height);
}

static void tty_vterm(const struct step* step) {
  uv_tty_vtermstate_t state = UV_TTY_UNSUPPORTED;

  if (step->arg[0] % 2)
    uv_tty_set_vterm_state(step->arg[1] % 2 ? UV_TTY_SUPPORTED
                                            : UV_TTY_UNSUPPORTED);
  int err = uv_tty_get_vterm_state(&state);
  world_say(step, NULL, err, "vterm_state %d", (int) state);
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

/* A console may have to be told what sequences mean. */
static const char* const texts[] = {
  "a line\n",
  "half",
  "\r\n",
  "two\nlines\n",
  "tab\tback\b\bbell\a",
  "\33[31mred\33[0m",
  "\33[1;32;44mx\33[22my\33[39mz\33[49mw",
  "\33[7minverse\33[27mnot",
  "\33[5;10Hat\33[2Ax\33[1By\33[3Cz\33[9Dw",
  "\33[Gfirst\33[Enext\33[Flast",
  "\33[K",
  "\33[1K",
  "\33[2J\33[H",
  "\33[s\33[3;3f\33[u",
  "\33[?25l",
  "\33[?25h",
  "\33]0;title\a",
  "\33[3",
  "1m",
  "\303\251\342\202\254\360\237\230\200",
  "\342\202",
  "\254\377",
};

static void on_write(uv_write_t* req, int status) {
  struct object* o = req->data;

  free(req);
  world_callback(o, "write_cb %s", trace_code(status));
}

/* Until data is on the other side of the terminal. */
static void delivery(void) {
  uv_sleep(terminal_ms);
}

static void tty_write(const struct step* step) {
  struct object* o = tty_pick(step->arg[0]);
  const char* text = AT(texts, step->arg[1]);
  uv_buf_t buf = uv_buf_init((char*) text, (unsigned) strlen(text));

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

static void type(const struct step* step) {
  long n = terminal_type(AT(lines, step->arg[0]));

  delivery();
  world_say(step, NULL, n, "type %u", step->arg[0] % 6);
}

static void look(const struct step* step) {
  unsigned sum = 0;

  delivery();
  long n = terminal_look(&sum);
  world_say(step, NULL, n, "screen %u", sum);
}

/* ------------------------------------------------------------------------- */

static void setup(void) {
  loop_setup();
  world_add(KIND_TTY, "y", TTYS);
}

static void begin(void) {
  terminal_begin();
  moment_patience((int) terminal_ms);
}

static void cleanup(void) {
  trace_add("at the end: settings=%x", terminal_settings());
  trace_add(", reset_mode %s", trace_code(uv_tty_reset_mode()));
  trace_add(" settings=%x", terminal_settings());
  trace_end();
}

static const struct op ops[] = {
  { "tty_init", 60, tty_init, 0 },
  { "tty_mode", 48, tty_mode, 0 },
  { "tty_mode_vt", 12, tty_mode_vt, SINCE_1_51 },
  { "tty_reset", 15, tty_reset, 0 },
  { "tty_size", 15, tty_size, 0 },
  { "tty_vterm", 3, tty_vterm, 0 },
  { "tty_read", 60, tty_read, 0 },
  { "tty_write", 60, tty_write, 0 },
  { "type", 60, type, 0 },
  { "look", 20, look, 0 },
  { NULL, 0, NULL, 0 },
};

const struct area area_tty = {
  .name = "tty",
  .ops = ops,
  .common = loop_few_ops,
  .setup = setup,
  .begin = begin,
  .cleanup = cleanup,
};
