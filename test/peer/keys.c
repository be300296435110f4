/* SPDX-License-Identifier: MIT */
/* keys FILE: writes what a raw terminal delivers for every key with every
 * combination of modifiers, one line each; test/peer/run compares both
 * libraries. Needs a console: under Wine, a pseudo-terminal. */
#include <uv.h>

#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define KEYS 256
#define END '}' /* typed after each key, to see that there is no more */

static const DWORD states[] = {
  0,
  SHIFT_PRESSED,
  LEFT_CTRL_PRESSED,
  RIGHT_CTRL_PRESSED | SHIFT_PRESSED,
  LEFT_ALT_PRESSED,
  RIGHT_ALT_PRESSED,
  LEFT_ALT_PRESSED | SHIFT_PRESSED,
  LEFT_ALT_PRESSED | LEFT_CTRL_PRESSED,
  ENHANCED_KEY,
  ENHANCED_KEY | LEFT_ALT_PRESSED,
};
static const WCHAR units[] = { 'a', 1,    '\r', '\t',   '\b',
                               27,  0xE9, 3,    0x20AC, 127 };

static uv_loop_t loop;
static uv_tty_t tty;
static HANDLE input;
static FILE* out;
static char bytes[64];
static size_t nbytes;
static int is_done;

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  static char space[64];

  (void) handle;
  (void) size;
  *buf = uv_buf_init(space, sizeof(space));
}

/* Twice, because the first one is also seen if the key sends nothing. */
static void on_read(uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
  (void) stream;
  if (n < 0) {
    fprintf(out, "%s\n", uv_err_name((int) n));
    is_done = 1;
    return;
  }
  for (ssize_t i = 0; i < n && nbytes < sizeof(bytes); i++)
    bytes[nbytes++] = buf->base[i];
  is_done = nbytes >= 2 && bytes[nbytes - 1] == END && bytes[nbytes - 2] == END;
}

static void type(WORD key, WCHAR unit, DWORD state, WORD count) {
  INPUT_RECORD record;
  DWORD written;

  memset(&record, 0, sizeof(record));
  record.EventType = KEY_EVENT;
  record.Event.KeyEvent.bKeyDown = TRUE;
  record.Event.KeyEvent.wRepeatCount = count;
  record.Event.KeyEvent.wVirtualKeyCode = key;
  record.Event.KeyEvent.uChar.UnicodeChar = unit;
  record.Event.KeyEvent.dwControlKeyState = state;
  WriteConsoleInputW(input, &record, 1, &written);
}

static void try_key(WORD key, WCHAR unit, DWORD state) {
  type(key, unit, state, 1);
  type(VK_OEM_6, END, 0, 2);
  nbytes = 0;
  is_done = 0;
  while (!is_done)
    uv_run(&loop, UV_RUN_ONCE);
  fprintf(out, "key %x unit %x state %lx:", key, unit, state);
  for (size_t i = 0; i + 2 < nbytes; i++)
    fprintf(out, " %02x", (unsigned char) bytes[i]);
  fprintf(out, "\n");
}

static int start(void) {
  uv_fs_t req;

  input = CreateFileA("CONIN$", GENERIC_READ | GENERIC_WRITE,
                      FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
                      0, NULL);
  int fd = uv_fs_open(NULL, &req, "CONIN$", UV_FS_O_RDWR, 0, NULL);
  int err = uv_loop_init(&loop);
  if (err == 0)
    err = uv_tty_init(&loop, &tty, fd, 0);
  if (err == 0)
    err = uv_tty_set_mode(&tty, UV_TTY_MODE_RAW);
  if (err == 0)
    err = uv_read_start((uv_stream_t*) &tty, on_alloc, on_read);
  FlushConsoleInputBuffer(input);
  return err;
}

int main(int argc, char** argv) {
  out = argc == 2 ? fopen(argv[1], "w") : NULL;
  if (out == NULL)
    return 1;
  int err = start();
  if (err != 0) {
    fprintf(out, "cannot start: %s\n", uv_err_name(err));
    return 1;
  }
  for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
    for (WORD key = 1; key < KEYS; key++)
      try_key(key, 0, states[i]);
    for (size_t j = 0; j < ARRAY_SIZE(units); j++)
      try_key('A', units[j], states[i]);
  }
  uv_tty_reset_mode();
  fprintf(out, "done\n");
  fclose(out);
  return 0;
}
