#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Node's own files that mention libuv, against this tree's headers.

    node-syntax.py DIR        DIR is out/Release of a configured Node

The compiler only checks them, with the flags of the build: minutes, and before
V8, which takes hours. Files that include what the build generates first are
counted apart; ninja compiles them later.
"""
import json
import os
import re
import shlex
import subprocess
import sys

GENERATED = re.compile(r"fatal error: \S+: No such file or directory")


def only_check(command):
    words = shlex.split(command)
    if "-MF" in words: # the folder of the dependency file is not there yet
        del words[words.index("-MF"):words.index("-MF") + 2]
    return [word for word in words if word != "-MMD"] + ["-fsyntax-only"]


def commands(folder):
    listed = subprocess.run(["ninja", "-C", folder, "-t", "compdb"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    for entry in json.loads(listed[listed.index("["):]):
        if not entry["file"].startswith("../../src/"):
            continue
        with open(os.path.join(folder, entry["file"]), "rb") as source:
            if b"uv_" in source.read():
                yield entry["file"], only_check(entry["command"])


def main(folder):
    good, later, bad = [], [], []
    for name, command in commands(folder):
        done = subprocess.run(command, cwd=folder,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode == 0:
            good.append(name)
        elif GENERATED.search(done.stderr):
            later.append(name)
        else:
            bad.append(name)
            print("%s\n%s" % (name, done.stderr))
        print(len(good), len(later), len(bad), name, flush=True)
    print("%d of Node's files that use libuv compile, %d wait for generated "
          "headers, %d do not compile" % (len(good), len(later), len(bad)))
    return 1 if bad or not good else 0


sys.exit(main(sys.argv[1]))
