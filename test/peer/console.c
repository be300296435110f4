/* SPDX-License-Identifier: MIT */
/* console FILE: writes what a console delivers to streams and signal handles:
 * lines, changes of the mode while a line is read, Ctrl-C and Ctrl-Break,
 * another window size, and the end of writing. test/peer/run compares both
 * libraries, with buffers that are longer than the lines. Needs a console:
 * under Wine, a pseudo-terminal. */
#include <uv.h>

#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define WAIT_MS 250 /* for what should not come, or may come late */

static uv_loop_t loop;
static uv_tty_t tty;    /* input */
static uv_tty_t screen; /* output */
static uv_timer_t timer;
static HANDLE input;
static FILE* out;

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char space[256];

  (void) handle;
  (void) size;
  *buf = uv_buf_init(space, sizeof(space));
}

static void on_read(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) stream;
  if (n < 0) {
    fprintf(out, "  read %s\n", uv_err_name((int) n));
    return;
  }
  fprintf(out, "  read:");
  for (ssize_t i = 0; i < n; i++)
    fprintf(out, " %02x", (unsigned char) buf->base[i]);
  fprintf(out, "\n");
}

static void on_signal(uv_signal_t* handle, int signum) {
  (void) handle;
  fprintf(out, "  signal %d\n", signum);
}

static void on_timer(uv_timer_t* handle) {
  uv_stop(handle->loop);
}

static void run_for_a_while(void) {
  uv_timer_start(&timer, on_timer, WAIT_MS, 0);
  uv_run(&loop, UV_RUN_DEFAULT);
}

static void type(const WCHAR* text) {
  for (; *text != 0; text++) {
    INPUT_RECORD record;
    DWORD written;

    memset(&record, 0, sizeof(record));
    record.EventType = KEY_EVENT;
    record.Event.KeyEvent.bKeyDown = TRUE;
    record.Event.KeyEvent.wRepeatCount = 1;
    record.Event.KeyEvent.wVirtualKeyCode =
        *text == L'\r' ? VK_RETURN : (WORD) (*text < 128 ? *text : 0);
    record.Event.KeyEvent.uChar.UnicodeChar = *text;
    WriteConsoleInputW(input, &record, 1, &written);
  }
}

static void read_lines(void) {
  static const WCHAR* const lines[] = {
    L"ab\r", L"\r", L"\xE9\x20AC\r", L"\xD83D\xDE00\r", L"\x1A\r", L"a\x1A\r",
  };

  for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
    fprintf(out, "line %d\n", (int) i);
    fprintf(out, "  start %d\n",
            uv_read_start((uv_stream_t*) &tty, on_alloc, on_read));
    type(lines[i]);
    run_for_a_while();
    uv_read_stop((uv_stream_t*) &tty);
    run_for_a_while();
  }
}

/* What was typed before the stop is not read; what comes later is. */
static void stop_and_start(void) {
  fprintf(out, "stop while a line is typed\n");
  uv_read_start((uv_stream_t*) &tty, on_alloc, on_read);
  run_for_a_while();
  uv_read_stop((uv_stream_t*) &tty);
  run_for_a_while();
  fprintf(out, "start again\n");
  uv_read_start((uv_stream_t*) &tty, on_alloc, on_read);
  type(L"next\r");
  run_for_a_while();
  uv_read_stop((uv_stream_t*) &tty);
  run_for_a_while();
}

static void change_modes(void) {
  fprintf(out, "raw while a line is read\n");
  uv_read_start((uv_stream_t*) &tty, on_alloc, on_read);
  run_for_a_while();
  fprintf(out, "  raw: %d\n", uv_tty_set_mode(&tty, UV_TTY_MODE_RAW));
  type(L"x\r");
  run_for_a_while();
  fprintf(out, "  normal: %d\n", uv_tty_set_mode(&tty, UV_TTY_MODE_NORMAL));
  run_for_a_while();
  type(L"line\r");
  run_for_a_while();
  uv_read_stop((uv_stream_t*) &tty);
  run_for_a_while();
}

static void send_events(void) {
  static const struct {
    const char* name;
    DWORD event;
    int signum;
  } rows[] = {
    { "Ctrl-C", CTRL_C_EVENT, SIGINT },
    { "Ctrl-Break", CTRL_BREAK_EVENT, SIGBREAK },
  };
  uv_signal_t signals[ARRAY_SIZE(rows)];

  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    uv_signal_init(&loop, &signals[i]);
    fprintf(out, "%s: start %d\n", rows[i].name,
            uv_signal_start(&signals[i], on_signal, rows[i].signum));
    GenerateConsoleCtrlEvent(rows[i].event, 0);
    run_for_a_while();
    fprintf(out, "again, in line mode\n");
    uv_read_start((uv_stream_t*) &tty, on_alloc, on_read);
    run_for_a_while();
    GenerateConsoleCtrlEvent(rows[i].event, 0);
    run_for_a_while();
    type(L"y\r");
    run_for_a_while();
    uv_read_stop((uv_stream_t*) &tty);
    run_for_a_while();
  }
  fprintf(out, "Ctrl-C, once\n");
  uv_signal_stop(&signals[0]);
  uv_signal_start_oneshot(&signals[0], on_signal, SIGINT);
  GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0);
  run_for_a_while();
  fprintf(out, "  active: %d\n", uv_is_active((uv_handle_t*) &signals[0]));
  for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
    uv_close((uv_handle_t*) &signals[i], NULL);
  run_for_a_while();
}

static void resize(SHORT width, SHORT height) {
  HANDLE handle = (HANDLE) uv_get_osfhandle(1);
  SMALL_RECT small_window = { 0, 0, 9, 4 };
  SMALL_RECT window = { 0, 0, (SHORT) (width - 1), (SHORT) (height - 1) };
  COORD size = { width, height };
  INPUT_RECORD record;
  DWORD written;
  int known_width = 0;
  int known_height = 0;

  SetConsoleWindowInfo(handle, TRUE, &small_window);
  SetConsoleScreenBufferSize(handle, size);
  SetConsoleWindowInfo(handle, TRUE, &window);
  memset(&record, 0, sizeof(record));
  record.EventType = WINDOW_BUFFER_SIZE_EVENT;
  record.Event.WindowBufferSizeEvent.dwSize = size;
  WriteConsoleInputW(input, &record, 1, &written);
  int err = uv_tty_get_winsize(&screen, &known_width, &known_height);
  fprintf(out, "  size %d: %d x %d\n", err, known_width, known_height);
}

static void change_size(void) {
  uv_signal_t handle;

  fprintf(out, "window size\n");
  uv_signal_init(&loop, &handle);
  uv_signal_start(&handle, on_signal, SIGWINCH);
  uv_tty_set_mode(&tty, UV_TTY_MODE_RAW);
  uv_read_start((uv_stream_t*) &tty, on_alloc, on_read);
  run_for_a_while();
  resize(60, 20);
  run_for_a_while();
  resize(60, 20);
  run_for_a_while();
  resize(70, 25);
  run_for_a_while();
  uv_read_stop((uv_stream_t*) &tty);
  uv_tty_set_mode(&tty, UV_TTY_MODE_NORMAL);
  uv_close((uv_handle_t*) &handle, NULL);
  run_for_a_while();
}

static void on_write(uv_write_t* req, int status) {
  (void) req;
  fprintf(out, "  write %d\n", status);
}

static void on_shutdown(uv_shutdown_t* req, int status) {
  (void) req;
  fprintf(out, "  shutdown %d\n", status);
}

static void on_prepare(uv_prepare_t* handle) {
  fprintf(out, "  prepare\n");
  uv_prepare_stop(handle);
}

static void end_writing(void) {
  uv_buf_t buf = uv_buf_init((char*) "x", 1);
  uv_prepare_t prepare;
  uv_shutdown_t shutdown_req;
  uv_write_t req;

  fprintf(out, "end of writing\n");
  uv_prepare_init(&loop, &prepare);
  uv_prepare_start(&prepare, on_prepare);
  fprintf(out, "  %d\n",
          uv_write(&req, (uv_stream_t*) &screen, &buf, 1, on_write));
  fprintf(out, "  %d\n",
          uv_shutdown(&shutdown_req, (uv_stream_t*) &screen, on_shutdown));
  run_for_a_while();
  fprintf(out, "  writable %d, write %d\n",
          uv_is_writable((uv_stream_t*) &screen),
          uv_try_write((uv_stream_t*) &screen, &buf, 1));
}

static int start(void) {
  uv_fs_t req;

  input = CreateFileA("CONIN$", GENERIC_READ | GENERIC_WRITE,
                      FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
                      0, NULL);
  int fd = uv_fs_open(NULL, &req, "CONIN$", UV_FS_O_RDWR, 0, NULL);
  int err = uv_loop_init(&loop);
  if (err == 0)
    err = uv_timer_init(&loop, &timer);
  if (err == 0)
    err = uv_tty_init(&loop, &tty, fd, 0);
  if (err == 0)
    err = uv_tty_init(&loop, &screen, 1, 0);
  FlushConsoleInputBuffer(input);
  return err;
}

int main(int argc, char** argv) {
  out = argc == 2 ? fopen(argv[1], "w") : NULL;
  if (out == NULL)
    return 1;
  setvbuf(out, NULL, _IONBF, 0);
  int err = start();
  if (err != 0) {
    fprintf(out, "cannot start: %s\n", uv_err_name(err));
    return 1;
  }
  read_lines();
  stop_and_start();
  change_modes();
  send_events();
  change_size();
  end_writing();
  fprintf(out, "done\n");
  fclose(out);
  return 0;
}
