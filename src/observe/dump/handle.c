/* SPDX-License-Identifier: MIT */
/* One handle as a line: flags, type, address, descriptor, then details of its
 * type. Of a closing handle, only type and flags are read. */
#include "handle.h"
#include "observe/dump/dump.h"

#include <string.h>

#define PATH_SIZE 1024
/* The address of a function, to be looked up. */
#define ADDRESS(function) ((const void*) (uintptr_t) (function))

static void add_symbol(struct uv__dump* dump,
                       const char* call,
                       const void* function) {
  if (function != NULL)
    uv__strbuf_add(&dump->text, ", %s %s", call,
                   uv__symbol_name(&dump->symbols, function));
}

static void add_flags(struct uv__dump* dump, const uv_handle_t* handle) {
  static const struct {
    unsigned flag;
    const char* text;
  } states[] = {
    { UV__LISTENING, ", listening" },      { UV__CONNECTED, ", connected" },
    { UV__READING, ", reading" },          { UV__READ_EOF, ", end of input" },
    { UV__SHUTTING, ", shutting down" },   { UV__SHUT, ", shut down" },
    { UV__BLOCKING_WRITES, ", blocking" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(states); i++)
    if (handle->flags & states[i].flag)
      uv__strbuf_add(&dump->text, "%s", states[i].text);
}

static void add_address(struct uv__dump* dump,
                        const char* before,
                        int err,
                        const struct sockaddr_storage* addr) {
  char ip[64];

  if (err != 0 || uv_ip_name((const struct sockaddr*) addr, ip, sizeof(ip)))
    return;
  if (addr->ss_family == AF_INET6)
    uv__strbuf_add(&dump->text, "%s[%s]:%u", before, ip,
                   ntohs(((const struct sockaddr_in6*) addr)->sin6_port));
  else
    uv__strbuf_add(&dump->text, "%s%s:%u", before, ip,
                   ntohs(((const struct sockaddr_in*) addr)->sin_port));
}

static void add_stream(struct uv__dump* dump, const uv_stream_t* stream) {
  add_flags(dump, (const uv_handle_t*) stream);
  uv__strbuf_add(&dump->text, ", %llu bytes to write",
                 (unsigned long long) uv_stream_get_write_queue_size(stream));
  if (stream->flags & UV__LISTENING) {
    add_symbol(dump, "connection", ADDRESS(stream->connection_cb));
  } else if (stream->flags & UV__READING) {
    add_symbol(dump, "alloc", ADDRESS(stream->alloc_cb));
    add_symbol(dump, "read", ADDRESS(stream->read_cb));
  }
}

static void add_tcp(struct uv__dump* dump, const uv_handle_t* handle) {
  const uv_tcp_t* tcp = (const uv_tcp_t*) handle;
  struct sockaddr_storage addr;
  int len = sizeof(addr);
  int err = uv_tcp_getsockname(tcp, (struct sockaddr*) &addr, &len);

  add_address(dump, ", ", err, &addr);
  len = sizeof(addr);
  err = uv_tcp_getpeername(tcp, (struct sockaddr*) &addr, &len);
  add_address(dump, " to ", err, &addr);
  add_stream(dump, (const uv_stream_t*) handle);
}

static void add_path(struct uv__dump* dump,
                     const char* before,
                     int err,
                     const char* path,
                     size_t len) {
  if (err != 0 || len == 0)
    return;
  uv__strbuf_add(&dump->text, "%s", before);
  uv__dump_add_name(dump, path, len);
}

static void add_pipe(struct uv__dump* dump, const uv_handle_t* handle) {
  const uv_pipe_t* pipe = (const uv_pipe_t*) handle;
  char path[PATH_SIZE];
  size_t len = sizeof(path);
  int err = uv_pipe_getsockname(pipe, path, &len);

  add_path(dump, ", ", err, path, len);
  len = sizeof(path);
  err = uv_pipe_getpeername(pipe, path, &len);
  add_path(dump, " to ", err, path, len);
  if (pipe->ipc)
    uv__strbuf_add(&dump->text, ", ipc");
  add_stream(dump, (const uv_stream_t*) handle);
}

static void add_tty(struct uv__dump* dump, const uv_handle_t* handle) {
  add_stream(dump, (const uv_stream_t*) handle);
}

static void add_udp(struct uv__dump* dump, const uv_handle_t* handle) {
  const uv_udp_t* udp = (const uv_udp_t*) handle;
  struct sockaddr_storage addr;
  int len = sizeof(addr);
  int err = uv_udp_getsockname(udp, (struct sockaddr*) &addr, &len);

  add_address(dump, ", ", err, &addr);
  len = sizeof(addr);
  err = uv_udp_getpeername(udp, (struct sockaddr*) &addr, &len);
  add_address(dump, " to ", err, &addr);
  uv__strbuf_add(&dump->text, ", %llu datagrams (%llu bytes) to send",
                 (unsigned long long) uv_udp_get_send_queue_count(udp),
                 (unsigned long long) uv_udp_get_send_queue_size(udp));
  if (handle->flags & UV__READING) {
    add_symbol(dump, "alloc", ADDRESS(udp->alloc_cb));
    add_symbol(dump, "recv", ADDRESS(udp->recv_cb));
  }
}

static void add_timer(struct uv__dump* dump, const uv_handle_t* handle) {
  const uv_timer_t* timer = (const uv_timer_t*) handle;
  /* By the clock: the loop's time does not advance in a callback. */
  double due_ms = (double) (int64_t) (timer->timeout - dump->now_ns) / 1e6;

  if (!uv__is_active(handle))
    return;
  if (timer->timeout >= INT64_MAX)
    uv__strbuf_add(&dump->text, ", never due");
  else if (due_ms >= 0)
    uv__strbuf_add(&dump->text, ", due in %.3f ms", due_ms);
  else
    uv__strbuf_add(&dump->text, ", due since %.3f ms", -due_ms);
  if (timer->repeat != 0)
    uv__strbuf_add(&dump->text, ", repeats every %llu ms",
                   (unsigned long long) timer->repeat);
  add_symbol(dump, "timer", ADDRESS(timer->timer_cb));
}

static void add_async(struct uv__dump* dump, const uv_handle_t* handle) {
  uv_async_t* async = (uv_async_t*) handle;

  if (uv__load_relaxed(&async->pending))
    uv__strbuf_add(&dump->text, ", pending");
  add_symbol(dump, "async", ADDRESS(async->async_cb));
}

static void add_signal(struct uv__dump* dump, const uv_handle_t* handle) {
  const uv_signal_t* signal = (const uv_signal_t*) handle;

  if (!uv__is_active(handle))
    return;
  uv__strbuf_add(&dump->text, ", signal %d", signal->signum);
  add_symbol(dump, "signal", ADDRESS(signal->signal_cb));
}

static void add_process(struct uv__dump* dump, const uv_handle_t* handle) {
  const uv_process_t* process = (const uv_process_t*) handle;

  uv__strbuf_add(&dump->text, ", pid %d", (int) process->pid);
  add_symbol(dump, "exit", ADDRESS(process->exit_cb));
}

static void add_poll(struct uv__dump* dump, const uv_handle_t* handle) {
  if (uv__is_active(handle))
    add_symbol(dump, "poll", ADDRESS(((const uv_poll_t*) handle)->poll_cb));
}

static void add_fs_event(struct uv__dump* dump, const uv_handle_t* handle) {
  uv_fs_event_t* event = (uv_fs_event_t*) handle;
  char path[PATH_SIZE];
  size_t len = sizeof(path);
  int err = uv_fs_event_getpath(event, path, &len);

  add_path(dump, ", ", err, path, len);
  if (uv__is_active(handle))
    add_symbol(dump, "fs_event", ADDRESS(event->cb));
}

static void add_fs_poll(struct uv__dump* dump, const uv_handle_t* handle) {
  char path[PATH_SIZE];
  size_t len = sizeof(path);
  int err = uv_fs_poll_getpath((uv_fs_poll_t*) handle, path, &len);

  add_path(dump, ", ", err, path, len);
}

static void add_idle(struct uv__dump* dump, const uv_handle_t* handle) {
  if (uv__is_active(handle))
    add_symbol(dump, "idle", ADDRESS(((const uv_idle_t*) handle)->idle_cb));
}

static void add_prepare(struct uv__dump* dump, const uv_handle_t* handle) {
  if (uv__is_active(handle))
    add_symbol(dump, "prepare",
               ADDRESS(((const uv_prepare_t*) handle)->prepare_cb));
}

static void add_check(struct uv__dump* dump, const uv_handle_t* handle) {
  if (uv__is_active(handle))
    add_symbol(dump, "check", ADDRESS(((const uv_check_t*) handle)->check_cb));
}

typedef void (*add_fn)(struct uv__dump* dump, const uv_handle_t* handle);

static const add_fn adders[UV_HANDLE_TYPE_MAX] = {
  [UV_ASYNC] = add_async,       [UV_CHECK] = add_check,
  [UV_FS_EVENT] = add_fs_event, [UV_FS_POLL] = add_fs_poll,
  [UV_IDLE] = add_idle,         [UV_NAMED_PIPE] = add_pipe,
  [UV_POLL] = add_poll,         [UV_PREPARE] = add_prepare,
  [UV_PROCESS] = add_process,   [UV_SIGNAL] = add_signal,
  [UV_TCP] = add_tcp,           [UV_TIMER] = add_timer,
  [UV_TTY] = add_tty,           [UV_UDP] = add_udp,
};

void uv__dump_handle(struct uv__dump* dump, const uv_handle_t* handle) {
  uv_os_fd_t fd;
  const char* name = uv_handle_type_name(handle->type);
  unsigned flags = handle->flags;

  uv__strbuf_add(&dump->text, "  [%c%c%c%c] %-8s %p",
                 flags & UV__REF ? 'R' : '-', flags & UV__ACTIVE ? 'A' : '-',
                 flags & UV__CLOSING ? 'C' : '-',
                 flags & UV__INTERNAL ? 'I' : '-', name != NULL ? name : "?",
                 (const void*) handle);
  /* H5: the program may have freed it. */
  if (!uv__is_closing(handle) && name != NULL) {
    if (uv_fileno(handle, &fd) == 0)
      uv__strbuf_add(&dump->text, ", fd %lld", (long long) (intptr_t) fd);
    if (adders[handle->type] != NULL)
      adders[handle->type](dump, handle);
  }
  uv__strbuf_add(&dump->text, "\n");
}
