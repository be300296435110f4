# SPDX-License-Identifier: MIT
# uv-trace: one list for automake and CMake; see src/sources.mk.

uv_trace_tool_sources = \
  tools/uv-trace/analysis.c \
  tools/uv-trace/analysis.h \
  tools/uv-trace/base.c \
  tools/uv-trace/base.h \
  tools/uv-trace/compare.c \
  tools/uv-trace/compare.h \
  tools/uv-trace/data.c \
  tools/uv-trace/data.h \
  tools/uv-trace/demangle.c \
  tools/uv-trace/demangle.h \
  tools/uv-trace/elf.c \
  tools/uv-trace/elf.h \
  tools/uv-trace/event.c \
  tools/uv-trace/event.h \
  tools/uv-trace/flame.c \
  tools/uv-trace/flame.h \
  tools/uv-trace/histogram.c \
  tools/uv-trace/histogram.h \
  tools/uv-trace/html.c \
  tools/uv-trace/html.h \
  tools/uv-trace/json.c \
  tools/uv-trace/json.h \
  tools/uv-trace/lag.h \
  tools/uv-trace/main.c \
  tools/uv-trace/metrics.c \
  tools/uv-trace/metrics.h \
  tools/uv-trace/names.c \
  tools/uv-trace/names.h \
  tools/uv-trace/nest.c \
  tools/uv-trace/nest.h \
  tools/uv-trace/options.c \
  tools/uv-trace/options.h \
  tools/uv-trace/os.h \
  tools/uv-trace/page.h \
  tools/uv-trace/reader.c \
  tools/uv-trace/reader.h \
  tools/uv-trace/report.c \
  tools/uv-trace/report.h \
  tools/uv-trace/run.c \
  tools/uv-trace/run.h \
  tools/uv-trace/stacks.c \
  tools/uv-trace/stacks.h \
  tools/uv-trace/symbols.c \
  tools/uv-trace/symbols.h \
  tools/uv-trace/threads.c \
  tools/uv-trace/threads.h \
  tools/uv-trace/timeline.c \
  tools/uv-trace/timeline.h \
  tools/uv-trace/top.c \
  tools/uv-trace/top.h \
  tools/uv-trace/trace.c \
  tools/uv-trace/trace.h \
  tools/uv-trace/watch.c \
  tools/uv-trace/watch.h

uv_trace_tool_unix_sources = \
  tools/uv-trace/os-unix.c

uv_trace_tool_win_sources = \
  tools/uv-trace/os-win.c
