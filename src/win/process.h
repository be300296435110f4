/* SPDX-License-Identifier: MIT */
/* Processes: shared by the process-* files, dispatch.c and handle-class.c. */
#ifndef UV_WIN_PROCESS_H_
#define UV_WIN_PROCESS_H_

#include "os/process.h"
#include "win/overlapped.h"

/* dispatch.c. */
uv__req_fn uv__process_exit_done; /* UV_PROCESS_EXIT, posted by a waiter */

/* handle-class.c. */
enum uv__close_result uv__process_close(uv_handle_t* handle);
enum uv__finish_result uv__process_finish(uv_handle_t* handle);

/* ---- process-args.c, process-env.c ----
 * Named as libuv's own tests call them. The caller frees the results with
 * uv__free(). */

/* Writes `source` as one argument of a command line and returns its end;
 * `target` has room for twice its length plus three units. */
WCHAR* quote_cmd_arg(const WCHAR* source, WCHAR* target);

/* The command line for `args`: 0 or UV_E*. */
int make_program_args(char** args, int verbatim_arguments, WCHAR** dst_ptr);

/* The sorted environment block for `env`, including required variables: 0 or
 * UV_E*. */
int make_program_env(char** env_block, WCHAR** dst_ptr);

/* The value of a variable in a block, or NULL. */
const WCHAR* uv__env_find(const WCHAR* block, const WCHAR* name);

/* The value of a variable of our own, NULL if it is not set: 0 or UV_ENOMEM. */
int uv__env_own(const WCHAR* name, WCHAR** out);

/* ---- process-stdio.c ---- */

/* The child's descriptors. */
struct uv__stdio {
  int count;
  HANDLE* handles;      /* inheritable, owned; or INVALID_HANDLE_VALUE */
  unsigned char* modes; /* enum crt_mode */
  unsigned char* block; /* both, in the C runtime's format */
  WORD block_size;
};

/* Opens what the options describe: 0 or UV_E*. On failure only streams that
 * were opened stay open. */
int uv__stdio_init(struct uv__stdio* stdio,
                   const uv_process_options_t* options);

/* Closes the child's ends. */
void uv__stdio_close(struct uv__stdio* stdio);

/* Tells IPC pipes which process has their other end. */
void uv__stdio_set_peer(const uv_process_options_t* options, DWORD pid);

/* ---- process-dump.c ---- */

/* Writes a dump of the process if Windows Error Reporting is configured to keep
 * dumps. Never fails. */
void uv__process_dump(HANDLE process, DWORD pid);

#endif /* UV_WIN_PROCESS_H_ */
