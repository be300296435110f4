# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# dqlite: SQLite replicated with raft, each node a uv loop on a thread of its
# own. Its own tests, and those of the raft it contains.
# shellcheck source=test/clients/munit.bash
. "$here/munit.bash"
about="dqlite's own tests, and those of its raft on libuv"
release=forky
package=libdqlite-dev
packages="gcc libc6-dev make autoconf automake libtool pkgconf libuv1-dev
  liblz4-dev libsqlite3-dev"
sources=dqlite
program="unit-test integration-test raft-uv-unit-test
  raft-uv-integration-test"
limit=900
modes=full
races=integration-test:membership/transferAndSqlExecWithBarrier

prepare() {
  build "$source_dqlite" "$1" $(echo $program)
}

workload() {
  local program
  munit_room || return
  for program in unit-test integration-test raft-uv-unit-test \
      raft-uv-integration-test; do
    munit "$program" "$@"
  done
  rm -rf /out/disk
}
