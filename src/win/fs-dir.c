/* SPDX-License-Identifier: MIT */
/* Creating directories, and reading them at once (scandir) or in steps
 * (opendir, readdir). Both share fs-entries.c; "." and ".." are never returned.
 *
 * The system fills a buffer with as many entries as fit; what one step leaves
 * over stays there for the next.
 */
#include "win/fs.h"
#include "os/fs-entries.h"
#include "util/alloc.h"

#define BUFFER_SIZE (32 * 1024)

/* Longer than the longest file name (255 units) in WTF-8. */
#define NAME_SIZE 1024

/* The root of an empty volume has no entries at all, not even ".". */
#define STATUS_NO_SUCH_FILE_ ((LONG) 0xC000000Fu)

/* A directory being read. */
struct reader {
  uv_dir_t base; /* must be first: returned by uv_fs_opendir() */
  HANDLE handle;
  int at_end;    /* no more entries */
  size_t next;   /* buffer offset of the next entry */
  size_t filled; /* bytes used; `next` here: read more */
  union {
    struct uv__file_directory_info first; /* for alignment */
    char bytes[BUFFER_SIZE];
  } buffer;
};

/* Invalid names are the caller's mistake. */
ssize_t uv__fs_mkdir(uv_fs_t* req) {
  if (CreateDirectoryW(req->file.pathw, NULL))
    return 0;

  DWORD sys_error = GetLastError();
  if (sys_error == ERROR_INVALID_NAME || sys_error == ERROR_DIRECTORY)
    return uv__fs_fail_as(req, sys_error, UV_EINVAL);
  return uv__fs_fail(req, sys_error);
}

static void reader_free(struct reader* reader) {
  CloseHandle(reader->handle);
  uv__free(reader);
}

/* Devices have no attributes; a file system that refuses to tell them reports
 * its error when it is read. */
static int is_directory(HANDLE handle) {
  DWORD attributes = uv__fs_attributes(handle);

  if (attributes == INVALID_FILE_ATTRIBUTES)
    return GetFileType(handle) == FILE_TYPE_DISK;
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

/* 0, with *out freed by the caller, or UV_E*. */
static int reader_new(uv_fs_t* req, struct reader** out) {
  HANDLE handle =
      uv__fs_open_path(req->file.pathw, FILE_LIST_DIRECTORY | SYNCHRONIZE, 0);
  if (handle == INVALID_HANDLE_VALUE)
    return uv__fs_fail_last(req);

  if (!is_directory(handle)) {
    CloseHandle(handle);
    return uv__fs_fail_as(req, ERROR_DIRECTORY, UV_ENOTDIR);
  }

  struct reader* reader = uv__malloc(sizeof(*reader));
  if (reader == NULL) {
    CloseHandle(handle);
    return uv__fs_fail(req, ERROR_NOT_ENOUGH_MEMORY);
  }

  reader->base = (uv_dir_t) { 0 };
  reader->handle = handle;
  reader->at_end = 0;
  reader->next = 0;
  reader->filled = 0;
  *out = reader;
  return 0;
}

/* Reads more entries into the buffer: 0 or UV_E*. */
static int reader_refill(uv_fs_t* req, struct reader* reader) {
  struct uv__io_status io;
  LONG status = uv__winapi()->NtQueryDirectoryFile(
      reader->handle, NULL, NULL, NULL, &io, &reader->buffer, BUFFER_SIZE,
      UV__FILE_DIRECTORY_INFORMATION, FALSE, NULL, FALSE);

  reader->next = 0;
  reader->filled = 0;
  if (status == UV__STATUS_NO_MORE_FILES || status == STATUS_NO_SUCH_FILE_) {
    reader->at_end = 1;
    return 0;
  }
  if (status < 0)
    return uv__fs_fail_status(req, status);

  reader->filled = io.information;
  return 0;
}

static uv_dirent_type_t type_of(DWORD attributes) {
  if (attributes & FILE_ATTRIBUTE_REPARSE_POINT)
    return UV_DIRENT_LINK;
  if (attributes & FILE_ATTRIBUTE_DIRECTORY)
    return UV_DIRENT_DIR;
  if (attributes & FILE_ATTRIBUTE_DEVICE)
    return UV_DIRENT_CHAR;
  return UV_DIRENT_FILE;
}

static int add_next(struct reader* reader, struct uv__entries* entries) {
  const struct uv__file_directory_info* info =
      (const void*) (reader->buffer.bytes + reader->next);
  char name[NAME_SIZE];
  char* to = name;
  size_t size = sizeof(name) - 1;

  reader->next = info->next_entry_offset == 0
                     ? reader->filled
                     : reader->next + info->next_entry_offset;

  int err = uv_utf16_to_wtf8((const uint16_t*) info->name,
                             (ssize_t) (info->name_length / sizeof(WCHAR)), &to,
                             &size);
  if (err != 0)
    return UV_ENAMETOOLONG;
  return uv__entries_add(entries, name, type_of(info->attributes));
}

/* Adds entries until there are `max`, the end is reached or an error occurs: 0
 * or UV_E*. */
static int read_entries(uv_fs_t* req,
                        struct reader* reader,
                        struct uv__entries* entries,
                        size_t max) {
  int err = 0;

  while (err == 0 && entries->count < max) {
    if (reader->next < reader->filled)
      err = add_next(reader, entries);
    else if (reader->at_end)
      break;
    else
      err = reader_refill(req, reader);
  }
  return err;
}

static int scan_dir(uv_fs_t* req, struct uv__entries* entries) {
  struct reader* reader;
  int err = reader_new(req, &reader);
  if (err != 0)
    return err;

  err = read_entries(req, reader, entries, INT32_MAX);
  reader_free(reader);
  return err;
}

ssize_t uv__fs_scandir(uv_fs_t* req) {
  struct uv__entries entries = { 0 };
  int err = scan_dir(req, &entries);

  return uv__entries_finish(&entries, err, &req->ptr);
}

static struct reader* reader_of(const uv_fs_t* req) {
  return container_of(req->ptr, struct reader, base);
}

/* By name, because a file need not allow that it is opened. */
static int is_plain_file(const WCHAR* path) {
  DWORD attributes = GetFileAttributesW(path);
  return attributes != INVALID_FILE_ATTRIBUTES &&
         !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

/* An empty path is the current directory, unlike in scandir. */
ssize_t uv__fs_opendir(uv_fs_t* req) {
  static WCHAR here[] = L".";
  struct reader* reader;

  if (req->file.pathw[0] == L'\0')
    req->file.pathw = here;
  if (is_plain_file(req->file.pathw))
    return uv__fs_fail_as(req, ERROR_DIRECTORY, UV_ENOTDIR);
  int err = reader_new(req, &reader);
  if (err != 0)
    return err;

  req->ptr = &reader->base;
  return 0;
}

/* The names belong to the request and are freed by its cleanup, even after the
 * directory is closed. */
ssize_t uv__fs_readdir(uv_fs_t* req) {
  struct reader* reader = reader_of(req);
  struct uv__entries entries = { 0 };
  size_t max = uv__min_size(reader->base.nentries, INT32_MAX);

  int err = read_entries(req, reader, &entries, max);
  if (err != 0) {
    uv__entries_close(&entries);
    return err;
  }

  uv__entries_list(&entries, reader->base.dirents);
  *uv__fs_owned(req) = entries.records;
  return (ssize_t) entries.count;
}

ssize_t uv__fs_closedir(uv_fs_t* req) {
  struct reader* reader = reader_of(req);

  req->ptr = NULL;
  reader_free(reader);
  return 0;
}
