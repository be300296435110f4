/* SPDX-License-Identifier: MIT */
/* Threads: creation, exit, identity, names, thread-local keys.
 *
 * A uv_thread_t is a handle. A thread that we created uses the handle its
 * creator got; a foreign thread gets one when it first asks for its identity,
 * which is closed when the thread ends. Context: any.
 *
 * Identity is kept in thread-local rather than fiber-local storage, although
 * the latter has exit callbacks: all fibers of a thread share its identity, a
 * process has only 128 fiber slots before Windows 10 1903, and the callbacks
 * still run after their DLL has been unloaded. The loader reports the end of
 * threads through an image's TLS callbacks, until the image is unloaded; see
 * "TLS Callback Functions" in
 * https://learn.microsoft.com/windows/win32/debug/pe-format
 */
#include "util/base.h"
#include "os/thread.h"
#include "util/alloc.h"
#include "util/fatal.h"
#include "win/compiler.h"
#include "win/error.h"
#include "win/wide.h"
#include "win/winapi.h"

#include <errno.h>
#include <limits.h>
#include <process.h>
#include <string.h>

/* Limit of SetThreadDescription(): a UNICODE_STRING without the NUL. */
#define NAME_UNITS_MAX 32766

/* Of the library's own threads. */
#define STACK_OWN ((size_t) 512 << 10)

static DWORD key_slot = TLS_OUT_OF_INDEXES;
static void (*key_at_exit)(void* data);
static uv_once_t self_once = UV_ONCE_INIT;
/* Slots; TLS_OUT_OF_INDEXES until they are allocated. */
static DWORD self_slot = TLS_OUT_OF_INDEXES;  /* of the thread's own handle */
static DWORD owned_slot = TLS_OUT_OF_INDEXES; /* the same, if it must be
                                               * closed at the end */

/* Arguments for a new thread, which frees them. */
struct thread_start {
  uv_thread_cb entry; /* the user's function */
  void* arg;          /* its argument */
  HANDLE self;        /* the handle its creator holds */
};

/* As specified by uv__thread_os_key_create(). Context: any thread that ends,
 * with the loader lock held. */
static void key_thread_ends(void) {
  void* data = NULL;

  if (key_slot != TLS_OUT_OF_INDEXES)
    data = TlsGetValue(key_slot);
  if (data != NULL)
    key_at_exit(data);
}

/* Context: any thread that ends, with the loader lock held. */
static void NTAPI on_thread_event(void* image, DWORD reason, void* reserved) {
  (void) image;
  (void) reserved;
  if (reason != DLL_THREAD_DETACH)
    return;
  key_thread_ends();
  if (owned_slot == TLS_OUT_OF_INDEXES)
    return;
  HANDLE thread = TlsGetValue(owned_slot);
  if (thread != NULL)
    CloseHandle(thread);
}

UV__ON_THREAD_EVENT(on_thread_event);

static void make_slots(void) {
  self_slot = TlsAlloc();
  owned_slot = TlsAlloc();
  if (self_slot == TLS_OUT_OF_INDEXES || owned_slot == TLS_OUT_OF_INDEXES)
    uv__fatal("uv_thread_self: no slot", UV_EAGAIN);
}

static unsigned __stdcall thread_main(void* data) {
  struct thread_start* box = data;
  struct thread_start start = *box;

  uv__free(box);
  uv_once(&self_once, make_slots);
  TlsSetValue(self_slot, start.self);
  start.entry(start.arg);
  return 0;
}

/* Whole pages, within the range of the call's parameter; 0 for the program's
 * default, -1 if out of range. */
static int64_t stack_size_for(const uv_thread_options_t* options) {
  SYSTEM_INFO info;
  GetNativeSystemInfo(&info);

  uint64_t page = info.dwPageSize;
  uint64_t size = uv__thread_stack_size(options);
  if (size > UINT_MAX - page)
    return -1;
  return (int64_t) ((size + page - 1) / page * page);
}

static int create_error(int crt_errno) {
  if (crt_errno == EAGAIN)
    return UV_EAGAIN;
  return crt_errno == EINVAL ? UV_EINVAL : UV_ENOMEM;
}

int uv__thread_os_create(uv_thread_t* tid,
                         const uv_thread_options_t* options,
                         uv_thread_cb entry,
                         void* arg) {
  int64_t stack_size = stack_size_for(options);
  if (stack_size < 0)
    return UV_EINVAL;

  struct thread_start* start = uv__malloc(sizeof(*start));
  if (start == NULL)
    return UV_ENOMEM;
  start->entry = entry;
  start->arg = arg;

  /* Suspended: it must not run before the thread and its creator know the
   * handle. */
  unsigned flags = CREATE_SUSPENDED | STACK_SIZE_PARAM_IS_A_RESERVATION;
  HANDLE thread = (HANDLE) _beginthreadex(NULL, (unsigned) stack_size,
                                          thread_main, start, flags, NULL);
  if (thread == NULL) {
    int err = create_error(errno);
    uv__free(start);
    return err;
  }

  start->self = thread;
  *tid = thread;
  if (ResumeThread(thread) == (DWORD) -1)
    uv__fatal("uv_thread_create", uv__last_error());
  return 0;
}

int uv__thread_os_detach(uv_thread_t* tid) {
  return CloseHandle(*tid) ? 0 : uv__last_error();
}

int uv__thread_os_join(uv_thread_t* tid) {
  if (WaitForSingleObject(*tid, INFINITE) != WAIT_OBJECT_0)
    return uv__last_error();
  CloseHandle(*tid);
  *tid = NULL;
  return 0;
}

/* A real handle for a foreign thread. */
static HANDLE adopt_thread(void) {
  HANDLE process = GetCurrentProcess();
  HANDLE thread;

  if (!DuplicateHandle(process, GetCurrentThread(), process, &thread, 0, FALSE,
                       DUPLICATE_SAME_ACCESS))
    uv__fatal("uv_thread_self", uv__last_error());
  TlsSetValue(owned_slot, thread);
  TlsSetValue(self_slot, thread);
  return thread;
}

uv_thread_t uv_thread_self(void) {
  uv_once(&self_once, make_slots);
  HANDLE thread = TlsGetValue(self_slot);
  return thread != NULL ? thread : adopt_thread();
}

int uv_thread_equal(const uv_thread_t* t1, const uv_thread_t* t2) {
  return *t1 == *t2;
}

static int hresult_error(HRESULT result) {
  if (HRESULT_FACILITY(result) == FACILITY_WIN32)
    return uv_translate_sys_error(HRESULT_CODE(result));
  /* The error is an NTSTATUS. */
  if ((ULONG) result & FACILITY_NT_BIT)
    return uv__status_error((LONG) ((ULONG) result & ~FACILITY_NT_BIT));
  return UV_UNKNOWN;
}

int uv__thread_os_setname(const char* name) {
  if (uv__winapi()->SetThreadDescription == NULL)
    return UV_ENOSYS;

  WCHAR* wide;
  int err = uv__wide_from_utf8(name, &wide);
  if (err != 0)
    return err;

  if (wcslen(wide) > NAME_UNITS_MAX)
    wide[NAME_UNITS_MAX] = L'\0';
  HRESULT result = uv__winapi()->SetThreadDescription(GetCurrentThread(), wide);
  uv__free(wide);
  return FAILED(result) ? hresult_error(result) : 0;
}

int uv__thread_os_getname(uv_thread_t* tid, char* name, size_t size) {
  if (uv__winapi()->GetThreadDescription == NULL)
    return UV_ENOSYS;

  WCHAR* wide;
  HRESULT result = uv__winapi()->GetThreadDescription(*tid, &wide);
  if (FAILED(result))
    return hresult_error(result);

  char* full;
  int err = uv__wide_to_utf8(wide, -1, &full);
  LocalFree(wide);
  if (err != 0)
    return err;

  size_t len = uv__min_size(strlen(full), size - 1);
  memcpy(name, full, len);
  name[len] = '\0';
  uv__free(full);
  return 0;
}

int uv_key_create(uv_key_t* key) {
  key->tls_index = TlsAlloc();
  return key->tls_index == TLS_OUT_OF_INDEXES ? UV_ENOMEM : 0;
}

void uv_key_delete(uv_key_t* key) {
  if (!TlsFree(key->tls_index))
    uv__fatal("uv_key_delete", uv__last_error());
  key->tls_index = TLS_OUT_OF_INDEXES;
}

void* uv_key_get(uv_key_t* key) {
  void* value = TlsGetValue(key->tls_index);

  if (value == NULL && GetLastError() != ERROR_SUCCESS)
    uv__fatal("uv_key_get", uv__last_error());
  return value;
}

void uv_key_set(uv_key_t* key, void* value) {
  if (!TlsSetValue(key->tls_index, value))
    uv__fatal("uv_key_set", uv__last_error());
}

void uv__thread_os_yield(void) {
  (void) SwitchToThread(); /* 0: no other thread was ready */
}

/* Neither a yield nor Sleep(0) lets threads of lower priority run. */
void uv__thread_os_doze(void) {
  Sleep(1);
}

int uv__thread_os_at_fork(void (*reset)(void)) {
  (void) reset; /* there is no fork on Windows */
  return 0;
}

int uv__thread_os_start_own(uv_thread_t* thread, uv_thread_cb entry) {
  uv_thread_options_t options = { UV_THREAD_HAS_STACK_SIZE, STACK_OWN };

  return uv_thread_create_ex(thread, &options, entry, NULL);
}

uintptr_t uv__thread_os_self(void) {
  return GetCurrentThreadId();
}

uint64_t uv__thread_os_id(void) {
  return GetCurrentThreadId();
}

void uv__thread_os_lower_priority(void) {
  /* It is a courtesy: a failure changes nothing else. */
  (void) SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
}

int uv__thread_os_key_create(uv_key_t* key, void (*at_exit)(void* data)) {
  int err = uv_key_create(key);

  if (err == 0) {
    key_at_exit = at_exit;
    key_slot = key->tls_index;
  }
  return err;
}

int uv__thread_os_key_set(const uv_key_t* key, void* data) {
  return TlsSetValue(key->tls_index, data) ? 0 : uv__last_error();
}

void uv__thread_os_stack(uintptr_t* low, uintptr_t* end) {
  ULONG_PTR from;
  ULONG_PTR to;

  GetCurrentThreadStackLimits(&from, &to);
  *low = from;
  *end = to;
}
