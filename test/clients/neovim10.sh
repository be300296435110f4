# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shellcheck source=test/clients/neovim-specs.bash
. "$here/neovim-specs.bash"
about="Neovim 0.10's own functional tests of jobs, timers, channels, files"
release=trixie
specs="$specs core/log lua/fs lua/system lua/watch"
busted=(timeout 300 /data/build/bin/nvim -ll test/lua_runner.lua /usr busted)
