# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shellcheck source=test/clients/node.bash
. "$here/node.bash"
about="Node 24 and its own test suite, the part that has to do with libuv"
release=forky
limit=1200
limit_full=5400
modes=full
