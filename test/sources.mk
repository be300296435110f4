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
  test/kqueue-shim/urgent.c \
  test/kqueue-shim/vnode-filter.c

# Its own tests.
uv_shim_test_sources = \
  test/kqueue-shim/test/list.h \
  test/kqueue-shim/test/shim-change.c \
  test/kqueue-shim/test/shim-filter.c \
  test/kqueue-shim/test/shim-system.c \
  test/kqueue-shim/test/shim-watch.c

# Black-box tests: only what uv.h and uv/ext.h offer.
uv_test_sources = \
  test/blackbox/assert.c \
  test/blackbox/filter.h \
  test/blackbox/ignore.c \
  test/blackbox/ignore.h \
  test/blackbox/list.h \
  test/blackbox/pair.c \
  test/blackbox/platform.h \
  test/blackbox/runner-win.h \
  test/blackbox/runner.c \
  test/blackbox/runner.h \
  test/blackbox/test-async.c \
  test/blackbox/test-bad-input.c \
  test/blackbox/test-cancel.c \
  test/blackbox/test-close.c \
  test/blackbox/test-deadline-many.c \
  test/blackbox/test-deadline.c \
  test/blackbox/test-dump.c \
  test/blackbox/test-fd-table.c \
  test/blackbox/test-fs-poll.c \
  test/blackbox/test-fs.c \
  test/blackbox/test-interest.c \
  test/blackbox/test-lanes.c \
  test/blackbox/test-listener-socks.c \
  test/blackbox/test-listener.c \
  test/blackbox/test-lookup.c \
  test/blackbox/test-loop.c \
  test/blackbox/test-loops-pause.c \
  test/blackbox/test-loops.c \
  test/blackbox/test-metrics-loop.c \
  test/blackbox/test-metrics.c \
  test/blackbox/test-misuse.c \
  test/blackbox/test-names.c \
  test/blackbox/test-no-arguments.c \
  test/blackbox/test-no-memory.c \
  test/blackbox/test-no-observers.c \
  test/blackbox/test-pipe.c \
  test/blackbox/test-pools.c \
  test/blackbox/test-post.c \
  test/blackbox/test-process-end.c \
  test/blackbox/test-process.c \
  test/blackbox/test-pull.c \
  test/blackbox/test-read-req.c \
  test/blackbox/test-release.c \
  test/blackbox/test-security-names.c \
  test/blackbox/test-security-rights.c \
  test/blackbox/test-server.c \
  test/blackbox/test-storm.c \
  test/blackbox/test-stream-messages.c \
  test/blackbox/test-stream-turns.c \
  test/blackbox/test-stream.c \
  test/blackbox/test-sysinfo-strings.c \
  test/blackbox/test-sysinfo-unix.c \
  test/blackbox/test-systems.c \
  test/blackbox/test-tcp.c \
  test/blackbox/test-thread-affinity.c \
  test/blackbox/test-thread-create.c \
  test/blackbox/test-thread-name.c \
  test/blackbox/test-thread-sync.c \
  test/blackbox/test-timer-memory.c \
  test/blackbox/test-timer-signals.c \
  test/blackbox/test-timer.c \
  test/blackbox/test-trace-details.c \
  test/blackbox/test-trace-memory.c \
  test/blackbox/test-trace.c \
  test/blackbox/test-tty.c \
  test/blackbox/test-udp-options.c \
  test/blackbox/test-udp.c \
  test/blackbox/test-uring.h \
  test/blackbox/test-watchdog.c \
  test/blackbox/test-work-threads.c \
  test/blackbox/test-work.c \
  test/blackbox/test-write-cancel.c \
  test/blackbox/test.h \
  test/blackbox/trace-file.c \
  test/blackbox/trace-file.h \
  test/blackbox/udp-world.c \
  test/blackbox/udp-world.h

# On unix: what its runner is made of, and files all about descriptors. Elsewhere
# list.h names these tests as skipped, with the reason.
uv_test_unix_sources = \
  test/blackbox/fake-resolver.c \
  test/blackbox/fake-resolver.h \
  test/blackbox/fs-event-tree.c \
  test/blackbox/fs-event-tree.h \
  test/blackbox/runner-unix.c \
  test/blackbox/support-unix.c \
  test/blackbox/test-assert-unix.c \
  test/blackbox/test-async-order.c \
  test/blackbox/test-closed-stdio.c \
  test/blackbox/test-dead-fd.c \
  test/blackbox/test-dump-handles-unix.c \
  test/blackbox/test-dump-unix.c \
  test/blackbox/test-fork.c \
  test/blackbox/test-fs-copy-safety.c \
  test/blackbox/test-fs-copy.c \
  test/blackbox/test-fs-event-many.c \
  test/blackbox/test-fs-event-tree-life.c \
  test/blackbox/test-fs-event-tree-race.c \
  test/blackbox/test-fs-event-tree.c \
  test/blackbox/test-fs-send.c \
  test/blackbox/test-fs-times.c \
  test/blackbox/test-ipc-unix.c \
  test/blackbox/test-lanes-unix.c \
  test/blackbox/test-limits.c \
  test/blackbox/test-listener-unix.c \
  test/blackbox/test-lookup-unix.c \
  test/blackbox/test-loops-unix.c \
  test/blackbox/test-misuse-unix.c \
  test/blackbox/test-observe-alone.c \
  test/blackbox/test-observe-calls.c \
  test/blackbox/test-observe-files.c \
  test/blackbox/test-observe-life.c \
  test/blackbox/test-observe-safety.c \
  test/blackbox/test-observe-unix.c \
  test/blackbox/test-old-kernel.c \
  test/blackbox/test-pipe-file.c \
  test/blackbox/test-pools-unix.c \
  test/blackbox/test-post-unix.c \
  test/blackbox/test-process-start.c \
  test/blackbox/test-sandbox.c \
  test/blackbox/test-select-limit.c \
  test/blackbox/test-server-unix.c \
  test/blackbox/test-signal-many.c \
  test/blackbox/test-signal.c \
  test/blackbox/test-stderr.c \
  test/blackbox/test-system-odd.c \
  test/blackbox/test-thread-cancel.c \
  test/blackbox/test-trace-crash.c \
  test/blackbox/test-trace-unix.c \
  test/blackbox/test-udp-errors.c \
  test/blackbox/test-udp-gso.c \
  test/blackbox/test-udp-options-unix.c \
  test/blackbox/test-udp-socket.c \
  test/blackbox/test-uring-rights.c \
  test/blackbox/test-uring.c \
  test/blackbox/test-watchdog-generated.c \
  test/blackbox/test-watchdog-unix.c

uv_test_win_sources = \
  test/blackbox/runner-win.c \
  test/blackbox/support-win.c \
  test/blackbox/test-embed-win.c \
  test/blackbox/test-fs-paths-win.c \
  test/blackbox/test-fs-win.c \
  test/blackbox/test-immediate-win.c \
  test/blackbox/test-open-win.c \
  test/blackbox/test-order-win.c \
  test/blackbox/test-pipe-win.c \
  test/blackbox/test-poll-win.c \
  test/blackbox/test-process-dump-win.c \
  test/blackbox/test-process-win.c \
  test/blackbox/test-real-win.c \
  test/blackbox/test-results-win.c \
  test/blackbox/test-runner-win.c \
  test/blackbox/test-system-win.c \
  test/blackbox/test-tcp-win.c \
  test/blackbox/test-thread-win.c \
  test/blackbox/test-udp-win.c

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
  test/unit/unit-deadline-table.c \
  test/unit/unit-deadline.c \
  test/unit/unit-dump-path.c \
  test/unit/unit-env.c \
  test/unit/unit-error.c \
  test/unit/unit-fork-lock.c \
  test/unit/unit-handle.c \
  test/unit/unit-histogram.c \
  test/unit/unit-idna.c \
  test/unit/unit-inet.c \
  test/unit/unit-ipc-frame.c \
  test/unit/unit-lanes.c \
  test/unit/unit-loop-check.c \
  test/unit/unit-loop.c \
  test/unit/unit-post.c \
  test/unit/unit-process-path.c \
  test/unit/unit-pull.c \
  test/unit/unit-queue.c \
  test/unit/unit-random.c \
  test/unit/unit-reparse.c \
  test/unit/unit-sock-status.c \
  test/unit/unit-string.c \
  test/unit/unit-threadpool.c \
  test/unit/unit-timer-model.c \
  test/unit/unit-timer.c \
  test/unit/unit-tty-keys.c \
  test/unit/unit-work-queue.c \
  test/unit/unit-wtf8.c

# Of files that Linux has, and of readiness.
# Not in a library without observers.
uv_unit_observe_sources = \
  test/unit/unit-observe-thread.c \
  test/unit/unit-trace-format.c \
  test/unit/unit-trace-keep.c

uv_unit_unix_sources = \
  test/unit/fake-source-unix.c \
  test/unit/fixture.h \
  test/unit/unit-cgroup.c \
  test/unit/unit-cpuinfo.c \
  test/unit/unit-loop-poll.c \
  test/unit/unit-random-unix.c \
  test/unit/unit-resolver.c \
  test/unit/unit-signal-log.c \
  test/unit/unit-title.c \
  test/unit/unit-udp-control.c \
  test/unit/unit-wait.c

uv_unit_win_sources = \
  test/unit/fake-source-win.c \
  test/unit/replace-win.h \
  test/unit/unit-fd-win.c \
  test/unit/unit-files-win.c \
  test/unit/unit-fs-win.c \
  test/unit/unit-pipes-win.c \
  test/unit/unit-post-win.c \
  test/unit/unit-sockets-win.c \
  test/unit/unit-system-win.c

# The contract P1-P8, run against every poller compiled in.
uv_contract_sources = \
  test/contract/contract-wait.c \
  test/contract/contract.c \
  test/contract/contract.h \
  test/contract/list.h

# Managed loops against a model.
uv_world_sources = \
  test/loops/world.c

# Linux only: processors and priorities of threads.
uv_stress_sources = \
  test/stress/client.c \
  test/stress/life.c \
  test/stress/main.c \
  test/stress/place.c \
  test/stress/stress.h \
  test/stress/tree.c

# The benchmarks: only what uv.h offers, so that they run on any libuv.so.1.
uv_bench_sources = \
  bench/workloads/async.c \
  bench/workloads/bench.h \
  bench/workloads/burst.c \
  bench/workloads/children.c \
  bench/workloads/connection.c \
  bench/workloads/file-chain.c \
  bench/workloads/file.c \
  bench/workloads/flood.c \
  bench/workloads/latency.c \
  bench/workloads/loop.c \
  bench/workloads/main.c \
  bench/workloads/memory.c \
  bench/workloads/pace.c \
  bench/workloads/peer.c \
  bench/workloads/peer.h \
  bench/workloads/place.c \
  bench/workloads/post.c \
  bench/workloads/process.c \
  bench/workloads/samples.c \
  bench/workloads/samples.h \
  bench/workloads/stream.c \
  bench/workloads/timer.c \
  bench/workloads/udp.c \
  bench/workloads/work.c

# Readiness, and completion.
uv_contract_unix_sources = \
  test/contract/contract-watch.c

uv_contract_win_sources = \
  test/contract/contract-req.c

uv_examples = \
  examples/allocator \
  examples/cat \
  examples/chat \
  examples/child \
  examples/copy \
  examples/cores \
  examples/credit \
  examples/deadline \
  examples/discovery \
  examples/dump \
  examples/echo-client \
  examples/echo-server \
  examples/file-name \
  examples/graceful \
  examples/grep \
  examples/http-hello \
  examples/line-editor \
  examples/lookup \
  examples/loops-http \
  examples/loops \
  examples/manager \
  examples/metrics \
  examples/move-connection \
  examples/pipe-server \
  examples/plugin \
  examples/poll-file \
  examples/pools \
  examples/post \
  examples/proxy \
  examples/pull-echo \
  examples/pull \
  examples/queue \
  examples/read-req \
  examples/read-timeout \
  examples/supervisor \
  examples/tail \
  examples/tcp-echo \
  examples/timer \
  examples/trace \
  examples/tutorial/step-1 \
  examples/tutorial/step-2 \
  examples/tutorial/step-3 \
  examples/tutorial/step-4 \
  examples/tutorial/step-5 \
  examples/tutorial/step-6 \
  examples/tutorial/step-7 \
  examples/tutorial/step-8 \
  examples/udp-ecn \
  examples/watch-tree \
  examples/watch

# Descriptors that go to another process; a thread that polls one.
uv_unix_examples = \
  examples/embed \
  examples/loops-restart \
  examples/poll-fd

# Of windows and messages.
uv_windows_examples = \
  examples/win32

# Compiled by bench/loads/loops.sh.
uv_load_sources = \
  bench/loads/loops-hand.c

# Included by some of them.
uv_example_headers = \
  examples/loops-http.h \
  examples/tls-stream.h

# Built where GLib is installed.
uv_glib_examples = \
  examples/glib

# Built where OpenSSL is installed.
uv_openssl_examples = \
  examples/tls
