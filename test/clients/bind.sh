# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# BIND 9: named runs one uv loop per worker and hands work between them; dig,
# rndc and nsupdate are clients on the same loops.
about="named under load over UDP and TCP, reloads, transfers; dig, rndc"
package=bind9
packages="bind9-dnsutils bind9-utils dnsperf python3"
program="named dig"
limit=180
limit_full=600

zone() { # SERIAL
  printf '%s\n' '$TTL 300' \
    "@ IN SOA ns.test. root.test. ( $1 60 60 600 60 )" \
    '@ IN NS ns' 'ns IN A 127.0.0.1' "serial IN TXT \"$1\""
  seq -f 'h%g IN A 10.0.0.1' 1 2000
  # A reply too large for UDP: the client retries over TCP.
  for n in $(seq 1 60); do
    echo "big IN TXT \"$n-$(printf 'x%.0s' $(seq 1 100))\""
  done
}

write_configuration() {
  mkdir -p /tmp/named && cd /tmp/named || return
  zone 1 > test.zone
  rndc-confgen -a -c /tmp/named/rndc.key -k rndc > /dev/null 2>&1
  cat > named.conf <<'END'
include "/tmp/named/rndc.key";
options {
  directory "/tmp/named";
  pid-file "/tmp/named/named.pid";
  session-keyfile "/tmp/named/session.key";
  listen-on port 5300 { 127.0.0.1; };
  listen-on-v6 port 5300 { ::1; };
  recursion no;
  allow-transfer { any; };
  tcp-clients 500;
};
controls { inet 127.0.0.1 port 9530 allow { any; } keys { rndc; }; };
zone "test" { type primary; file "test.zone"; };
zone "dyn" { type primary; file "dyn.zone"; allow-update { any; }; };
END
  printf '%s\n' '$TTL 60' '@ IN SOA ns.test. root.test. 1 60 60 600 60' \
    '@ IN NS ns.test.' > dyn.zone
}

rndc_() { rndc -c /tmp/named/rndc.conf -s 127.0.0.1 -p 9530 "$@"; }
dig_() { dig @127.0.0.1 -p 5300 +tries=1 +time=5 "$@"; }

start() {
  { cat rndc.key
    echo 'options { default-key "rndc"; };'; } > rndc.conf
  named -g -n 4 -c named.conf > named.log 2>&1 &
  named=$!
  for _ in $(seq 100); do
    dig_ +short ns.test 2>/dev/null | grep -qx 127.0.0.1 && return
    sleep 0.1
  done
  tail named.log
  return 1
}

# load MODE SECONDS: nothing may be lost.
load() {
  dnsperf -f inet -s 127.0.0.1 -p 5300 -m "$1" -c 20 -q 60 -l "$2" -t 10 \
    -d queries > "load-$1.log" 2>&1
  cat "load-$1.log"
  grep -q 'Queries lost: *0 ' "load-$1.log" &&
    ! grep -q 'Queries completed: *0 ' "load-$1.log"
}

# Many queries in one segment of one connection; replies may come in any
# order, each exactly once.
pipelined() {
  python3 - <<'END'
import random, socket, struct
def question(number, name):
    labels = b"".join(bytes([len(l)]) + l.encode() for l in name.split("."))
    message = struct.pack(">6H", number, 0, 1, 0, 0, 0) + labels + \
        b"\0" + struct.pack(">HH", 1, 1)
    return struct.pack(">H", len(message)) + message
for connection in range(20):
    sock = socket.create_connection(("127.0.0.1", 5300), 10)
    asked = set(range(1, 501))
    data = b"".join(question(n, "h%d.test" % n) for n in asked)
    # Cut where no message ends.
    for at in range(0, len(data), 997):
        sock.sendall(data[at:at + 997])
    got = b""
    while asked:
        while len(got) < 2 or len(got) < 2 + struct.unpack(">H", got[:2])[0]:
            more = sock.recv(65536)
            assert more, "closed with %d unanswered" % len(asked)
            got += more
        size = struct.unpack(">H", got[:2])[0]
        number, flags, _, answers = struct.unpack(">4H", got[2:10])
        assert flags & 0x800f == 0x8000 and answers == 1, (number, flags)
        asked.remove(number)
        got = got[2 + size:]
    # Half of them just disconnect.
    if random.random() < 0.5:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                        struct.pack("ii", 1, 0))
    sock.close()
END
}

# Hundreds of connections at once, each with slow queries.
many_connections() {
  python3 - <<'END'
import socket, struct
name = b"\x02h7\x04test\0"
message = struct.pack(">6H", 9, 0, 1, 0, 0, 0) + name + b"\0\1\0\1"
message = struct.pack(">H", len(message)) + message
socks = [socket.create_connection(("127.0.0.1", 5300), 10)
         for _ in range(300)]
for at in range(len(message)):
    for sock in socks:
        sock.sendall(message[at:at + 1])
for sock in socks:
    size = struct.unpack(">H", sock.recv(2, socket.MSG_WAITALL))[0]
    assert len(sock.recv(size, socket.MSG_WAITALL)) == size
    sock.close()
END
}

# OPTIONS: 2000 queries by ten digs at once. Over UDP each from a port of its
# own: dig shares ports, and replies would go to the wrong dig now and then.
digs() {
  local n from=
  for n in $(seq 0 9); do
    seq -f 'h%g.test' $((n * 200 + 1)) $((n * 200 + 200)) > "batch-$n"
    [ $# -gt 0 ] || from="-b 127.0.0.1#$((20000 + n))"
    dig_ $from "$@" +short -f "batch-$n" > "answers-$n" &
    pids[n]=$!
  done
  wait "${pids[@]}"
  grep -vx 10.0.0.1 answers-?
  wc -l answers-?
  [ "$(cat answers-? | grep -cx 10.0.0.1)" -eq 2000 ]
}

reloads() { # under load nothing is lost and every zone version appears
  local serial
  load udp 4 > /dev/null &
  local udp=$!
  dnsperf -f inet -s 127.0.0.1 -p 5300 -m tcp -c 10 -q 60 -t 10 -l 4 \
    -d queries > tcp.log 2>&1 &
  local tcp=$!
  for serial in 2 3 4 5 6; do
    zone $serial > zone.new && mv zone.new test.zone
    rndc_ reload test || return
    for _ in $(seq 50); do
      dig_ +short txt serial.test | grep -q "\"$serial\"" && break
      sleep 0.05
    done
    dig_ +short txt serial.test | grep -q "\"$serial\"" || return
  done
  rndc_ reconfig && rndc_ reload && wait $udp && wait $tcp &&
    grep -q 'Queries lost: *0 ' tcp.log
}

updates() {
  local n over
  for n in $(seq 1 20); do
    over=
    [ $((n % 2)) -eq 0 ] || over=-v # TCP
    printf '%s\n' 'server 127.0.0.1 5300' 'zone dyn' \
      "update add u$n.dyn 60 A 10.1.0.$n" send | nsupdate $over || return
  done
  [ "$(dig_ axfr dyn | grep -c '10\.1\.0\.')" -eq 20 ]
}

clean_stop() {
  load udp 3 > /dev/null 2>&1 &
  local busy=$! status=0
  sleep 0.5
  rndc_ stop || return
  wait $named || status=$?
  named=
  kill $busy 2>/dev/null
  wait $busy 2>/dev/null
  tail -n 3 named.log
  grep -q 'exiting' named.log && [ $status -eq 0 ]
}

workload() {
  local seconds=3
  [ "$MODE" = quick ] || seconds=30
  write_configuration
  seq -f 'h%g.test A' 1 2000 > queries
  check start start
  check dig-udp digs
  check dig-tcp digs +tcp
  check dig-tcp-keepopen digs +tcp +keepopen
  check dig-ipv6 dig -6 @::1 -p 5300 +tries=1 +time=5 h1.test
  check truncated-then-tcp sh -c \
    "dig @127.0.0.1 -p 5300 +short txt big.test | grep -c x | grep -qx 60"
  check load-udp load udp "$seconds"
  check load-tcp load tcp "$seconds"
  check pipelined pipelined
  check many-connections many_connections
  check transfer sh -c \
    "dig @127.0.0.1 -p 5300 axfr test | grep -c 10.0.0.1 | grep -qx 2000"
  check reloads reloads
  check updates updates
  check dig-timeout sh -c \
    '! dig @127.0.0.1 -p 5301 +tries=1 +time=1 h1.test'
  check dig-refused-tcp sh -c \
    '! dig @127.0.0.1 -p 5301 +tcp +tries=1 +time=1 h1.test'
  check status rndc_ status
  check clean-stop clean_stop
  check starts-again start
  check stops-on-sigterm sh -c "kill -TERM ${named:-none}"
  wait "${named:-}"
  check exit-status test $? -eq 0
}
