/* SPDX-License-Identifier: MIT */
/* The Windows side of uv.h: basic types, and the private fields of every
 * structure. The layout is libuv's, byte for byte. Where a private field means
 * the same as on Unix it has the name it has there, so that shared code needs
 * no conditionals; test/abi/renamed lists what libuv calls otherwise.
 */
#ifndef UV_WIN_H
#define UV_WIN_H

#ifndef _WIN32_WINNT
# define _WIN32_WINNT 0x0A00
#endif

#if !defined(_SSIZE_T_) && !defined(_SSIZE_T_DEFINED)
typedef intptr_t ssize_t;
# define SSIZE_MAX INTPTR_MAX
# define _SSIZE_T_
# define _SSIZE_T_DEFINED
#endif

#include <winsock2.h>

/* Some mingw headers need it before they define it. */
#ifndef LOCALE_INVARIANT
# define LOCALE_INVARIANT 0x007f
#endif

#include <mswsock.h>
/* mingw's mstcpip.h, which this includes, declares a type that clashes with
 * the Windows SDK's: give mingw's another name.
 */
#define _TCP_INITIAL_RTO_PARAMETERS _TCP_INITIAL_RTO_PARAMETERS__AVOID
#define TCP_INITIAL_RTO_PARAMETERS TCP_INITIAL_RTO_PARAMETERS__AVOID
#define PTCP_INITIAL_RTO_PARAMETERS PTCP_INITIAL_RTO_PARAMETERS__AVOID
#include <ws2tcpip.h>
#undef _TCP_INITIAL_RTO_PARAMETERS
#undef TCP_INITIAL_RTO_PARAMETERS
#undef PTCP_INITIAL_RTO_PARAMETERS
#include <windows.h>

#include <fcntl.h>
#include <process.h>
#include <signal.h>
#include <stdint.h>
#include <sys/stat.h>

#include "uv/threadpool.h"
#include "uv/tree.h"

/* ------------------------------------------------------------------------ */
/* What Windows lacks */

/* Signals for uv_signal_start() and uv_kill() beyond the C runtime's own, with
 * the numbers Linux and macOS agree on.
 */
#define SIGHUP 1
#define SIGQUIT 3
#define SIGKILL 9
#define SIGWINCH 28

#ifndef SIGABRT_COMPAT
# define SIGABRT_COMPAT 6
#endif

/* One more than the largest of them. */
#if defined(NSIG) && NSIG <= SIGWINCH
# undef NSIG
#endif
#ifndef NSIG
# define NSIG SIGWINCH + 1
#endif

#ifndef S_IFLNK
# define S_IFLNK 0xA000
#endif

#if defined(_CRT_INTERNAL_NONSTDC_NAMES) && _CRT_INTERNAL_NONSTDC_NAMES && \
    !defined(S_IFIFO)
# define S_IFIFO _S_IFIFO
#endif

/* For uv_fs_access(). */
#ifndef F_OK
# define F_OK 0
#endif
#ifndef R_OK
# define R_OK 4
#endif
#ifndef W_OK
# define W_OK 2
#endif
#ifndef X_OK
# define X_OK 1
#endif

#define MAX_PIPENAME_LEN 256

/* ------------------------------------------------------------------------ */
/* Winsock extension functions, fetched by their identifiers at run time */

#ifndef WSAID_ACCEPTEX
# define WSAID_ACCEPTEX                                                       \
  { 0xb5367df1, 0xcbac, 0x11cf,                                               \
    { 0x95, 0xca, 0x00, 0x80, 0x5f, 0x48, 0xa1, 0x92 } }
# define WSAID_CONNECTEX                                                      \
  { 0x25a207b9, 0xddf3, 0x4660,                                               \
    { 0x8e, 0xe9, 0x76, 0xe5, 0x8c, 0x74, 0x06, 0x3e } }
# define WSAID_GETACCEPTEXSOCKADDRS                                           \
  { 0xb5367df2, 0xcbac, 0x11cf,                                               \
    { 0x95, 0xca, 0x00, 0x80, 0x5f, 0x48, 0xa1, 0x92 } }
# define WSAID_DISCONNECTEX                                                   \
  { 0x7fda2e11, 0x8630, 0x436f,                                               \
    { 0xa0, 0x31, 0xf5, 0x36, 0xa6, 0xee, 0xc1, 0x57 } }
# define WSAID_TRANSMITFILE                                                   \
  { 0xb5367df0, 0xcbac, 0x11cf,                                               \
    { 0x95, 0xca, 0x00, 0x80, 0x5f, 0x48, 0xa1, 0x92 } }

typedef BOOL (PASCAL* LPFN_ACCEPTEX)(SOCKET listener,
                                     SOCKET accepted,
                                     PVOID out,
                                     DWORD data_len,
                                     DWORD local_len,
                                     DWORD remote_len,
                                     LPDWORD received,
                                     LPOVERLAPPED overlapped);
typedef BOOL (PASCAL* LPFN_CONNECTEX)(SOCKET sock,
                                      const struct sockaddr* name,
                                      int namelen,
                                      PVOID data,
                                      DWORD data_len,
                                      LPDWORD sent,
                                      LPOVERLAPPED overlapped);
typedef void (PASCAL* LPFN_GETACCEPTEXSOCKADDRS)(PVOID out,
                                                 DWORD data_len,
                                                 DWORD local_len,
                                                 DWORD remote_len,
                                                 LPSOCKADDR* local,
                                                 LPINT local_size,
                                                 LPSOCKADDR* remote,
                                                 LPINT remote_size);
typedef BOOL (PASCAL* LPFN_DISCONNECTEX)(SOCKET sock,
                                         LPOVERLAPPED overlapped,
                                         DWORD flags,
                                         DWORD reserved);
typedef BOOL (PASCAL* LPFN_TRANSMITFILE)(SOCKET sock,
                                         HANDLE file,
                                         DWORD length,
                                         DWORD chunk,
                                         LPOVERLAPPED overlapped,
                                         LPTRANSMIT_FILE_BUFFERS around,
                                         DWORD flags);

typedef PVOID RTL_SRWLOCK;
typedef RTL_SRWLOCK SRWLOCK, *PSRWLOCK;
#endif /* WSAID_ACCEPTEX */

typedef int (WSAAPI* LPFN_WSARECV)(
    SOCKET sock,
    LPWSABUF bufs,
    DWORD nbufs,
    LPDWORD received,
    LPDWORD flags,
    LPWSAOVERLAPPED overlapped,
    LPWSAOVERLAPPED_COMPLETION_ROUTINE done);

typedef int (WSAAPI* LPFN_WSARECVFROM)(
    SOCKET sock,
    LPWSABUF bufs,
    DWORD nbufs,
    LPDWORD received,
    LPDWORD flags,
    struct sockaddr* from,
    LPINT from_len,
    LPWSAOVERLAPPED overlapped,
    LPWSAOVERLAPPED_COMPLETION_ROUTINE done);

/* ------------------------------------------------------------------------ */
/* The socket driver (AFD), which uv_poll_t talks to directly */

#ifndef _NTDEF_
typedef LONG NTSTATUS;
typedef NTSTATUS *PNTSTATUS;
#endif

#ifndef RTL_CONDITION_VARIABLE_INIT
typedef PVOID CONDITION_VARIABLE, *PCONDITION_VARIABLE;
#endif

typedef struct _AFD_POLL_HANDLE_INFO {
  HANDLE Handle;
  ULONG Events;
  NTSTATUS Status;
} AFD_POLL_HANDLE_INFO, *PAFD_POLL_HANDLE_INFO;

typedef struct _AFD_POLL_INFO {
  LARGE_INTEGER Timeout;
  ULONG NumberOfHandles;
  ULONG Exclusive;
  AFD_POLL_HANDLE_INFO Handles[1];
} AFD_POLL_INFO, *PAFD_POLL_INFO;

/* Protocol providers whose sockets AFD can poll. */
#define UV_MSAFD_PROVIDER_COUNT 4

/* ------------------------------------------------------------------------ */
/* Basic types */

/* A piece of memory. Has the layout of WSABUF. */
typedef struct uv_buf_t {
  ULONG len;
  char* base;
} uv_buf_t;

typedef int uv_file;
typedef SOCKET uv_os_sock_t;
typedef HANDLE uv_os_fd_t;
typedef int uv_pid_t;

/* Windows has neither; the options exist and are refused. */
typedef unsigned char uv_uid_t;
typedef unsigned char uv_gid_t;

typedef HANDLE uv_thread_t;
typedef HANDLE uv_sem_t;
typedef CRITICAL_SECTION uv_mutex_t;

typedef struct {
  DWORD tls_index;
} uv_key_t;

/* As large as the emulation that systems before Vista needed. */
typedef union {
  CONDITION_VARIABLE cond_var;
  struct {
    unsigned int waiters_count;
    CRITICAL_SECTION waiters_count_lock;
    HANDLE signal_event;
    HANDLE broadcast_event;
  } unused_;
} uv_cond_t;

/* Likewise. */
typedef struct {
  SRWLOCK read_write_lock_;
#ifdef _WIN64
  unsigned char padding_[72];
#else
  unsigned char padding_[44];
#endif
} uv_rwlock_t;

typedef struct {
  unsigned threshold;
  unsigned in;
  uv_mutex_t mutex;
  CONDITION_VARIABLE cond;
  unsigned out;
} uv_barrier_t;

typedef struct uv_once_s {
  unsigned char unused;
  INIT_ONCE init_once;
} uv_once_t;

#define UV_ONCE_INIT { 0, INIT_ONCE_STATIC_INIT }

/* uv_dlopen(): the module and the last error, or NULL. */
typedef struct {
  HMODULE handle;
  char* errmsg;
} uv_lib_t;

/* Goes between return type and name of functions in loaded libraries. */
#define UV_DYNAMIC FAR WINAPI

/* What uv_fs_scandir() stores per entry; the name continues behind it. */
typedef struct uv__dirent_s {
  int d_type;
  char d_name[1];
} uv__dirent_t;

#define HAVE_DIRENT_TYPES
#define UV__DT_DIR UV_DIRENT_DIR
#define UV__DT_FILE UV_DIRENT_FILE
#define UV__DT_LINK UV_DIRENT_LINK
#define UV__DT_FIFO UV_DIRENT_FIFO
#define UV__DT_SOCKET UV_DIRENT_SOCKET
#define UV__DT_CHAR UV_DIRENT_CHAR
#define UV__DT_BLOCK UV_DIRENT_BLOCK

/* ------------------------------------------------------------------------ */
/* Flags for uv_fs_open(): the C runtime's; numbers it does not use for what
 * CreateFile() can do; 0 for what Windows has not.
 */
#define UV_FS_O_APPEND _O_APPEND
#define UV_FS_O_CREAT _O_CREAT
#define UV_FS_O_EXCL _O_EXCL
#define UV_FS_O_RANDOM _O_RANDOM
#define UV_FS_O_RDONLY _O_RDONLY
#define UV_FS_O_RDWR _O_RDWR
#define UV_FS_O_SEQUENTIAL _O_SEQUENTIAL
#define UV_FS_O_SHORT_LIVED _O_SHORT_LIVED
#define UV_FS_O_TEMPORARY _O_TEMPORARY
#define UV_FS_O_TRUNC _O_TRUNC
#define UV_FS_O_WRONLY _O_WRONLY

#define UV_FS_O_DIRECT 0x02000000  /* FILE_FLAG_NO_BUFFERING */
#define UV_FS_O_DSYNC 0x04000000   /* FILE_FLAG_WRITE_THROUGH */
#define UV_FS_O_SYNC 0x08000000    /* FILE_FLAG_WRITE_THROUGH */
#define UV_FS_O_EXLOCK 0x10000000  /* no sharing */
#define UV_FS_O_FILEMAP 0x20000000 /* read and write through a mapping */

#define UV_FS_O_DIRECTORY 0
#define UV_FS_O_NOATIME 0
#define UV_FS_O_NOCTTY 0
#define UV_FS_O_NOFOLLOW 0
#define UV_FS_O_NONBLOCK 0
#define UV_FS_O_SYMLINK 0

/* ------------------------------------------------------------------------ */
/* Private: the loop */

#define UV_LOOP_PRIVATE_FIELDS                                                \
  HANDLE iocp;                                                                \
  uint64_t time;                                                              \
  /* Last of a circular list of finished requests; NULL if empty. */          \
  uv_req_t* pending_reqs_tail;                                                \
  uv_handle_t* closing_handles;                                               \
  void* timer_heap;                                                           \
  struct uv__queue prepare_handles;                                           \
  struct uv__queue check_handles;                                             \
  struct uv__queue idle_handles;                                              \
  /* One socket per provider, through which AFD is asked. */                  \
  SOCKET poll_peer_sockets[UV_MSAFD_PROVIDER_COUNT];                          \
  /* Not used any more. */                                                    \
  unsigned int active_tcp_streams;                                            \
  unsigned int active_udp_streams;                                            \
  uint64_t timer_counter;                                                     \
  /* Finished thread pool work, how it is guarded, how it is announced. */    \
  struct uv__queue wq;                                                        \
  uv_mutex_t wq_mutex;                                                        \
  uv_async_t wq_async;

/* ------------------------------------------------------------------------ */
/* Private: requests */

/* Requests inside handles, that programs never see. */
#define UV_REQ_TYPE_PRIVATE                                                   \
  UV_ACCEPT,                                                                  \
  UV_FS_EVENT_REQ,                                                            \
  UV_POLL_REQ,                                                                \
  UV_PROCESS_EXIT,                                                            \
  UV_READ,                                                                    \
  UV_UDP_RECV,                                                                \
  UV_WAKEUP,                                                                  \
  UV_SIGNAL_REQ,

/* The part of a write request that found no room in uv_write_t. */
struct uv__req_write_extra_s {
  size_t nwritten;
};

/* connect.result is overlapped.Internal, where completions leave the status.
 * next_req links pending_reqs_tail's list, and before that the writes that
 * wait for a blocking pipe.
 */
#define UV_REQ_PRIVATE_FIELDS                                                 \
  union {                                                                     \
    struct {                                                                  \
      OVERLAPPED overlapped;                                                  \
      size_t queued_bytes;                                                    \
    } io;                                                                     \
    struct {                                                                  \
      ULONG_PTR result;                                                       \
      HANDLE pipeHandle;                                                      \
      DWORD duplex_flags;                                                     \
      WCHAR* name;                                                            \
    } connect;                                                                \
  } u;                                                                        \
  struct uv_req_s* next_req;                                                  \
  UV__EXTENSION union {                                                       \
    void* reserved2[1];                                                       \
    struct uv__req_write_extra_s write_extra;                                 \
  };

#define UV_PRIVATE_REQ_TYPES                                                  \
  typedef struct uv_pipe_accept_s {                                           \
    UV_REQ_FIELDS                                                             \
    HANDLE pipeHandle;                                                        \
    struct uv_pipe_accept_s* next_pending;                                    \
  } uv_pipe_accept_t;                                                         \
                                                                              \
  typedef struct uv_tcp_accept_s {                                            \
    UV_REQ_FIELDS                                                             \
    SOCKET accept_socket;                                                     \
    char accept_buffer[sizeof(struct sockaddr_storage) * 2 + 32];             \
    HANDLE event_handle;                                                      \
    HANDLE wait_handle;                                                       \
    struct uv_tcp_accept_s* next_pending;                                     \
  } uv_tcp_accept_t;                                                          \
                                                                              \
  typedef struct uv_read_s {                                                  \
    UV_REQ_FIELDS                                                             \
    HANDLE event_handle;                                                      \
    HANDLE wait_handle;                                                       \
  } uv_read_t;

#define UV_WRITE_PRIVATE_FIELDS                                               \
  int coalesced;                                                              \
  uv_buf_t write_buffer;                                                      \
  HANDLE event_handle;                                                        \
  HANDLE wait_handle;

#define UV_CONNECT_PRIVATE_FIELDS /* none */
#define UV_SHUTDOWN_PRIVATE_FIELDS /* none */
#define UV_UDP_SEND_PRIVATE_FIELDS /* none */

#define UV_WORK_PRIVATE_FIELDS                                                \
  struct uv__work work_req;

/* addrinfow holds the hints, then what GetAddrInfoW() found; addrinfo is that
 * converted, in memory of its own.
 */
#define UV_GETADDRINFO_PRIVATE_FIELDS                                         \
  struct uv__work work_req;                                                   \
  uv_getaddrinfo_cb cb;                                                       \
  void* alloc;                                                                \
  WCHAR* node;                                                                \
  WCHAR* service;                                                             \
  struct addrinfoW* addrinfow;                                                \
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

/* Arguments of file operations. libuv's own tests reach some of them as
 * file.pathw and fs.info.*, our code by the names they have on Unix: both are
 * there. pathw and fd share memory, and so do the times and the other
 * arguments: an operation has one or the other.
 */
#define uv__fs_argument_fields                                                \
  int mode;                                                                   \
  WCHAR* new_pathw;                                                           \
  int file_flags;                                                             \
  int fd_out;                                                                 \
  unsigned int nbufs;                                                         \
  uv_buf_t* bufs;                                                             \
  int64_t off;                                                                \
  uv_buf_t bufsml[4];

#define UV_FS_PRIVATE_FIELDS                                                  \
  struct uv__work work_req;                                                   \
  int flags;                                                                  \
  DWORD sys_errno_;                                                           \
  union {                                                                     \
    WCHAR* pathw;                                                             \
    uv_file fd;                                                               \
  } file;                                                                     \
  UV__EXTENSION union {                                                       \
    UV__EXTENSION struct { uv__fs_argument_fields };                          \
    UV__EXTENSION struct {                                                    \
      double atime;                                                           \
      double mtime;                                                           \
    };                                                                        \
    union {                                                                   \
      struct { uv__fs_argument_fields } info;                                 \
    } fs;                                                                     \
  };

/* ------------------------------------------------------------------------ */
/* Private: handles */

#define UV_HANDLE_PRIVATE_FIELDS                                              \
  uv_handle_t* next_closing;                                                  \
  unsigned int flags;

#define UV_PREPARE_PRIVATE_FIELDS                                             \
  struct uv__queue queue;                                                     \
  uv_prepare_cb prepare_cb;

#define UV_CHECK_PRIVATE_FIELDS                                               \
  struct uv__queue queue;                                                     \
  uv_check_cb check_cb;

#define UV_IDLE_PRIVATE_FIELDS                                                \
  struct uv__queue queue;                                                     \
  uv_idle_cb idle_cb;

#define UV_ASYNC_PRIVATE_FIELDS                                               \
  struct uv_req_s async_req;                                                  \
  uv_async_cb async_cb;                                                       \
  int pending;

#define UV_TIMER_PRIVATE_FIELDS                                               \
  union {                                                                     \
    void* heap[3];                                                            \
    struct uv__queue queue;                                                   \
  } node;                                                                     \
  int unused;                                                                 \
  uint64_t timeout;                                                           \
  uint64_t repeat;                                                            \
  uint64_t start_id;                                                          \
  uv_timer_cb timer_cb;

#define UV_SIGNAL_PRIVATE_FIELDS                                              \
  RB_ENTRY(uv_signal_s) tree_entry;                                           \
  struct uv_req_s signal_req;                                                 \
  unsigned long pending_signum;

/* Two requests, so that a change of events need not wait for the old one. */
#define UV_POLL_PRIVATE_FIELDS                                                \
  SOCKET socket;                                                              \
  SOCKET peer_socket;                                                         \
  AFD_POLL_INFO afd_poll_info_1;                                              \
  AFD_POLL_INFO afd_poll_info_2;                                              \
  uv_req_t poll_req_1;                                                        \
  uv_req_t poll_req_2;                                                        \
  unsigned char submitted_events_1;                                           \
  unsigned char submitted_events_2;                                           \
  unsigned char mask_events_1;                                                \
  unsigned char mask_events_2;                                                \
  unsigned char events;

/* A listening stream has connection_cb, a connection has the other two: they
 * share memory, so look at the handle's flags first.
 */
#define UV_STREAM_PRIVATE_FIELDS                                              \
  unsigned int reqs_pending;                                                  \
  int activecnt;                                                              \
  uv_read_t read_req;                                                         \
  UV__EXTENSION union {                                                       \
    UV__EXTENSION struct {                                                    \
      unsigned int write_reqs_pending;                                        \
      uv_shutdown_t* shutdown_req;                                            \
    };                                                                        \
    uv_connection_cb connection_cb;                                           \
  };

#define UV_TCP_PRIVATE_FIELDS                                                 \
  SOCKET socket;                                                              \
  int delayed_error;                                                          \
  union {                                                                     \
    struct {                                                                  \
      uv_tcp_accept_t* accept_reqs;                                           \
      unsigned int processed_accepts;                                         \
      uv_tcp_accept_t* pending_accepts;                                       \
      LPFN_ACCEPTEX func_acceptex;                                            \
    } serv;                                                                   \
    struct {                                                                  \
      uv_buf_t read_buffer;                                                   \
      LPFN_CONNECTEX func_connectex;                                          \
    } conn;                                                                   \
  } tcp;

/* dummy: where a write request used to be. */
#define UV_PIPE_PRIVATE_FIELDS                                                \
  HANDLE handle;                                                              \
  WCHAR* name;                                                                \
  union {                                                                     \
    struct {                                                                  \
      int pending_instances;                                                  \
      uv_pipe_accept_t* accept_reqs;                                          \
      uv_pipe_accept_t* pending_accepts;                                      \
    } serv;                                                                   \
    struct {                                                                  \
      uv_timer_t* eof_timer;                                                  \
      uintptr_t dummy[sizeof(uv_write_t) / sizeof(uintptr_t) - 2];            \
      uv_write_t* non_overlapped_write_active;                                \
      volatile HANDLE writefile_thread_handle;                                \
      DWORD ipc_remote_pid;                                                   \
      union {                                                                 \
        uint32_t payload_remaining;                                           \
        uint64_t dummy;                                                       \
      } ipc_data_frame;                                                       \
      struct uv__queue ipc_xfer_queue;                                        \
      int ipc_xfer_queue_length;                                              \
      uv_write_t* non_overlapped_writes_tail;                                 \
      CRITICAL_SECTION thread_lock;                                           \
      volatile HANDLE readfile_thread_handle;                                 \
    } conn;                                                                   \
  } pipe;

/* rd turns key events into bytes; wr turns UTF-8 and escape sequences into
 * console calls. A tty is one or the other.
 */
#define UV_TTY_PRIVATE_FIELDS                                                 \
  HANDLE handle;                                                              \
  union {                                                                     \
    struct {                                                                  \
      union {                                                                 \
        HANDLE unused_;                                                       \
        int mode;                                                             \
      } mode;                                                                 \
      uv_buf_t read_line_buffer;                                              \
      HANDLE read_raw_wait;                                                   \
      char last_key[8];                                                       \
      unsigned char last_key_offset;                                          \
      unsigned char last_key_len;                                             \
      WCHAR last_utf16_high_surrogate;                                        \
      INPUT_RECORD last_input_record;                                         \
    } rd;                                                                     \
    struct {                                                                  \
      unsigned int utf8_codepoint;                                            \
      unsigned char utf8_bytes_left;                                          \
      unsigned char previous_eol;                                             \
      unsigned short ansi_parser_state;                                       \
      unsigned char ansi_csi_argc;                                            \
      unsigned short ansi_csi_argv[4];                                        \
      COORD saved_position;                                                   \
      WORD saved_attributes;                                                  \
    } wr;                                                                     \
  } tty;

#define UV_UDP_PRIVATE_FIELDS                                                 \
  SOCKET socket;                                                              \
  unsigned int reqs_pending;                                                  \
  int activecnt;                                                              \
  uv_req_t recv_req;                                                          \
  uv_buf_t recv_buffer;                                                       \
  struct sockaddr_storage recv_from;                                          \
  int recv_from_len;                                                          \
  uv_udp_recv_cb recv_cb;                                                     \
  uv_alloc_cb alloc_cb;                                                       \
  LPFN_WSARECV func_wsarecv;                                                  \
  LPFN_WSARECVFROM func_wsarecvfrom;

#define UV_PROCESS_PRIVATE_FIELDS                                             \
  struct uv_process_exit_s {                                                  \
    UV_REQ_FIELDS                                                             \
  } exit_req;                                                                 \
  void* unused;                                                               \
  int exit_signal;                                                            \
  HANDLE wait_handle;                                                         \
  HANDLE process_handle;                                                      \
  volatile char exit_cb_pending;

#define UV_FS_EVENT_PRIVATE_FIELDS                                            \
  struct uv_fs_event_req_s {                                                  \
    UV_REQ_FIELDS                                                             \
  } req;                                                                      \
  HANDLE dir_handle;                                                          \
  int req_pending;                                                            \
  uv_fs_event_cb cb;                                                          \
  WCHAR* filew;                                                               \
  WCHAR* short_filew;                                                         \
  WCHAR* dirw;                                                                \
  char* buffer;

#define UV_DIR_PRIVATE_FIELDS                                                 \
  HANDLE dir_handle;                                                          \
  WIN32_FIND_DATAW find_data;                                                 \
  BOOL need_find_call;

#endif /* UV_WIN_H */
