# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# named.sh over TCP.
over=tcp
# shellcheck source=bench/loads/named.sh
. /tree/bench/loads/named.sh
