# SPDX-License-Identifier: MIT
#
#   cmake -P cmake/list-steps.cmake
#
# Prints the table of steps.cmake, a line per step:
#
#   TIER PRESET BUILT NAME [PACKAGE...]
#
# PRESET is the one whose ctest has it, BUILT is 1 if that must be built before.
# "build-PRESET" is that build itself, with the packages it needs.
cmake_minimum_required(VERSION 3.13)
set(FUZZ_SECONDS 0)
set(DIFFERENTIAL_SECONDS 0)
set(SOAK_SECONDS 0)
set(presets)

macro(uv_preset name tier)
  list(APPEND presets ${name})
  string(TOLOWER ${tier} tier_lower)
  string(JOIN " " ${name}_lines ${tier_lower} ${name} 1 build-${name} ${ARGN})
endmacro()

macro(uv_step name label limit)
  cmake_parse_arguments(step "TAP;LIGHT;NAMES" ""
    "FAST;NORMAL;FULL;PACKAGES;PROGRAM;SCRIPT;SUITE;COMMAND" ${ARGN})
  foreach(tier FAST NORMAL FULL)
    string(TOLOWER ${tier} tier_lower)
    foreach(preset ${step_${tier}})
      set(host ${preset})
      set(built 1)
      if(preset STREQUAL "valgrind")
        set(host gcc)
      elseif(NOT preset IN_LIST presets)
        set(host gcc)
        set(built 0)
      endif()
      set(suffix -${preset})
      if(preset STREQUAL "tree")
        set(suffix)
      endif()
      list(APPEND ${host}_lines
           "${tier_lower} ${host} ${built} ${name}${suffix}")
    endforeach()
  endforeach()
endmacro()

include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
foreach(preset ${presets})
  list(JOIN ${preset}_lines "\n" lines)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${lines}")
endforeach()
