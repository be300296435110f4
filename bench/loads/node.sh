# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Node's HTTP server saying hello under wrk, for MODE seconds. Run by end-to-end
# in a room of test/clients; the form is that of test/clients/step.

# cpu PID: seconds of processor time, all threads.
cpu() {
  awk -v hz="$(getconf CLK_TCK)" \
    '{ sub(/^.*\) /, ""); printf "%.2f", ($12 + $13) / hz }' "/proc/$1/stat"
}

# The server stops itself if nobody else does.
serve() {
  node -e '
    const http = require("http");
    const server = http.createServer((req, res) => {
      res.setHeader("Content-Type", "text/plain");
      res.end("Hello, world\n");
    });
    server.listen(8000, "127.0.0.1");
    setTimeout(() => process.exit(1), 1000 * process.argv[1]);
  ' $((${MODE%.*} + 30)) &
  server=$!
}

answers() {
  for _ in $(seq 100); do
    (exec 3<>/dev/tcp/127.0.0.1/8000) 2>/dev/null && return
    sleep 0.05
  done
  return 1
}

workload() {
  serve
  answers || { echo "node does not answer"; return 1; }
  wrk -t 1 -c 64 -d 1s http://127.0.0.1:8000/ # until the code is compiled
  local before after
  before=$(cpu $server)
  wrk -t 1 -c 64 -d "${MODE}s" http://127.0.0.1:8000/ > /out/wrk || return
  after=$(cpu $server)
  cat /out/wrk
  kill $server
  wait $server
  # Every answer must be correct.
  ! grep -E 'Socket errors|Non-2xx' /out/wrk || return
  awk -v cpu="$(awk "BEGIN { print $after - $before }")" '
    / requests in / { ops = $1; wall = $4; sub(/s,?$/, "", wall) }
    END { if (ops > 0) print ops, wall, cpu }' /out/wrk > /out/figures
}
