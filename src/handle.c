/* SPDX-License-Identifier: MIT */
/* The life of a handle: see handle.h for the rules (H1-H5).
 *
 * uv_close() stops the handle through its class and queues it; the close phase
 * takes the queue, lets the class deliver cancellations and runs close_cb. The
 * queue is a stack on purpose: programs rely on handles closed in one tick
 * being reported in LIFO order.
 */
#include "handle.h"
#include "loop/check.h"
#include "loop/loop.h"
#include "misuse.h"
#include "observe/callback.h"
#include "os/handle-class.h"

#include <stdio.h>

void uv__handle_discard(uv_handle_t* handle) {
  assert(!uv__is_closing(handle));
  uv__hook_handle_discard(handle);
  uv__handle_stop(handle);
  uv__queue_remove(&handle->handle_queue);
}

void uv__handle_make_internal(uv_handle_t* handle) {
  assert(!uv__is_closing(handle));
  uv_unref(handle);
  handle->flags |= UV__INTERNAL;
}

/* Does ref or unref change the count? A closing handle counts once, referenced
 * or not (H1). */
static int ref_is_counted(const uv_handle_t* handle) {
  return uv__is_active(handle) && !uv__is_closing(handle);
}

void uv_ref(uv_handle_t* handle) {
  if (handle->flags & UV__REF)
    return;
  handle->flags |= UV__REF;
  if (ref_is_counted(handle))
    handle->loop->active_handles++;
}

void uv_unref(uv_handle_t* handle) {
  if (!(handle->flags & UV__REF))
    return;
  handle->flags &= ~UV__REF;
  if (ref_is_counted(handle))
    handle->loop->active_handles--;
}

int uv_has_ref(const uv_handle_t* handle) {
  return (handle->flags & UV__REF) != 0;
}

int uv_is_active(const uv_handle_t* handle) {
  return uv__is_active(handle) && !uv__is_closing(handle);
}

int uv_is_closing(const uv_handle_t* handle) {
  return uv__is_closing(handle);
}

int uv_fileno(const uv_handle_t* handle, uv_os_fd_t* fd) {
  const struct uv__handle_class* class = &uv__handle_classes[handle->type];

  if (class->get_fd == NULL)
    return UV_EINVAL;
  if (uv__is_closing(handle))
    return UV_EBADF;

  return class->get_fd(handle, fd);
}

static void push_closing(uv_handle_t* handle) {
  uv__handle_push_closing(handle->loop, handle);
  uv__loop_changed(handle->loop);
}

void uv__handle_close_after_done(uv_handle_t* handle) {
  assert(handle->flags & UV__CLOSING);
  assert(!(handle->flags & UV__CLOSED));
  push_closing(handle);
}

void uv__handle_close_later_done(uv_handle_t* handle) {
  assert(handle->loop->active_handles > 0);
  handle->loop->active_handles--;
  uv__handle_close_after_done(handle);
}

/* Returns NULL if it is not a handle, or its memory was reused. */
static const struct uv__handle_class* class_of(const uv_handle_t* handle) {
  if ((unsigned) handle->type >= UV_HANDLE_TYPE_MAX)
    return NULL;
  const struct uv__handle_class* class = &uv__handle_classes[handle->type];
  return class->close != NULL ? class : NULL;
}

void uv_close(uv_handle_t* handle, uv_close_cb close_cb) {
  const struct uv__handle_class* class = class_of(handle);

  if (class == NULL)
    uv__misuse_end(UV__RULE_CLOSE_HANDLE, handle);
  if (uv__is_closing(handle))
    uv__misuse_end(UV__RULE_CLOSE_ONCE, handle);
  uv__hook_handle_close(handle);
  uv__debug_check(uv__loop_check_handle(handle));
  uv__debug_check(
      uv__loop_check_thread(handle->loop, UV__RULE_CLOSE_THREAD, handle));

  handle->flags |= UV__CLOSING;
  handle->close_cb = close_cb;
  enum uv__close_result result = class->close(handle);

  assert(!uv__is_active(handle)); /* the class stopped it */
  if (result == UV__CLOSE_DONE)
    push_closing(handle);
  else if (result == UV__CLOSE_LATER)
    handle->loop->active_handles++; /* H1 */
}

void uv_walk(uv_loop_t* loop, uv_walk_cb walk_cb, void* arg) {
  struct uv__loop_state* state = uv__loop_state(loop);
  struct uv__queue todo;

  if (state == NULL)
    return; /* closed */
  unsigned walking = state->flags & UV__LOOP_WALKING;
  state->flags |= UV__LOOP_WALKING;
  uv__queue_move(&todo, &loop->handle_queue);

  while (!uv__queue_empty(&todo)) {
    struct uv__queue* q = uv__queue_pop_front(&todo);
    /* Queued again before the callback, which may close it. */
    uv__queue_push_back(&loop->handle_queue, q);

    uv_handle_t* handle = container_of(q, uv_handle_t, handle_queue);
    if (!(handle->flags & UV__INTERNAL))
      uv__call_walk(handle, walk_cb, arg);
  }
  if (!walking)
    state->flags &= ~UV__LOOP_WALKING;
}

static void print_handle(const uv_handle_t* handle, FILE* stream) {
  const char* name = uv_handle_type_name(handle->type);

  fprintf(stream, "[%c%c%c] %-8s %p\n", uv_has_ref(handle) ? 'R' : '-',
          uv__is_active(handle) ? 'A' : '-',
          handle->flags & UV__INTERNAL ? 'I' : '-',
          name == NULL ? "<unknown>" : name, (const void*) handle);
}

/* Prints the handles that have all of the `required` flags. */
static void print_handles(uv_loop_t* loop, unsigned required, FILE* stream) {
  if (loop == NULL)
    loop = uv_default_loop();
  if (loop == NULL)
    return;
  if (stream == NULL)
    stream = stderr;

  struct uv__queue* head = &loop->handle_queue;
  for (struct uv__queue* q = head->next; q != head; q = q->next) {
    const uv_handle_t* handle = container_of(q, uv_handle_t, handle_queue);
    if ((handle->flags & required) == required)
      print_handle(handle, stream);
  }
}

void uv_print_all_handles(uv_loop_t* loop, FILE* stream) {
  print_handles(loop, 0, stream);
}

void uv_print_active_handles(uv_loop_t* loop, FILE* stream) {
  print_handles(loop, UV__ACTIVE, stream);
}

static int buffer_size(uv_handle_t* handle, int option, int* value) {
  if (handle == NULL || value == NULL)
    return UV_EINVAL;
  if (handle->type != UV_TCP && handle->type != UV_UDP &&
      handle->type != UV_NAMED_PIPE)
    return UV_ENOTSUP;
  return uv__handle_os_buffer_size(handle, option, value);
}

int uv_send_buffer_size(uv_handle_t* handle, int* value) {
  return buffer_size(handle, SO_SNDBUF, value);
}

int uv_recv_buffer_size(uv_handle_t* handle, int* value) {
  return buffer_size(handle, SO_RCVBUF, value);
}
