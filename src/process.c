/* SPDX-License-Identifier: MIT */
/* Process API: argument checks and handle states.
 *
 * A failed uv_spawn() leaves an inactive handle that is in no list of the loop;
 * uv_close() on it works and is not needed.
 */
#include "os/process.h"
#include "observe/callback.h"
#include "observe/hooks.h"

#define PROCESS_FLAGS                                                          \
 (UV_PROCESS_SETUID | UV_PROCESS_SETGID |                                      \
  UV_PROCESS_WINDOWS_VERBATIM_ARGUMENTS | UV_PROCESS_DETACHED |                \
  UV_PROCESS_WINDOWS_HIDE | UV_PROCESS_WINDOWS_HIDE_CONSOLE |                  \
  UV_PROCESS_WINDOWS_HIDE_GUI | UV_PROCESS_WINDOWS_FILE_PATH_EXACT_NAME)

static int check_container(const uv_stdio_container_t* container) {
  const uv_stream_t* stream = container->data.stream;

  switch (uv__stdio_kind(container)) {
  case UV_IGNORE:
  case UV_INHERIT_FD:
    return 0;
  case UV_INHERIT_STREAM:
    return stream == NULL ? UV_EINVAL : 0;
  case UV_CREATE_PIPE:
    if (stream == NULL || stream->type != UV_NAMED_PIPE)
      return UV_EINVAL;
    return uv__is_closing((const uv_handle_t*) stream) ? UV_EINVAL : 0;
  default: /* two kinds at once */
    return UV_EINVAL;
  }
}

static int check_options(const uv_process_options_t* options) {
  if (options->file == NULL || (options->flags & ~(unsigned) PROCESS_FLAGS))
    return UV_EINVAL;
  if (options->stdio_count < 0)
    return UV_EINVAL;
  if (options->stdio_count > 0 && options->stdio == NULL)
    return UV_EINVAL;

  int err = 0;
  for (int i = 0; i < options->stdio_count && err == 0; i++)
    err = check_container(&options->stdio[i]);
  return err;
}

int uv_spawn(uv_loop_t* loop,
             uv_process_t* process,
             const uv_process_options_t* options) {
  if (loop == NULL || process == NULL || options == NULL)
    return UV_EINVAL;

  uv__handle_init(loop, uv__base(process), UV_PROCESS);
  process->exit_cb = options->exit_cb;
  process->pid = 0;
  uv__process_os_init(process);

  int err = check_options(options);
  if (err == 0)
    err = uv__process_os_spawn(process, options);
  if (err != 0) {
    process->flags |= UV__PROCESS_REAPED; /* there is no process to signal */
    uv__handle_discard(uv__base(process));
    if (err == UV_EFAULT)
      return uv__misuse_refuse(UV__RULE_SPAWN, process, err);
    return err;
  }

  uv__hook_text(process, UV__ABOUT_COMMAND, options->file);
  uv__handle_start(uv__base(process));
  return 0;
}

int uv_process_kill(uv_process_t* process, int signum) {
  return uv__process_os_kill(process, signum);
}

void uv__process_report_exit(uv_process_t* process,
                             int64_t exit_status,
                             int term_signal) {
  uv__handle_stop(uv__base(process));
  if (process->exit_cb != NULL)
    uv__call_exit(process, exit_status, term_signal);
}
