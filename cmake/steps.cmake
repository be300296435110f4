# SPDX-License-Identifier: MIT
# Every build and every test of it: what ./check runs, in this order. Read by
# tests.cmake, which makes ctest entries of it, and by list-steps.cmake.
#
#   uv_preset(NAME TIER [PACKAGE...])   a build of CMakePresets.json, and what
#                                       Debian packages it needs
#
#   uv_step(NAME LABEL LIMIT [FAST P...] [NORMAL P...] [FULL P...]
#           [TAP] [LIGHT] [NAMES] [PACKAGES NAME...]
#           PROGRAM NAME WORD... | SCRIPT WORD... | COMMAND WORD...)
#
# The test NAME-P of each preset P; it runs in ./check --fast, in ./check, or in
# ./check --full only. LIMIT is in seconds, for a build without sanitizer or
# emulator. PROGRAM is one of the build's, run by Wine, qemu or valgrind if the
# preset needs it; SCRIPT starts such programs; COMMAND does not. @build@ is the
# build's directory.
#
#   TAP       the results are its TAP lines; else its last line, "N passed, N
#             failed, N skipped", or its status alone
#   LIGHT     leaves room for another test beside it
#   NAMES     names of single tests may be appended to the command
#   PACKAGES  of Debian, installed when it runs
#
# Five presets are no builds of CMake's; their tests belong to the preset gcc:
# "tree" (the sources; no suffix), valgrind (the programs of gcc), and autotools,
# zigmusl and glibc217 (built by their step called build).

set(emulated aarch64 armhf ppc64el riscv64 s390x)
set(zig zigmusl glibc217)
set(sanitized asan tsan msan)

uv_preset(gcc FAST)
uv_preset(clang NORMAL)
uv_preset(asan NORMAL)
uv_preset(tsan NORMAL)
uv_preset(kqueue NORMAL)
uv_preset(windows NORMAL gcc-mingw-w64-x86-64)
uv_preset(msan FULL)
uv_preset(i386 FULL)
uv_preset(musl FULL musl-tools linux-libc-dev)
uv_preset(aarch64 FULL gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
uv_preset(armhf FULL gcc-arm-linux-gnueabihf libc6-dev-armhf-cross)
uv_preset(ppc64el FULL gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross)
uv_preset(riscv64 FULL gcc-riscv64-linux-gnu libc6-dev-riscv64-cross)
uv_preset(s390x FULL gcc-s390x-linux-gnu libc6-dev-s390x-cross)
uv_preset(windows32 FULL gcc-mingw-w64-i686)

# The tree.
uv_step(tidy tidy 60 FAST tree LIGHT COMMAND test/steps/tidy)
uv_step(format tidy 120 FAST tree LIGHT PACKAGES clang-format
        COMMAND scripts/format --check)
# That each rule of the two notices a tree that breaks it.
uv_step(tidy-rules tidy 900 FULL tree LIGHT PACKAGES clang-format
        COMMAND test/steps/tidy-rules)
uv_step(headers abi 240 FAST tree LIGHT TAP COMMAND test/abi/check)
uv_step(originality tidy 120 FAST tree LIGHT
        COMMAND test/steps/originality src test bench examples tools)

# The manual's reference and the headers, both ways; all pages as a repository
# host shows them.
uv_step(manual docs 120 FAST tree LIGHT TAP
        PACKAGES python3-docutils python3-markdown-it
        COMMAND docs/manual/check)
# Its pages, every warning an error.
uv_step(manual-html docs 300 NORMAL tree LIGHT PACKAGES python3-sphinx furo
        COMMAND docs/manual/build)
# Them in a browser, as wide as a desk and as a phone.
uv_step(manual-browser docs 600 FULL tree LIGHT TAP
        PACKAGES python3-sphinx furo chromium COMMAND docs/manual/browse --build)
# Everything clang finds wrong, in the files that it has a command for.
uv_step(clang-tidy tidy 1800 FULL clang PACKAGES clang-tidy
        COMMAND test/steps/clang-tidy @build@)

# Our own tests.
uv_step(symbols abi 120 FAST gcc NORMAL autotools FULL i386 musl LIGHT TAP
        COMMAND test/abi/symbols @build@)
uv_step(unit unit 120 FAST gcc NORMAL clang asan windows
        FULL tsan msan valgrind i386 musl windows32 ${zig} ${emulated}
        NAMES PROGRAM uv-unit)
uv_step(contract contract 120 FAST gcc NORMAL asan kqueue windows
        FULL tsan msan valgrind i386 musl windows32 ${zig} ${emulated}
        NAMES PROGRAM uv-contract)
uv_step(contract-freebsd contract 120 NORMAL kqueue
        NAMES PROGRAM uv-contract KQUEUE_SHIM_SYSTEM=freebsd)
uv_step(shim unit 120 NORMAL kqueue NAMES PROGRAM uv-shim)
uv_step(test-epoll blackbox 300 FAST gcc NORMAL clang asan
        FULL tsan msan valgrind i386 musl ${zig} ${emulated}
        NAMES PROGRAM uv-test UV_POLLER=epoll)
uv_step(test-poll blackbox 300 FAST gcc NORMAL asan
        FULL tsan msan i386 musl ${zig} ${emulated}
        NAMES PROGRAM uv-test UV_POLLER=poll)
uv_step(test-select blackbox 300 NORMAL gcc FULL asan i386 musl
        NAMES PROGRAM uv-test UV_POLLER=select)
# Files through io_uring instead of the pool, where the kernel has it.
uv_step(test-uring blackbox 300 NORMAL gcc FULL asan i386 musl
        NAMES PROGRAM uv-test UV_USE_IO_URING=1)
# Hunts lost wake-ups and hangs in the pool.
# A library without observers, by both compilers, optimised and not.
foreach(compiler gcc clang)
  foreach(level 0 2)
    uv_step(observe-off-${compiler}-O${level} blackbox 900 NORMAL tree
            PACKAGES clang COMMAND test/steps/observe-off ${compiler} -O${level})
  endforeach()
endforeach()
uv_step(stress stress 120 NORMAL gcc tsan FULL asan i386 musl
        PROGRAM uv-stress --ms 60)
# Managed loops that post, pause, listen and end at random, against a model.
uv_step(world stress 120 NORMAL gcc tsan FULL asan i386 musl
        PROGRAM uv-world --ms 3000)
uv_step(world-long stress 1200 FULL gcc asan tsan PROGRAM uv-world --ms 600000)
uv_step(stress-long stress 1200 FULL gcc asan tsan
        PROGRAM uv-stress --ms 4000)
# As if the kernel were 3.10: later system calls are refused.
foreach(name unit contract test)
  uv_step(old-kernel-${name} blackbox 300 NORMAL gcc FULL glibc217
          NAMES COMMAND test/steps/old-kernel @build@/uv-${name})
endforeach()
# The kqueue of test/kqueue-shim, and with it calls of the C library that
# answer as on these systems.
uv_step(test-kqueue blackbox 300 NORMAL kqueue
        NAMES PROGRAM uv-test UV_POLLER=kqueue)
foreach(name freebsd openbsd macos)
  uv_step(test-${name} blackbox 300 NORMAL kqueue
          NAMES PROGRAM uv-test UV_POLLER=kqueue KQUEUE_SHIM_SYSTEM=${name})
endforeach()
# Where a thread that waits has to let the other one run.
uv_step(test-one-processor blackbox 300 NORMAL kqueue NAMES
        COMMAND env UV_POLLER=kqueue KQUEUE_SHIM_SYSTEM=freebsd
                taskset -c 0 @build@/uv-test)
# Windows has one poller, and a library that can be a DLL.
uv_step(test blackbox 300 NORMAL windows FULL windows32
        NAMES PROGRAM uv-test)
uv_step(test-dll blackbox 300 NORMAL windows NAMES PROGRAM uv-test-dll)
uv_step(examples examples 120 FAST gcc NORMAL asan windows
        FULL tsan msan i386 musl ${zig} ${emulated} LIGHT TAP
        SCRIPT test/steps/examples @build@)
# The steps of the manual's tutorial, and those that are libuv's as well with it.
uv_step(tutorial examples 240 NORMAL gcc LIGHT TAP PACKAGES python3
        SCRIPT test/steps/tutorial @build@)
uv_step(tutorial-libuv examples 240 NORMAL gcc LIGHT TAP PACKAGES python3
        COMMAND test/steps/tutorial --libuv)
# Recipes with other libraries.
uv_step(recipes examples 120 NORMAL gcc LIGHT TAP
        PACKAGES libglib2.0-dev libssl-dev openssl pkg-config
        COMMAND test/steps/recipes @build@)
# Servers under load: restarts, shutdown.
uv_step(servers examples 180 NORMAL gcc asan LIGHT TAP
        PACKAGES curl haproxy python3 wrk
        SCRIPT test/steps/servers @build@)
# The reader of traces, on traces made by hand and on examples.
uv_step(uv-trace tools 300 NORMAL gcc asan windows
        FULL tsan msan i386 musl LIGHT TAP SCRIPT test/uv-trace/run @build@)
# All that observes loops, on programs of Debian and with the manual's stories.
uv_step(uv-trace-programs tools 600 FULL gcc LIGHT TAP PACKAGES mmdebstrap
        COMMAND test/uv-trace/programs @build@)
# Traces in a viewer that somebody else wrote.
uv_step(uv-trace-viewer tools 400 FULL gcc LIGHT TAP PACKAGES chromium npm
        COMMAND test/uv-trace/viewer @build@)
# The pull loop: one thread blocks, another runs the callbacks.
uv_step(pull-loop examples 120 NORMAL tsan PROGRAM examples/pull-echo)
# Every benchmark, for some milliseconds: that it works, never how fast.
uv_step(bench bench 120 NORMAL gcc FULL i386 musl TAP
        COMMAND test/steps/bench @build@/uv-bench)
# The matrix of the pool and the tools that users run, briefly: that they work.
uv_step(matrix bench 600 FULL gcc
        COMMAND bench/matrix --on idle --rounds 1 --seconds 0.02 --lib @build@)
uv_step(bench-tools bench 900 FULL gcc PACKAGES mmdebstrap
        COMMAND bench/tools/run --quick --lib @build@)
# The classic mistakes: how each ends, and what is said about it.
uv_step(mistakes blackbox 120 NORMAL gcc LIGHT TAP
        COMMAND test/mistakes/run @build@)
# Static probes: notes, and the manual's bpftrace commands.
uv_step(probes abi 240 NORMAL gcc LIGHT TAP PACKAGES systemtap-sdt-dev bpftrace
        COMMAND test/steps/probes @build@)
# The gdb script, on a stopped program and on its core file.
uv_step(gdb tools 120 NORMAL gcc LIGHT TAP PACKAGES gdb
        COMMAND test/steps/gdb @build@)
# Instructions per operation do not grow unless their table says so; and the
# comparison itself.
uv_step(instructions bench 900 FULL gcc PACKAGES valgrind
        COMMAND bench/instructions --lib @build@)
uv_step(guard bench 60 FAST tree LIGHT TAP COMMAND test/steps/guard)
uv_step(rounds bench 60 FAST tree LIGHT TAP COMMAND test/steps/rounds)
uv_step(hardening abi 60 FAST gcc NORMAL autotools LIGHT TAP
        COMMAND test/steps/hardening @build@)
uv_step(hardening-meson abi 300 NORMAL tree LIGHT TAP
        PACKAGES meson ninja-build COMMAND test/steps/hardening --meson)
# The headers' layout for targets without a table, beside libuv's own.
uv_step(layout abi 60 FULL ${emulated} LIGHT TAP COMMAND test/abi/oracle @preset@)

# libuv's own suites.
foreach(suite 1.44.2 1.50.0)
  uv_step(suite-${suite}-epoll suite 600 NORMAL gcc FULL i386 NAMES
          SUITE --suite ${suite} --poller epoll)
  uv_step(suite-${suite}-poll suite 600 NORMAL gcc FULL i386 NAMES
          SUITE --suite ${suite} --poller poll)
  uv_step(suite-${suite}-select suite 600 FULL gcc NAMES
          SUITE --suite ${suite} --poller select)
  uv_step(suite-${suite}-kqueue suite 600 FULL kqueue NAMES
          SUITE --suite ${suite} --poller kqueue)
endforeach()
uv_step(suite-uring suite 300 NORMAL gcc FULL i386
        SUITE --suite 1.50.0 UV_USE_IO_URING=1 fs_*)
uv_step(suite-1.50.0-freebsd suite 600 FULL kqueue NAMES
        SUITE --suite 1.50.0 --poller kqueue KQUEUE_SHIM_SYSTEM=freebsd)
uv_step(suite-1.50.0-epoll suite 600 FULL asan tsan musl ${emulated} NAMES
        SUITE --suite 1.50.0 --poller epoll)
# Twice more: what fails once in three runs is a bug, too.
foreach(round 2nd 3rd)
  foreach(poller epoll poll)
    uv_step(suite-1.44.2-${poller}-${round} suite 600 FULL gcc NAMES
            SUITE --suite 1.44.2 --poller ${poller})
    uv_step(suite-1.50.0-${poller}-${round} suite 600 FULL gcc NAMES
            SUITE --suite 1.50.0 --poller ${poller})
  endforeach()
  uv_step(suite-uring-${round} suite 300 FULL gcc
          SUITE --suite 1.50.0 UV_USE_IO_URING=1 fs_*)
endforeach()
# Under Wine a minute's worth of it, or all.
set(wine SUITE --target windows)
uv_step(wine suite 300 NORMAL windows ${wine} async* fs_file_*
        fs_event_watch_file* getaddrinfo* loop_* pipe_[bcgls]* poll_* shutdown*
        spawn_* tcp_[bot]* thread* timer* tty* udp_s*)
uv_step(suite-1.50.0-wine suite 1000 FULL windows NAMES ${wine})
uv_step(suite-1.50.0-wine10 suite 1000 FULL windows NAMES PACKAGES mmdebstrap
        ${wine} --wine10)
# The driver of these, on tests that leave sockets behind.
uv_step(wine-leftover suite 120 FULL windows PACKAGES wine64
        COMMAND test/conformance/leftover)

# Processes with this library and with libuv, talking to each other.
uv_step(peer peer 200 NORMAL windows TAP PACKAGES wine64
        COMMAND test/peer/run @build@)
# Our tests under a second, newer Wine.
foreach(name test unit contract)
  uv_step(wine10-${name} blackbox 800 FULL windows NAMES PACKAGES mmdebstrap
          COMMAND test/steps/wine --10 wine64 @build@/uv-${name}.exe)
endforeach()
# Microsoft's compilers, as far as they can be asked without one.
uv_step(msvc-atomics cross 120 NORMAL tree LIGHT
        PACKAGES gcc-mingw-w64-x86-64 COMMAND test/cross/msvc-atomics)
# 32-bit Windows is built and run by --full only.
uv_step(windows32-compiles cross 180 NORMAL tree
        PACKAGES gcc-mingw-w64-i686 COMMAND test/cross/windows32)
uv_step(msvc cross 600 FULL tree LIGHT PACKAGES clang gcc-mingw-w64-x86-64
        COMMAND test/cross/msvc)
uv_step(cmake-msvc cross 120 FULL tree LIGHT PACKAGES clang llvm
        COMMAND test/cross/cmake-msvc)

# The installed library, the other build, the tarball.
uv_step(install install 120 NORMAL gcc autotools LIGHT
        COMMAND test/steps/install @build@)
uv_step(build autotools 600 NORMAL autotools COMMAND test/steps/autotools build)
uv_step(distcheck autotools 1200 NORMAL autotools
        COMMAND test/steps/autotools distcheck)
uv_step(contents autotools 120 NORMAL autotools LIGHT
        COMMAND test/steps/autotools contents)
uv_step(tarball autotools 1200 FULL autotools COMMAND test/steps/autotools tarball)
# What projects that build libuv themselves rely on.
uv_step(drop-in install 300 NORMAL tree TAP COMMAND test/steps/drop-in cmake)
uv_step(drop-in-flags install 300 FULL tree TAP COMMAND test/steps/drop-in flags)
uv_step(drop-in-sanitizers install 300 FULL tree TAP
        COMMAND test/steps/drop-in sanitizers)
uv_step(same-bytes install 900 FULL tree TAP COMMAND test/steps/drop-in same-bytes)
# Packages, recipes of other package managers, and the release script.
uv_step(release install 300 NORMAL tree TAP LIGHT COMMAND test/steps/release)
uv_step(recipes install 300 FULL tree TAP
        PACKAGES meson ninja-build nix-bin ruby COMMAND test/steps/packages recipes)
# A platform in which nothing works yet.
uv_step(new-port install 120 NORMAL tree LIGHT TAP COMMAND test/steps/new-port)
# This tree as deps/uv of a project that builds with GN.
uv_step(gn install 300 NORMAL tree LIGHT TAP
        PACKAGES generate-ninja ninja-build COMMAND test/gn/run)
uv_step(debian install 900 FULL tree TAP COMMAND test/steps/packages debian)
uv_step(debian-trixie install 1200 FULL tree TAP PACKAGES mmdebstrap
        COMMAND test/steps/packages debian trixie)
foreach(release bookworm trixie)
  uv_step(swap-${release} install 1200 FULL tree TAP PACKAGES mmdebstrap
          COMMAND test/steps/packages swap ${release})
  # From the README alone, on a fresh Debian.
  uv_step(first-hour-${release} install 1200 FULL tree TAP PACKAGES mmdebstrap
          COMMAND test/steps/first-hour ${release})
endforeach()
uv_step(try install 300 NORMAL tree TAP LIGHT COMMAND test/steps/try)

# Generated programs on this library and on libuv: the same hundred of each
# area every time, so that a change is what makes one fail; new ones in --full.
math(EXPR third "${DIFFERENTIAL_SECONDS} / 3")
math(EXPR sixth "${DIFFERENTIAL_SECONDS} / 6")
math(EXPR limit "${third} + 900")
set(run test/differential/run)
uv_step(differential differential 600 NORMAL gcc
        COMMAND ${run} --lib @build@ --seeds 100)
uv_step(differential-new differential ${limit} FULL gcc
        COMMAND ${run} --lib @build@ --seconds ${third})
foreach(version 1.50.0 1.44.2)
  uv_step(differential-${version} differential ${limit} FULL gcc
          COMMAND ${run} --lib @build@ --against ${version} --seconds ${sixth})
endforeach()
# As Windows programs under Wine, against libuv 1.50.0 built with mingw-w64.
uv_step(differential differential 2400 FULL windows
        COMMAND ${run} --target windows --lib @build@ --seeds 100)
# The same programs on the real pollers and clock, with a sanitizer.
uv_step(differential-fuzz fuzz ${limit} FULL asan tsan
        COMMAND ${run} --fuzz @preset@ --seconds ${sixth})

# Fuzzers: their corpora in every check.
uv_step(fuzz fuzz 600 NORMAL tree PACKAGES clang libclang-rt-dev
        COMMAND test/fuzz/run --seconds 0)
math(EXPR limit "${FUZZ_SECONDS} * 13 + 600")
uv_step(fuzz-new fuzz ${limit} FULL tree PACKAGES clang libclang-rt-dev
        COMMAND test/fuzz/run --seconds ${FUZZ_SECONDS})

uv_step(fault fault 1800 FULL tree COMMAND test/fault/run --seconds 1500)
uv_step(fault-poll fault 1800 FULL tree
        COMMAND UV_POLLER=poll test/fault/run --seconds 1500)
uv_step(fault-asan fault 1800 FULL tree
        COMMAND test/fault/run --sanitize --seconds 1500)
uv_step(coverage coverage 7200 FULL tree
        COMMAND bash -c "test/coverage/build && test/coverage/run")
uv_step(model model 3600 FULL tree PACKAGES spin
        COMMAND test/model/run --seconds 300)
math(EXPR limit "${SOAK_SECONDS} * 2 + 600")
uv_step(soak soak ${limit} FULL tree
        COMMAND test/soak/run --seconds ${SOAK_SECONDS} --connections 10000)

# Other systems and C libraries, built by zig: minutes with an empty cache.
uv_step(build cross 1200 FULL zigmusl PACKAGES npm
        COMMAND UV_CROSS_SUITES= test/cross/build x86_64-linux-musl @build@)
uv_step(build cross 1200 FULL glibc217 PACKAGES npm
        COMMAND UV_CROSS_SUITES= test/cross/build x86_64-linux-gnu.2.17 @build@)
foreach(target x86_64-freebsd x86_64-netbsd x86_64-openbsd x86_64-macos
        aarch64-macos)
  uv_step(build-${target} cross 1200 FULL tree PACKAGES npm
          COMMAND test/cross/build ${target})
endforeach()
uv_step(build-aarch64-windows-gnu cross 1800 FULL tree PACKAGES npm
        COMMAND test/cross/windows aarch64-windows-gnu)

# Real programs on our library; Debian's library runs what fails on ours. The
# quick ones take some minutes, most of them to fetch their packages.
set(clients PACKAGES mmdebstrap patch xz-utils
    COMMAND test/clients/run --suspects --lib @build@)
uv_step(clients clients 900 NORMAL gcc LIGHT
        ${clients} relink symbols cmake neovim luv)
foreach(client IN ITEMS uvloop,1800 uvloop23,900 bind,900 bind-loops,900
        kresd,900 rakudo,900
        httpuv,1200 netdata,600 luv-ocaml,1800 rfs,1800 raft,3600 dqlite,3600
        neovim07,3600 neovim10,3600 node-deps,3600 node18,7200 node20,7200
        node20-watch,1800 node24,7200 node-whole,18000)
  string(REPLACE "," ";" client ${client})
  list(GET client 0 name)
  list(GET client 1 limit)
  uv_step(client-${name} clients ${limit} FULL gcc ${clients} --full ${name})
endforeach()
