# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# named answering dnsperf from one zone, for MODE seconds. The zone and the
# configuration are those of the client bind. Run by end-to-end in a room of
# test/clients; the form is that of test/clients/step.

# shellcheck source=bench/loads/node.sh
. /tree/bench/loads/node.sh
# shellcheck source=test/clients/bind.sh
. "$here/bind.sh"
over=${over:-udp}

serve() {
  write_configuration && seq -f 'h%g.test A' 1 2000 > queries || return
  # One worker: the other processor is for dnsperf. It ends with the room.
  timeout $((${MODE%.*} + 30)) named -g -n 1 -c named.conf > named.log 2>&1 &
  for _ in $(seq 100); do
    server=$(pgrep -x named) && dig_ +short ns.test 2>/dev/null |
      grep -qx 127.0.0.1 && return
    sleep 0.05
  done
  tail named.log
  return 1
}

# Where there are two processors, named has one and dnsperf the other. Otherwise
# the kernel may place all threads on one, for seconds.
place() {
  elsewhere=()
  [ "$(nproc)" -ge 2 ] || return 0
  taskset -apc 0 "$server" > /dev/null && elsewhere=(taskset -c 1)
}

ask() { # SECONDS
  "${elsewhere[@]}" dnsperf -f inet -s 127.0.0.1 -p 5300 -m "$over" -c 8 -T 1 \
    -q 100 -l "$1" -t 5 -d queries
}

workload() {
  serve || return
  place || return
  ask 1 > /dev/null
  local before after
  before=$(cpu "$server")
  ask "$MODE" > /out/dnsperf || return
  after=$(cpu "$server")
  cat /out/dnsperf
  kill "$server"
  wait
  awk -v cpu="$(awk "BEGIN { print $after - $before }")" '
    /Queries completed:/ { ops = $3 }
    /Queries lost:/ { lost = $3 }
    /Run time/ { wall = $4 }
    END { if (ops > 0 && lost == 0) print ops, wall, cpu
          else print lost + 0, "queries lost" > "/dev/stderr" }' \
    /out/dnsperf > /out/figures
}
