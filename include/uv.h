/* SPDX-License-Identifier: MIT */
/* The libuv interface, version 1.53.0: an event loop with asynchronous
 * sockets, pipes, terminals, files, processes, name resolution and timers, and
 * portable threads.
 *
 * Rules that hold everywhere unless a comment says otherwise:
 *
 * - Functions that return int return 0 or more on success and a negative
 *   UV_E* number on failure. Outputs are written only on success.
 * - A handle (uv_tcp_t, ...) lives from its *_init() until the callback given
 *   to uv_close() has run. A request (uv_write_t, ...) lives from the call
 *   that takes it until its callback has run. The memory of both is the
 *   caller's and must stay in place for that time.
 * - A request's callback runs exactly once if the call that took the request
 *   returned 0, and never from inside that call.
 * - A loop and everything on it belongs to one thread at a time. Safe from any
 *   thread are uv_async_send() and whatever does not take a loop, handle or
 *   request.
 * - Functions with the pair (buffer, size) take the room in *size. On success
 *   *size is the length without the terminating NUL; with UV_ENOBUFS it is the
 *   room needed, NUL included.
 * - Fields called private are the library's. Their layout is part of the ABI.
 *
 * Contents: errors, type names, library, loop, handles, requests, timers and
 * loop hooks, async, signals, poll, streams, tcp, pipes, ttys, udp, processes,
 * thread pool, name resolution, random numbers, files, file watching,
 * addresses, clocks, the system, users, environment, shared libraries, threads,
 * Unicode.
 */
#ifndef UV_H
#define UV_H
#ifdef __cplusplus
extern "C" {
#endif

#if defined(BUILDING_UV_SHARED) && defined(USING_UV_SHARED)
# error "BUILDING_UV_SHARED and USING_UV_SHARED exclude each other."
#endif

/* Marks what the library exports. A program may define it beforehand. */
#if !defined(UV_EXTERN)
# if defined(_WIN32) && defined(BUILDING_UV_SHARED)
#  define UV_EXTERN __declspec(dllexport)
# elif defined(_WIN32) && defined(USING_UV_SHARED)
#  define UV_EXTERN __declspec(dllimport)
# elif !defined(_WIN32) && defined(__GNUC__)
#  define UV_EXTERN __attribute__((visibility("default")))
# else
#  define UV_EXTERN /* nothing */
# endif
#endif

/* Lets unnamed unions and structures through where a language standard, or a
 * warning level, is against them.
 */
#if defined(__GNUC__) || defined(__clang__)
# define UV__EXTENSION __extension__
#elif defined(_MSC_VER)
# define UV__EXTENSION __pragma(warning(suppress : 4201))
#else
# define UV__EXTENSION /* nothing */
#endif

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "uv/errno.h"
#include "uv/version.h"

/* Private: a node, or the head, of a circular list. */
struct uv__queue {
  struct uv__queue* next;
  struct uv__queue* prev;
};

#if defined(_WIN32)
# include "uv/win.h"
#else
# include "uv/unix.h"
#endif

/* ------------------------------------------------------------------------ */
/* Errors */

/* XX(name, message) for every error. UV_<name> is the number, uv_err_name()
 * gives the name, uv_strerror() the message.
 */
#define UV_ERRNO_MAP(XX)                                                      \
  XX(E2BIG, "argument list too long")                                         \
  XX(EACCES, "permission denied")                                             \
  XX(EADDRINUSE, "address already in use")                                    \
  XX(EADDRNOTAVAIL, "address not available")                                  \
  XX(EAFNOSUPPORT, "address family not supported")                            \
  XX(EAGAIN, "resource temporarily unavailable")                              \
  XX(EAI_ADDRFAMILY, "address family not supported")                          \
  XX(EAI_AGAIN, "temporary failure")                                          \
  XX(EAI_BADFLAGS, "bad ai_flags value")                                      \
  XX(EAI_BADHINTS, "invalid value for hints")                                 \
  XX(EAI_CANCELED, "request canceled")                                        \
  XX(EAI_FAIL, "permanent failure")                                           \
  XX(EAI_FAMILY, "ai_family not supported")                                   \
  XX(EAI_MEMORY, "out of memory")                                             \
  XX(EAI_NODATA, "no address")                                                \
  XX(EAI_NONAME, "unknown node or service")                                   \
  XX(EAI_OVERFLOW, "argument buffer overflow")                                \
  XX(EAI_PROTOCOL, "resolved protocol is unknown")                            \
  XX(EAI_SERVICE, "service not available for socket type")                    \
  XX(EAI_SOCKTYPE, "socket type not supported")                               \
  XX(EALREADY, "connection already in progress")                              \
  XX(EBADF, "bad file descriptor")                                            \
  XX(EBUSY, "resource busy or locked")                                        \
  XX(ECANCELED, "operation canceled")                                         \
  XX(ECHARSET, "invalid Unicode character")                                   \
  XX(ECONNABORTED, "software caused connection abort")                        \
  XX(ECONNREFUSED, "connection refused")                                      \
  XX(ECONNRESET, "connection reset by peer")                                  \
  XX(EDESTADDRREQ, "destination address required")                            \
  XX(EEXIST, "file already exists")                                           \
  XX(EFAULT, "bad address in system call argument")                           \
  XX(EFBIG, "file too large")                                                 \
  XX(EHOSTUNREACH, "host is unreachable")                                     \
  XX(EINTR, "interrupted system call")                                        \
  XX(EINVAL, "invalid argument")                                              \
  XX(EIO, "i/o error")                                                        \
  XX(EISCONN, "socket is already connected")                                  \
  XX(EISDIR, "illegal operation on a directory")                              \
  XX(ELOOP, "too many symbolic links encountered")                            \
  XX(EMFILE, "too many open files")                                           \
  XX(EMSGSIZE, "message too long")                                            \
  XX(ENAMETOOLONG, "name too long")                                           \
  XX(ENETDOWN, "network is down")                                             \
  XX(ENETUNREACH, "network is unreachable")                                   \
  XX(ENFILE, "file table overflow")                                           \
  XX(ENOBUFS, "no buffer space available")                                    \
  XX(ENODEV, "no such device")                                                \
  XX(ENOENT, "no such file or directory")                                     \
  XX(ENOMEM, "not enough memory")                                             \
  XX(ENONET, "machine is not on the network")                                 \
  XX(ENOPROTOOPT, "protocol not available")                                   \
  XX(ENOSPC, "no space left on device")                                       \
  XX(ENOSYS, "function not implemented")                                      \
  XX(ENOTCONN, "socket is not connected")                                     \
  XX(ENOTDIR, "not a directory")                                              \
  XX(ENOTEMPTY, "directory not empty")                                        \
  XX(ENOTSOCK, "socket operation on non-socket")                              \
  XX(ENOTSUP, "operation not supported on socket")                            \
  XX(EOVERFLOW, "value too large for defined data type")                      \
  XX(EPERM, "operation not permitted")                                        \
  XX(EPIPE, "broken pipe")                                                    \
  XX(EPROTO, "protocol error")                                                \
  XX(EPROTONOSUPPORT, "protocol not supported")                               \
  XX(EPROTOTYPE, "protocol wrong type for socket")                            \
  XX(ERANGE, "result too large")                                              \
  XX(EROFS, "read-only file system")                                          \
  XX(ESHUTDOWN, "cannot send after transport endpoint shutdown")              \
  XX(ESPIPE, "invalid seek")                                                  \
  XX(ESRCH, "no such process")                                                \
  XX(ETIMEDOUT, "connection timed out")                                       \
  XX(ETXTBSY, "text file is busy")                                            \
  XX(EXDEV, "cross-device link not permitted")                                \
  XX(UNKNOWN, "unknown error")                                                \
  XX(EOF, "end of file")                                                      \
  XX(ENXIO, "no such device or address")                                      \
  XX(EMLINK, "too many links")                                                \
  XX(EHOSTDOWN, "host is down")                                               \
  XX(EREMOTEIO, "remote I/O error")                                           \
  XX(ENOTTY, "inappropriate ioctl for device")                                \
  XX(EFTYPE, "inappropriate file type or format")                             \
  XX(EILSEQ, "illegal byte sequence")                                         \
  XX(ESOCKTNOSUPPORT, "socket type not supported")                            \
  XX(ENODATA, "no data available")                                            \
  XX(EUNATCH, "protocol driver not attached")                                 \
  XX(ENOEXEC, "exec format error")                                            \

typedef enum {
#define XX(code, _) UV_ ## code = UV__ ## code,
  UV_ERRNO_MAP(XX)
#undef XX
  UV_ERRNO_MAX = UV__EOF - 1
} uv_errno_t;

/* Name of an error. The string is static for known errors; for others it is
 * allocated and never freed, so prefer the _r form where errors may be wild.
 */
UV_EXTERN const char* uv_err_name(int err);

/* Same, written to buf (cut to fit, NUL terminated). Returns buf. */
UV_EXTERN char* uv_err_name_r(int err, char* buf, size_t buflen);

/* Message for an error; memory as with uv_err_name(). */
UV_EXTERN const char* uv_strerror(int err);

/* Same, written to buf (cut to fit, NUL terminated). Returns buf. */
UV_EXTERN char* uv_strerror_r(int err, char* buf, size_t buflen);

/* The UV_E* number for a system error: errno, or GetLastError() on Windows.
 * Numbers that are not positive are returned unchanged.
 */
UV_EXTERN int uv_translate_sys_error(int sys_errno);

/* ------------------------------------------------------------------------ */
/* Type names */

/* XX(UV_<name>, uv_<type>_t) for every type of handle. */
#define UV_HANDLE_TYPE_MAP(XX)                                                \
  XX(ASYNC, async)                                                            \
  XX(CHECK, check)                                                            \
  XX(FS_EVENT, fs_event)                                                      \
  XX(FS_POLL, fs_poll)                                                        \
  XX(HANDLE, handle)                                                          \
  XX(IDLE, idle)                                                              \
  XX(NAMED_PIPE, pipe)                                                        \
  XX(POLL, poll)                                                              \
  XX(PREPARE, prepare)                                                        \
  XX(PROCESS, process)                                                        \
  XX(STREAM, stream)                                                          \
  XX(TCP, tcp)                                                                \
  XX(TIMER, timer)                                                            \
  XX(TTY, tty)                                                                \
  XX(UDP, udp)                                                                \
  XX(SIGNAL, signal)                                                          \

/* XX(UV_<name>, uv_<type>_t) for every type of request. */
#define UV_REQ_TYPE_MAP(XX)                                                   \
  XX(REQ, req)                                                                \
  XX(CONNECT, connect)                                                        \
  XX(WRITE, write)                                                            \
  XX(SHUTDOWN, shutdown)                                                      \
  XX(UDP_SEND, udp_send)                                                      \
  XX(FS, fs)                                                                  \
  XX(WORK, work)                                                              \
  XX(GETADDRINFO, getaddrinfo)                                                \
  XX(GETNAMEINFO, getnameinfo)                                                \
  XX(RANDOM, random)                                                          \

/* UV_FILE is what uv_guess_handle() says of a regular file. */
typedef enum {
  UV_UNKNOWN_HANDLE = 0,
#define XX(uc, lc) UV_ ## uc,
  UV_HANDLE_TYPE_MAP(XX)
#undef XX
  UV_FILE,
  UV_HANDLE_TYPE_MAX
} uv_handle_type;

typedef enum {
  UV_UNKNOWN_REQ = 0,
#define XX(uc, lc) UV_ ## uc,
  UV_REQ_TYPE_MAP(XX)
#undef XX
  UV_REQ_TYPE_PRIVATE
  UV_REQ_TYPE_MAX
} uv_req_type;

typedef struct uv_loop_s uv_loop_t;

/* Handles. uv_handle_t is the part they share, uv_stream_t the part that tcp,
 * pipe and tty share: a pointer to one may be cast to the other.
 */
typedef struct uv_handle_s uv_handle_t;
typedef struct uv_async_s uv_async_t;
typedef struct uv_check_s uv_check_t;
typedef struct uv_fs_event_s uv_fs_event_t;
typedef struct uv_fs_poll_s uv_fs_poll_t;
typedef struct uv_idle_s uv_idle_t;
typedef struct uv_poll_s uv_poll_t;
typedef struct uv_prepare_s uv_prepare_t;
typedef struct uv_process_s uv_process_t;
typedef struct uv_signal_s uv_signal_t;
typedef struct uv_timer_s uv_timer_t;
typedef struct uv_udp_s uv_udp_t;
typedef struct uv_stream_s uv_stream_t;
typedef struct uv_pipe_s uv_pipe_t;
typedef struct uv_tcp_s uv_tcp_t;
typedef struct uv_tty_s uv_tty_t;

/* Requests. uv_req_t is the part they share. */
typedef struct uv_req_s uv_req_t;
typedef struct uv_connect_s uv_connect_t;
typedef struct uv_fs_s uv_fs_t;
typedef struct uv_getaddrinfo_s uv_getaddrinfo_t;
typedef struct uv_getnameinfo_s uv_getnameinfo_t;
typedef struct uv_random_s uv_random_t;
typedef struct uv_shutdown_s uv_shutdown_t;
typedef struct uv_udp_send_s uv_udp_send_t;
typedef struct uv_work_s uv_work_t;
typedef struct uv_write_s uv_write_t;

/* Plain data. */
typedef struct uv_cpu_info_s uv_cpu_info_t;
typedef struct uv_dir_s uv_dir_t;
typedef struct uv_dirent_s uv_dirent_t;
typedef struct uv_env_item_s uv_env_item_t;
typedef struct uv_group_s uv_group_t;
typedef struct uv_interface_address_s uv_interface_address_t;
typedef struct uv_metrics_s uv_metrics_t;
typedef struct uv_passwd_s uv_passwd_t;
typedef struct uv_statfs_s uv_statfs_t;
typedef struct uv_utsname_s uv_utsname_t;

/* Times. The 64 variants work beyond 2038 everywhere; the others hold a long
 * because stat results and resource usage always did.
 */
typedef struct {
  long tv_sec;
  long tv_nsec;
} uv_timespec_t;

typedef struct {
  int64_t tv_sec;
  int32_t tv_nsec;
} uv_timespec64_t;

typedef struct {
  long tv_sec;
  long tv_usec;
} uv_timeval_t;

typedef struct {
  int64_t tv_sec;
  int32_t tv_usec;
} uv_timeval64_t;

/* What stat(2) says, in the same form everywhere. st_flags and st_gen are 0
 * where the system has no such thing.
 */
typedef struct {
  uint64_t st_dev;
  uint64_t st_mode;
  uint64_t st_nlink;
  uint64_t st_uid;
  uint64_t st_gid;
  uint64_t st_rdev;
  uint64_t st_ino;
  uint64_t st_size;
  uint64_t st_blksize;
  uint64_t st_blocks;
  uint64_t st_flags;
  uint64_t st_gen;
  uv_timespec_t st_atim;
  uv_timespec_t st_mtim;
  uv_timespec_t st_ctim;
  uv_timespec_t st_birthtim;
} uv_stat_t;

/* Callbacks. All run on the loop's thread, except uv_work_cb. status is 0 or
 * UV_E*; the function that takes the callback says the rest.
 */
typedef void (*uv_close_cb)(uv_handle_t* handle);
typedef void (*uv_walk_cb)(uv_handle_t* handle, void* arg);
typedef void (*uv_timer_cb)(uv_timer_t* handle);
typedef void (*uv_prepare_cb)(uv_prepare_t* handle);
typedef void (*uv_check_cb)(uv_check_t* handle);
typedef void (*uv_idle_cb)(uv_idle_t* handle);
typedef void (*uv_async_cb)(uv_async_t* handle);
typedef void (*uv_signal_cb)(uv_signal_t* handle, int signum);
typedef void (*uv_poll_cb)(uv_poll_t* handle, int status, int events);

/* Asks for memory to receive into: set buf->base and buf->len. What is set is
 * handed back by the next read or receive callback, even if nothing arrived.
 * NULL or length 0 makes that callback report UV_ENOBUFS.
 */
typedef void (*uv_alloc_cb)(uv_handle_t* handle,
                            size_t suggested_size,
                            uv_buf_t* buf);

/* nread > 0: bytes in buf. 0: nothing now, not an error. UV_EOF: the peer has
 * finished. Otherwise UV_E*. buf is what uv_alloc_cb gave, the program's again.
 */
typedef void (*uv_read_cb)(uv_stream_t* stream,
                           ssize_t nread,
                           const uv_buf_t* buf);

typedef void (*uv_write_cb)(uv_write_t* req, int status);
typedef void (*uv_connect_cb)(uv_connect_t* req, int status);
typedef void (*uv_shutdown_cb)(uv_shutdown_t* req, int status);
typedef void (*uv_connection_cb)(uv_stream_t* server, int status);

typedef void (*uv_udp_send_cb)(uv_udp_send_t* req, int status);

/* addr NULL: nread is 0 (nothing more now) or UV_E*. Otherwise one datagram of
 * nread bytes, possibly 0, from addr; flags are of enum uv_udp_flags.
 */
typedef void (*uv_udp_recv_cb)(uv_udp_t* handle,
                               ssize_t nread,
                               const uv_buf_t* buf,
                               const struct sockaddr* addr,
                               unsigned flags);

typedef void (*uv_exit_cb)(uv_process_t*, int64_t exit_status, int term_signal);
typedef void (*uv_fs_cb)(uv_fs_t* req);

/* Runs on a worker thread: must not touch the loop or its handles. */
typedef void (*uv_work_cb)(uv_work_t* req);
typedef void (*uv_after_work_cb)(uv_work_t* req, int status);

/* res is the program's; free it with uv_freeaddrinfo(). */
typedef void (*uv_getaddrinfo_cb)(uv_getaddrinfo_t* req,
                                  int status,
                                  struct addrinfo* res);

/* The strings live in req. */
typedef void (*uv_getnameinfo_cb)(uv_getnameinfo_t* req,
                                  int status,
                                  const char* hostname,
                                  const char* service);

typedef void (*uv_random_cb)(uv_random_t* req,
                             int status,
                             void* buf,
                             size_t buflen);

/* filename is relative to the watched directory, or NULL if unknown; events
 * are of enum uv_fs_event.
 */
typedef void (*uv_fs_event_cb)(uv_fs_event_t* handle,
                               const char* filename,
                               int events,
                               int status);

/* prev and curr are valid during the call only. */
typedef void (*uv_fs_poll_cb)(uv_fs_poll_t* handle,
                              int status,
                              const uv_stat_t* prev,
                              const uv_stat_t* curr);

typedef void (*uv_thread_cb)(void* arg);

/* ------------------------------------------------------------------------ */
/* Library */

/* Version of the library in use, as UV_VERSION_HEX and as text ("1.53.0"). */
UV_EXTERN unsigned int uv_version(void);
UV_EXTERN const char* uv_version_string(void);

typedef void* (*uv_malloc_func)(size_t size);
typedef void* (*uv_realloc_func)(void* ptr, size_t size);
typedef void* (*uv_calloc_func)(size_t count, size_t size);
typedef void (*uv_free_func)(void* ptr);

/* Replaces the allocator, which must be thread-safe. Only before any other
 * call, or when nothing allocated by the library is left. UV_EINVAL if one of
 * the functions is NULL.
 */
UV_EXTERN int uv_replace_allocator(uv_malloc_func malloc_func,
                                   uv_realloc_func realloc_func,
                                   uv_calloc_func calloc_func,
                                   uv_free_func free_func);

/* Releases what the library holds for the whole process, thread pool included.
 * Runs by itself at exit or unloading; afterwards nothing else may be called.
 */
UV_EXTERN void uv_library_shutdown(void);

/* ------------------------------------------------------------------------ */
/* Loop */

typedef enum {
  /* Until nothing is left to wait for, or uv_stop(). */
  UV_RUN_DEFAULT = 0,
  /* One round, waiting for events if none is ready. */
  UV_RUN_ONCE,
  /* One round, without waiting. */
  UV_RUN_NOWAIT
} uv_run_mode;

/* For uv_loop_configure(), with the type of the argument that follows. */
typedef enum {
  /* int signum: block it while waiting. Only SIGPROF; not on Windows. */
  UV_LOOP_BLOCK_SIGNAL = 0,
  /* Nothing: measure uv_metrics_idle_time() from now on. */
  UV_METRICS_IDLE_TIME,
  /* Nothing: file operations through an SQPOLL io_uring. Linux only. */
  UV_LOOP_USE_IO_URING_SQPOLL
#define UV_LOOP_USE_IO_URING_SQPOLL UV_LOOP_USE_IO_URING_SQPOLL
} uv_loop_option;

/* Prepares a loop in the caller's memory. */
UV_EXTERN int uv_loop_init(uv_loop_t* loop);

/* Releases what the loop holds, not its memory. UV_EBUSY if a handle is not
 * closed or a request not finished.
 */
UV_EXTERN int uv_loop_close(uv_loop_t* loop);

/* The loop of the process, made by the first call. NULL if that fails. Not
 * thread-safe.
 */
UV_EXTERN uv_loop_t* uv_default_loop(void);

/* sizeof(uv_loop_t), for bindings. */
UV_EXTERN size_t uv_loop_size(void);

/* Sets an option; best before the first uv_run(). UV_ENOSYS if the option is
 * unknown here, UV_EINVAL if its value is bad.
 */
UV_EXTERN int uv_loop_configure(uv_loop_t* loop, uv_loop_option option, ...);

/* Repairs kernel state in the child of a fork(), before anything else is done
 * with the loop. Started handles stay started.
 */
UV_EXTERN int uv_loop_fork(uv_loop_t* loop);

/* Deprecated: uv_loop_init() and uv_loop_close() with allocated memory. */
UV_EXTERN uv_loop_t* uv_loop_new(void);
UV_EXTERN void uv_loop_delete(uv_loop_t*);

/* Runs callbacks. Returns non-zero if there is more to do: a later call is
 * needed. Not reentrant: never from inside a callback of the same loop.
 */
UV_EXTERN int uv_run(uv_loop_t*, uv_run_mode mode);

/* Makes uv_run() return after the current round, or at once if called before
 * it. Loop thread only.
 */
UV_EXTERN void uv_stop(uv_loop_t*);

/* Non-zero while an active referenced handle, a request or a closing handle
 * remains.
 */
UV_EXTERN int uv_loop_alive(const uv_loop_t* loop);

/* The loop's clock: milliseconds from an arbitrary start, read once per round.
 * uv_update_time() reads it again.
 */
UV_EXTERN uint64_t uv_now(const uv_loop_t*);
UV_EXTERN void uv_update_time(uv_loop_t*);

/* For embedding in another loop: a descriptor that polls readable when there
 * is something to do (-1 if the system has none), and how long, in
 * milliseconds, one may wait for that (-1 is for ever). Then run the loop with
 * UV_RUN_NOWAIT.
 */
UV_EXTERN int uv_backend_fd(const uv_loop_t*);
UV_EXTERN int uv_backend_timeout(const uv_loop_t*);

/* Calls walk_cb for every handle of the loop; it may close them. */
UV_EXTERN void uv_walk(uv_loop_t* loop, uv_walk_cb walk_cb, void* arg);

/* For debugging: lists handles on stream, or stderr if that is NULL. The
 * format may change.
 */
UV_EXTERN void uv_print_all_handles(uv_loop_t* loop, FILE* stream);
UV_EXTERN void uv_print_active_handles(uv_loop_t* loop, FILE* stream);

/* loop->data, for bindings. */
UV_EXTERN void* uv_loop_get_data(const uv_loop_t*);
UV_EXTERN void uv_loop_set_data(uv_loop_t*, void* data);

struct uv_metrics_s {
  uint64_t loop_count;     /* rounds of the loop */
  uint64_t events;         /* events handled */
  uint64_t events_waiting; /* of those, ready before the loop waited */
  /* private */
  uint64_t* reserved[13];
};

/* Copies the counters, best from uv_prepare_cb for consistent numbers. */
UV_EXTERN int uv_metrics_info(uv_loop_t* loop, uv_metrics_t* metrics);

/* Nanoseconds spent waiting for events. 0 unless UV_METRICS_IDLE_TIME is set.
 * Safe from any thread.
 */
UV_EXTERN uint64_t uv_metrics_idle_time(uv_loop_t* loop);

/* ------------------------------------------------------------------------ */
/* Handles */

#define UV_HANDLE_FIELDS                                                      \
  /* the program's own */                                                     \
  void* data;                                                                 \
  /* read-only */                                                             \
  uv_loop_t* loop;                                                            \
  uv_handle_type type;                                                        \
  /* private */                                                               \
  uv_close_cb close_cb;                                                       \
  struct uv__queue handle_queue;                                              \
  union {                                                                     \
    int fd;                                                                   \
    void* reserved[4];                                                        \
  } u;                                                                        \
  UV_HANDLE_PRIVATE_FIELDS

/* The start of every handle. */
struct uv_handle_s {
  UV_HANDLE_FIELDS
};

/* Ends the handle's life: stops it, frees descriptors, cancels its requests
 * (their callbacks run with UV_ECANCELED), then calls close_cb, never from
 * inside this call. The memory may be reused from close_cb on; without
 * close_cb (NULL), after the round. Once per handle.
 */
UV_EXTERN void uv_close(uv_handle_t* handle, uv_close_cb close_cb);

/* Non-zero once uv_close() was called. */
UV_EXTERN int uv_is_closing(const uv_handle_t* handle);

/* Non-zero if started: a timer running, a stream reading, connecting,
 * listening or writing, an async handle not yet closed.
 */
UV_EXTERN int uv_is_active(const uv_handle_t* handle);

/* A referenced handle (the default) keeps uv_run() going while active.
 * Referencing twice is like once.
 */
UV_EXTERN void uv_ref(uv_handle_t*);
UV_EXTERN void uv_unref(uv_handle_t*);
UV_EXTERN int uv_has_ref(const uv_handle_t*);

/* The descriptor or HANDLE of a stream, udp or poll handle; still owned by
 * the handle. UV_EINVAL for other types, UV_EBADF if there is none now.
 */
UV_EXTERN int uv_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

/* Size of the kernel's buffer for tcp, pipe (Unix) and udp. *value 0 asks and
 * is replaced by the size, any other value sets. Linux doubles what is set.
 */
UV_EXTERN int uv_send_buffer_size(uv_handle_t* handle, int* value);
UV_EXTERN int uv_recv_buffer_size(uv_handle_t* handle, int* value);

/* Fields and sizes, for bindings. The size of an unknown type is (size_t) -1,
 * its name NULL.
 */
UV_EXTERN size_t uv_handle_size(uv_handle_type type);
UV_EXTERN const char* uv_handle_type_name(uv_handle_type type);
UV_EXTERN uv_handle_type uv_handle_get_type(const uv_handle_t* handle);
UV_EXTERN uv_loop_t* uv_handle_get_loop(const uv_handle_t* handle);
UV_EXTERN void* uv_handle_get_data(const uv_handle_t* handle);
UV_EXTERN void uv_handle_set_data(uv_handle_t* handle, void* data);

/* ------------------------------------------------------------------------ */
/* Requests */

#define UV_REQ_FIELDS                                                         \
  /* the program's own */                                                     \
  void* data;                                                                 \
  /* read-only */                                                             \
  uv_req_type type;                                                           \
  /* private */                                                               \
  void* reserved[5];                                                          \
  UV_REQ_PRIVATE_FIELDS

/* The start of every request. */
struct uv_req_s {
  UV_REQ_FIELDS
};

/* Requests that only one system has. */
UV_PRIVATE_REQ_TYPES

/* Tries to cancel a work, fs, getaddrinfo, getnameinfo, random or write
 * request. 0: its callback will report UV_ECANCELED (fs: in req->result),
 * later; a write may still have got through in part, see uv_write_nwritten().
 * UV_EBUSY: too late, it runs or is done. UV_EINVAL: not this type.
 */
UV_EXTERN int uv_cancel(uv_req_t* req);

/* Fields and sizes, for bindings, as with handles. */
UV_EXTERN size_t uv_req_size(uv_req_type type);
UV_EXTERN const char* uv_req_type_name(uv_req_type type);
UV_EXTERN uv_req_type uv_req_get_type(const uv_req_t* req);
UV_EXTERN void* uv_req_get_data(const uv_req_t* req);
UV_EXTERN void uv_req_set_data(uv_req_t* req, void* data);

/* A buffer from its parts; nothing is copied. */
UV_EXTERN uv_buf_t uv_buf_init(char* base, unsigned int len);

/* ------------------------------------------------------------------------ */
/* Timers */

struct uv_timer_s {
  UV_HANDLE_FIELDS
  UV_TIMER_PRIVATE_FIELDS
};

UV_EXTERN int uv_timer_init(uv_loop_t*, uv_timer_t* handle);

/* Calls cb timeout milliseconds after uv_now(), never early, then every repeat
 * milliseconds if that is not 0. Restarts a running timer. UV_EINVAL if
 * closing or cb is NULL.
 */
UV_EXTERN int uv_timer_start(uv_timer_t* handle,
                             uv_timer_cb cb,
                             uint64_t timeout,
                             uint64_t repeat);

UV_EXTERN int uv_timer_stop(uv_timer_t* handle);

/* Restarts a repeating timer with its repeat interval. UV_EINVAL if it was
 * never started.
 */
UV_EXTERN int uv_timer_again(uv_timer_t* handle);

/* The interval. A change applies after the next expiry. */
UV_EXTERN void uv_timer_set_repeat(uv_timer_t* handle, uint64_t repeat);
UV_EXTERN uint64_t uv_timer_get_repeat(const uv_timer_t* handle);

/* Milliseconds from uv_now() to the next expiry; 0 if due. */
UV_EXTERN uint64_t uv_timer_get_due_in(const uv_timer_t* handle);

/* ------------------------------------------------------------------------ */
/* Loop hooks: called in every round, before waiting (idle, then prepare) and
 * after (check). Active idle handles keep the loop from waiting at all.
 * Starting a started one changes nothing; starting with NULL is UV_EINVAL.
 */

struct uv_prepare_s {
  UV_HANDLE_FIELDS
  UV_PREPARE_PRIVATE_FIELDS
};

UV_EXTERN int uv_prepare_init(uv_loop_t*, uv_prepare_t* prepare);
UV_EXTERN int uv_prepare_start(uv_prepare_t* prepare, uv_prepare_cb cb);
UV_EXTERN int uv_prepare_stop(uv_prepare_t* prepare);

struct uv_check_s {
  UV_HANDLE_FIELDS
  UV_CHECK_PRIVATE_FIELDS
};

UV_EXTERN int uv_check_init(uv_loop_t*, uv_check_t* check);
UV_EXTERN int uv_check_start(uv_check_t* check, uv_check_cb cb);
UV_EXTERN int uv_check_stop(uv_check_t* check);

struct uv_idle_s {
  UV_HANDLE_FIELDS
  UV_IDLE_PRIVATE_FIELDS
};

UV_EXTERN int uv_idle_init(uv_loop_t*, uv_idle_t* idle);
UV_EXTERN int uv_idle_start(uv_idle_t* idle, uv_idle_cb cb);
UV_EXTERN int uv_idle_stop(uv_idle_t* idle);

/* ------------------------------------------------------------------------ */
/* Async: wakes the loop from elsewhere. */

struct uv_async_s {
  UV_HANDLE_FIELDS
  UV_ASYNC_PRIVATE_FIELDS
};

/* Also starts the handle. async_cb may be NULL: then sending only wakes. */
UV_EXTERN int uv_async_init(uv_loop_t*,
                            uv_async_t* async,
                            uv_async_cb async_cb);

/* Makes the loop call async_cb soon. Several sends may become one call, but
 * at least one call starts after each send. Context: any thread, any signal
 * handler.
 */
UV_EXTERN int uv_async_send(uv_async_t* async);

/* ------------------------------------------------------------------------ */
/* Signals */

struct uv_signal_s {
  UV_HANDLE_FIELDS
  uv_signal_cb signal_cb;
  int signum;
  UV_SIGNAL_PRIVATE_FIELDS
};

UV_EXTERN int uv_signal_init(uv_loop_t* loop, uv_signal_t* handle);

/* Calls signal_cb from the loop for every delivery of signum; every handle on
 * every loop gets its own. The default action is off while any handle is
 * started. UV_EINVAL for signals that cannot be caught.
 */
UV_EXTERN int uv_signal_start(uv_signal_t* handle,
                              uv_signal_cb signal_cb,
                              int signum);

/* Same, but stops after the first delivery. */
UV_EXTERN int uv_signal_start_oneshot(uv_signal_t* handle,
                                      uv_signal_cb signal_cb,
                                      int signum);

UV_EXTERN int uv_signal_stop(uv_signal_t* handle);

/* ------------------------------------------------------------------------ */
/* Poll: readiness of a descriptor that another library reads and writes. */

struct uv_poll_s {
  UV_HANDLE_FIELDS
  uv_poll_cb poll_cb;
  UV_POLL_PRIVATE_FIELDS
};

enum uv_poll_event {
  UV_READABLE = 1,
  UV_WRITABLE = 2,
  UV_DISCONNECT = 4, /* the peer has closed its side; a hint */
  UV_PRIORITIZED = 8 /* out of band data, sysfs changes */
};

/* The descriptor stays the program's and is made non-blocking; close it only
 * after uv_poll_stop() or uv_close(). One handle per descriptor (UV_EEXIST).
 * On Windows sockets only.
 */
UV_EXTERN int uv_poll_init(uv_loop_t* loop, uv_poll_t* handle, int fd);
UV_EXTERN int uv_poll_init_socket(uv_loop_t* loop,
                                  uv_poll_t* handle,
                                  uv_os_sock_t socket);

/* Calls cb while any of events is true. May be called again to change them;
 * 0 stops.
 */
UV_EXTERN int uv_poll_start(uv_poll_t* handle, int events, uv_poll_cb cb);

/* Afterwards cb does not run, not even for events already collected. */
UV_EXTERN int uv_poll_stop(uv_poll_t* handle);

/* ------------------------------------------------------------------------ */
/* Streams */

#define UV_STREAM_FIELDS                                                      \
  /* read-only: bytes waiting to be written */                                \
  size_t write_queue_size;                                                    \
  /* private */                                                               \
  uv_alloc_cb alloc_cb;                                                       \
  uv_read_cb read_cb;                                                         \
  UV_STREAM_PRIVATE_FIELDS

/* The start of tcp, pipe and tty handles. */
struct uv_stream_s {
  UV_HANDLE_FIELDS
  UV_STREAM_FIELDS
};

struct uv_connect_s {
  UV_REQ_FIELDS
  uv_connect_cb cb;
  /* read-only */
  uv_stream_t* handle;
  UV_CONNECT_PRIVATE_FIELDS
};

struct uv_shutdown_s {
  UV_REQ_FIELDS
  /* read-only */
  uv_stream_t* handle;
  uv_shutdown_cb cb;
  UV_SHUTDOWN_PRIVATE_FIELDS
};

struct uv_write_s {
  UV_REQ_FIELDS
  uv_write_cb cb;
  /* read-only */
  uv_stream_t* send_handle;
  uv_stream_t* handle;
  UV_WRITE_PRIVATE_FIELDS
};

/* Starts to accept connections: cb runs for each, and should uv_accept() it.
 * No further call comes before that.
 */
UV_EXTERN int uv_listen(uv_stream_t* stream, int backlog, uv_connection_cb cb);

/* Moves the pending connection, or the next handle received over an ipc pipe,
 * into client, which is initialised, unused and on the same loop. UV_EAGAIN
 * if there is none.
 */
UV_EXTERN int uv_accept(uv_stream_t* server, uv_stream_t* client);

/* Reads until uv_read_stop(), an error or end of file. UV_EALREADY if reading,
 * UV_EINVAL if closing, UV_ENOTCONN if there is no connection.
 */
UV_EXTERN int uv_read_start(uv_stream_t*,
                            uv_alloc_cb alloc_cb,
                            uv_read_cb read_cb);

/* read_cb does not run afterwards. Always 0. */
UV_EXTERN int uv_read_stop(uv_stream_t*);

/* Writes everything, in order with other writes; then cb, if not NULL. The
 * array bufs is copied; the memory it points at must stay until cb.
 */
UV_EXTERN int uv_write(uv_write_t* req,
                       uv_stream_t* handle,
                       const uv_buf_t bufs[],
                       unsigned int nbufs,
                       uv_write_cb cb);

/* Same, and sends a tcp or pipe handle (Unix: any with a descriptor) along,
 * over a pipe initialised with ipc. At least one byte must go with it;
 * send_handle must stay until cb and remains the sender's too.
 */
UV_EXTERN int uv_write2(uv_write_t* req,
                        uv_stream_t* handle,
                        const uv_buf_t bufs[],
                        unsigned int nbufs,
                        uv_stream_t* send_handle,
                        uv_write_cb cb);

/* Writes what goes at once, possibly less than given. Returns the number of
 * bytes; UV_EAGAIN if none, or if writes are queued.
 */
UV_EXTERN int uv_try_write(uv_stream_t* handle,
                           const uv_buf_t bufs[],
                           unsigned int nbufs);
UV_EXTERN int uv_try_write2(uv_stream_t* handle,
                            const uv_buf_t bufs[],
                            unsigned int nbufs,
                            uv_stream_t* send_handle);

/* Bytes this request has written. Only inside its callback; tells how far a
 * cancelled or failed write got.
 */
UV_EXTERN size_t uv_write_nwritten(const uv_write_t* req);

/* Ends the writing side once queued writes are out; reading goes on.
 * UV_ENOTCONN if not connected or already shut down.
 */
UV_EXTERN int uv_shutdown(uv_shutdown_t* req,
                          uv_stream_t* handle,
                          uv_shutdown_cb cb);

/* 1 or 0: what the stream can do now. */
UV_EXTERN int uv_is_readable(const uv_stream_t* handle);
UV_EXTERN int uv_is_writable(const uv_stream_t* handle);

/* Makes writes complete before uv_write() returns; callbacks still come later.
 * Every stream on Unix, only pipes on Windows.
 */
UV_EXTERN int uv_stream_set_blocking(uv_stream_t* handle, int blocking);

/* stream->write_queue_size, for bindings. */
UV_EXTERN size_t uv_stream_get_write_queue_size(const uv_stream_t* stream);

/* ------------------------------------------------------------------------ */
/* TCP */

struct uv_tcp_s {
  UV_HANDLE_FIELDS
  UV_STREAM_FIELDS
  UV_TCP_PRIVATE_FIELDS
};

/* For uv_tcp_bind(). */
enum uv_tcp_flags {
  /* An IPv6 address takes no IPv4 traffic. */
  UV_TCP_IPV6ONLY = 1,
  /* Several sockets share the port and the kernel spreads connections over
   * them. UV_ENOTSUP where it does not (most but Linux, FreeBSD, DragonFly).
   */
  UV_TCP_REUSEPORT = 2
};

/* The socket is made when first needed; with uv_tcp_init_ex() at once if the
 * low 8 bits of flags are AF_INET or AF_INET6.
 */
UV_EXTERN int uv_tcp_init(uv_loop_t*, uv_tcp_t* handle);
UV_EXTERN int uv_tcp_init_ex(uv_loop_t*, uv_tcp_t* handle, unsigned int flags);

/* Adopts a socket and makes it non-blocking. It is the handle's from now on. */
UV_EXTERN int uv_tcp_open(uv_tcp_t* handle, uv_os_sock_t sock);

/* An address in use is reported by uv_listen() or uv_tcp_connect(). */
UV_EXTERN int uv_tcp_bind(uv_tcp_t* handle,
                          const struct sockaddr* addr,
                          unsigned int flags);

/* Failures to connect are reported to cb. */
UV_EXTERN int uv_tcp_connect(uv_connect_t* req,
                             uv_tcp_t* handle,
                             const struct sockaddr* addr,
                             uv_connect_cb cb);

/* uv_close() that sends a reset. UV_EINVAL after uv_shutdown(). */
UV_EXTERN int uv_tcp_close_reset(uv_tcp_t* handle, uv_close_cb close_cb);

/* Local and remote address. *namelen is the room, then the length. */
UV_EXTERN int uv_tcp_getsockname(const uv_tcp_t* handle,
                                 struct sockaddr* name,
                                 int* namelen);
UV_EXTERN int uv_tcp_getpeername(const uv_tcp_t* handle,
                                 struct sockaddr* name,
                                 int* namelen);

/* Socket options; remembered if there is no socket yet. */
UV_EXTERN int uv_tcp_nodelay(uv_tcp_t* handle, int enable);

/* delay: seconds of silence before the first probe, then one per second, ten
 * in all. UV_EINVAL if delay is 0 while enabling.
 */
UV_EXTERN int uv_tcp_keepalive(uv_tcp_t* handle,
                               int enable,
                               unsigned int delay);

/* idle and intvl in seconds, cnt probes; each at least 1 while enabling. */
UV_EXTERN int uv_tcp_keepalive_ex(uv_tcp_t* handle,
                                  int on,
                                  unsigned int idle,
                                  unsigned int intvl,
                                  unsigned int cnt);

/* Windows: several accepts outstanding at a time. Elsewhere no effect. */
UV_EXTERN int uv_tcp_simultaneous_accepts(uv_tcp_t* handle, int enable);

/* A connected pair of sockets. type is SOCK_STREAM or SOCK_DGRAM; the flags
 * are 0 or UV_NONBLOCK_PIPE for each end. Both ends are the caller's.
 */
UV_EXTERN int uv_socketpair(int type,
                            int protocol,
                            uv_os_sock_t socket_vector[2],
                            int flags0,
                            int flags1);

/* ------------------------------------------------------------------------ */
/* Pipes: Unix domain sockets, FIFOs and pipes; named pipes on Windows. */

struct uv_pipe_s {
  UV_HANDLE_FIELDS
  UV_STREAM_FIELDS
  int ipc; /* non-zero if handles can be sent along */
  UV_PIPE_PRIVATE_FIELDS
};

/* For uv_pipe_bind2() and uv_pipe_connect2(). */
enum {
  /* A name that is too long is UV_EINVAL instead of being cut. */
  UV_PIPE_NO_TRUNCATE = 1u << 0
};

UV_EXTERN int uv_pipe_init(uv_loop_t*, uv_pipe_t* handle, int ipc);

/* Adopts a descriptor and makes it non-blocking. */
UV_EXTERN int uv_pipe_open(uv_pipe_t*, uv_file file);

/* A socket file is created, and removed when the handle is closed. */
UV_EXTERN int uv_pipe_bind(uv_pipe_t* handle, const char* name);
UV_EXTERN int uv_pipe_bind2(uv_pipe_t* handle,
                            const char* name,
                            size_t namelen,
                            unsigned int flags);

/* Failures are reported to cb. The 2 variants take names with NUL bytes: one
 * in front means Linux' abstract namespace.
 */
UV_EXTERN void uv_pipe_connect(uv_connect_t* req,
                               uv_pipe_t* handle,
                               const char* name,
                               uv_connect_cb cb);
UV_EXTERN int uv_pipe_connect2(uv_connect_t* req,
                               uv_pipe_t* handle,
                               const char* name,
                               size_t namelen,
                               unsigned int flags,
                               uv_connect_cb cb);

/* The names of both ends. */
UV_EXTERN int uv_pipe_getsockname(const uv_pipe_t* handle,
                                  char* buffer,
                                  size_t* size);
UV_EXTERN int uv_pipe_getpeername(const uv_pipe_t* handle,
                                  char* buffer,
                                  size_t* size);

/* Windows: how many instances a listening pipe offers. */
UV_EXTERN void uv_pipe_pending_instances(uv_pipe_t* handle, int count);

/* Handles received and not yet taken with uv_accept(), and the type of the
 * first (UV_UNKNOWN_HANDLE if there is none).
 */
UV_EXTERN int uv_pipe_pending_count(uv_pipe_t* handle);
UV_EXTERN uv_handle_type uv_pipe_pending_type(uv_pipe_t* handle);

/* Lets other users connect: flags are UV_READABLE, UV_WRITABLE or both. */
UV_EXTERN int uv_pipe_chmod(uv_pipe_t* handle, int flags);

/* pipe(2): fds[0] reads, fds[1] writes. Flags are 0 or UV_NONBLOCK_PIPE for
 * each end. Both are the caller's.
 */
UV_EXTERN int uv_pipe(uv_file fds[2], int read_flags, int write_flags);

/* ------------------------------------------------------------------------ */
/* Terminals */

struct uv_tty_s {
  UV_HANDLE_FIELDS
  UV_STREAM_FIELDS
  UV_TTY_PRIVATE_FIELDS
};

typedef enum {
  /* As it was at the start. */
  UV_TTY_MODE_NORMAL,
  /* Every key as it comes. On Windows also window events. */
  UV_TTY_MODE_RAW,
  /* Nothing interpreted in either direction. Unix only. */
  UV_TTY_MODE_IO,
  /* Raw, with the console's own escape sequences on Windows. */
  UV_TTY_MODE_RAW_VT
} uv_tty_mode_t;

/* Whether a Windows console understands escape sequences by itself. */
typedef enum {
  UV_TTY_SUPPORTED,
  UV_TTY_UNSUPPORTED
} uv_tty_vtermstate_t;

/* Unix reopens the terminal if it can, so that fd itself stays blocking. The
 * last argument is ignored: readable ttys are recognised.
 */
UV_EXTERN int uv_tty_init(uv_loop_t*, uv_tty_t*, uv_file fd, int readable);

UV_EXTERN int uv_tty_set_mode(uv_tty_t*, uv_tty_mode_t mode);

/* Restores the terminal, for use before exit. Context: any, signal handlers
 * included. UV_EBUSY if it interrupted uv_tty_set_mode().
 */
UV_EXTERN int uv_tty_reset_mode(void);

UV_EXTERN int uv_tty_get_winsize(uv_tty_t*, int* width, int* height);

/* Windows only; UV_ENOTSUP elsewhere. */
UV_EXTERN void uv_tty_set_vterm_state(uv_tty_vtermstate_t state);
UV_EXTERN int uv_tty_get_vterm_state(uv_tty_vtermstate_t* state);

#ifdef __cplusplus
extern "C++" {

/* Old programs pass an int. */
inline int uv_tty_set_mode(uv_tty_t* handle, int mode) {
  return uv_tty_set_mode(handle, static_cast<uv_tty_mode_t>(mode));
}

}
#endif

/* The type of handle that suits a descriptor: UV_TTY, UV_NAMED_PIPE, UV_TCP,
 * UV_UDP, UV_FILE or UV_UNKNOWN_HANDLE.
 */
UV_EXTERN uv_handle_type uv_guess_handle(uv_file file);

/* ------------------------------------------------------------------------ */
/* UDP */

enum uv_udp_flags {
  /* Bind: an IPv6 address takes no IPv4 traffic. */
  UV_UDP_IPV6ONLY = 1,
  /* Receive: the datagram was longer than the buffer, the rest is lost. */
  UV_UDP_PARTIAL = 2,
  /* Bind: others may bind to the address too, if they also set this. The last
   * one gets the traffic. (SO_REUSEADDR, or what has this meaning.)
   */
  UV_UDP_REUSEADDR = 4,
  /* Receive: part of a batch, do not free the buffer yet. */
  UV_UDP_MMSG_CHUNK = 8,
  /* Receive: the batch is over, free the buffer. No data, no address. */
  UV_UDP_MMSG_FREE = 16,
  /* Bind: report ICMP errors (IP_RECVERR). Linux only, ignored elsewhere. */
  UV_UDP_LINUX_RECVERR = 32,
  /* Bind: several sockets share the port and the kernel spreads datagrams
   * over them. UV_ENOTSUP where it does not.
   */
  UV_UDP_REUSEPORT = 64,
  /* Init: receive in batches where the system can. The buffers given should
   * be multiples of 64 KiB.
   */
  UV_UDP_RECVMMSG = 256
};

typedef enum {
  UV_LEAVE_GROUP = 0,
  UV_JOIN_GROUP
} uv_membership;

struct uv_udp_s {
  UV_HANDLE_FIELDS
  /* read-only: bytes and requests whose callback has not run */
  size_t send_queue_size;
  size_t send_queue_count;
  UV_UDP_PRIVATE_FIELDS
};

struct uv_udp_send_s {
  UV_REQ_FIELDS
  /* read-only */
  uv_udp_t* handle;
  uv_udp_send_cb cb;
  UV_UDP_SEND_PRIVATE_FIELDS
};

/* flags: AF_INET or AF_INET6 in the low 8 bits makes the socket at once;
 * UV_UDP_RECVMMSG may be added.
 */
UV_EXTERN int uv_udp_init(uv_loop_t*, uv_udp_t* handle);
UV_EXTERN int uv_udp_init_ex(uv_loop_t*, uv_udp_t* handle, unsigned int flags);

/* Adopts a socket and makes it non-blocking. flags: UV_UDP_REUSEADDR,
 * UV_UDP_REUSEPORT; uv_udp_open() sets the former.
 */
UV_EXTERN int uv_udp_open(uv_udp_t* handle, uv_os_sock_t sock);
UV_EXTERN int uv_udp_open_ex(uv_udp_t* handle,
                             uv_os_sock_t sock,
                             unsigned int flags);

UV_EXTERN int uv_udp_bind(uv_udp_t* handle,
                          const struct sockaddr* addr,
                          unsigned int flags);

/* Fixes the peer, or with NULL frees the handle from it. */
UV_EXTERN int uv_udp_connect(uv_udp_t* handle, const struct sockaddr* addr);

/* Local and remote address. *namelen is the room, then the length. */
UV_EXTERN int uv_udp_getsockname(const uv_udp_t* handle,
                                 struct sockaddr* name,
                                 int* namelen);
UV_EXTERN int uv_udp_getpeername(const uv_udp_t* handle,
                                 struct sockaddr* name,
                                 int* namelen);

/* Sends one datagram. addr is NULL exactly if connected (UV_EISCONN,
 * UV_EDESTADDRREQ). The array bufs is copied, the memory it points at must
 * stay until send_cb. Binds to any address if not bound.
 */
UV_EXTERN int uv_udp_send(uv_udp_send_t* req,
                          uv_udp_t* handle,
                          const uv_buf_t bufs[],
                          unsigned int nbufs,
                          const struct sockaddr* addr,
                          uv_udp_send_cb send_cb);

/* Sends at once or not at all. Returns the number of bytes; UV_EAGAIN if it
 * would wait, or if sends are queued.
 */
UV_EXTERN int uv_udp_try_send(uv_udp_t* handle,
                              const uv_buf_t bufs[],
                              unsigned int nbufs,
                              const struct sockaddr* addr);

/* Same for count datagrams; the arrays have count elements. flags must be 0.
 * Returns how many were sent, an error only if the first was not.
 */
UV_EXTERN int uv_udp_try_send2(uv_udp_t* handle,
                               unsigned int count,
                               uv_buf_t* bufs[],
                               unsigned int nbufs[],
                               struct sockaddr* addrs[],
                               unsigned int flags);

/* Binds to any address if not bound. UV_EALREADY if receiving. */
UV_EXTERN int uv_udp_recv_start(uv_udp_t* handle,
                                uv_alloc_cb alloc_cb,
                                uv_udp_recv_cb recv_cb);
UV_EXTERN int uv_udp_recv_stop(uv_udp_t* handle);

/* 1 if UV_UDP_RECVMMSG was asked for and works here. */
UV_EXTERN int uv_udp_using_recvmmsg(const uv_udp_t* handle);

/* Multicast groups. interface_addr may be NULL: the system chooses. */
UV_EXTERN int uv_udp_set_membership(uv_udp_t* handle,
                                    const char* multicast_addr,
                                    const char* interface_addr,
                                    uv_membership membership);
UV_EXTERN int uv_udp_set_source_membership(uv_udp_t* handle,
                                           const char* multicast_addr,
                                           const char* interface_addr,
                                           const char* source_addr,
                                           uv_membership membership);

/* Socket options: own multicasts come back; hops for multicast, 1 to 255;
 * interface to multicast from; broadcasting; hops, 1 to 255.
 */
UV_EXTERN int uv_udp_set_multicast_loop(uv_udp_t* handle, int on);
UV_EXTERN int uv_udp_set_multicast_ttl(uv_udp_t* handle, int ttl);
UV_EXTERN int uv_udp_set_multicast_interface(uv_udp_t* handle,
                                             const char* interface_addr);
UV_EXTERN int uv_udp_set_broadcast(uv_udp_t* handle, int on);
UV_EXTERN int uv_udp_set_ttl(uv_udp_t* handle, int ttl);

/* Fields, for bindings. */
UV_EXTERN size_t uv_udp_get_send_queue_size(const uv_udp_t* handle);
UV_EXTERN size_t uv_udp_get_send_queue_count(const uv_udp_t* handle);

/* ------------------------------------------------------------------------ */
/* Processes */

/* What one of the child's descriptors is. Also flags for uv_pipe() and
 * uv_socketpair().
 */
typedef enum {
  UV_IGNORE = 0x00,         /* /dev/null for 0 to 2, closed above */
  UV_CREATE_PIPE = 0x01,    /* a new pipe; data.stream is our end */
  UV_INHERIT_FD = 0x02,     /* data.fd */
  UV_INHERIT_STREAM = 0x04, /* the descriptor of data.stream */

  /* With UV_CREATE_PIPE: the child reads, writes, or both. */
  UV_READABLE_PIPE = 0x10,
  UV_WRITABLE_PIPE = 0x20,

  /* With UV_CREATE_PIPE: the child's end is non-blocking (Windows:
   * overlapped). Few programs expect that.
   */
  UV_NONBLOCK_PIPE = 0x40,
  UV_OVERLAPPED_PIPE = 0x40 /* its old name */
} uv_stdio_flags;

typedef struct uv_stdio_container_s {
  uv_stdio_flags flags;
  union {
    uv_stream_t* stream;
    int fd;
  } data;
} uv_stdio_container_t;

/* For uv_process_options_t.flags. The WINDOWS ones are ignored elsewhere. */
enum uv_process_flags {
  /* Take on the uid or gid of the options. UV_ENOTSUP on Windows. */
  UV_PROCESS_SETUID = (1 << 0),
  UV_PROCESS_SETGID = (1 << 1),
  /* Join args with spaces, without quoting. */
  UV_PROCESS_WINDOWS_VERBATIM_ARGUMENTS = (1 << 2),
  /* A session, or process group, of its own: it survives this process. The
   * handle still keeps the loop alive; uv_unref() it.
   */
  UV_PROCESS_DETACHED = (1 << 3),
  /* Hide console and window, or only one of them. */
  UV_PROCESS_WINDOWS_HIDE = (1 << 4),
  UV_PROCESS_WINDOWS_HIDE_CONSOLE = (1 << 5),
  UV_PROCESS_WINDOWS_HIDE_GUI = (1 << 6),
  /* If file has a directory part, try the name as it is before adding
   * extensions like .exe.
   */
  UV_PROCESS_WINDOWS_FILE_PATH_EXACT_NAME = (1 << 7)
};

/* All of it may be released after uv_spawn() returns. */
typedef struct uv_process_options_s {
  /* Runs once when the child has exited: its status, and the signal that
   * killed it or 0. May be NULL.
   */
  uv_exit_cb exit_cb;
  /* The program; looked up in PATH (of env, if given) if it has no slash. */
  const char* file;
  /* Arguments ending with NULL; args[0] is conventionally the program. */
  char** args;
  /* NAME=value strings ending with NULL; NULL: as this process. */
  char** env;
  /* Directory to start in; NULL: as this process. */
  const char* cwd;
  /* Of enum uv_process_flags. */
  unsigned int flags;
  /* What descriptor 0, 1, 2, ... of the child shall be. On Windows those above
   * 2 are seen only by programs using Microsoft's C runtime.
   */
  int stdio_count;
  uv_stdio_container_t* stdio;
  /* Used with UV_PROCESS_SETUID and UV_PROCESS_SETGID. */
  uv_uid_t uid;
  uv_gid_t gid;
} uv_process_options_t;

struct uv_process_s {
  UV_HANDLE_FIELDS
  uv_exit_cb exit_cb;
  /* read-only */
  int pid;
  UV_PROCESS_PRIVATE_FIELDS
};

/* Starts a program. Reports failures to execute it too; close the handle even
 * then. Closing a handle whose child runs leaves the child running.
 */
UV_EXTERN int uv_spawn(uv_loop_t* loop,
                       uv_process_t* handle,
                       const uv_process_options_t* options);

/* UV_ESRCH once the child has exited; never signals a stranger. */
UV_EXTERN int uv_process_kill(uv_process_t*, int signum);

/* kill(2). On Windows SIGTERM, SIGKILL, SIGINT and SIGQUIT end the process, 0
 * tests whether it exists.
 */
UV_EXTERN int uv_kill(int pid, int signum);

UV_EXTERN uv_pid_t uv_process_get_pid(const uv_process_t*);

/* Keeps descriptors inherited by this process from its children. Best effort;
 * call it early.
 */
UV_EXTERN void uv_disable_stdio_inheritance(void);

/* ------------------------------------------------------------------------ */
/* Thread pool */

struct uv_work_s {
  UV_REQ_FIELDS
  uv_loop_t* loop;
  uv_work_cb work_cb;
  uv_after_work_cb after_work_cb;
  UV_WORK_PRIVATE_FIELDS
};

/* Runs work_cb on a worker, then after_work_cb (may be NULL) on the loop, with
 * status 0 or UV_ECANCELED. The pool serves all loops and also files and name
 * resolution; UV_THREADPOOL_SIZE in the environment sets its size (4).
 */
UV_EXTERN int uv_queue_work(uv_loop_t* loop,
                            uv_work_t* req,
                            uv_work_cb work_cb,
                            uv_after_work_cb after_work_cb);

/* ------------------------------------------------------------------------ */
/* Name resolution */

struct uv_getaddrinfo_s {
  UV_REQ_FIELDS
  /* read-only */
  uv_loop_t* loop;
  /* private, except addrinfo: the result of a call without callback */
  UV_GETADDRINFO_PRIVATE_FIELDS
};

struct uv_getnameinfo_s {
  UV_REQ_FIELDS
  /* read-only */
  uv_loop_t* loop;
  /* private, except host and service: the result of a call without callback */
  UV_GETNAMEINFO_PRIVATE_FIELDS
};

/* getaddrinfo(3) on the pool, or here and now if the callback is NULL. Not
 * both of node and service may be NULL. Names are converted by IDNA. Errors
 * are UV_EAI_* mostly.
 */
UV_EXTERN int uv_getaddrinfo(uv_loop_t* loop,
                             uv_getaddrinfo_t* req,
                             uv_getaddrinfo_cb getaddrinfo_cb,
                             const char* node,
                             const char* service,
                             const struct addrinfo* hints);

/* Frees a result; NULL is fine. */
UV_EXTERN void uv_freeaddrinfo(struct addrinfo* ai);

/* getnameinfo(3), likewise. */
UV_EXTERN int uv_getnameinfo(uv_loop_t* loop,
                             uv_getnameinfo_t* req,
                             uv_getnameinfo_cb getnameinfo_cb,
                             const struct sockaddr* addr,
                             int flags);

/* ------------------------------------------------------------------------ */
/* Random numbers */

struct uv_random_s {
  UV_REQ_FIELDS
  /* read-only */
  uv_loop_t* loop;
  /* private */
  int status;
  void* buf;
  size_t buflen;
  uv_random_cb cb;
  struct uv__work work_req;
};

/* Fills buf with cryptographic random bytes: all of it or an error. Without cb
 * here and now, loop and req may then be NULL. flags must be 0.
 */
UV_EXTERN int uv_random(uv_loop_t* loop,
                        uv_random_t* req,
                        void* buf,
                        size_t buflen,
                        unsigned flags,
                        uv_random_cb cb);

/* ------------------------------------------------------------------------ */
/* Files */

typedef enum {
  UV_FS_UNKNOWN = -1,
  UV_FS_CUSTOM,
  UV_FS_OPEN,
  UV_FS_CLOSE,
  UV_FS_READ,
  UV_FS_WRITE,
  UV_FS_SENDFILE,
  UV_FS_STAT,
  UV_FS_LSTAT,
  UV_FS_FSTAT,
  UV_FS_FTRUNCATE,
  UV_FS_UTIME,
  UV_FS_FUTIME,
  UV_FS_ACCESS,
  UV_FS_CHMOD,
  UV_FS_FCHMOD,
  UV_FS_FSYNC,
  UV_FS_FDATASYNC,
  UV_FS_UNLINK,
  UV_FS_RMDIR,
  UV_FS_MKDIR,
  UV_FS_MKDTEMP,
  UV_FS_RENAME,
  UV_FS_SCANDIR,
  UV_FS_LINK,
  UV_FS_SYMLINK,
  UV_FS_READLINK,
  UV_FS_CHOWN,
  UV_FS_FCHOWN,
  UV_FS_REALPATH,
  UV_FS_COPYFILE,
  UV_FS_LCHOWN,
  UV_FS_OPENDIR,
  UV_FS_READDIR,
  UV_FS_CLOSEDIR,
  UV_FS_STATFS,
  UV_FS_MKSTEMP,
  UV_FS_LUTIME
} uv_fs_type;

typedef enum {
  UV_DIRENT_UNKNOWN,
  UV_DIRENT_FILE,
  UV_DIRENT_DIR,
  UV_DIRENT_LINK,
  UV_DIRENT_FIFO,
  UV_DIRENT_SOCKET,
  UV_DIRENT_CHAR,
  UV_DIRENT_BLOCK
} uv_dirent_type_t;

struct uv_dirent_s {
  const char* name;
  uv_dirent_type_t type;
};

/* An open directory. The program sets dirents and nentries, an array and its
 * size, before uv_fs_readdir().
 */
struct uv_dir_s {
  uv_dirent_t* dirents;
  size_t nentries;
  /* private */
  void* reserved[4];
  UV_DIR_PRIVATE_FIELDS
};

struct uv_statfs_s {
  uint64_t f_type;
  uint64_t f_bsize;
  uint64_t f_blocks;
  uint64_t f_bfree;
  uint64_t f_bavail;
  uint64_t f_files;
  uint64_t f_ffree;
  uint64_t f_frsize;
  /* private */
  uint64_t f_spare[3];
};

/* One operation. All but type, loop and data are valid from completion until
 * uv_fs_req_cleanup().
 */
struct uv_fs_s {
  UV_REQ_FIELDS
  uv_fs_type fs_type;
  uv_loop_t* loop;
  uv_fs_cb cb;
  ssize_t result;     /* 0 or more (bytes, descriptor, entries), or UV_E* */
  void* ptr;          /* further result: uv_stat_t, uv_statfs_t, string, dir */
  const char* path;
  uv_stat_t statbuf;  /* of stat, lstat, fstat */
  UV_FS_PRIVATE_FIELDS
};

/* Fields, for bindings. The system error is errno or GetLastError(). */
UV_EXTERN uv_fs_type uv_fs_get_type(const uv_fs_t*);
UV_EXTERN ssize_t uv_fs_get_result(const uv_fs_t*);
UV_EXTERN int uv_fs_get_system_error(const uv_fs_t*);
UV_EXTERN void* uv_fs_get_ptr(const uv_fs_t*);
UV_EXTERN const char* uv_fs_get_path(const uv_fs_t*);
UV_EXTERN uv_stat_t* uv_fs_get_statbuf(uv_fs_t*);

/* Frees what a finished request holds. After every operation, successful or
 * not, in either mode; more than once is fine.
 */
UV_EXTERN void uv_fs_req_cleanup(uv_fs_t* req);

/* The operations. With cb they return 0 or why they could not start, and
 * req->result tells the rest in cb. Without (NULL) they finish before they
 * return, return req->result, and loop may be NULL. Paths and arrays of
 * buffers are copied; the memory buffers point at must stay until completion.
 * Names and arguments are those of the system calls they are named after.
 */

/* Flags are UV_FS_O_*. result: the descriptor. */
UV_EXTERN int uv_fs_open(uv_loop_t* loop,
                         uv_fs_t* req,
                         const char* path,
                         int flags,
                         int mode,
                         uv_fs_cb cb);
UV_EXTERN int uv_fs_close(uv_loop_t* loop,
                          uv_fs_t* req,
                          uv_file file,
                          uv_fs_cb cb);

/* At offset, or at the file's position if that is negative. result: bytes. */
UV_EXTERN int uv_fs_read(uv_loop_t* loop,
                         uv_fs_t* req,
                         uv_file file,
                         const uv_buf_t bufs[],
                         unsigned int nbufs,
                         int64_t offset,
                         uv_fs_cb cb);
UV_EXTERN int uv_fs_write(uv_loop_t* loop,
                          uv_fs_t* req,
                          uv_file file,
                          const uv_buf_t bufs[],
                          unsigned int nbufs,
                          int64_t offset,
                          uv_fs_cb cb);

/* Copies between descriptors. result: bytes, possibly fewer than length. */
UV_EXTERN int uv_fs_sendfile(uv_loop_t* loop,
                             uv_fs_t* req,
                             uv_file out_fd,
                             uv_file in_fd,
                             int64_t in_offset,
                             size_t length,
                             uv_fs_cb cb);
UV_EXTERN int uv_fs_fsync(uv_loop_t* loop,
                          uv_fs_t* req,
                          uv_file file,
                          uv_fs_cb cb);
UV_EXTERN int uv_fs_fdatasync(uv_loop_t* loop,
                              uv_fs_t* req,
                              uv_file file,
                              uv_fs_cb cb);
UV_EXTERN int uv_fs_ftruncate(uv_loop_t* loop,
                              uv_fs_t* req,
                              uv_file file,
                              int64_t offset,
                              uv_fs_cb cb);

/* ptr: statbuf. */
UV_EXTERN int uv_fs_stat(uv_loop_t* loop,
                         uv_fs_t* req,
                         const char* path,
                         uv_fs_cb cb);
UV_EXTERN int uv_fs_lstat(uv_loop_t* loop,
                          uv_fs_t* req,
                          const char* path,
                          uv_fs_cb cb);
UV_EXTERN int uv_fs_fstat(uv_loop_t* loop,
                          uv_fs_t* req,
                          uv_file file,
                          uv_fs_cb cb);

/* ptr: uv_statfs_t of the file system path is on. */
UV_EXTERN int uv_fs_statfs(uv_loop_t* loop,
                           uv_fs_t* req,
                           const char* path,
                           uv_fs_cb cb);
UV_EXTERN int uv_fs_access(uv_loop_t* loop,
                           uv_fs_t* req,
                           const char* path,
                           int mode,
                           uv_fs_cb cb);
UV_EXTERN int uv_fs_chmod(uv_loop_t* loop,
                          uv_fs_t* req,
                          const char* path,
                          int mode,
                          uv_fs_cb cb);
UV_EXTERN int uv_fs_fchmod(uv_loop_t* loop,
                           uv_fs_t* req,
                           uv_file file,
                           int mode,
                           uv_fs_cb cb);
UV_EXTERN int uv_fs_chown(uv_loop_t* loop,
                          uv_fs_t* req,
                          const char* path,
                          uv_uid_t uid,
                          uv_gid_t gid,
                          uv_fs_cb cb);
UV_EXTERN int uv_fs_fchown(uv_loop_t* loop,
                           uv_fs_t* req,
                           uv_file file,
                           uv_uid_t uid,
                           uv_gid_t gid,
                           uv_fs_cb cb);
UV_EXTERN int uv_fs_lchown(uv_loop_t* loop,
                           uv_fs_t* req,
                           const char* path,
                           uv_uid_t uid,
                           uv_gid_t gid,
                           uv_fs_cb cb);

/* Times in seconds since 1970, or one of these: the current time, or leave
 * this one as it is.
 */
#define UV_FS_UTIME_NOW (INFINITY)
#define UV_FS_UTIME_OMIT (NAN)
UV_EXTERN int uv_fs_utime(uv_loop_t* loop,
                          uv_fs_t* req,
                          const char* path,
                          double atime,
                          double mtime,
                          uv_fs_cb cb);
UV_EXTERN int uv_fs_futime(uv_loop_t* loop,
                           uv_fs_t* req,
                           uv_file file,
                           double atime,
                           double mtime,
                           uv_fs_cb cb);
UV_EXTERN int uv_fs_lutime(uv_loop_t* loop,
                           uv_fs_t* req,
                           const char* path,
                           double atime,
                           double mtime,
                           uv_fs_cb cb);
UV_EXTERN int uv_fs_rename(uv_loop_t* loop,
                           uv_fs_t* req,
                           const char* path,
                           const char* new_path,
                           uv_fs_cb cb);
UV_EXTERN int uv_fs_unlink(uv_loop_t* loop,
                           uv_fs_t* req,
                           const char* path,
                           uv_fs_cb cb);
UV_EXTERN int uv_fs_link(uv_loop_t* loop,
                         uv_fs_t* req,
                         const char* path,
                         const char* new_path,
                         uv_fs_cb cb);

/* Windows only: the target is a directory; make a junction. */
#define UV_FS_SYMLINK_DIR 0x0001
#define UV_FS_SYMLINK_JUNCTION 0x0002
UV_EXTERN int uv_fs_symlink(uv_loop_t* loop,
                            uv_fs_t* req,
                            const char* path,
                            const char* new_path,
                            int flags,
                            uv_fs_cb cb);

/* ptr: the target, or the canonical path, as a string. */
UV_EXTERN int uv_fs_readlink(uv_loop_t* loop,
                             uv_fs_t* req,
                             const char* path,
                             uv_fs_cb cb);
UV_EXTERN int uv_fs_realpath(uv_loop_t* loop,
                             uv_fs_t* req,
                             const char* path,
                             uv_fs_cb cb);

/* Copies a file. EXCL: fail if the copy exists. FICLONE: share the blocks if
 * the file system can; FICLONE_FORCE: fail if it cannot.
 */
#define UV_FS_COPYFILE_EXCL 0x0001
#define UV_FS_COPYFILE_FICLONE 0x0002
#define UV_FS_COPYFILE_FICLONE_FORCE 0x0004
UV_EXTERN int uv_fs_copyfile(uv_loop_t* loop,
                             uv_fs_t* req,
                             const char* path,
                             const char* new_path,
                             int flags,
                             uv_fs_cb cb);
UV_EXTERN int uv_fs_mkdir(uv_loop_t* loop,
                          uv_fs_t* req,
                          const char* path,
                          int mode,
                          uv_fs_cb cb);
UV_EXTERN int uv_fs_rmdir(uv_loop_t* loop,
                          uv_fs_t* req,
                          const char* path,
                          uv_fs_cb cb);

/* tpl ends in XXXXXX; req->path is the name made of it. mkstemp's result is
 * the descriptor of the new file.
 */
UV_EXTERN int uv_fs_mkdtemp(uv_loop_t* loop,
                            uv_fs_t* req,
                            const char* tpl,
                            uv_fs_cb cb);
UV_EXTERN int uv_fs_mkstemp(uv_loop_t* loop,
                            uv_fs_t* req,
                            const char* tpl,
                            uv_fs_cb cb);

/* Reads a whole directory without "." and "..". result: number of entries; then
 * uv_fs_scandir_next() gives them one by one, UV_EOF after the last. Names are
 * valid until the next call.
 */
UV_EXTERN int uv_fs_scandir(uv_loop_t* loop,
                            uv_fs_t* req,
                            const char* path,
                            int flags,
                            uv_fs_cb cb);
UV_EXTERN int uv_fs_scandir_next(uv_fs_t* req,
                                 uv_dirent_t* ent);

/* Reads a directory in pieces. opendir: ptr is a new uv_dir_t, freed by
 * closedir (cleanup leaves it). readdir: result is the number of entries put
 * into dir->dirents, 0 at the end; names are valid until cleanup. One
 * operation at a time per directory.
 */
UV_EXTERN int uv_fs_opendir(uv_loop_t* loop,
                            uv_fs_t* req,
                            const char* path,
                            uv_fs_cb cb);
UV_EXTERN int uv_fs_readdir(uv_loop_t* loop,
                            uv_fs_t* req,
                            uv_dir_t* dir,
                            uv_fs_cb cb);
UV_EXTERN int uv_fs_closedir(uv_loop_t* loop,
                             uv_fs_t* req,
                             uv_dir_t* dir,
                             uv_fs_cb cb);

/* ------------------------------------------------------------------------ */
/* File watching */

enum uv_fs_event {
  UV_RENAME = 1, /* created, removed, renamed */
  UV_CHANGE = 2  /* content or attributes */
};

/* For uv_fs_event_start(). */
enum uv_fs_event_flags {
  /* Not implemented: the entry of a directory, not what is in it; stat()
   * instead of the system's notifications.
   */
  UV_FS_EVENT_WATCH_ENTRY = 1,
  UV_FS_EVENT_STAT = 2,
  /* Subdirectories too. Linux, macOS and Windows; ignored elsewhere. */
  UV_FS_EVENT_RECURSIVE = 4
};

struct uv_fs_event_s {
  UV_HANDLE_FIELDS
  /* private */
  char* path;
  UV_FS_EVENT_PRIVATE_FIELDS
};

/* Watches a file or directory with the system's notifications. */
UV_EXTERN int uv_fs_event_init(uv_loop_t* loop, uv_fs_event_t* handle);
UV_EXTERN int uv_fs_event_start(uv_fs_event_t* handle,
                                uv_fs_event_cb cb,
                                const char* path,
                                unsigned int flags);
UV_EXTERN int uv_fs_event_stop(uv_fs_event_t* handle);

/* The path being watched. */
UV_EXTERN int uv_fs_event_getpath(uv_fs_event_t* handle,
                                  char* buffer,
                                  size_t* size);

struct uv_fs_poll_s {
  UV_HANDLE_FIELDS
  /* private */
  void* poll_ctx;
};

/* Watches a file by stat() every interval milliseconds: works everywhere, also
 * for files that do not exist yet (an error, reported once).
 */
UV_EXTERN int uv_fs_poll_init(uv_loop_t* loop, uv_fs_poll_t* handle);
UV_EXTERN int uv_fs_poll_start(uv_fs_poll_t* handle,
                               uv_fs_poll_cb poll_cb,
                               const char* path,
                               unsigned int interval);
UV_EXTERN int uv_fs_poll_stop(uv_fs_poll_t* handle);

/* The path being watched. */
UV_EXTERN int uv_fs_poll_getpath(uv_fs_poll_t* handle,
                                 char* buffer,
                                 size_t* size);

/* ------------------------------------------------------------------------ */
/* Addresses */

/* Text and port to address. IPv6 may carry a zone: "fe80::1%eth0". */
UV_EXTERN int uv_ip4_addr(const char* ip, int port, struct sockaddr_in* addr);
UV_EXTERN int uv_ip6_addr(const char* ip, int port, struct sockaddr_in6* addr);

/* Address to text, without port. size is the room, NUL included. */
UV_EXTERN int uv_ip4_name(const struct sockaddr_in* src,
                          char* dst,
                          size_t size);
UV_EXTERN int uv_ip6_name(const struct sockaddr_in6* src,
                          char* dst,
                          size_t size);
UV_EXTERN int uv_ip_name(const struct sockaddr* src, char* dst, size_t size);

/* inet_ntop(3) and inet_pton(3) with UV_E* results: 0, UV_EINVAL,
 * UV_EAFNOSUPPORT, UV_ENOSPC.
 */
UV_EXTERN int uv_inet_ntop(int af, const void* src, char* dst, size_t size);
UV_EXTERN int uv_inet_pton(int af, const char* src, void* dst);

struct uv_interface_address_s {
  char* name;
  char phys_addr[6];
  int is_internal; /* loopback */
  union {
    struct sockaddr_in address4;
    struct sockaddr_in6 address6;
  } address;
  union {
    struct sockaddr_in netmask4;
    struct sockaddr_in6 netmask6;
  } netmask;
};

/* The addresses of the interfaces that are up, in a new array. */
UV_EXTERN int uv_interface_addresses(uv_interface_address_t** addresses,
                                     int* count);
UV_EXTERN void uv_free_interface_addresses(uv_interface_address_t* addresses,
                                           int count);

/* Room for an interface name or identifier, NUL included. */
#if defined(IF_NAMESIZE)
# define UV_IF_NAMESIZE (IF_NAMESIZE + 1)
#elif defined(IFNAMSIZ)
# define UV_IF_NAMESIZE (IFNAMSIZ + 1)
#else
# define UV_IF_NAMESIZE (16 + 1)
#endif

/* Name of an interface, and its identifier after '%' in scoped addresses: the
 * name, on Windows the number.
 */
UV_EXTERN int uv_if_indextoname(unsigned int ifindex,
                                char* buffer,
                                size_t* size);
UV_EXTERN int uv_if_indextoiid(unsigned int ifindex,
                               char* buffer,
                               size_t* size);

/* ------------------------------------------------------------------------ */
/* Clocks */

typedef enum {
  UV_CLOCK_MONOTONIC,
  UV_CLOCK_REALTIME
} uv_clock_id;

UV_EXTERN int uv_clock_gettime(uv_clock_id clock_id, uv_timespec64_t* ts);
UV_EXTERN int uv_gettimeofday(uv_timeval64_t* tv);

/* Monotonic, in nanoseconds from an arbitrary start. */
UV_EXTERN uint64_t uv_hrtime(void);

/* Blocks the calling thread. */
UV_EXTERN void uv_sleep(unsigned int msec);

/* ------------------------------------------------------------------------ */
/* The system */

struct uv_utsname_s {
  char sysname[256];
  char release[256];
  char version[256];
  char machine[256];
};

UV_EXTERN int uv_os_uname(uv_utsname_t* buffer);

/* Room for any host name, NUL included. */
#ifdef MAXHOSTNAMELEN
# define UV_MAXHOSTNAMESIZE (MAXHOSTNAMELEN + 1)
#else
# define UV_MAXHOSTNAMESIZE 256
#endif

UV_EXTERN int uv_os_gethostname(char* buffer, size_t* size);

/* Seconds since boot. */
UV_EXTERN int uv_uptime(double* uptime);

/* Averages over 1, 5 and 15 minutes; zeros on Windows. */
UV_EXTERN void uv_loadavg(double avg[3]);

/* Bytes: free and total memory of the machine (0 if unknown), the limit on
 * this process (0 if unknown, UINT64_MAX or so if there is none), and what it
 * can still get under that limit.
 */
UV_EXTERN uint64_t uv_get_free_memory(void);
UV_EXTERN uint64_t uv_get_total_memory(void);
UV_EXTERN uint64_t uv_get_constrained_memory(void);
UV_EXTERN uint64_t uv_get_available_memory(void);

struct uv_cpu_times_s {
  /* all in milliseconds */
  uint64_t user;
  uint64_t nice;
  uint64_t sys;
  uint64_t idle;
  uint64_t irq;
};

struct uv_cpu_info_s {
  const char* model;
  int speed; /* MHz */
  struct uv_cpu_times_s cpu_times;
};

/* One entry per processor, in a new array. */
UV_EXTERN int uv_cpu_info(uv_cpu_info_t** cpu_infos, int* count);
UV_EXTERN void uv_free_cpu_info(uv_cpu_info_t* cpu_infos, int count);

/* How many threads can run at a time, at least 1; knows about affinity and
 * quotas.
 */
UV_EXTERN unsigned int uv_available_parallelism(void);

/* ------------------------------------------------------------------------ */
/* This process */

UV_EXTERN uv_pid_t uv_os_getpid(void);
UV_EXTERN uv_pid_t uv_os_getppid(void);

/* Scheduling, as nice(1) counts; pid 0 is this process. */
#define UV_PRIORITY_LOW 19
#define UV_PRIORITY_BELOW_NORMAL 10
#define UV_PRIORITY_NORMAL 0
#define UV_PRIORITY_ABOVE_NORMAL -7
#define UV_PRIORITY_HIGH -14
#define UV_PRIORITY_HIGHEST -20

UV_EXTERN int uv_os_getpriority(uv_pid_t pid, int* priority);
UV_EXTERN int uv_os_setpriority(uv_pid_t pid, int priority);

/* Must be called first in main() for the process title (and on some systems
 * uv_exepath()) to work. Takes over argv; use what it returns instead.
 */
UV_EXTERN char** uv_setup_args(int argc, char** argv);

/* What ps(1) shows. UV_ENOBUFS without uv_setup_args() or with too little
 * room; setting cuts what does not fit.
 */
UV_EXTERN int uv_get_process_title(char* buffer, size_t size);
UV_EXTERN int uv_set_process_title(const char* title);

/* Path of the running program. */
UV_EXTERN int uv_exepath(char* buffer, size_t* size);

/* Working directory. */
UV_EXTERN int uv_cwd(char* buffer, size_t* size);
UV_EXTERN int uv_chdir(const char* dir);

/* Resident memory in bytes. */
UV_EXTERN int uv_resident_set_memory(size_t* rss);

/* Resource usage. What a system does not count is 0. */
typedef struct {
  uv_timeval_t ru_utime; /* time in user mode */
  uv_timeval_t ru_stime; /* time in the kernel */
  uint64_t ru_maxrss;    /* largest resident size, KiB */
  uint64_t ru_ixrss;     /* shared memory over time */
  uint64_t ru_idrss;     /* private data over time */
  uint64_t ru_isrss;     /* stack over time */
  uint64_t ru_minflt;    /* page faults without I/O */
  uint64_t ru_majflt;    /* page faults with I/O */
  uint64_t ru_nswap;     /* times swapped out */
  uint64_t ru_inblock;   /* blocks read */
  uint64_t ru_oublock;   /* blocks written */
  uint64_t ru_msgsnd;    /* messages sent */
  uint64_t ru_msgrcv;    /* messages received */
  uint64_t ru_nsignals;  /* signals taken */
  uint64_t ru_nvcsw;     /* switches by waiting */
  uint64_t ru_nivcsw;    /* switches by preemption */
} uv_rusage_t;

/* Of the process, and of the calling thread (UV_ENOTSUP on some systems). */
UV_EXTERN int uv_getrusage(uv_rusage_t* rusage);
UV_EXTERN int uv_getrusage_thread(uv_rusage_t* rusage);

/* Descriptor to system handle and back: _get_osfhandle() and
 * _open_osfhandle() on Windows, the identity on Unix.
 */
UV_EXTERN uv_os_fd_t uv_get_osfhandle(int fd);
UV_EXTERN int uv_open_osfhandle(uv_os_fd_t os_fd);

/* ------------------------------------------------------------------------ */
/* Users */

struct uv_passwd_s {
  char* username;
  unsigned long uid;
  unsigned long gid;
  char* shell;
  char* homedir;
};

struct uv_group_s {
  char* groupname;
  unsigned long gid;
  char** members; /* ends with NULL */
};

/* The current user, and any user (UV_ENOENT if there is none). On Windows uid
 * and gid are (unsigned long) -1 and shell is NULL.
 */
UV_EXTERN int uv_os_get_passwd(uv_passwd_t* pwd);
UV_EXTERN int uv_os_get_passwd2(uv_passwd_t* pwd, uv_uid_t uid);
UV_EXTERN void uv_os_free_passwd(uv_passwd_t* pwd);

UV_EXTERN int uv_os_get_group(uv_group_t* grp, uv_uid_t gid);
UV_EXTERN void uv_os_free_group(uv_group_t* grp);

/* $HOME or what the user database says; the directory for temporary files,
 * from the environment or "/tmp", without trailing slash.
 */
UV_EXTERN int uv_os_homedir(char* buffer, size_t* size);
UV_EXTERN int uv_os_tmpdir(char* buffer, size_t* size);

/* ------------------------------------------------------------------------ */
/* Environment. Not safe while another thread changes it. */

struct uv_env_item_s {
  char* name;
  char* value;
};

/* All variables, in a new array. */
UV_EXTERN int uv_os_environ(uv_env_item_t** envitems, int* count);
UV_EXTERN void uv_os_free_environ(uv_env_item_t* envitems, int count);

/* UV_ENOENT if there is no such variable. */
UV_EXTERN int uv_os_getenv(const char* name, char* buffer, size_t* size);
UV_EXTERN int uv_os_setenv(const char* name, const char* value);
UV_EXTERN int uv_os_unsetenv(const char* name);

/* ------------------------------------------------------------------------ */
/* Shared libraries */

/* 0, or -1 and uv_dlerror() tells why. Call uv_dlclose() in either case.
 * filename NULL is the program itself (Unix).
 */
UV_EXTERN int uv_dlopen(const char* filename, uv_lib_t* lib);
UV_EXTERN void uv_dlclose(uv_lib_t* lib);

/* 0 and the address (may be NULL), or -1. */
UV_EXTERN int uv_dlsym(uv_lib_t* lib, const char* name, void** ptr);

/* The last error of this lib; valid until the next call with it. */
UV_EXTERN const char* uv_dlerror(const uv_lib_t* lib);

/* ------------------------------------------------------------------------ */
/* Threads and synchronisation. Misuse (unlocking what is not locked, destroying
 * what is in use) ends the process.
 */

typedef enum {
  UV_THREAD_NO_FLAGS = 0x00,
  UV_THREAD_HAS_STACK_SIZE = 0x01 /* stack_size is set */
} uv_thread_create_flags;

/* More fields may come; flags say which are set. */
struct uv_thread_options_s {
  unsigned int flags;
  size_t stack_size; /* rounded up as needed; 0 is the default */
};

typedef struct uv_thread_options_s uv_thread_options_t;

enum {
  UV_THREAD_PRIORITY_HIGHEST = 2,
  UV_THREAD_PRIORITY_ABOVE_NORMAL = 1,
  UV_THREAD_PRIORITY_NORMAL = 0,
  UV_THREAD_PRIORITY_BELOW_NORMAL = -1,
  UV_THREAD_PRIORITY_LOWEST = -2
};

UV_EXTERN int uv_thread_create(uv_thread_t* tid, uv_thread_cb entry, void* arg);
UV_EXTERN int uv_thread_create_ex(uv_thread_t* tid,
                                  const uv_thread_options_t* params,
                                  uv_thread_cb entry,
                                  void* arg);

/* Every thread is either joined or detached, once. */
UV_EXTERN int uv_thread_join(uv_thread_t* tid);
UV_EXTERN int uv_thread_detach(uv_thread_t* tid);

UV_EXTERN uv_thread_t uv_thread_self(void);
UV_EXTERN int uv_thread_equal(const uv_thread_t* t1, const uv_thread_t* t2);

/* Name of the calling thread (cut to the system's limit), and of any. */
UV_EXTERN int uv_thread_setname(const char* name);
UV_EXTERN int uv_thread_getname(uv_thread_t* tid, char* name, size_t size);

/* One of UV_THREAD_PRIORITY_*; reading gives the system's own number. */
UV_EXTERN int uv_thread_getpriority(uv_thread_t tid, int* priority);
UV_EXTERN int uv_thread_setpriority(uv_thread_t tid, int priority);

/* Which processors a thread may use: one byte each, non-zero is yes. The mask
 * has at least uv_cpumask_size() bytes. oldmask may be NULL. UV_ENOTSUP where
 * the system cannot.
 */
UV_EXTERN int uv_cpumask_size(void);
UV_EXTERN int uv_thread_setaffinity(uv_thread_t* tid,
                                    char* cpumask,
                                    char* oldmask,
                                    size_t mask_size);
UV_EXTERN int uv_thread_getaffinity(uv_thread_t* tid,
                                    char* cpumask,
                                    size_t mask_size);

/* The processor the calling thread runs on. */
UV_EXTERN int uv_thread_getcpu(void);

/* Thread-local values; NULL until set. */
UV_EXTERN int uv_key_create(uv_key_t* key);
UV_EXTERN void uv_key_delete(uv_key_t* key);
UV_EXTERN void* uv_key_get(uv_key_t* key);
UV_EXTERN void uv_key_set(uv_key_t* key, void* value);

/* Runs callback once for a guard initialised with UV_ONCE_INIT; everybody
 * waits for it.
 */
UV_EXTERN void uv_once(uv_once_t* guard, void (*callback)(void));

/* trylock: 0, or UV_EBUSY if it is locked. */
UV_EXTERN int uv_mutex_init(uv_mutex_t* handle);
UV_EXTERN int uv_mutex_init_recursive(uv_mutex_t* handle);
UV_EXTERN void uv_mutex_destroy(uv_mutex_t* handle);
UV_EXTERN void uv_mutex_lock(uv_mutex_t* handle);
UV_EXTERN int uv_mutex_trylock(uv_mutex_t* handle);
UV_EXTERN void uv_mutex_unlock(uv_mutex_t* handle);

/* Many readers (rd) or one writer (wr). */
UV_EXTERN int uv_rwlock_init(uv_rwlock_t* rwlock);
UV_EXTERN void uv_rwlock_destroy(uv_rwlock_t* rwlock);
UV_EXTERN void uv_rwlock_rdlock(uv_rwlock_t* rwlock);
UV_EXTERN int uv_rwlock_tryrdlock(uv_rwlock_t* rwlock);
UV_EXTERN void uv_rwlock_rdunlock(uv_rwlock_t* rwlock);
UV_EXTERN void uv_rwlock_wrlock(uv_rwlock_t* rwlock);
UV_EXTERN int uv_rwlock_trywrlock(uv_rwlock_t* rwlock);
UV_EXTERN void uv_rwlock_wrunlock(uv_rwlock_t* rwlock);

/* trywait: 0, or UV_EAGAIN if it would wait. */
UV_EXTERN int uv_sem_init(uv_sem_t* sem, unsigned int value);
UV_EXTERN void uv_sem_destroy(uv_sem_t* sem);
UV_EXTERN void uv_sem_post(uv_sem_t* sem);
UV_EXTERN void uv_sem_wait(uv_sem_t* sem);
UV_EXTERN int uv_sem_trywait(uv_sem_t* sem);

/* Waiting may end for no reason: test the condition again. timedwait takes
 * nanoseconds from now and returns 0 or UV_ETIMEDOUT.
 */
UV_EXTERN int uv_cond_init(uv_cond_t* cond);
UV_EXTERN void uv_cond_destroy(uv_cond_t* cond);
UV_EXTERN void uv_cond_signal(uv_cond_t* cond);
UV_EXTERN void uv_cond_broadcast(uv_cond_t* cond);
UV_EXTERN void uv_cond_wait(uv_cond_t* cond, uv_mutex_t* mutex);
UV_EXTERN int uv_cond_timedwait(uv_cond_t* cond,
                                uv_mutex_t* mutex,
                                uint64_t timeout);

/* Waits until count threads do. One of them gets non-zero and may destroy the
 * barrier.
 */
UV_EXTERN int uv_barrier_init(uv_barrier_t* barrier, unsigned int count);
UV_EXTERN void uv_barrier_destroy(uv_barrier_t* barrier);
UV_EXTERN int uv_barrier_wait(uv_barrier_t* barrier);

/* ------------------------------------------------------------------------ */
/* Unicode: UTF-16 as Windows has it, lone surrogates included, to WTF-8 and
 * back. A negative utf16_len means that a NUL ends the text.
 */

/* Bytes of WTF-8, without NUL. */
UV_EXTERN size_t uv_utf16_length_as_wtf8(const uint16_t* utf16,
                                         ssize_t utf16_len);

/* With *wtf8_ptr NULL the result is allocated, to be freed with the library's
 * allocator. Otherwise it goes to *wtf8_ptr, where *wtf8_len_ptr bytes are
 * free, and one more for the NUL; UV_ENOBUFS if that is too little.
 * *wtf8_len_ptr becomes the length without NUL.
 */
UV_EXTERN int uv_utf16_to_wtf8(const uint16_t* utf16,
                               ssize_t utf16_len,
                               char** wtf8_ptr,
                               size_t* wtf8_len_ptr);

/* Units of UTF-16, NUL included, or UV_EINVAL if the text is not WTF-8. */
UV_EXTERN ssize_t uv_wtf8_length_as_utf16(const char* wtf8);

/* utf16_len is what the previous function returned. */
UV_EXTERN void uv_wtf8_to_utf16(const char* wtf8,
                                uint16_t* utf16,
                                size_t utf16_len);

/* ------------------------------------------------------------------------ */
/* Layouts that need everything above. */

#define XX(_, name) uv_ ## name ## _t name;

/* Room for any handle, and for any request. */
union uv_any_handle {
  UV_HANDLE_TYPE_MAP(XX)
};

union uv_any_req {
  UV_REQ_TYPE_MAP(XX)
};

#undef XX

struct uv_loop_s {
  /* the program's own */
  void* data;
  /* private: what keeps the loop alive */
  unsigned int active_handles;
  struct uv__queue handle_queue;
  union {
    void* unused;
    unsigned int count;
  } active_reqs;
  /* private: state that has no place in the ABI */
  void* internal_fields;
  /* private: set by uv_stop() */
  unsigned int stop_flag;
  UV_LOOP_PRIVATE_FIELDS
};

/* The pieces that made up the structures are not for programs. */
#undef UV_REQ_TYPE_PRIVATE
#undef UV_REQ_PRIVATE_FIELDS
#undef UV_STREAM_PRIVATE_FIELDS
#undef UV_TCP_PRIVATE_FIELDS
#undef UV_PREPARE_PRIVATE_FIELDS
#undef UV_CHECK_PRIVATE_FIELDS
#undef UV_IDLE_PRIVATE_FIELDS
#undef UV_ASYNC_PRIVATE_FIELDS
#undef UV_TIMER_PRIVATE_FIELDS
#undef UV_GETADDRINFO_PRIVATE_FIELDS
#undef UV_GETNAMEINFO_PRIVATE_FIELDS
#undef UV_WORK_PRIVATE_FIELDS
#undef UV_FS_EVENT_PRIVATE_FIELDS
#undef UV_SIGNAL_PRIVATE_FIELDS
#undef UV_LOOP_PRIVATE_FIELDS
#undef UV__ERR
#undef UV__EXTENSION

#ifdef __cplusplus
}
#endif
#endif /* UV_H */
