/* SPDX-License-Identifier: MIT */
/* Records as lines of the Trace Event format; pure.
 *
 * The format: docs/internals/trace.md. Written by hand rather than with
 * snprintf(), which takes longer than all the rest of the writer does.
 */
#include "observe/trace/format.h"

#include <string.h>

#define SECOND_NS UINT64_C(1000000000)
/* The text so far; it always fits, see UV__TRACE_TEXT_MAX. */
struct text {
  char* at;
};

/* Names of numbers, with what is around them; copied whole. */
#define KEY_MAX 16

struct key {
  char text[KEY_MAX];
  size_t length;
};

#define KEY(s)                                                                 \
 { s, sizeof(s) - 1 }
static const struct key keys[] = {
  [UV__KEY_NONE] = KEY(""),
  [UV__KEY_BYTES] = KEY(",\"bytes\":"),
  [UV__KEY_STATUS] = KEY(",\"status\":"),
  [UV__KEY_FD] = KEY(",\"fd\":"),
  [UV__KEY_PID] = KEY(",\"pid\":"),
  [UV__KEY_SIGNUM] = KEY(",\"signum\":"),
};

/* Inline: most strings are constants, which become a few stores. */
UV__INLINE void put(struct text* text, const char* s) {
  size_t len = strlen(s);

  memcpy(text->at, s, len);
  text->at += len;
}

static const char pairs[] = "0001020304050607080910111213141516171819"
                            "2021222324252627282930313233343536373839"
                            "4041424344454647484950515253545556575859"
                            "6061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

static size_t width_of(uint64_t number) {
  size_t width = 1;

  for (; number >= 10000; number /= 10000)
    width += 4;
  return width + (number >= 10) + (number >= 100) + (number >= 1000);
}

UV__INLINE void put_number(struct text* text, uint64_t number) {
  if (number < 10) {
    *text->at++ = (char) ('0' + number);
    return;
  }

  char* at = text->at + width_of(number);
  text->at = at;
  for (; number >= 100; number /= 100)
    memcpy(at -= 2, &pairs[number % 100 * 2], 2);
  if (number >= 10)
    memcpy(at - 2, &pairs[number * 2], 2);
  else
    at[-1] = (char) ('0' + number);
}

static void put_signed(struct text* text, int64_t number) {
  if (number < 0)
    *text->at++ = '-';
  put_number(text, number < 0 ? 0 - (uint64_t) number : (uint64_t) number);
}

/* Three decimals. */
UV__INLINE void put_decimals(struct text* text, unsigned rest) {
  text->at[0] = '.';
  text->at[1] = (char) ('0' + rest / 100);
  memcpy(&text->at[2], &pairs[rest % 100 * 2], 2);
  text->at += 4;
}

/* Nanoseconds as microseconds with three decimals. */
static void put_us(struct text* text, uint64_t ns) {
  put_number(text, ns / 1000);
  put_decimals(text, (unsigned) (ns % 1000));
}

static void put_hex(struct text* text, uint64_t number) {
  size_t width = 1;

  /* Addresses are long. */
  if (number >> 32 != 0)
    width = 9;
  for (uint64_t rest = number >> 4 * (width - 1); rest >= 16; rest >>= 4)
    width++;
  put(text, "0x");
  text->at += width;
  for (char* at = text->at; width != 0; width--, number >>= 4)
    *--at = "0123456789abcdef"[number & 15];
}

/* JSON's numbers end at 2^53: a string. */
static void put_id(struct text* text, uint64_t number) {
  put(text, "\"");
  put_hex(text, number);
  put(text, "\"");
}

static void put_address(struct text* text, const void* address) {
  put_id(text, (uintptr_t) address);
}

void uv__trace_escape(char* out, const char* s) {
  char* end = out + UV__TRACE_SYMBOL_MAX;

  for (; out < end - 1 && *s != '\0'; s++) {
    unsigned char c = (unsigned char) *s;
    if (c == '"' || c == '\\')
      *out++ = '\\';
    *out++ = (char) (c < 0x20 || c >= 0x7f ? '?' : c);
  }
  *out = '\0';
}

/* ,"name":"s". */
UV__INLINE void put_string(struct text* text, const char* name, const char* s) {
  put(text, ",\"");
  put(text, name);
  put(text, "\":\"");
  put(text, s);
  put(text, "\"");
}

/* One of `keys`. */
UV__INLINE void put_known_key(struct text* text, unsigned name) {
  memcpy(text->at, keys[name].text, KEY_MAX);
  text->at += keys[name].length;
}

/* ,"name": */
UV__INLINE void put_key(struct text* text, const char* name) {
  put(text, ",\"");
  put(text, name);
  put(text, "\":");
}

/* The beginning of an event: {"ph":"X","pid":1,"tid":2 */
UV__INLINE void begin_event(struct text* text,
                            const char* ph,
                            const struct uv__trace_context* context) {
  put(text, "{\"ph\":\"");
  put(text, ph);
  memcpy(text->at, context->text, UV__TRACE_CONTEXT_MAX);
  text->at += context->length;
}

void uv__trace_context_set(struct uv__trace_context* context,
                           int pid,
                           uint64_t tid) {
  struct text text = { context->text };

  context->pid = pid;
  context->tid = tid;
  context->loop = NULL;
  context->about = NULL;
  put(&text, "\",\"pid\":");
  put_signed(&text, pid);
  put(&text, ",\"tid\":");
  put_number(&text, tid);
  context->length = (size_t) (text.at - context->text);
}

UV__NOINLINE static void set_second(struct uv__trace_context* context,
                                    uint64_t second) {
  struct text text = { context->second_text };

  context->second = second;
  put_number(&text, second);
  context->second_length = (size_t) (text.at - context->second_text);
}

/* The digits of the second are those of the event before, most of the time. */
UV__INLINE void put_ts(struct text* text,
                       uint64_t ns,
                       struct uv__trace_context* context) {
  put(text, ",\"ts\":");
  if (ns < SECOND_NS) {
    put_us(text, ns); /* no leading zeros */
    return;
  }
  if (ns - context->second * SECOND_NS >= SECOND_NS)
    set_second(context, ns / SECOND_NS);
  memcpy(text->at, context->second_text, UV__TRACE_SECOND_MAX);
  text->at += context->second_length;

  unsigned rest = (unsigned) (ns - context->second * SECOND_NS);
  unsigned us = rest / 1000;
  memcpy(&text->at[0], &pairs[us / 10000 * 2], 2);
  memcpy(&text->at[2], &pairs[us / 100 % 100 * 2], 2);
  memcpy(&text->at[4], &pairs[us % 100 * 2], 2);
  text->at += 6;
  put_decimals(text, rest % 1000);
}

UV__INLINE void begin_span(struct text* text,
                           const struct uv__record* record,
                           struct uv__trace_context* context) {
  uint64_t end_ns = record->end_ns;

  begin_event(text, "X", context);
  put_ts(text, record->begin_ns, context);
  put(text, ",\"dur\":");
  put_us(text, end_ns < record->begin_ns ? 0 : end_ns - record->begin_ns);
}

static void end_event(struct text* text) {
  put(text, "},\n");
}

/* `ph` is s (begins), t (passes) or f (ends). */
static void put_flow(struct text* text,
                     const char* ph,
                     const char* category,
                     uint64_t id,
                     uint64_t ns,
                     struct uv__trace_context* context) {
  begin_event(text, ph, context);
  put_ts(text, ns, context);
  put_string(text, "cat", category);
  put_string(text, "name", *category == 'w' ? "request" : category);
  put_key(text, "id");
  put_id(text, id);
  if (*ph == 'f')
    put(text, ",\"bp\":\"e\"");
  end_event(text);
}

static void put_fs(struct text* text, const struct uv__record* record) {
  int moves_bytes = record->op == UV_FS_READ || record->op == UV_FS_WRITE ||
                    record->op == UV_FS_SENDFILE;

  put_string(text, "op", uv__fs_type_name(record->op));
  put_key(text, record->value >= 0 && moves_bytes ? "bytes" : "status");
  put_signed(text, record->value);
}

/* Does it have a descriptor or the like, which tells it from others? */
static int has_detail(const struct uv__record* record) {
  return uv__calls[record->call].detail != UV__KEY_NONE && record->detail >= 0;
}

static void put_values(struct text* text, const struct uv__record* record) {
  const struct uv__call_row* row = &uv__calls[record->call];
  unsigned value = record->value < 0 ? row->negative : row->value;

  if (record->call == UV__CALL_FS) {
    put_fs(text, record);
  } else if (record->call == UV__CALL_TIMER) {
    put_key(text, "late_us");
    put_us(text, record->value < 0 ? 0 : (uint64_t) record->value);
  } else if (value != UV__KEY_NONE) {
    put_known_key(text, value);
    put_signed(text, record->value);
  }
  if (has_detail(record)) {
    put_known_key(text, row->detail);
    put_number(text, (uint64_t) record->detail);
  }
}

/* Left out if the name of the thread says which loop it is. */
UV__INLINE void put_loop(struct text* text,
                         const struct uv__record* record,
                         const struct uv__trace_context* context) {
  if (record->loop == context->loop)
    return;
  put_key(text, "loop");
  put_address(text, record->loop);
}

static void put_about(struct text* text,
                      const struct uv__trace_context* context) {
  if (context->about != NULL)
    put(text, context->about);
}

static void put_callback(struct text* text,
                         const struct uv__record* record,
                         struct uv__trace_context* context,
                         const char* symbol) {
  int is_async = record->call == UV__CALL_ASYNC;

  begin_span(text, record, context);
  put(text, ",\"cat\":\"callback\"");
  put_string(text, "name", symbol);
  put(text, ",\"args\":{\"type\":\"");
  put(text, uv__record_type_name(record->type));
  put(text, "\"");
  put_string(text, "call", uv__call_name((enum uv__call) record->call));
  if (!has_detail(record)) {
    put_key(text, "handle");
    put_address(text, record->object);
  }
  put_loop(text, record, context);
  put_values(text, record);
  put_about(text, context);
  put(text, "}},\n");
  if (record->flow != 0)
    put_flow(text, "f", is_async ? "async" : "work", record->flow,
             record->begin_ns, context);
}

/* Its result is not known yet. */
static void put_running(struct text* text,
                        const struct uv__record* record,
                        struct uv__trace_context* context,
                        const char* symbol) {
  begin_span(text, record, context);
  put(text, ",\"cat\":\"callback\"");
  put_string(text, "name", symbol);
  put(text, ",\"args\":{\"type\":\"");
  put(text, uv__record_type_name(record->type));
  put(text, "\"");
  put_string(text, "call", uv__call_name((enum uv__call) record->call));
  put_key(text, "handle");
  put_address(text, record->object);
  put_loop(text, record, context);
  put(text, ",\"unfinished\":1}},\n");
}

static void put_phase(struct text* text,
                      const struct uv__record* record,
                      struct uv__trace_context* context) {
  begin_span(text, record, context);
  put_string(text, "cat", "phase");
  put_string(text, "name", uv__phase_name((enum uv__phase) record->call));
  if (record->call == UV__PHASE_POLL) {
    put(text, ",\"args\":{\"timeout_ms\":");
    put_signed(text, record->value);
    put_key(text, "ready");
    put_signed(text, record->detail);
    put_loop(text, record, context);
    put(text, "}");
  } else if (record->loop != context->loop) {
    put(text, ",\"args\":{\"loop\":");
    put_address(text, record->loop);
    put(text, "}");
  }
  end_event(text);
}

static void put_iteration(struct text* text,
                          const struct uv__record* record,
                          struct uv__trace_context* context) {
  begin_span(text, record, context);
  put_string(text, "cat", "iteration");
  put_string(text, "name", "iteration");
  put(text, ",\"args\":{\"n\":");
  put_signed(text, record->value);
  put_loop(text, record, context);
  put(text, "}");
  end_event(text);
}

static void put_pool(struct text* text,
                     const struct uv__record* record,
                     struct uv__trace_context* context) {
  begin_event(text, "C", context);
  put_ts(text, record->begin_ns, context);
  put_string(text, "name", "pool");
  put(text, ",\"args\":{\"queued\":");
  put_signed(text, record->value);
  put_key(text, "running");
  put_signed(text, record->detail);
  put(text, "}");
  end_event(text);
}

static void put_work(struct text* text,
                     const struct uv__record* record,
                     struct uv__trace_context* context,
                     const char* symbol) {
  const char* name = uv__work_rows[record->type].work;

  begin_span(text, record, context);
  put_string(text, "cat", "work");
  if (record->type == UV__WORK_FS) {
    put(text, ",\"name\":\"fs:");
    put(text, uv__fs_type_name(record->op));
    put(text, "\"");
  } else {
    put_string(text, "name", name != NULL ? name : symbol);
  }
  put(text, ",\"args\":{\"class\":\"");
  put(text, uv__work_rows[record->type].name);
  put(text, "\",\"req\":");
  put_address(text, record->object);
  if (record->value >= 0) {
    put_key(text, "queued_us");
    put_us(text, (uint64_t) record->value);
  }
  put_about(text, context);
  put(text, "}");
  end_event(text);
  if (record->flow != 0)
    put_flow(text, "t", "work", record->flow, record->begin_ns, context);
}

/* The span is there for the flow to begin at. */
static void put_send(struct text* text,
                     const struct uv__record* record,
                     struct uv__trace_context* context) {
  begin_span(text, record, context);
  put_string(text, "cat", "async");
  put_string(text, "name", "uv_async_send");
  put(text, ",\"args\":{\"loop\":");
  put_address(text, record->loop);
  put_key(text, "handle");
  put_address(text, record->object);
  put(text, "}");
  end_event(text);
  put_flow(text, "s", "async", record->flow, record->begin_ns, context);
}

static void put_blocked(struct text* text,
                        const struct uv__record* record,
                        struct uv__trace_context* context,
                        const char* symbol) {
  begin_event(text, "i", context);
  put_ts(text, record->begin_ns, context);
  put(text, ",\"cat\":\"watchdog\",\"name\":\"blocked\",\"s\":\"p\"");
  put(text, ",\"args\":{\"loop\":");
  put_address(text, record->loop);
  put_string(text, "phase", uv__phase_name((enum uv__phase) record->call));
  put_string(text, "symbol", symbol);
  put_key(text, "ms");
  put_signed(text, record->value);
  put(text, "}");
  end_event(text);
}

size_t uv__trace_format(char* out,
                        const struct uv__record* record,
                        struct uv__trace_context* context,
                        const char* symbol) {
  struct text text = { out };

  switch ((enum uv__record_kind) record->kind) {
  case UV__RECORD_CALLBACK:
    put_callback(&text, record, context, symbol);
    break;
  case UV__RECORD_PHASE:
    put_phase(&text, record, context);
    break;
  case UV__RECORD_ITERATION:
    put_iteration(&text, record, context);
    break;
  case UV__RECORD_SUBMIT:
    put_flow(&text, "s", "work", record->flow, record->begin_ns, context);
    put_pool(&text, record, context);
    break;
  case UV__RECORD_WORK:
    put_work(&text, record, context, symbol);
    break;
  case UV__RECORD_POOL:
    put_pool(&text, record, context);
    break;
  case UV__RECORD_SEND:
    put_send(&text, record, context);
    break;
  case UV__RECORD_BLOCKED:
    put_blocked(&text, record, context, symbol);
    break;
  case UV__RECORD_RUNNING:
    put_running(&text, record, context, symbol);
    break;
  case UV__RECORD_TEXT: /* has no event of its own */
    break;
  }
  return (size_t) (text.at - out);
}

size_t uv__trace_format_counts(char* out,
                               const struct uv__record* record,
                               struct uv__trace_context* context) {
  struct text text = { out };

  begin_event(&text, "C", context);
  put_ts(&text, record->end_ns, context);
  put(&text, ",\"name\":\"loop ");
  put_hex(&text, (uintptr_t) record->loop);
  put(&text, "\",\"args\":{\"handles\":");
  put_number(&text, record->flow >> 32);
  put_key(&text, "requests");
  put_number(&text, (uint32_t) record->flow);
  put_key(&text, "ready");
  put_signed(&text, record->detail);
  put(&text, "}");
  end_event(&text);
  return (size_t) (text.at - out);
}

size_t uv__trace_format_dropped(char* out,
                                struct uv__trace_context* context,
                                uint64_t ns,
                                uint64_t count) {
  struct text text = { out };

  begin_event(&text, "i", context);
  put_ts(&text, ns, context);
  put(&text, ",\"cat\":\"trace\",\"name\":\"dropped\",\"s\":\"p\"");
  put(&text, ",\"args\":{\"count\":");
  put_number(&text, count);
  put(&text, "}");
  end_event(&text);
  return (size_t) (text.at - out);
}

size_t uv__trace_format_crash(char* out,
                              struct uv__trace_context* context,
                              uint64_t ns,
                              int signum) {
  struct text text = { out };

  begin_event(&text, "i", context);
  put_ts(&text, ns, context);
  put(&text, ",\"cat\":\"trace\",\"name\":\"crash\",\"s\":\"p\"");
  put(&text, ",\"args\":{\"signum\":");
  put_signed(&text, signum);
  put(&text, "}");
  end_event(&text);
  return (size_t) (text.at - out);
}

size_t uv__trace_format_end(char* out,
                            struct uv__trace_context* context,
                            uint64_t records,
                            uint64_t dropped) {
  struct text text = { out };

  begin_event(&text, "M", context);
  put_string(&text, "name", "uv_trace_end");
  put(&text, ",\"args\":{\"records\":");
  put_number(&text, records);
  put_key(&text, "dropped");
  put_number(&text, dropped);
  put(&text, "}}\n]\n");
  return (size_t) (text.at - out);
}
