/* SPDX-License-Identifier: MIT */
/* The runner on Windows: CreateProcess, job objects, temporary files. Also
 * serves the unit tests (unit/process-win.c). */
#include "runner-win.h"
#include "runner.h"

#include <fcntl.h>
#include <io.h>
#include <wchar.h>

#define PATH_UNITS 32768 /* the longest possible path */

/* What a job's private part points to. */
struct runner_os_job {
  HANDLE process;
  HANDLE group; /* a job object: everything the test starts */
};

static char self[MAX_PATH];

runner_create_fn* runner_create = runner_create_suspended;

static int complain(const char* what) {
  fprintf(stderr, "%s: Windows error %lu\n", what, GetLastError());
  return -1;
}

int runner_os_init(const char* argv0) {
  (void) argv0;
  DWORD n = GetModuleFileNameA(NULL, self, sizeof(self));
  if (n == 0 || n >= sizeof(self))
    return complain("GetModuleFileName");
  /* A test that crashes ends without a dialog. */
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX |
               SEM_NOOPENFILEERRORBOX);
  return 0;
}

const char* runner_os_self(void) {
  return self;
}

uint64_t runner_os_now_ms(void) {
  return GetTickCount64();
}

/* A unique name in the temporary directory. */
static int temp_name(char* out, size_t size, const char* what) {
  static unsigned serial;
  char folder[MAX_PATH];
  DWORD len = GetTempPathA(sizeof(folder), folder);

  if (len == 0 || len >= sizeof(folder))
    return complain("GetTempPath");
  int n = snprintf(out, size, "%suv-test-%lu-%u%s", folder,
                   GetCurrentProcessId(), serial++, what);
  if (n < 0 || (size_t) n >= size) {
    fprintf(stderr, "the path of the temporary directory is too long\n");
    return -1;
  }
  return 0;
}

/* A file for both output streams, deleted when it is closed. */
static FILE* make_output(HANDLE* handle) {
  char path[MAX_PATH];

  if (temp_name(path, sizeof(path), ".out") != 0)
    return NULL;
  *handle =
      CreateFileA(path, GENERIC_READ | GENERIC_WRITE,
                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                  CREATE_ALWAYS,
                  FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
  if (*handle == INVALID_HANDLE_VALUE) {
    complain(path);
    return NULL;
  }
  int fd = _open_osfhandle((intptr_t) *handle, _O_RDWR | _O_TEXT);
  FILE* file = fd == -1 ? NULL : _fdopen(fd, "r+");
  if (file == NULL)
    perror(path);
  return file;
}

static HANDLE make_group(void) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits;
  HANDLE group = CreateJobObjectA(NULL, NULL);

  memset(&limits, 0, sizeof(limits));
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  if (group != NULL)
    SetInformationJobObject(group, JobObjectExtendedLimitInformation, &limits,
                            sizeof(limits));
  return group;
}

BOOL runner_create_suspended(char* command,
                             const char* folder,
                             STARTUPINFOA* startup,
                             PROCESS_INFORMATION* info) {
  return CreateProcessA(self, command, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL,
                        folder, startup, info);
}

/* Only `output` and `input` are inherited: the runner has one thread. */
static int create_process(const struct runner_job* job,
                          HANDLE input,
                          HANDLE output,
                          PROCESS_INFORMATION* info) {
  char command[2 * MAX_PATH];
  STARTUPINFOA startup;

  snprintf(command, sizeof(command), "\"%s\" --run %s", self, job->name);
  memset(&startup, 0, sizeof(startup));
  startup.cb = sizeof(startup);
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = input;
  startup.hStdOutput = output;
  startup.hStdError = output;
  SetHandleInformation(input, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  SetHandleInformation(output, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  BOOL ok = runner_create(command, job->dir, &startup, info);
  /* Wine now and then fails like this for no lasting reason: once more. */
  if (!ok && GetLastError() == ERROR_INTERNAL_ERROR)
    ok = runner_create(command, job->dir, &startup, info);
  SetHandleInformation(input, HANDLE_FLAG_INHERIT, 0);
  SetHandleInformation(output, HANDLE_FLAG_INHERIT, 0);
  return ok ? 0 : complain(self);
}

static int start_process(struct runner_job* job, HANDLE output) {
  PROCESS_INFORMATION info;
  HANDLE input =
      CreateFileA("NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                  OPEN_EXISTING, 0, NULL);
  struct runner_os_job* os = calloc(1, sizeof(*os));

  if (input == INVALID_HANDLE_VALUE || os == NULL)
    return complain("NUL");
  int err = create_process(job, input, output, &info);
  CloseHandle(input);
  if (err != 0) {
    free(os);
    return err;
  }
  os->process = info.hProcess;
  os->group = make_group();
  if (os->group != NULL && !AssignProcessToJobObject(os->group, info.hProcess))
    complain("AssignProcessToJobObject");
  ResumeThread(info.hThread);
  CloseHandle(info.hThread);
  job->os = os;
  return 0;
}

int runner_os_start(struct runner_job* job) {
  HANDLE output = INVALID_HANDLE_VALUE;

  if (temp_name(job->dir, sizeof(job->dir), "") != 0)
    return -1;
  if (!CreateDirectoryA(job->dir, NULL))
    return complain(job->dir);
  job->output = make_output(&output);
  if (job->output == NULL || start_process(job, output) != 0) {
    RemoveDirectoryA(job->dir);
    return -1;
  }
  job->started_ms = runner_os_now_ms();
  return 0;
}

/* Kills it with everything it has started. */
static void end_group(struct runner_os_job* os) {
  if (os->group != NULL)
    TerminateJobObject(os->group, 1);
  TerminateProcess(os->process, 1);
  WaitForSingleObject(os->process, 5000);
}

static void describe_exit(HANDLE process, enum runner_end* end, int* value) {
  DWORD code = 1;

  GetExitCodeProcess(process, &code);
  /* An unhandled exception is a status of severity "error". */
  *end = code >= 0xC0000000u ? RUNNER_KILLED : RUNNER_EXITED;
  *value = (int) code;
}

int runner_os_wait(struct runner_job* jobs,
                   int njobs,
                   enum runner_end* end,
                   int* value) {
  for (;;) {
    HANDLE processes[MAXIMUM_WAIT_OBJECTS];
    uint64_t now = runner_os_now_ms();
    uint64_t wait_ms = 60000;

    for (int i = 0; i < njobs; i++) {
      struct runner_os_job* os = jobs[i].os;
      processes[i] = os->process;
      if (now >= jobs[i].deadline_ms &&
          WaitForSingleObject(os->process, 0) == WAIT_TIMEOUT) {
        end_group(os);
        *end = RUNNER_TIMEOUT;
        *value = 0;
        return i;
      }
      uint64_t left = jobs[i].deadline_ms > now ? jobs[i].deadline_ms - now : 0;
      if (left < wait_ms)
        wait_ms = left;
    }
    DWORD got = WaitForMultipleObjects((DWORD) njobs, processes, FALSE,
                                       (DWORD) wait_ms + 1);
    if (got >= (DWORD) njobs)
      continue;
    struct runner_os_job* os = jobs[got].os;
    describe_exit(os->process, end, value);
    end_group(os);
    return (int) got;
  }
}

/* ---- removing the directory ---- */

/* The first entry of `dir` other than the two dots; 0 if it is empty. */
static int first_entry(wchar_t* dir, WIN32_FIND_DATAW* entry) {
  size_t len = wcslen(dir);
  int found = 0;

  if (len + 3 > PATH_UNITS)
    return 0;
  wcscpy(dir + len, L"\\*");
  HANDLE search = FindFirstFileW(dir, entry);
  dir[len] = L'\0';
  if (search == INVALID_HANDLE_VALUE)
    return 0;
  do
    found = wcscmp(entry->cFileName, L".") != 0 &&
            wcscmp(entry->cFileName, L"..") != 0;
  while (!found && FindNextFileW(search, entry));
  FindClose(search);
  return found;
}

/* Deletes the entry, or makes `dir` the directory that must be emptied first. 0
 * if neither is possible. */
static int remove_entry(wchar_t* dir, const WIN32_FIND_DATAW* entry) {
  size_t len = wcslen(dir);
  DWORD kind = entry->dwFileAttributes;

  if (len + wcslen(entry->cFileName) + 2 > PATH_UNITS)
    return 0;
  dir[len] = L'\\';
  wcscpy(dir + len + 1, entry->cFileName);
  if ((kind & FILE_ATTRIBUTE_DIRECTORY) &&
      !(kind & FILE_ATTRIBUTE_REPARSE_POINT))
    return 1;
  SetFileAttributesW(dir, FILE_ATTRIBUTE_NORMAL);
  int ok = kind & FILE_ATTRIBUTE_DIRECTORY ? RemoveDirectoryW(dir)
                                           : DeleteFileW(dir);
  dir[len] = L'\0';
  return ok;
}

static void remove_tree(const char* root) {
  wchar_t* dir = calloc(PATH_UNITS, sizeof(*dir));
  WIN32_FIND_DATAW entry;

  if (dir == NULL)
    return;
  size_t top = (size_t) swprintf(dir, PATH_UNITS, L"\\\\?\\%hs", root);
  while (wcslen(dir) >= top) {
    if (first_entry(dir, &entry)) {
      if (remove_entry(dir, &entry))
        continue;
      fprintf(stderr, "cannot remove all of %s\n", root);
      break;
    }
    if (!RemoveDirectoryW(dir)) {
      fprintf(stderr, "cannot remove %s\n", root);
      break;
    }
    *wcsrchr(dir, L'\\') = L'\0'; /* continue with its parent */
  }
  free(dir);
}

void runner_os_clean(struct runner_job* job) {
  struct runner_os_job* os = job->os;

  CloseHandle(os->process);
  if (os->group != NULL)
    CloseHandle(os->group);
  free(os);
  fclose(job->output);
  remove_tree(job->dir);
}
