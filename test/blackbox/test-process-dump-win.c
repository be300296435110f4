/* SPDX-License-Identifier: MIT */
/* Dumps of children that receive SIGQUIT, and GHSA-jjrx-vr7q-7732: the buffer
 * for the path of a dump, with a long %LOCALAPPDATA%. Method: for this process
 * only, another key replaces HKEY_LOCAL_MACHINE, with dumps enabled; the
 * library's memory has guard bytes, checked when it is freed. */
#include "test.h"

#include <dbghelp.h>
#include <signal.h>
#include <stdio.h>

#define FENCE_BYTES (128 * 1024)
#define FENCE_FILL 0x5a

#define DUMPS_KEY                                                              \
 L"SOFTWARE\\Microsoft\\Windows\\Windows Error Reporting\\LocalDumps"

static uv_loop_t loop;
static WCHAR machine_name[64];
static HKEY machine;
static HKEY dumps;
static int64_t exit_status;
static int exit_signal;

/* ---- memory with guard bytes: [size][block][guard] ---- */

static int fences_seen;

static void* fenced_malloc(size_t size) {
  char* whole = malloc(16 + size + FENCE_BYTES);

  if (whole == NULL)
    return NULL;
  memcpy(whole, &size, sizeof(size));
  memset(whole + 16 + size, FENCE_FILL, FENCE_BYTES);
  return whole + 16;
}

static size_t fenced_size(void* block) {
  size_t size;

  memcpy(&size, (char*) block - 16, sizeof(size));
  const char* fence = (char*) block + size;
  for (size_t i = 0; i < FENCE_BYTES; i++)
    ASSERT_EQ(FENCE_FILL, fence[i]);
  fences_seen++;
  return size;
}

static void fenced_free(void* block) {
  if (block == NULL)
    return;
  (void) fenced_size(block);
  free((char*) block - 16);
}

static void* fenced_calloc(size_t count, size_t size) {
  void* block = fenced_malloc(count * size);

  if (block != NULL)
    memset(block, 0, count * size);
  return block;
}

static void* fenced_realloc(void* block, size_t size) {
  void* moved = fenced_malloc(size);

  if (moved != NULL && block != NULL) {
    size_t old = fenced_size(block);
    memcpy(moved, block, old < size ? old : size);
    fenced_free(block);
  }
  return moved;
}

/* A dump needs no debug information, but the dbghelp.dll of Wine 10 reads that
 * of every module, which takes seconds on a busy machine. The library must stay
 * loaded to remember. */
static void defer_symbols(void) {
  typedef DWORD WINAPI set_options_fn(DWORD options);
  HMODULE library = LoadLibraryA("dbghelp.dll");

  ASSERT_NOT_NULL(library);
  set_options_fn* set_options =
      (set_options_fn*) (void*) GetProcAddress(library, "SymSetOptions");
  ASSERT_NOT_NULL(set_options);
  set_options(SYMOPT_DEFERRED_LOADS);
}

/* ---- a private registry ---- */

static void begin(void) {
  defer_symbols();
  ASSERT_OK(uv_replace_allocator(fenced_malloc, fenced_realloc, fenced_calloc,
                                 fenced_free));
  ASSERT_OK(uv_loop_init(&loop));
  _snwprintf(machine_name, ARRAY_SIZE(machine_name), L"Software\\uv-test-%d",
             uv_os_getpid());
  ASSERT_EQ(ERROR_SUCCESS,
            RegCreateKeyExW(HKEY_CURRENT_USER, machine_name, 0, NULL,
                            REG_OPTION_VOLATILE, KEY_ALL_ACCESS, NULL, &machine,
                            NULL));
  ASSERT_EQ(ERROR_SUCCESS,
            RegCreateKeyExW(machine, DUMPS_KEY, 0, NULL, REG_OPTION_VOLATILE,
                            KEY_ALL_ACCESS, NULL, &dumps, NULL));
}

static void end(void) {
  RegCloseKey(dumps);
  RegCloseKey(machine);
  ASSERT_EQ(ERROR_SUCCESS, RegDeleteTreeW(HKEY_CURRENT_USER, machine_name));
  test_close_loop(&loop);
  ASSERT_GT(fences_seen, 0);
}

static void set_folder(DWORD type, const void* data, size_t size) {
  ASSERT_EQ(ERROR_SUCCESS,
            RegSetValueExW(dumps, L"DumpFolder", 0, type, data, (DWORD) size));
}

static void on_exit_cb(uv_process_t* process, int64_t status, int signum) {
  exit_status = status;
  exit_signal = signum;
  uv_close((uv_handle_t*) process, NULL);
}

/* A sleeping child receives SIGQUIT and exits as expected. Returns its pid. */
static int quit_child(int by_pid) {
  uv_process_t process;
  uv_process_options_t options;
  char* args[7];

  helper_args(args, "sleep_for_ever", NULL, NULL, NULL);
  test_process_options(&options, args, on_exit_cb);
  ASSERT_OK(uv_spawn(&loop, &process, &options));
  int pid = uv_process_get_pid(&process);

  ASSERT_EQ(ERROR_SUCCESS, RegOverridePredefKey(HKEY_LOCAL_MACHINE, machine));
  if (by_pid)
    ASSERT_OK(uv_kill(pid, SIGQUIT));
  else
    ASSERT_OK(uv_process_kill(&process, SIGQUIT));
  ASSERT_EQ(ERROR_SUCCESS, RegOverridePredefKey(HKEY_LOCAL_MACHINE, NULL));
  ASSERT_EQ(0, uv_run(&loop, UV_RUN_DEFAULT));
  ASSERT_EQ(1, exit_status);
  ASSERT_EQ(by_pid ? 0 : SIGQUIT, exit_signal);
  return pid;
}

/* Is there a dump of the child in the folder? It is checked and removed. */
static int take_dump(const char* folder, int pid) {
  const char* self = strrchr(test_self(), '\\');
  char path[512];
  char magic[4];
  uv_fs_t req;

  snprintf(path, sizeof(path), "%s\\%s.%d.dmp", folder,
           self == NULL ? test_self() : self + 1, pid);
  int fd = uv_fs_open(NULL, &req, path, UV_FS_O_RDONLY, 0, NULL);
  uv_fs_req_cleanup(&req);
  if (fd == UV_ENOENT)
    return 0;
  ASSERT_GE(fd, 0);
  uv_buf_t buf = uv_buf_init(magic, sizeof(magic));
  ASSERT_EQ(4, uv_fs_read(NULL, &req, fd, &buf, 1, 0, NULL));
  ASSERT_MEM_EQ("MDMP", magic, 4);
  ASSERT_OK(uv_fs_close(NULL, &req, fd, NULL));
  ASSERT_OK(uv_fs_unlink(NULL, &req, path, NULL));
  uv_fs_req_cleanup(&req);
  return 1;
}

TEST_IMPL(process_dump_goes_to_its_folder) {
  static const WCHAR folder[] = L"%UV_TEST_DUMPS%\\made";

  if (test_on_wine() && sizeof(void*) == 4)
    SKIP("MiniDumpWriteDump() of a 32-bit program fails under 64-bit Wine");
  begin();
  ASSERT_OK(uv_os_setenv("UV_TEST_DUMPS", "."));
  set_folder(REG_EXPAND_SZ, folder, sizeof(folder));
  ASSERT_EQ(1, take_dump("made", quit_child(0)));
  ASSERT_EQ(1, take_dump("made", quit_child(1)));

  /* The default folder is derived from a variable. */
  ASSERT_EQ(ERROR_SUCCESS, RegDeleteValueW(dumps, L"DumpFolder"));
  ASSERT_OK(uv_os_setenv("LOCALAPPDATA", "."));
  ASSERT_EQ(1, take_dump("CrashDumps", quit_child(0)));
  end();
  return 0;
}

/* A value that only looks like text may lack its end: it is not used. One that
 * is too long for a name is used, and then there is no dump. */
TEST_IMPL(process_dump_folder_is_not_text) {
  static const WCHAR folder[] = L"made";
  static WCHAR units[1024];

  for (size_t i = 0; i < ARRAY_SIZE(units); i++)
    units[i] = L'x';
  begin();
  set_folder(REG_BINARY, folder, sizeof(folder));
  ASSERT_EQ(0, take_dump("made", quit_child(0)));
  set_folder(REG_SZ, units, sizeof(units)); /* without a 0 */
  ASSERT_EQ(0, take_dump(".", quit_child(0)));
  end();
  return 0;
}

TEST_IMPL(process_dump_long_folder) {
  static const int lengths[] = { 120,  247,   259,   260,   519,   1000,
                                 4000, 16383, 16384, 32700, 32750, 32766 };
  static WCHAR folder[32768];

  begin();
  for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
    for (int k = 0; k < lengths[i]; k++)
      folder[k] = 0x20ac;
    folder[lengths[i]] = 0;
    ASSERT(SetEnvironmentVariableW(L"LOCALAPPDATA", folder));
    ASSERT_EQ(0, take_dump("CrashDumps", quit_child(0)));
  }
  ASSERT(SetEnvironmentVariableW(L"LOCALAPPDATA", NULL));
  end();
  return 0;
}
