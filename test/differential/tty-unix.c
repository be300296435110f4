/* SPDX-License-Identifier: MIT */
#include "tty-world.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static int master;
static int slave;

const unsigned terminal_ms = 4;
const char* const terminal_kinds[TERMINAL_KINDS] = { "slave",  "slave", "slave",
                                                     "master", "file",  "null",
                                                     "-1" };

void terminal_begin(void) {
  struct winsize size = { .ws_row = 24, .ws_col = 80 };

  if (openpty(&master, &slave, NULL, NULL, &size) != 0)
    abort();
  fcntl(master, F_SETFL, O_NONBLOCK);
  fcntl(master, F_SETFD, FD_CLOEXEC);
  fcntl(slave, F_SETFD, FD_CLOEXEC);
}

uv_file terminal_open(const char* kind) {
  if (strcmp(kind, "slave") == 0)
    return dup(slave);
  if (strcmp(kind, "master") == 0)
    return dup(master);
  if (strcmp(kind, "file") == 0)
    return open("file", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (strcmp(kind, "null") == 0)
    return open("/dev/null", O_RDWR | O_CLOEXEC);
  return -1;
}

void terminal_drop(uv_file file) {
  close(file);
}

unsigned terminal_settings(void) {
  struct termios t;

  if (tcgetattr(slave, &t) != 0)
    return 0;
  return (unsigned) (t.c_iflag ^ t.c_oflag << 8 ^ t.c_lflag << 4 ^
                     t.c_cflag << 2) +
         t.c_cc[VMIN] * 7u + t.c_cc[VTIME] * 11u;
}

void terminal_resize(int width, int height) {
  struct winsize size = { .ws_row = (unsigned short) height,
                          .ws_col = (unsigned short) width };

  ioctl(master, TIOCSWINSZ, &size);
}

long terminal_type(const char* text) {
  long n = write(master, text, strlen(text));
  return n < 0 ? -errno : n;
}

long terminal_look(unsigned* sum) {
  char screen[4096];
  long n = read(master, screen, sizeof(screen));

  if (n < 0)
    return -errno;
  for (long i = 0; i < n; i++)
    *sum = *sum * 31 + (unsigned char) screen[i];
  return n;
}
