# SPDX-License-Identifier: MIT
# What ctest runs. A build by a preset (CMakePresets.json) has the steps of
# steps.cmake; any other has its programs, without a script around them.
set(LIBUV_TEST_PRESET "" CACHE STRING "The name of the preset; it sets this")

if(NOT LIBUV_TEST_PRESET)
  foreach(program uv-test uv-test-dll uv-unit uv-contract uv-shim)
    if(TARGET ${program})
      add_test(NAME ${program} COMMAND ${program})
    endif()
  endforeach()
  if(TARGET uv-bench)
    add_test(NAME bench COMMAND ${PROJECT_SOURCE_DIR}/bench/smoke
             $<TARGET_FILE:uv-bench>)
  endif()
  if(NOT MSVC) # shell scripts
    add_test(NAME abi COMMAND ${PROJECT_SOURCE_DIR}/test/abi/check
             $<TARGET_FILE:${uv_test_library}>)
    add_test(NAME examples COMMAND ${PROJECT_SOURCE_DIR}/test/examples
             ${PROJECT_BINARY_DIR})
    if(TARGET uv-trace)
      add_test(NAME uv-trace COMMAND ${PROJECT_SOURCE_DIR}/test/uv-trace/run
               ${PROJECT_BINARY_DIR})
    endif()
  endif()
  if(QEMU)
    get_property(tests DIRECTORY PROPERTY TESTS)
    set_tests_properties(${tests} PROPERTIES
      ENVIRONMENT UV_TEST_TIMEOUT_MULTIPLIER=10)
  endif()
  return()
endif()

# How long the tests of --full go on, from the environment of ./check.
foreach(setting FUZZ_SECONDS=3600 DIFFERENTIAL_SECONDS=3600 SOAK_SECONDS=300)
  string(REPLACE "=" ";" setting ${setting})
  list(GET setting 0 name)
  list(GET setting 1 ${name})
  if(DEFINED ENV{${name}})
    set(${name} $ENV{${name}})
  endif()
endforeach()

# What a kind of build does to its tests: time is UV_TEST_TIMEOUT_MULTIPLIER,
# limit the factor for LIMIT.
set(asan_time 4)
set(asan_limit 5)
set(tsan_time 8)
set(tsan_limit 5)
set(msan_time 8)
set(msan_limit 5)
set(valgrind_time 20)
set(valgrind_limit 8)
set(windows_time 4)
set(windows_limit 3)
foreach(name aarch64 armhf ppc64el riscv64 s390x)
  set(${name}_time 10)
  set(${name}_limit 5)
  set(${name}_script test/qemu/run ${name})
  set(${name}_program test/qemu/run ${name})
  set(${name}_packages qemu-user-static)
  set(${name}_suite --static --cc ${CMAKE_C_COMPILER})
endforeach()
set(i386_suite --m32)
set(musl_suite --static --cc "${CMAKE_C_COMPILER} ${CMAKE_C_FLAGS}")
set(windows_script test/wine)
set(windows_program test/wine wine64)
set(windows_packages wine64)
set(windows_exe .exe)
set(msan_script env LD_PRELOAD=${PROJECT_BINARY_DIR}/msan-calls.so)
set(msan_program ${msan_script})
# (Possibly lost is what a thread alive at _exit() has: its TLS. The pipes of
# vgdb would stay in /tmp when a test kills its child.)
set(valgrind_program valgrind -q --error-exitcode=99 --leak-check=full
    --show-leak-kinds=definite --errors-for-leak-kinds=definite
    --trace-children=yes --vgdb=no
    --suppressions=${PROJECT_SOURCE_DIR}/test/sanitizers/valgrind.supp)
set(valgrind_packages valgrind)
# Who runs it makes no difference to the sanitizers: one user will do.
if(LIBUV_TEST_PRESET MATCHES "^[atm]san$")
  execute_process(COMMAND id -u OUTPUT_VARIABLE user
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(user_0 root)
  if(NOT DEFINED user_${user})
    set(user_${user} user)
  endif()
  set(${LIBUV_TEST_PRESET}_suite --user ${user_${user}})
  set(${LIBUV_TEST_PRESET}_suite_environment "CFLAGS=-g ${CMAKE_C_FLAGS}")
endif()

include(ProcessorCount)
ProcessorCount(uv_processors)
set(uv_presets)
set(uv_cost 1000)

macro(uv_preset name tier)
  list(APPEND uv_presets ${name})
endmacro()

# uv_step_command(OUT BUILD PRESET STEP): the words to run, from step_*.
function(uv_step_command out build preset)
  set(before)
  set(words)
  set(environment ${${preset}_suite_environment})
  if(step_PROGRAM)
    list(POP_FRONT step_PROGRAM program)
    set(before ${${preset}_program} ${build}/${program}${${preset}_exe})
    set(words ${step_PROGRAM})
    set(environment)
  elseif(step_SUITE)
    set(before ${${preset}_script} test/conformance/run ${${preset}_suite}
        --lib ${build})
    if(preset STREQUAL "windows") # it has a Wine of its own
      list(REMOVE_AT before 0)
    endif()
    set(words ${step_SUITE})
  elseif(step_SCRIPT)
    set(before ${${preset}_script})
    set(words ${step_SCRIPT})
    set(environment)
  else()
    set(words ${step_COMMAND})
    set(environment)
  endif()
  set(rest)
  foreach(word IN LISTS words)
    if(word MATCHES "^[A-Z_]+=")
      list(APPEND environment ${word})
    else()
      list(APPEND rest "${word}")
    endif()
  endforeach()
  if(environment)
    set(environment env ${environment})
  endif()
  set(all ${environment} ${before} ${rest})
  string(REPLACE "@build@" "${build}" all "${all}")
  string(REPLACE "@preset@" "${preset}" all "${all}")
  set(${out} "${all}" PARENT_SCOPE)
endfunction()

# uv_step_add(NAME LABEL LIMIT TIER PRESET): one entry of ctest's.
function(uv_step_add name label limit tier preset)
  set(build build/${preset})
  set(test ${name}-${preset})
  if(preset STREQUAL "valgrind")
    set(build build/gcc)
  elseif(preset STREQUAL "tree")
    set(test ${name})
  endif()
  uv_step_command(command ${build} ${preset})
  set(options ${test})
  if(step_TAP)
    list(APPEND options --tap)
  endif()
  if(step_NAMES)
    list(APPEND options --names)
  endif()
  if(${preset}_time)
    list(APPEND options --time ${${preset}_time})
  endif()
  foreach(package ${step_PACKAGES} ${${preset}_packages})
    list(APPEND options --package ${package})
  endforeach()
  add_test(NAME ${test} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
           COMMAND ${PROJECT_SOURCE_DIR}/test/step ${options} -- ${command})

  if(${preset}_limit)
    math(EXPR limit "${limit} * ${${preset}_limit}")
  endif()
  set(processors ${uv_processors})
  if(step_LIGHT)
    set(processors 1)
  endif()
  string(TOLOWER ${tier} tier)
  set_tests_properties(${test} PROPERTIES
    LABELS "${label};${tier};${preset}"
    TIMEOUT ${limit}
    SKIP_RETURN_CODE 77
    PROCESSORS ${processors}
    COST ${uv_cost})
  # A build that is a step comes before what needs it.
  if(name STREQUAL "build")
    set_tests_properties(${test} PROPERTIES FIXTURES_SETUP ${preset})
  elseif(NOT preset IN_LIST uv_presets)
    set_tests_properties(${test} PROPERTIES FIXTURES_REQUIRED ${preset})
  endif()
endfunction()

function(uv_step name label limit)
  cmake_parse_arguments(step "TAP;LIGHT;NAMES" ""
    "FAST;NORMAL;FULL;PACKAGES;PROGRAM;SCRIPT;SUITE;COMMAND" ${ARGN})
  foreach(tier FAST NORMAL FULL)
    foreach(preset ${step_${tier}})
      set(host ${preset})
      if(NOT preset IN_LIST uv_presets)
        set(host gcc)
      endif()
      if(host STREQUAL LIBUV_TEST_PRESET)
        # In this order: ctest starts with what costs most.
        math(EXPR uv_cost "${uv_cost} - 1")
        set(uv_cost ${uv_cost} PARENT_SCOPE)
        uv_step_add(${name} ${label} ${limit} ${tier} ${preset})
      endif()
    endforeach()
  endforeach()
endfunction()

include(cmake/steps.cmake)
