/* SPDX-License-Identifier: MIT */
/* File system events: changes to the entries of a directory, which the system
 * reports in batches (ReadDirectoryChangesW).
 *
 * A file is watched through its directory; events for other entries are
 * filtered out. Every start allocates its own struct watch, which lives until
 * the system has completed its request. A stopped handle can therefore be
 * started again at once: when the old request completes, its watch is no longer
 * the current one. If the watched directory is deleted, the callback gets
 * UV_RENAME with the directory's name, then UV_ENOENT, and nothing after that.
 */
#include "win/fs.h"
#include "observe/callback.h"
#include "util/alloc.h"
#include "win/loop.h"
#include "win/wide.h"

#include <string.h>
#include <wchar.h>

/* Must hold all changes between two reads. Network shares allow at most 64
 * KiB. */
#define BUFFER_SIZE (16 * 1024)

/* All but the last access time: reading a file is not a change. */
#define CHANGES                                                                \
 (FILE_NOTIFY_CHANGE_FILE_NAME | FILE_NOTIFY_CHANGE_DIR_NAME |                 \
  FILE_NOTIFY_CHANGE_ATTRIBUTES | FILE_NOTIFY_CHANGE_SIZE |                    \
  FILE_NOTIFY_CHANGE_LAST_WRITE | FILE_NOTIFY_CHANGE_CREATION |                \
  FILE_NOTIFY_CHANGE_SECURITY)

#define STATUS_DELETE_PENDING_ ((LONG) 0xC0000056u)

struct watch {
  struct uv_fs_event_req_s req; /* the only request; pending most of the time */
  HANDLE dir;     /* the open directory; INVALID_HANDLE_VALUE: stopped */
  BOOL recursive; /* watch subdirectories too */
  int ended;      /* no request is pending: stopping frees the watch */
  /* Absolute path of the directory, with long names; no trailing slash, except
   * for a root. */
  WCHAR* path;
  WCHAR* file;       /* the only entry of interest, or NULL for all */
  WCHAR* file_alias; /* its 8.3 name, or NULL */
  union {
    FILE_NOTIFY_INFORMATION first; /* for alignment */
    char bytes[BUFFER_SIZE];
  } buffer;
};

/* The current watch, stored in the ABI's `buffer` field. */
static struct watch* current_watch(const uv_fs_event_t* handle) {
  return (struct watch*) (void*) handle->buffer;
}

static unsigned int* pending_count(uv_fs_event_t* handle) {
  return (unsigned int*) &handle->req_pending;
}

void uv__fs_event_os_init(uv_fs_event_t* handle) {
  handle->dir_handle = INVALID_HANDLE_VALUE;
  handle->req_pending = 0;
  handle->filew = NULL;
  handle->short_filew = NULL;
  handle->dirw = NULL;
  handle->buffer = NULL;
}

static void watch_free(struct watch* watch) {
  if (watch->dir != INVALID_HANDLE_VALUE)
    CloseHandle(watch->dir);
  uv__free(watch->path);
  uv__free(watch->file);
  uv__free(watch->file_alias);
  uv__free(watch);
}

/* ---- names ---- */

/* System functions that fill a buffer or return the required length. */
enum path_form { PATH_FULL, PATH_LONG, PATH_SHORT };

static DWORD path_convert(enum path_form form,
                          const WCHAR* path,
                          WCHAR* to,
                          DWORD units) {
  switch (form) {
  case PATH_FULL:
    return GetFullPathNameW(path, units, to, NULL);
  case PATH_LONG:
    return GetLongPathNameW(path, to, units);
  case PATH_SHORT:
    return GetShortPathNameW(path, to, units);
  }
  return 0;
}

/* 0 or UV_E*; the caller frees *out. */
static int path_as(enum path_form form, const WCHAR* path, WCHAR** out) {
  DWORD units = path_convert(form, path, NULL, 0);
  if (units == 0)
    return uv__last_error();

  WCHAR* buf = uv__malloc_array(units, sizeof(*buf));
  if (buf == NULL)
    return UV_ENOMEM;

  DWORD len = path_convert(form, path, buf, units);
  if (len == 0 || len >= units) {
    int err = len == 0 ? uv__last_error() : UV_ENAMETOOLONG;
    uv__free(buf);
    return err;
  }
  *out = buf;
  return 0;
}

static WCHAR* copy_wide(const WCHAR* text, size_t len) {
  WCHAR* copy = uv__malloc_array(len + 1, sizeof(*copy));
  if (copy != NULL) {
    memcpy(copy, text, len * sizeof(*copy));
    copy[len] = 0;
  }
  return copy;
}

/* The part after the last backslash. */
static const WCHAR* last_name(const WCHAR* path) {
  const WCHAR* slash = wcsrchr(path, L'\\');
  return slash == NULL ? path : slash + 1;
}

/* "C:\" or "\\?\C:\": the backslash is part of the name. */
static int ends_with_root(const WCHAR* path, size_t len) {
  return len >= 3 && uv__fs_has_drive_root(path + len - 3, 3);
}

static void cut_slashes(WCHAR* path) {
  size_t len = wcslen(path);

  while (len > 1 && path[len - 1] == L'\\' && !ends_with_root(path, len))
    path[--len] = 0;
}

static int same_name(const WCHAR* a, int a_len, const WCHAR* b) {
  return b != NULL && CompareStringOrdinal(a, a_len, b, -1, TRUE) == CSTR_EQUAL;
}

/* ---- starting ---- */

/* Splits the full path of a file into directory and name. */
static int watch_file(struct watch* watch, const WCHAR* full) {
  const WCHAR* name = last_name(full);
  WCHAR* alias;

  watch->file = copy_wide(name, wcslen(name));
  watch->path = copy_wide(full, (size_t) (name - full));
  if (watch->file == NULL || watch->path == NULL)
    return UV_ENOMEM;
  cut_slashes(watch->path);

  /* Not every file system has short names. */
  if (path_as(PATH_SHORT, full, &alias) == 0) {
    name = last_name(alias);
    watch->file_alias = copy_wide(name, wcslen(name));
    uv__free(alias);
    if (watch->file_alias == NULL)
      return UV_ENOMEM;
  }
  return 0;
}

/* Resolves the path to its long form: it may have been given by short names. */
static int find_path(struct watch* watch, const WCHAR* given) {
  DWORD attributes = GetFileAttributesW(given);
  if (attributes == INVALID_FILE_ATTRIBUTES)
    return uv__last_error();

  WCHAR* full;
  int err = path_as(PATH_FULL, given, &full);
  if (err != 0)
    return err;

  WCHAR* expanded;
  if (path_as(PATH_LONG, full, &expanded) == 0) {
    uv__free(full);
    full = expanded;
  }
  cut_slashes(full);

  if (attributes & FILE_ATTRIBUTE_DIRECTORY) {
    watch->path = full;
    return 0;
  }
  err = watch_file(watch, full);
  uv__free(full);
  return err;
}

static int find_text_path(struct watch* watch, const char* text) {
  struct uv__fs_path path = { 0 };
  int err = uv__fs_path_init(&path, text);
  if (err != 0)
    return err;

  WCHAR* wide = uv__malloc_array(path.units, sizeof(*wide));
  if (wide == NULL) {
    err = UV_ENOMEM;
  } else {
    uv__fs_path_put(&path, wide);
    err = find_path(watch, wide);
  }
  uv__free(wide);
  uv__fs_path_close(&path);
  return err;
}

/* Submits the request: 0 or the Win32 error. */
static DWORD watch_submit(struct watch* watch) {
  OVERLAPPED* overlapped = uv__req_overlapped(&watch->req);

  if (ReadDirectoryChangesW(watch->dir, &watch->buffer, BUFFER_SIZE,
                            watch->recursive, CHANGES, NULL, overlapped, NULL))
    return 0;
  return GetLastError();
}

static int open_dir(uv_loop_t* loop, struct watch* watch) {
  watch->dir =
      uv__fs_open_path(watch->path, FILE_LIST_DIRECTORY, FILE_FLAG_OVERLAPPED);
  if (watch->dir == INVALID_HANDLE_VALUE)
    return uv__last_error();
  return uv__loop_attach(loop, watch->dir);
}

int uv__fs_event_os_start(uv_fs_event_t* handle, unsigned int flags) {
  struct watch* watch = uv__calloc(1, sizeof(*watch));
  if (watch == NULL)
    return UV_ENOMEM;
  watch->dir = INVALID_HANDLE_VALUE;
  uv__req_init_own(&watch->req, UV_FS_EVENT_REQ, handle);

  int err = find_text_path(watch, handle->path);
  if (err == 0)
    err = open_dir(handle->loop, watch);
  if (err == 0) {
    watch->recursive =
        watch->file == NULL && (flags & UV_FS_EVENT_RECURSIVE) != 0;
    DWORD sys_error = watch_submit(watch);
    err = sys_error == 0 ? 0 : uv_translate_sys_error((int) sys_error);
  }
  if (err != 0) {
    watch_free(watch);
    return err;
  }

  handle->buffer = (char*) watch;
  ++*pending_count(handle);
  return 0;
}

/* ---- stopping ---- */

/* Closing the directory completes the request, and uv__fs_event_done() frees
 * the watch. This also holds when a callback of uv__fs_event_done() stops the
 * handle. */
void uv__fs_event_os_stop(uv_fs_event_t* handle) {
  struct watch* watch = current_watch(handle);

  handle->buffer = NULL;
  if (watch->ended) {
    watch_free(watch);
    return;
  }
  CloseHandle(watch->dir);
  watch->dir = INVALID_HANDLE_VALUE;
}

enum uv__close_result uv__fs_event_win_close(uv_handle_t* base) {
  uv_fs_event_t* handle = (uv_fs_event_t*) base;

  (void) uv_fs_event_stop(handle); /* cannot fail */
  return uv__close_when_idle(*pending_count(handle));
}

/* ---- reporting ---- */

/* Runs the callback, with a NULL name for events without one. A name that
 * cannot be converted for lack of memory is NULL too. */
static void fs_event_report(uv_fs_event_t* handle,
                            const WCHAR* name,
                            ssize_t len,
                            int events) {
  char* text = NULL;

  if (name != NULL && uv__wide_to_utf8(name, len, &text) != 0)
    text = NULL;
  uv__call_fs_event(handle, text, events, 0);
  uv__free(text);
}

/* The entry's long name, relative to the directory, if the system reported the
 * short one. The caller frees it; NULL if it cannot be found. */
static WCHAR* expand_name(const struct watch* watch,
                          const WCHAR* name,
                          size_t len) {
  size_t dir_len = wcslen(watch->path);
  WCHAR* whole = uv__malloc_array(dir_len + len + 2, sizeof(*whole));
  WCHAR* expanded = NULL;
  WCHAR* result = NULL;

  if (whole == NULL)
    return NULL;
  memcpy(whole, watch->path, dir_len * sizeof(*whole));
  if (dir_len > 0 && whole[dir_len - 1] != L'\\')
    whole[dir_len++] = L'\\';
  memcpy(whole + dir_len, name, len * sizeof(*whole));
  whole[dir_len + len] = 0;

  if (path_as(PATH_LONG, whole, &expanded) == 0) {
    size_t expanded_len = wcslen(expanded);
    /* Expanding must not have changed the directory's own part. */
    if (expanded_len > dir_len &&
        CompareStringOrdinal(expanded, (int) dir_len, whole, (int) dir_len,
                             TRUE) == CSTR_EQUAL)
      result = copy_wide(expanded + dir_len, expanded_len - dir_len);
    uv__free(expanded);
  }
  uv__free(whole);
  return result;
}

/* Short names contain a tilde. The long name of a deleted entry is unknown. */
static int may_be_short(const FILE_NOTIFY_INFORMATION* info, size_t len) {
  return info->Action != FILE_ACTION_REMOVED &&
         info->Action != FILE_ACTION_RENAMED_OLD_NAME &&
         wmemchr(info->FileName, L'~', len) != NULL;
}

static void report_change(uv_fs_event_t* handle,
                          const struct watch* watch,
                          const FILE_NOTIFY_INFORMATION* info) {
  size_t len = info->FileNameLength / sizeof(WCHAR);
  int events = info->Action == FILE_ACTION_MODIFIED ? UV_CHANGE : UV_RENAME;

  if (watch->file != NULL) {
    if (same_name(info->FileName, (int) len, watch->file) ||
        same_name(info->FileName, (int) len, watch->file_alias))
      fs_event_report(handle, watch->file, -1, events);
    return;
  }

  WCHAR* expanded =
      may_be_short(info, len) ? expand_name(watch, info->FileName, len) : NULL;
  if (expanded != NULL)
    fs_event_report(handle, expanded, -1, events);
  else
    fs_event_report(handle, info->FileName, (ssize_t) len, events);
  uv__free(expanded);
}

/* The callback may stop, restart or close the handle between two events. */
static void report_batch(uv_fs_event_t* handle, struct watch* watch) {
  const char* at = watch->buffer.bytes;

  /* The buffer overflowed: the individual changes are lost. */
  if (uv__req_bytes(&watch->req) == 0) {
    fs_event_report(handle, NULL, 0, UV_CHANGE);
    return;
  }

  while (current_watch(handle) == watch) {
    const FILE_NOTIFY_INFORMATION* info = (const void*) at;
    report_change(handle, watch, info);
    if (info->NextEntryOffset == 0)
      break;
    at += info->NextEntryOffset;
  }
}

/* Has the directory been deleted? It exists until our handle is closed, but has
 * no name any more, or one among the volume's deleted files:
 * https://learn.microsoft.com/windows-hardware/drivers/ddi/ntddk/
 * ns-ntddk-_file_disposition_information_ex (FILE_DISPOSITION_POSIX_SEMANTICS)
 */
static int is_dir_deleted(HANDLE dir) {
  static const WCHAR deleted[] = L"\\$Extend\\$Deleted\\";
  FILE_STANDARD_INFO info;
  WCHAR name[MAX_PATH];

  if (GetFileInformationByHandleEx(dir, FileStandardInfo, &info,
                                   sizeof(info)) &&
      (info.DeletePending || info.NumberOfLinks == 0))
    return 1;
  DWORD len = GetFinalPathNameByHandleW(dir, name, MAX_PATH, VOLUME_NAME_NONE);
  return len > 0 && len < MAX_PATH &&
         wcsncmp(name, deleted, ARRAY_SIZE(deleted) - 1) == 0;
}

/* Watching fails for a directory that is being deleted, but also for other
 * reasons. */
static int is_removal(const struct watch* watch, DWORD sys_error) {
  return sys_error == ERROR_DELETE_PENDING ||
         (sys_error == ERROR_ACCESS_DENIED && is_dir_deleted(watch->dir));
}

static void report_end(uv_fs_event_t* handle,
                       const struct watch* watch,
                       DWORD sys_error) {
  if (!is_removal(watch, sys_error)) {
    uv__call_fs_event(handle, NULL, 0, uv_translate_sys_error((int) sys_error));
    return;
  }
  fs_event_report(handle,
                  watch->file != NULL ? watch->file : last_name(watch->path),
                  -1, UV_RENAME);
  if (current_watch(handle) == watch)
    uv__call_fs_event(handle, NULL, 0, UV_ENOENT);
}

/* Why no more events will come, or 0. For a deleted directory, requests may
 * also complete at once with no data, every time. */
static DWORD watch_end_error(const struct watch* watch) {
  LONG status = uv__req_status(&watch->req);
  DWORD sys_error = uv__req_win32_error(&watch->req);

  if (status == STATUS_DELETE_PENDING_)
    return ERROR_DELETE_PENDING;
  if (sys_error == 0 && uv__req_bytes(&watch->req) == 0 &&
      is_dir_deleted(watch->dir))
    return ERROR_DELETE_PENDING;
  return sys_error;
}

void uv__fs_event_done(uv_handle_t* base, uv_req_t* req) {
  uv_fs_event_t* handle = (uv_fs_event_t*) base;
  struct watch* watch = container_of(req, struct watch, req);
  DWORD sys_error = 0;

  if (current_watch(handle) == watch) {
    sys_error = watch_end_error(watch);
    if (sys_error == 0)
      report_batch(handle, watch);
  }

  if (current_watch(handle) == watch && sys_error == 0) {
    sys_error = watch_submit(watch);
    if (sys_error == 0)
      return; /* resubmitted */
  }
  if (current_watch(handle) == watch)
    report_end(handle, watch, sys_error);

  if (current_watch(handle) == watch)
    watch->ended = 1;
  else
    watch_free(watch);
  uv__req_finished(handle, pending_count(handle));
}

/* The system watches subdirectories by itself. */
int uv__fs_event_os_filter(uv_fs_event_t* handle, uvx_fs_event_filter_cb cb) {
  (void) handle;
  (void) cb;
  return UV_ENOTSUP;
}

size_t uv__fs_event_os_unscanned(const uv_fs_event_t* handle) {
  (void) handle;
  return 0;
}
