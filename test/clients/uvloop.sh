# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# uvloop: Python's asyncio on libuv. Its own tests, where Debian's archive
# hands out its source package; the tests of asyncio that Python comes with, on
# uvloop's loops (uvloop-unittest.py); and the libuv internals it
# relies on (uvloop_private.py).
about="uvloop's own tests, and asyncio's tests on uvloop"
package=python3-uvloop
packages="libpython3.11-testsuite python3-openssl python3-psutil
  python3-aiohttp python3-pytest openssl"
program="python3.*"
limit=1500

# Of test.test_asyncio, those that use a real loop.
asyncio="test_buffered_proto test_context test_events test_pep492 test_runners
  test_sendfile test_server test_sock_lowlevel test_ssl test_streams
  test_subprocess test_taskgroups test_threads test_timeouts test_waitfor"

prepare() {
  local source
  mkdir "$1/tests"
  if source=$("$here/debian" source "$release" uvloop); then
    # Only the tests: nothing of any vendored libuv.
    tar -C "$1" -xf "$source"/uvloop_*.orig.tar.* --strip-components=1 \
      --wildcards '*/tests/*'
  else
    touch "$1/again"
  fi
  chown -R 1000:1000 "$1"
}

# A module has five minutes, a test in it thirty seconds.
workload() {
  local module modules=()
  cd /data || return
  export PYTHONPATH=/clients PYTHONDONTWRITEBYTECODE=1
  # A second look takes only the tests that failed: a module takes minutes.
  if [ $# -gt 0 ]; then
    timeout 300 python3 /clients/uvloop-unittest.py /out/results "$@"
    return
  fi
  if [ -e again ]; then
    skip own-tests "Debian's archive does not hand out the source package here"
  fi
  modules=(uvloop_private)
  for module in $asyncio; do modules+=("test.test_asyncio.$module"); done
  for module in tests/test_*.py; do
    [ ! -f "$module" ] || modules+=("tests.$(basename "$module" .py)")
  done
  # Repeating failures repeats the modules of the failed tests.
  for module in "${modules[@]}"; do
    [ $# -eq 0 ] || [[ " $*" == *" $module."* ]] || continue
    timeout 300 python3 /clients/uvloop-unittest.py /out/results "$module" ||
      echo "--- $module ends with status $?"
  done
  check version python3 -c 'import uvloop; print(uvloop.__version__)'
}
