/* SPDX-License-Identifier: MIT */
/* See fault.h. */
#define _GNU_SOURCE
#include "fault.h"
#include "ring.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* Of <netdb.h> and <fcntl.h>. */
#define EAI_AGAIN (-3)
#define EAI_FAIL (-4)
#define EAI_MEMORY (-10)
#define EAI_SYSTEM (-11)
#define F_GETFL 3
#define F_DUPFD_CLOEXEC 1030
#define O_NONBLOCK 04000

typedef long word;
typedef word call_fn(word, word, word, word, word, word, word);

/* As in calls.h; and N: no error is reported, because there is a fallback. */
enum { I = 1, A = 2, F = 4, W = 8, N = 16 };

enum call {
#define CALL(name, how, flags, e0, e1, e2, e3) CALL_##name,
#include "calls.h"
#undef CALL
  CALL_syscall,
  CALL_close,
  CALL_getnameinfo,
  CALL_io_uring_setup,
  CALL_io_uring_register,
  CALL_io_uring_enter,
  CALL_io_uring_operation,
  CALL_COUNT
};

struct row {
  const char* name;
  char how;
  int flags;
  int errors[4];
  call_fn* real;
};

static struct row rows[CALL_COUNT] = {
#define CALL(name, how, flags, e0, e1, e2, e3)                                 \
 [CALL_##name] = { #name, #how[0], flags, { e0, e1, e2, e3 }, NULL },
#include "calls.h"
#undef CALL
  [CALL_syscall] = { "syscall", 'E', 0, { EMFILE, ENOMEM, EACCES, EIO }, NULL },
  [CALL_close] = { "close", 'E', I, { EIO, EINTR, ENOSPC, EDQUOT }, NULL },
  [CALL_getnameinfo] = { "getnameinfo",
                         'R',
                         0,
                         { EAI_MEMORY, EAI_AGAIN, EAI_FAIL, EAI_SYSTEM },
                         NULL },
  [CALL_io_uring_setup] = { "io_uring_setup",
                            'E',
                            F | N,
                            { EINVAL, ENOMEM, EPERM, ENOSYS },
                            NULL },
  [CALL_io_uring_register] = { "io_uring_register",
                               'E',
                               I | N,
                               { EINVAL, ENOMEM, EPERM, EBUSY },
                               NULL },
  [CALL_io_uring_enter] = { "io_uring_enter",
                            'E',
                            I | N,
                            { EAGAIN, ENOMEM, EBUSY, EINTR },
                            NULL },
  /* One submitted entry; the kernel completes it with EINVAL. */
  [CALL_io_uring_operation] = { "an operation of io_uring",
                                'E',
                                N,
                                { EINVAL, EINVAL, EINVAL, EINVAL },
                                NULL },
};

static struct fault_plan plan;
static atomic_int armed;
static atomic_long countdown;
static atomic_long happened;
static atomic_long to_be_told; /* of these, without a fallback */
static atomic_long storm;
static atomic_long blocks;
static const char* last = "nothing";
static int last_error;
static unsigned char* seen;
static uintptr_t text_begin;
static uintptr_t text_end;
/* Descriptors that transfer whole messages between the kernel and us, and fail
 * only with EINTR: eventfds; inotify, where only the length must not be cut. */
enum { ORDINARY, EVENTFD, INOTIFY };
static unsigned char kind_of_fd[65536];

static call_fn* real_of(enum call call) {
  struct row* row = &rows[call];

  if (row->real == NULL)
    row->real = (call_fn*) dlsym(RTLD_NEXT, row->name);
  if (row->real == NULL) {
    fprintf(stderr, "fault: no %s\n", row->name);
    _Exit(3);
  }
  return row->real;
}

static int find_library(struct dl_phdr_info* info, size_t size, void* arg) {
  (void) size;
  (void) arg;
  const char* base = strrchr(info->dlpi_name, '/');
  if (base == NULL || strncmp(base, "/libuv.so", 9) != 0)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* ph = &info->dlpi_phdr[i];
    if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
      continue;
    text_begin = info->dlpi_addr + ph->p_vaddr;
    text_end = text_begin + ph->p_memsz;
  }
  return 1;
}

static int from_library(const void* address) {
  return (uintptr_t) address - text_begin < text_end - text_begin;
}

/* The n-th (and those after it, if `lasting`) of what is counted. */
static int is_due(int lasting) {
  long left = atomic_fetch_sub(&countdown, 1);
  return left == 0 || (lasting && left < 0);
}

static int count_call(enum call call) {
  seen[call] = 1;
  last = rows[call].name;
  atomic_fetch_add(&happened, 1);
  if (!(rows[call].flags & N))
    atomic_fetch_add(&to_be_told, 1);
  return 1;
}

/* Could a transfer return EAGAIN? Not on a blocking fd, nor after the other
 * side has hung up: then there is data, or the end. */
static int can_wait(word fd) {
  struct {
    int fd;
    short events;
    short revents;
  } pollfd = { (int) fd, 0, 0 };
  word flags = real_of(CALL_fcntl)(fd, F_GETFL, 0, 0, 0, 0, 0);

  if (flags < 0 || !(flags & O_NONBLOCK))
    return 0;
  real_of(CALL_poll)((word) &pollfd, 1, 0, 0, 0, 0, 0);
  return pollfd.revents == 0;
}

static int kind_of(word fd) {
  return (size_t) fd < sizeof(kind_of_fd) ? kind_of_fd[fd] : ORDINARY;
}

static void set_kind(word fd, int kind) {
  if ((size_t) fd < sizeof(kind_of_fd))
    kind_of_fd[fd] = (unsigned char) kind;
}

static int is_wake_fd(enum call call, word fd) {
  if (call != CALL_write && call != CALL_read)
    return 0;
  return kind_of(fd) == EVENTFD;
}

static int is_wait(enum call call) {
  return call == CALL_epoll_wait || call == CALL_epoll_pwait ||
         call == CALL_poll;
}

/* The error to return instead of calling; 0: call. */
static int fault_for(enum call call, word first) {
  struct row* row = &rows[call];

  switch (plan.mode) {
  case FAULT_CALL:
    if (is_wake_fd(call, first) || !is_due(0))
      return 0;
    count_call(call);
    return last_error = row->errors[plan.k % 4];
  case FAULT_CALLS_FROM:
    /* A call that must be retried would be retried forever, and without a wait
     * that works there is no loop (uv_run() reports that; see call-1). */
    if (is_wake_fd(call, first) || row->errors[plan.k % 4] == EINTR)
      return 0;
    if (is_wait(call) || !is_due(1))
      return 0;
    count_call(call);
    return last_error = row->errors[plan.k % 4];
  case FAULT_FDS_FROM:
    if (!(row->flags & F) || !is_due(1))
      return 0;
    count_call(call);
    return EMFILE;
  case FAULT_EINTR:
    if (!(row->flags & I) || atomic_fetch_add(&storm, 1) % 3 == 2)
      return 0;
    count_call(call);
    return EINTR;
  case FAULT_EAGAIN:
    if (!(row->flags & A) || is_wake_fd(call, first))
      return 0;
    if (!can_wait(first) || atomic_fetch_add(&storm, 1) % 2 == 1)
      return 0;
    count_call(call);
    return EAGAIN;
  default:
    return 0;
  }
}

static int is_short(enum call call, word first, word third) {
  if (plan.mode != FAULT_SHORT || !(rows[call].flags & W) || third <= 1)
    return 0;
  if (kind_of(first) != ORDINARY)
    return 0;
  return count_call(call);
}

static word refuse(const struct row* row, int err) {
  switch (row->how) {
  case 'R':
    errno = EIO; /* for EAI_SYSTEM */
    return err;
  case 'N':
    errno = err;
    return 0;
  default:
    errno = err;
    return -1;
  }
}

static word pass(enum call call,
                 const void* caller,
                 word a,
                 word b,
                 word c,
                 word d,
                 word e,
                 word f) {
  if (armed && from_library(caller)) {
    int err = fault_for(call, a);
    if (err != 0)
      return refuse(&rows[call], err);
    if (is_short(call, a, c))
      c = 1;
  }
  word r = real_of(call)(a, b, c, d, e, f, 0);
  if (call == CALL_eventfd)
    set_kind((int) r, EVENTFD);
  if (call == CALL_inotify_init1)
    set_kind((int) r, INOTIFY);
  if (call == CALL_fcntl && b == F_DUPFD_CLOEXEC)
    set_kind((int) r, kind_of(a));
  if (call == CALL_mmap)
    ring_was_mapped((int) e, (size_t) f, (void*) r);
  return r;
}

/* Under another name in this file, whose headers may declare the call. */
#define CALL(name, how, flags, e0, e1, e2, e3)                                 \
 word wrap_##name(word, word, word, word, word, word) __asm__(#name);          \
 word wrap_##name(word a, word b, word c, word d, word e, word f) {            \
  return pass(CALL_##name, __builtin_return_address(0), a, b, c, d, e, f);     \
 }
#include "calls.h"
#undef CALL

/* A close that reports an error has closed the descriptor anyway. */
word wrap_close(word fd) __asm__("close");
word wrap_close(word fd) {
  int err = 0;

  if (armed && from_library(__builtin_return_address(0)))
    err = fault_for(CALL_close, fd);
  set_kind((int) fd, ORDINARY);
  word r = real_of(CALL_close)(fd, 0, 0, 0, 0, 0, 0);
  return err != 0 ? refuse(&rows[CALL_close], err) : r;
}

/* The row that a system call by number counts for; CALL_COUNT: none. The child
 * between clone and exec calls the kernel directly; rings are available only
 * this way, and statx() because not every C library has it. */
static enum call call_of(word number, word submitted) {
  switch (number) {
  case SYS_openat:
  case SYS_dup3:
  case SYS_fcntl:
  case SYS_chdir:
  case SYS_setsid:
  case SYS_execve:
  case SYS_rt_sigprocmask:
    return CALL_syscall;
  case SYS_statx:
    return CALL_statx;
  case SYS_io_uring_setup:
    return CALL_io_uring_setup;
  case SYS_io_uring_register:
    return CALL_io_uring_register;
  case SYS_io_uring_enter:
    /* Without entries it only wakes the kernel's thread, which cannot fail. */
    return submitted != 0 ? CALL_io_uring_enter : CALL_COUNT;
  default:
    return CALL_COUNT;
  }
}

static int is_operation_due(void) {
  return fault_for(CALL_io_uring_operation, 0) != 0;
}

static word submit_to_ring(word fd,
                           word count,
                           word c,
                           word d,
                           word e,
                           word f) {
  if (plan.mode == FAULT_SHORT && count > 1) {
    count_call(CALL_io_uring_enter);
    count = 1;
  }
  ring_spoil((int) fd, (unsigned) count, is_operation_due);
  return real_of(CALL_syscall)(SYS_io_uring_enter, fd, count, c, d, e, f);
}

call_fn wrap_syscall __asm__("syscall");
word wrap_syscall(word number, word a, word b, word c, word d, word e, word f) {
  if (armed && from_library(__builtin_return_address(0))) {
    enum call call = call_of(number, b);
    int err = call != CALL_COUNT ? fault_for(call, 0) : 0;
    if (err != 0)
      return refuse(&rows[call], err);
    if (call == CALL_io_uring_enter)
      return submit_to_ring(a, b, c, d, e, f);
  }
  word r = real_of(CALL_syscall)(number, a, b, c, d, e, f);
  if (number == SYS_io_uring_setup)
    ring_was_made((int) r, (const void*) b);
  return r;
}

call_fn wrap_getnameinfo __asm__("getnameinfo");
word wrap_getnameinfo(word a, word b, word c, word d, word e, word f, word g) {
  if (armed && from_library(__builtin_return_address(0))) {
    int err = fault_for(CALL_getnameinfo, 0);
    if (err != 0)
      return refuse(&rows[CALL_getnameinfo], err);
  }
  return real_of(CALL_getnameinfo)(a, b, c, d, e, f, g);
}

/* ------------------------------------------------------------------------- */

static int no_memory(void) {
  if (!armed)
    return 0;
  if (plan.mode != FAULT_ALLOC_ONCE && plan.mode != FAULT_ALLOC_FROM)
    return 0;
  if (!is_due(plan.mode == FAULT_ALLOC_FROM))
    return 0;
  last = "malloc";
  atomic_fetch_add(&happened, 1);
  atomic_fetch_add(&to_be_told, 1);
  return 1;
}

static void* fault_malloc(size_t size) {
  if (no_memory())
    return NULL;
  atomic_fetch_add(&blocks, 1);
  return malloc(size);
}

static void* fault_calloc(size_t count, size_t size) {
  if (no_memory())
    return NULL;
  atomic_fetch_add(&blocks, 1);
  return calloc(count, size);
}

static void* fault_realloc(void* ptr, size_t size) {
  if (no_memory())
    return NULL;
  if (ptr == NULL)
    atomic_fetch_add(&blocks, 1);
  return realloc(ptr, size);
}

static void fault_free(void* ptr) {
  if (ptr != NULL)
    atomic_fetch_sub(&blocks, 1);
  free(ptr);
}

int uv_replace_allocator(void* (*) (size_t),
                         void* (*) (void*, size_t),
                         void* (*) (size_t, size_t),
                         void (*)(void*));

void fault_init(unsigned char* calls_seen) {
  seen = calls_seen;
  dl_iterate_phdr(find_library, NULL);
  if (text_end == 0) {
    fprintf(stderr, "fault: libuv.so is not loaded\n");
    _Exit(3);
  }
  for (int call = 0; call < CALL_io_uring_setup; call++)
    (void) real_of((enum call) call);
  if (uv_replace_allocator(fault_malloc, fault_realloc, fault_calloc,
                           fault_free) != 0)
    _Exit(3);
}

void fault_arm(const struct fault_plan* next) {
  plan = *next;
  countdown = plan.n;
  storm = 0;
  happened = 0;
  to_be_told = 0;
  armed = plan.mode != FAULT_NONE;
}

void fault_disarm(void) {
  armed = 0;
}

static int was_armed;
static int pauses;

void fault_pause(void) {
  if (pauses++ == 0)
    was_armed = atomic_exchange(&armed, 0);
}

void fault_resume(void) {
  if (--pauses == 0)
    armed = was_armed;
}

void fault_note_elsewhere(void) {
  atomic_fetch_add(&happened, 1);
  atomic_fetch_add(&to_be_told, 1);
}

int fault_may_be_reported(void) {
  return to_be_told != 0;
}

int fault_happened(void) {
  return happened != 0;
}

long fault_count(void) {
  return happened;
}

int fault_last_error(void) {
  return last_error;
}

const char* fault_last(void) {
  return last;
}

int fault_calls_known(void) {
  return CALL_COUNT;
}

const char* fault_call_name(int call) {
  return rows[call].name;
}

long fault_blocks(void) {
  return blocks;
}
