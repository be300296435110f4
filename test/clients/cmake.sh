# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# CMake: cmake and ctest run every process they start on a uv loop.
about="configure, build and test a project; ctest's timeouts and schedules"
package=cmake
packages="make gcc libc6-dev"
program="cmake ctest"

write_project() {
  mkdir -p project && cd project || return
  local n
  for n in $(seq 1 20); do
    echo "int part_$n(void) { return $n; }" > "part_$n.c"
  done
  {
    for n in $(seq 1 20); do echo "int part_$n(void);"; done
    echo 'int main(void) { return 0'
    for n in $(seq 1 20); do echo "+ part_$n()"; done
    echo '== 210 ? 0 : 1; }'
  } > main.c
  # The output of a child that is larger than a pipe, both streams at once.
  cat > both.sh <<'END'
i=0
while [ $i -lt 20000 ]; do
  echo "out $i"; echo "err $i" >&2; i=$((i + 1))
done
END
  cat > CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(client C)
enable_testing()
file(GLOB parts part_*.c)
add_library(parts STATIC ${parts})
add_executable(client main.c)
target_link_libraries(client parts)
execute_process(COMMAND seq 1 50000 COMMAND sort -n COMMAND tail -n 1
  OUTPUT_VARIABLE last OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULTS_VARIABLE results)
message(STATUS "pipeline: ${last} ${results}")
execute_process(COMMAND sh ${CMAKE_SOURCE_DIR}/both.sh
  OUTPUT_VARIABLE out ERROR_VARIABLE err)
string(LENGTH "${out}" out_length)
string(LENGTH "${err}" err_length)
message(STATUS "both: ${out_length} ${err_length}")
execute_process(COMMAND sleep 30 TIMEOUT 1 RESULT_VARIABLE result)
message(STATUS "timeout: ${result}")
execute_process(COMMAND /no/such/program RESULT_VARIABLE result)
message(STATUS "missing: ${result}")
execute_process(COMMAND sh -c "exit 7" RESULT_VARIABLE result)
message(STATUS "status: ${result}")
execute_process(COMMAND sh -c "kill -SEGV $$" RESULT_VARIABLE result)
message(STATUS "signal: ${result}")
add_test(NAME client COMMAND client)
add_test(NAME big-output COMMAND seq 1 100000)
add_test(NAME hangs COMMAND sleep 60)
set_tests_properties(hangs PROPERTIES TIMEOUT 1)
add_test(NAME crashes COMMAND sh -c "kill -ABRT $$")
add_test(NAME absent COMMAND /no/such/program)
add_test(NAME grandchild COMMAND sh -c "sleep 60 >/dev/null 2>&1 & exit 0")
foreach(n RANGE 1 100)
  add_test(NAME many-${n} COMMAND sh -c "echo ${n}; exit 0")
endforeach()
foreach(n RANGE 1 5)
  add_test(NAME serial-${n} COMMAND sleep 0.1)
  set_tests_properties(serial-${n} PROPERTIES RUN_SERIAL ON)
endforeach()
END
}

configured() { # WORDS: what configure said about one execute_process
  check "execute_process-${1%%:*}" grep -q -- "-- $1" /tmp/configure.log
}

workload() {
  cd /tmp && write_project || return
  check configure sh -c 'cmake -S . -B out > /tmp/configure.log 2>&1'
  configured 'pipeline: 50000 0;0;0'
  configured 'both: 188890 188890'
  configured 'timeout: Process terminated due to timeout'
  configured 'missing: [nN]o such file or directory'
  configured 'status: 7'
  configured 'signal: Segmentation fault'
  check build cmake --build out -j 2
  ctest --test-dir out -j 8 > /tmp/ctest.log 2>&1
  local name verdict
  while read -r name verdict; do
    check "ctest-$name" grep -Eq ": $name \.+ *($verdict)" /tmp/ctest.log
  done <<'END'
client   Passed
big-output Passed
hangs \*\*\*Timeout
crashes Subprocess aborted|\*\*\*Exception
absent \*\*\*Not Run
grandchild Passed
END
  check ctest-many test "$(grep -c ': many-[0-9]* .* Passed' /tmp/ctest.log)" \
    -eq 100
  check ctest-serial test \
    "$(grep -c ': serial-[0-9]* .* Passed' /tmp/ctest.log)" -eq 5
  check ctest-repeat ctest --test-dir out -R '^client$' \
    --repeat until-fail:20
  check ctest-stop-time sh -c '! ctest --test-dir out -R hangs \
    --stop-time "$(date -d "+2 seconds" +%H:%M:%S)"'
  cat /tmp/configure.log /tmp/ctest.log
}
