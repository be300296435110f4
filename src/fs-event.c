/* SPDX-License-Identifier: MIT */
/* Watching a path for changes: the part that every platform shares. */
#include "os/fs-event.h"
#include "misuse.h"
#include "util/alloc.h"
#include "util/out-string.h"

int uv_fs_event_init(uv_loop_t* loop, uv_fs_event_t* handle) {
  uv__handle_init(loop, uv__base(handle), UV_FS_EVENT);
  handle->path = NULL;
  uv__fs_event_os_init(handle);
  return 0;
}

int uv_fs_event_start(uv_fs_event_t* handle,
                      uv_fs_event_cb cb,
                      const char* path,
                      unsigned int flags) {
  if (cb == NULL || path == NULL || uv__is_active(uv__base(handle)) ||
      uv__is_closing(uv__base(handle)))
    return uv__misuse_refuse(UV__RULE_FS_EVENT_START, handle, UV_EINVAL);

  char* copy = uv__strdup(path);
  if (copy == NULL)
    return UV_ENOMEM;

  handle->path = copy;
  handle->cb = cb;
  uv__handle_start(uv__base(handle));
  int err = uv__fs_event_os_start(handle, flags);
  if (err != 0) {
    uv__handle_stop(uv__base(handle));
    handle->path = NULL;
    uv__free(copy);
  }
  return err;
}

int uv_fs_event_stop(uv_fs_event_t* handle) {
  if (!uv__is_active(uv__base(handle)))
    return 0;

  uv__fs_event_os_stop(handle);
  uv__handle_stop(uv__base(handle));
  uv__free(handle->path);
  handle->path = NULL;
  return 0;
}

int uv_fs_event_getpath(uv_fs_event_t* handle, char* buffer, size_t* size) {
  if (uv__out_string_check(buffer, size) != 0)
    return UV_EINVAL;
  if (!uv__is_active(uv__base(handle))) {
    *size = 0;
    return UV_EINVAL;
  }
  return uv__out_string_put(handle->path, strlen(handle->path), buffer, size);
}

int uvx_fs_event_filter(uv_fs_event_t* handle, uvx_fs_event_filter_cb cb) {
  if (handle == NULL || handle->type != UV_FS_EVENT ||
      uv__is_closing(uv__base(handle)))
    return UV_EINVAL;
  if (uv__is_active(uv__base(handle)))
    return UV_EBUSY;
  return uv__fs_event_os_filter(handle, cb);
}

size_t uvx_fs_event_unscanned(const uv_fs_event_t* handle) {
  if (handle == NULL || !uv__is_active((const uv_handle_t*) handle))
    return 0;
  return uv__fs_event_os_unscanned(handle);
}

enum uv__close_result uv__fs_event_close(uv_handle_t* handle) {
  assert(handle->type == UV_FS_EVENT);
  (void) uv_fs_event_stop((uv_fs_event_t*) handle); /* cannot fail */
  return UV__CLOSE_DONE;
}
