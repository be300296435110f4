# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# BIND's tests of its own loop manager (loop_test, async_test, job_test), with
# uvx_loops_* in its place: bind-loops.c.
about="BIND's tests of its loop manager, on uvx_loops_*"
release=trixie
package=bind9-libs
packages="gcc libc6-dev libcmocka-dev liburcu-dev libuv1-dev"
sources=bind9
program="job"
modes=full

# The tests include "loop.c" and "async.c"; both are ours.
prepare() {
  tar -C "$1" -xf "$source_bind9"/bind9_*.orig.tar.xz --strip-components=1 \
    --wildcards '*/lib/*/include' '*/tests/include' '*/tests/libtest/isc.c' \
    '*/tests/isc/*_test.c' &&
    mkdir "$1/shim" && cp "$here/bind-loops.c" "$1/shim/loop.c" &&
    echo '#include "loop.c"' > "$1/shim/async.c" &&
    cp -r "$here/../../include" "$1/uv"
}

compile() { # TEST
  local shim=
  [ "$1" != job ] || shim=shim/loop.c
  gcc -std=gnu17 -w -O1 -D_GNU_SOURCE -DRCU_MEMBARRIER -DTESTS_DIR='"."' \
    -Ishim -Iuv -Itests/include $(printf -- '-I%s ' lib/*/include) \
    "tests/isc/$1_test.c" tests/libtest/isc.c $shim -o "$1" -luv \
    -l:"$(basename /usr/lib/*/libisc-9.*.so)" -lcmocka -lurcu-memb -lurcu-cds
}

workload() {
  local test name
  cd /data || return
  if stock; then
    skip all "libuv has no uvx_loops_*"
    return
  fi
  for test in loop async job; do
    check "compile-$test" compile $test || continue
    timeout 60 ./$test > /tmp/said 2>&1
    cat /tmp/said
    while read -r name; do
      if grep -q "^\[       OK \] $name\$" /tmp/said; then
        ok "$name"
      else
        bad "$name" "see above"
      fi
    done < <(sed -n 's/^\[ RUN      \] //p' /tmp/said)
  done
}
