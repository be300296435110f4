# SPDX-License-Identifier: MIT
# The files of the tests, benchmarks and examples; see src/sources.mk.

# A kqueue for Linux, for tests (--enable-kqueue-shim), and the files for macOS
# that it can try.
uv_shim_sources = \
  src/unix/fs-clone.c \
  src/unix/process-spawn.c \
  test/kqueue-shim/clone.c \
  test/kqueue-shim/fd-filters.c \
  test/kqueue-shim/libc.c \
  test/kqueue-shim/os.h \
  test/kqueue-shim/own-filters.c \
  test/kqueue-shim/queue.c \
  test/kqueue-shim/shim.h \
  test/kqueue-shim/sys/clonefile.h \
  test/kqueue-shim/sys/event.h \
  test/kqueue-shim/vnode-filter.c

# Its own tests.
uv_shim_test_sources = \
  test/kqueue-shim/test/list.h \
  test/kqueue-shim/test/shim-change.c \
  test/kqueue-shim/test/shim-filter.c \
  test/kqueue-shim/test/shim-watch.c

# Black-box tests: only what uv.h and uv/ext.h offer.
uv_test_sources = \
  test/assert.c \
  test/filter.h \
  test/ignore.c \
  test/ignore.h \
  test/list.h \
  test/pair.c \
  test/platform.h \
  test/runner-win.h \
  test/runner.c \
  test/runner.h \
  test/test-async.c \
  test/test-bad-input.c \
  test/test-close.c \
  test/test-dump.c \
  test/test-fd-table.c \
  test/test-fs-poll.c \
  test/test-fs.c \
  test/test-loop.c \
  test/test-metrics-loop.c \
  test/test-metrics.c \
  test/test-misuse.c \
  test/test-names.c \
  test/test-no-arguments.c \
  test/test-no-memory.c \
  test/test-pipe.c \
  test/test-process-end.c \
  test/test-process.c \
  test/test-pull.c \
  test/test-security-names.c \
  test/test-security-rights.c \
  test/test-storm.c \
  test/test-stream-messages.c \
  test/test-stream-turns.c \
  test/test-stream.c \
  test/test-sysinfo-strings.c \
  test/test-sysinfo-unix.c \
  test/test-systems.c \
  test/test-tcp.c \
  test/test-thread-affinity.c \
  test/test-thread-create.c \
  test/test-thread-name.c \
  test/test-thread-sync.c \
  test/test-timer-signals.c \
  test/test-timer.c \
  test/test-trace.c \
  test/test-tty.c \
  test/test-udp.c \
  test/test-uring.h \
  test/test-watchdog.c \
  test/test-work.c \
  test/test-write-cancel.c \
  test/test.h \
  test/trace-file.c \
  test/trace-file.h

# On unix: what its runner is made of, and files all about descriptors. Elsewhere
# list.h names these tests as skipped, with the reason.
uv_test_unix_sources = \
  test/runner-unix.c \
  test/support-unix.c \
  test/test-async-order.c \
  test/test-dead-fd.c \
  test/test-dump-handles-unix.c \
  test/test-dump-unix.c \
  test/test-fork.c \
  test/test-fs-copy-safety.c \
  test/test-fs-copy.c \
  test/test-fs-event-many.c \
  test/test-fs-send.c \
  test/test-fs-times.c \
  test/test-ipc-unix.c \
  test/test-limits.c \
  test/test-misuse-unix.c \
  test/test-observe-alone.c \
  test/test-observe-calls.c \
  test/test-observe-safety.c \
  test/test-observe-unix.c \
  test/test-old-kernel.c \
  test/test-pipe-file.c \
  test/test-process-start.c \
  test/test-sandbox.c \
  test/test-select-limit.c \
  test/test-signal.c \
  test/test-system-odd.c \
  test/test-trace-unix.c \
  test/test-udp-errors.c \
  test/test-udp-socket.c \
  test/test-udp-train.c \
  test/test-uring-rights.c \
  test/test-uring.c \
  test/test-watchdog-unix.c

uv_test_win_sources = \
  test/runner-win.c \
  test/support-win.c \
  test/test-embed-win.c \
  test/test-fs-paths-win.c \
  test/test-fs-win.c \
  test/test-immediate-win.c \
  test/test-open-win.c \
  test/test-order-win.c \
  test/test-pipe-win.c \
  test/test-poll-win.c \
  test/test-process-dump-win.c \
  test/test-process-win.c \
  test/test-real-win.c \
  test/test-results-win.c \
  test/test-runner-win.c \
  test/test-system-win.c \
  test/test-tcp-win.c \
  test/test-thread-win.c \
  test/test-udp-win.c

# What runs white-box tests, each in a process of its own.
uv_harness_sources = \
  test/unit/harness.h \
  test/unit/main.c \
  test/unit/unit.h

uv_harness_unix_sources = \
  test/unit/process-unix.c

uv_harness_win_sources = \
  test/unit/process-win.c

# White-box tests of the pure parts, and of the loop on the fake poller.
uv_unit_sources = \
  test/unit/list.h \
  test/unit/phase-handles.h \
  test/unit/poller-fake.c \
  test/unit/poller-fake.h \
  test/unit/unit-accessors.c \
  test/unit/unit-addr.c \
  test/unit/unit-alloc.c \
  test/unit/unit-ansi.c \
  test/unit/unit-deadline.c \
  test/unit/unit-dump-path.c \
  test/unit/unit-error.c \
  test/unit/unit-fork-lock.c \
  test/unit/unit-handle.c \
  test/unit/unit-histogram.c \
  test/unit/unit-idna.c \
  test/unit/unit-inet.c \
  test/unit/unit-ipc-frame.c \
  test/unit/unit-loop-check.c \
  test/unit/unit-loop.c \
  test/unit/unit-process-path.c \
  test/unit/unit-pull.c \
  test/unit/unit-queue.c \
  test/unit/unit-random.c \
  test/unit/unit-reparse.c \
  test/unit/unit-sock-status.c \
  test/unit/unit-string.c \
  test/unit/unit-threadpool.c \
  test/unit/unit-ticks.c \
  test/unit/unit-timer-model.c \
  test/unit/unit-timer.c \
  test/unit/unit-trace-format.c \
  test/unit/unit-trace-thread.c \
  test/unit/unit-tty-keys.c \
  test/unit/unit-work-queue.c \
  test/unit/unit-wtf8.c

# Of files that Linux has, and of readiness.
uv_unit_unix_sources = \
  test/unit/fake-source-unix.c \
  test/unit/fixture.h \
  test/unit/unit-cgroup.c \
  test/unit/unit-cpuinfo.c \
  test/unit/unit-loop-poll.c \
  test/unit/unit-random-unix.c \
  test/unit/unit-resolver.c \
  test/unit/unit-signal-log.c

uv_unit_win_sources = \
  test/unit/fake-source-win.c \
  test/unit/replace-win.h \
  test/unit/unit-fd-win.c \
  test/unit/unit-files-win.c \
  test/unit/unit-fs-win.c \
  test/unit/unit-post-win.c \
  test/unit/unit-sockets-win.c \
  test/unit/unit-system-win.c

# The contract P1-P8, run against every poller compiled in.
uv_contract_sources = \
  test/contract/contract-wait.c \
  test/contract/contract.c \
  test/contract/contract.h \
  test/contract/list.h

# Linux only: processors and priorities of threads.
uv_stress_sources = \
  test/stress/client.c \
  test/stress/life.c \
  test/stress/main.c \
  test/stress/place.c \
  test/stress/stress.h

# The benchmarks: only what uv.h offers, so that they run on any libuv.so.1.
uv_bench_sources = \
  bench/async.c \
  bench/bench.h \
  bench/children.c \
  bench/connection.c \
  bench/file-chain.c \
  bench/file.c \
  bench/loop.c \
  bench/main.c \
  bench/memory.c \
  bench/pace.c \
  bench/peer.c \
  bench/peer.h \
  bench/place.c \
  bench/process.c \
  bench/stream.c \
  bench/timer.c \
  bench/udp.c \
  bench/work.c

# Readiness, and completion.
uv_contract_unix_sources = \
  test/contract/contract-watch.c

uv_contract_win_sources = \
  test/contract/contract-req.c

uv_examples = \
  examples/cat \
  examples/chat \
  examples/child \
  examples/copy \
  examples/cores \
  examples/discovery \
  examples/dump \
  examples/echo-client \
  examples/echo-server \
  examples/grep \
  examples/http-hello \
  examples/line-editor \
  examples/lookup \
  examples/loops \
  examples/metrics \
  examples/pipe-server \
  examples/pull-echo \
  examples/pull \
  examples/queue \
  examples/supervisor \
  examples/tail \
  examples/tcp-echo \
  examples/timer \
  examples/trace \
  examples/watch

# Built where GLib is installed.
uv_glib_examples = \
  examples/glib
