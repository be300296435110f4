# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What httpuv.sh and rfs.sh share: an R package's own tests, written with
# testthat.

# testthat SECONDS PACKAGE: runs the tests below ./testthat.
testthat() {
  PACKAGE=$2 timeout "$1" Rscript -e '
    library(testthat)
    package <- Sys.getenv("PACKAGE")
    library(package, character.only = TRUE)
    results <- as.data.frame(test_dir("testthat", package = package,
      reporter = "check", stop_on_failure = FALSE,
      load_package = "installed"))
    names <- gsub("[^A-Za-z0-9]+", "_", paste(results$context, results$test))
    files <- sub("\\.R$", "", sub("^test-", "", results$file))
    word <- ifelse(results$failed > 0 | results$error, "bad",
                   ifelse(results$skipped, "skip", "ok"))
    cat(paste0(word, " ", files, ":", names, "\n"), sep = "",
        file = "/out/results", append = TRUE)'
}
