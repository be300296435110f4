# SPDX-License-Identifier: MIT
# The files of the library, listed here and nowhere else. Makefile.am includes
# this file, CMakeLists.txt and scripts/list-sources (for uv.gyp) parse it: one
# assignment per group that a build selects, one file per line, alphabetical.
# test/steps/tidy fails when a file of the tree is in no list.

uv_public_headers = \
  include/uv/bsd.h \
  include/uv/darwin.h \
  include/uv/errno.h \
  include/uv/ext.h \
  include/uv/linux.h \
  include/uv/posix.h \
  include/uv/threadpool.h \
  include/uv/tree.h \
  include/uv/unix.h \
  include/uv/version.h \
  include/uv/win.h

uv_private_headers = \
  src/cancel.h \
  src/deadline-table.h \
  src/fs.h \
  src/handle-finish.h \
  src/handle.h \
  src/idna.h \
  src/listener.h \
  src/loop-watcher.h \
  src/loop/check.h \
  src/loop/counters.h \
  src/loop/deadline.h \
  src/loop/interest.h \
  src/loop/list.h \
  src/loop/loop.h \
  src/loop/poll.h \
  src/loop/post.h \
  src/loop/state.h \
  src/loop/timer-heap.h \
  src/loop/wake.h \
  src/loops.h \
  src/misuse.h \
  src/observe/about.h \
  src/observe/background.h \
  src/observe/callback.h \
  src/observe/debug/debug.h \
  src/observe/debug/ledger.h \
  src/observe/dump/dump.h \
  src/observe/dump/signal.h \
  src/observe/hooks.h \
  src/observe/in-flight.h \
  src/observe/metrics/histogram.h \
  src/observe/metrics/metrics.h \
  src/observe/metrics/text.h \
  src/observe/names.h \
  src/observe/output.h \
  src/observe/probes.h \
  src/observe/record.h \
  src/observe/samples.h \
  src/observe/session.h \
  src/observe/signal-thread.h \
  src/observe/span.h \
  src/observe/symbols.h \
  src/observe/thread.h \
  src/observe/trace/format.h \
  src/observe/trace/keep.h \
  src/observe/trace/notes.h \
  src/observe/trace/recorder.h \
  src/observe/trace/sends.h \
  src/observe/trace/trace.h \
  src/observe/trace/writer.h \
  src/os/addr.h \
  src/os/async.h \
  src/os/backtrace.h \
  src/os/crash.h \
  src/os/fs-entries.h \
  src/os/fs-event.h \
  src/os/fs.h \
  src/os/handle-class.h \
  src/os/lent.h \
  src/os/listener.h \
  src/os/loop.h \
  src/os/pipe.h \
  src/os/poll-handle.h \
  src/os/poller.h \
  src/os/private-file.h \
  src/os/process.h \
  src/os/random.h \
  src/os/resolver.h \
  src/os/signal.h \
  src/os/stream.h \
  src/os/symbol.h \
  src/os/system.h \
  src/os/tcp.h \
  src/os/thread-state.h \
  src/os/thread.h \
  src/os/tty.h \
  src/os/udp-options.h \
  src/os/udp.h \
  src/pool/done.h \
  src/pool/gate.h \
  src/pool/kind.h \
  src/pool/lanes.h \
  src/pool/lookup-table.h \
  src/pool/lookup.h \
  src/pool/pool.h \
  src/pool/queue.h \
  src/pool/registry.h \
  src/pool/threads.h \
  src/pool/tuning.h \
  src/req.h \
  src/request-deadline.h \
  src/stream-reader.h \
  src/strscpy.h \
  src/strtok.h \
  src/timer.h \
  src/udp-datagram.h \
  src/unix/async-order.h \
  src/unix/async.h \
  src/unix/call-numbers.h \
  src/unix/cancel.h \
  src/unix/cmsg.h \
  src/unix/fd.h \
  src/unix/fs-clone.h \
  src/unix/fs-event/dir-names.h \
  src/unix/fs-event/fs-event.h \
  src/unix/fs-event/fsevents.h \
  src/unix/fs-event/inotify-tree.h \
  src/unix/fs-event/inotify.h \
  src/unix/fs-ops.h \
  src/unix/fs-statx.h \
  src/unix/io.h \
  src/unix/iovec.h \
  src/unix/loop.h \
  src/unix/newer-calls.h \
  src/unix/os-bsd.h \
  src/unix/os-darwin.h \
  src/unix/os-freebsd.h \
  src/unix/os-linux.h \
  src/unix/os-netbsd.h \
  src/unix/os-openbsd.h \
  src/unix/os.h \
  src/unix/poll-handle.h \
  src/unix/poller/kqueue-interest.h \
  src/unix/poller/scan.h \
  src/unix/poller/select-thread.h \
  src/unix/proc-info.h \
  src/unix/process-sys.h \
  src/unix/process.h \
  src/unix/resolver.h \
  src/unix/signal-list.h \
  src/unix/signal-log.h \
  src/unix/signal.h \
  src/unix/sock.h \
  src/unix/stack-walk.h \
  src/unix/stream.h \
  src/unix/sysinfo/bsd.h \
  src/unix/sysinfo/cgroup.h \
  src/unix/sysinfo/linux-cpu.h \
  src/unix/sysinfo/procfs.h \
  src/unix/sysinfo/sysctl-number.h \
  src/unix/udp-control.h \
  src/unix/udp-names.h \
  src/unix/udp-recv.h \
  src/unix/udp-send.h \
  src/unix/udp.h \
  src/unix/uring/fs-uring-map.h \
  src/unix/uring/fs-uring.h \
  src/unix/uring/uring-abi.h \
  src/unix/uring/uring.h \
  src/unix/wake-fd.h \
  src/util/alloc.h \
  src/util/atomic-msvc.h \
  src/util/atomic.h \
  src/util/base.h \
  src/util/bufs.h \
  src/util/env.h \
  src/util/fatal.h \
  src/util/fork-lock.h \
  src/util/out-string.h \
  src/util/queue.h \
  src/util/spin.h \
  src/util/string-builder.h \
  src/util/utf8.h \
  src/util/wait.h \
  src/uv-common.h \
  src/variable.h \
  src/win/afd.h \
  src/win/ansi.h \
  src/win/async.h \
  src/win/compiler.h \
  src/win/detach.h \
  src/win/dump-path.h \
  src/win/error.h \
  src/win/event-req.h \
  src/win/fd.h \
  src/win/fs-fd-hash-inl.h \
  src/win/fs.h \
  src/win/ipc-frame.h \
  src/win/loop.h \
  src/win/overlapped.h \
  src/win/pipe.h \
  src/win/poll-handle.h \
  src/win/process-path.h \
  src/win/process.h \
  src/win/reparse.h \
  src/win/resume.h \
  src/win/signal.h \
  src/win/sock-status.h \
  src/win/sock.h \
  src/win/stream.h \
  src/win/system-work.h \
  src/win/tcp.h \
  src/win/tty-keys.h \
  src/win/tty.h \
  src/win/udp.h \
  src/win/wide.h \
  src/win/winapi.h \
  src/work.h

# Each list below is what a build selects together; folders are nouns.
# On every system.
uv_common_sources = \
  src/accessors.c \
  src/addr.c \
  src/cancel.c \
  src/deadline-table.c \
  src/error.c \
  src/fs-api.c \
  src/fs-entries.c \
  src/fs-event.c \
  src/fs-poll.c \
  src/fs.c \
  src/handle.c \
  src/idna.c \
  src/inet.c \
  src/inherited.c \
  src/library.c \
  src/listener-turns.c \
  src/listener.c \
  src/loop-watcher.c \
  src/loop/check.c \
  src/loop/counters.c \
  src/loop/interest.c \
  src/loop/life.c \
  src/loop/list.c \
  src/loop/poll.c \
  src/loop/post.c \
  src/loop/run.c \
  src/loop/timer-heap.c \
  src/loop/wake.c \
  src/loops-pause.c \
  src/loops-pin.c \
  src/loops-run.c \
  src/loops.c \
  src/misuse.c \
  src/observe/metrics/histogram.c \
  src/pipe.c \
  src/poll-handle.c \
  src/pool/done.c \
  src/pool/gate.c \
  src/pool/lanes.c \
  src/pool/lookup-table.c \
  src/pool/lookup.c \
  src/pool/pool.c \
  src/pool/queue.c \
  src/pool/registry.c \
  src/pool/stuck.c \
  src/pool/threads.c \
  src/pools.c \
  src/process.c \
  src/random.c \
  src/release.c \
  src/request-deadline.c \
  src/resolver.c \
  src/signal.c \
  src/stream-reader.c \
  src/stream.c \
  src/strscpy.c \
  src/strtok.c \
  src/system.c \
  src/tcp.c \
  src/thread.c \
  src/timer.c \
  src/tty.c \
  src/udp-multicast.c \
  src/udp-options.c \
  src/udp.c \
  src/util/alloc.c \
  src/util/env.c \
  src/util/fatal.c \
  src/util/fork-lock.c \
  src/util/string-builder.c \
  src/util/wtf8.c \
  src/variable.c \
  src/version.c \
  src/work.c

# What observes the loops, and what answers for it in a build without.
uv_observe_sources = \
  src/observe/about.c \
  src/observe/background.c \
  src/observe/callback.c \
  src/observe/debug/ledger.c \
  src/observe/debug/life.c \
  src/observe/debug/walk.c \
  src/observe/dump/dump.c \
  src/observe/dump/handle.c \
  src/observe/dump/pool.c \
  src/observe/dump/signal.c \
  src/observe/hooks.c \
  src/observe/in-flight.c \
  src/observe/metrics/metrics.c \
  src/observe/metrics/session.c \
  src/observe/metrics/text.c \
  src/observe/names.c \
  src/observe/output.c \
  src/observe/samples.c \
  src/observe/session.c \
  src/observe/signal-thread.c \
  src/observe/span.c \
  src/observe/symbols.c \
  src/observe/thread.c \
  src/observe/trace/format-head.c \
  src/observe/trace/format.c \
  src/observe/trace/keep.c \
  src/observe/trace/notes.c \
  src/observe/trace/recorder.c \
  src/observe/trace/sends.c \
  src/observe/trace/signal.c \
  src/observe/trace/trace.c \
  src/observe/trace/writer.c \
  src/observe/watchdog.c \
  src/observe/work.c

uv_observe_off_sources = \
  src/observe/off.c

# Windows.
uv_win_sources = \
  src/win/afd.c \
  src/win/ansi.c \
  src/win/async.c \
  src/win/backtrace.c \
  src/win/clock.c \
  src/win/cpu-info.c \
  src/win/crash.c \
  src/win/detach.c \
  src/win/dispatch.c \
  src/win/dl.c \
  src/win/dump-path.c \
  src/win/env.c \
  src/win/error.c \
  src/win/event-req.c \
  src/win/fd.c \
  src/win/fs-attr.c \
  src/win/fs-copy.c \
  src/win/fs-dir.c \
  src/win/fs-event.c \
  src/win/fs-link.c \
  src/win/fs-map.c \
  src/win/fs-open.c \
  src/win/fs-ops.c \
  src/win/fs-path.c \
  src/win/fs-remove.c \
  src/win/fs-reparse.c \
  src/win/fs-rw.c \
  src/win/fs-stat.c \
  src/win/fs-temp.c \
  src/win/handle-class.c \
  src/win/ifaddrs.c \
  src/win/ipc-frame.c \
  src/win/lent.c \
  src/win/listener.c \
  src/win/loop.c \
  src/win/pipe-accept.c \
  src/win/pipe-connect.c \
  src/win/pipe-eof.c \
  src/win/pipe-ipc.c \
  src/win/pipe-name.c \
  src/win/pipe-pair.c \
  src/win/pipe-read.c \
  src/win/pipe-thread.c \
  src/win/pipe-write.c \
  src/win/pipe.c \
  src/win/poll-handle.c \
  src/win/poll-slow.c \
  src/win/poller-iocp.c \
  src/win/print.c \
  src/win/private-file.c \
  src/win/proc-info.c \
  src/win/process-args.c \
  src/win/process-dump.c \
  src/win/process-env.c \
  src/win/process-kill.c \
  src/win/process-path.c \
  src/win/process-stdio.c \
  src/win/process.c \
  src/win/proctitle.c \
  src/win/random.c \
  src/win/reparse.c \
  src/win/resolver.c \
  src/win/resume.c \
  src/win/sem.c \
  src/win/signal.c \
  src/win/sock-status.c \
  src/win/sock.c \
  src/win/socketpair.c \
  src/win/stream.c \
  src/win/symbol.c \
  src/win/sync.c \
  src/win/sysinfo.c \
  src/win/system-work.c \
  src/win/tcp-accept.c \
  src/win/tcp-connect.c \
  src/win/tcp-opts.c \
  src/win/tcp-read.c \
  src/win/tcp-write.c \
  src/win/tcp-xfer.c \
  src/win/tcp.c \
  src/win/thread-sched.c \
  src/win/thread-state.c \
  src/win/thread.c \
  src/win/tty-keys.c \
  src/win/tty-read-line.c \
  src/win/tty-read-raw.c \
  src/win/tty-resize.c \
  src/win/tty-screen.c \
  src/win/tty-write.c \
  src/win/tty.c \
  src/win/udp-multicast.c \
  src/win/udp-options.c \
  src/win/udp-recv-info.c \
  src/win/udp-recv.c \
  src/win/udp-send.c \
  src/win/udp.c \
  src/win/user.c \
  src/win/wide.c \
  src/win/winapi.c

# Everything but Windows.
uv_unix_sources = \
  src/unix/async-order.c \
  src/unix/async.c \
  src/unix/backtrace.c \
  src/unix/clock.c \
  src/unix/crash.c \
  src/unix/dl.c \
  src/unix/env.c \
  src/unix/error.c \
  src/unix/fd.c \
  src/unix/fs-copy.c \
  src/unix/fs-dir.c \
  src/unix/fs-ops.c \
  src/unix/fs-path.c \
  src/unix/fs-rw.c \
  src/unix/fs-stat.c \
  src/unix/fs-time.c \
  src/unix/handle-class.c \
  src/unix/ifaddrs.c \
  src/unix/io.c \
  src/unix/lent.c \
  src/unix/listener.c \
  src/unix/loop.c \
  src/unix/perf-map.c \
  src/unix/pipe.c \
  src/unix/poll-handle.c \
  src/unix/poller/choose.c \
  src/unix/poller/poll.c \
  src/unix/poller/scan.c \
  src/unix/poller/select.c \
  src/unix/print.c \
  src/unix/private-file.c \
  src/unix/proc-info.c \
  src/unix/process-child.c \
  src/unix/process-end.c \
  src/unix/process-launch.c \
  src/unix/process-path.c \
  src/unix/process-stdio.c \
  src/unix/process.c \
  src/unix/random.c \
  src/unix/resolver.c \
  src/unix/signal-handler.c \
  src/unix/signal-list.c \
  src/unix/signal-log.c \
  src/unix/signal.c \
  src/unix/sock.c \
  src/unix/stack-walk.c \
  src/unix/stream-accept.c \
  src/unix/stream-ipc.c \
  src/unix/stream-read.c \
  src/unix/stream-write.c \
  src/unix/stream.c \
  src/unix/symbol.c \
  src/unix/sync.c \
  src/unix/tcp-opts.c \
  src/unix/tcp.c \
  src/unix/thread-sched.c \
  src/unix/thread-state.c \
  src/unix/thread.c \
  src/unix/tty.c \
  src/unix/udp-control.c \
  src/unix/udp-multicast.c \
  src/unix/udp-options.c \
  src/unix/udp-recv-info.c \
  src/unix/udp-recv.c \
  src/unix/udp-send-options.c \
  src/unix/udp-send.c \
  src/unix/udp.c \
  src/unix/user.c \
  src/unix/wake-fd.c

uv_linux_sources = \
  src/unix/fs-statx.c \
  src/unix/poller/epoll.c \
  src/unix/sysinfo/cgroup-parse.c \
  src/unix/sysinfo/cgroup.c \
  src/unix/sysinfo/linux-cpu.c \
  src/unix/sysinfo/linux-memory.c \
  src/unix/sysinfo/linux.c \
  src/unix/sysinfo/procfs.c \
  src/unix/udp-gso.c

# Linux, unless test/kqueue-shim is to watch files.
uv_inotify_sources = \
  src/unix/fs-event/inotify-apply.c \
  src/unix/fs-event/inotify-change.c \
  src/unix/fs-event/inotify-scan.c \
  src/unix/fs-event/inotify-tree.c \
  src/unix/fs-event/inotify-watch.c \
  src/unix/fs-event/inotify.c

# Linux, but not Android (and not the shim).
uv_uring_sources = \
  src/unix/uring/fs-uring-map.c \
  src/unix/uring/fs-uring.c \
  src/unix/uring/uring.c

# The BSDs and macOS.
uv_kqueue_sources = \
  src/unix/fs-event/dir-names.c \
  src/unix/fs-event/kqueue.c \
  src/unix/kqueue-fd.c \
  src/unix/poller/kqueue-interest.c \
  src/unix/poller/kqueue.c \
  src/unix/poller/select-thread.c

uv_bsd_sources = \
  src/unix/sysinfo/bsd.c

uv_freebsd_sources = \
  src/unix/sysinfo/freebsd.c

uv_netbsd_sources = \
  src/unix/sysinfo/netbsd.c

uv_openbsd_sources = \
  src/unix/sysinfo/openbsd.c

uv_darwin_sources = \
  src/unix/fs-clone.c \
  src/unix/fs-event/fsevents.c \
  src/unix/process-spawn.c \
  src/unix/sem-mach.c \
  src/unix/sysinfo/darwin.c

# Process titles: Linux and macOS; FreeBSD, NetBSD and OpenBSD.
uv_argv_sources = \
  src/unix/title/argv.c

uv_setproctitle_sources = \
  src/unix/title/setproctitle.c
