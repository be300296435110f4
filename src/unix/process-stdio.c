/* SPDX-License-Identifier: MIT */
/* Standard input, output, error and further descriptors of a child.
 *
 *   create socket pairs -> open streams -> launch the child
 *   -> close the child's ends
 *
 * The streams are opened before the launch: a program that could not be
 * executed still leaves open streams that report EOF, which callers that check
 * them only later rely on.
 */
#include "unix/process.h"
#include "os/process.h"
#include "unix/fd.h"
#include "unix/stream.h"
#include "util/alloc.h"

#include <sys/socket.h>
#include <unistd.h>

static int inherit_fd(struct uv__stdio* stdio, int index, int fd) {
  if (fd < 0)
    return UV_EINVAL;
  stdio->fds[index].fd = fd;
  stdio->fds[index].blocking = index <= STDERR_FILENO;
  return 0;
}

static int create_pipe(struct uv__stdio* stdio,
                       int index,
                       const uv_stdio_container_t* container) {
  uv_stream_t* stream = container->data.stream;
  struct uv__stdio_pipe* end = &stdio->pipes[index];
  uv_os_sock_t pair[2];

  if (uv__stream_fd(stream) != -1)
    return UV_EBUSY;
  /* The child's end is blocking even with UV_NONBLOCK_PIPE: programs expect
   * that of inherited descriptors, and Node documents its "overlapped" pipes,
   * which set this flag, as ordinary pipes outside Windows. */
  int err = uv_socketpair(SOCK_STREAM, 0, pair, UV_NONBLOCK_PIPE, 0);
  if (err != 0)
    return err;

  end->stream = stream;
  end->parent_fd = pair[0];
  end->child_fd = pair[1];
  if (container->flags & UV_READABLE_PIPE)
    end->flags |= UV__WRITABLE;
  if (container->flags & UV_WRITABLE_PIPE)
    end->flags |= UV__READABLE;
  stdio->fds[index].fd = pair[1];
  return 0;
}

static int init_one(struct uv__stdio* stdio,
                    int index,
                    const uv_stdio_container_t* container) {
  switch (uv__stdio_kind(container)) {
  case UV_CREATE_PIPE:
    return create_pipe(stdio, index, container);
  case UV_INHERIT_FD:
    return inherit_fd(stdio, index, container->data.fd);
  case UV_INHERIT_STREAM:
    return inherit_fd(stdio, index, uv__stream_fd(container->data.stream));
  default: /* UV_IGNORE */
    return 0;
  }
}

int uv__stdio_init(struct uv__stdio* stdio,
                   const uv_process_options_t* options) {
  int count = uv__stdio_count(options);

  stdio->count = 0;
  stdio->fds = uv__malloc_array((size_t) count, sizeof(*stdio->fds));
  stdio->pipes = uv__calloc((size_t) count, sizeof(*stdio->pipes));
  int err = stdio->fds == NULL || stdio->pipes == NULL ? UV_ENOMEM : 0;

  while (err == 0 && stdio->count < count) {
    int i = stdio->count++;
    stdio->fds[i] = (struct uv__child_fd) { .fd = -1 };
    stdio->pipes[i].parent_fd = -1;
    stdio->pipes[i].child_fd = -1;
    if (i < options->stdio_count)
      err = init_one(stdio, i, &options->stdio[i]);
  }

  if (err != 0)
    uv__stdio_close(stdio);
  return err;
}

int uv__stdio_open_streams(struct uv__stdio* stdio) {
  for (int i = 0; i < stdio->count; i++) {
    struct uv__stdio_pipe* end = &stdio->pipes[i];
    if (end->stream == NULL)
      continue;
    int err = uv__stream_open(end->stream, end->parent_fd, end->flags);
    if (err != 0)
      return err;
    end->parent_fd = -1;
  }
  return 0;
}

void uv__stdio_close(struct uv__stdio* stdio) {
  for (int i = 0; i < stdio->count; i++) {
    if (stdio->pipes[i].parent_fd != -1)
      uv__fd_close(stdio->pipes[i].parent_fd);
    if (stdio->pipes[i].child_fd != -1)
      uv__fd_close(stdio->pipes[i].child_fd);
  }
  uv__free(stdio->fds);
  uv__free(stdio->pipes);
  stdio->count = 0;
}
