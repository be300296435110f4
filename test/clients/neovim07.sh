# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shellcheck source=test/clients/neovim-specs.bash
. "$here/neovim-specs.bash"
about="Neovim 0.7's own functional tests of jobs, timers, channels, files"
release=bookworm
packages="$packages lua-nvim"
busted=(timeout 300 busted --lua=lua5.1)
