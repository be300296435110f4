# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# fs: files and directories for R, through libuv's synchronous functions. Its
# own tests.
# shellcheck source=test/clients/testthat.bash
. "$here/testthat.bash"
about="R's fs: its own tests"
release=forky
package=r-cran-fs
packages="r-base-core r-cran-testthat r-cran-withr"
sources=r-cran-fs
program=R
limit=900
modes=full

prepare() {
  tar -C "$1" -xf "$source_r_cran_fs"/*.orig.tar.* --strip-components=1 \
    --wildcards '*/tests/*' && chown -R 1000:1000 "$1"
}

workload() {
  cd /data/tests || return
  testthat 800 fs
}
