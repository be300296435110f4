# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# An echo server on uvloop; the other side is the peer of uv-bench: 100
# connections, a message of 64 bytes under way on each. Run by end-to-end in a
# room of test/clients; the form is that of test/clients/step.

# shellcheck source=bench/loads/node.sh
. /tree/bench/loads/node.sh
messages_per_second=20000

serve() {
  timeout $((${MODE%.*} + 60)) python3 -c '
import asyncio, uvloop

class Echo(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.transport.write(data)

async def main():
    server = await asyncio.get_running_loop().create_server(
        Echo, "127.0.0.1", 8000)
    await server.serve_forever()

uvloop.install()
asyncio.run(main())
' &
  for _ in $(seq 100); do
    server=$(pgrep -x python3) && answers && return
    sleep 0.05
  done
  return 1
}

ask() { # MESSAGES
  /tree/build/bench/uv-bench --peer echo 2 8000 100 "$1"
}

workload() {
  serve || { echo "no answer"; return 1; }
  ask $messages_per_second || return # warms up
  local ops=$((messages_per_second * ${MODE%.*}))
  local before after began ended
  before=$(cpu "$server")
  began=$(date +%s.%N)
  ask $ops || return
  ended=$(date +%s.%N)
  after=$(cpu "$server")
  kill "$server"
  wait
  awk "BEGIN { print $ops, $ended - $began, $after - $before }" > /out/figures
}
