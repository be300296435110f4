/* SPDX-License-Identifier: MIT */
/* The console that wine.py gives the program: a pseudo-terminal, which Wine
 * makes a console of. */
#include "tty-world.h"

#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 80
#define HEIGHT 30
#define TRIES 50

static HANDLE input;
static HANDLE screen;

const unsigned terminal_ms = 30;
const char* const terminal_kinds[TERMINAL_KINDS] = {
  "input", "input", "output", "output", "file", "null", "-1"
};

/* A busy Wine may take some time to start the console's process. */
static HANDLE console_open(const char* name) {
  HANDLE handle = INVALID_HANDLE_VALUE;

  for (int i = 0; i < TRIES && handle == INVALID_HANDLE_VALUE; i++) {
    Sleep(i == 0 ? 0 : terminal_ms);
    handle = CreateFileA(name, GENERIC_READ | GENERIC_WRITE,
                         FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                         OPEN_EXISTING, 0, NULL);
  }
  return handle;
}

void terminal_begin(void) {
  input = console_open("CONIN$");
  screen = console_open("CONOUT$");
  if (input == INVALID_HANDLE_VALUE || screen == INVALID_HANDLE_VALUE)
    abort();
  terminal_resize(WIDTH, HEIGHT);
}

/* (The C library's open() does not know consoles under Wine.) */
uv_file terminal_open(const char* kind) {
  static const struct {
    const char* kind;
    const char* name;
  } files[] = {
    { "input", "CONIN$" },
    { "output", "CONOUT$" },
    { "file", "file" },
    { "null", "NUL" },
  };

  for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
    if (strcmp(kind, files[i].kind) == 0) {
      HANDLE handle = CreateFileA(files[i].name, GENERIC_READ | GENERIC_WRITE,
                                  FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                                  OPEN_ALWAYS, 0, NULL);
      return _open_osfhandle((intptr_t) handle, _O_BINARY);
    }
  return -1;
}

void terminal_drop(uv_file file) {
  _close(file);
}

unsigned terminal_settings(void) {
  CONSOLE_CURSOR_INFO cursor = { 0, 0 };
  DWORD in = 0;
  DWORD out = 0;

  GetConsoleMode(input, &in);
  GetConsoleMode(screen, &out);
  GetConsoleCursorInfo(screen, &cursor);
  return in | out << 12 | (unsigned) cursor.bVisible << 20;
}

/* The window has to fit the buffer all the time. */
void terminal_resize(int width, int height) {
  SMALL_RECT least = { 0, 0, 0, 0 };
  SMALL_RECT window = { 0, 0, (SHORT) (width - 1), (SHORT) (height - 1) };
  COORD size = { (SHORT) width, (SHORT) height };

  SetConsoleWindowInfo(screen, TRUE, &least);
  SetConsoleScreenBufferSize(screen, size);
  SetConsoleWindowInfo(screen, TRUE, &window);
}

long terminal_type(const char* text) {
  long n = 0;

  for (; text[n] != '\0'; n++) {
    char c = text[n] == '\n' ? '\r' : text[n];
    INPUT_RECORD record = { .EventType = KEY_EVENT };
    DWORD written;

    record.Event.KeyEvent.bKeyDown = TRUE;
    record.Event.KeyEvent.wRepeatCount = 1;
    record.Event.KeyEvent.wVirtualKeyCode = LOBYTE(VkKeyScanA(c));
    record.Event.KeyEvent.uChar.UnicodeChar = (WCHAR) c;
    WriteConsoleInputW(input, &record, 1, &written);
  }
  return n;
}

long terminal_look(unsigned* sum) {
  CONSOLE_SCREEN_BUFFER_INFO info;
  WCHAR text[WIDTH];
  WORD attributes[WIDTH];
  DWORD n;

  if (!GetConsoleScreenBufferInfo(screen, &info))
    return UV_EIO;
  for (SHORT y = 0; y < info.dwSize.Y; y++) {
    COORD row = { 0, y };
    ReadConsoleOutputCharacterW(screen, text, WIDTH, row, &n);
    ReadConsoleOutputAttribute(screen, attributes, WIDTH, row, &n);
    for (DWORD x = 0; x < n; x++)
      *sum = (*sum * 31 + text[x]) * 31 + attributes[x];
  }
  return info.dwCursorPosition.Y * 1000 + info.dwCursorPosition.X;
}
