/* SPDX-License-Identifier: MIT */
/* Attributes of files and of file systems.
 *
 * A path is examined in up to three ways:
 *   1. by name, without opening it (Windows 11 from build 26048 on; not for
 *      reparse points);
 *   2. by opening it for its attributes and querying the handle;
 *   3. by its directory entry, if opening it is refused.
 */
#include "win/fs.h"
#include "util/alloc.h"

#include <string.h>
#include <sys/stat.h>
#include <winioctl.h>

#define BLOCK_SIZE 4096
#define STAT_BLOCK_SHIFT 9 /* st_blocks counts 512-byte units */

#define MODE_READ 0444
#define MODE_WRITE 0222

/* GetFileInformationByName(): FileStatBasicByNameInfo. */
#define STAT_BASIC_BY_NAME 3

/* FILE_INFORMATION_CLASS of NtQueryInformationFile(). */
#define FILE_INTERNAL_INFORMATION 6

/* What is known about a file. Times are in units of 100 ns since 1601. */
struct facts {
  DWORD attributes;
  int64_t size;
  int64_t allocated;
  uint64_t links;
  uint64_t index;  /* file ID within its volume */
  uint64_t volume; /* serial number; the 32 bits that all sources have */
  int64_t atime;
  int64_t mtime;
  int64_t ctime;
  int64_t birthtime;
};

/* Before 1970 the seconds are negative, but never the nanoseconds. */
static uv_timespec_t to_timespec(int64_t ticks) {
  const int64_t per_sec = 10000000;
  const int64_t epoch = 11644473600;
  int64_t sec = ticks / per_sec;
  int64_t rest = ticks % per_sec;

  if (rest < 0) {
    rest += per_sec;
    sec--;
  }
  return (uv_timespec_t) { (long) (sec - epoch), (long) (rest * 100) };
}

/* Context: any. `link_len` is the length of a link's target, or -1 for anything
 * but a link. */
static void stat_fill(uv_stat_t* st,
                      const struct facts* facts,
                      ssize_t link_len) {
  *st = (uv_stat_t) { 0 };

  st->st_mode = MODE_READ;
  if (!(facts->attributes & FILE_ATTRIBUTE_READONLY))
    st->st_mode |= MODE_WRITE;

  if (link_len >= 0) {
    st->st_mode |= S_IFLNK;
    st->st_size = (uint64_t) link_len;
  } else if (facts->attributes & FILE_ATTRIBUTE_DIRECTORY) {
    st->st_mode |= _S_IFDIR;
  } else {
    st->st_mode |= _S_IFREG;
    st->st_size = (uint64_t) facts->size;
  }

  st->st_dev = facts->volume;
  st->st_ino = facts->index;
  st->st_nlink = facts->links;
  st->st_blksize = BLOCK_SIZE;
  st->st_blocks = (uint64_t) facts->allocated >> STAT_BLOCK_SHIFT;
  st->st_atim = to_timespec(facts->atime);
  st->st_mtim = to_timespec(facts->mtime);
  st->st_ctim = to_timespec(facts->ctime);
  st->st_birthtim = to_timespec(facts->birthtime);
}

static ssize_t stat_found(uv_fs_t* req,
                          const struct facts* facts,
                          ssize_t link) {
  req->sys_errno_ = 0; /* an earlier method may have failed */
  stat_fill(&req->statbuf, facts, link);
  req->ptr = &req->statbuf;
  return 0;
}

/* ---- 2: by handle ---- */

/* A warning means that the file name was truncated; it is not used. */
static int is_query_ok(LONG status) {
  return status >= 0 || status == UV__STATUS_BUFFER_OVERFLOW;
}

/* The serial number of the file's volume; 0 if it cannot be queried. */
static uint64_t volume_of(HANDLE file) {
  struct uv__volume_info info;
  struct uv__io_status io;
  LONG status = uv__winapi()->NtQueryVolumeInformationFile(
      file, &io, &info, sizeof(info), UV__VOLUME_INFORMATION);

  return is_query_ok(status) ? info.serial_number : 0;
}

static LONG query_part(HANDLE file, void* info, size_t size, int info_class) {
  struct uv__io_status io;
  return uv__winapi()->NtQueryInformationFile(file, &io, info, (ULONG) size,
                                              info_class);
}

/* Queries everything at once, or one by one: files without a name (inherited
 * ones on Wine, some file systems) do not support the former. */
static LONG query_all(HANDLE file, struct uv__file_all_info* info) {
  LONG status = query_part(file, info, sizeof(*info), UV__FILE_ALL_INFORMATION);
  if (is_query_ok(status))
    return 0;

  *info = (struct uv__file_all_info) { 0 };
  status = query_part(file, &info->basic, sizeof(info->basic),
                      UV__FILE_BASIC_INFORMATION);
  if (status < 0)
    return status;
  status = query_part(file, &info->standard, sizeof(info->standard),
                      UV__FILE_STANDARD_INFORMATION);
  if (status < 0)
    return status;
  return query_part(file, &info->index_number, sizeof(info->index_number),
                    FILE_INTERNAL_INFORMATION);
}

static LONG query_handle(HANDLE file, struct facts* facts) {
  struct uv__file_all_info info;
  LONG status = query_all(file, &info);
  if (status < 0)
    return status;

  *facts = (struct facts) {
    .attributes = info.basic.attributes,
    .size = info.standard.end_of_file.QuadPart,
    .allocated = info.standard.allocation_size.QuadPart,
    .links = info.standard.number_of_links,
    .index = (uint64_t) info.index_number.QuadPart,
    .volume = volume_of(file),
    .atime = info.basic.last_access_time.QuadPart,
    .mtime = info.basic.last_write_time.QuadPart,
    .ctime = info.basic.change_time.QuadPart,
    .birthtime = info.basic.creation_time.QuadPart,
  };
  return 0;
}

static DWORD device_of(HANDLE file) {
  struct uv__volume_device_info info;
  struct uv__io_status io;
  LONG status = uv__winapi()->NtQueryVolumeInformationFile(
      file, &io, &info, sizeof(info), UV__VOLUME_DEVICE_INFORMATION);

  return status >= 0 ? info.device_type : FILE_DEVICE_UNKNOWN;
}

/* Consoles, the null device, serial ports. */
static ssize_t stat_char_device(uv_fs_t* req, HANDLE file) {
  DWORD console_mode;
  DWORD device = GetConsoleMode(file, &console_mode) ? FILE_DEVICE_CONSOLE
                                                     : device_of(file);

  req->statbuf = (uv_stat_t) { 0 };
  req->statbuf.st_mode = _S_IFCHR | MODE_READ | MODE_WRITE;
  req->statbuf.st_nlink = 1;
  req->statbuf.st_blksize = BLOCK_SIZE;
  req->statbuf.st_rdev = (uint64_t) device << 16;
  req->ptr = &req->statbuf;
  return 0;
}

/* Sockets, too. */
static ssize_t stat_pipe(uv_fs_t* req) {
  req->statbuf = (uv_stat_t) { 0 };
  req->statbuf.st_mode = S_IFIFO;
  req->statbuf.st_nlink = 1;
  req->statbuf.st_rdev = (uint64_t) FILE_DEVICE_NAMED_PIPE << 16;
  req->ptr = &req->statbuf;
  return 0;
}

static ssize_t stat_disk_file(uv_fs_t* req, HANDLE file) {
  struct facts facts;
  LONG status = query_handle(file, &facts);

  return status >= 0 ? stat_found(req, &facts, -1)
                     : uv__fs_fail_status(req, status);
}

static ssize_t stat_handle(uv_fs_t* req, HANDLE file) {
  SetLastError(ERROR_SUCCESS); /* not changed by an unknown type */
  switch (GetFileType(file)) {
  case FILE_TYPE_CHAR:
    return stat_char_device(req, file);
  case FILE_TYPE_PIPE:
    return stat_pipe(req);
  case FILE_TYPE_UNKNOWN:
    if (GetLastError() != ERROR_SUCCESS)
      return uv__fs_fail_last(req);
    break;
  default:
    break;
  }
  return stat_disk_file(req, file);
}

/* Stats the link itself if `file` is one. *followed is set for a reparse point
 * that is not a link: stat it by what the file system resolves it to. */
static ssize_t lstat_handle(uv_fs_t* req, HANDLE file, int* followed) {
  struct uv__fs_link link = { 0 };
  struct facts facts;
  LONG status = query_handle(file, &facts);
  if (status < 0)
    return stat_handle(req, file); /* not a file system: no links */
  if (!(facts.attributes & FILE_ATTRIBUTE_REPARSE_POINT))
    return stat_found(req, &facts, -1);

  DWORD sys_error = uv__fs_read_link(file, &link);
  if (sys_error == 0) {
    uv__free(link.target);
    return stat_found(req, &facts, (ssize_t) link.len);
  }

  *followed = sys_error == ERROR_SYMLINK_NOT_SUPPORTED ||
              sys_error == ERROR_NOT_A_REPARSE_POINT;
  return uv__fs_fail(req, sys_error);
}

/* ---- 3: by directory entry ---- */

static int64_t ticks_of(FILETIME time) {
  ULARGE_INTEGER ticks = { .LowPart = time.dwLowDateTime,
                           .HighPart = time.dwHighDateTime };
  return (int64_t) ticks.QuadPart;
}

/* The entry has no file ID and no link count. Links cannot be followed this
 * way, and names with wildcards are not looked up. `sys_error` is why the file
 * could not be opened. */
static ssize_t stat_entry(uv_fs_t* req, DWORD sys_error) {
  const WCHAR* path = req->file.pathw;
  WIN32_FIND_DATAW entry;

  if (wcsncmp(path, UV__FS_VERBATIM, UV__FS_VERBATIM_LEN) == 0)
    path += UV__FS_VERBATIM_LEN;
  if (wcspbrk(path, L"*?") != NULL)
    return uv__fs_fail(req, sys_error);

  HANDLE find = FindFirstFileExW(req->file.pathw, FindExInfoBasic, &entry,
                                 FindExSearchNameMatch, NULL, 0);
  if (find == INVALID_HANDLE_VALUE)
    return uv__fs_fail(req, sys_error);
  FindClose(find);
  if (entry.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
    return uv__fs_fail(req, sys_error);

  ULARGE_INTEGER size = { .LowPart = entry.nFileSizeLow,
                          .HighPart = entry.nFileSizeHigh };
  struct facts facts = {
    .attributes = entry.dwFileAttributes,
    .size = (int64_t) size.QuadPart,
    .allocated = (int64_t) size.QuadPart,
    .links = 1,
    .atime = ticks_of(entry.ftLastAccessTime),
    .mtime = ticks_of(entry.ftLastWriteTime),
    .ctime = ticks_of(entry.ftLastWriteTime),
    .birthtime = ticks_of(entry.ftCreationTime),
  };
  return stat_found(req, &facts, -1);
}

/* ---- 1: by name ---- */

/* Returns whether *result is final; otherwise another method is needed. */
static int stat_name(uv_fs_t* req, ssize_t* result) {
  const struct uv__winapi* api = uv__winapi();
  struct uv__file_stat_basic info;

  if (api->GetFileInformationByName == NULL)
    return 0;

  if (!api->GetFileInformationByName(req->file.pathw, STAT_BASIC_BY_NAME, &info,
                                     sizeof(info))) {
    DWORD sys_error = GetLastError();
    *result = uv__fs_fail(req, sys_error);
    return sys_error == ERROR_FILE_NOT_FOUND ||
           sys_error == ERROR_PATH_NOT_FOUND;
  }

  int is_plain = info.device_type == FILE_DEVICE_DISK &&
                 !(info.attributes & FILE_ATTRIBUTE_REPARSE_POINT);
  if (!is_plain)
    return 0;

  struct facts facts = {
    .attributes = info.attributes,
    .size = info.end_of_file.QuadPart,
    .allocated = info.allocation_size.QuadPart,
    .links = info.number_of_links,
    .index = (uint64_t) info.file_id.QuadPart,
    .volume = (uint64_t) info.volume_serial_number.QuadPart & 0xFFFFFFFFu,
    .atime = info.last_access_time.QuadPart,
    .mtime = info.last_write_time.QuadPart,
    .ctime = info.change_time.QuadPart,
    .birthtime = info.creation_time.QuadPart,
  };
  *result = stat_found(req, &facts, -1);
  return 1;
}

/* ---- operations ---- */

/* "file\\" is "file": programs append a separator to anything. A root needs
 * it. */
static void drop_trailing_slash(WCHAR* path) {
  size_t len = wcslen(path);

  if (len > 1 && uv__fs_is_slash(path[len - 1]) && path[len - 2] != L':')
    path[len - 1] = L'\0';
}

/* A reparse point that the file system cannot follow: an alias of a packaged
 * app, which only CreateProcess() understands. It is a file by itself. The
 * result is that of a link that is not followed, but for the type. */
static ssize_t stat_unfollowed(uv_fs_t* req) {
  struct facts facts;
  HANDLE file = uv__fs_open_path(req->file.pathw, FILE_READ_ATTRIBUTES,
                                 FILE_FLAG_OPEN_REPARSE_POINT);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail_last(req);

  LONG status = query_handle(file, &facts);
  CloseHandle(file);
  return status >= 0 ? stat_found(req, &facts, -1)
                     : uv__fs_fail_status(req, status);
}

static ssize_t stat_open(uv_fs_t* req) {
  HANDLE file = uv__fs_open_path(req->file.pathw, FILE_READ_ATTRIBUTES, 0);
  if (file == INVALID_HANDLE_VALUE) {
    DWORD sys_error = GetLastError();
    if (sys_error == ERROR_CANT_ACCESS_FILE)
      return stat_unfollowed(req);
    return sys_error == ERROR_ACCESS_DENIED ||
                   sys_error == ERROR_SHARING_VIOLATION
               ? stat_entry(req, sys_error)
               : uv__fs_fail(req, sys_error);
  }

  ssize_t result = stat_handle(req, file);
  CloseHandle(file);
  return result;
}

ssize_t uv__fs_stat(uv_fs_t* req) {
  ssize_t result;

  drop_trailing_slash(req->file.pathw);
  return stat_name(req, &result) ? result : stat_open(req);
}

ssize_t uv__fs_lstat(uv_fs_t* req) {
  ssize_t result;

  drop_trailing_slash(req->file.pathw);
  if (stat_name(req, &result))
    return result;

  HANDLE file = uv__fs_open_path(req->file.pathw, FILE_READ_ATTRIBUTES,
                                 FILE_FLAG_OPEN_REPARSE_POINT);
  if (file == INVALID_HANDLE_VALUE)
    return stat_open(req);

  int followed = 0;
  result = lstat_handle(req, file, &followed);
  CloseHandle(file);
  return followed ? stat_open(req) : result;
}

ssize_t uv__fs_fstat(uv_fs_t* req) {
  HANDLE file = uv__fs_handle(req->file.fd);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail(req, ERROR_INVALID_HANDLE);

  return stat_handle(req, file);
}

static LONG query_volume(HANDLE file, struct uv__volume_full_size_info* info) {
  struct uv__io_status io;
  return uv__winapi()->NtQueryVolumeInformationFile(
      file, &io, info, sizeof(*info), UV__VOLUME_FULL_SIZE_INFORMATION);
}

ssize_t uv__fs_statfs(uv_fs_t* req) {
  HANDLE file = uv__fs_open_path(req->file.pathw, FILE_READ_ATTRIBUTES, 0);
  if (file == INVALID_HANDLE_VALUE)
    return uv__fs_fail_last(req);

  struct uv__volume_full_size_info info;
  LONG status = query_volume(file, &info);
  CloseHandle(file);
  if (status < 0)
    return uv__fs_fail_status(req, status);

  uv_statfs_t* st = uv__calloc(1, sizeof(*st));
  if (st == NULL)
    return uv__fs_fail(req, ERROR_NOT_ENOUGH_MEMORY);
  st->f_bsize = (uint64_t) info.sectors_per_unit * info.bytes_per_sector;
  st->f_frsize = st->f_bsize;
  st->f_blocks = (uint64_t) info.total_units.QuadPart;
  st->f_bfree = (uint64_t) info.actual_available_units.QuadPart;
  st->f_bavail = (uint64_t) info.caller_available_units.QuadPart;
  req->ptr = st;
  return 0;
}
