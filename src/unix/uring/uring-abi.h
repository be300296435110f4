/* SPDX-License-Identifier: MIT */
/* The io_uring ABI, as far as it is used: io_uring_setup(2), io_uring_enter(2),
 * io_uring_register(2). Declared here because the system header may be older
 * than the kernel.
 */
#ifndef UV_LINUX_URING_ABI_H_
#define UV_LINUX_URING_ABI_H_

#include "util/base.h"

#include <sys/syscall.h>

/* Missing in older C library headers; the numbers are the same on every
 * architecture whose headers could lack them. */
#ifdef SYS_io_uring_setup
# define UV__SYS_URING_SETUP SYS_io_uring_setup
# define UV__SYS_URING_ENTER SYS_io_uring_enter
# define UV__SYS_URING_REGISTER SYS_io_uring_register
#else
# define UV__SYS_URING_SETUP 425
# define UV__SYS_URING_ENTER 426
# define UV__SYS_URING_REGISTER 427
#endif

/* A submission queue entry. `addr` and `off` hold two addresses in operations
 * with two paths. */
struct uv__sqe {
  uint8_t opcode; /* UV__URING_NOP... */
  uint8_t flags;  /* UV__SQE_* */
  uint16_t ioprio;
  int32_t fd;
  uint64_t off;
  uint64_t addr;
  uint32_t len;
  uint32_t op_flags;
  uint64_t user_data; /* returned with the result */
  uint16_t buf_index;
  uint16_t personality; /* credentials: 0, or a registered id */
  int32_t splice_fd_in;
  uint64_t unused[2];
};

/* A completion queue entry. */
struct uv__cqe {
  uint64_t user_data;
  int32_t res; /* result of the system call, or -errno */
  uint32_t flags;
};

/* Offsets into the mapped rings. */
struct uv__sq_offsets {
  uint32_t head;
  uint32_t tail;
  uint32_t ring_mask;
  uint32_t ring_entries;
  uint32_t flags;
  uint32_t dropped;
  uint32_t array;
  uint32_t unused;
  uint64_t user_addr;
};

struct uv__cq_offsets {
  uint32_t head;
  uint32_t tail;
  uint32_t ring_mask;
  uint32_t ring_entries;
  uint32_t overflow;
  uint32_t cqes;
  uint32_t flags;
  uint32_t unused;
  uint64_t user_addr;
};

struct uv__uring_params {
  uint32_t sq_entries;
  uint32_t cq_entries;
  uint32_t flags; /* UV__URING_SETUP_* */
  uint32_t sq_thread_cpu;
  uint32_t sq_thread_idle; /* ms */
  uint32_t features;       /* UV__URING_FEAT_*: the kernel's answer */
  uint32_t wq_fd;
  uint32_t unused[3];
  struct uv__sq_offsets sq_off;
  struct uv__cq_offsets cq_off;
};

/* Supported operations: the result of UV__URING_REGISTER_PROBE. */
struct uv__uring_probe {
  uint8_t last_op;
  uint8_t ops_len;
  uint16_t unused[7];
  struct {
    uint8_t op;
    uint8_t unused1;
    uint16_t flags; /* UV__URING_OP_SUPPORTED */
    uint32_t unused2;
  } ops[64];
};

static_assert(sizeof(struct uv__sqe) == 64, "the kernel's");
static_assert(sizeof(struct uv__cqe) == 16, "the kernel's");
static_assert(sizeof(struct uv__uring_params) == 120, "the kernel's");
static_assert(offsetof(struct uv__uring_probe, ops) == 16, "the kernel's");

enum uv__uring_opcode {
  UV__URING_NOP = 0,
  UV__URING_READV = 1,
  UV__URING_WRITEV = 2,
  UV__URING_FSYNC = 3,
  UV__URING_ASYNC_CANCEL = 14,
  UV__URING_OPENAT = 18,
  UV__URING_CLOSE = 19,
  UV__URING_STATX = 21,
  UV__URING_READ = 22,
  UV__URING_WRITE = 23,
  UV__URING_RENAMEAT = 35,
  UV__URING_UNLINKAT = 36,
  UV__URING_MKDIRAT = 37,
  UV__URING_SYMLINKAT = 38,
  UV__URING_LINKAT = 39,
  UV__URING_FTRUNCATE = 55
};

/* Do not execute in the submitting thread, even if it would not block. */
#define UV__SQE_ASYNC (1u << 4)

#define UV__URING_FSYNC_DATASYNC (1u << 0)

#define UV__URING_SETUP_SQPOLL (1u << 1)
#define UV__URING_SETUP_SUBMIT_ALL (1u << 7)   /* since 5.18 */
#define UV__URING_SETUP_COOP_TASKRUN (1u << 8) /* since 5.19 */

#define UV__URING_FEAT_SINGLE_MMAP (1u << 0)
#define UV__URING_FEAT_NODROP (1u << 1)
#define UV__URING_FEAT_RW_CUR_POS (1u << 3)
#define UV__URING_FEAT_CUR_PERSONALITY (1u << 4)
#define UV__URING_FEAT_SQPOLL_NONFIXED (1u << 7)
#define UV__URING_FEAT_NATIVE_WORKERS (1u << 9) /* since 5.12 */

#define UV__URING_OFF_RINGS 0
#define UV__URING_OFF_SQES 0x10000000

#define UV__URING_ENTER_SQ_WAKEUP (1u << 1)
#define UV__URING_SQ_NEED_WAKEUP (1u << 0) /* in the ring's flags */

#define UV__URING_REGISTER_EVENTFD 4
#define UV__URING_REGISTER_PROBE 8
#define UV__URING_REGISTER_PERSONALITY 9
#define UV__URING_UNREGISTER_PERSONALITY 10

#define UV__URING_OP_SUPPORTED (1u << 0)

#endif /* UV_LINUX_URING_ABI_H_ */
