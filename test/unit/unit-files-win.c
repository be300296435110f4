/* SPDX-License-Identifier: MIT */
/* File events of a directory that is deleted, or that cannot be watched any
 * longer: Wine reports neither. */
#include "replace-win.h"

#include <string.h>
#include <wchar.h>

static uv_loop_t loop;
static char path[1024];
static const char* name; /* last part of `path` */

/* What a request for changes does: completes without data, completes with
 * DELETE_PENDING, is refused, or stays pending. */
enum answer { EMPTY, DELETE_PENDING, REFUSED, PENDING };

#define STATUS_DELETE_PENDING_ ((ULONG_PTR) 0xC0000056u)
#define REQUESTS_MAX 8

static enum answer script[REQUESTS_MAX];
static int requests;
static int delete_pending;
static int refused_means_deleted;

static BOOL WINAPI
answer_ReadDirectoryChangesW(HANDLE dir,
                             void* buffer,
                             DWORD size,
                             BOOL recursive,
                             DWORD changes,
                             DWORD* used,
                             OVERLAPPED* overlapped,
                             LPOVERLAPPED_COMPLETION_ROUTINE routine) {
  CHECK(requests < REQUESTS_MAX);
  enum answer answer = script[requests++];
  if (answer == PENDING)
    return REAL("kernel32", ReadDirectoryChangesW)(
        dir, buffer, size, recursive, changes, used, overlapped, routine);
  if (answer == REFUSED) {
    delete_pending = refused_means_deleted;
    SetLastError(ERROR_ACCESS_DENIED);
    return FALSE;
  }
  overlapped->Internal = answer == EMPTY ? 0 : STATUS_DELETE_PENDING_;
  overlapped->InternalHigh = 0;
  return PostQueuedCompletionStatus(loop.iocp, 0, 0, overlapped);
}
REPLACE(ReadDirectoryChangesW, 32);

static BOOL WINAPI
answer_GetFileInformationByHandleEx(HANDLE file,
                                    FILE_INFO_BY_HANDLE_CLASS info_class,
                                    void* info,
                                    DWORD size) {
  BOOL ok = REAL("kernel32", GetFileInformationByHandleEx)(file, info_class,
                                                           info, size);
  if (ok && info_class == FileStandardInfo)
    ((FILE_STANDARD_INFO*) info)->DeletePending = delete_pending != 0;
  return ok;
}
REPLACE(GetFileInformationByHandleEx, 16);

static const WCHAR* final_path; /* NULL: the system's answer */

static DWORD WINAPI answer_GetFinalPathNameByHandleW(HANDLE file,
                                                     WCHAR* out,
                                                     DWORD units,
                                                     DWORD flags) {
  if (final_path == NULL)
    return REAL("kernel32", GetFinalPathNameByHandleW)(file, out, units, flags);
  CHECK(wcslen(final_path) < units);
  wcscpy(out, final_path);
  return (DWORD) wcslen(final_path);
}
REPLACE(GetFinalPathNameByHandleW, 16);

/* One character per call: c change, r rename of the directory, e ENOENT, p
 * EPERM. */
static char calls[16];

static void on_event(uv_fs_event_t* handle,
                     const char* filename,
                     int events,
                     int status) {
  size_t n = strlen(calls);

  (void) handle;
  CHECK(n < sizeof(calls) - 1);
  if (status == UV_ENOENT) {
    calls[n] = 'e';
  } else if (status == UV_EPERM) {
    calls[n] = 'p';
  } else if (events == UV_RENAME) {
    CHECK_STR(name, filename);
    calls[n] = 'r';
  } else {
    CHECK_EQ(0, status);
    CHECK(filename == NULL);
    calls[n] = 'c';
  }
}

/* Watches an existing directory while the system gives the answers of the
 * script, and compares the calls. */
static void watch(const char* want) {
  uv_fs_event_t handle;
  uv_fs_t req;
  size_t size = sizeof(path) - 16;

  CHECK_EQ(0, uv_os_tmpdir(path, &size));
  strcat(path, "\\uv-XXXXXX");
  CHECK_EQ(0, uv_fs_mkdtemp(NULL, &req, path, NULL));
  strcpy(path, req.path);
  uv_fs_req_cleanup(&req);
  name = strrchr(path, '\\') + 1;
  CHECK_EQ(0, uv_loop_init(&loop));
  CHECK_EQ(0, uv_fs_event_init(&loop, &handle));
  CHECK_EQ(0, uv_fs_event_start(&handle, on_event, path, 0));
  for (int i = 0; i < 10; i++)
    uv_run(&loop, UV_RUN_NOWAIT);
  CHECK_STR(want, calls);
  uv_close((uv_handle_t*) &handle, NULL);
  CHECK_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  CHECK_EQ(0, uv_loop_close(&loop));
  CHECK_EQ(0, uv_fs_rmdir(NULL, &req, path, NULL));
}

/* Deleted as on POSIX systems: every request completes at once. */
UNIT_TEST(fs_event_directory_among_the_deleted) {
  final_path = L"\\$Extend\\$Deleted\\004500000000C6F28F0D4E";
  watch("re");
  CHECK_EQ(1, requests);
}

UNIT_TEST(fs_event_directory_pending_deletion) {
  script[0] = DELETE_PENDING;
  watch("re");
  CHECK_EQ(1, requests);
}

UNIT_TEST(fs_event_refused_after_deletion) {
  script[1] = REFUSED;
  refused_means_deleted = 1;
  watch("cre");
}

/* Two overflows, then the request is refused. */
UNIT_TEST(fs_event_refused_is_not_deleted) {
  script[1] = EMPTY;
  script[2] = REFUSED;
  watch("ccp");
  CHECK_EQ(3, requests);
}

UNIT_TEST(fs_event_overflow_is_not_the_end) {
  script[1] = PENDING;
  watch("c");
  CHECK_EQ(2, requests);
}
