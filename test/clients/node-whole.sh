# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# All of Node 20 with this tree as deps/uv: Debian's source, configured for
# Debian's libraries, built and put through Node's own tests. On stock the same
# tests run on Debian's node. Hours on two processors: the build is kept in the
# cache (node-whole/) and goes on where it was interrupted; a later run
# compiles only what changed in this tree.
# shellcheck source=test/clients/node.bash
. "$here/node.bash"
# shellcheck source=test/clients/node-source.bash
. "$here/node-source.bash"
about="Node 20 built with this tree as deps/uv, and its own test suite"
package=nodejs
packages="$packages ninja-build openssl procps node-undici node-minimatch
  node-acorn node-cjs-module-lexer"
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
  for each in $builtins; do
    options+=("--shared-builtin-${each%%=*}-path=/usr/share/nodejs/${each#*=}")
  done
  if [ ! -f out/Release/build.ninja ] || [ deps/uv/uv.gyp -nt config.gypi ] ||
    [ common.gypi -nt config.gypi ]; then
    configure_node --ninja --without-node-snapshot --without-node-code-cache \
      "${options[@]}" || return
  fi
  ninja_node libuv && "$here/node-syntax.py" out/Release && ninja_node node
}

# optimise DIR: with NODE_OPTIMIZE, -O1 by default, because V8 is large. V8 has
# a level of its own, which comes later on its command lines.
optimise() {
  local file
  for file in "$1/common.gypi" "$1/tools/v8_gypfiles/toolchain.gypi"; do
    sed "s/'cflags': \[ *'-O[0-3]' *\]/'cflags': ['${NODE_OPTIMIZE:--O1}']/" \
      "$file" > "$file.new" || return
    if cmp -s "$file" "$file.new"; then
      rm "$file.new"
    else
      mv "$file.new" "$file"
    fi
  done
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
    rm -rf "$work" && mkdir -p "$work" && unpack_node "$work" || return
    : > "$work/.unpacked"
  fi
  optimise "$work" || return
  copy_tree "$TOP" "$work/deps/uv" && chown -R 1000:1000 "$work" || return
  inside_debian "$work" /bin/bash -c 'cd /mnt && /srv/step build node-whole' ||
    return
  mkdir -p "$1/out" && cp "$work/out/Release/node" "$1/node-whole" &&
    cp -r "$work"/{test,tools,lib,benchmark,doc,config.gypi} "$1" &&
    chown -R 1000:1000 "$1" || return
  : > "$1/again" # the tree may have changed by then
}

workload() {
  cd /data || return
  if stock; then
    node=/usr/bin/node
  else
    node=/data/node-whole
  fi
  node_tests "$node" "$@"
}
