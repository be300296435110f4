# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shellcheck source=test/clients/node.bash
. "$here/node.bash"
about="Node 20 and its own test suite, the part that has to do with libuv"
release=trixie
limit=900
limit_full=5400
modes=full
