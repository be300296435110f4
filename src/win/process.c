/* SPDX-License-Identifier: MIT */
/* Process handles: spawning a child and waiting for its exit.
 *
 *   uv_spawn: convert text, open descriptors, find the program -> create it
 *   suspended -> add it to our job, register a wait -> resume it
 *   exit -> a system thread posts UV_PROCESS_EXIT -> exit_cb
 *
 * If the program cannot be started, the streams for its descriptors are still
 * opened and report end of file, as on other systems: programs read from them
 * after the error.
 *
 * Children that are not detached die with us: they are added to a job object
 * that ends with its last handle, which is ours. Grandchildren are not.
 */
#include "win/process.h"
#include "util/alloc.h"
#include "win/process-path.h"
#include "win/wide.h"

#include <string.h>
#include <wchar.h>

/* Arguments of CreateProcessW(). */
struct program {
  WCHAR* path; /* executable file */
  WCHAR* args; /* command line */
  WCHAR* env;  /* environment; NULL: ours */
  WCHAR* cwd;  /* working directory */
  DWORD flags; /* creation flags */
  WORD show;   /* SW_* */
};

static uv_once_t job_once = UV_ONCE_INIT;
static HANDLE job; /* NULL if it could not be created */

static void make_job(void) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION info;
  SECURITY_ATTRIBUTES attributes = { sizeof(attributes), NULL, FALSE };

  memset(&info, 0, sizeof(info));
  info.BasicLimitInformation.LimitFlags =
      JOB_OBJECT_LIMIT_BREAKAWAY_OK | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK |
      JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION |
      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  HANDLE made = CreateJobObjectW(&attributes, NULL);
  if (made == NULL)
    return;
  if (!SetInformationJobObject(made, JobObjectExtendedLimitInformation, &info,
                               sizeof(info))) {
    CloseHandle(made);
    return;
  }
  /* With our own process in it, the job nests inside those that we are in
   * already, and our children can join it whatever job they were created in.
   * Before Windows 8 jobs cannot be nested; this call may then fail, and so
   * may adding children.
   * https://learn.microsoft.com/windows/win32/procthread/nested-jobs */
  (void) AssignProcessToJobObject(made, GetCurrentProcess());
  job = made;
}

/* ---- preparing ---- */

static int current_directory(WCHAR** out) {
  DWORD size = GetCurrentDirectoryW(0, NULL);

  /* Another thread may change it in between: retry until both calls agree. */
  while (size != 0) {
    WCHAR* cwd = uv__malloc_array(size, sizeof(*cwd));
    if (cwd == NULL)
      return UV_ENOMEM;
    DWORD used = GetCurrentDirectoryW(size, cwd);
    if (used != 0 && used < size) {
      *out = cwd;
      return 0;
    }
    uv__free(cwd);
    size = used;
  }
  return uv__last_error();
}

/* CreateProcessW() refuses directories of MAX_PATH units and more; the short
 * name may fit. */
static void shorten_cwd(WCHAR** cwd) {
  if (wcslen(*cwd) < MAX_PATH)
    return;
  DWORD size = GetShortPathNameW(*cwd, NULL, 0);
  WCHAR* copy = size == 0 ? NULL : uv__malloc_array(size, sizeof(*copy));
  if (copy == NULL)
    return;
  DWORD used = GetShortPathNameW(*cwd, copy, size);
  if (used == 0 || used >= size) {
    uv__free(copy);
    return;
  }
  uv__free(*cwd);
  *cwd = copy;
}

/* The value of PATH to search: the child's, or ours if it has none. */
static int search_path(const WCHAR* env, WCHAR** out) {
  const WCHAR* of_child = env == NULL ? NULL : uv__env_find(env, L"PATH");
  if (of_child == NULL)
    return uv__env_own(L"PATH", out);

  size_t units = wcslen(of_child) + 1;
  *out = uv__malloc_array(units, sizeof(**out));
  if (*out == NULL)
    return UV_ENOMEM;
  wmemcpy(*out, of_child, units);
  return 0;
}

static int is_file(const uint16_t* path) {
  DWORD attributes = GetFileAttributesW((const WCHAR*) path);
  return attributes != INVALID_FILE_ATTRIBUTES &&
         !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

static int find_program(struct program* program,
                        const uv_process_options_t* options) {
  WCHAR* file = NULL;
  WCHAR* path = NULL;

  int err = uv__wide_from_utf8(options->file, &file);
  if (err == 0)
    err = search_path(program->env, &path);
  if (err == 0) {
    struct uv__program_query query = {
      .file = (const uint16_t*) file,
      .cwd = (const uint16_t*) program->cwd,
      .path = (const uint16_t*) path,
      .exact_name =
          (options->flags & UV_PROCESS_WINDOWS_FILE_PATH_EXACT_NAME) != 0,
      .search_cwd = NeedCurrentDirectoryForExePathW(file),
      .is_file = is_file,
    };
    err = uv__program_find(&query, (uint16_t**) &program->path);
  }
  uv__free(path);
  uv__free(file);
  return err;
}

/* Does the child inherit a standard handle of ours? It may be a console handle,
 * which a process without a console cannot use. */
static int inherits_standard(const uv_process_options_t* options) {
  for (int i = 0; i < options->stdio_count && i < 3; i++)
    if (options->stdio[i].flags & UV_INHERIT_FD)
      return 1;
  return 0;
}

static void set_flags(struct program* program,
                      const uv_process_options_t* options) {
  unsigned int requested = options->flags;

  program->flags = CREATE_UNICODE_ENVIRONMENT | CREATE_SUSPENDED |
                   EXTENDED_STARTUPINFO_PRESENT;
  program->show = SW_SHOWDEFAULT;
  if (requested & (UV_PROCESS_WINDOWS_HIDE | UV_PROCESS_WINDOWS_HIDE_GUI))
    program->show = SW_HIDE;
  if ((requested &
       (UV_PROCESS_WINDOWS_HIDE | UV_PROCESS_WINDOWS_HIDE_CONSOLE)) &&
      !inherits_standard(options))
    program->flags |= CREATE_NO_WINDOW;
  /* No console, and not in our Ctrl-C group. */
  if (requested & UV_PROCESS_DETACHED) {
    program->flags |= DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP;
    program->flags &= ~(DWORD) CREATE_NO_WINDOW;
  }
}

static void free_program(struct program* program) {
  uv__free(program->path);
  uv__free(program->args);
  uv__free(program->env);
  uv__free(program->cwd);
}

/* Fills in everything but the path. The caller frees it, on failure too. */
static int program_prepare(struct program* program,
                           const uv_process_options_t* options) {
  char* only_name[] = { (char*) options->file, NULL };
  int has_args = options->args != NULL && options->args[0] != NULL;
  char** args = has_args ? options->args : only_name;
  int verbatim = (options->flags & UV_PROCESS_WINDOWS_VERBATIM_ARGUMENTS) != 0;

  int err = make_program_args(args, verbatim, &program->args);
  if (err == 0 && options->env != NULL)
    err = make_program_env(options->env, &program->env);
  if (err == 0)
    err = options->cwd == NULL
              ? current_directory(&program->cwd)
              : uv__wide_from_utf8(options->cwd, &program->cwd);
  set_flags(program, options);
  return err;
}

/* ---- starting ---- */

/* An attribute list with room for one attribute, or NULL. */
static LPPROC_THREAD_ATTRIBUTE_LIST make_attributes(void) {
  SIZE_T size = 0;

  InitializeProcThreadAttributeList(NULL, 1, 0, &size);
  LPPROC_THREAD_ATTRIBUTE_LIST list = uv__malloc(size);
  if (list == NULL)
    return NULL;
  if (InitializeProcThreadAttributeList(list, 1, 0, &size))
    return list;
  uv__free(list);
  return NULL;
}

/* Copies the valid handles without gaps; returns their number. */
static size_t compact_handles(const struct uv__stdio* stdio, HANDLE* out) {
  size_t count = 0;

  for (int i = 0; i < stdio->count; i++)
    if (stdio->handles[i] != INVALID_HANDLE_VALUE)
      out[count++] = stdio->handles[i];
  return count;
}

static void fill_startup(STARTUPINFOEXW* startup,
                         const struct program* program,
                         struct uv__stdio* stdio) {
  memset(startup, 0, sizeof(*startup));
  startup->StartupInfo.cb = sizeof(*startup);
  startup->StartupInfo.dwFlags = STARTF_USESTDHANDLES | STARTF_USESHOWWINDOW;
  startup->StartupInfo.wShowWindow = program->show;
  startup->StartupInfo.cbReserved2 = stdio->block_size;
  startup->StartupInfo.lpReserved2 = stdio->block;
  startup->StartupInfo.hStdInput = stdio->handles[0];
  startup->StartupInfo.hStdOutput = stdio->handles[1];
  startup->StartupInfo.hStdError = stdio->handles[2];
}

/* Creates the process suspended. It inherits exactly its descriptors, even if
 * other threads make handles inheritable at the same time. */
static int create_process(const struct program* program,
                          struct uv__stdio* stdio,
                          PROCESS_INFORMATION* info) {
  STARTUPINFOEXW startup;
  int err = UV_ENOMEM;

  fill_startup(&startup, program, stdio);
  HANDLE* handles = uv__malloc_array((size_t) stdio->count, sizeof(*handles));
  LPPROC_THREAD_ATTRIBUTE_LIST list = make_attributes();
  if (handles == NULL || list == NULL)
    goto out;

  size_t count = compact_handles(stdio, handles);
  err = 0;
  if (count > 0 &&
      !UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                                 handles, count * sizeof(*handles), NULL, NULL))
    err = uv__last_error();
  startup.lpAttributeList = list;
  if (err == 0 && !CreateProcessW(program->path, program->args, NULL, NULL,
                                  count > 0, program->flags, program->env,
                                  program->cwd, &startup.StartupInfo, info))
    err = uv__last_error();

out:
  if (list != NULL)
    DeleteProcThreadAttributeList(list);
  uv__free(list);
  uv__free(handles);
  return err;
}

/* Context: system thread pool. */
static void CALLBACK on_process_exit(void* data, BOOLEAN timed_out) {
  uv_process_t* process = data;

  (void) timed_out;
  process->exit_cb_pending = 1;
  uv__req_post(process->loop, &process->exit_req);
}

/* Adds the process to the job, registers the wait and resumes it. On failure it
 * never runs. */
static int process_start(uv_process_t* process,
                         const uv_process_options_t* options,
                         const PROCESS_INFORMATION* info) {
  int err = 0;

  if (!(options->flags & UV_PROCESS_DETACHED)) {
    uv_once(&job_once, make_job);
    /* Fails if we are in a job that does not allow nesting; the child is in
     * that job then. */
    if (job != NULL)
      (void) AssignProcessToJobObject(job, info->hProcess);
  }
  if (!RegisterWaitForSingleObject(
          &process->wait_handle, info->hProcess, on_process_exit, process,
          INFINITE, WT_EXECUTEINWAITTHREAD | WT_EXECUTEONLYONCE)) {
    err = uv__last_error();
    process->wait_handle = INVALID_HANDLE_VALUE;
    TerminateProcess(info->hProcess, 1);
  } else {
    ResumeThread(info->hThread);
  }
  CloseHandle(info->hThread);
  return err;
}

void uv__process_os_init(uv_process_t* process) {
  uv__req_init_own(&process->exit_req, UV_PROCESS_EXIT, process);
  process->exit_signal = 0;
  process->wait_handle = INVALID_HANDLE_VALUE;
  process->process_handle = INVALID_HANDLE_VALUE;
  process->exit_cb_pending = 0;
}

int uv__process_os_spawn(uv_process_t* process,
                         const uv_process_options_t* options) {
  struct program program;
  struct uv__stdio stdio;
  PROCESS_INFORMATION info;

  if (options->flags & (UV_PROCESS_SETUID | UV_PROCESS_SETGID))
    return UV_ENOTSUP;

  memset(&program, 0, sizeof(program));
  memset(&stdio, 0, sizeof(stdio));
  int err = program_prepare(&program, options);
  if (err == 0)
    err = uv__stdio_init(&stdio, options);
  if (err == 0)
    err = find_program(&program, options);
  if (err == 0)
    shorten_cwd(&program.cwd);
  if (err == 0)
    err = create_process(&program, &stdio, &info);
  uv__stdio_close(&stdio);
  free_program(&program);
  if (err != 0)
    return err;

  err = process_start(process, options, &info);
  if (err != 0) {
    CloseHandle(info.hProcess);
    return err;
  }
  process->process_handle = info.hProcess;
  process->pid = (int) info.dwProcessId;
  uv__stdio_set_peer(options, info.dwProcessId);
  return 0;
}

/* ---- exit ---- */

/* Afterwards exit_cb_pending says whether the request was posted, and no other
 * thread touches the handle. */
static void stop_waiting(uv_process_t* process) {
  if (process->wait_handle == INVALID_HANDLE_VALUE)
    return;
  /* Waits for a running callback, which does not wait for this thread. */
  UnregisterWaitEx(process->wait_handle, INVALID_HANDLE_VALUE);
  process->wait_handle = INVALID_HANDLE_VALUE;
}

static void close_process_handle(uv_process_t* process) {
  if (process->process_handle != INVALID_HANDLE_VALUE)
    CloseHandle(process->process_handle);
  process->process_handle = INVALID_HANDLE_VALUE;
}

void uv__process_exit_done(uv_handle_t* handle, uv_req_t* req) {
  uv_process_t* process = (uv_process_t*) handle;
  DWORD status = 0;

  (void) req;
  if (uv__is_closing(handle)) {
    process->exit_cb_pending = 0;
    uv__handle_close_later_done(handle);
    return;
  }
  stop_waiting(process);
  process->exit_cb_pending = 0;

  int64_t exit_status;
  if (GetExitCodeProcess(process->process_handle, &status))
    exit_status = status;
  else
    exit_status = uv__last_error(); /* it has exited, with an unknown status */
  uv__process_report_exit(process, exit_status, process->exit_signal);
}

enum uv__close_result uv__process_close(uv_handle_t* handle) {
  uv_process_t* process = (uv_process_t*) handle;

  stop_waiting(process);
  uv__handle_stop(handle);
  return uv__close_when_idle(process->exit_cb_pending ? 1 : 0);
}

/* Until the close callback, as in libuv: programs use process_handle. */
enum uv__finish_result uv__process_finish(uv_handle_t* handle) {
  close_process_handle((uv_process_t*) handle);
  return UV__FINISH_DONE;
}
