/* SPDX-License-Identifier: MIT */
/* Area pure: functions without a loop. Each step calls one with arguments that
 * are mostly at the edge of what it accepts. */
#include "areas.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const texts[] = { "",
                                     "127.0.0.1",
                                     "::1",
                                     "fe80::1%lo",
                                     "fe80::1%nonsense",
                                     "1.2.3",
                                     "256.1.1.1",
                                     "1.2.3.4.5",
                                     "::ffff:1.2.3.4",
                                     "::ffff:1.2.3.256",
                                     "1::2::3",
                                     "::",
                                     ":::",
                                     "2001:db8:0:0:1:0:0:1",
                                     "12345::1",
                                     "0.0.0.0",
                                     "01.2.3.4",
                                     " 1.2.3.4",
                                     "1.2.3.4 ",
                                     "::1.2.3.4",
                                     "a:b:c:d:e:f:1:2",
                                     "a:b:c:d:e:f:1:2:3",
                                     "g::",
                                     "0:0:0:0:0:0:0:0",
                                     "1:0:0:2:0:0:0:3",
                                     "255.255.255.255",
                                     "::%lo",
                                     "1::",
                                     "1:2:3:4:5:6:7::",
                                     "::2:3:4:5:6:7:8" };
static const int sizes[] = { 0, 1, 2, 3, 5, 8, 16, 40, 46, 64 };

static const char* text(const struct step* step) {
  return AT(texts, step->arg[0]);
}

/* --- addresses ----------------------------------------------------------- */

static void hex(const void* data, size_t size, char* out) {
  const unsigned char* bytes = data;

  for (size_t i = 0; i < size; i++)
    sprintf(out + 2 * i, "%02x", bytes[i]);
  out[2 * size] = '\0';
}

static void pton(const struct step* step) {
  static const int families[] = { AF_INET, AF_INET6, AF_INET6, AF_UNIX };
  unsigned char addr[16];
  int family = AT(families, step->arg[1]);
  size_t size = family == AF_INET ? 4 : 16;
  char out[40] = "";
  int err = uv_inet_pton(family, text(step), addr);

  if (err == 0)
    hex(addr, size, out);
  world_say(step, NULL, err, "inet_pton %d \"%s\": %s", family, text(step),
            out);
}

/* Bytes with many zeros, where the short forms are. */
static void make_address(unsigned arg, unsigned char addr[16]) {
  for (int i = 0; i < 16; i++) {
    unsigned bit = arg >> (i / 2) & 1;
    addr[i] = bit ? (unsigned char) (arg >> (i % 8)) : 0;
  }
  if (arg % 5 == 0) {
    memset(addr, 0, 10);
    memset(addr + 10, arg % 2 ? 0xff : 0, 2);
  }
}

static void ntop(const struct step* step) {
  static const int families[] = { AF_INET, AF_INET6, AF_INET6, AF_UNIX };
  int family = AT(families, step->arg[1]);
  int size = AT(sizes, step->arg[2]);
  unsigned char addr[16];
  char out[65];

  make_address(step->arg[0], addr);
  memset(out, '#', sizeof(out));
  int err = uv_inet_ntop(family, addr, out, (size_t) size);
  out[64] = '\0';
  world_say(step, NULL, err, "inet_ntop %d %u %d: %s", family, step->arg[0],
            size, err == 0 ? out : "");
}

static void ip_addr(const struct step* step) {
  struct sockaddr_in a4;
  struct sockaddr_in6 a6;
  char out[64] = "";
  int is_6 = step->arg[1] % 2;
  int port = (int) step->arg[2] % 70000;
  int err;

  memset(&a4, 0, sizeof(a4));
  memset(&a6, 0, sizeof(a6));
  if (is_6) {
    err = uv_ip6_addr(text(step), port, &a6);
    hex(&a6, sizeof(a6), out);
  } else {
    err = uv_ip4_addr(text(step), port, &a4);
    hex(&a4, sizeof(a4), out);
  }
  world_say(step, NULL, err, "ip%d_addr \"%s\" %d: %s", is_6 ? 6 : 4,
            text(step), port, out);
}

static void ip_name(const struct step* step) {
  struct sockaddr_in6 a6;
  struct sockaddr_in a4;
  int size = AT(sizes, step->arg[2]);
  char out[65] = "";
  unsigned char addr[16];
  int how = step->arg[1] % 3;
  int err;

  make_address(step->arg[0], addr);
  memset(&a4, 0, sizeof(a4));
  memset(&a6, 0, sizeof(a6));
  a4.sin_family = AF_INET;
  a6.sin6_family = AF_INET6;
  memcpy(&a4.sin_addr, addr + 8, 4);
  memcpy(&a6.sin6_addr, addr, 16);
  if (how == 0)
    err = uv_ip4_name(&a4, out, (size_t) size);
  else if (how == 1)
    err = uv_ip6_name(&a6, out, (size_t) size);
  else
    err = uv_ip_name(step->arg[3] % 2 ? (struct sockaddr*) &a4
                                      : (struct sockaddr*) &a6,
                     out, (size_t) size);
  world_say(step, NULL, err, "ip_name %d %d: %s", how, size,
            err == 0 ? out : "");
}

/* --- errors and names ---------------------------------------------------- */

static void errors(const struct step* step) {
  static const int odd[] = { 0, 1, -1, -4095, -4096, -5000, 22, -3000, -134 };
  int code = step->arg[1] % 4 == 0 ? AT(odd, step->arg[0])
                                   : -(int) (step->arg[0] % 140);
  char name[64];
  char message[96];

  uv_err_name_r(code, name, (size_t) AT(sizes, step->arg[2]) + 1);
  uv_strerror_r(code, message, 1 + step->arg[3] % sizeof(message));
  world_say(step, NULL, uv_translate_sys_error(code), "error %d: %s, %s", code,
            name, message);
}

static void types(const struct step* step) {
  unsigned type = step->arg[0] % 30;
  const char* handle = uv_handle_type_name((uv_handle_type) type);
  const char* req = uv_req_type_name((uv_req_type) type);

  world_say(step, NULL, 0, "type %u: %s %zu, %s %zu", type,
            handle == NULL ? "NULL" : handle,
            uv_handle_size((uv_handle_type) type), req == NULL ? "NULL" : req,
            uv_req_size((uv_req_type) type));
}

/* --- UTF-16 and WTF-8 ---------------------------------------------------- */

static void utf16(const struct step* step) {
  uint16_t in[8];
  char buffer[64];
  char* out = buffer;
  size_t size = step->arg[2] % sizeof(buffer);
  ssize_t length = (ssize_t) (step->arg[1] % 8);
  char digits[2 * sizeof(buffer) + 1] = "";

  for (int i = 0; i < 7; i++) {
    static const uint16_t units[] = { 'a',    0x7f,   0x80,   0x7ff,
                                      0x800,  0xd800, 0xdbff, 0xdc00,
                                      0xdfff, 0xffff, 0x4e2d };
    in[i] = AT(units, (step->arg[0] >> i) + (unsigned) i);
  }
  in[7] = 0;
  if (step->arg[1] % 9 == 0)
    length = -1;
  size_t need = uv_utf16_length_as_wtf8(in, length);
  int err = uv_utf16_to_wtf8(in, length, &out, &size);
  if (err == 0)
    hex(out, size, digits);
  world_say(step, NULL, err, "utf16_to_wtf8 %zd: need %zu size %zu %s", length,
            need, size, digits);
}

static void wtf8(const struct step* step) {
  static const char* const bytes[] = { "",
                                       "a",
                                       "\x7f",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf",
                                       "\xf4\x90\x80\x80",
                                       "\xc0\x80",
                                       "\xc1\xbf",
                                       "\xe0\x80\x80",
                                       "\xed\xa0\x80",
                                       "\xed\xbf\xbf",
                                       "\x80",
                                       "\xff",
                                       "\xf0\x80\x80\x80",
                                       "\xe4\xb8",
                                       "\xf0\x90",
                                       "a\xe4\xb8\xad z",
                                       "\xed\xa0\x80\xed\xb0\x80" };
  const char* in = AT(bytes, step->arg[0]);
  uint16_t out[16];
  char digits[4 * 16 + 1] = "";
  ssize_t length = uv_wtf8_length_as_utf16(in);

  if (length > 0 && length <= 16) {
    uv_wtf8_to_utf16(in, out, (size_t) length);
    hex(out, (size_t) length * 2, digits);
  }
  world_say(step, NULL, length < 0 ? -1 : length, "wtf8_to_utf16 %u: %s",
            step->arg[0] % 22, digits);
}

/* --- the environment ----------------------------------------------------- */

static const char* const variables[] = { "DIFFER_A", "DIFFER_B", "", "A=B" };
static const char* const values[] = { "", "x", "a longer value", "a=b" };

static void setenv_one(const struct step* step) {
  const char* name = AT(variables, step->arg[0]);

  if (step->arg[2] % 3 == 0)
    world_say(step, NULL, uv_os_unsetenv(name), "unsetenv \"%s\"", name);
  else
    world_say(step, NULL, uv_os_setenv(name, AT(values, step->arg[1])),
              "setenv \"%s\" \"%s\"", name, AT(values, step->arg[1]));
}

static void getenv_one(const struct step* step) {
  const char* name = AT(variables, step->arg[0]);
  char out[65] = "";
  size_t size = (size_t) AT(sizes, step->arg[1]);
  int err = uv_os_getenv(name, out, &size);

  world_say(step, NULL, err, "getenv \"%s\": %zu %s", name, size,
            err == 0 ? out : "");
}

/* Functions that write a string and its length. */
static int get_title(char* out, size_t* size) {
  return uv_get_process_title(out, *size);
}
static int set_home(char* out, size_t* size) {
  uv_os_setenv("HOME", "/home/of/somebody");
  uv_os_setenv("USERPROFILE", "C:\\home\\of\\somebody");
  return uv_os_homedir(out, size);
}
static int set_tmp(char* out, size_t* size) {
  uv_os_setenv("TMPDIR", "/tmp/of/somebody/");
  uv_os_setenv("TMP", "C:\\tmp\\of\\somebody\\");
  return uv_os_tmpdir(out, size);
}

static const struct sized {
  const char* name;
  int (*get)(char* out, size_t* size);
  int is_secret; /* differs between two runs: do not show it */
} sized[] = {
  { "cwd", uv_cwd, 1 },         { "hostname", uv_os_gethostname, 0 },
  { "homedir", set_home, 0 },   { "tmpdir", set_tmp, 0 },
  { "exepath", uv_exepath, 2 }, { "title", get_title, 2 },
};

static void sized_string(const struct step* step) {
  const struct sized* what = &AT(sized, step->arg[0]);
  size_t size = (size_t) AT(sizes, step->arg[1]);
  char out[65] = "";
  int err = what->get(out, &size);

  if (what->is_secret == 2)
    world_say(step, NULL,
              err == UV_ENOBUFS ? 0
              : err > 0         ? 0
                                : err,
              "%s", what->name);
  else
    world_say(step, NULL, err, "%s: %zu %s", what->name, size,
              err == 0 && !what->is_secret ? out : "");
}

/* --- results only -------------------------------------------------------- */

static int bad_clock(unsigned arg) {
  uv_timespec64_t ts;
  return uv_clock_gettime((uv_clock_id) (arg % 4), arg % 7 ? &ts : NULL);
}
static int priority(unsigned arg) {
  int value;
  return uv_os_getpriority(arg % 3 == 0 ? -1 : 0, arg % 5 ? &value : NULL);
}
static int set_priority(unsigned arg) {
  return uv_os_setpriority(0, arg % 2 ? -21 : 20);
}
static int guess(unsigned arg) {
  return (int) uv_guess_handle((int) (arg % 4 == 3 ? -1 : 100 + (int) arg % 3));
}
static int random_flags(unsigned arg) {
  static char data[64];
  return uv_random(NULL, NULL, data, arg % 5 ? 16 : 0, arg % 3 == 0, NULL);
}
static int interface_name(unsigned arg) {
  char name[UV_IF_NAMESIZE];
  size_t size = arg % 3 == 0 ? 1 + arg % 4 : sizeof(name);
  return uv_if_indextoname(arg % 4 ? 1 : 9999, name, &size);
}
static int passwd2(unsigned arg) {
  uv_passwd_t passwd;
  int err = uv_os_get_passwd2(&passwd, arg % 2 ? 0 : 54321);
  if (err == 0)
    uv_os_free_passwd(&passwd);
  return err;
}
static int group(unsigned arg) {
  uv_group_t g;
  int err = uv_os_get_group(&g, arg % 2 ? 0 : 54321);
  if (err == 0)
    uv_os_free_group(&g);
  return err;
}
static int loop_option(unsigned arg) {
  uv_loop_t loop;
  int err;

  uv_loop_init(&loop);
  switch (arg % 4) {
  case 0:
    err = uv_loop_configure(&loop, UV_LOOP_BLOCK_SIGNAL, 27);
    break;
  case 1:
    err = uv_loop_configure(&loop, UV_LOOP_BLOCK_SIGNAL, 10);
    break;
  case 2:
    err = uv_loop_configure(&loop, UV_METRICS_IDLE_TIME);
    break;
  default:
    err = uv_loop_configure(&loop, (uv_loop_option) 99);
    break;
  }
  uv_loop_close(&loop);
  return err;
}
static int thread_name(unsigned arg) {
  char name[32];
  uv_thread_t self = uv_thread_self();
  int err = uv_thread_setname(arg % 2 ? "short" : "a name of twenty-one");
  if (err == 0)
    err = uv_thread_getname(&self, name, arg % 3 == 0 ? 3 : sizeof(name));
  return err;
}
static int locks(unsigned arg) {
  uv_mutex_t mutex;
  uv_rwlock_t lock;
  int err;

  uv_mutex_init(&mutex);
  uv_rwlock_init(&lock);
  uv_rwlock_rdlock(&lock);
  err = arg % 2 ? uv_rwlock_trywrlock(&lock) : uv_rwlock_tryrdlock(&lock);
  uv_rwlock_rdunlock(&lock);
  if (err == 0)
    uv_rwlock_rdunlock(&lock);
  if (uv_mutex_trylock(&mutex) != 0)
    err = UV_EAGAIN;
  uv_mutex_unlock(&mutex);
  uv_mutex_destroy(&mutex);
  uv_rwlock_destroy(&lock);
  return err;
}
static int chdir_one(unsigned arg) {
  return uv_chdir(arg % 2 ? "." : "missing");
}
static int library(unsigned arg) {
  uv_lib_t lib;
  int err = uv_dlopen(arg % 2 ? NULL : "missing.so", &lib);
  uv_dlclose(&lib);
  return err;
}

static const struct outcome {
  const char* name;
  int (*get)(unsigned arg);
} outcomes[] = {
  { "clock_gettime", bad_clock },
  { "getpriority", priority },
  { "setpriority", set_priority },
  { "guess_handle", guess },
  { "random", random_flags },
  { "if_indextoname", interface_name },
  { "get_passwd2", passwd2 },
  { "get_group", group },
  { "loop_configure", loop_option },
  { "thread_name", thread_name },
  { "locks", locks },
  { "chdir", chdir_one },
  { "dlopen", library },
};

static void outcome(const struct step* step) {
  const struct outcome* what = &AT(outcomes, step->arg[0]);

  world_say(step, NULL, what->get(step->arg[1] % 64), "%s %u", what->name,
            step->arg[1] % 64);
}

/* ------------------------------------------------------------------------- */

static const struct op ops[] = {
  { "inet_pton", 60, pton, 0 },
  { "inet_ntop", 60, ntop, 0 },
  { "ip_addr", 40, ip_addr, 0 },
  { "ip_name", 40, ip_name, 0 },
  { "errors", 30, errors, 0 },
  { "types", 15, types, 0 },
  { "utf16", 40, utf16, SINCE_1_47 },
  { "wtf8", 30, wtf8, SINCE_1_47 },
  { "setenv", 15, setenv_one, 0 },
  { "getenv", 20, getenv_one, 0 },
  { "sized_string", 25, sized_string, 0 },
  { "outcome", 60, outcome, SINCE_1_50 },
  { NULL, 0, NULL, 0 },
};

const struct area area_pure = {
  .name = "pure",
  .ops = ops,
  .setup = loop_setup,
};
