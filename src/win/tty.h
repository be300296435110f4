/* SPDX-License-Identifier: MIT */
/* Consoles: what their files, dispatch and the handle table share.
 *
 * A handle reads or writes, as its console handle does. Reading is by line (a
 * thread waits in ReadConsoleW, the console edits and echoes) or raw (a wait of
 * the system's pool watches for key events, which are turned into bytes here).
 * Writing is done inside the call; escape sequences are the console's, if it
 * knows them, or ours (ansi.c, tty-screen.c).
 */
#ifndef UV_WIN_TTY_H_
#define UV_WIN_TTY_H_

#include "win/ansi.h"
#include "os/tty.h"
#include "win/stream.h"

/* uv_handle_t.flags. */
enum {
  UV__TTY_BY_LINE = 1u << 27 /* the read under way is one of a line */
};

/* dispatch.c. */
uv__req_fn uv__tty_read_done;     /* UV_READ */
uv__req_fn uv__tty_write_done;    /* UV_WRITE */
uv__req_fn uv__tty_shutdown_done; /* UV_SHUTDOWN */

/* handle-class.c. */
enum uv__close_answer uv__tty_close(uv_handle_t* handle);
enum uv__finish_answer uv__tty_finish(uv_handle_t* handle);
int uv__tty_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

/* loop.c: what the process needs once. */
void uv__tty_init_process(void);

/* ---- tty-resize.c ---- */

/* signal.c: somebody started to wait for SIGWINCH; calls
 * uv__signal_deliver(SIGWINCH) on every change of size from now on. */
void uv__tty_watch_resize(void);

/* The window may have another size now. Context: any. */
void uv__tty_check_resize(void);

/* ---- tty-read-line.c ---- */

/* Has a thread read a line: read_req comes with it. */
void uv__tty_line_read(uv_tty_t* tty);

/* Makes that thread give up; read_req comes all the same. */
void uv__tty_line_stop(uv_tty_t* tty);

/* read_req has come: delivers. 0, or UV_E* where reading ends. */
int uv__tty_line_done(uv_tty_t* tty);

/* Gives the memory back. */
void uv__tty_line_free(uv_tty_t* tty);

/* ---- tty-read-raw.c ---- */

/* Likewise, for key events. */
void uv__tty_raw_read(uv_tty_t* tty);
void uv__tty_raw_stop(uv_tty_t* tty);
int uv__tty_raw_done(uv_tty_t* tty);

/* ---- tty-write.c ---- */

/* A console is about to be written to. */
void uv__tty_output_init(HANDLE handle);

/* Writes everything: 0 or UV_E*. */
int uv__tty_write_bufs(uv_tty_t* tty,
                       const uv_buf_t bufs[],
                       unsigned int nbufs);

/* ---- tty-screen.c ---- */

/* Notes how the screen looks before anything is changed, the first time. */
void uv__tty_screen_init(HANDLE handle);

/* Does what an escape sequence asks for: the Win32 error, 0 for success. */
DWORD uv__tty_screen_apply(uv_tty_t* tty,
                           enum uv__ansi_op op,
                           const struct uv__ansi_args* args);

/* Makes the cursor look as at the start, if it was changed. */
void uv__tty_screen_restore_cursor(void);

#endif /* UV_WIN_TTY_H_ */
