# SPDX-License-Identifier: MIT
# An overlay port: builds the tree that it lies in, in place of vcpkg's libuv.
#   vcpkg install libuv --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" shared)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DLIBUV_BUILD_SHARED=${shared}
    -DBUILD_TESTING=OFF
    -DLIBUV_BUILD_MAN=OFF
    -DLIBUV_BUILD_TOOLS=OFF)
vcpkg_cmake_install()
vcpkg_copy_pdbs()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/libuv)
vcpkg_fixup_pkgconfig()

# The static library is always made; with the shared one it is in the way.
if(shared)
  file(GLOB static_libraries
       "${CURRENT_PACKAGES_DIR}/lib/libuv.a"
       "${CURRENT_PACKAGES_DIR}/debug/lib/libuv.a")
  if(static_libraries)
    file(REMOVE ${static_libraries})
  endif()
endif()
file(REMOVE_RECURSE
     "${CURRENT_PACKAGES_DIR}/debug/include"
     "${CURRENT_PACKAGES_DIR}/debug/share"
     "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${SOURCE_PATH}/LICENSE"
     DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}" RENAME copyright)
