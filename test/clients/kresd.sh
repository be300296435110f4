# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Knot Resolver: kresd between dnsperf and BIND, all questions over a uv loop
# on both of its sides; forwards over UDP and, when truncated, over TCP.
about="resolver in front of named: cold and warm, UDP and TCP"
package=knot-resolver
packages="bind9 bind9-dnsutils dnsperf python3"
program="kresd named"
limit=180
limit_full=600

servers() {
  mkdir -p /tmp/k/cache && cd /tmp/k || return
  { printf '%s\n' '$TTL 300' '@ IN SOA ns.test. root.test. 1 60 60 600 60' \
      '@ IN NS ns' 'ns IN A 127.0.0.1'
    seq -f 'h%g IN A 10.0.0.1' 1 3000
    for n in $(seq 1 60); do
      echo "big IN TXT \"$n-$(printf 'x%.0s' $(seq 1 100))\""
    done; } > test.zone
  cat > named.conf <<'END'
options {
  directory "/tmp/k"; pid-file "/tmp/k/named.pid";
  session-keyfile "/tmp/k/session.key"; recursion no;
  listen-on port 5300 { 127.0.0.1; }; listen-on-v6 { none; };
};
controls { };
zone "test" { type primary; file "test.zone"; };
END
  cat > kresd.conf <<'END'
net.listen('127.0.0.1', 5353, { kind = 'dns' })
net.listen('::1', 5353, { kind = 'dns' })
net.ipv6 = false
trust_anchors.remove('.')
modules = { 'policy', 'stats', 'hints > iterate' }
policy.add(policy.all(policy.STUB('127.0.0.1@5300')))
hints['hint.test'] = '10.9.9.9'
cache.open(20 * MB, 'lmdb:///tmp/k/cache')
event.after(90 * sec, function () quit() end)
END
  named -g -n 2 -c named.conf > named.log 2>&1 &
  named=$!
  kresd -n -c kresd.conf /tmp/k > kresd.log 2>&1 &
  kresd=$!
  for _ in $(seq 100); do
    dig_ +short ns.test 2>/dev/null | grep -qx 127.0.0.1 && return
    sleep 0.1
  done
  tail named.log kresd.log
  return 1
}

dig_() { dig @127.0.0.1 -p 5353 +tries=1 +time=5 "$@"; }

load() { # MODE SECONDS
  dnsperf -f inet -s 127.0.0.1 -p 5353 -m "$1" -c 20 -q 60 -l "$2" -t 10 \
    -d queries > "load-$1.log" 2>&1
  cat "load-$1.log"
  grep -q 'Queries lost: *0 ' "load-$1.log" &&
    ! grep -q 'Queries completed: *0 ' "load-$1.log" &&
    ! grep -q SERVFAIL "load-$1.log"
}

workload() {
  local seconds=3
  [ "$MODE" = quick ] || seconds=20
  check start servers
  cd /tmp/k || return
  seq -f 'h%g.test A' 1 3000 > queries
  check load-udp load udp "$seconds"
  check load-tcp load tcp "$seconds"
  check hint sh -c 'dig @127.0.0.1 -p 5353 +short hint.test |
    grep -qx 10.9.9.9'
  check big-over-tcp sh -c 'dig @127.0.0.1 -p 5353 +short txt big.test |
    grep -c x | grep -qx 60'
  check ipv6 sh -c 'dig @::1 -p 5353 +short h5.test | grep -qx 10.0.0.1'
  check no-such-name sh -c 'dig @127.0.0.1 -p 5353 none.test |
    grep -q NXDOMAIN'
  # The upstream goes away: kresd still responds, with a failure.
  kill $named
  wait $named
  check named-stops test $? -eq 0
  check upstream-gone sh -c \
    'dig @127.0.0.1 -p 5353 +time=15 +tries=1 new.test | grep -q SERVFAIL'
  check hint-still sh -c 'dig @127.0.0.1 -p 5353 +short hint.test |
    grep -qx 10.9.9.9'
  kill $kresd
  wait $kresd
  check kresd-stops test $? -eq 0
  # It survives a failed assertion of its own (such as a reply that arrives
  # before the callback for sending its query), but logs it.
  check no-assertion sh -c '! grep -q assertion kresd.log'
  sort kresd.log | uniq -c | sort -rn | head -n 20
}
