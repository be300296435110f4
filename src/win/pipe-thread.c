/* SPDX-License-Identifier: MIT */
/* Operations of pipes that block on threads of the system's pool: all those of
 * pipes that cannot use the loop's port, and the flush of a shutdown.
 *
 *   loop: starts a job -> thread: publishes its handle (job_publish), blocks,
 *   withdraws it (job_retract), posts the request -> loop: handler
 *
 * The loop stops a blocked job by cancelling the thread's call repeatedly until
 * the thread has retracted: a cancellation before the call has no effect. After
 * posting, a thread touches neither the request nor the pipe (R1).
 * Context: functions named work_* run on pool threads.
 */
#include "win/pipe.h"
#include "win/system-work.h"

/* Attempts to get a thread out of a call. If a device never returns, its thread
 * and request stay behind. */
#define STOP_TRIES_MAX 2000

/* Attempts before sleeping between them. */
#define STOP_SPINS 100

/* ---- thread side ---- */

/* Returns whether the job may block. job_retract() closes *thread. */
static int job_publish(uv_pipe_t* pipe,
                       struct uv__pipe_job* job,
                       OVERLAPPED* overlapped,
                       HANDLE* thread) {
  *thread = OpenThread(THREAD_TERMINATE, FALSE, GetCurrentThreadId());
  EnterCriticalSection(&pipe->pipe.conn.thread_lock);
  int go = !job->stop && *thread != NULL;
  if (go) {
    job->thread = *thread;
    job->overlapped = overlapped;
  }
  LeaveCriticalSection(&pipe->pipe.conn.thread_lock);
  return go;
}

static void job_retract(uv_pipe_t* pipe,
                        struct uv__pipe_job* job,
                        HANDLE thread) {
  EnterCriticalSection(&pipe->pipe.conn.thread_lock);
  job->thread = NULL;
  job->overlapped = NULL;
  LeaveCriticalSection(&pipe->pipe.conn.thread_lock);
  if (thread != NULL)
    CloseHandle(thread);
}

enum direction { TO_READ, TO_WRITE };

static BOOL start_transfer(HANDLE handle,
                           enum direction direction,
                           void* base,
                           DWORD len,
                           DWORD* bytes,
                           OVERLAPPED* overlapped) {
  if (direction == TO_READ)
    return ReadFile(handle, base, len, bytes, overlapped);
  return WriteFile(handle, base, len, bytes, overlapped);
}

/* Performs the operation and waits for it: bytes, or the negated Win32 error.
 * Context: any. */
static int64_t transfer_wait(uv_pipe_t* pipe,
                             enum direction direction,
                             void* base,
                             DWORD len,
                             OVERLAPPED* overlapped) {
  DWORD bytes = 0;
  BOOL ok;

  if (uv__pipe_extra(pipe)->reader.is_sync) {
    ok = start_transfer(pipe->handle, direction, base, len, &bytes, NULL);
    return ok ? (int64_t) bytes : -(int64_t) GetLastError();
  }

  HANDLE event = CreateEventW(NULL, TRUE, FALSE, NULL);
  if (event == NULL)
    return -(int64_t) GetLastError();
  /* Setting the low bit prevents a completion packet. */
  overlapped->hEvent = (HANDLE) ((uintptr_t) event | 1);
  ok = start_transfer(pipe->handle, direction, base, len, NULL, overlapped);
  DWORD sys_error = ok ? ERROR_SUCCESS : GetLastError();
  if (ok || sys_error == ERROR_IO_PENDING) {
    WaitForSingleObject(event, INFINITE);
    ok = GetOverlappedResult(pipe->handle, overlapped, &bytes, FALSE);
    sys_error = ok ? ERROR_SUCCESS : GetLastError();
  }
  CloseHandle(event);
  return ok ? (int64_t) bytes : -(int64_t) sys_error;
}

static int64_t transfer_as_job(uv_pipe_t* pipe,
                               struct uv__pipe_job* job,
                               enum direction direction,
                               const uv_buf_t* buf) {
  OVERLAPPED overlapped = { 0 };
  HANDLE thread = NULL;
  int64_t result = -(int64_t) ERROR_OPERATION_ABORTED;

  OVERLAPPED* cancelled =
      uv__pipe_extra(pipe)->reader.is_sync ? NULL : &overlapped;
  if (job_publish(pipe, job, cancelled, &thread))
    result = transfer_wait(pipe, direction, buf->base, buf->len, &overlapped);
  job_retract(pipe, job, thread);
  return result;
}

static void post_result(uv_loop_t* loop, void* req, int64_t result) {
  if (result >= 0)
    uv__req_set_bytes(req, (size_t) result);
  else
    uv__req_set_error(req, (DWORD) -result);
  uv__req_post(loop, req);
}

static void CALLBACK work_read(PTP_CALLBACK_INSTANCE instance, void* arg) {
  uv_pipe_t* pipe = arg;
  char nothing;
  uv_buf_t buf = uv_buf_init(&nothing, 0);

  int64_t result =
      transfer_as_job(pipe, &uv__pipe_extra(pipe)->reader, TO_READ, &buf);
  (void) instance;
  post_result(pipe->loop, &pipe->read_req, result);
}

static void CALLBACK work_write(PTP_CALLBACK_INSTANCE instance, void* arg) {
  uv_write_t* req = arg;
  uv_pipe_t* pipe = (uv_pipe_t*) req->handle;

  int64_t result = transfer_as_job(pipe, &uv__pipe_extra(pipe)->writer,
                                   TO_WRITE, &req->write_buffer);
  (void) instance;
  post_result(pipe->loop, req, result);
}

static void CALLBACK work_flush(PTP_CALLBACK_INSTANCE instance, void* arg) {
  uv_shutdown_t* req = arg;
  uv_pipe_t* pipe = (uv_pipe_t*) req->handle;
  struct uv__pipe_job* job = &uv__pipe_extra(pipe)->flusher;
  HANDLE thread = NULL;

  (void) instance;
  /* The result does not matter: all data was read, or nobody is left to read
   * it. */
  if (job_publish(pipe, job, NULL, &thread))
    (void) FlushFileBuffers(pipe->handle);
  job_retract(pipe, job, thread);
  post_result(pipe->loop, req, 0);
}

/* ---- loop side ---- */

static void start_job(uv_pipe_t* pipe,
                      struct uv__pipe_job* job,
                      uv__system_work_fn* work,
                      void* arg,
                      void* req) {
  uv__req_overlapped(req)->Internal = STATUS_PENDING;
  job->stop = 0; /* no thread is running */
  if (uv__system_work(work, arg) == 0)
    return;
  uv__req_set_error(req, ERROR_NOT_ENOUGH_MEMORY);
  uv__req_pend(pipe->loop, req);
}

/* One attempt; returns whether the job has left its call. */
static int try_stop(uv_pipe_t* pipe, struct uv__pipe_job* job) {
  EnterCriticalSection(&pipe->pipe.conn.thread_lock);
  job->stop = 1;
  int is_out = job->thread == NULL;
  if (!is_out) {
    if (job->overlapped == NULL)
      CancelSynchronousIo(job->thread);
    else
      CancelIoEx(pipe->handle, job->overlapped);
  }
  LeaveCriticalSection(&pipe->pipe.conn.thread_lock);
  return is_out;
}

static void stop_job(uv_pipe_t* pipe, struct uv__pipe_job* job) {
  for (int i = 0; i < STOP_TRIES_MAX && !try_stop(pipe, job); i++)
    Sleep(i < STOP_SPINS ? 0 : 1);
}

void uv__pipe_thread_read(uv_pipe_t* pipe) {
  start_job(pipe, &uv__pipe_extra(pipe)->reader, work_read, pipe,
            &pipe->read_req);
}

void uv__pipe_thread_stop_read(uv_pipe_t* pipe) {
  if (pipe->flags & UV__READ_PENDING)
    stop_job(pipe, &uv__pipe_extra(pipe)->reader);
}

/* The queue is circular, with a pointer to its last element. */
static void queue_write(uv_pipe_t* pipe, uv_write_t* req) {
  uv_write_t* last = pipe->pipe.conn.non_overlapped_writes_tail;

  if (last == NULL) {
    req->next_req = (uv_req_t*) req;
  } else {
    req->next_req = last->next_req;
    last->next_req = (uv_req_t*) req;
  }
  pipe->pipe.conn.non_overlapped_writes_tail = req;
}

static uv_write_t* unqueue_first(uv_pipe_t* pipe) {
  uv_write_t* last = pipe->pipe.conn.non_overlapped_writes_tail;
  if (last == NULL)
    return NULL;

  uv_write_t* first = (uv_write_t*) last->next_req;
  if (first == last)
    pipe->pipe.conn.non_overlapped_writes_tail = NULL;
  else
    last->next_req = first->next_req;
  first->next_req = NULL;
  return first;
}

int uv__pipe_thread_unqueue(uv_pipe_t* pipe, uv_write_t* req) {
  uv_write_t* last = pipe->pipe.conn.non_overlapped_writes_tail;
  int found = 0;

  /* One full round: every other element goes back to the end. */
  for (int at_end = last == NULL; !at_end;) {
    uv_write_t* first = unqueue_first(pipe);
    at_end = first == last;
    if (first == req)
      found = 1;
    else
      queue_write(pipe, first);
  }
  return found;
}

static void start_next_write(uv_pipe_t* pipe) {
  uv_write_t* req = unqueue_first(pipe);
  if (req == NULL)
    return;

  pipe->pipe.conn.non_overlapped_write_active = req;
  if (pipe->flags & UV__PIPE_SYNC)
    uv__pipe_thread_stop_read(pipe);
  start_job(pipe, &uv__pipe_extra(pipe)->writer, work_write, req, req);
}

void uv__pipe_thread_write(uv_pipe_t* pipe, uv_write_t* req) {
  queue_write(pipe, req);
  if (pipe->pipe.conn.non_overlapped_write_active == NULL)
    start_next_write(pipe);
}

void uv__pipe_thread_write_done(uv_pipe_t* pipe) {
  pipe->pipe.conn.non_overlapped_write_active = NULL;
  if (uv__is_closing(uv__base(pipe)))
    return;
  start_next_write(pipe);
  uv__pipe_read_continue(pipe);
}

int64_t uv__pipe_write_waiting(uv_pipe_t* pipe, const void* base, DWORD len) {
  OVERLAPPED overlapped = { 0 };
  return transfer_wait(pipe, TO_WRITE, (void*) base, len, &overlapped);
}

void uv__pipe_thread_stop(uv_pipe_t* pipe) {
  uv_write_t* req;

  while ((req = unqueue_first(pipe)) != NULL) {
    uv__req_set_error(req, ERROR_OPERATION_ABORTED);
    uv__req_pend(pipe->loop, req);
  }
  if (pipe->pipe.conn.non_overlapped_write_active != NULL)
    stop_job(pipe, &uv__pipe_extra(pipe)->writer);
  uv__pipe_thread_stop_read(pipe);
}

int uv__pipe_thread_flush(uv_pipe_t* pipe, uv_shutdown_t* req) {
  uv__pipe_extra(pipe)->flusher.stop = 0;
  return uv__system_work(work_flush, req);
}

void uv__pipe_thread_stop_flush(uv_pipe_t* pipe) {
  stop_job(pipe, &uv__pipe_extra(pipe)->flusher);
}
