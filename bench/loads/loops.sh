#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
#   bench/loads/loops.sh BUILD [ROUNDS [SECONDS]]
#
# An HTTP server on 1 and 2 loops under wrk with 64 connections: managed loops
# (examples/loops-http.c) and the same server by hand with UV_TCP_REUSEPORT, on
# the library of BUILD and on libuv 1.53.0, and Node's cluster where there is a
# node. They take turns, ROUNDS times (5) for SECONDS (3) each. Prints the
# median of requests per second, and of processor time per request: the time of
# the servers alone, from /proc. Needs wrk, and an otherwise idle machine.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
rounds=${2:-5}
seconds=${3:-3}
work=$(mktemp -d)
server=

finish() {
  [ -z "$server" ] || kill -KILL "$server" 2>/dev/null
  rm -rf "$work"
}
trap finish EXIT

compile() { # NAME INCLUDE LIBRARY SOURCE
  ${CC:-gcc} -O2 -I"$2" -o "$work/$1" "$4" "$3" -lpthread -ldl -lrt
}
compile managed "$top/include" "$build/libuv.a" "$top/examples/loops-http.c"
compile hand "$top/include" "$build/libuv.a" "$here/loops-hand.c"
contenders="managed hand"
if oracle=$("$top/test/conformance/oracle"); then
  compile hand-1.53.0 "$oracle/include" "$oracle/libuv.a" "$here/loops-hand.c"
  contenders="$contenders hand-1.53.0"
fi
! command -v node >/dev/null || contenders="$contenders cluster"

command_of() { # NAME LOOPS
  case $1 in
  managed) echo "$work/managed" 0 "$2" ;;
  cluster) echo node "$here/loops-cluster.js" "$2" ;;
  *) echo "$work/$1" "$2" ;;
  esac
}

# Clock ticks of the server and its children.
ticks() {
  local pid
  for pid in $server $(pgrep -P "$server"); do
    sed 's/.*) //' "/proc/$pid/stat"
  done | awk '{ sum += $12 + $13 } END { print sum }'
}

measure() { # NAME LOOPS: appends "requests-per-second us-per-request"
  : >"$work/out"
  # shellcheck disable=SC2046
  $(command_of "$1" "$2") >"$work/out" &
  server=$!
  until grep -q '^port' "$work/out"; do
    sleep 0.05
  done
  local url before after
  url=http://127.0.0.1:$(sed -n 's/^port //p' "$work/out")/
  wrk -t 1 -c 64 -d 1s "$url" >/dev/null # warm
  before=$(ticks)
  wrk -t 1 -c 64 -d "${seconds}s" "$url" >"$work/wrk"
  after=$(ticks)
  kill -TERM "$server"
  wait "$server" 2>/dev/null || true
  server=
  ! grep -i errors "$work/wrk" || exit 1
  awk -v ticks=$((after - before)) -v hz="$(getconf CLK_TCK)" '
    /requests in/ { n = $1 }
    /^Requests\/sec/ { rate = $2 }
    END { printf "%.0f %.3f\n", rate, ticks / hz / n * 1e6 }
  ' "$work/wrk" >>"$work/$1-$2"
}

median() { # FILE FIELD
  awk -v f="$2" '{ print $f }' "$1" | sort -n |
    awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

for ((round = 0; round < rounds; round++)); do
  for loops in 1 2; do
    for name in $contenders; do
      measure "$name" $loops
    done
  done
done
uptime | sed 's/.*load/load/'
printf '%-6s %-12s %12s %14s\n' loops server requests/s us/request
for loops in 1 2; do
  for name in $contenders; do
    printf '%-6s %-12s %12s %14s\n' $loops "$name" \
      "$(median "$work/$name-$loops" 1)" "$(median "$work/$name-$loops" 2)"
  done
done
