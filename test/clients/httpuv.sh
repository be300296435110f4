# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# httpuv: R's web server, a uv loop on a background thread. Its own tests, and
# traffic from curl.
# shellcheck source=test/clients/testthat.bash
. "$here/testthat.bash"
about="R's web server: its own tests, and parallel requests"
package=r-cran-httpuv
packages="r-cran-testthat r-cran-curl r-base-core curl"
sources=r-cran-httpuv
program=R
limit=240

prepare() {
  tar -C "$1" -xf "$source_r_cran_httpuv"/*.orig.tar.* --strip-components=1 \
    --wildcards '*/tests/*' && chown -R 1000:1000 "$1"
}

own_tests() {
  cd /data/tests || return
  testthat 150 httpuv
}

traffic() {
  cat > /tmp/server.R <<'END'
library(httpuv)
body <- paste(rep("0123456789", 20000), collapse = "")
s <- startServer("127.0.0.1", 8080, list(call = function(req) {
  text <- if (req$PATH_INFO == "/big") body
    else if (req$REQUEST_METHOD == "POST") rawToChar(req$rook.input$read())
    else req$PATH_INFO
  list(status = 200L, headers = list("Content-Type" = "text/plain"),
       body = text)
}, staticPaths = list("/static" = "/data/tests/testthat/apps/content")))
end <- Sys.time() + 55
while (Sys.time() < end && !file.exists("/tmp/stop")) service(100)
stopServer(s)
cat("stopped\n")
END
  timeout 60 Rscript /tmp/server.R > /tmp/server.log 2>&1 &
  local server=$!
  local url=http://127.0.0.1:8080
  for _ in $(seq 100); do
    curl -s "$url/up" > /dev/null && break
    sleep 0.1
  done
  check get sh -c "curl -s $url/hello | grep -qx /hello"
  check get-keepalive sh -c "curl -s '$url/[1-300]' | wc -c |
    grep -qx $(seq -f '/%g' 1 300 | tr -d '\n' | wc -c)"
  check get-parallel sh -c "seq 1 200 | xargs -P 20 -I N \
    curl -sf -o /dev/null -w '%{http_code}\n' $url/N | grep -c 200 |
    grep -qx 200"
  check get-big sh -c "curl -s '$url/big' | wc -c | grep -qx 200000"
  check post-big sh -c "head -c 1000000 /dev/zero | tr '\0' x |
    curl -s --data-binary @- $url/post | wc -c | grep -qx 1000000"
  check static sh -c "curl -s $url/static/data.txt |
    cmp - /data/tests/testthat/apps/content/data.txt"
  check gone-away sh -c "for n in 1 2 3 4 5; do
    timeout 0.02 curl -s $url/big > /dev/null; done; curl -s $url/still |
    grep -qx /still"
  touch /tmp/stop
  wait $server
  check stops test $? -eq 0
  cat /tmp/server.log
}

workload() {
  own_tests
  traffic
}
