# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# netdata: collects figures about the machine, keeps them with a uv loop per
# store, and serves them. When it ends it closes loops that others still use.
about="starts, answers, ends cleanly"
package=netdata-core
packages="curl netdata-plugins-bash"
program=netdata
limit=300
modes=full

workload() {
  local n pid url=http://127.0.0.1:19999/api/v1
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
  for n in 1 2 3; do
    netdata -D -c /tmp/n/netdata.conf -P /tmp/n/run/pid \
      > /tmp/n/out 2>&1 &
    pid=$!
    for _ in $(seq 300); do
      curl -s "$url/info" > /tmp/n/info && grep -q version /tmp/n/info && break
      sleep 0.1
    done
    check "info-$n" grep version /tmp/n/info
    sleep 5
    check "charts-$n" sh -c "curl -s '$url/charts' | grep -q system.cpu"
    check "data-$n" sh -c "curl -s '$url/data?chart=system.cpu&points=3' |
      grep -q '\"data\"'"
    kill -TERM $pid
    wait $pid
    check "ends-$n" test $? -eq 0
    tail -n 30 /tmp/n/log/error /tmp/n/out
  done
}
