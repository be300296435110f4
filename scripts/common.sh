# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Shared by ./check and ./try: what the machine needs, and the autotools build.
# Sourced by bash with the working directory at the top of the tree.

# need_packages PACKAGE...: installs what is missing, or says what to install.
need_packages() {
  local missing=() package
  command -v dpkg-query >/dev/null || return 0 # not Debian: trust the caller
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
      grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
    echo "Please install: ${missing[*]}" >&2
    return 1
  fi
  echo "installing: ${missing[*]}" >&2
  mkdir -p build/logs
  apt_install "${missing[@]}" >>build/logs/apt.log 2>&1 || {
    tail -n 20 build/logs/apt.log >&2
    echo "apt-get could not install: ${missing[*]}" >&2
    return 1
  }
}

# The package lists of a fresh machine may be missing or old, so they are
# fetched when the first attempt fails.
apt_install() {
  local run=(apt-get -y --no-install-recommends install)
  export DEBIAN_FRONTEND=noninteractive
  "${run[@]}" "$@" </dev/null && return 0
  apt-get update </dev/null && "${run[@]}" "$@" </dev/null
}

# make_configure: ./configure, if it is missing or older than its sources.
make_configure() {
  local input
  for input in configure.ac Makefile.am src/sources.mk test/sources.mk \
               include/uv/version.h m4/uv-*.m4; do
    if [ ! -f Makefile.in ] || [ "$input" -nt configure ] ||
       [ "$input" -nt Makefile.in ]; then
      ./autogen.sh || return
      touch configure Makefile.in
      return 0
    fi
  done
}

# build_in DIR CONFIGURE-ARGUMENT...: configures once per set of arguments,
# then makes the library and, with UV_BUILD_CHECK=1, the tests; with
# UV_BUILD_STATIC=1 these are static programs.
build_in() {
  local dir=$1 top=$PWD
  shift
  make_configure || return
  mkdir -p "$dir" || return
  if [ "$(cat "$dir/.arguments" 2>/dev/null)" != "$*" ] ||
     [ configure -nt "$dir/config.status" ]; then
    rm -rf "$dir" && mkdir -p "$dir" || return
    (cd "$dir" && "$top/configure" "$@") || return
    echo "$*" >"$dir/.arguments"
  fi
  make -C "$dir" -j"$(nproc)" || return
  if [ "${UV_BUILD_CHECK:-0}" = 1 ]; then
    local how=()
    [ "${UV_BUILD_STATIC:-0}" = 0 ] ||
      how=(LDFLAGS=-all-static CPPFLAGS=-DTEST_STATIC=1)
    make -C "$dir" -j"$(nproc)" "${how[@]}" check-programs || return
  fi
}
