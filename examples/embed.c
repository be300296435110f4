/* SPDX-License-Identifier: MIT */
/* A loop inside somebody else's, whose thread must not wait for it.
 *
 * A helper thread waits on the loop's descriptor and sends the main thread a
 * message when the loop has something to do. While it waits, the main thread is
 * busy with messages of its own, one of which starts a timer: the helper would
 * sleep past it. uvx_loop_on_interest() wakes the helper. Unix.
 * Exit status 0: the timer ran, and the program ended.
 */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include <uv.h>
#include <uv/ext.h>

static uv_loop_t* loop;
static uv_timer_t late; /* in an hour, unless a message closes it */
static uv_timer_t soon;
static int messages[2]; /* of the main thread: 'r' run the loop, 's' start */
static int wakes[2];    /* of the helper */
static uv_sem_t look;   /* the helper may wait now, for at most: */
static int timeout_ms;
static int is_over;

static void send_byte(int fd, char byte) {
  if (write(fd, &byte, 1) != 1)
    _exit(2);
}

static char receive_byte(int fd) {
  char byte;
  return read(fd, &byte, 1) == 1 ? byte : 'q';
}

static void wait_for_loop(void* arg) {
  (void) arg;
  for (uv_sem_wait(&look); !is_over; uv_sem_wait(&look)) {
    struct pollfd fds[] = { { uv_backend_fd(loop), POLLIN, 0 },
                            { wakes[0], POLLIN, 0 } };
    if (poll(fds, 2, timeout_ms) > 0 && fds[1].revents != 0)
      receive_byte(wakes[0]);
    send_byte(messages[1], 'r');
  }
}

static void on_interest(uv_loop_t* changed, void* arg) {
  (void) changed;
  (void) arg;
  send_byte(wakes[1], 'w');
}

static void on_timer(uv_timer_t* timer) {
  puts("the timer of a message");
  uv_close((uv_handle_t*) timer, NULL);
  uv_close((uv_handle_t*) &late, NULL);
}

/* Returns 0 when the loop has ended. */
static int run_loop(void) {
  int is_alive = uv_run(loop, UV_RUN_NOWAIT);

  is_over = !is_alive;
  uv_update_time(loop);
  timeout_ms = uv_backend_timeout(loop);
  uv_sem_post(&look);
  return is_alive;
}

static void start_timer(void) {
  uv_update_time(loop);
  uv_timer_start(&soon, on_timer, 10, 0);
}

int main(void) {
  uv_thread_t helper;

  loop = uv_default_loop();
  if (pipe(messages) != 0 || pipe(wakes) != 0 || uv_sem_init(&look, 0) != 0)
    return 1;
  uv_timer_init(loop, &late);
  uv_timer_init(loop, &soon);
  uv_timer_start(&late, on_timer, 3600 * 1000, 0);
  uvx_loop_on_interest(loop, on_interest, NULL);

  run_loop(); /* the helper waits from now on, for an hour */
  if (uv_thread_create(&helper, wait_for_loop, NULL) != 0)
    return 1;
  send_byte(messages[1], 's');
  for (;;) {
    char message = receive_byte(messages[0]);
    if (message == 's')
      start_timer();
    else if (message != 'r' || !run_loop())
      break;
  }
  uv_thread_join(&helper);
  return uv_loop_close(loop) != 0;
}
