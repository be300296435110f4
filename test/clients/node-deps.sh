# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# This tree as Node's deps/uv: Node's own configure reads uv.gyp, its make
# builds libuv, uvwasi and node_js2c, and node_js2c, a program that links
# deps/uv statically, turns lib/ into C++. On stock the same with Debian's
# shared libuv; what node_js2c writes must be the same.
about="this tree as deps/uv of Node 20's source: configure, build, run"
release=trixie
package=libnode115
packages="g++ make python3 pkg-config libuv1-dev libssl-dev zlib1g-dev
  libc-ares-dev libnghttp2-dev libbrotli-dev libicu-dev libsimdjson-dev
  libngtcp2-dev libnghttp3-dev gyp"
sources=nodejs
modes=full
limit=3600
program=

prepare() {
  local patch
  # deps/uv stays in the archive.
  tar -C "$1" -xf "$source_nodejs"/nodejs_*dfsg.orig.tar.xz \
    --strip-components=1 --exclude='*/deps/uv' --exclude='*/deps/v8/test' &&
    tar -C "$1" -xf "$source_nodejs"/nodejs_*.debian.tar.xz &&
    mkdir -p "$1/deps/ada" || return
  tar -C "$1/deps/ada" -xf "$source_nodejs"/nodejs_*.orig-ada.tar.xz \
    --strip-components=1 2>/dev/null
  while read -r patch; do
    case $patch in '' | \#*) continue ;; esac
    patch -d "$1" -p1 -f -s -r - < "$1/debian/patches/$patch" > /dev/null
  done < "$1/debian/patches/series"
  find "$1" -name '*.orig' -delete
  chown -R 1000:1000 "$1"
  [ -f "$1/node.gyp" ] && [ ! -e "$1/deps/uv" ]
}

# As debian/rules has it, but for libuv.
configure() {
  ./configure --without-npm --without-corepack --shared-zlib --shared-cares \
    --shared-ngtcp2 --shared-nghttp3 --shared-nghttp2 --shared-brotli \
    --shared-simdjson --shared-openssl --with-intl=system-icu "$@"
}

workload() {
  cd /data || return
  local libuv=() target
  if stock; then
    libuv=(--shared-libuv)
  else
    mkdir -p deps/uv
    tar -C /tree -cf - --exclude=./build --exclude='./.git*' . |
      tar -C deps/uv -xf -
  fi
  check configure configure "${libuv[@]}"
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
