# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# fs: files and directories for R, through libuv's synchronous functions. Its
# own tests.
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
  timeout 800 Rscript -e '
    library(testthat)
    library(fs)
    results <- as.data.frame(test_dir("testthat", package = "fs",
      reporter = "check", stop_on_failure = FALSE,
      load_package = "installed"))
    names <- gsub("[^A-Za-z0-9]+", "_", paste(results$context, results$test))
    files <- sub("\\.R$", "", sub("^test-", "", results$file))
    word <- ifelse(results$failed > 0 | results$error, "bad",
                   ifelse(results$skipped, "skip", "ok"))
    cat(paste0(word, " ", files, ":", names, "\n"), sep = "",
        file = "/out/results", append = TRUE)'
}
