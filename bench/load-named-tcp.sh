# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# load-named over TCP.
over=tcp
# shellcheck source=bench/load-named.sh
. /tree/bench/load-named.sh
