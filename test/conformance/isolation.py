# SPDX-License-Identifier: MIT
"""Run one test in isolation: namespaces, user, time limit, processes.

The strongest isolation this machine grants is found once. "full" is a fresh
network, mount and process namespace for each test; "none" is a fresh working
directory and a process group, and then tests must run one at a time because
the suite's ports and socket names are fixed.
"""
import os
import pwd
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NAMESPACES = ["--net", "--mount", "--pid", "--fork", "--kill-child",
              "--mount-proc", "--propagation", "private"]
# Variables of the caller that a test may see; everything else is left out.
PASS_PREFIXES = ("UV_", "ASAN_", "LSAN_", "TSAN_", "UBSAN_", "MSAN_",
                 "KQUEUE_SHIM_")
# Namespaces of an ordinary user map only that user: other ids are EINVAL there,
# where these tests expect EPERM. They need no network and run without one.
NEED_OTHER_IDS = {"fs_chown", "spawn_setuid_fails", "spawn_setgid_fails"}
# The suite's runner limits each test; this limit covers a runner that hangs.
GRACE_SECONDS = 10


class Result:
    """What one test did."""

    def __init__(self, test, status, output, seconds, timed_out):
        self.test = test
        self.status = status
        self.output = output
        self.seconds = seconds
        self.timed_out = timed_out

    def lines(self):
        """The test's own output, without the runner's verdict line."""
        return [line for line in self.output.splitlines()
                if not line.startswith(("ok ", "not ok ", "1.."))]

    def skip_reason(self):
        """The reason a skipping test gave."""
        for line in self.output.splitlines():
            if line.startswith("ok ") and "# SKIP" in line:
                return line.split("# SKIP", 1)[1].strip()
        return ""


def find_unshare():
    """The unshare command line that works here, or None."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    command = ["unshare"] + user + NAMESPACES + ["--"]
    try:
        done = subprocess.run(
            command + ["sh", "-c", "mount -t tmpfs tmpfs /tmp"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
    except OSError:
        return None
    return command if done.returncode == 0 else None


class User:
    """Who runs the tests: root, or an unprivileged user."""

    def __init__(self, name, unshare):
        self.name = name
        self.root = name == "root"
        self.who = "same"
        try:
            entry = pwd.getpwuid(os.geteuid())
        except KeyError:
            entry = pwd.getpwnam("nobody")  # a user without an entry
        if not self.root and os.geteuid() == 0:
            entry = pwd.getpwnam("nobody")
            self.who = "%d:%d" % (entry.pw_uid, entry.pw_gid)
        elif not self.root and unshare:
            self.who = "map:%d:%d" % (os.getuid(), os.getgid())
        self.env = {"HOME": entry.pw_dir, "USER": entry.pw_name,
                    "LOGNAME": entry.pw_name}


class Sandbox:
    """Runs commands in a stage directory, each in isolation."""

    def __init__(self, unshare, stage, room, workdir=None, env=None):
        self.unshare = unshare
        self.stage = stage
        self.room = room
        self.workdir = workdir
        self.env = env or {}
        self.multiplier = max(1, int(
            os.environ.get("UV_TEST_TIMEOUT_MULTIPLIER", "1") or 1))
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        self.nofile = 8192
        if hard != resource.RLIM_INFINITY:
            self.nofile = min(self.nofile, hard)

    def _environment(self, user):
        env = {name: value for name, value in os.environ.items()
               if name.startswith(PASS_PREFIXES)}
        env.update(PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
                        "/sbin:/bin", SHELL="/bin/sh", TERM="xterm", LC_ALL="C")
        env.update(user.env)
        env.update(self.env)
        if user.root:
            env["UV_RUN_AS_ROOT"] = "1"
        return env

    def _kill(self, process, flag):
        flag.set()
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has just ended by itself

    def _argv(self, work, who, namespaces):
        level = "full" if namespaces else "none"
        return (self.unshare if namespaces else []) + [
            os.path.join(HERE, "sandbox"), level, self.stage, self.room, work,
            who, str(self.nofile)]

    def run(self, name, user, command, seconds):
        """Run a command in the stage as `user`; never raises for its sake."""
        namespaces = bool(self.unshare)
        who = user.who
        if who.startswith("map:") and name in NEED_OTHER_IDS:
            namespaces = False
            who = "same"
        work = "-"
        if self.workdir or not namespaces:
            work = tempfile.mkdtemp(prefix="uv.", dir=self.workdir or self.room)
            os.chmod(work, 0o755)
        argv = self._argv(work, who, namespaces) + command
        late = threading.Event()
        begin = time.monotonic()
        # A file, not a pipe: a process left behind by a test cannot block us.
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env=self._environment(user),
                start_new_session=True)
            timer = threading.Timer(
                seconds * self.multiplier + GRACE_SECONDS,
                self._kill, (process, late))
            timer.start()
            status = process.wait()
            timer.cancel()
            took = time.monotonic() - begin
            if not namespaces:
                self._kill(process, threading.Event())
            output.seek(0)
            text = output.read().decode(errors="replace")
        if work != "-":
            shutil.rmtree(work, ignore_errors=True)
        return Result(name, status, text, took, late.is_set())

    def run_test(self, test, user, seconds, wrap=()):
        """Run one test of the suite. `tty` gets the terminal it needs."""
        command = list(wrap) + ["./run-tests", test]
        if test == "tty" and shutil.which("script"):
            command = ["script", "-qec", "stty rows 24 cols 80; exec " +
                       " ".join(command), "/dev/null"]
        return self.run(test, user, command, seconds)
