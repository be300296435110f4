# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Every package of two Debian releases that depends on libuv: are the symbols
# its files take from libuv.so.1 exported?
about="symbols that Debian's packages need, bookworm and trixie"
package=libuv1
packages=binutils

# needed ROOT LIBRARY RELEASE: "RELEASE/PACKAGE SYMBOL" lines.
needed() {
  local root=$1 work deb file package
  work=$(mktemp -d "$root/var/tmp/symbols.XXXXXX") || return
  chroot "$root" sh -c 'cd "$1" && apt-get -q download $(
      apt-cache rdepends "$2" | sed -n "s/^  //p" | sort -u |
      grep -v -- -dev)' download "${work#"$root"}" "$2" >&2 || return
  for deb in "$work"/*.deb; do
    package=${deb##*/}
    package=${package%%_*}
    mkdir "$work/x" && dpkg-deb --fsys-tarfile "$deb" |
      tar -C "$work/x" --exclude=./usr/share -xf - || return
    grep -rlF libuv.so.1 "$work/x" | while IFS= read -r file; do
      readelf -dW "$file" 2>/dev/null | grep -q 'NEEDED.*\[libuv.so.1\]' ||
        continue
      readelf --dyn-syms -W "$file" |
        awk '$5 != "WEAK" && $7 == "UND" && $8 ~ /^uv_/ {
               sub(/@.*/, "", $8); print $8 }'
    done | sort -u | sed "s|^|$3/$package |"
    rm -rf "$work/x" "$deb"
  done
  rm -rf "$work"
}

# (In the data: libnode115 has a weak reference to a function of Node's libuv.)
prepare() {
  local trixie bookworm
  trixie=$("$here/debian" root trixie libuv1t64) || return
  needed "$ROOT" libuv1 bookworm > "$1/bookworm" &
  bookworm=$!
  needed "$trixie" libuv1t64 trixie > "$1/trixie" && wait $bookworm &&
    cat "$1/bookworm" "$1/trixie" > "$1/needed"
}

workload() {
  local package missing
  readelf --dyn-syms -W /usr/lib/x86_64-linux-gnu/libuv.so.1 |
    awk '$7 != "UND" && $5 == "GLOBAL" { print $8 }' | sort -u > /tmp/have
  wc -l /tmp/have
  cut -d ' ' -f 1 /data/needed | sort -u | while read -r package; do
    missing=$(awk -v p="$package" '$1 == p { print $2 }' /data/needed |
      sort -u | comm -23 - /tmp/have)
    # What trixie's packages need may be newer than bookworm's own libuv.
    if [ -z "$missing" ]; then
      ok "$package"
    else
      bad "$package" "$missing"
    fi
  done
}
