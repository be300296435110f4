# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What node-deps.sh and node-whole.sh share: Debian's source of Node 20, ready
# to be configured with this tree as deps/uv.
release=trixie
packages="g++ make python3 pkg-config libuv1-dev libssl-dev zlib1g-dev
  libc-ares-dev libnghttp2-dev libbrotli-dev libicu-dev libsimdjson-dev
  libngtcp2-dev libnghttp3-dev gyp"
sources=nodejs

# unpack_node DIR: the source with Debian's patches. deps/uv stays in the
# archive.
unpack_node() {
  local patch
  tar -C "$1" -xf "$source_nodejs"/nodejs_*dfsg.orig.tar.xz \
    --strip-components=1 --exclude='*/deps/uv' &&
    tar -C "$1" -xf "$source_nodejs"/nodejs_*.debian.tar.xz &&
    mkdir -p "$1/ada" &&
    tar -C "$1/ada" -xf "$source_nodejs"/nodejs_*.orig-ada.tar.xz \
      --strip-components=1 || return
  while read -r patch; do
    case $patch in '' | \#*) continue ;; esac
    patch -d "$1" -p1 -f -s -r - < "$1/debian/patches/$patch" > /dev/null
  done < "$1/debian/patches/series"
  find "$1" -name '*.orig' -delete
  # Debian's rules make this one, too.
  mkdir -p "$1/deps/openssl" && : > "$1/deps/openssl/nodejs-openssl.cnf"
  [ -f "$1/node.gyp" ] && [ ! -e "$1/deps/uv" ]
}

# unpack_own_uv DIR: Node's own deps/uv, to be compiled and not to be read.
unpack_own_uv() {
  rm -rf "$1/deps/uv" &&
    tar -C "$1" -xf "$source_nodejs"/nodejs_*dfsg.orig.tar.xz \
      --strip-components=1 --wildcards '*/deps/uv' &&
    [ -f "$1/deps/uv/uv.gyp" ]
}

# copy_tree TREE DIR: this tree, as deps/uv wants it. Files keep their times,
# so a second copy does not build everything again.
copy_tree() {
  rm -rf "$2" && mkdir -p "$2" || return
  tar -C "$1" -cf - --exclude=./build --exclude='./.git*' . |
    tar -C "$2" --no-same-owner -xf -
}

# configure_node OPTION...: as debian/rules has it, but for libuv.
configure_node() {
  ./configure --without-npm --without-corepack --shared-zlib --shared-cares \
    --shared-ngtcp2 --shared-nghttp3 --shared-nghttp2 --shared-brotli \
    --shared-simdjson --shared-openssl --with-intl=system-icu "$@"
}
