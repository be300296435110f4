/* SPDX-License-Identifier: MIT */
/* Consoles: shared by the tty-* files, dispatch.c and handle-class.c.
 *
 * A handle either reads or writes, depending on its console handle. Reading is
 * by line (a thread waits in ReadConsoleW, the console edits and echoes) or raw
 * (a thread-pool wait reports key events, which are converted to bytes here).
 * Writing is synchronous; escape sequences are processed by the console if it
 * supports them, otherwise by us (ansi.c, tty-screen.c).
 */
#ifndef UV_WIN_TTY_H_
#define UV_WIN_TTY_H_

#include "win/ansi.h"
#include "os/tty.h"
#include "win/stream.h"

/* uv_handle_t.flags. */
enum {
  UV__TTY_BY_LINE = 1u << 27 /* the pending read is a line read */
};

/* dispatch.c. */
uv__req_fn uv__tty_read_done;     /* UV_READ */
uv__req_fn uv__tty_write_done;    /* UV_WRITE */
uv__req_fn uv__tty_shutdown_done; /* UV_SHUTDOWN */

/* handle-class.c. */
enum uv__close_result uv__tty_close(uv_handle_t* handle);
enum uv__finish_result uv__tty_finish(uv_handle_t* handle);
int uv__tty_fileno(const uv_handle_t* handle, uv_os_fd_t* fd);

/* Process-wide initialisation, called by loop.c. */
void uv__tty_init_process(void);

/* ---- tty-resize.c ---- */

/* Called by signal.c when the first handle waits for SIGWINCH: from now on,
 * uv__signal_deliver(SIGWINCH) is called on every change of size. */
void uv__tty_watch_resize(void);

/* The window size may have changed. Context: any. */
void uv__tty_check_resize(void);

/* ---- tty-read-line.c ---- */

/* Makes a thread read a line; read_req is posted when it is complete. */
void uv__tty_line_read(uv_tty_t* tty);

/* Stops that thread; read_req is still posted. */
void uv__tty_line_stop(uv_tty_t* tty);

/* Handles read_req: delivers the line. 0, or UV_E* if reading ends. */
int uv__tty_line_done(uv_tty_t* tty);

/* Frees the memory. */
void uv__tty_line_free(uv_tty_t* tty);

/* ---- tty-read-raw.c ---- */

/* The same for key events. */
void uv__tty_raw_read(uv_tty_t* tty);
void uv__tty_raw_stop(uv_tty_t* tty);
int uv__tty_raw_done(uv_tty_t* tty);

/* ---- tty-write.c ---- */

/* Called before a console is first written to. */
void uv__tty_output_init(HANDLE handle);

/* Writes everything: 0 or UV_E*. */
int uv__tty_write_bufs(uv_tty_t* tty,
                       const uv_buf_t bufs[],
                       unsigned int nbufs);

/* ---- tty-screen.c ---- */

/* Saves the state of the screen before it is first changed. */
void uv__tty_screen_init(HANDLE handle);

/* Carries out an escape sequence: the Win32 error, 0 for success. */
DWORD uv__tty_screen_apply(uv_tty_t* tty,
                           enum uv__ansi_op op,
                           const struct uv__ansi_args* args);

/* Restores the original cursor shape, if it was changed. */
void uv__tty_screen_restore_cursor(void);

#endif /* UV_WIN_TTY_H_ */
