# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Node's files and its pool (node-fs.js), MODE seconds for each part. Run
# by end-to-end in a room of test/clients; the form is that of
# test/clients/step.
parts=${parts:-}

workload() {
  cd /tmp || return
  # shellcheck disable=SC2086
  node /tree/bench/loads/node-fs.js "$MODE" $parts > /out/figures
}
