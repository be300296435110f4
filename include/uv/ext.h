/* SPDX-License-Identifier: MIT */
/* Extensions to libuv. Nothing else includes this header and libuv does not
 * have these functions: a program that uses them needs this library.
 *
 * The pull-based loop: uv_run() taken apart into waiting and running, for
 * programs whose main loop is somebody else's (a GUI, a game, another runtime).
 *
 *   for (;;) {
 *     int err = uvx_backend_process(loop, uv_backend_timeout(loop));
 *     if (err < 0)
 *       break;
 *     if (!uvx_backend_dispatch(loop))
 *       break;
 *   }
 *
 * Threads: the two functions may be called from different threads, so that one
 * thread blocks for I/O and the other runs callbacks, but in turns, never both
 * at once for the same loop. The program hands the loop over between them with
 * something that orders memory: a mutex, a semaphore, its own queue. Until
 * uvx_backend_process() has returned the loop is its caller's; of the rest of
 * the interface only uv_async_send() and uvx_post() are allowed then; they also
 * end the wait. Callbacks run on the thread that dispatches, and count as the
 * loop's thread while they do.
 */
#ifndef UV_EXT_H
#define UV_EXT_H

#include "uv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this library, which has releases of its own; that of libuv's
 * interface is in uv/version.h. A snapshot between releases has the number of
 * the next one and UVX_VERSION_IS_RELEASE 0.
 */
#define UVX_VERSION_MAJOR 0
#define UVX_VERSION_MINOR 9
#define UVX_VERSION_PATCH 0
#define UVX_VERSION_IS_RELEASE 0
#define UVX_VERSION_HEX                                                        \
 ((UVX_VERSION_MAJOR << 16) | (UVX_VERSION_MINOR << 8) | UVX_VERSION_PATCH)

/* The version of the library that the program runs on, as UVX_VERSION_HEX and
 * as text: "0.9.0", or "0.9.0-dev" between releases. libuv has neither, so that
 * dlsym() tells the two libraries apart. Context: any.
 */
UV_EXTERN unsigned int uvx_version(void);
UV_EXTERN const char* uvx_version_string(void);

/* Tells the kernel what the loop is interested in, waits for events for at most
 * timeout milliseconds (-1: for ever, 0: not at all) but not past the next
 * timer or other work of the loop's own, and collects them in the loop. Runs no
 * callback of the program. Returns the number of events collected, 0 or more;
 * UV_E* if waiting failed, with the loop as before. Events collected and not
 * yet dispatched stay collected.
 */
UV_EXTERN int uvx_backend_process(uv_loop_t* loop, int timeout);

/* Runs what is ready: the callbacks of collected events, due timers, loop
 * hooks, finished work, closed handles. What becomes ready or is queued
 * meanwhile waits for the next round, so that one call is bounded. Never
 * blocks; not from inside a callback of the same loop. Returns non-zero while
 * the loop is alive, as uv_loop_alive() says; 0 once after uv_stop().
 */
UV_EXTERN int uvx_backend_dispatch(uv_loop_t* loop);

typedef void (*uvx_interest_cb)(uv_loop_t* loop, void* arg);

/* Has cb(loop, arg) called when a thread that waits on uv_backend_fd(), with
 * the timeout of uv_backend_timeout(), must look at both again: the program has
 * started a handle or a timer, closed one, queued something or called
 * uv_stop(). Once until the next uv_run() or uvx_backend_process() begins; not
 * for changes made by callbacks that these run, nor for one after which the
 * loop has nothing left to wait for. Called by the function that made the
 * change, on its thread: wake the waiting thread, call no function for this
 * loop. cb NULL: no longer. 0; UV_EBUSY inside a callback of the loop. */
UV_EXTERN int uvx_loop_on_interest(uv_loop_t* loop,
                                   uvx_interest_cb cb,
                                   void* arg);

/* Reading as requests: one request, one callback, into the caller's buffers. An
 * idle connection has no buffer.
 */
typedef struct uvx_read_s uvx_read_t;
/* nread: bytes, more than 0; UV_EOF; UV_E*. The buffers are the program's
 * again. */
typedef void (*uvx_read_cb)(uvx_read_t* req, ssize_t nread);

/* The type of such a request, beside libuv's. */
enum { UVX_READ = 0x100 };

/* Begins as uv_req_t does: data is the program's, type is UVX_READ. */
struct uvx_read_s {
  void* data;
  uv_req_type type;
  void* reserved[6];
  uv_stream_t* stream; /* read-only */
  /* private */
  uvx_read_cb cb;
  uv_buf_t* bufs;
  unsigned int nbufs;
  uv_buf_t bufsml[4];
  ssize_t result;
  struct uv__work cancelled;
};

/* Reads once, as soon as there is something, into as many of the buffers as it
 * fills; the first must not be empty. The array is copied. The callback never
 * runs inside the call. One request at a time, and none beside uv_read_start();
 * uv_read_stop() does not end it. uv_cancel() and uv_close() end it with
 * UV_ECANCELED, uvx_deadline() with UV_ETIMEDOUT.
 *
 * 0; UV_EALREADY: another request reads; UV_EBUSY: uv_read_start() is in
 * effect; UV_ENOTCONN: the stream is not readable; UV_ENOMEM: for more than
 * four buffers; UV_EINVAL, also for pipes that carry handles. */
UV_EXTERN int uvx_read(uvx_read_t* req,
                       uv_stream_t* stream,
                       const uv_buf_t bufs[],
                       unsigned int nbufs,
                       uvx_read_cb cb);

/* Reads what is there now: bytes, UV_EAGAIN, UV_EOF, UV_EBUSY beside either
 * kind of reading, UV_ENOTSUP for consoles on Windows, or an error. */
UV_EXTERN ssize_t uvx_try_read(uv_stream_t* stream,
                               const uv_buf_t bufs[],
                               unsigned int nbufs);

/* Watching whole trees: what uv_fs_event_start() with UV_FS_EVENT_RECURSIVE has
 * beside libuv's interface on Linux, where the library watches each directory
 * by itself. macOS and Windows watch trees themselves and ask nobody; elsewhere
 * the flag has no effect. */

/* Asked for each directory below the root before it is watched; path is
 * relative to the root, as in the callback. 0 leaves it out, with all that is
 * in it. Runs inside uv_fs_event_start(), uv_loop_fork() and uv_run(); may stop
 * the handle. */
typedef int (*uvx_fs_event_filter_cb)(uv_fs_event_t* handle, const char* path);

/* Sets the filter for the starts to come; NULL: none. 0; UV_EINVAL: handle is
 * NULL, none of these, or closing; UV_EBUSY: it is active; UV_ENOTSUP: not on
 * this system, see above. */
UV_EXTERN int uvx_fs_event_filter(uv_fs_event_t* handle,
                                  uvx_fs_event_filter_cb cb);

/* How many directories of the tree are known and not watched yet: changes of
 * contents there are not seen. 0 when the tree is complete, and always on other
 * systems. uv_fs_event_start() scans for 20 ms, threads of the pool do the
 * rest. */
UV_EXTERN size_t uvx_fs_event_unscanned(const uv_fs_event_t* handle);

/* Posts: have the loop's thread call a function. */
typedef struct uvx_post_s uvx_post_t;
typedef void (*uvx_post_cb)(uvx_post_t* post);

/* A message, usually the first member of a larger one. Needs no initialisation;
 * the library's from uvx_post() until the callback begins. */
struct uvx_post_s {
  void* data;       /* the program's */
  uv_loop_t* loop;  /* where it was posted; read-only */
  uvx_post_cb cb;   /* private */
  uvx_post_t* next; /* private */
};

/* Has cb(post) called once on the loop's thread. Posts of one thread run in
 * their order; none is dropped, and unlike sends of an async handle none are
 * merged. What callbacks post runs in a later iteration, so that timers and I/O
 * have their turn. Takes no lock, allocates nothing, and makes a system call
 * only if the loop sleeps. The callback may free the post or post it again.
 *
 * Queued posts keep uv_run() going and have uv_loop_close() return UV_EBUSY;
 * posts still to come do not: keep a handle for them. uv_loop_fork() forgets
 * what is queued.
 *
 * Returns 0; UV_EINVAL: a pointer is NULL, or the loop is closed;
 * UV_ECANCELED: a managed loop that has ended. An error of waking the loop is
 * returned too; the post is queued all the same. Context: any thread; on Unix
 * also signal handlers. */
UV_EXTERN int uvx_post(uv_loop_t* loop, uvx_post_t* post, uvx_post_cb cb);

/* Pools: threads of the program's own for work, beside those that
 * uv_queue_work() uses. What blocks in one delays nothing in another. */
typedef struct uvx_pool_s uvx_pool_t;

typedef struct uvx_pool_options_s {
  size_t size;       /* sizeof(uvx_pool_options_t) */
  unsigned threads;  /* at most so many, up to 1024; 0: 4 */
  unsigned idle_ms;  /* a thread ends when it was idle for so long; 0: never */
  const char* name;  /* of its threads, up to 15 bytes; NULL: "libuv-worker" */
  size_t stack_size; /* of its threads; 0: as those of uv_queue_work() */
  /* UV_THREAD_PRIORITY_* of its threads, as far as the system allows; 0: that
   * of the thread that starts them. */
  int priority;
} uvx_pool_options_t;

/* Makes a pool without threads: they start when items wait. options NULL: all
 * defaults. 0, UV_EINVAL, UV_ENOMEM; UV_ECANCELED after uv_library_shutdown().
 * Context: any thread. */
UV_EXTERN int uvx_pool_new(uvx_pool_t** pool,
                           const uvx_pool_options_t* options);

/* Ends its threads, waits for them, and frees the pool; also in the callback of
 * its last item. 0, also for NULL; UV_EBUSY, and nothing changed: an item is
 * queued, runs, or was not reported yet; UV_EINVAL: on a thread of the pool.
 * Context: any thread. */
UV_EXTERN int uvx_pool_free(uvx_pool_t* pool);

/* uv_queue_work() on a pool; NULL: uv_queue_work(). Items begin in the order of
 * these calls. uv_cancel() and uvx_deadline() work as for others. 0; UV_EINVAL;
 * UV_EAGAIN, or another error of the system: the pool has no thread, and none
 * could be started; UV_ECANCELED after uv_library_shutdown(). */
UV_EXTERN int uvx_queue_work(uvx_pool_t* pool,
                             uv_loop_t* loop,
                             uv_work_t* req,
                             uv_work_cb work_cb,
                             uv_after_work_cb after_work_cb);

/* Changes how many threads it may have; NULL: those of uv_queue_work(). With
 * fewer, no item begins before enough of them have ended, each after the item
 * that it runs. 0; UV_EINVAL: none or more than 1024; UV_ENOMEM; UV_ECANCELED
 * after uv_library_shutdown(). Context: any thread. */
UV_EXTERN int uvx_pool_set_threads(uvx_pool_t* pool, unsigned threads);

/* Many loops: a loop per thread, with one beginning and one end. */
typedef struct uvx_loops_s uvx_loops_t;
typedef void (*uvx_loop_cb)(uv_loop_t* loop, void* arg);

enum {
  UVX_LOOPS_NO_SIGNALS = 1, /* leaves SIGINT and SIGTERM alone */
  UVX_LOOPS_PIN = 2         /* each thread stays on a processor of its own, if
                             * there are enough */
};

typedef struct uvx_loops_options_s {
  size_t size;       /* sizeof(uvx_loops_options_t) */
  unsigned count;    /* loops; 0: uv_available_parallelism() */
  unsigned flags;    /* UVX_LOOPS_* */
  const char* name;  /* of the threads, with "-1" and so on; NULL: "uv-loop" */
  size_t stack_size; /* of the threads; 0: the default */
  uv_loop_t* main;   /* loop 0, or NULL: made here */
} uvx_loops_options_t;

/* Makes the loops; they take posts from now on. They are managed: each is kept
 * alive until the shutdown, and uv_loop_close() of them returns UV_EBUSY.
 * options NULL: all defaults. 0, UV_EINVAL, UV_ENOMEM, an error of making a
 * loop. */
UV_EXTERN int uvx_loops_new(uvx_loops_t** loops,
                            const uvx_loops_options_t* options);

/* Closes and frees them, but for options.main. UV_EBUSY, and nothing changed:
 * they run, or one of them has handles left. What was posted last is called
 * first. No thread may be in uvx_post() for them. */
UV_EXTERN int uvx_loops_free(uvx_loops_t* loops);

UV_EXTERN unsigned uvx_loops_count(const uvx_loops_t* loops);
/* NULL if there is no such loop. */
UV_EXTERN uv_loop_t* uvx_loops_get(const uvx_loops_t* loops, unsigned index);

/* Adds a function that a loop, or each one if loop is NULL, calls on its own
 * thread when it starts, or when the shutdown begins; in the order in which
 * they were added. Before uvx_loops_run(), afterwards UV_EBUSY; end
 * functions also while the caller holds the pause. */
UV_EXTERN int uvx_loops_on_start(uvx_loops_t* loops,
                                 uv_loop_t* loop,
                                 uvx_loop_cb cb,
                                 void* arg);
UV_EXTERN int uvx_loops_on_end(uvx_loops_t* loops,
                               uv_loop_t* loop,
                               uvx_loop_cb cb,
                               void* arg);

/* Runs all loops, loop 0 on the calling thread, until the shutdown is over. All
 * threads exist before the first start function is called. Once.
 *
 * A shutdown calls the end functions; then each loop runs until nothing is
 * active, and goes on serving posts until that holds for all: none leaves while
 * another may still post to it. From then on uvx_post() returns UV_ECANCELED.
 * SIGINT and SIGTERM begin it, and have their old action again then.
 *
 * uv_stop() ends an iteration of a managed loop, not the loop. 0; UV_EBUSY:
 * they have run; an error of making a thread, with no function called; UV_EIO:
 * the poller of a loop failed for a second, which began the shutdown. */
UV_EXTERN int uvx_loops_run(uvx_loops_t* loops);

/* Begins the shutdown. Context: any thread; on Unix also signal handlers. */
UV_EXTERN void uvx_loops_shutdown(uvx_loops_t* loops);

/* Pauses: from now on the other loops stand still, each between two callbacks,
 * until uvx_loops_resume(), and no work function of theirs runs, in any pool:
 * what all use can be changed. timeout_ms: how long to wait for them, -1: for
 * ever. A pauser may pause again, and resumes as often; others that want to
 * pause take turns, in the order of their calls, so that whatever is shared may
 * have changed when the call returns. A callback may return with the pause and
 * have a later one of the same loop resume.
 *
 * 0; UV_ETIMEDOUT: nothing is paused; UV_EPERM: not on the thread of one of
 * these loops while they run; UV_EINVAL. Context: the thread of a managed
 * loop. */
UV_EXTERN int uvx_loops_pause(uvx_loops_t* loops, int timeout_ms);
/* Ends the last pause of this loop; nothing if there is none. */
UV_EXTERN void uvx_loops_resume(uvx_loops_t* loops);

/* The managed loop that this thread runs, or NULL. Context: any thread. */
UV_EXTERN uv_loop_t* uvx_loop_current(void);
/* The number of a managed loop, otherwise UV_EINVAL. Context: any thread. */
UV_EXTERN int uvx_loop_index(const uv_loop_t* loop);

/* Listeners: a TCP port that all managed loops serve. */
typedef struct uvx_listener_s uvx_listener_t;

/* Which loop gets a connection. */
enum uvx_balance {
  /* KERNEL on Linux and FreeBSD, SHARED on other Unix, TURNS on Windows. */
  UVX_BALANCE_DEFAULT,
  /* A socket per loop; the kernel spreads connections by their addresses.
   * Elsewhere UV_ENOTSUP: the system gives all connections to one socket. */
  UVX_BALANCE_KERNEL,
  /* One socket, which all loops accept from: the first one awake. */
  UVX_BALANCE_SHARED,
  /* Loop 0 accepts and hands over, one loop after the other. */
  UVX_BALANCE_TURNS
};

typedef struct uvx_listen_options_s {
  size_t size;                 /* sizeof(uvx_listen_options_t) */
  const struct sockaddr* addr; /* IPv4 or IPv6; port 0: any, for all loops */
  unsigned tcp_flags;          /* as for uv_tcp_bind() */
  int backlog;                 /* of each socket */
  enum uvx_balance balance;
  /* Bound stream sockets, instead of addr; the listener's on success. Loop i
   * has socks[i]. With fewer of them than loops, loops share them; with more, a
   * loop has several. */
  const uv_os_sock_t* socks;
  unsigned nsocks;
  uv_connection_cb cb; /* on the loop that got the connection */
  void* data;          /* server->data on every loop */
} uvx_listen_options_t;

/* Has every loop listen. Each has a `server` of its own for cb, which calls
 * uv_accept() as for any server, but does not close it. Sockets are made, bound
 * and listening on return; if anything fails there, none is left. What fails
 * later, on a loop, is the status of cb. The shutdown closes the servers of a
 * loop after its end functions.
 *
 * Before uvx_loops_run(), or on a managed loop of these. 0; UV_EINVAL;
 * UV_ENOMEM; UV_ENOTSUP: this balance or flag does not exist here; UV_EPERM:
 * from elsewhere, or in a forked child; UV_ECANCELED: the shutdown has begun;
 * an error of making, binding, duplicating or listening. */
UV_EXTERN int uvx_loops_listen(uvx_loops_t* loops,
                               const uvx_listen_options_t* options,
                               uvx_listener_t** listener);

/* The address that the loops listen on, as uv_tcp_getsockname(). Context: any
 * thread. */
UV_EXTERN int uvx_listener_getsockname(const uvx_listener_t* listener,
                                       struct sockaddr* name,
                                       int* namelen);

/* Stores the listening sockets, for a process that takes over; they stay the
 * listener's. *count: room for them, then their number. 0; UV_ENOBUFS: too
 * little room, *count is what is needed; UV_ECANCELED: the listener, or the
 * shutdown, has begun to close them. On a loop of these, or before they run. */
UV_EXTERN int uvx_listener_socks(const uvx_listener_t* listener,
                                 uv_os_sock_t* socks,
                                 unsigned* count);

/* Ends listening on all loops and frees the listener. closed(arg), or nothing
 * if it is NULL, is called on the calling loop when no loop has a server any
 * more; before uvx_loops_run() and after it, inside the call. 0; UV_EPERM:
 * neither there nor on one of the loops; UV_EALREADY; UV_EBUSY: after a run
 * that failed, servers are open. uvx_loops_free() frees what is left. */
UV_EXTERN int uvx_listener_close(uvx_listener_t* listener,
                                 void (*closed)(void* arg),
                                 void* arg);

/* The sockets that a service manager has passed to this process (systemd's
 * LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES), those called `name`, or all if it is
 * NULL. Has them closed by exec. They are the caller's: for uvx_loops_listen(),
 * uv_tcp_open(), uv_udp_open(). *count: room for them, then their number. 0;
 * UV_ENOENT: there is none; UV_ENOBUFS: too little room, *count is what is
 * needed; UV_EINVAL: the variables are wrong, or count is NULL; UV_EBADF: one
 * of the descriptors is not open; UV_ENOTSUP: Windows has no such thing.
 * Context: any thread, while none changes the environment. */
UV_EXTERN int uvx_inherited_sockets(const char* name,
                                    uv_os_sock_t* socks,
                                    unsigned* count);
/* Requests that end after a time. `req` is a request of this thread's loop and
 * under way: connect, write, shutdown, udp_send, getaddrinfo, getnameinfo,
 * work, fs, random. Unless its result is there within timeout_ms it is
 * cancelled, and its callback gets UV_ETIMEDOUT, once (fs: in req->result). The
 * time counts from uv_now(), as that of timers. A later call replaces it, 0
 * removes it.
 *
 * What can no longer be cancelled (work, fs and random that run, a datagram
 * that the system has) goes on, and its callback gets the result. If result and
 * expiry are due in one iteration the result wins. A write says by
 * uv_write_nwritten() what got through; then, and after a shutdown that did not
 * end, the stream is good for uv_close() only.
 *
 * 0; UV_ESRCH: it is not under way, its callback has begun, or it is cancelled
 * for this reason already; UV_EINVAL: no such request; UV_ENOMEM: all is as
 * before. */
UV_EXTERN int uvx_deadline(uv_req_t* req, uint64_t timeout_ms);

/* Descriptors: given away, refused, held back. */

/* Takes the socket out of a TCP, pipe or UDP handle and stores it, for another
 * loop, library or process. The handle is then as after its init function; the
 * caller owns the descriptor. What has arrived and was not read stays in the
 * kernel. The descriptor stays non-blocking; a server's goes on listening, and
 * the file of a bound pipe stays. Allowed in callbacks of the handle.
 *
 * 0; UV_EBUSY, and nothing changed: it reads, connects or shuts down, a write
 * or send has not been reported, or a connection or received descriptor waits
 * for uv_accept(); UV_EBADF: it has none; UV_EINVAL: another type, or closing;
 * an error that uv_tcp_bind() delayed. Windows: UV_ENOTSUP for pipes and
 * servers, and where the system cannot detach a socket from a completion port
 * (before 8.1, some Wine). */
UV_EXTERN int uvx_release(uv_handle_t* handle, uv_os_fd_t* fd);

/* uv_accept() without a handle: stores the waiting connection or, of a pipe
 * with ipc, the oldest received descriptor. The caller owns it, and may open it
 * on any loop. 0; UV_EAGAIN: none waits; UV_EINVAL; UV_ENOTSUP: a pipe on
 * Windows. */
UV_EXTERN int uvx_accept_fd(uv_stream_t* server, uv_os_fd_t* fd);

/* Closes the connection (or received descriptor) that uv_accept() would
 * deliver, and goes on accepting. 0; UV_EAGAIN: none waits; UV_EINVAL. */
UV_EXTERN int uvx_reject(uv_stream_t* server);

/* Holds back connections, or reports them again. A paused server accepts
 * nothing, so clients wait in the backlog, and stays active; uv_accept() of
 * what was announced still works. (Windows accepts ahead: a few are accepted
 * and reported after the pause.) 0; UV_EINVAL: it does not listen. */
UV_EXTERN int uvx_listen_pause(uv_stream_t* server, int is_paused);

/* UDP for protocols such as QUIC: ECN, path MTU, source addresses, batches that
 * the kernel divides. */

/* In masks and flags. */
enum uvx_udp_option {
  UVX_UDP_TOS = 1,     /* type of service, or traffic class, with ECN */
  UVX_UDP_TTL = 2,     /* time to live, or hop limit */
  UVX_UDP_PKTINFO = 4, /* local address and interface */
  UVX_UDP_SEGMENT = 8  /* several datagrams as one, cut at this size */
};

/* Sets the type of service (0-255) of all datagrams from now on: IP_TOS,
 * IPV6_TCLASS. The two lowest bits are ECN. 0; UV_EBADF: no socket yet;
 * UV_EINVAL; UV_ENOTSUP: Windows. */
UV_EXTERN int uvx_udp_set_tos(uv_udp_t* handle, int tos);

/* on: datagrams are never fragmented. One larger than the network takes is lost
 * on the way, or refused with UV_EMSGSIZE: what is needed to find out the
 * path's MTU. off: they are fragmented if need be. 0; UV_EBADF: no socket yet;
 * UV_EINVAL; UV_ENOTSUP: the system cannot do that. */
UV_EXTERN int uvx_udp_set_dontfrag(uv_udp_t* handle, int on);

/* Stores what the system knows of the path's MTU, in bytes of a packet with its
 * IP header. 0; UV_ENOTCONN: for connected handles only; UV_EBADF: no socket
 * yet; UV_EINVAL; UV_ENOTSUP: not Linux. */
UV_EXTERN int uvx_udp_get_mtu(const uv_udp_t* handle, size_t* mtu);

/* Of a datagram that was received. */
typedef struct uvx_udp_recv_info_s {
  size_t size;    /* sizeof(uvx_udp_recv_info_t), set by the caller */
  unsigned valid; /* UVX_UDP_*: what the system has told; the rest is 0 */
  int tos;
  int ttl;
  struct sockaddr_storage dst; /* the address it was sent to; the port is 0 */
  unsigned ifindex;            /* it came through; 0: the system does not say */
  size_t segment_size; /* the buffer holds several datagrams of this size, the
                        * last one may be shorter */
} uvx_udp_recv_info_t;

/* Has the system tell, with each datagram from the next one on, what `mask`
 * names (UVX_UDP_*; 0: nothing). Replaces an earlier mask. With
 * UVX_UDP_SEGMENT, datagrams that arrive together from one sender may be
 * received as one of up to 64 KiB (GRO): give buffers of that size, or it comes
 * with UV_UDP_PARTIAL. 0; UV_EBADF: no socket yet; UV_EINVAL; UV_ENOTSUP: one
 * of them is not there. After an error nothing has changed. */
UV_EXTERN int uvx_udp_set_recv_info(uv_udp_t* handle, unsigned mask);

/* Stores what came with the datagram whose recv_cb is running. UV_EINVAL
 * elsewhere, without a mask, and in calls that bring no datagram. */
UV_EXTERN int uvx_udp_recv_info(uv_udp_t* handle, uvx_udp_recv_info_t* info);

/* Of a datagram to send. */
typedef struct uvx_udp_send_options_s {
  size_t size;    /* sizeof(uvx_udp_send_options_t) */
  unsigned flags; /* UVX_UDP_TOS, _PKTINFO, _SEGMENT: which of these count */
  int tos;        /* instead of the socket's: 0-255 */
  const struct sockaddr* src; /* PKTINFO: the address it comes from, or NULL;
                               * the port is ignored */
  unsigned ifindex;           /* PKTINFO: the interface it leaves by, or 0 */
  size_t segment_size; /* SEGMENT: the buffers hold several datagrams, and the
                        * kernel cuts them at this size (1-65535) */
} uvx_udp_send_options_t;

/* uv_udp_send() with options, which are copied; NULL: none. Errors of the
 * options: UV_EINVAL; UV_ENOTSUP: the system does not know one of them;
 * UV_EMSGSIZE: more than 64 KiB, or more segments than the kernel takes at once
 * (64; 128 since Linux 6.9). What the kernel refuses is the callback's status.
 */
UV_EXTERN int uvx_udp_send(uv_udp_send_t* req,
                           uv_udp_t* handle,
                           const uv_buf_t bufs[],
                           unsigned int nbufs,
                           const struct sockaddr* addr,
                           const uvx_udp_send_options_t* options,
                           uv_udp_send_cb send_cb);

/* uv_udp_try_send2() with an array of options, one for each datagram; NULL:
 * none. Returns how many were sent, or an error if the first was not. */
UV_EXTERN int uvx_udp_try_send(uv_udp_t* handle,
                               unsigned int count,
                               uv_buf_t* bufs[],
                               unsigned int nbufs[],
                               struct sockaddr* addrs[],
                               const uvx_udp_send_options_t options[]);

/* Seeing the loop: uvx_*. Nothing below fails a program that calls nothing of
 * it, and while it is off it costs one comparison per callback. What the
 * environment asks for (UV_TRACE=FILE, UV_METRICS=FILE, UV_WATCHDOG=MS,
 * UV_DUMP_SIGNAL=NAME) is read when the first loop is made, and ignored in
 * programs with raised rights (set-user-ID and the like).
 */

/* What uvx_trace_start() is asked for. */
typedef struct uvx_trace_options_s {
  /* sizeof(uvx_trace_options_t): lets the structure grow. */
  size_t size;
  /* The file to write; each %p in it becomes the process's number, and then a
   * number is added to a name that exists. Without %p a trace of an earlier run
   * is overwritten, or an empty file: UV_EEXIST if it is anything else,
   * UV_EPERM if it is not a regular file of the user's own with one name,
   * UV_ELOOP if it is a link, UV_EBUSY if another process writes it. A relative
   * path is one of the directory that is current now. */
  const char* path;
  /* Who may read it: 0600 (or 0), 0640, 0604 or 0644. In the environment:
   * UV_TRACE_MODE. */
  unsigned mode;
  /* 0, or megabytes of memory, at most 1024: the trace stays there, its last
   * part, and the file is written by uvx_trace_write(), when the watchdog has
   * reported a callback, and (Unix) when a thread gets SIGSEGV, SIGBUS, SIGFPE,
   * SIGILL or SIGABRT, before that does what it did before. In the environment:
   * UV_TRACE_MEMORY. */
  unsigned memory_mb;
  /* 1: callbacks and work say what they are about: the path of a file request,
   * the host of a lookup, the peer of a TCP connection or a datagram, the file
   * of a process. 0: they do not, because traces are handed on. In the
   * environment: UV_TRACE_DETAILS=1. */
  unsigned details;
} uvx_trace_options_t;

/* Records what all loops of the process do from now on, in the Trace Event
 * format that Perfetto and chrome://tracing open: iterations and their phases,
 * each callback with its symbol, work on the threads of the pool, arrows from
 * submitting a request over its worker to its callback and from uv_async_send()
 * to the callback, counters. The file is written several times a second;
 * memory is bounded, and what does not fit is counted there as dropped.
 *
 * Returns 0; UV_EBUSY if a trace is under way; UV_EINVAL; an error of making
 * the file or the thread. A forked child does not record; with %p in the name
 * it goes on in a file of its own as soon as it makes a loop or calls
 * uv_loop_fork(). Context: any thread.
 */
UV_EXTERN int uvx_trace_start(const uvx_trace_options_t* options);

/* Ends the trace and its file. Callbacks that run meanwhile on other threads
 * are not in it. Returns 0, or UV_ESRCH if there is none. Happens by itself
 * when the process exits. Context: any thread.
 */
UV_EXTERN int uvx_trace_stop(void);

/* Writes what a trace with memory_mb has of the past to its file, in place of
 * what was written before; the trace goes on. Also UV_TRACE_SIGNAL in the
 * environment. Returns 0; UV_ESRCH if there is no trace; UV_EINVAL if it is not
 * kept in memory; UV_E*. Context: any thread. */
UV_EXTERN int uvx_trace_write(void);

/* Metrics. Counters and histograms of what the loops do, kept while they are
 * on: uvx_metrics_start(), or UV_METRICS=FILE in the environment, with
 * UV_METRICS_INTERVAL=MS between two versions of the file (1000). */

/* Durations, in buckets that grow with them: each power of two of nanoseconds
 * has four. The first bucket is for all below 1024 ns, the last for all from
 * 2^36 ns on. */
#define UVX_HISTOGRAM_PARTS 4
#define UVX_HISTOGRAM_BUCKETS 106

typedef struct uvx_histogram_s {
  uint64_t count;
  uint64_t sum_ns;
  uint64_t max_ns;
  uint64_t buckets[UVX_HISTOGRAM_BUCKETS];
} uvx_histogram_t;

/* The duration that so many percent are not longer than, rounded up to the end
 * of its bucket; 0 if there are none. */
UV_EXTERN uint64_t uvx_histogram_percentile(const uvx_histogram_t* histogram,
                                            double percent);

/* The phases of an iteration, in uvx_metrics_t.phases. */
enum uvx_phase {
  UVX_PHASE_TIMERS,
  UVX_PHASE_PENDING,
  UVX_PHASE_IDLE,
  UVX_PHASE_PREPARE,
  UVX_PHASE_POLL,   /* waiting for events */
  UVX_PHASE_EVENTS, /* their callbacks */
  UVX_PHASE_CHECK,
  UVX_PHASE_CLOSING,
  UVX_PHASES
};

/* What the thread pool does, in uvx_metrics_t.pool_queue and pool_service. */
enum uvx_class { UVX_CLASS_FS, UVX_CLASS_DNS, UVX_CLASS_WORK, UVX_CLASSES };

#define UVX_METRICS_VERSION 1

/* Grows at its end only, with the version. */
typedef struct uvx_metrics_s {
  uint64_t version;
  /* Of the loop, since metrics were on. */
  uint64_t iterations;
  uint64_t events;
  uint64_t callbacks;
  uint64_t handles;      /* active and referenced, after the last iteration */
  uint64_t requests;     /* active, likewise */
  uint64_t stream_reads; /* read callbacks: a system call each */
  uint64_t stream_read_bytes;
  uint64_t stream_writes; /* write callbacks; uv_try_write() has none */
  uint64_t stream_written_bytes;
  uint64_t udp_recvs;
  uint64_t udp_recv_bytes;
  uint64_t udp_sends;
  uint64_t udp_sent_bytes;
  /* Of the process. */
  uint64_t pool_queued;
  uint64_t pool_running;
  /* Of the loop. Lag is the time from the end of one poll to the beginning of
   * the next: as long as that a new event waits. */
  uvx_histogram_t lag;
  uvx_histogram_t iteration;
  uvx_histogram_t timer_lateness;
  uvx_histogram_t phases[UVX_PHASES];
  /* Of the process: how long work waited for a thread, and how long it took. */
  uvx_histogram_t pool_queue[UVX_CLASSES];
  uvx_histogram_t pool_service[UVX_CLASSES];
} uvx_metrics_t;

typedef struct uvx_metrics_options_s {
  /* sizeof(uvx_metrics_options_t). */
  size_t size;
  /* The file to write as OpenMetrics text, or NULL. Each %p in it becomes the
   * process's number; otherwise as in uvx_trace_options_t, but that with %p,
   * too, a file of an earlier run is replaced. It is replaced as a whole each
   * time. */
  const char* path;
  /* Milliseconds between two versions of it; 0: 1000. */
  unsigned interval_ms;
  unsigned reserved; /* 0 */
  /* As in uvx_trace_options_t. In the environment: UV_METRICS_MODE. */
  unsigned mode;
} uvx_metrics_options_t;

/* Turns metrics on or off. 0, UV_EBUSY if they are on, UV_ESRCH if they are
 * not, UV_EINVAL, UV_E*. What was counted stays. Context: any thread. */
UV_EXTERN int uvx_metrics_start(const uvx_metrics_options_t* options);
UV_EXTERN int uvx_metrics_stop(void);

/* Stores the first `size` bytes of a loop's metrics; the loop goes on
 * meanwhile. 0; UV_ENODATA if it has not run while metrics were on. Context:
 * any thread, as long as the loop is not closed. */
UV_EXTERN int uvx_metrics(const uv_loop_t* loop,
                          uvx_metrics_t* metrics,
                          size_t size);

/* The watchdog: tells of callbacks that run for too long. Also
 * UV_WATCHDOG=MS in the environment. */

typedef struct uvx_watchdog_report_s {
  size_t size; /* sizeof(uvx_watchdog_report_t) */
  int is_over; /* 0: it still runs; 1: it has ended, some time ago */
  uint64_t ms; /* for so long, about */
  const uv_loop_t* loop;
  const void* handle; /* or request; may be freed when it is over */
  const void* callback;
  const char* symbol; /* the callback's name, or module+0xoffset */
  const char* type;   /* of the handle or request: "tcp", "fs" */
  const char* call;   /* which callback: "read", "close" */
  const char* phase;  /* of the iteration */
  uint64_t thread;    /* the kernel's number of the loop's thread */
  const char* kernel; /* what that thread does there, "" if that is unknown */
  /* A line per frame of its stack, innermost first: module+0xoffset, and the
   * symbol before that in parentheses; "" without a signal for it. */
  const char* backtrace;
} uvx_watchdog_report_t;

/* Called on the watchdog's thread; what the report points at is valid until it
 * returns. */
typedef void (*uvx_watchdog_cb)(const uvx_watchdog_report_t* report, void* arg);

typedef struct uvx_watchdog_options_s {
  size_t size;        /* sizeof(uvx_watchdog_options_t) */
  unsigned limit_ms;  /* a callback may run for so long */
  uvx_watchdog_cb cb; /* or NULL */
  void* arg;          /* for cb */
  /* A signal that the program has no use for, or 0. It is sent to a thread that
   * blocks, whose handler walks the stack there for a backtrace (Linux with
   * glibc, the BSDs). System calls are restarted, but for those that never are:
   * poll(2), nanosleep(2) and the like end with EINTR. Also
   * UV_WATCHDOG_SIGNAL=NAME. */
  int signum;
} uvx_watchdog_options_t;

/* Has a thread watch all loops. Each callback that takes longer than the limit
 * is reported once while it runs and once when it has ended, by a line on
 * standard error and to the callback. 0; UV_EBUSY if it is on, or if the action
 * of the signal is not the default one; UV_ENOSYS if there are no backtraces;
 * UV_EINVAL; UV_E*. Context: any thread. */
UV_EXTERN int uvx_watchdog_start(const uvx_watchdog_options_t* options);
/* 0; UV_ESRCH if it is not on; UV_EBUSY from the watchdog's callback. Context:
 * any thread. */
UV_EXTERN int uvx_watchdog_stop(void);

/* The environment observes nothing from now on: UV_TRACE, UV_METRICS,
 * UV_WATCHDOG, UV_DUMP_SIGNAL and UV_DEBUG are not read. For programs that run
 * with more rights than whoever set the environment, without the system knowing
 * (started by a set-user-ID helper after setuid(0)). What is on stays on: call
 * it before the first loop is made. Context: any thread. */
UV_EXTERN void uvx_ignore_environment(void);

/* Prints what the loop has, for people: its handles with type, address, flags
 * (R referenced, A active, C closing, I internal), descriptor, addresses of
 * both ends, bytes that wait to be written, due times of timers and symbols of
 * callbacks; then the thread pool, with the requests that wait for a thread
 * and, while a trace, metrics or the watchdog are on, those that run and how
 * old they are. The text is no interface: it may change. stream NULL: standard
 * error. 0, UV_EINVAL, UV_ENOMEM if there was no memory for all of it, UV_EIO
 * if it could not be written. Context: the loop's thread, also in a callback.
 *
 * With UV_DUMP_SIGNAL=USR2 in the environment (Unix) the same is printed to
 * standard error, for each loop, when the process gets that signal.
 */
UV_EXTERN int uvx_dump(const uv_loop_t* loop, FILE* stream);

#ifdef __cplusplus
}
#endif
#endif /* UV_EXT_H */
