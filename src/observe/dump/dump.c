/* SPDX-License-Identifier: MIT */
/* uvx_dump(): a loop's state as text. It is built in memory first, so that a
 * slow stream cannot delay it halfway. */
#include "observe/dump/dump.h"
#include "handle.h"
#include "loop/state.h"
#include "uv/ext.h"

#define NAME_MAX_LEN 200

void uv__dump_init(struct uv__dump* dump) {
  dump->text = (struct uv__strbuf) { NULL, 0, 0, 0 };
  uv__symbols_init(&dump->symbols);
  dump->now_ns = uv_hrtime();
}

void uv__dump_free(struct uv__dump* dump) {
  uv__strbuf_free(&dump->text);
  uv__symbols_close(&dump->symbols);
}

void uv__dump_add_name(struct uv__dump* dump, const char* name, size_t len) {
  char shown[NAME_MAX_LEN + 1];
  size_t n = uv__min_size(len, NAME_MAX_LEN);

  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char) name[i];
    shown[i] = c < 0x20 || c == 0x7f ? '?' : (char) c;
  }
  shown[n] = '\0';
  uv__strbuf_add(&dump->text, "%s%s", shown, n < len ? "..." : "");
}

static const char* plural(unsigned long long n) {
  return n == 1 ? "" : "s";
}

static void add_counts(struct uv__dump* dump, const uv_loop_t* loop) {
  const struct uv__queue* head = &loop->handle_queue;
  unsigned handles = 0;
  unsigned closing = 0;

  for (const struct uv__queue* q = head->next; q != head; q = q->next)
    if (!(container_of(q, uv_handle_t, handle_queue)->flags & UV__INTERNAL))
      handles++;
  for (const uv_handle_t* h = loop->closing_handles; h; h = h->next_closing)
    closing++;
  uv__strbuf_add(&dump->text,
                 "  %u handle%s, %u of them keep%s it alive, %u closed; "
                 "%u request%s%s%s\n",
                 handles, plural(handles), loop->active_handles,
                 loop->active_handles == 1 ? "s" : "", closing,
                 loop->active_reqs.count, plural(loop->active_reqs.count),
                 loop->stop_flag ? "; stopping" : "",
                 uv__loop_signals_due(loop) ? "; signals pending" : "");
}

void uv__dump_loop(struct uv__dump* dump, const uv_loop_t* loop) {
  const struct uv__loop_state* state = uv__loop_state(loop);
  const struct uv__queue* head = &loop->handle_queue;

  if (state == NULL) {
    uv__strbuf_add(&dump->text, "loop %p: closed\n", (const void*) loop);
    return;
  }
  uv__strbuf_add(&dump->text,
                 "loop %p: %s, iteration %llu, its time is %.3f ms old\n",
                 (const void*) loop, state->poller->name,
                 (unsigned long long) state->counters.loop_count,
                 (double) (int64_t) (dump->now_ns - state->now_ns) / 1e6);
  add_counts(dump, loop);
  for (const struct uv__queue* q = head->next; q != head; q = q->next)
    uv__dump_handle(dump, container_of(q, uv_handle_t, handle_queue));
}

int uvx_dump(const uv_loop_t* loop, FILE* stream) {
  struct uv__dump dump;
  int err = 0;

  if (loop == NULL)
    return UV_EINVAL;
  if (stream == NULL)
    stream = stderr;
  uv__dump_init(&dump);
  uv__dump_loop(&dump, loop);
  uv__dump_pool(&dump);
  if (dump.text.is_short)
    err = UV_ENOMEM;
  if (fwrite(dump.text.data, 1, dump.text.used, stream) != dump.text.used ||
      fflush(stream) != 0)
    err = UV_EIO;
  uv__dump_free(&dump);
  return err;
}
