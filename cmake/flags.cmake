# SPDX-License-Identifier: MIT
# Compiler and linker options: each one that is not universal is tried first.
# Sets uv_cflags, uv_ldflags (every program and library), uv_lib_ldflags (the
# shared library) and uv_sanitizers; appends to uv_defines.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)

# uv_cc_flag(LIST FLAG...): appends each flag that compiles without a warning.
macro(uv_cc_flag list)
  foreach(flag ${ARGN})
    string(MAKE_C_IDENTIFIER "UV_CC${flag}" name)
    set(CMAKE_REQUIRED_FLAGS -Werror)
    check_c_compiler_flag(${flag} ${name})
    unset(CMAKE_REQUIRED_FLAGS)
    if(${name})
      list(APPEND ${list} ${flag})
    endif()
  endforeach()
endmacro()

# uv_ld_flag(LIST FLAG...): the same for the linker.
macro(uv_ld_flag list)
  foreach(flag ${ARGN})
    string(MAKE_C_IDENTIFIER "UV_LD${flag}" name)
    set(CMAKE_REQUIRED_LIBRARIES ${flag})
    check_c_source_compiles("int main(void) { return 0; }" ${name})
    unset(CMAKE_REQUIRED_LIBRARIES)
    if(${name})
      list(APPEND ${list} ${flag})
    endif()
  endforeach()
endmacro()

set(uv_ldflags)
set(uv_lib_ldflags)

# -UNDEBUG: assertions that cost O(1) stay on in release builds. MSVC is also
# what CMake calls clang-cl, which takes the options of cl: -Wall would be all
# warnings that there are, and aliasing is not strict by default.
if(MSVC)
  list(APPEND uv_defines _CRT_SECURE_NO_WARNINGS _CRT_NONSTDC_NO_WARNINGS)
  list(APPEND uv_cflags /UNDEBUG /W3 /utf-8)
else()
  list(APPEND uv_cflags -UNDEBUG)
  # The library calls its own functions, whatever else in the process has their
  # names; and what is bound when it is loaded needs no stub to be called
  # through.
  uv_cc_flag(uv_cflags -Wall -Wextra -Wundef -fno-strict-aliasing
             -fno-semantic-interposition -fno-plt)
endif()
# gcc does not take (void) for an answer where clang does; clang still tells us
# about results that are ignored without saying so.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  uv_cc_flag(uv_cflags -Wno-unused-result)
endif()
if(LIBUV_WERROR AND MSVC)
  list(APPEND uv_cflags /WX)
elseif(LIBUV_WERROR)
  list(APPEND uv_cflags -Werror)
endif()

# No directory of the build is in the libraries (in __FILE__ and the debug
# information), so that the same sources give the same bytes anywhere.
function(uv_prefix_maps out)
  set(maps)
  foreach(kind macro debug)
    string(TOUPPER UV_CC_${kind}_PREFIX_MAP name)
    set(CMAKE_REQUIRED_FLAGS -Werror)
    check_c_compiler_flag(-f${kind}-prefix-map=/nowhere=. ${name})
    unset(CMAKE_REQUIRED_FLAGS)
    if(${name})
      # The last one that fits counts: a build directory is often below the
      # sources.
      list(APPEND maps "-f${kind}-prefix-map=${PROJECT_SOURCE_DIR}=."
           "-f${kind}-prefix-map=${PROJECT_BINARY_DIR}=.")
    endif()
  endforeach()
  set(${out} ${maps} PARENT_SCOPE)
endfunction()
if(NOT MSVC)
  uv_prefix_maps(uv_maps)
  list(APPEND uv_cflags ${uv_maps})
endif()

# Sanitizers. Their run time is linked into programs, so programs that use the
# library get the options, too. One that the compiler does not have is an error:
# a job that asks for it must not pass without it.
set(uv_sanitizers)
set(uv_sanitizer_ASAN address)
set(uv_sanitizer_MSAN memory)
set(uv_sanitizer_TSAN thread)
set(uv_sanitizer_UBSAN undefined)
foreach(option ASAN MSAN TSAN UBSAN)
  if(${option})
    list(APPEND uv_sanitizers ${uv_sanitizer_${option}})
  endif()
endforeach()
if(uv_sanitizers)
  list(JOIN uv_sanitizers "," uv_sanitizers)
  if(MSVC)
    set(uv_sanitizers /fsanitize=${uv_sanitizers})
  else()
    set(uv_sanitizers -fsanitize=${uv_sanitizers})
  endif()
  string(MAKE_C_IDENTIFIER "UV_CC${uv_sanitizers}" name)
  set(CMAKE_REQUIRED_FLAGS ${uv_sanitizers})
  check_c_source_compiles("int main(void) { return 0; }" ${name})
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT ${name})
    message(FATAL_ERROR
            "${CMAKE_C_COMPILER} cannot build programs with ${uv_sanitizers}")
  endif()
  if(NOT MSVC)
    list(APPEND uv_cflags -fno-omit-frame-pointer -fno-sanitize-recover=all)
  endif()
endif()

# Fortify and the sanitizers watch the same calls, and only one can. (On Windows
# fortify and stack protector would need a DLL of the compiler's; what its
# linker does for safety it does by itself.)
if(LIBUV_HARDENING AND UNIX AND NOT uv_sanitizers)
  # _FORTIFY_SOURCE needs an optimising compiler, and may be set already.
  set(uv_all_cflags "${CMAKE_C_FLAGS} $ENV{CPPFLAGS}")
  if(NOT uv_all_cflags MATCHES "_FORTIFY_SOURCE")
    # An older compiler or C library says that it knows no 3.
    set(CMAKE_REQUIRED_FLAGS "-O1 -Werror -D_FORTIFY_SOURCE=3")
    check_c_source_compiles("#include <stdio.h>
      #include <string.h>
      int main(void) { return 0; }" UV_FORTIFY_3)
    unset(CMAKE_REQUIRED_FLAGS)
    set(uv_fortify 2)
    if(UV_FORTIFY_3)
      set(uv_fortify 3)
    endif()
    list(APPEND uv_defines
         $<$<NOT:$<OR:$<CONFIG:Debug>,$<CONFIG:>>>:_FORTIFY_SOURCE=${uv_fortify}>)
  endif()
  uv_cc_flag(uv_cflags -fstack-protector-strong)
  # gcc's: with it, clang 14 puts "sub rsp" between a comparison and the second
  # of two jumps that depend on it.
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    uv_cc_flag(uv_cflags -fstack-clash-protection)
  endif()
  # Where the processor checks the targets of jumps and returns (x86, ARM). One
  # object without it switches that off for the whole program.
  uv_cc_flag(uv_cflags -fcf-protection=full -mbranch-protection=standard)
  # (Apple's linker has no such options; what they ask for is its default.)
  uv_ld_flag(uv_ldflags -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()

# What the shared library exports. Where the linker reads no such file, the
# visibility of UV_EXTERN is all; on Windows it always is.
if(MINGW)
  # libgcc must not be a DLL to install.
  uv_ld_flag(uv_lib_ldflags -static-libgcc)
elseif(UNIX)
  uv_ld_flag(uv_lib_ldflags -Wl,-Bsymbolic-functions)
  # (Not CMAKE_REQUIRED_LIBRARIES, where the path must not have spaces.)
  set(CMAKE_REQUIRED_FLAGS
      "-Wl,--version-script=\"${PROJECT_SOURCE_DIR}/src/libuv.map\"")
  check_c_source_compiles("int main(void) { return 0; }" UV_LD_VERSION_SCRIPT)
  unset(CMAKE_REQUIRED_FLAGS)
  if(UV_LD_VERSION_SCRIPT)
    list(APPEND uv_lib_ldflags
         "-Wl,--version-script=${PROJECT_SOURCE_DIR}/src/libuv.map")
  endif()
endif()
