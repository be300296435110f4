#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes ./configure and Makefile.in from configure.ac and Makefile.am.
# Needs autoconf, automake, libtool and pkg-config.
set -eu
cd "$(dirname "$0")"
exec autoreconf --force --install "$@"
