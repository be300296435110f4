# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What node18.sh, node20.sh, node24.sh and node-whole.sh share: Node's own
# tests, from Debian's source package, run by Node's own runner.
package=nodejs
packages="python3 openssl procps"
sources=nodejs
user=client
program=node

# The part of the suite that has to do with libuv. (Not stream, which is
# JavaScript alone, and not http2, whose sockets are those of net and https.)
areas="child-process cluster dgram dns event-loop fs http https net os \
pipe process signal stdin stdio stdout timers tty uv worker"
others="pseudo-tty/.*" # also, when all are run
node_args=()           # for each test

# Only what the tests read, never deps/uv; Debian's patches to it.
prepare() {
  local patch
  tar -C "$1" -xf "$source_nodejs"/nodejs_*.orig.tar.xz --strip-components=1 \
    --exclude='*/deps' --exclude='*/src' &&
    tar -C "$1" -xf "$source_nodejs"/nodejs_*.debian.tar.xz || return
  while read -r patch; do
    case $patch in '' | \#*) continue ;; esac
    # Hunks for what was left out fail; that is no matter.
    patch -d "$1" -p1 -f -s -r - < "$1/debian/patches/$patch" > /dev/null
  done < "$1/debian/patches/series"
  find "$1" -name '*.orig' -delete
  chown -R 1000:1000 "$1"
  [ -f "$1/tools/test.py" ]
}

# node_tests NODE [TEST...]: on this program.
node_tests() {
  local node=$1
  shift
  # A name is a regular expression to the runner; it is slow with many.
  local tests="(parallel|sequential)/test-(${areas// /|})(-.*)?" part=
  tests=${tests//[$'\n ']/}
  local word number rest name good
  if [ $# -gt 0 ]; then
    tests=$(printf '|%s' "${@##*/}")
    tests="(parallel|sequential|pseudo-tty)/(${tests#|})"
  elif [ "$MODE" = quick ]; then
    part=--run=0,5 # every fifth
  else
    tests="$tests $others"
  fi
  check version-of-libuv "$node" -e '
    const stock = process.argv[1] === "stock";
    const uv = process.versions.uv.split(".").map(Number);
    process.exit(stock || uv[1] === 53 ? 0 : 1)' "$LIB"
  # Where Debian's patch to the runner looks for it.
  ln -sf "$node" node
  mkdir -p /tmp/t
  # Its lines: "ok N NAME", "not ok N NAME", either followed by "# skip WHY".
  python3 -u tools/test.py --shell="$node" -p tap -j 2 -t 60 \
    --temp-dir=/tmp/t "${node_args[@]/#/--node-args=}" $part $tests | tee /out/tap |
    while read -r word rest; do
      case $word in
      ok) good=ok ;;
      not) good=bad rest=${rest#ok } ;;
      *) continue ;;
      esac
      read -r number name rest <<< "$rest"
      case "$rest" in
      *'# skip'* | *'# SKIP'*) skip "$name" "${rest#*# [sS][kK][iI][pP]}" ;;
      *) if [ $good = ok ]; then ok "$name"; else bad "$name"; fi ;;
      esac
    done
  return 0
}

workload() {
  cd /data && node_tests /usr/bin/node "$@"
}
