/* SPDX-License-Identifier: MIT */
/* The requests in the queues of streams and UDP handles. */
#include "os/lent.h"
#include "util/queue.h"

/* One kind of request, in lists. */
struct lent_list {
  enum uv__lent_kind kind;
  uv_req_type type;
  size_t node;   /* offset of the link */
  size_t handle; /* of the pointer to the handle */
};

static const struct lent_list writes = {
  UV__LENT_WRITE,
  UV_WRITE,
  offsetof(uv_write_t, queue),
  offsetof(uv_write_t, handle),
};

static const struct lent_list sends = {
  UV__LENT_SEND,
  UV_UDP_SEND,
  offsetof(uv_udp_send_t, queue),
  offsetof(uv_udp_send_t, handle),
};

static int request_is_sound(const struct lent_list* list,
                            const void* req,
                            const void* handle) {
  return ((const uv_req_t*) req)->type == list->type &&
         *(void* const*) ((const char*) req + list->handle) == handle;
}

static void visit_data(const struct lent_list* list,
                       const void* req,
                       const struct uv__lent_visitor* visitor,
                       void* arg) {
  if (list->kind == UV__LENT_WRITE) {
    const uv_write_t* write = req;
    if (write->bufs != NULL) /* it is not complete */
      visitor->data(arg, list->kind, req, write->bufs + write->write_index,
                    write->nbufs - write->write_index);
  } else {
    const uv_udp_send_t* send = req;
    visitor->data(arg, list->kind, req, send->bufs, send->nbufs);
  }
}

/* `has_data`: none of the requests has been sent. */
static void visit_list(const struct lent_list* list,
                       const struct uv__queue* head,
                       const void* handle,
                       int has_data,
                       const struct uv__lent_visitor* visitor,
                       void* arg) {
  const struct uv__queue* last = head;

  for (const struct uv__queue* q = head->next; q != head; q = q->next) {
    const void* req = (const char*) q - list->node;
    if (q == NULL || !visitor->request(arg, list->kind, req))
      return;
    if (q->prev != last || !request_is_sound(list, req, handle)) {
      visitor->broken(arg, list->kind, req);
      return;
    }
    if (has_data)
      visit_data(list, req, visitor, arg);
    last = q;
  }
}

static void visit_stream(const uv_stream_t* stream,
                         const struct uv__lent_visitor* visitor,
                         void* arg) {
  enum uv__lent_kind connect =
      stream->type == UV_TCP ? UV__LENT_CONNECT : UV__LENT_PIPE_CONNECT;

  visit_list(&writes, &stream->write_queue, stream, 1, visitor, arg);
  visit_list(&writes, &stream->write_completed_queue, stream, 0, visitor, arg);
  if (stream->connect_req != NULL)
    (void) visitor->request(arg, connect, stream->connect_req);
  if (stream->shutdown_req != NULL)
    (void) visitor->request(arg, UV__LENT_SHUTDOWN, stream->shutdown_req);
}

void uv__lent_os_visit(const uv_handle_t* handle,
                       const struct uv__lent_visitor* visitor,
                       void* arg) {
  if (handle->type == UV_TCP || handle->type == UV_NAMED_PIPE ||
      handle->type == UV_TTY) {
    visit_stream((const uv_stream_t*) handle, visitor, arg);
  } else if (handle->type == UV_UDP) {
    const uv_udp_t* udp = (const uv_udp_t*) handle;
    visit_list(&sends, &udp->write_queue, udp, 1, visitor, arg);
    visit_list(&sends, &udp->write_completed_queue, udp, 0, visitor, arg);
  }
}
