# SPDX-License-Identifier: MIT
"""A libuv test suite: where it comes from and what its own lists say.

Only test/ of a libuv release is ever unpacked or copied, into a cache outside
the tree. A suite is known by name (suites.txt) or is any libuv checkout.
"""
import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class SuiteError(Exception):
    """The suite is not available; the message says why."""


def cache_dir(*parts):
    """Our directory in the user's cache, created if necessary."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = os.path.join(base, "blacklight", "conformance", *parts)
    os.makedirs(path, exist_ok=True)
    return path


def known_suites():
    """Names of the suites that suites.txt pins."""
    with open(os.path.join(HERE, "suites.txt"), encoding="utf-8") as lines:
        rows = [line.split() for line in lines if not line.startswith("#")]
    return [row[0] for row in rows if row]


def tree_hash(root):
    """One hash over the names and contents of every file below root."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(root):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(folder, name)
            digest.update(os.path.relpath(path, root).encode() + b"\0")
            if os.path.islink(path):
                digest.update(os.readlink(path).encode())
                continue
            with open(path, "rb") as data:
                digest.update(hashlib.sha256(data.read()).digest())
    return digest.hexdigest()


def unpack(tarball, folder, target):
    """Extract one top-level directory of a release tarball to target."""
    with tarfile.open(tarball) as archive:
        for member in archive:
            parts = member.name.split("/")
            if len(parts) < 3 or parts[1] != folder or ".." in parts:
                continue
            if not (member.isfile() or member.isdir() or member.issym()):
                continue
            member.name = "/".join(parts[1:])
            archive.extract(member, target)


class Suite:
    """One suite: `name` for reports, `root` holds test/ and nothing else."""

    def __init__(self, name, root, digest):
        self.name = name
        self.root = root
        self.digest = digest
        self.test = os.path.join(root, "test")

    def sources(self, bench=False):
        """The C files that make run-tests (or run-benchmarks)."""
        names = sorted(n for n in os.listdir(self.test) if n.endswith(".c"))
        names.remove("runner-win.c")
        if bench:
            return [n for n in names
                    if not n.startswith("test-") and n != "run-tests.c"]
        return [n for n in names
                if not n.startswith("benchmark-") and n != "run-benchmarks.c"]

    def seconds(self, test):
        """The time limit of the suite's own runner for a test."""
        if not hasattr(self, "_seconds"):
            with open(os.path.join(self.test, "test-list.h"),
                      encoding="utf-8", errors="replace") as text:
                custom = re.findall(
                    r"TEST_ENTRY_CUSTOM\s*\((\w+),\s*\d+,\s*\d+,\s*(\d+)\)",
                    text.read())
            self._seconds = {name: int(ms) / 1000 for name, ms in custom}
        return self._seconds.get(test, 5)


def fetch(version):
    """The path of the pinned tarball, fetched when needed."""
    done = subprocess.run([os.path.join(HERE, "fetch"), version],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SuiteError("cannot fetch the suite of libuv " + version)
    return done.stdout.strip()


def pinned_suite(version):
    """The suite of a release that suites.txt names."""
    tarball = fetch(version)
    with open(tarball, "rb") as data:
        digest = hashlib.sha256(data.read()).hexdigest()
    root = os.path.join(cache_dir("suites"), version + "-" + digest[:16])
    if not os.path.isdir(root):
        work = tempfile.mkdtemp(dir=cache_dir("suites"))
        unpack(tarball, "test", work)
        os.chmod(work, 0o755)
        rename_or_drop(work, root)
    return Suite(version, root, digest)


def checkout_suite(path):
    """The suite of any libuv checkout: a directory with test/ in it."""
    test = os.path.join(path, "test")
    if not os.path.isfile(os.path.join(test, "run-tests.c")):
        raise SuiteError(path + " is not a libuv checkout: no test/run-tests.c")
    digest = tree_hash(test)
    root = os.path.join(cache_dir("suites"), "path-" + digest[:16])
    if not os.path.isdir(root):
        work = tempfile.mkdtemp(dir=cache_dir("suites"))
        shutil.copytree(test, os.path.join(work, "test"), symlinks=True)
        os.chmod(work, 0o755)
        rename_or_drop(work, root)
    return Suite(os.path.basename(os.path.abspath(path)), root, digest)


def rename_or_drop(work, root):
    """Put a finished directory in place, unless another run just did."""
    try:
        os.rename(work, root)
    except OSError:
        if not os.path.isdir(root):
            raise
        shutil.rmtree(work)


def find(name):
    """The suite called `name`: a known version or a path."""
    if name in known_suites():
        return pinned_suite(name)
    if os.path.isdir(name):
        return checkout_suite(name)
    raise SuiteError("no suite %s: neither one of %s nor a directory"
                     % (name, ", ".join(known_suites())))
