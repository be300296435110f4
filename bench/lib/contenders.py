# SPDX-License-Identifier: MIT
"""Which libraries are compared, and the program that runs on them."""
import glob
import os
import platform
import subprocess

import loadable

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
REFERENCE = os.path.join(TOP, "test", "conformance", "reference")
ORACLE = os.path.join(TOP, "test", "conformance", "oracle")
SYSTEM_DIRS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
               "/usr/lib64", "/usr/lib")


class Stop(Exception):
    """The comparison is not possible; the message says why."""


class Contender:
    """A library, or the bare system calls (folder None)."""

    def __init__(self, name, folder, is_ours=False):
        self.name = name
        self.folder = folder
        self.is_ours = is_ours
        self.version = None

    @property
    def is_floor(self):
        return self.folder is None

    def environment(self, ours):
        """The floor does not use the library but is linked with one."""
        folder = self.folder or ours.folder
        env = dict(os.environ, LD_LIBRARY_PATH=folder)
        for name in ("UV_USE_IO_URING", "UV_THREADPOOL_SIZE", "UV_POLLER"):
            if name not in os.environ.get("BENCH_KEEP_ENV", "").split():
                env.pop(name, None)
        return env


def our_library():
    """The newest optimised build of the tree."""
    found = []
    for pattern in ("build/gcc", "build/try", "build/autotools/.libs",
                    ".libs"):
        found += glob.glob(os.path.join(TOP, pattern, "libuv.so.1"))
    if not found:
        raise Stop("no library built: run ./try or ./check, or give --lib DIR")
    return os.path.dirname(max(found, key=os.path.getmtime))


def system_library():
    for folder in SYSTEM_DIRS:
        if os.path.exists(os.path.join(folder, "libuv.so.1")):
            return folder
    return None


def printed_by(script):
    done = subprocess.run([script], stdout=subprocess.PIPE, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def newest_library():
    """1.53.0 needs a newer C library than most machines have."""
    folder = printed_by(ORACLE)
    return folder and loadable.copy(
        os.path.join(folder, "libuv.so.1"),
        os.path.join(TOP, "build", "bench", "libuv-1.53.0"))


# References by name: what finds the folder.
KNOWN = {"system": system_library,
         "1.50.0": lambda: printed_by(REFERENCE),
         "1.53.0": newest_library}


def check_folder(folder):
    if not os.path.exists(os.path.join(folder, "libuv.so.1")):
        raise Stop("no libuv.so.1 in " + folder)
    return os.path.realpath(folder)


def reference(name):
    """From a folder or a name of KNOWN; None if that cannot be had."""
    folder = KNOWN[name]() if name in KNOWN else check_folder(name)
    if folder is None:
        print("no reference %s on this machine" % name)
        return None
    return Contender("libuv", folder)


def choose(lib, refs):
    """Ours first, then the references."""
    ours = Contender("blacklight", check_folder(lib or our_library()), True)
    others = [c for c in map(reference, refs or KNOWN) if c]
    if not others:
        raise Stop("no reference: install libuv1, or give --ref DIR")
    return [ours] + others


def build_program(folder):
    """uv-bench, linked with the library there."""
    done = subprocess.run([os.path.join(HERE, "build"), folder],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Stop("uv-bench does not compile")
    return done.stdout.strip()


def name_by_version(libraries, bench, probe):
    """The version that each library reports."""
    for contender in libraries:
        contender.version = bench.run(contender, probe, 1)["version"]
        if not contender.is_ours:
            contender.name = "libuv-" + contender.version


def write(path, text):
    with open(path, "w") as out:
        out.write(text)
    print("wrote " + path)


def machine():
    model = platform.machine()
    with open("/proc/cpuinfo") as lines:
        for line in lines:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
    return "%s, %d CPUs, Linux %s" % (model, os.cpu_count(),
                                      platform.release())
