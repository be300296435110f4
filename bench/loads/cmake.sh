# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# CMake configures a project that checks for headers and starts programs, and
# CTest runs 400 tests, 8 at once. MODE is ignored: both have an end. Run by
# end-to-end in a room of test/clients; the form is that of test/clients/step.

write_project() {
  mkdir -p /tmp/project && cd /tmp/project || return
  cat > CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(load C)
enable_testing()
include(CheckIncludeFile)
foreach(name stdio stdlib string unistd fcntl errno)
  check_include_file(${name}.h HAVE_${name})
endforeach()
foreach(n RANGE 1 200)
  execute_process(COMMAND true RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "true fails")
  endif()
endforeach()
foreach(n RANGE 1 400)
  add_test(NAME many-${n} COMMAND true)
endforeach()
END
}

# part NAME OPERATIONS COMMAND...: with the time of all its processes.
part() {
  local name=$1 ops=$2 TIMEFORMAT='%R %U %S'
  shift 2
  { time "$@" > "/tmp/$name.log" 2>&1; } 2> /tmp/time ||
    { cat "/tmp/$name.log"; return 1; }
  awk -v name="$name" -v ops="$ops" '{ print name, ops, $1, $2 + $3 }' \
    /tmp/time >> /out/figures
}

workload() {
  write_project || return
  part configure 1 cmake -S . -B out || return
  part ctest-j 400 ctest --test-dir out -j 8
}
