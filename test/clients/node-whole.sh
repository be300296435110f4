# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# All of Node 20 with this tree as deps/uv: Debian's source, configured for
# Debian's libraries, built and put through Node's own tests. Stock is the same
# Node with its own deps/uv. (Debian's node, with a shared libuv, would hide
# what only deps/uv has.) About 40 minutes on two processors the first time: the
# build is kept in the cache (node-whole/) and goes on where it was interrupted;
# a later run compiles only what changed in this tree.
# shellcheck source=test/clients/node.bash
. "$here/node.bash"
# shellcheck source=test/clients/node-source.bash
. "$here/node-source.bash"
about="Node 20 built with this tree as deps/uv, and its own test suite"
package=nodejs
packages="$packages ninja-build openssl procps node-undici node-minimatch
  node-acorn node-cjs-module-lexer clang lld ccache"
modes=full
limit=900
limit_full=5400
program=

# Modules that Debian keeps in packages of their own.
builtins="undici/undici=undici/undici-fetch.js
  acorn=acorn/dist/acorn.js acorn_walk=acorn-walk/dist/walk.js
  cjs_module_lexer/lexer=cjs-module-lexer/lexer.js
  cjs_module_lexer/dist/lexer=cjs-module-lexer/dist/lexer.js
  minimatch=minimatch/dist/cjs/index.bundle.js"

ninja_node() {
  ninja -C out/Release -j "${NODE_JOBS:-$(nproc)}" "$@"
}

# build_node: in the private Debian, as an ordinary user, in Node's source.
build_node() {
  local each options=()
  export CC="/srv/node-cxx clang" CXX="/srv/node-cxx clang++"
  export LDFLAGS=-fuse-ld=lld
  export CCACHE_DIR=/mnt/.ccache CCACHE_DEPEND=1 CCACHE_MAXSIZE=10G
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime
  for each in $builtins; do
    options+=("--shared-builtin-${each%%=*}-path=/usr/share/nodejs/${each#*=}")
  done
  if [ ! -f out/Release/build.ninja ] || [ deps/uv/uv.gyp -nt config.gypi ]
  then
    configure_node --ninja --without-node-snapshot --without-node-code-cache \
      "${options[@]}" || return
  fi
  ninja_node libuv || return
  # Soon, what would otherwise show after V8.
  [ ! -f deps/uv/scripts/list-sources ] ||
    "$here/node-syntax.py" out/Release || return
  ninja_node node
}

# build_with DIR PROGRAM: with what is in deps/uv.
build_with() {
  chown -R 1000:1000 "$1/deps/uv" && touch "$1/deps/uv/uv.gyp" &&
    inside_debian "$1" /bin/bash -c 'cd /mnt && /srv/step build node-whole' &&
    cp "$1/out/Release/node" "$2"
}

# inside_debian DIR COMMAND...: DIR is /mnt there.
inside_debian() {
  unshare -m -n --propagation private /bin/bash -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
    mount -t tmpfs -o mode=1777 tmpfs "$1/tmp" &&
    mount --bind "$2" "$1/mnt" &&
    mount --bind -o ro "$3" "$1/srv" || exit
    cd "$1"
    exec env -i PATH=/usr/sbin:/usr/bin:/bin HOME=/tmp LC_ALL=C.UTF-8 \
      NODE_JOBS="${NODE_JOBS:-}" \
      chroot --userspec=1000:1000 --groups= "$1" "${@:4}"' \
    inside "$ROOT" "$1" "$here" "${@:2}"
}

prepare() {
  local work=${ROOT%/*}/node-whole
  if [ ! -f "$work/.unpacked" ]; then
    rm -rf "$work" && mkdir -p "$work" && unpack_node "$work" &&
      chown -R 1000:1000 "$work" || return
    : > "$work/.unpacked"
  fi
  if [ ! -f "$work/.stock" ]; then
    unpack_own_uv "$work" && build_with "$work" "$work/.stock" || return
  fi
  copy_tree "$TOP" "$work/deps/uv" && build_with "$work" "$1/node-whole" ||
    return
  cp "$work/.stock" "$1/node-stock" && mkdir -p "$1/out" &&
    cp -r "$work"/{test,tools,lib,benchmark,doc,config.gypi} "$1" &&
    chown -R 1000:1000 "$1" || return
  : > "$1/again" # the tree may have changed by then
}

workload() {
  cd /data || return
  if stock; then
    node=/data/node-stock
  else
    node=/data/node-whole
  fi
  node_tests "$node" "$@"
}
