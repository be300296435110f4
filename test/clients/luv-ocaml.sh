# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# luv for OCaml: its own tests. Most are small programs whose output must be
# what a cram file says, and so show the order in which callbacks run.
about="OCaml's luv: its own tests"
release=trixie
package=libluv-ocaml
packages="gcc libc6-dev libuv1-dev ocaml ocaml-dune libctypes-ocaml-dev
  libresult-ocaml-dev libalcotest-ocaml-dev libluv-ocaml"
sources=ocaml-luv
program=".*\\.exe"
limit=600
modes=full

# Built in the private Debian, with its libuv; nothing of a vendored one.
prepare() {
  local work status
  work=$(mktemp -d "$ROOT/var/tmp/luv.XXXXXX") &&
    tar -C "$work" -xf "$source_ocaml_luv"/*.orig.tar.gz \
      --strip-components=1 --exclude='*/vendor/libuv/*' &&
    chroot "$ROOT" sh -c 'cd "$1" && export HOME=/tmp &&
      LUV_USE_SYSTEM_LIBUV=yes dune build --root . --profile release -j 2 \
        ./test/tester.exe $(cd test/unit && find . -mindepth 2 -name "*.ml" |
        while read -r file; do dir=${file%/*} name=${file##*/}
          ! grep -qw "${name%.ml}" "$dir/dune" ||
            echo "./test/unit/${file%.ml}.exe"; done)' \
      build "${work#"$ROOT"}" &&
    (cd "$work/_build/default" && find test -name '*.exe' |
      xargs cp --parents -t "$1") &&
    (cd "$work" && cp --parents -t "$1" test/read_test_input \
      test/unit/*/*.t)
  status=$?
  rm -rf "$work"
  chown -R 1000:1000 "$1"
  return $status
}

# cram FILE [TEST...]: each command of a cram file is a test; the lines below
# it, less two blanks, are what it must say.
cram() {
  local file=$1 line command='' want='' area
  area=$(basename "$1" .t)
  shift
  while IFS= read -r line || [ -n "$command" ]; do
    case $line in
    '  $ '* | '')
      if [ -n "$command" ]; then
        [ $# -gt 0 ] && [[ " $* " != *" $area:$command "* ]] ||
          cram_one "$area" "$command" "$want"
      fi
      command=${line#'  $ dune exec ./'} want=''
      command=${command%.exe}
      ;;
    *) want+=${line#'  '}$'\n' ;;
    esac
  done < "$file"
}

cram_one() { # AREA PROGRAM OUTPUT
  local out
  rm -rf /tmp/cram && mkdir /tmp/cram
  out=$(cd /tmp/cram && timeout 30 "/data/test/unit/$1/$2.exe" 2>&1; echo .)
  if [ "${out%.}" = "$3" ]; then
    ok "$1:$2"
  else
    bad "$1:$2" "wanted: $3 said: $out"
  fi
}

# alcotest: its lines are "  [OK]  GROUP  NUMBER  NAME.".
alcotest() {
  cp -r /data/test /tmp/test && cd /tmp/test || return
  timeout 200 ./tester.exe --color=never > /tmp/alcotest.out 2>&1
  local status=$?
  sed -n -E -e 's/^[ >]*\[OK\] +([^ ]+) +([0-9]+) .*/ok tester:\1:\2/p' \
    -e 's/^[ >]*\[FAIL\] +([^ ]+) +([0-9]+) .*/bad tester:\1:\2/p' \
    /tmp/alcotest.out | sort -u >> /out/results
  [ $status -lt 2 ] || bad tester "status $status"
  grep -v '\[OK\]' /tmp/alcotest.out
}

workload() {
  local file
  for file in /data/test/unit/*/*.t; do
    cram "$file" "$@"
  done
  if [ $# -eq 0 ] || [[ " $*" == *" tester"* ]]; then
    alcotest
  fi
}
