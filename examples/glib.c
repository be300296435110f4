/* SPDX-License-Identifier: MIT */
/* A loop inside GLib's: GTK and GNOME programs, D-Bus services.
 *
 * GLib watches the loop's descriptor and wakes up in time for its timers; the
 * loop then runs without waiting. Needs glib-2.0; Unix. Exit status 0: timers
 * of both ran in one thread, and the program ended when the loop's work did.
 */
#include <glib.h>
#include <stdio.h>

#include <uv.h>

struct uv_source {
  GSource source; /* first, as GLib wants it */
  uv_loop_t* loop;
  gpointer tag; /* of the loop's descriptor */
};

static gboolean prepare(GSource* base, gint* timeout) {
  struct uv_source* source = (struct uv_source*) base;
  uv_update_time(source->loop); /* or the timeout is too long */
  *timeout = uv_backend_timeout(source->loop);
  return *timeout == 0;
}

static gboolean check(GSource* base) {
  struct uv_source* source = (struct uv_source*) base;
  uv_update_time(source->loop);
  return g_source_query_unix_fd(base, source->tag) != 0 ||
         uv_backend_timeout(source->loop) == 0;
}

static gboolean dispatch(GSource* base, GSourceFunc unused, gpointer data) {
  struct uv_source* source = (struct uv_source*) base;
  (void) unused;
  if (uv_run(source->loop, UV_RUN_NOWAIT) == 0) {
    g_main_loop_quit(data); /* nothing is left to wait for */
    return G_SOURCE_REMOVE;
  }
  return G_SOURCE_CONTINUE;
}

static GSourceFuncs functions = { .prepare = prepare,
                                  .check = check,
                                  .dispatch = dispatch };

static int ticks;
static int ticks_of_glib;

static void on_tick(uv_timer_t* timer) {
  if (++ticks == 5)
    uv_close((uv_handle_t*) timer, NULL);
}

static gboolean on_tick_of_glib(gpointer data) {
  (void) data;
  ticks_of_glib++;
  return G_SOURCE_CONTINUE;
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  GMainLoop* main_loop = g_main_loop_new(NULL, FALSE);
  uv_timer_t timer;

  GSource* base = g_source_new(&functions, sizeof(struct uv_source));
  struct uv_source* source = (struct uv_source*) base;
  source->loop = loop;
  source->tag = g_source_add_unix_fd(base, uv_backend_fd(loop),
                                     G_IO_IN | G_IO_OUT | G_IO_ERR);
  g_source_set_callback(base, NULL, main_loop, NULL);
  g_source_attach(base, NULL);

  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, on_tick, 10, 10);
  guint glib_timer = g_timeout_add(10, on_tick_of_glib, NULL);
  g_main_loop_run(main_loop);

  printf("%d ticks here, %d of GLib's\n", ticks, ticks_of_glib);
  g_source_remove(glib_timer);
  g_source_unref(base);
  g_main_loop_unref(main_loop);
  return uv_loop_close(loop) != 0 || ticks != 5 || ticks_of_glib == 0;
}
