/* SPDX-License-Identifier: MIT */
/* uvx_release(): which handles give their descriptor away. */
#include "os/stream.h"
#include "os/udp.h"

typedef int release_fn(uv_handle_t* handle, uv_os_fd_t* fd);

static int stream_release(uv_handle_t* handle, uv_os_fd_t* fd) {
  uv_stream_t* stream = (uv_stream_t*) handle;

  return uv__reader_owns(stream) ? UV_EBUSY : uv__stream_os_release(stream, fd);
}

static int udp_release(uv_handle_t* handle, uv_os_fd_t* fd) {
  return uv__udp_os_release((uv_udp_t*) handle, fd);
}

/* The other types have no descriptor, or one that is of no use elsewhere. */
static release_fn* const releases[UV_HANDLE_TYPE_MAX] = {
  [UV_NAMED_PIPE] = stream_release,
  [UV_TCP] = stream_release,
  [UV_UDP] = udp_release,
};

int uvx_release(uv_handle_t* handle, uv_os_fd_t* fd) {
  if (handle == NULL || fd == NULL || uv__is_closing(handle))
    return UV_EINVAL;
  if ((unsigned) handle->type >= UV_HANDLE_TYPE_MAX ||
      releases[handle->type] == NULL)
    return UV_EINVAL;

  return releases[handle->type](handle, fd);
}
