/* SPDX-License-Identifier: MIT */
/* The Unix side of uv.h: basic types, and the private fields of every
 * structure. The layout is libuv's, byte for byte. A program may rely on the
 * types; the private fields belong to the library, each to one module.
 */
#ifndef UV_UNIX_H
#define UV_UNIX_H

#include <sys/types.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <semaphore.h>
#include <signal.h>
#include <termios.h>

#include "uv/threadpool.h"

/* What one system adds to the structures below. */
#if defined(__linux__)
# include "uv/linux.h"
#elif defined(__APPLE__)
# include "uv/darwin.h"
#elif defined(__FreeBSD__) || defined(__OpenBSD__) || \
    defined(__NetBSD__) || defined(__DragonFly__)
# include "uv/bsd.h"
#elif defined(__CYGWIN__) || defined(__MSYS__) || defined(__HAIKU__) || \
    defined(__QNX__) || defined(__GNU__)
# include "uv/posix.h"
#else
# error "This system is not supported."
#endif

#ifndef UV_IO_PRIVATE_PLATFORM_FIELDS
# define UV_IO_PRIVATE_PLATFORM_FIELDS /* none */
#endif

#ifndef UV_PLATFORM_LOOP_FIELDS
# define UV_PLATFORM_LOOP_FIELDS /* none */
#endif

#ifndef UV_PLATFORM_FS_EVENT_FIELDS
# define UV_PLATFORM_FS_EVENT_FIELDS /* none */
#endif

#ifndef UV_STREAM_PRIVATE_PLATFORM_FIELDS
# define UV_STREAM_PRIVATE_PLATFORM_FIELDS /* none */
#endif

#ifndef UV_PLATFORM_SEM_T
# define UV_PLATFORM_SEM_T sem_t
#endif

/* Sizes for uv_getnameinfo(), where the C library hides its own. */
#ifndef NI_MAXHOST
# define NI_MAXHOST 1025
#endif

#ifndef NI_MAXSERV
# define NI_MAXSERV 32
#endif

/* ------------------------------------------------------------------------ */
/* Basic types */

/* A piece of memory. Has the layout of struct iovec, see writev(2). */
typedef struct uv_buf_t {
  char* base;
  size_t len;
} uv_buf_t;

typedef int uv_file;
typedef int uv_os_sock_t;
typedef int uv_os_fd_t;
typedef pid_t uv_pid_t;
typedef gid_t uv_gid_t;
typedef uid_t uv_uid_t;

typedef pthread_t uv_thread_t;
typedef pthread_key_t uv_key_t;
typedef pthread_once_t uv_once_t;
typedef pthread_mutex_t uv_mutex_t;
typedef pthread_rwlock_t uv_rwlock_t;
typedef pthread_cond_t uv_cond_t;
typedef UV_PLATFORM_SEM_T uv_sem_t;

#define UV_ONCE_INIT PTHREAD_ONCE_INIT

/* A barrier of our own where the system has none. On OpenBSD the ABI wants our
 * own too, padded to the size of the system's.
 */
#if defined(PTHREAD_BARRIER_SERIAL_THREAD) && !defined(__OpenBSD__)
typedef pthread_barrier_t uv_barrier_t;
#else
struct _uv_barrier {
  uv_mutex_t mutex;
  uv_cond_t cond;
  unsigned threshold;
  unsigned in;
  unsigned out;
};

typedef struct {
  struct _uv_barrier* b;
# if defined(PTHREAD_BARRIER_SERIAL_THREAD)
  char pad[sizeof(pthread_barrier_t) - sizeof(struct _uv_barrier*)];
# endif
} uv_barrier_t;
#endif

/* uv_dlopen(): the handle of dlopen(3) and the last error, or NULL. */
typedef struct {
  void* handle;
  char* errmsg;
} uv_lib_t;

/* Goes between return type and name of functions in loaded libraries. */
#define UV_DYNAMIC /* nothing */

/* What uv_fs_scandir() stores per entry. */
typedef struct dirent uv__dirent_t;

/* The d_type values that name a kind of file; a missing one never matches. */
#if defined(DT_UNKNOWN)
# define HAVE_DIRENT_TYPES
# ifdef DT_REG
#  define UV__DT_FILE DT_REG
# else
#  define UV__DT_FILE -1
# endif
# ifdef DT_DIR
#  define UV__DT_DIR DT_DIR
# else
#  define UV__DT_DIR -2
# endif
# ifdef DT_LNK
#  define UV__DT_LINK DT_LNK
# else
#  define UV__DT_LINK -3
# endif
# ifdef DT_FIFO
#  define UV__DT_FIFO DT_FIFO
# else
#  define UV__DT_FIFO -4
# endif
# ifdef DT_SOCK
#  define UV__DT_SOCKET DT_SOCK
# else
#  define UV__DT_SOCKET -5
# endif
# ifdef DT_CHR
#  define UV__DT_CHAR DT_CHR
# else
#  define UV__DT_CHAR -6
# endif
# ifdef DT_BLK
#  define UV__DT_BLOCK DT_BLK
# else
#  define UV__DT_BLOCK -7
# endif
#endif

/* ------------------------------------------------------------------------ */
/* Flags for uv_fs_open(): the system's own; 0 where it has no such thing. */

#ifdef O_APPEND
# define UV_FS_O_APPEND O_APPEND
#else
# define UV_FS_O_APPEND 0
#endif

#ifdef O_CREAT
# define UV_FS_O_CREAT O_CREAT
#else
# define UV_FS_O_CREAT 0
#endif

/* The C library shows O_DIRECT only to _GNU_SOURCE, so on Linux the kernel's
 * number for the architecture is spelled out.
 */
#if defined(__linux__)
# if defined(__arm__) || defined(__aarch64__) || defined(__m68k__)
#  define UV_FS_O_DIRECT 0x10000
# elif defined(__mips__)
#  define UV_FS_O_DIRECT 0x08000
# elif defined(__powerpc__)
#  define UV_FS_O_DIRECT 0x20000
# elif defined(__sparc__)
#  define UV_FS_O_DIRECT 0x100000
# else
#  define UV_FS_O_DIRECT 0x04000
# endif
#elif defined(O_DIRECT)
# define UV_FS_O_DIRECT O_DIRECT
#else
# define UV_FS_O_DIRECT 0
#endif

#ifdef O_DIRECTORY
# define UV_FS_O_DIRECTORY O_DIRECTORY
#else
# define UV_FS_O_DIRECTORY 0
#endif

#ifdef O_DSYNC
# define UV_FS_O_DSYNC O_DSYNC
#else
# define UV_FS_O_DSYNC 0
#endif

#ifdef O_EXCL
# define UV_FS_O_EXCL O_EXCL
#else
# define UV_FS_O_EXCL 0
#endif

#ifdef O_EXLOCK
# define UV_FS_O_EXLOCK O_EXLOCK
#else
# define UV_FS_O_EXLOCK 0
#endif

#ifdef O_NOATIME
# define UV_FS_O_NOATIME O_NOATIME
#else
# define UV_FS_O_NOATIME 0
#endif

#ifdef O_NOCTTY
# define UV_FS_O_NOCTTY O_NOCTTY
#else
# define UV_FS_O_NOCTTY 0
#endif

#ifdef O_NOFOLLOW
# define UV_FS_O_NOFOLLOW O_NOFOLLOW
#else
# define UV_FS_O_NOFOLLOW 0
#endif

#ifdef O_NONBLOCK
# define UV_FS_O_NONBLOCK O_NONBLOCK
#else
# define UV_FS_O_NONBLOCK 0
#endif

#ifdef O_RDONLY
# define UV_FS_O_RDONLY O_RDONLY
#else
# define UV_FS_O_RDONLY 0
#endif

#ifdef O_RDWR
# define UV_FS_O_RDWR O_RDWR
#else
# define UV_FS_O_RDWR 0
#endif

#ifdef O_SYMLINK
# define UV_FS_O_SYMLINK O_SYMLINK
#else
# define UV_FS_O_SYMLINK 0
#endif

#ifdef O_SYNC
# define UV_FS_O_SYNC O_SYNC
#else
# define UV_FS_O_SYNC 0
#endif

#ifdef O_TRUNC
# define UV_FS_O_TRUNC O_TRUNC
#else
# define UV_FS_O_TRUNC 0
#endif

#ifdef O_WRONLY
# define UV_FS_O_WRONLY O_WRONLY
#else
# define UV_FS_O_WRONLY 0
#endif

/* Windows only. */
#define UV_FS_O_FILEMAP 0
#define UV_FS_O_RANDOM 0
#define UV_FS_O_SEQUENTIAL 0
#define UV_FS_O_SHORT_LIVED 0
#define UV_FS_O_TEMPORARY 0

/* ------------------------------------------------------------------------ */
/* Private: the loop */

struct uv__io_s;
struct uv_loop_s;

typedef struct uv__io_s uv__io_t;

/* Interest of one owner (stream, udp, poll, ...) in one descriptor. */
struct uv__io_s {
  uintptr_t bits;                 /* who handles the events; opaque */
  struct uv__queue pending_queue; /* in loop->pending_queue: run next tick */
  struct uv__queue watcher_queue; /* in loop->watcher_queue: tell the poller */
  unsigned int pevents;           /* what the owner wants from now on */
  unsigned int events;            /* what the poller has been told */
  int fd;                         /* -1 if none */
  UV_IO_PRIVATE_PLATFORM_FIELDS
};

#define UV_LOOP_PRIVATE_FIELDS                                                \
  unsigned long flags;                                                        \
  int backend_fd;                                                             \
  struct uv__queue pending_queue;                                             \
  struct uv__queue watcher_queue;                                             \
  uv__io_t** watchers;                                                        \
  unsigned int nwatchers;                                                     \
  unsigned int nfds;                                                          \
  /* Finished thread pool work, how it is guarded, how it is announced. */    \
  struct uv__queue wq;                                                        \
  uv_mutex_t wq_mutex;                                                        \
  uv_async_t wq_async;                                                        \
  uv_rwlock_t cloexec_lock;                                                   \
  uv_handle_t* closing_handles;                                               \
  struct uv__queue process_handles;                                           \
  struct uv__queue prepare_handles;                                           \
  struct uv__queue check_handles;                                             \
  struct uv__queue idle_handles;                                              \
  struct uv__queue async_handles;                                             \
  void (*async_unused)(void);                                                 \
  uv__io_t async_io_watcher;                                                  \
  int async_wfd;                                                              \
  struct {                                                                    \
    void* min;                                                                \
    unsigned int nelts;                                                       \
  } timer_heap;                                                               \
  uint64_t timer_counter;                                                     \
  uint64_t time;                                                              \
  int signal_pipefd[2];                                                       \
  uv__io_t signal_io_watcher;                                                 \
  uv_signal_t child_watcher;                                                  \
  int emfile_fd;                                                              \
  UV_PLATFORM_LOOP_FIELDS

/* ------------------------------------------------------------------------ */
/* Private: handles */

#define UV_HANDLE_PRIVATE_FIELDS                                              \
  uv_handle_t* next_closing;                                                  \
  unsigned int flags;

#define UV_PREPARE_PRIVATE_FIELDS                                             \
  uv_prepare_cb prepare_cb;                                                   \
  struct uv__queue queue;

#define UV_CHECK_PRIVATE_FIELDS                                               \
  uv_check_cb check_cb;                                                       \
  struct uv__queue queue;

#define UV_IDLE_PRIVATE_FIELDS                                                \
  uv_idle_cb idle_cb;                                                         \
  struct uv__queue queue;

#define UV_ASYNC_PRIVATE_FIELDS                                               \
  uv_async_cb async_cb;                                                       \
  struct uv__queue queue;                                                     \
  int pending;

#define UV_TIMER_PRIVATE_FIELDS                                               \
  uv_timer_cb timer_cb;                                                       \
  union {                                                                     \
    void* heap[3];                                                            \
    struct uv__queue queue;                                                   \
  } node;                                                                     \
  uint64_t timeout;                                                           \
  uint64_t repeat;                                                            \
  uint64_t start_id;

/* The entry has the layout of RB_ENTRY(uv_signal_s) in uv/tree.h. The counters
 * are the signals taken by the handler and those delivered to the callback.
 */
#define UV_SIGNAL_PRIVATE_FIELDS                                              \
  struct {                                                                    \
    struct uv_signal_s* rbe_left;                                             \
    struct uv_signal_s* rbe_right;                                            \
    struct uv_signal_s* rbe_parent;                                           \
    int rbe_color;                                                            \
  } tree_entry;                                                               \
  unsigned int caught_signals;                                                \
  unsigned int dispatched_signals;

#define UV_POLL_PRIVATE_FIELDS                                                \
  uv__io_t io_watcher;

#define UV_STREAM_PRIVATE_FIELDS                                              \
  uv_connect_t* connect_req;                                                  \
  uv_shutdown_t* shutdown_req;                                                \
  uv__io_t io_watcher;                                                        \
  struct uv__queue write_queue;                                               \
  struct uv__queue write_completed_queue;                                     \
  uv_connection_cb connection_cb;                                             \
  int delayed_error;                                                          \
  int accepted_fd;                                                            \
  void* queued_fds;                                                           \
  UV_STREAM_PRIVATE_PLATFORM_FIELDS

#define UV_TCP_PRIVATE_FIELDS /* none */

/* The path to unlink on close, owned by the handle, or NULL. */
#define UV_PIPE_PRIVATE_FIELDS                                                \
  const char* pipe_fname;

#define UV_TTY_PRIVATE_FIELDS                                                 \
  struct termios orig_termios;                                                \
  int mode;

#define UV_UDP_PRIVATE_FIELDS                                                 \
  uv_alloc_cb alloc_cb;                                                       \
  uv_udp_recv_cb recv_cb;                                                     \
  uv__io_t io_watcher;                                                        \
  struct uv__queue write_queue;                                               \
  struct uv__queue write_completed_queue;

#define UV_PROCESS_PRIVATE_FIELDS                                             \
  struct uv__queue queue;                                                     \
  int status;

#define UV_FS_EVENT_PRIVATE_FIELDS                                            \
  uv_fs_event_cb cb;                                                          \
  UV_PLATFORM_FS_EVENT_FIELDS

#define UV_DIR_PRIVATE_FIELDS                                                 \
  DIR* dir;

/* ------------------------------------------------------------------------ */
/* Private: requests */

#define UV_REQ_TYPE_PRIVATE /* none */
#define UV_PRIVATE_REQ_TYPES /* none */

/* The part of a write request that found no room in uv_write_t. */
struct uv__req_write_extra_s {
  size_t nwritten;
};

#define UV_REQ_PRIVATE_FIELDS                                                 \
  UV__EXTENSION union {                                                       \
    void* reserved2[1];                                                       \
    struct uv__req_write_extra_s write_extra;                                 \
  };

#define UV_WRITE_PRIVATE_FIELDS                                               \
  struct uv__queue queue;                                                     \
  unsigned int write_index;                                                   \
  uv_buf_t* bufs;                                                             \
  unsigned int nbufs;                                                         \
  int error;                                                                  \
  uv_buf_t bufsml[4];

#define UV_CONNECT_PRIVATE_FIELDS                                             \
  struct uv__queue queue;

#define UV_SHUTDOWN_PRIVATE_FIELDS /* none */

#define UV_UDP_SEND_PRIVATE_FIELDS                                            \
  struct uv__queue queue;                                                     \
  union {                                                                     \
    struct sockaddr addr;                                                     \
    struct sockaddr_storage storage;                                          \
  } u;                                                                        \
  unsigned int nbufs;                                                         \
  uv_buf_t* bufs;                                                             \
  ssize_t status;                                                             \
  uv_udp_send_cb send_cb;                                                     \
  uv_buf_t bufsml[4];

#define UV_WORK_PRIVATE_FIELDS                                                \
  struct uv__work work_req;

#define UV_GETADDRINFO_PRIVATE_FIELDS                                         \
  struct uv__work work_req;                                                   \
  uv_getaddrinfo_cb cb;                                                       \
  struct addrinfo* hints;                                                     \
  char* hostname;                                                             \
  char* service;                                                              \
  struct addrinfo* addrinfo;                                                  \
  int retcode;

#define UV_GETNAMEINFO_PRIVATE_FIELDS                                         \
  struct uv__work work_req;                                                   \
  uv_getnameinfo_cb getnameinfo_cb;                                           \
  struct sockaddr_storage storage;                                            \
  int flags;                                                                  \
  char host[NI_MAXHOST];                                                      \
  char service[NI_MAXSERV];                                                   \
  int retcode;

#define UV_FS_PRIVATE_FIELDS                                                  \
  const char* new_path;                                                       \
  uv_file file;                                                               \
  int flags;                                                                  \
  mode_t mode;                                                                \
  unsigned int nbufs;                                                         \
  uv_buf_t* bufs;                                                             \
  off_t off;                                                                  \
  uv_uid_t uid;                                                               \
  uv_gid_t gid;                                                               \
  double atime;                                                               \
  double mtime;                                                               \
  struct uv__work work_req;                                                   \
  uv_buf_t bufsml[4];

#endif /* UV_UNIX_H */
