/* SPDX-License-Identifier: MIT */
/* Prints what file operations return for every kind of path, one call a line;
 * test/peer/run compares the output of both libraries. Each call finds the same
 * files. */
#include <uv.h>

#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define PATH_SIZE 1024
#define DEEP_NAME_LEN 120 /* two of them exceed MAX_PATH */

struct path {
  const char* label;
  const char* text;
  int is_shared; /* the machine's: Wine would change /dev/null and / */
};

static char room[PATH_SIZE]; /* absolute path of the current directory */
static char deep[PATH_SIZE]; /* a file, longer than MAX_PATH */
static char verbatim[PATH_SIZE];
static char absolute[PATH_SIZE];
static char endless[40000];
static HANDLE locked;

static const struct path paths[] = {
  { "missing", "missing" },
  { "missing/", "missing/" },
  { "file", "file" },
  { "FILE", "FILE" },
  { "file/", "file/" },
  { "file\\", "file\\" },
  { "file//", "file//" },
  { "file/x", "file/x" },
  { "file.", "file." },
  { "dir/../file", "dir/../file" },
  { "missing/../file", "missing/../file" },
  { "dir", "dir" },
  { "dir/", "dir/" },
  { "full", "full" },
  { "full/inner", "full/inner" },
  { "missing/x", "missing/x" },
  { "readonly", "readonly" },
  { "locked", "locked" },
  { "dot", "." },
  { "empty", "" },
  { "slash", "/", 1 },
  { "NUL", "NUL", 1 },
  { "not-wtf8", "\xff" },
  { "surrogate", "\xed\xa0\x80" },
  { "star", "f*" },
  { "angle", "<a>" },
  { "stream", "missing:stream" },
  { "no-drive", "Q:\\x" },
  { "deep", deep },
  { "verbatim", verbatim },
  { "absolute", absolute },
  { "endless", endless },
  { "pipe", "\\\\.\\pipe\\none" },
};

/* The system's ANSI functions do not take long paths. */
static const WCHAR* wide(const char* path) {
  static WCHAR text[PATH_SIZE];

  MultiByteToWideChar(CP_ACP, 0, path, -1, text, PATH_SIZE);
  return text;
}

static void write_file(const char* path, DWORD attributes) {
  DWORD written;
  HANDLE file = CreateFileW(wide(path), GENERIC_WRITE, FILE_SHARE_READ, NULL,
                            CREATE_ALWAYS, attributes, NULL);

  if (file == INVALID_HANDLE_VALUE ||
      !WriteFile(file, "hello", 5, &written, NULL))
    printf("cannot write %s: %lu\n", path, GetLastError());
  CloseHandle(file);
}

/* Empties a directory; the deep one is left as it is. */
static void empty_dir(const char* dir) {
  char pattern[2 * PATH_SIZE];
  WIN32_FIND_DATAA entry;

  snprintf(pattern, sizeof(pattern), "%s\\*", dir);
  HANDLE find = FindFirstFileA(pattern, &entry);
  if (find == INVALID_HANDLE_VALUE)
    return;
  do {
    char path[2 * PATH_SIZE];

    if (entry.cFileName[0] == '.' || entry.cFileName[0] == '0')
      continue;
    snprintf(path, sizeof(path), "%s\\%s", dir, entry.cFileName);
    SetFileAttributesA(path, FILE_ATTRIBUTE_NORMAL);
    if (!(entry.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)) {
      DeleteFileA(path);
    } else if (strcmp(dir, ".") == 0) {
      empty_dir(path);
      RemoveDirectoryA(path);
    }
  } while (FindNextFileA(find, &entry));
  FindClose(find);
}

static void set_up(void) {
  if (locked != NULL)
    CloseHandle(locked);
  empty_dir(".");
  CreateDirectoryA("dir", NULL);
  CreateDirectoryA("full", NULL);
  write_file("file", FILE_ATTRIBUTE_NORMAL);
  write_file("full\\inner", FILE_ATTRIBUTE_NORMAL);
  write_file("readonly", FILE_ATTRIBUTE_READONLY);
  write_file("locked", FILE_ATTRIBUTE_NORMAL);
  write_file(deep, FILE_ATTRIBUTE_NORMAL);
  locked = CreateFileA("locked", GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
}

static void make_paths(void) {
  char dir[PATH_SIZE];

  GetCurrentDirectoryA(sizeof(room) / 2, room);
  snprintf(verbatim, sizeof(verbatim), "\\\\?\\%.500s\\file", room);
  snprintf(absolute, sizeof(absolute), "%.500s\\file", room);
  snprintf(dir, sizeof(dir), "\\\\?\\%.500s\\%0*d", room, DEEP_NAME_LEN, 0);
  CreateDirectoryW(wide(dir), NULL);
  snprintf(deep, sizeof(deep), "%.800s\\%0*d", dir, DEEP_NAME_LEN, 0);
  CreateDirectoryW(wide(deep), NULL);
  strcat(deep, "\\file");
  memset(endless, 'a', sizeof(endless) - 1);
}

/* ---- one path ---- */

typedef int (*call_fn)(uv_fs_t* req, const char* path);

#define CALL(name, call)                                                       \
 static int do_##name(uv_fs_t* req, const char* path) {                        \
  return call;                                                                 \
 }

CALL(stat, uv_fs_stat(NULL, req, path, NULL))
CALL(lstat, uv_fs_lstat(NULL, req, path, NULL))
CALL(statfs, uv_fs_statfs(NULL, req, path, NULL))
CALL(scandir, uv_fs_scandir(NULL, req, path, 0, NULL))
CALL(access, uv_fs_access(NULL, req, path, 0, NULL))
CALL(access_write, uv_fs_access(NULL, req, path, 2, NULL))
CALL(readlink, uv_fs_readlink(NULL, req, path, NULL))
CALL(realpath, uv_fs_realpath(NULL, req, path, NULL))
CALL(utime, uv_fs_utime(NULL, req, path, 1, 2, NULL))
CALL(lutime, uv_fs_lutime(NULL, req, path, 1, 2, NULL))
CALL(chown, uv_fs_chown(NULL, req, path, 1, 1, NULL))
CALL(chmod, uv_fs_chmod(NULL, req, path, 0444, NULL))
CALL(unlink, uv_fs_unlink(NULL, req, path, NULL))
CALL(rmdir, uv_fs_rmdir(NULL, req, path, NULL))
CALL(mkdir, uv_fs_mkdir(NULL, req, path, 0777, NULL))
CALL(mkdtemp, uv_fs_mkdtemp(NULL, req, path, NULL))
CALL(mkstemp, uv_fs_mkstemp(NULL, req, path, NULL))

static int do_opendir(uv_fs_t* req, const char* path) {
  int err = uv_fs_opendir(NULL, req, path, NULL);
  uv_fs_t close_req;

  if (err == 0)
    uv_fs_closedir(NULL, &close_req, req->ptr, NULL);
  return err;
}

static const struct {
  const char* name;
  call_fn run;
  int changes; /* files, or their times */
} calls[] = {
  { "stat", do_stat, 0 },         { "lstat", do_lstat, 0 },
  { "statfs", do_statfs, 0 },     { "scandir", do_scandir, 0 },
  { "opendir", do_opendir, 0 },   { "access", do_access, 0 },
  { "readlink", do_readlink, 0 }, { "access-write", do_access_write, 0 },
  { "utime", do_utime, 1 },       { "realpath", do_realpath, 0 },
  { "lutime", do_lutime, 1 },     { "chown", do_chown, 1 },
  { "chmod", do_chmod, 1 },       { "unlink", do_unlink, 1 },
  { "rmdir", do_rmdir, 1 },       { "mkdir", do_mkdir, 1 },
  { "mkdtemp", do_mkdtemp, 0 },   { "mkstemp", do_mkstemp, 0 },
};

static void report(const char* call,
                   const char* from,
                   const char* to,
                   uv_fs_t* req,
                   int result) {
  printf("%s %s %s %s", call, from, to,
         result < 0 ? uv_err_name(result) : "ok");
  if (result == 0 &&
      (req->fs_type == UV_FS_STAT || req->fs_type == UV_FS_LSTAT))
    printf(" mode=%o size=%d", (int) req->statbuf.st_mode,
           (int) req->statbuf.st_size);
  if (req->fs_type == UV_FS_MKDTEMP || req->fs_type == UV_FS_MKSTEMP)
    printf(" path=%d", req->path == NULL ? -1 : (int) strlen(req->path));
  printf("\n");
  uv_fs_req_cleanup(req);
}

static void try_one_path(void) {
  for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
    int stale = 1;

    for (size_t j = 0; j < ARRAY_SIZE(paths); j++) {
      uv_fs_t req;

      if (paths[j].is_shared && calls[i].changes)
        continue;
      if (stale)
        set_up();
      int result = calls[i].run(&req, paths[j].text);
      report(calls[i].name, paths[j].label, "-", &req, result);
      stale = result >= 0 && calls[i].changes;
    }
  }
}

/* ---- two paths ---- */

typedef int (*call2_fn)(uv_fs_t* req, const char* from, const char* to);

#define CALL2(name, call)                                                      \
 static int do_##name(uv_fs_t* req, const char* from, const char* to) {        \
  return call;                                                                 \
 }

CALL2(rename, uv_fs_rename(NULL, req, from, to, NULL))
CALL2(link, uv_fs_link(NULL, req, from, to, NULL))
CALL2(copyfile, uv_fs_copyfile(NULL, req, from, to, 0, NULL))
CALL2(copy_excl, uv_fs_copyfile(NULL, req, from, to, UV_FS_COPYFILE_EXCL, NULL))
CALL2(junction,
      uv_fs_symlink(NULL, req, from, to, UV_FS_SYMLINK_JUNCTION, NULL))

static const struct {
  const char* name;
  call2_fn run;
  int changes; /* what is at the first path */
} calls2[] = {
  { "rename", do_rename, 1 },     { "link", do_link, 1 },
  { "copyfile", do_copyfile, 0 }, { "copy-excl", do_copy_excl, 0 },
  { "junction", do_junction, 0 },
};

static void try_two_paths(void) {
  static const char* const targets[] = { "missing",  "file",   "dir",
                                         "readonly", "locked", "missing/x",
                                         "" };

  for (size_t i = 0; i < ARRAY_SIZE(calls2); i++)
    for (size_t j = 0; j < ARRAY_SIZE(targets); j++) {
      int stale = 1;

      for (size_t k = 0; k < ARRAY_SIZE(paths); k++) {
        uv_fs_t req;

        if (paths[k].is_shared && calls2[i].changes)
          continue;
        if (stale)
          set_up();
        int result = calls2[i].run(&req, paths[k].text, targets[j]);
        report(calls2[i].name, paths[k].label, targets[j], &req, result);
        stale = result >= 0;
      }
    }
}

/* ---- open ---- */

static const struct {
  const char* label;
  int flags;
} modes[] = {
  { "r", UV_FS_O_RDONLY },
  { "w", UV_FS_O_WRONLY },
  { "both", UV_FS_O_WRONLY | UV_FS_O_RDWR },
  { "create", UV_FS_O_WRONLY | UV_FS_O_CREAT },
  { "create-excl", UV_FS_O_WRONLY | UV_FS_O_CREAT | UV_FS_O_EXCL },
  { "create-trunc", UV_FS_O_WRONLY | UV_FS_O_CREAT | UV_FS_O_TRUNC },
  { "trunc", UV_FS_O_WRONLY | UV_FS_O_TRUNC },
  { "append", UV_FS_O_WRONLY | UV_FS_O_APPEND },
  { "append-direct", UV_FS_O_WRONLY | UV_FS_O_APPEND | UV_FS_O_DIRECT },
  { "lock", UV_FS_O_RDONLY | UV_FS_O_EXLOCK },
  { "random-sequential", UV_FS_O_RANDOM | UV_FS_O_SEQUENTIAL },
  { "sync-dsync", UV_FS_O_WRONLY | UV_FS_O_SYNC | UV_FS_O_DSYNC },
  { "map", UV_FS_O_RDWR | UV_FS_O_FILEMAP },
};

static void use_fd(const char* path, const char* mode, int fd) {
  char bytes[4];
  uv_buf_t buf = uv_buf_init(bytes, sizeof(bytes));
  uv_fs_t req;
  int results[] = {
    uv_fs_read(NULL, &req, fd, &buf, 1, 0, NULL),
    uv_fs_write(NULL, &req, fd, &buf, 1, 0, NULL),
    uv_fs_fsync(NULL, &req, fd, NULL),
    uv_fs_fstat(NULL, &req, fd, NULL),
    uv_fs_close(NULL, &req, fd, NULL),
    uv_fs_close(NULL, &req, fd, NULL),
  };

  printf("used %s %s:", path, mode);
  for (size_t i = 0; i < ARRAY_SIZE(results); i++)
    printf(" %s", results[i] < 0 ? uv_err_name(results[i]) : "ok");
  printf("\n");
}

static void try_open(void) {
  for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
    for (size_t j = 0; j < ARRAY_SIZE(paths); j++) {
      uv_fs_t req;

      set_up();
      int fd =
          uv_fs_open(NULL, &req, paths[j].text, modes[i].flags, 0666, NULL);
      report("open", paths[j].label, modes[i].label, &req, fd);
      if (fd >= 0)
        use_fd(paths[j].label, modes[i].label, fd);
    }
}

int main(void) {
  make_paths();
  try_one_path();
  try_two_paths();
  try_open();
  printf("done\n");
  return 0;
}
