# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What neovim07.sh and neovim10.sh share: Neovim's own functional tests, from
# Debian's source package, on Debian's nvim.
package=neovim
sources=neovim
program=nvim
limit=1500
modes=full
packages="gcc libc6-dev libuv1-dev lua-busted lua-filesystem lua-inspect
  lua-luv lua-mpack lua-lpeg lua5.1 lua-coxpcall locales less tzdata"

# Files of tests that have to do with libuv.
specs="api/proc api/server_notifications api/server_requests core/channels
  core/exit core/fileio core/job core/main core/remote core/startup
  ex_cmds/swapfile_preserve_recover ex_cmds/write lua/loop lua/thread
  terminal/channel vimscript/server vimscript/system vimscript/timer
  vimscript/wait vimscript/writefile"

prepare() {
  local patch
  tar -C "$1" -xf "$source_neovim"/*.orig.tar.xz --strip-components=1 \
    --wildcards '*/test/*' '*/runtime/*' '*/README.md' '*/CMake*' &&
    tar -C "$1" -xf "$source_neovim"/*.debian.tar.xz || return
  while read -r patch; do
    case $patch in '' | \#*) continue ;; esac
    # Hunks for files that were left out fail; that does not matter.
    patch -d "$1" -p1 -f -s -r - < "$1/debian/patches/$patch" > /dev/null
  done < "$1/debian/patches/series"
  find "$1" -name '*.orig' -delete
  # Their fixtures, next to a copy of nvim, where the tests expect them.
  local work name status
  work=$(mktemp -d "$ROOT/var/tmp/neovim.XXXXXX") &&
    cp "$1"/test/functional/fixtures/*.c "$work/" &&
    chroot "$ROOT" sh -c 'cd "$1" && for name in tty shell printargs printenv \
      streams; do gcc -w -o $name-test $name-test.c -luv || exit; done &&
      cp shell-test pwsh-test &&
      localedef -f UTF-8 -i en_US ./en_US.UTF-8' build "${work#"$ROOT"}" &&
    mkdir -p "$1"/build/{bin,build,test} "$1/locale" &&
    cp "$work"/*-test "$ROOT/usr/bin/nvim" "$1/build/bin/" &&
    cp -r "$work/en_US.UTF-8" "$1/locale/" &&
    for name in config cmakeconfig; do
      [ ! -f "$1/test/$name/paths.lua.in" ] || {
        mkdir "$1/build/test/$name" &&
          sed -e 's|\${CMAKE_BINARY_DIR}|/data/build|' \
            -e 's|\${CMAKE_SOURCE_DIR}|/data|' \
            -e 's|\${LUA_PRG}|/usr/bin/lua5.1|' -e 's|\${[A-Z_]*}||' \
            "$1/test/$name/paths.lua.in" > "$1/build/test/$name/paths.lua"; }
    done
  status=$?
  rm -rf "$work"
  chown -R 1000:1000 "$1"
  return $status
}

# As Neovim's cmake/RunTests.cmake has it.
environment() {
  mkdir -p /tmp/home /tmp/run /tmp/xdg/config /tmp/xdg/share /tmp/xdg/state \
    /tmp/t
  chmod 700 /tmp/run
  export HOME=/tmp/home XDG_RUNTIME_DIR=/tmp/run
  export XDG_CONFIG_HOME=/tmp/xdg/config XDG_DATA_HOME=/tmp/xdg/share
  export XDG_STATE_HOME=/tmp/xdg/state TMPDIR=/tmp/t HISTFILE=/dev/null
  export LOCPATH=/data/locale LC_ALL=en_US.UTF-8 SYSTEM_NAME=Linux
  export VIMRUNTIME=/usr/share/nvim/runtime SHELL=/bin/bash
  export NVIM_PRG=/data/build/bin/nvim NVIM_LOG_FILE=/tmp/nvimlog
  export NVIM_RPLUGIN_MANIFEST=/tmp/rplugin TEST_SKIP_FRAGILE=1 TEST_COLORS=0
}

# spec NAME: one file of tests. Its lines: "ok N - NAME", "not ok N - NAME",
# "ok N - # SKIP NAME", each followed by "# ..." about it.
spec() {
  "${busted[@]}" -v -o test.busted.outputHandlers.TAP --lazy \
    --helper=test/functional/preload.lua --lpath=/data/build/?.lua \
    --lpath=/data/runtime/lua/?.lua --lpath=?.lua \
    "test/functional/$1_spec.lua" > /tmp/spec.out 2>&1
  local status=$?
  sed -n -E -e 's/^ok [0-9]+ - # SKIP (.*)/skip \1/p' \
    -e '/# SKIP/d' -e 's/^ok [0-9]+ - (.*)/ok \1/p' \
    -e 's/^not ok [0-9]+ - (.*)/bad \1/p' /tmp/spec.out |
    while read -r word name; do
      echo "$word $1:${name// /_}" >> /out/results
    done
  grep -q '^1\.\.[0-9]' /tmp/spec.out || bad "$1" "status $status"
  grep -v '^ok ' /tmp/spec.out
}

workload() {
  local name
  cd /data || return
  environment
  for name in $specs; do
    [ $# -eq 0 ] || [[ " $*" == *" $name:"* || " $* " == *" $name "* ]] ||
      continue
    spec "$name"
  done
}
