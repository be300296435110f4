# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# netdata: collects figures about the machine, keeps them with a uv loop per
# store, and serves them. When it ends it closes loops that others still use.
about="starts, answers, ends cleanly"
package=netdata-core
packages="curl netdata-plugins-bash"
program=netdata
limit=600
modes=full

# answers QUERY TEXT: it does so within a minute, with this text.
answers() {
  for _ in $(seq 300); do
    curl -s "http://127.0.0.1:19999/api/v1/$1" | grep "$2" && return
    sleep 0.2
  done
  return 1
}

workload() {
  local n pid
  mkdir -p /tmp/n/{cache,lib,log,run,conf}
  cat > /tmp/n/netdata.conf <<'END'
[global]
  run as user = client
[directories]
  config = /tmp/n/conf
  stock config = /tmp/n/conf
  log = /tmp/n/log
  lib = /tmp/n/lib
  cache = /tmp/n/cache
[logs]
  error = /tmp/n/log/error
  access = none
  debug = none
[web]
  bind to = 127.0.0.1:19999
[plugins]
  python.d = no
  node.d = no
  charts.d = no
  go.d = no
END
  for n in 1 2; do
    netdata -D -c /tmp/n/netdata.conf -P /tmp/n/run/pid \
      > /tmp/n/out 2>&1 &
    pid=$!
    check "info-$n" answers info version
    check "charts-$n" answers charts system.cpu
    check "data-$n" answers 'data?chart=system.cpu&points=3' '"data"'
    kill -TERM $pid
    wait $pid
    check "ends-$n" test $? -eq 0
    tail -n 30 /tmp/n/log/error /tmp/n/out
  done
}
