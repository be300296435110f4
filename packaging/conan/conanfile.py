# SPDX-License-Identifier: MIT
"""Conan 2 recipe of the tree that it lies in, in place of Conan's libuv.

    conan create packaging/conan
"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SYSTEM_LIBS = {
    "Linux": ["pthread", "dl", "rt"],
    "Windows": ["psapi", "user32", "advapi32", "iphlpapi", "userenv", "ws2_32",
                "dbghelp", "ole32", "shell32"],
}


class Libuv(ConanFile):
    name = "libuv"
    description = "Blacklight, an independent implementation of libuv's interface"
    license = "MIT"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    languages = "C"
    implements = ["auto_shared_fpic"]

    def set_version(self):
        text = load(self, os.path.join(TOP, "include", "uv", "version.h"))
        numbers = re.findall(r"UV_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text)
        self.version = ".".join(numbers[:3])

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "*.pc.in", "LICENSE", "README.md",
                        "cmake/*", "include/*", "src/*", "test/sources.mk",
                        "tools/uv-trace/sources.mk"):
            copy(self, pattern, TOP, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.variables["LIBUV_BUILD_SHARED"] = bool(self.options.shared)
        toolchain.variables["LIBUV_BUILD_MAN"] = False
        toolchain.variables["LIBUV_BUILD_TOOLS"] = False
        toolchain.variables["BUILD_TESTING"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder,
             os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        target = "uv" if self.options.shared else "uv_a"
        self.cpp_info.set_property("cmake_file_name", "libuv")
        self.cpp_info.set_property("cmake_target_name", "libuv::" + target)
        self.cpp_info.set_property("cmake_target_aliases", ["libuv::libuv"])
        self.cpp_info.set_property("pkg_config_name", "libuv")
        self.cpp_info.libs = ["uv"]
        self.cpp_info.system_libs = SYSTEM_LIBS.get(str(self.settings.os),
                                                    ["pthread"])
        if self.options.shared:
            self.cpp_info.defines = ["USING_UV_SHARED=1"]
