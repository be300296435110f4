# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# This tree as Node's deps/uv: Node's own configure reads uv.gyp, its make
# builds libuv, uvwasi and node_js2c, and node_js2c, a program that links
# deps/uv statically, turns lib/ into C++. On stock the same with Debian's
# shared libuv; what node_js2c writes must be the same.
# shellcheck source=test/clients/node-source.bash
. "$here/node-source.bash"
about="this tree as deps/uv of Node 20's source: configure, build, run"
package=libnode115
modes=full
limit=3600
program=

prepare() {
  unpack_node "$1" && chown -R 1000:1000 "$1"
}

workload() {
  cd /data || return
  local libuv=() target
  if stock; then
    libuv=(--shared-libuv)
  else
    copy_tree /tree deps/uv
  fi
  check configure configure_node "${libuv[@]}"
  for target in libuv uvwasi node_js2c; do
    if stock && [ $target = libuv ]; then
      ok libuv # is Debian's
      continue
    fi
    check $target make -C out BUILDTYPE=Release -j 2 $target
  done
  check js2c-runs sh -c 'cd /data && ./out/Release/node_js2c /tmp/js.cc \
    lib config.gypi && test -s /tmp/js.cc'
  # config.gypi says how libuv is linked; everything else is the same, so the
  # digest is part of the test's name: another one is a test that is missing.
  mkdir only && cp -r lib only/ && cd only && echo '{}' > config.gypi &&
    check js2c-repeated ../out/Release/node_js2c js.cc lib config.gypi
  check js2c-output grep -q internal/bootstrap js.cc
  ok "js2c-output-$(sha256sum < js.cc | cut -c 1-16)"
  cd ..
  stock || check linked-statically sh -c \
    '! ldd out/Release/node_js2c | grep -q libuv &&
     nm out/Release/node_js2c | grep -q " T uv_fs_scandir"'
}
