/* SPDX-License-Identifier: MIT */
/* Getters and setters for languages that cannot read C structures, and the
 * names and sizes of the types. Context: any, while no other thread uses the
 * object.
 */
#include "util/base.h"

/* Name and size of a handle or request type. */
struct type_info {
  const char* name; /* NULL: no such type */
  size_t size;      /* 0: never made by the user */
};

static const struct type_info handle_types[] = {
#define XX(uc, lc) [UV_##uc] = { #lc, sizeof(uv_##lc##_t) },
  UV_HANDLE_TYPE_MAP(XX)
#undef XX
      [UV_FILE] = { "file", 0 },
};

static const struct type_info req_types[] = {
#define XX(uc, lc) [UV_##uc] = { #lc, sizeof(uv_##lc##_t) },
  UV_REQ_TYPE_MAP(XX)
#undef XX
};

static_assert(ARRAY_SIZE(handle_types) == UV_HANDLE_TYPE_MAX,
              "a row for each handle type");
static_assert(ARRAY_SIZE(req_types) == UV_RANDOM + 1,
              "a row for each public request type");
static_assert(ARRAY_SIZE(req_types) <= UV_REQ_TYPE_MAX,
              "private request types come last");

/* Returns the row of `type`, or an empty one. A caller may pass any int. */
static struct type_info info_of(const struct type_info* table,
                                size_t rows,
                                unsigned type) {
  return type < rows ? table[type] : (struct type_info) { NULL, 0 };
}

static size_t size_or_unknown(struct type_info info) {
  return info.size != 0 ? info.size : (size_t) -1;
}

size_t uv_handle_size(uv_handle_type type) {
  return size_or_unknown(
      info_of(handle_types, ARRAY_SIZE(handle_types), (unsigned) type));
}

const char* uv_handle_type_name(uv_handle_type type) {
  return info_of(handle_types, ARRAY_SIZE(handle_types), (unsigned) type).name;
}

size_t uv_req_size(uv_req_type type) {
  return size_or_unknown(
      info_of(req_types, ARRAY_SIZE(req_types), (unsigned) type));
}

const char* uv_req_type_name(uv_req_type type) {
  return info_of(req_types, ARRAY_SIZE(req_types), (unsigned) type).name;
}

size_t uv_loop_size(void) {
  return sizeof(uv_loop_t);
}

/* The user's pointer. */

void uv_handle_set_data(uv_handle_t* handle, void* data) {
  handle->data = data;
}

void uv_req_set_data(uv_req_t* req, void* data) {
  req->data = data;
}

void uv_loop_set_data(uv_loop_t* loop, void* data) {
  loop->data = data;
}

void* uv_loop_get_data(const uv_loop_t* loop) {
  return loop->data;
}

void* uv_handle_get_data(const uv_handle_t* handle) {
  return handle->data;
}

void* uv_req_get_data(const uv_req_t* req) {
  return req->data;
}

/* Type and owner of an object. */

uv_req_type uv_req_get_type(const uv_req_t* req) {
  return req->type;
}

uv_fs_type uv_fs_get_type(const uv_fs_t* req) {
  return req->fs_type;
}

uv_handle_type uv_handle_get_type(const uv_handle_t* handle) {
  return handle->type;
}

uv_loop_t* uv_handle_get_loop(const uv_handle_t* handle) {
  return handle->loop;
}

uv_pid_t uv_process_get_pid(const uv_process_t* proc) {
  return proc->pid;
}

/* Queue sizes and progress. */

size_t uv_udp_get_send_queue_count(const uv_udp_t* handle) {
  return handle->send_queue_count;
}

size_t uv_udp_get_send_queue_size(const uv_udp_t* handle) {
  return handle->send_queue_size;
}

size_t uv_write_nwritten(const uv_write_t* req) {
  return req->write_extra.nwritten;
}

size_t uv_stream_get_write_queue_size(const uv_stream_t* stream) {
  return stream->write_queue_size;
}

uv_buf_t uv_buf_init(char* base, unsigned int len) {
  return (uv_buf_t) { .base = base, .len = len };
}

/* The outcome of a file request. */

const char* uv_fs_get_path(const uv_fs_t* req) {
  return req->path;
}

uv_stat_t* uv_fs_get_statbuf(uv_fs_t* req) {
  return &req->statbuf;
}

void* uv_fs_get_ptr(const uv_fs_t* req) {
  return req->ptr;
}

ssize_t uv_fs_get_result(const uv_fs_t* req) {
  return req->result;
}
