# SPDX-License-Identifier: MIT
# Debian's musl-gcc. It knows only musl's headers: the kernel's are put behind
# them.
set(CMAKE_C_COMPILER musl-gcc)
set(uv_headers ${CMAKE_CURRENT_LIST_DIR}/../build/musl-headers)
get_filename_component(uv_headers ${uv_headers} ABSOLUTE)
if(NOT EXISTS ${uv_headers}/asm)
  execute_process(COMMAND gcc -print-multiarch OUTPUT_VARIABLE uv_multiarch
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(MAKE_DIRECTORY ${uv_headers})
  foreach(name linux asm-generic ${uv_multiarch}/asm)
    get_filename_component(base ${name} NAME)
    file(CREATE_LINK /usr/include/${name} ${uv_headers}/${base} SYMBOLIC)
  endforeach()
endif()
set(CMAKE_C_FLAGS_INIT "-idirafter ${uv_headers}")
