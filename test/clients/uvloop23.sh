# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# uvloop 0.23 on the Python of Debian's testing release, whose stock libuv is
# 1.53.0: the libuv internals it relies on (uvloop_private.py).
about="uvloop 0.23 and the libuv internals it relies on"
release=forky
package=python3-uvloop
program="python3.*"
limit=300
modes=full

workload() {
  cd /tmp || return
  export PYTHONPATH=/clients PYTHONDONTWRITEBYTECODE=1
  timeout 200 python3 /clients/uvloop-unittest.py /out/results uvloop_private ||
    bad uvloop_private "status $?"
}
