# SPDX-License-Identifier: MIT
"""A room for each library, and commands that run and are measured in it."""
import hashlib
import json
import os
import signal
import subprocess
import time

from contenders import Stop

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = "/tree/bench/tools/programs/"
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
               "HOME": "/tmp", "LC_ALL": "C.UTF-8", "TERM": "dumb",
               "USER": "root"}
TIMEOUT = 120


class Unavailable(Stop):
    """This machine cannot run the tools; the message says why."""


def prepare():
    """The Debian directory and the one with the npm packages."""
    done = subprocess.run([os.path.join(HERE, "prepare")],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Unavailable("the tools cannot be installed")
    return done.stdout.split()


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Room:
    """Inside a `with` block: a private Debian with this library, kept alive by
    an open pipe."""

    def __init__(self, name, library, debian, prepared):
        self.name = name
        self.library = library  # a file, or "stock"
        self.debian = debian
        self.prepared = prepared
        self.keeper = None
        self.pid = None

    def __enter__(self):
        self.keeper = subprocess.Popen(
            ["unshare", "-m", "-n", "-p", "-f", "--kill-child",
             "--propagation", "private", os.path.join(HERE, "room"),
             self.debian, self.prepared, self.library],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.keeper.stdout.readline() != "ready\n":
            self.__exit__()
            raise Stop("no room for %s" % self.name)
        self.pid = self._first_process()
        self._check_library()
        return self

    def __exit__(self, *_):
        self.keeper.stdin.close()
        try:
            self.keeper.wait(10)
        except subprocess.TimeoutExpired:
            self.keeper.kill()
            self.keeper.wait()

    def _first_process(self):
        path = "/proc/%d/task/%d/children" % (self.keeper.pid, self.keeper.pid)
        with open(path) as text:
            return int(text.read().split()[0])

    def _check_library(self):
        """Node has the right file in memory, and no other libuv."""
        done = self.popen(["node", PROGRAMS + "maps.js"],
                          stdout=subprocess.PIPE, text=True)
        mapped = done.communicate(timeout=TIMEOUT)[0].strip()
        inside = os.path.join("/proc/%d/root" % self.pid, mapped.lstrip("/"))
        if os.path.basename(mapped) != "libuv.so.1.0.0" or (
                self.library != "stock" and
                digest(inside) != digest(self.library)):
            raise Stop("%s: node has %s" % (self.name, mapped))

    def popen(self, command, folder="/work", enter=None, **more):
        """Starts a command in the room; `enter` runs before it does."""
        outside = ["nsenter", "-t", str(self.pid), "-m", "-n", "-p", "-r",
                   "--wdns=" + folder]
        return subprocess.Popen(outside + command, env=ENVIRONMENT,
                                stdin=subprocess.DEVNULL, preexec_fn=enter,
                                **more)

    def run(self, command, folder="/work", enter=None):
        """Runs a command: what its process tree cost, or what it printed as a
        line of JSON."""
        began = time.monotonic()
        process = self.popen(command, folder, enter, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        signal.alarm(TIMEOUT)
        try:
            out = process.stdout.read()
            errors = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()  # what it started ends with the room
            process.wait()
            raise
        finally:
            signal.alarm(0)
        process.returncode = status
        wall = time.monotonic() - began
        if status != 0:
            raise Stop("%s: %s: status %d\n%s" % (
                self.name, " ".join(command)[:200], status,
                (out + errors)[-2000:]))
        last = out.strip().splitlines()[-1:]
        found = {"ops": 1, "wall": wall,
                 "cpu": usage.ru_utime + usage.ru_stime,
                 "switches": usage.ru_nvcsw + usage.ru_nivcsw}
        if last and last[0].startswith("{"):
            found = json.loads(last[0])
        return dict(found, elapsed=wall)


def too_long(*_):
    raise Stop("a command did not end within %d s" % TIMEOUT)


signal.signal(signal.SIGALRM, too_long)
