# SPDX-License-Identifier: MIT
# The programs that tests run: the tests themselves, examples, benchmarks.

# uv_program(TARGET LIBRARY SOURCE...)
function(uv_program target library)
  add_executable(${target} ${ARGN})
  target_compile_definitions(${target} PRIVATE ${uv_defines})
  target_compile_options(${target} PRIVATE ${uv_cflags} ${uv_sanitizers}
                         ${uv_of_tests})
  target_link_options(${target} PRIVATE ${uv_ldflags})
  target_link_libraries(${target} PRIVATE ${library})
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11
    C_STANDARD_REQUIRED ON
    C_EXTENSIONS ON)
  if(LIBUV_STATIC_TESTS)
    target_compile_definitions(${target} PRIVATE TEST_STATIC=1)
    target_link_options(${target} PRIVATE -static)
  elseif(MINGW)
    # No DLL of the compiler's.
    target_link_options(${target} PRIVATE -static)
  endif()
endfunction()

# Programs that use the library as everybody does. On Windows they have the
# static library, and uv-test-dll is the tests again, on the DLL.
if(LIBUV_BUILD_SHARED AND NOT LIBUV_STATIC_TESTS AND NOT WIN32)
  set(uv_test_library uv)
else()
  set(uv_test_library uv_a)
endif()

# Linux only: their other side and their floors are written for it.
if(LIBUV_BUILD_BENCH AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  uv_program(uv-bench ${uv_test_library} ${uv_bench_sources})
endif()
if(NOT LIBUV_BUILD_TESTS)
  return()
endif()

if(WIN32)
  list(APPEND uv_examples ${uv_windows_examples})
  list(APPEND uv_test_sources ${uv_test_win_sources})
  list(APPEND uv_harness_sources ${uv_harness_win_sources} test/blackbox/runner-win.c)
  list(APPEND uv_unit_sources ${uv_unit_win_sources})
  list(APPEND uv_contract_sources ${uv_contract_win_sources})
else()
  list(APPEND uv_examples ${uv_unix_examples})
  list(APPEND uv_test_sources ${uv_test_unix_sources})
  list(APPEND uv_harness_sources ${uv_harness_unix_sources})
  list(APPEND uv_unit_sources ${uv_unit_unix_sources})
  list(APPEND uv_contract_sources ${uv_contract_unix_sources})
endif()

if(LIBUV_OBSERVE)
  list(APPEND uv_unit_sources ${uv_unit_observe_sources})
endif()

uv_program(uv-test ${uv_test_library} ${uv_test_sources})
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  uv_program(uv-stress ${uv_test_library} ${uv_stress_sources})
  uv_program(uv-world ${uv_test_library} ${uv_world_sources})
endif()
if(WIN32 AND LIBUV_BUILD_SHARED)
  uv_program(uv-test-dll uv ${uv_test_sources})
endif()
# The unit tests script the clock (poller-fake.c), which takes a linker that
# can give a function another name: not Microsoft's, nor Apple's.
if(NOT MSVC AND NOT APPLE)
  uv_program(uv-unit uv_a ${uv_unit_sources} ${uv_harness_sources})
  target_compile_options(uv-unit PRIVATE ${uv_private})
  target_link_options(uv-unit PRIVATE -Wl,--wrap=uv_hrtime)
endif()

# uv_harness_program(TARGET LIST SOURCE...): the runner of the unit tests, with
# a list of its own.
function(uv_harness_program target list)
  uv_program(${target} uv_a ${ARGN} ${uv_harness_sources})
  target_compile_options(${target} PRIVATE ${uv_private})
  target_compile_definitions(${target} PRIVATE UNIT_LIST=\"${list}\")
endfunction()
uv_harness_program(uv-contract contract/list.h ${uv_contract_sources})
if(LIBUV_KQUEUE_SHIM)
  uv_harness_program(uv-shim kqueue-shim/test/list.h ${uv_shim_test_sources})
endif()

function(uv_example path)
  get_filename_component(name ${path} NAME)
  get_filename_component(folder ${path} DIRECTORY)
  uv_program(example-${name} ${uv_test_library} ${path}.c)
  set_target_properties(example-${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
endfunction()
foreach(example ${uv_examples})
  uv_example(${example})
endforeach()
# With GLib and OpenSSL, where they are installed for this compiler. (MSan and
# TSan do not know what goes on inside them.)
if(UNIX AND NOT CMAKE_CROSSCOMPILING AND
   NOT LIBUV_TEST_PRESET MATCHES "^(i386|msan|musl|tsan)$")
  find_package(PkgConfig)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(GLIB IMPORTED_TARGET glib-2.0)
    pkg_check_modules(OPENSSL IMPORTED_TARGET openssl)
  endif()
  if(GLIB_FOUND)
    uv_example(${uv_glib_examples})
    target_link_libraries(example-glib PRIVATE PkgConfig::GLIB)
  endif()
  if(OPENSSL_FOUND)
    uv_example(${uv_openssl_examples})
    target_link_libraries(example-tls PRIVATE PkgConfig::OPENSSL)
  endif()
endif()

# What clang's MSan does not know of the C library, loaded before it.
if(LIBUV_TEST_PRESET STREQUAL "msan")
  set(uv_msan_calls ${PROJECT_BINARY_DIR}/msan-calls.so)
  set(source ${PROJECT_SOURCE_DIR}/test/sanitizers/msan-calls.c)
  add_custom_command(OUTPUT ${uv_msan_calls} DEPENDS ${source}
    COMMAND gcc -Wall -Wextra -Werror -D_FILE_OFFSET_BITS=64 -O1 -fno-builtin
            -fPIC -shared -o ${uv_msan_calls} ${source} -ldl
    VERBATIM)
  add_custom_target(msan-calls ALL DEPENDS ${uv_msan_calls})
endif()
