# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# luv: libuv's functions for Lua, one to one. Its own tests, each in a process
# of its own, so that a crash is one test's.
about="luv's own tests"
release=trixie
package=lua-luv
packages="lua5.1 netbase"
sources=lua-luv
program=lua5.1

prepare() {
  tar -C "$1" -xf "$source_lua_luv"/*.orig.tar.* --strip-components=1 \
    --wildcards '*/tests/*' '*/lib/*.lua' '*/README.md'
  # One test reads the priority of a thread that may have ended by then; if
  # it has, luv itself crashes while it reports the error, with any libuv.
  # luv's tests can require a version of libuv, so this one does.
  perl -0 -pi -e \
    's/(getpriority, setpriority.*?end, ")1\.48\.0"/${1}99.0.0"/s' \
    "$1/tests/test-thread.lua" || return
  grep -q '"99.0.0"' "$1/tests/test-thread.lua" || return
  # Their runner, for one test; without a name it lists them.
  cat > "$1/one.lua" <<'END'
local tap = require("lib/tap")
local files, want = arg[1], arg[2]
local real = tap
local names = {}
package.loaded["lib/tap"] = function(suite)
  if type(suite) ~= "function" then return end
  suite(function(name, fn, version)
    names[#names + 1] = "test " .. name
    if name == want then
      real(false)
      real(function(test) test(name, fn, version) end)
    end
  end)
end
require("tests/test-" .. files)
if want then real(true) else print(table.concat(names, "\n")) end
END
}

workload() {
  cd /data || return
  local file name id out
  for file in tests/test-*.lua; do
    file=${file#tests/test-}
    file=${file%.lua}
    while IFS= read -r name; do
      [[ $name == test\ * ]] || continue
      name=${name#test }
      id="$file:${name// /_}"
      [ $# -eq 0 ] || [[ " $* " == *" $id "* ]] || continue
      out=$(timeout 20 lua5.1 one.lua "$file" "$name" 2>&1)
      case $?:$out in
      0:*'# skip'*) skip "$id" "$(sed -n 's/.*# skip //p' <<< "$out")" ;;
      0:*) ok "$id" ;;
      *) bad "$id" "$out" ;;
      esac
    done < <(timeout 20 lua5.1 one.lua "$file")
  done
  # As its authors run it: all in one process.
  if out=$(timeout 60 lua5.1 tests/run.lua 2>&1); then
    ok all-in-one-process
  else
    bad all-in-one-process "$(grep -E '^(not ok|#)' <<< "$out")"
  fi
}
