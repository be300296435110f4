# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Neovim without a screen. neovim.lua is what it does.
about="headless: jobs, timers, fs watchers, channels, servers"
package=neovim
program=nvim

workload() {
  check version sh -c 'nvim --version | grep NVIM'
  timeout 100 nvim --headless -u NONE -i NONE -S /clients/neovim.lua
  local status=$?
  if [ $status -eq 0 ]; then ok exit; else bad exit "status $status"; fi
  check swap-recovery sh -c 'cd /tmp && rm -f a &&
    nvim --headless -u NONE -i NONE -c "call setline(1, \"kept\")" \
      -c "preserve" -c "wq" a && grep -q kept a'
}
