# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# raft: consensus with its own disk and network layer on libuv. The tests of
# that layer.
# shellcheck source=test/clients/munit.bash
. "$here/munit.bash"
about="raft's own tests of its disk and network layer"
release=trixie
package=libraft0
packages="gcc libc6-dev make autoconf automake libtool pkgconf libuv1-dev
  liblz4-dev"
sources=raft
program=uv
limit=900
modes=full

prepare() {
  build "$source_raft" "$1" test/unit/uv test/integration/uv
}

workload() {
  local program
  munit_room || return
  for program in test/unit/uv test/integration/uv; do
    munit $program "$@"
  done
  rm -rf /out/disk
}
