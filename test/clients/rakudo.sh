# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Rakudo: everything asynchronous in Raku is MoarVM's, a uv loop on a thread of
# its own that other threads hand work to. rakudo.raku is what it does.
about="Raku on MoarVM: processes, sockets, timers, watchers, files"
package=moarvm
packages=rakudo
program="rakudo.*|raku.*|moar|perl6.*"
limit=330

workload() {
  cd /tmp && timeout 300 rakudo /clients/rakudo.raku > said 2>&1
  local status=$?
  cat said
  grep -E '^(ok|bad) ' said >> /out/results
  if [ $status -eq 0 ]; then ok exit; else bad exit "status $status"; fi
}
