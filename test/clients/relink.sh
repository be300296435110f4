# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# relink.c, compiled with the headers of Debian's libuv1-dev 1.44.2: run as it
# was linked then, linked again with another libuv.so, and with its libuv.a.
about="a program built for libuv 1.44.2: run, relinked, relinked statically"
package=libuv1-dev
packages="gcc libc6-dev"
program="as-built relinked"

parts="watchers threads tcp pipe udp files watched-files pool process signal
  poll tty machine loop"
libs="-lpthread -ldl -lrt -lm"

# Compiled and linked once, with what Debian has.
prepare() {
  local work
  work=$(mktemp -d "$ROOT/var/tmp/relink.XXXXXX") &&
    cp "$here/relink.c" "$work/" &&
    chroot "$ROOT" sh -c 'cd "$1" &&
      gcc -std=gnu99 -O2 -Wall -c relink.c &&
      gcc -o as-built relink.o -luv' relink "${work#"$ROOT"}" &&
    cp "$work/relink.o" "$work/as-built" "$1/"
  local status=$?
  rm -rf "$work"
  return $status
}

parts_of() { # NAME: every part of the program in /data/NAME
  local part
  (cd /tmp && rm -f relink.* && timeout 30 "/data/$1") > /tmp/said 2>&1
  for part in $parts; do
    if grep -qx "ok $part" /tmp/said; then
      ok "$1:$part"
    else
      bad "$1:$part" "$(tail -n 1 /tmp/said)"
    fi
  done
}

workload() {
  cd /data || return
  parts_of as-built
  check relink gcc -o relinked relink.o -luv && parts_of relinked
  local archive=/usr/lib/x86_64-linux-gnu/libuv_a.a
  stock || archive=/blacklight/libuv.a
  if [ ! -f "$archive" ]; then
    skip static "there is no libuv.a next to the library"
    return
  fi
  check relink-static gcc -o static relink.o "$archive" $libs &&
    parts_of static
  check static-needs-no-libuv sh -c '! ldd static | grep libuv'
}
