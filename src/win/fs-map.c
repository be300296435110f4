/* SPDX-License-Identifier: MIT */
/* Files opened with UV_FS_O_FILEMAP: reads and writes go through a mapping.
 *
 * A mapping lives for one operation only, so the file size and position are
 * always current, and other handles to the file need no coordination. Data is
 * copied with ReadProcessMemory() and WriteProcessMemory(): if the disk or
 * network behind a view fails, they return an error where a plain copy would
 * raise an exception.
 */
#include "win/fs.h"
#include "win/fs-fd-hash-inl.h"

/* Maximum mapped at once, since address space may be scarce. A multiple of
 * every allocation granularity. */
#define WINDOW_SIZE ((int64_t) 16 << 20)

#define ACCESS_MODE (UV_FS_O_RDONLY | UV_FS_O_WRONLY | UV_FS_O_RDWR)

struct mapping {
  HANDLE section;
  DWORD access; /* FILE_MAP_READ or FILE_MAP_WRITE */
  int64_t at;   /* file offset of the next byte */
  int64_t end;  /* first offset out of range */
  int flush;    /* flush each window to disk */
};

int uv__fs_map_add(uv_file fd, int flags) {
  struct uv__fd_info_s info = { flags };
  return uv__fd_hash_add(fd, &info);
}

int uv__fs_map_flags(uv_file fd) {
  struct uv__fd_info_s info;
  return uv__fd_hash_get(fd, &info) ? info.flags : -1;
}

void uv__fs_map_remove(uv_file fd) {
  struct uv__fd_info_s info;
  (void) uv__fd_hash_remove(fd, &info); /* rarely found */
}

/* Copies all bytes: 0 or the Win32 error. */
static DWORD copy_piece(const struct mapping* map, char* view, uv_buf_t piece) {
  HANDLE self = GetCurrentProcess();
  SIZE_T done;
  BOOL ok = map->access == FILE_MAP_WRITE
                ? WriteProcessMemory(self, view, piece.base, piece.len, &done)
                : ReadProcessMemory(self, view, piece.base, piece.len, &done);
  return ok ? 0 : GetLastError();
}

/* Transfers what one view covers: 0 or the Win32 error. */
static DWORD move_window(struct mapping* map, struct uv__fs_cursor* cursor) {
  int64_t base = map->at - map->at % WINDOW_SIZE;
  int64_t end = base + WINDOW_SIZE < map->end ? base + WINDOW_SIZE : map->end;
  ULARGE_INTEGER offset = { .QuadPart = (ULONGLONG) base };

  char* view = MapViewOfFile(map->section, map->access, offset.HighPart,
                             offset.LowPart, (SIZE_T) (end - base));
  if (view == NULL)
    return GetLastError();

  DWORD sys_error = 0;
  while (sys_error == 0 && map->at < end) {
    uv_buf_t piece = uv__fs_cursor_next(cursor, (size_t) (end - map->at));
    if (piece.len == 0)
      break;

    sys_error = copy_piece(map, view + (map->at - base), piece);
    if (sys_error == 0) {
      map->at += piece.len;
      uv__fs_cursor_advance(cursor, piece, piece.len);
    }
  }

  if (sys_error == 0 && map->flush && !FlushViewOfFile(view, 0))
    sys_error = GetLastError();
  UnmapViewOfFile(view);
  return sys_error;
}

/* Transfers from map->at up to map->end: 0 or the Win32 error. Extends the file
 * to `size` if it is shorter. */
static DWORD move_all(struct mapping* map,
                      HANDLE file,
                      int64_t size,
                      struct uv__fs_cursor* cursor) {
  DWORD protect =
      map->access == FILE_MAP_WRITE ? PAGE_READWRITE : PAGE_READONLY;
  ULARGE_INTEGER length = { .QuadPart = (ULONGLONG) size };

  map->section = CreateFileMappingW(file, NULL, protect, length.HighPart,
                                    length.LowPart, NULL);
  if (map->section == NULL)
    return GetLastError();

  DWORD sys_error = 0;
  while (sys_error == 0 && map->at < map->end)
    sys_error = move_window(map, cursor);

  CloseHandle(map->section);
  return sys_error;
}

/* Queries the file position and size. */
static DWORD query_file(HANDLE file, int64_t* position, int64_t* size) {
  LARGE_INTEGER zero = { .QuadPart = 0 };
  LARGE_INTEGER value;

  if (!SetFilePointerEx(file, zero, &value, FILE_CURRENT))
    return GetLastError();
  *position = value.QuadPart;

  if (!GetFileSizeEx(file, &value))
    return GetLastError();
  *size = value.QuadPart;
  return 0;
}

static int64_t total_of(const uv_fs_t* req) {
  int64_t total = 0;

  for (unsigned int i = 0; i < req->nbufs; i++)
    total += req->bufs[i].len;
  return total < UV__FS_BYTES_MAX ? total : UV__FS_BYTES_MAX;
}

/* Directories have a size of 0; devices have no attributes. */
static int is_directory(HANDLE file) {
  DWORD attributes = uv__fs_attributes(file);
  return attributes != INVALID_FILE_ATTRIBUTES &&
         (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

/* The result of a transfer that began at `start`. Without an offset the file
 * position advances; an error after the first bytes is left for the next call
 * to find. */
static ssize_t map_finish(uv_fs_t* req,
                          HANDLE file,
                          const struct mapping* map,
                          int64_t start,
                          DWORD sys_error) {
  if (sys_error != 0 && map->at == start)
    return uv__fs_rw_fail(req, file, sys_error);

  if (req->off < 0) {
    LARGE_INTEGER position = { .QuadPart = map->at };
    if (!SetFilePointerEx(file, position, NULL, FILE_BEGIN))
      return uv__fs_fail_last(req);
  }
  return (ssize_t) (map->at - start);
}

ssize_t uv__fs_map_read(uv_fs_t* req, HANDLE file, int flags) {
  struct uv__fs_cursor cursor;
  struct mapping map = { .access = FILE_MAP_READ };
  int64_t position;
  int64_t size;

  if ((flags & ACCESS_MODE) == UV_FS_O_WRONLY)
    return uv__fs_rw_fail(req, file, ERROR_ACCESS_DENIED);
  DWORD sys_error = query_file(file, &position, &size);
  if (sys_error != 0)
    return uv__fs_rw_fail(req, file, sys_error);

  int64_t start = req->off >= 0 ? req->off : position;
  int64_t total = total_of(req);
  map.at = start;
  map.end = size - start < total ? size : start + total;
  if (map.at >= map.end && size > 0)
    return 0;

  if (size == 0) /* an empty file cannot be mapped */
    return is_directory(file) ? uv__fs_fail(req, ERROR_INVALID_FUNCTION) : 0;

  uv__fs_cursor_init(&cursor, req, 0);
  sys_error = move_all(&map, file, 0, &cursor);
  return map_finish(req, file, &map, start, sys_error);
}

ssize_t uv__fs_map_write(uv_fs_t* req, HANDLE file, int flags) {
  struct uv__fs_cursor cursor;
  struct mapping map = { .access = FILE_MAP_WRITE };
  int64_t position;
  int64_t size;

  if ((flags & ACCESS_MODE) == UV_FS_O_RDONLY)
    return uv__fs_rw_fail(req, file, ERROR_ACCESS_DENIED);
  DWORD sys_error = query_file(file, &position, &size);
  if (sys_error != 0)
    return uv__fs_rw_fail(req, file, sys_error);

  int64_t start = req->off >= 0 ? req->off : position;
  if (flags & UV_FS_O_APPEND)
    start = size;
  int64_t total = total_of(req);
  if (total == 0)
    return 0;
  if (start > INT64_MAX - total)
    return uv__fs_fail(req, ERROR_FILE_TOO_LARGE);
  if (size == 0 && is_directory(file))
    return uv__fs_fail(req, ERROR_INVALID_FUNCTION);

  map.at = start;
  map.end = start + total;
  map.flush = (flags & (UV_FS_O_SYNC | UV_FS_O_DSYNC)) != 0;
  uv__fs_cursor_init(&cursor, req, 1);
  sys_error = move_all(&map, file, map.end > size ? map.end : size, &cursor);
  return map_finish(req, file, &map, start, sys_error);
}
