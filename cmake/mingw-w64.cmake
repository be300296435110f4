# SPDX-License-Identifier: MIT
# Builds for Windows with mingw-w64:
#
#   cmake -S . -B build/windows -DCMAKE_TOOLCHAIN_FILE=cmake/mingw-w64.cmake
#
# Add -DUV_MINGW=i686-w64-mingw32 for 32 bits.
set(UV_MINGW x86_64-w64-mingw32 CACHE STRING "The compiler's prefix")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES UV_MINGW)

set(CMAKE_SYSTEM_NAME Windows)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR ${UV_MINGW})
set(CMAKE_C_COMPILER ${UV_MINGW}-gcc)
set(CMAKE_RC_COMPILER ${UV_MINGW}-windres)

# Programs come from this machine, everything else from the target's tree.
set(CMAKE_FIND_ROOT_PATH /usr/${UV_MINGW})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
