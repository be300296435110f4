/* SPDX-License-Identifier: MIT */
/* Processes: what their files, dispatch and the handle table share. */
#ifndef UV_WIN_PROCESS_H_
#define UV_WIN_PROCESS_H_

#include "os/process.h"
#include "win/overlapped.h"

/* dispatch.c. */
uv__req_fn uv__process_exit_done; /* UV_PROCESS_EXIT, posted by a waiter */

/* handle-class.c. */
enum uv__close_answer uv__process_close(uv_handle_t* handle);

/* ---- process-args.c, process-env.c ----
 * Named as libuv's own tests call them. What they store is to be freed with
 * uv__free(). */

/* Writes `source` as one argument of a command line and returns where it ends;
 * `target` has room for twice its length and three units more. */
WCHAR* quote_cmd_arg(const WCHAR* source, WCHAR* target);

/* The command line for `args`: 0 or UV_E*. */
int make_program_args(char** args, int verbatim_arguments, WCHAR** dst_ptr);

/* The environment block for `env`, sorted, with what no process can do without:
 * 0 or UV_E*. */
int make_program_env(char** env_block, WCHAR** dst_ptr);

/* The value of a variable in a block, or NULL. */
const WCHAR* uv__env_find(const WCHAR* block, const WCHAR* name);

/* Our own value of a variable, NULL if there is none: 0 or UV_ENOMEM. */
int uv__env_own(const WCHAR* name, WCHAR** out);

/* ---- process-stdio.c ---- */

/* The child's descriptors. */
struct uv__stdio {
  int count;
  HANDLE* handles;      /* inheritable and ours; INVALID_HANDLE_VALUE: none */
  unsigned char* modes; /* the C runtime's, enum crt_mode */
  unsigned char* block; /* both, as the C runtime finds them */
  WORD block_size;
};

/* Opens what the options describe: 0 or UV_E*, then nothing is left open but
 * the streams that were. */
int uv__stdio_init(struct uv__stdio* stdio,
                   const uv_process_options_t* options);

/* Gives the child's ends back. */
void uv__stdio_close(struct uv__stdio* stdio);

/* Tells pipes that pass handles who has their other end. */
void uv__stdio_set_peer(const uv_process_options_t* options, DWORD pid);

/* ---- process-dump.c ---- */

/* Writes a dump of the process where Windows Error Reporting is set up to, if
 * it is. Never fails. */
void uv__process_dump(HANDLE process, DWORD pid);

#endif /* UV_WIN_PROCESS_H_ */
