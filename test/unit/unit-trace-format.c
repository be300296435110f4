/* SPDX-License-Identifier: MIT */
/* Records as lines of the Trace Event format, whole lines compared. */
#include "unit.h"
#include "observe/trace/format.h"

#include <string.h>

static struct uv__trace_context context;

static struct uv__record record_of(enum uv__record_kind kind) {
  struct uv__record record;

  memset(&record, 0, sizeof(record));
  record.kind = (uint8_t) kind;
  record.begin_ns = 1000500;
  record.end_ns = 1002503;
  record.loop = (const void*) (uintptr_t) 0x1000;
  record.object = (const void*) (uintptr_t) 0x2000;
  record.detail = -1;
  return record;
}

static void check(const struct uv__record* record,
                  const char* symbol,
                  const char* want) {
  char text[UV__TRACE_TEXT_MAX + 1];
  char escaped[UV__TRACE_SYMBOL_MAX + 1];

  uv__trace_context_set(&context, 12, 34);
  uv__trace_escape(escaped, symbol);
  size_t len = uv__trace_format(text, record, &context, escaped);

  CHECK(len <= UV__TRACE_TEXT_MAX);
  text[len] = '\0';
  CHECK_STR(want, text);
}

UNIT_TEST(trace_format_callbacks) {
  struct uv__record record = record_of(UV__RECORD_CALLBACK);

  record.type = UV_TCP;
  record.call = UV__CALL_READ;
  record.value = 100;
  record.detail = 7;
  check(&record, "on_read",
        "{\"ph\":\"X\",\"pid\":12,\"tid\":34,\"ts\":1000.500,\"dur\":2.003,"
        "\"cat\":\"callback\",\"name\":\"on_read\",\"args\":{"
        "\"type\":\"tcp\",\"call\":\"read\","
        "\"loop\":\"0x1000\",\"bytes\":100,\"fd\":7}},\n");
  record.value = UV_EOF;
  record.detail = -1;
  check(&record, "on_read",
        "{\"ph\":\"X\",\"pid\":12,\"tid\":34,\"ts\":1000.500,\"dur\":2.003,"
        "\"cat\":\"callback\",\"name\":\"on_read\",\"args\":{"
        "\"type\":\"tcp\",\"call\":\"read\",\"handle\":\"0x2000\","
        "\"loop\":\"0x1000\",\"status\":-4095}},\n");

  record.type = UV__RECORD_REQ + UV_FS;
  record.call = UV__CALL_FS;
  record.op = UV_FS_OPEN;
  record.value = 3;
  record.flow = 0xff;
  check(&record, "a\"b\\c\n",
        "{\"ph\":\"X\",\"pid\":12,\"tid\":34,\"ts\":1000.500,\"dur\":2.003,"
        "\"cat\":\"callback\",\"name\":\"a\\\"b\\\\c?\",\"args\":{"
        "\"type\":\"fs\",\"call\":\"fs\",\"handle\":\"0x2000\","
        "\"loop\":\"0x1000\",\"op\":\"open\",\"status\":3}},\n"
        "{\"ph\":\"f\",\"pid\":12,\"tid\":34,\"ts\":1000.500,"
        "\"cat\":\"work\",\"name\":\"request\",\"id\":\"0xff\","
        "\"bp\":\"e\"},\n");
}

/* A thread is named after a loop: its slices do not repeat the name. */
UNIT_TEST(trace_format_leaves_out_the_loop) {
  struct uv__record record = record_of(UV__RECORD_CALLBACK);
  char text[UV__TRACE_TEXT_MAX + 1];

  record.type = UV_TIMER;
  record.call = UV__CALL_TIMER;
  record.begin_ns = UINT64_C(61000002003);
  record.end_ns = UINT64_C(62000002003);
  uv__trace_context_set(&context, 12, 34);
  context.loop = record.loop;
  text[uv__trace_format(text, &record, &context, "tick")] = '\0';
  CHECK_STR("{\"ph\":\"X\",\"pid\":12,\"tid\":34,\"ts\":61000002.003,"
            "\"dur\":1000000.000,\"cat\":\"callback\",\"name\":\"tick\","
            "\"args\":{\"type\":\"timer\",\"call\":\"timer\","
            "\"handle\":\"0x2000\",\"late_us\":0.000}},\n",
            text);

  record.kind = UV__RECORD_PHASE;
  record.call = UV__PHASE_TIMERS;
  text[uv__trace_format(text, &record, &context, "")] = '\0';
  CHECK_STR("{\"ph\":\"X\",\"pid\":12,\"tid\":34,\"ts\":61000002.003,"
            "\"dur\":1000000.000,\"cat\":\"phase\",\"name\":\"timers\"},\n",
            text);
}

/* The digits of the second are kept: forwards, backwards, the next one. */
UNIT_TEST(trace_format_times) {
  static const struct {
    uint64_t ns;
    const char* text;
  } times[] = {
    { UINT64_C(999999999), "\"ts\":999999.999," },
    { UINT64_C(1000000000), "\"ts\":1000000.000," },
    { UINT64_C(1999999999), "\"ts\":1999999.999," },
    { UINT64_C(2000000001), "\"ts\":2000000.001," },
    { UINT64_C(1500000000), "\"ts\":1500000.000," },
    { 7, "\"ts\":0.007," },
    { UINT64_C(86400000000000), "\"ts\":86400000000.000," },
    { UINT64_MAX, "\"ts\":18446744073709551.615," },
  };
  char text[UV__TRACE_TEXT_MAX + 1];

  uv__trace_context_set(&context, 12, 34);
  for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
    size_t len = uv__trace_format_dropped(text, &context, times[i].ns, 1);
    text[len] = '\0';
    CHECK(strstr(text, times[i].text) != NULL);
  }
}

UNIT_TEST(trace_format_of_the_loop) {
  struct uv__record record = record_of(UV__RECORD_PHASE);

  record.call = UV__PHASE_POLL;
  record.value = -1;
  record.detail = 3;
  check(&record, "",
        "{\"ph\":\"X\",\"pid\":12,\"tid\":34,\"ts\":1000.500,\"dur\":2.003,"
        "\"cat\":\"phase\",\"name\":\"poll\",\"args\":{"
        "\"timeout_ms\":-1,\"ready\":3,\"loop\":\"0x1000\"}},\n");
  record.call = UV__PHASE_TIMERS;
  check(&record, "",
        "{\"ph\":\"X\",\"pid\":12,\"tid\":34,\"ts\":1000.500,\"dur\":2.003,"
        "\"cat\":\"phase\",\"name\":\"timers\",\"args\":{"
        "\"loop\":\"0x1000\"}},\n");

  record = record_of(UV__RECORD_ITERATION);
  record.value = 9;
  record.detail = 4;
  record.flow = (uint64_t) 5 << 32 | 6;
  check(&record, "",
        "{\"ph\":\"X\",\"pid\":12,\"tid\":34,\"ts\":1000.500,\"dur\":2.003,"
        "\"cat\":\"iteration\",\"name\":\"iteration\",\"args\":{"
        "\"n\":9,\"loop\":\"0x1000\"}},\n");
  char text[UV__TRACE_TEXT_MAX + 1];
  text[uv__trace_format_counts(text, &record, &context)] = '\0';
  CHECK_STR("{\"ph\":\"C\",\"pid\":12,\"tid\":34,\"ts\":1002.503,"
            "\"name\":\"loop 0x1000\",\"args\":{\"handles\":5,"
            "\"requests\":6,\"ready\":4}},\n",
            text);
}

UNIT_TEST(trace_format_of_a_crash) {
  struct uv__record record = record_of(UV__RECORD_RUNNING);
  char text[UV__TRACE_TEXT_MAX + 1];

  record.type = UV_TCP;
  record.call = UV__CALL_READ;
  check(&record, "on_read",
        "{\"ph\":\"X\",\"pid\":12,\"tid\":34,\"ts\":1000.500,\"dur\":2.003,"
        "\"cat\":\"callback\",\"name\":\"on_read\",\"args\":{"
        "\"type\":\"tcp\",\"call\":\"read\",\"handle\":\"0x2000\","
        "\"loop\":\"0x1000\",\"unfinished\":1}},\n");
  text[uv__trace_format_crash(text, &context, 1002503, 11)] = '\0';
  CHECK_STR("{\"ph\":\"i\",\"pid\":12,\"tid\":34,\"ts\":1002.503,"
            "\"cat\":\"trace\",\"name\":\"crash\",\"s\":\"p\","
            "\"args\":{\"signum\":11}},\n",
            text);
}

UNIT_TEST(trace_format_of_the_pool) {
  struct uv__record record = record_of(UV__RECORD_WORK);

  record.type = UV__WORK_FS;
  record.op = UV_FS_STAT;
  record.value = 1234;
  record.flow = 1;
  check(&record, "",
        "{\"ph\":\"X\",\"pid\":12,\"tid\":34,\"ts\":1000.500,\"dur\":2.003,"
        "\"cat\":\"work\",\"name\":\"fs:stat\",\"args\":{\"class\":\"fs\","
        "\"req\":\"0x2000\",\"queued_us\":1.234}},\n"
        "{\"ph\":\"t\",\"pid\":12,\"tid\":34,\"ts\":1000.500,"
        "\"cat\":\"work\",\"name\":\"request\",\"id\":\"0x1\"},\n");

  record = record_of(UV__RECORD_SUBMIT);
  record.flow = 1;
  record.value = 2;
  record.detail = 3;
  check(&record, "",
        "{\"ph\":\"s\",\"pid\":12,\"tid\":34,\"ts\":1000.500,"
        "\"cat\":\"work\",\"name\":\"request\",\"id\":\"0x1\"},\n"
        "{\"ph\":\"C\",\"pid\":12,\"tid\":34,\"ts\":1000.500,"
        "\"name\":\"pool\",\"args\":{\"queued\":2,\"running\":3}},\n");
}

/* Every kind, the longest symbol, numbers of many digits: it fits. */
UNIT_TEST(trace_format_always_fits) {
  char symbol[1024];
  char escaped[UV__TRACE_SYMBOL_MAX + 1];
  char text[UV__TRACE_TEXT_MAX];

  memset(symbol, '"', sizeof(symbol) - 1);
  symbol[sizeof(symbol) - 1] = '\0';
  uv__trace_escape(escaped, symbol);
  CHECK(strlen(escaped) <= UV__TRACE_SYMBOL_MAX);
  /* Every byte escaped, as many as there can be. */
  char about[UV__TRACE_ABOUT_MAX];
  uv__trace_format_about(about, UV__ABOUT_COMMAND, symbol,
                         UV__ABOUT_PIECES * UV__TEXT_BYTES);
  CHECK(strlen(about) < sizeof(about) && about[strlen(about) - 1] == '"');
  context.about = about;
  for (unsigned kind = 0; kind <= UV__RECORD_TEXT; kind++) {
    for (unsigned call = 0; call < UV__CALL_MAX; call++) {
      struct uv__record record;
      memset(&record, 0xff, sizeof(record));
      record.kind = (uint8_t) kind;
      record.call =
          (uint8_t) (kind == UV__RECORD_PHASE ? call % UV__PHASE_MAX : call);
      record.type =
          (uint8_t) (kind == UV__RECORD_WORK ? call % UV__WORK_MAX : 255);
      record.value = INT64_MIN;
      record.begin_ns = 0;
      CHECK(uv__trace_format(text, &record, &context, escaped) <= sizeof(text));
    }
  }
  context.about = NULL;
}

UNIT_TEST(trace_format_of_what_it_is_about) {
  struct uv__record record = record_of(UV__RECORD_WORK);
  char text[UV__TRACE_TEXT_MAX + 1];
  char about[UV__TRACE_ABOUT_MAX];
  char bytes[UV__TEXT_BYTES];
  struct sockaddr_in6 addr;

  uv__trace_format_about(about, UV__ABOUT_PATH, "a\"b", 3);
  CHECK_STR(",\"path\":\"a\\\"b\"", about);
  record.type = UV__WORK_FS;
  record.op = UV_FS_STAT;
  record.value = -1;
  uv__trace_context_set(&context, 12, 34);
  context.about = about;
  text[uv__trace_format(text, &record, &context, "")] = '\0';
  CHECK(strstr(text, "\"req\":\"0x2000\",\"path\":\"a\\\"b\"}},\n") != NULL);

  memset(bytes, 0, sizeof(bytes));
  CHECK(uv_ip6_addr("::1", 80, &addr) == 0);
  memcpy(bytes, &addr, sizeof(addr));
  uv__trace_format_about(about, UV__ABOUT_PEER, bytes, sizeof(bytes));
  CHECK_STR(",\"peer\":\"[::1]:80\"", about);
  context.about = NULL;
}
