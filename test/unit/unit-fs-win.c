/* SPDX-License-Identifier: MIT */
/* Files on systems that Wine does not imitate: older versions of Windows, file
 * systems without file IDs, and a C runtime whose mask two threads read. */
#include "replace-win.h"

#include "win/winapi.h"

#include <io.h>
#include <string.h>
#include <sys/stat.h>

#define STATUS_CANNOT_DELETE_ ((LONG) 0xC0000121u)

/* ---- the mask of the C runtime ---- */

static LONG mask = _S_IWRITE;
static int is_mask_shared; /* two threads read it at the same time */
static LONG reads;         /* calls that set 0 */
static LONG restores;      /* the others */
static uv_thread_t second;

static void wait_for(LONG* count, LONG want) {
  for (int i = 0; i < 100 && InterlockedCompareExchange(count, 0, 0) < want;
       i++)
    uv_sleep(2);
}

static void open_missing(void* arg) {
  uv_fs_t req;

  (void) arg;
  CHECK_EQ(UV_ENOENT,
           uv_fs_open(NULL, &req, "missing\\file", UV_FS_O_CREAT, 0600, NULL));
}

/* The first thread reads the mask, then the second, if it may; then the first
 * restores it. */
static int __cdecl answer_umask(int value) {
  int before = (int) InterlockedExchange(&mask, value);

  if (!is_mask_shared)
    return before;
  if (value != 0) {
    InterlockedIncrement(&restores);
  } else if (InterlockedIncrement(&reads) == 1) {
    CHECK_EQ(0, uv_thread_create(&second, open_missing, NULL));
    wait_for(&reads, 2);
  } else {
    wait_for(&restores, 1);
  }
  return before;
}

#if defined(__i386__)
# define IMPORT_UMASK "__imp___umask"
#else
# define IMPORT_UMASK "__imp__umask"
#endif

extern int(__cdecl* const import_umask)(int) __asm__(IMPORT_UMASK);
int(__cdecl* const import_umask)(int) = answer_umask;

UNIT_TEST(fs_open_by_threads_keeps_the_mask) {
  is_mask_shared = 1;
  open_missing(NULL);
  CHECK_EQ(0, uv_thread_join(&second));
  CHECK_EQ(2, reads);
  CHECK_EQ(_S_IWRITE, mask);
}

/* ---- copying ---- */

static DWORD copy_error; /* 0: the system copies */

static BOOL WINAPI answer_CopyFileW(const WCHAR* from,
                                    const WCHAR* to,
                                    BOOL exclusive) {
  if (copy_error == 0)
    return REAL("kernel32", CopyFileW)(from, to, exclusive);
  SetLastError(copy_error);
  return FALSE;
}
REPLACE(CopyFileW, 12);

static int without_ids;

static BOOL WINAPI
answer_GetFileInformationByHandle(HANDLE file,
                                  BY_HANDLE_FILE_INFORMATION* info) {
  BOOL ok = REAL("kernel32", GetFileInformationByHandle)(file, info);

  if (ok && without_ids) {
    info->nFileIndexHigh = 0;
    info->nFileIndexLow = 0;
  }
  return ok;
}
REPLACE(GetFileInformationByHandle, 8);

static void make_file(char* path, size_t size) {
  uv_fs_t req;

  size -= 16;
  CHECK_EQ(0, uv_os_tmpdir(path, &size));
  strcat(path, "\\uv-XXXXXX");
  int fd = uv_fs_mkstemp(NULL, &req, path, NULL);
  CHECK(fd >= 0);
  strcpy(path, req.path);
  uv_fs_req_cleanup(&req);
  CHECK_EQ(0, uv_fs_close(NULL, &req, fd, NULL));
}

static int copy(const char* from, const char* to) {
  uv_fs_t req;
  int err = uv_fs_copyfile(NULL, &req, from, to, 0, NULL);

  uv_fs_req_cleanup(&req);
  return err;
}

/* Some network file systems: every file has the ID 0. A copy that failed must
 * not be taken for one of a file onto itself. */
UNIT_TEST(fs_copy_fails_if_files_have_no_identity) {
  char a[1024];
  char b[1024];
  uv_fs_t req;

  make_file(a, sizeof(a));
  make_file(b, sizeof(b));
  copy_error = ERROR_SHARING_VIOLATION;
  CHECK_EQ(UV_EBUSY, copy(a, b));
  CHECK_EQ(0, copy(a, a)); /* the same file */
  without_ids = 1;
  CHECK_EQ(UV_EBUSY, copy(a, b));
  CHECK_EQ(0, uv_fs_unlink(NULL, &req, a, NULL));
  CHECK_EQ(0, uv_fs_unlink(NULL, &req, b, NULL));
}

/* ---- removing ---- */

static int removals_now;

/* Windows 10 before 1809 has POSIX semantics, but does not know that a
 * read-only file is to be removed all the same. */
static LONG NTAPI set_info_before_1809(HANDLE file,
                                       struct uv__io_status* status,
                                       void* info,
                                       ULONG size,
                                       int info_class) {
  __typeof__(&set_info_before_1809) real =
      (void*) GetProcAddress(GetModuleHandleA("ntdll"), "NtSetInformationFile");

  if (info_class != UV__FILE_DISPOSITION_INFORMATION_EX)
    return real(file, status, info, size, info_class);
  removals_now++;
  return STATUS_CANNOT_DELETE_;
}

UNIT_TEST(fs_unlink_of_a_read_only_file_before_1809) {
  char path[1024];
  uv_fs_t req;

  make_file(path, sizeof(path));
  CHECK_EQ(0, uv_fs_chmod(NULL, &req, path, _S_IREAD, NULL));
  ((struct uv__winapi*) uv__winapi())->NtSetInformationFile =
      set_info_before_1809;
  CHECK_EQ(0, uv_fs_unlink(NULL, &req, path, NULL));
  CHECK_EQ(1, removals_now);
  CHECK_EQ(UV_ENOENT, uv_fs_stat(NULL, &req, path, NULL));
  /* A file that is not read-only keeps its error: a program that runs. */
  make_file(path, sizeof(path));
  CHECK_EQ(UV_EPERM, uv_fs_unlink(NULL, &req, path, NULL));
  uv_fs_req_cleanup(&req);
}
