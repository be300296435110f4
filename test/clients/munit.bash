# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What raft.sh and dqlite.sh share: building in the private Debian, and tests
# written with munit, each in a process of its own under a time limit.
user=root
races= # tests whose outcome depends on how fast another thread is

# build SOURCE-DIRECTORY DIR TARGET...: configure and make the targets of a
# source package; copies them and its shared library to DIR.
build() {
  local work status
  work=$(mktemp -d "$ROOT/var/tmp/build.XXXXXX") &&
    tar -C "$work" -xf "$1"/*.orig.tar.gz --strip-components=1 &&
    chroot "$ROOT" sh -c 'cd "$1" && shift && autoreconf -i &&
      ./configure --disable-static --enable-debug \
        CFLAGS="-O1 -g -Wno-error" &&
      make -j 2 "$@"' build "${work#"$ROOT"}" "${@:3}"
  status=$?
  [ $status -ne 0 ] || (cd "$work" && cp --parents "${@:3}" "$2/" &&
    cp .libs/lib*.so.* "$2/") || status=1
  rm -rf "$work"
  return $status
}

# munit_room: file systems for the tests: one in memory that can be filled up,
# and, because asynchronous I/O of the kernel wants a disk, one on a disk. The
# workload is root's for this alone.
munit_room() {
  mkdir /tmp/tmpfs && mount -t tmpfs -o size=32m,mode=1777 tmpfs /tmp/tmpfs &&
    cd /tmp || return
  export RAFT_TMP_TMPFS=/tmp/tmpfs LD_LIBRARY_PATH=/data
  case $(stat -f -c %T /out) in
  ext*) install -d -o 1000 -g 1000 /out/disk && export RAFT_TMP_EXT4=/out/disk
    ;;
  esac
}

# munit PROGRAM [TEST...]: the tests of a program, or those named
# PROGRAM:TEST:PARAMETERS.
munit() {
  local program=$1 test
  shift
  "/data/$program" --list | while read -r test; do
    [ $# -eq 0 ] || [[ " $*" == *" $program:$test:"* ]] || continue
    if [[ " $races " == *" $program:$test "* ]]; then
      skip "$program:$test:" "it races with another thread, see README.md"
      continue
    fi
    setpriv --reuid=1000 --regid=1000 --clear-groups timeout 60 \
      "/data/$program" --color never "$test" > /tmp/munit.out 2> /tmp/munit.err
    munit_results "$program:$test" $? < /tmp/munit.out >> /out/results
    ! grep -qE '\[ (FAIL|ERROR)' /tmp/munit.out ||
      cat /tmp/munit.out /tmp/munit.err
  done
}

# munit_results NAME STATUS: one line for each set of parameters. Of a test that
# reaches the time limit there is only that line: how many sets it gets through
# before depends on the machine. The name of a test is also a prefix: the other
# tests that it selects are run under their own names.
munit_results() {
  awk -v name="$1" -v status="$2" '
    BEGIN { test = name; sub(/^[^:]*:/, "", test) }
    /^Running test suite|^[0-9]+ of [0-9]+/ { next }
    /^[^ ]/ { mine = $1 == test }
    mine && match($0, / *\[ (OK|SKIP|FAIL|ERROR|TODO) *\]/) {
      word = substr($0, RSTART, RLENGTH)
      gsub(/[^A-Z]/, "", word)
      set = substr($0, 1, RSTART - 1)
      sub(/^ +|^[^ ]+ *$/, "", set)
      gsub(/ /, "", set)
      if (word == "SKIP")
        line[++reported] = "skip " name ":" set " it skips itself"
      else
        line[++reported] = (word ~ /OK|TODO/ ? "ok " : "bad ") name ":" set
    }
    END {
      if (status == 124)
        print "bad", name ":time-limit"
      else if (!reported)
        print "bad", name ":"
      else
        for (i = 1; i <= reported; i++)
          print line[i]
    }'
}
