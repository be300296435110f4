# SPDX-License-Identifier: MIT
"""Compile a suite against our headers and link it with a library under test.

Happy path: a private tree {test, src, include} in the cache -> one object per
C file, remembered together with the hashes of everything it included -> one
link per library. Failure: a file that does not compile, or a function that
the library lacks, does not affect the rest. It is replaced by a stub that
says so and fails the tests that need it.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess

import suite as suites

CFLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-DUSING_UV_SHARED=1", "-O1", "-g1",
          "-Werror=implicit-function-declaration", "-fPIE"]
LIBS = ["-lpthread", "-ldl", "-lutil", "-lrt", "-lm"]


class BuildError(Exception):
    """Nothing can run; the message is the tool's output."""


class Builder:
    """Builds one suite with one compiler against one set of headers."""

    def __init__(self, suite, cc, include, src, jobs, static=False):
        self.suite = suite
        self.static = static
        self.cc = shlex.split(cc)
        self.extra = (shlex.split(os.environ.get("CPPFLAGS", "")) +
                      shlex.split(os.environ.get("CFLAGS", "")))
        self.ldflags = shlex.split(os.environ.get("LDFLAGS", ""))
        self.include = os.path.abspath(include)
        self.src = os.path.abspath(src)
        self.jobs = jobs
        self._hashes = {}
        self.dir = suites.cache_dir("build", self._key())
        self.tree = os.path.join(self.dir, "tree")
        self.broken = {}

    def _key(self):
        version = subprocess.run(self.cc + ["-v"], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT).stdout
        # Contents, not paths: checkouts with the same headers share objects.
        what = [self.suite.digest, self.cc, CFLAGS, self.extra,
                suites.tree_hash(self.include),
                hashlib.sha256(version).hexdigest()]
        digest = hashlib.sha256(json.dumps(what).encode()).hexdigest()
        return self.suite.name.replace("/", "_") + "-" + digest[:16]

    def _hash(self, path):
        if path not in self._hashes:
            try:
                with open(path, "rb") as data:
                    self._hashes[path] = hashlib.sha256(data.read()).hexdigest()
            except OSError:
                self._hashes[path] = None
        return self._hashes[path]

    def prepare(self):
        """The private tree. test/ is a real directory, not a link: the suite
        includes "../src/idna.c" and that must arrive at our src/."""
        os.makedirs(self.tree, exist_ok=True)
        test = os.path.join(self.tree, "test")
        if not os.path.isdir(test):
            work = test + ".new"
            shutil.rmtree(work, ignore_errors=True)
            shutil.copytree(self.suite.test, work, symlinks=True)
            os.rename(work, test)
        for name, target in (("include", self.include), ("src", self.src)):
            link = os.path.join(self.tree, name)
            if os.path.islink(link):
                os.unlink(link)
            os.symlink(target, link)

    def _flags(self, source):
        flags = CFLAGS + ["-I", "include"] + self.extra
        with open(os.path.join(self.tree, "test", source), "rb") as text:
            white_box = b'"../src/' in text.read()
        if white_box:
            flags += ["-iquote", "src"]
        return flags

    def _fresh(self, stamp, command):
        try:
            with open(stamp, encoding="utf-8") as text:
                known = json.load(text)
        except (OSError, ValueError):
            return False
        return known["command"] == command and all(
            self._hash(path) == value for path, value in known["deps"].items())

    def _run_compiler(self, _source, command):
        """From the tree's top: failing assertions then name test/test-x.c."""
        return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, errors="replace",
                              cwd=self.tree)

    def _compile(self, source):
        """Returns (source, object, None), or the compiler's output third."""
        base = os.path.join(self.dir, source[:-2])
        command = self.cc + self._flags(source) + [
            "-MMD", "-MF", base + ".d", "-c", "test/" + source,
            "-o", base + ".o"]
        if os.path.exists(base + ".o") and self._fresh(base + ".json", command):
            return source, base + ".o", None
        done = self._run_compiler(source, command)
        if done.returncode != 0:
            return source, base + ".o", done.stdout
        with open(base + ".d", encoding="utf-8") as text:
            rule = text.read().replace("\\\n", " ").split(": ", 1)[1]
        paths = [os.path.join(self.tree, path) for path in rule.split()]
        deps = {path: self._hash(path) for path in paths}
        with open(base + ".json", "w", encoding="utf-8") as text:
            json.dump({"command": command, "deps": deps}, text)
        return source, base + ".o", None

    def _stand_in(self, name, functions, why):
        """An object whose functions say why they cannot run, and fail."""
        base = os.path.join(self.dir, name)
        quoted = json.dumps(why)
        with open(base + ".c", "w", encoding="utf-8") as text:
            text.write("#include <stdio.h>\n#include <stdlib.h>\n")
            for function in sorted(functions):
                text.write("int %s(void) {\n  fputs(\"%s: \" %s \"\\n\", "
                           "stderr);\n  exit(1);\n}\n"
                           % (function, function, quoted))
        subprocess.run(self.cc + self.extra +
                       ["-w", "-fPIE", "-c", base + ".c", "-o", base + ".o"],
                       check=True)
        return base + ".o"

    def _stand_in_for(self, source, words):
        with open(os.path.join(self.tree, "test", source), encoding="utf-8",
                  errors="replace") as text:
            found = re.findall(r"\b(TEST|BENCHMARK|HELPER)_IMPL\s*\((\w+)\)",
                               text.read())
        prefix = {"TEST": "run_test_", "BENCHMARK": "run_benchmark_",
                  "HELPER": "run_helper_"}
        names = {prefix[kind] + name for kind, name in found}
        first = [line for line in words.splitlines() if "error" in line]
        why = "%s does not compile: %s" % (
            source, first[0] if first else "see the compiler")
        return self._stand_in("broken-" + source[:-2], names, why)

    def compile(self, bench=False, progress=None):
        """Objects of every source of the suite, built where out of date."""
        self.prepare()
        objects = []
        sources = self.suite.sources(bench)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for source, path, words in pool.map(self._compile, sources):
                if words is not None:
                    if source.startswith(("run", "runner")):
                        raise BuildError(words)
                    self.broken[source] = words
                    path = self._stand_in_for(source, words)
                objects.append(path)
                if progress:
                    progress(len(objects), len(sources))
        return objects

    def link(self, objects, lib, output):
        """Link with `lib`, found at run time in lib/ next to the program
        unless it is static."""
        how = ["-static"] if self.static else ["-pie",
                                               "-Wl,-rpath,$ORIGIN/lib"]
        missing = set()
        for _ in range(3):
            extra = []
            if missing:
                extra = [self._stand_in(
                    "missing-" + os.path.basename(output), missing,
                    "not in the library under test")]
            done = subprocess.run(
                self.cc + self.extra + how + ["-o", output] + objects +
                extra + [lib] + self.ldflags + LIBS,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env=dict(os.environ, LC_ALL="C"), errors="replace")
            if done.returncode == 0:
                return sorted(missing)
            found = re.findall(r"undefined reference to `(\w+)'", done.stdout)
            if not set(found) - missing:
                raise BuildError(done.stdout)
            missing |= set(found)
        raise BuildError(done.stdout)
