# SPDX-License-Identifier: MIT
"""libuv's suite on Windows: cross-built with mingw-w64, run under Wine.

Happy path: build the suite -> a Wine prefix in the cache, made once -> a few
lanes, each a namespace with a copy of the prefix, a wineserver and
loopback only -> tests from one queue, each in a fresh directory, with a
pseudo-terminal as standard input.

The wineserver owns every socket and pipe of its prefix, so it starts inside
the namespace and serves all tests of its lane: starting one costs a second.
A lane is this file, run again as process 1 of the namespace; it reads a line of
JSON for each test and answers with one.
"""
import concurrent.futures
import errno
import fcntl
import glob
import json
import os
import pty
import queue
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import isolation  # noqa: E402
import objects    # noqa: E402
import report     # noqa: E402
import suite as suites  # noqa: E402
import verdict    # noqa: E402

TOP = os.path.dirname(os.path.dirname(HERE))
CFLAGS = ["-std=gnu11", "-D_WIN32_WINNT=0x0A00", "-O1", "-g1",
          "-Werror=implicit-function-declaration"]
LIBS = ["-lpsapi", "-luser32", "-ladvapi32", "-liphlpapi", "-luserenv",
        "-lws2_32", "-ldbghelp", "-lole32", "-lshell32"]
WINE_FOLDERS = ("/usr/lib/wine", "/opt/wine-stable/bin", "/usr/bin")
# Processes of a test have this in their command line.
PROGRAM = "uv_run_tests"
# Most files of the suite include it; it includes uv.h and Windows' headers.
SHARED_HEADER = "task.h"
# The suite's runner does not end a test that takes too long on Windows.
GRACE_SECONDS = 15
START_FAILURES = ("could not load", "failed to start", "wine: ")


class NoWine(Exception):
    """The run is not possible; the message says why."""


# ---------------------------------------------------------------------------
# Build

def remove_file(path):
    if os.path.exists(path):
        os.unlink(path)


def can_share_header(content):
    """Whether a file includes the header, and defines nothing before."""
    before = content.split(b"#include", 1)[0]
    return (b'#include "%s"' % SHARED_HEADER.encode() in content and
            not re.search(rb"^\s*#\s*(define|undef|if)", before, re.M))


class WindowsSuite:
    """The same suite, with the other runner."""

    def __init__(self, suite):
        self._suite = suite

    def __getattr__(self, name):
        return getattr(self._suite, name)

    def sources(self, bench=False):
        names = [name for name in self._suite.sources(bench)
                 if name != "runner-unix.c"]
        return sorted(names + ["runner-win.c"])


class Builder(objects.Builder):
    """Compiles and links for Windows. Four fifths of the time of a test's file
    go into the headers of Windows, so most files share a precompiled one."""

    def __init__(self, suite, cc, include, src, jobs, shared):
        self.shared = shared
        self.precompiling = threading.Lock()
        super().__init__(WindowsSuite(suite), cc, include, src, jobs)

    def _key(self):
        kind = "-windows-dll-" if self.shared else "-windows-"
        return super()._key().replace("-", kind, 1)

    def _flags(self, source):
        flags = CFLAGS + ["-I", "include"] + self.extra
        if self.shared:
            flags.append("-DUSING_UV_SHARED=1")
        with open(os.path.join(self.tree, "test", source), "rb") as text:
            content = text.read()
        if b'"../src/' in content:
            flags += ["-iquote", "src"]
        elif can_share_header(content):
            flags += ["-include", "test/" + SHARED_HEADER]
        return flags

    def _run_compiler(self, source, command):
        """The first file that has to be compiled precompiles the header."""
        if "-include" in command:
            self._precompile(source)
        return super()._run_compiler(source, command)

    def _precompile(self, source):
        header = os.path.join(self.tree, "test", SHARED_HEADER)
        with self.precompiling:
            if os.path.exists(header + ".gch"):
                return
            flags = self._flags(source)
            flags = flags[:flags.index("-include")]
            # Without it the compiler reads the header itself.
            subprocess.run(self.cc + flags + ["-x", "c-header", header, "-o",
                                              header + ".gch.new"],
                           cwd=self.tree, stderr=subprocess.DEVNULL)
            if os.path.exists(header + ".gch.new"):
                os.rename(header + ".gch.new", header + ".gch")

    def compile(self, bench=False, progress=None):
        """(The precompiled header has 100 MB, and may be out of date.)"""
        header = os.path.join(self.tree, "test", SHARED_HEADER + ".gch")
        try:
            remove_file(header)
            return super().compile(bench, progress)
        finally:
            remove_file(header)

    def link(self, objs, lib, output):
        missing = set()
        for _ in range(3):
            extra = []
            if missing:
                extra = [self._stand_in("missing", missing,
                                        "not in the library under test")]
            done = subprocess.run(
                self.cc + self.extra + ["-static-libgcc", "-o", output] +
                objs + extra + [lib] + self.ldflags + LIBS,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env=dict(os.environ, LC_ALL="C"), errors="replace")
            if done.returncode == 0:
                return sorted(missing)
            found = re.findall(r"undefined reference to `(?:__imp_)?(\w+)'",
                               done.stdout)
            if not set(found) - missing:
                raise objects.BuildError(done.stdout)
            missing |= set(found)
        raise objects.BuildError(done.stdout)


def find_library(folder, shared):
    """libuv.a, or the import library, of `folder` or of our newest build."""
    name = "libuv.dll.a" if shared else "libuv.a"
    if folder and os.path.isfile(folder):
        return os.path.abspath(folder)
    folders = [folder] if folder else (
        glob.glob(os.path.join(TOP, "build", "windows*")) +
        glob.glob(os.path.join(TOP, "build", "windows*", ".libs")))
    found = [os.path.join(path, name) for path in folders
             if os.path.isfile(os.path.join(path, name))]
    if not found:
        raise NoWine("no %s in %s: build it (see docs) or give --lib DIR"
                     % (name, folder or "build/windows*"))
    return os.path.abspath(max(found, key=os.path.getmtime))


def make_stage(builder, objs, lib, folder):
    """A directory with what every test needs; returns (path, missing)."""
    stage = os.path.join(folder, "stage")
    shutil.copytree(os.path.join(builder.tree, "test", "fixtures"),
                    os.path.join(stage, "test", "fixtures"), symlinks=True)
    base = PROGRAM if builder.shared else PROGRAM + "_a"
    program = os.path.join(stage, base + ".exe")
    missing = builder.link(objs, lib, program)
    # A test starts the program by a name without extension.
    shutil.copy(program, os.path.join(stage, base + "_no_ext"))
    if builder.shared:
        for dll in ("libuv.dll", "libuv-1.dll"):
            path = os.path.join(os.path.dirname(lib), dll)
            if os.path.isfile(path):
                shutil.copy(path, stage)
    return stage, missing


# ---------------------------------------------------------------------------
# Wine

def find_wine():
    for folder in WINE_FOLDERS:
        wine = os.path.join(folder, "wine64")
        for server in ("wineserver64", "wineserver"):
            path = os.path.join(folder, server)
            if os.access(wine, os.X_OK) and os.access(path, os.X_OK):
                return wine, path
    raise NoWine("no wine64 here: install the package wine64")


def wine_env(wine_server, prefix):
    return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
            "HOME": os.path.expanduser("~"), "TERM": "xterm",
            "WINEDEBUG": "-all", "WINEARCH": "win64", "WINEPREFIX": prefix,
            "WINESERVER": wine_server,
            "WINEDLLOVERRIDES": "mscoree=;mshtml="}


def wine_version(wine):
    """What it calls itself, "wine-8.0"."""
    return subprocess.run([wine, "--version"], stdout=subprocess.PIPE,
                          text=True).stdout.split()[0]


def make_prefix(wine, server):
    """The prefix that lanes are copied from, made once per Wine version."""
    base = suites.cache_dir("wine")
    prefix = os.path.join(base, wine_version(wine))
    with open(os.path.join(base, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.isfile(os.path.join(prefix, "ready")):
            return prefix
        shutil.rmtree(prefix, ignore_errors=True)
        os.makedirs(prefix)
        env = wine_env(server, prefix)
        for command in (["wineboot", "-i"], ["winecfg", "-v", "win10"]):
            subprocess.run([wine] + command, env=env, timeout=180,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        subprocess.run([server, "-w"], env=env, timeout=60)
        if not os.path.isfile(os.path.join(prefix, "system.reg")):
            raise NoWine("wineboot made no prefix in " + prefix)
        open(os.path.join(prefix, "ready"), "w").close()
    return prefix


def copy_prefix(prefix, target):
    """A copy that shares the files nobody writes to."""
    subprocess.run(["cp", "-al", prefix, target], check=True)
    for name in os.listdir(target):
        path = os.path.join(target, name)
        if os.path.isfile(path) and not os.path.islink(path):
            os.unlink(path)
            shutil.copy2(os.path.join(prefix, name), path)


# ---------------------------------------------------------------------------
# A lane, inside its namespaces

class Lane:
    """Runs tests one after the other; process 1 of its namespace."""

    def __init__(self, stage, room, prefix, wine, server):
        self.stage = stage
        self.room = room
        self.wine = wine
        self.server = server
        self.env = wine_env(server, prefix)

    def set_up(self):
        # noatime: Wine reads files during stat, which must not show.
        subprocess.run(["mount", "-t", "tmpfs", "-o", "noatime,mode=1777",
                        "tmpfs", self.room], check=True)
        etc = os.path.join(self.room, "etc")
        os.mkdir(etc)
        texts = {"hosts": "127.0.0.1 localhost\n::1 localhost\n127.0.1.1 %s\n"
                          % os.uname().nodename,
                 "resolv.conf": "nameserver 127.0.0.1\n"
                                "options timeout:1 attempts:1\n",
                 "nsswitch.conf": "hosts: files dns\npasswd: files\n"}
        for name, text in texts.items():
            with open(os.path.join(etc, name), "w") as out:
                out.write(text)
            subprocess.run(["mount", "--bind", os.path.join(etc, name),
                            "/etc/" + name], stderr=subprocess.DEVNULL)
        commands = ["link set lo up multicast on",
                    "route add default dev lo", "route add 224.0.0.0/4 dev lo",
                    "route add ::/0 dev lo"]
        subprocess.run(["ip", "-force", "-batch", "-"], text=True,
                       input="\n".join(commands) + "\n",
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._start_server()

    def _start_server(self):
        """A wineserver that outlives its last client by a minute. (That of
        Wine 10 lists what is left when it ends.)"""
        subprocess.run([self.server, "-p60"], env=self.env,
                       stderr=subprocess.DEVNULL)

    def _has_udp_sockets(self):
        for name in ("udp", "udp6"):
            with open("/proc/net/" + name) as text:
                if len(text.readlines()) > 1:
                    return True
        return False

    def _check_server(self, test):
        """The wineserver of Wine 10 sometimes keeps a UDP socket of a process
        that has ended, so that its port stays taken: start another one."""
        patience = time.monotonic() + 2
        while self._has_udp_sockets():
            if time.monotonic() > patience:
                print("wineserver kept a socket of " + test, file=sys.stderr,
                      flush=True)
                subprocess.run([self.server, "-k"], env=self.env)
                subprocess.run([self.server, "-w"], env=self.env)
                self._start_server()
                return
            time.sleep(0.05)

    def _drain(self, master):
        """Drains the terminal, so that a test is never blocked by it."""
        try:
            while os.read(master, 65536):
                pass
        except OSError as error:
            if error.errno not in (errno.EIO, errno.EBADF):
                raise

    def _end_others(self):
        """End what a test left, by its command line; this namespace holds
        nobody else's processes."""
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid():
                continue
            try:
                with open("/proc/%s/cmdline" % name, "rb") as text:
                    words = text.read()
                if PROGRAM.encode() in words.replace(b"\\", b"/"):
                    os.kill(int(name), signal.SIGKILL)
            except OSError:
                pass  # it has ended by itself

    def _start(self, program, test, output):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 24, 80, 0, 0))

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        process = subprocess.Popen(
            [self.wine, program] + ([test] if test else []), stdin=slave,
            stdout=output, stderr=subprocess.STDOUT, env=self.env,
            cwd=os.path.dirname(program), preexec_fn=own_terminal)
        os.close(slave)
        threading.Thread(target=self._drain, args=(master,),
                         daemon=True).start()
        return process, master

    def run(self, test, seconds):
        work = tempfile.mkdtemp(prefix="uv.", dir=self.room)
        place = os.path.join(work, "t")
        shutil.copytree(self.stage, place, symlinks=True)
        program = glob.glob(os.path.join(place, PROGRAM + "*.exe"))[0]
        late = False
        begin = time.monotonic()
        with tempfile.TemporaryFile() as output:
            process, master = self._start(program, test, output)
            try:
                status = process.wait(seconds + GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                late = True
                process.kill()
                status = process.wait()
            took = time.monotonic() - begin
            self._end_others()
            os.close(master)
            output.seek(0)
            text = output.read().decode(errors="replace")
        shutil.rmtree(work, ignore_errors=True)
        self._check_server(test)
        return {"test": test, "status": status, "seconds": took,
                "output": text.replace("\r\n", "\n"), "late": late}

    def serve(self):
        self.set_up()
        print(json.dumps({"ready": True}), flush=True)
        for line in sys.stdin:
            job = json.loads(line)
            result = self.run(job["test"], job["seconds"])
            # Wine sometimes does not start a program under load.
            if result["status"] not in (0, 7) and (
                    not result["output"].strip() or any(
                        words in result["output"] for words in START_FAILURES)):
                if not result["late"]:
                    result = self.run(job["test"], job["seconds"])
            print(json.dumps(result), flush=True)
        subprocess.run([self.server, "-k"], env=self.env)


# ---------------------------------------------------------------------------
# The driver

class LaneProcess:
    """The driver's end of a lane."""

    def __init__(self, unshare, stage, folder, prefix, wine, server):
        self.prefix = tempfile.mkdtemp(prefix="lane.",
                                       dir=os.path.dirname(prefix))
        os.rmdir(self.prefix)
        copy_prefix(prefix, self.prefix)
        room = tempfile.mkdtemp(prefix="room.", dir=folder)
        self.process = subprocess.Popen(
            unshare + [sys.executable, os.path.abspath(__file__), "lane",
                       stage, room, self.prefix, wine, server],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if not self.process.stdout.readline():
            raise NoWine("a lane does not start")

    def run(self, test, seconds):
        self.process.stdin.write(json.dumps(
            {"test": test, "seconds": seconds}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise NoWine("a lane ended during " + test)
        answer = json.loads(line)
        return isolation.Result(answer["test"], answer["status"],
                                answer["output"], answer["seconds"],
                                answer["late"])

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.prefix, ignore_errors=True)


class Judge:
    """Verdicts under Wine: wine.txt says what fails or skips there on
    libuv itself."""

    def __init__(self):
        self.known = {row[0]: (row[1], row[2])
                      for row in verdict.rows("wine.txt", 3)}

    def judge(self, result):
        kind, reason = self.known.get(result.test, ("", ""))
        if result.status == 0 and not result.timed_out:
            return verdict.PASS, ""
        if any(words in result.output for words in verdict.STAND_IN):
            return verdict.FAIL, "cannot be built"
        if result.status == verdict.TEST_SKIP and kind in ("skip", "fail"):
            return verdict.SKIP, result.skip_reason() or reason
        if kind in ("fail", "flaky"):
            return verdict.EXCEPT, reason
        if result.timed_out:
            return verdict.FAIL, "killed after %.0f s" % result.seconds
        if result.status == verdict.TEST_SKIP:
            return verdict.FAIL, ("skipped, but not so under Wine: " +
                                  result.skip_reason())
        return verdict.FAIL, "exit status %d" % result.status


class WineUser:
    name = "wine"


def run_all(lanes, tests, seconds, done):
    """Tests in the order of the list on whichever lane is free."""
    free = queue.Queue()
    for lane in lanes:
        free.put(lane)

    def one(test):
        lane = free.get()
        try:
            return lane.run(test, seconds(test))
        finally:
            free.put(lane)

    with concurrent.futures.ThreadPoolExecutor(len(lanes)) as pool:
        for result in pool.map(one, tests):
            done(result)


def make_builder(options, suite):
    cc = options.cc or "x86_64-w64-mingw32-gcc"
    if not shutil.which(cc.split()[0]):
        raise NoWine("no %s here: install gcc-mingw-w64-x86-64" % cc)
    return Builder(suite, cc, options.include, options.src, options.jobs,
                   options.dll)


def build_for_windows(options, stage):
    """The program, its fixtures and what a later --staged needs to know."""
    builder = make_builder(options, suites.find(options.suite))
    lib = find_library(options.lib, options.dll)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(builder.dir, "lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            made, missing = make_stage(builder, builder.compile(), lib, folder)
        shutil.copytree(made, stage, dirs_exist_ok=True)
    shutil.copy(os.path.join(builder.suite.test, "test-list.h"),
                os.path.join(stage, "test"))
    with open(os.path.join(stage, "about.json"), "w") as out:
        json.dump({"name": builder.suite.name, "lib": lib, "missing": missing,
                   "broken": builder.broken}, out)


def run_under_wine10(options):
    """This driver again, in the private Debian of test/steps/wine."""
    stage = tempfile.mkdtemp(prefix="blacklight-wine.")
    try:
        build_for_windows(options, stage)
        command = [os.path.join(TOP, "test", "steps", "wine"), "--10", "--plain",
                   os.path.join(HERE, "run"), "--target", "windows",
                   "--staged", stage, "--jobs", str(options.jobs),
                   "--repeat", str(options.repeat)]
        for name in ("tap", "list"):
            if getattr(options, name):
                command.append("--" + name)
        return subprocess.run(command + options.names).returncode
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def run(options, choose):
    """The whole of `run --target windows`; returns its exit status."""
    if options.stage:
        build_for_windows(options, options.stage)
        print("the suite is in " + options.stage)
        return 0
    if options.wine10:
        return run_under_wine10(options)
    wine, server = find_wine()
    unshare = isolation.find_unshare()
    if not unshare:
        raise NoWine("this machine grants no namespaces")
    folder = tempfile.mkdtemp(prefix="blacklight-wine.")
    lanes = []
    try:
        stage = options.staged
        if not stage:
            stage = os.path.join(folder, "built")
            build_for_windows(options, stage)
        with open(os.path.join(stage, "about.json")) as text:
            about = json.load(text)
        suite = suites.Suite(about["name"], stage, None)
        prefix = make_prefix(wine, server)
        lanes.append(LaneProcess(unshare, stage, folder, prefix, wine, server))
        listing = lanes[0].run("--list", 20).output
        # (Wine may say something, too.)
        tests = choose(re.findall(r"^(\w+)(?:\s|$)", listing, re.M),
                       options.names)
        if options.list:
            print("\n".join(tests))
            return 0
        for _ in range(min(options.jobs, len(tests)) - 1):
            lanes.append(LaneProcess(unshare, stage, folder, prefix, wine,
                                     server))
        return report_all(options, suite, about, lanes, tests,
                          wine_version(wine))
    finally:
        for lane in lanes:
            lane.close()
        shutil.rmtree(folder, ignore_errors=True)


def report_all(options, suite, about, lanes, tests, version):
    judge = Judge()
    out = report.Report(options.tap)
    out.plan(len(tests) * options.repeat)
    out.say("suite %s, %d tests, under %s on %s" % (
        suite.name, len(tests), version, about["lib"]))
    for source, words in sorted(about["broken"].items()):
        out.say("%s does not compile; its tests fail:" % source)
        for line in words.splitlines()[:8]:
            out.say("    " + line)
    if about["missing"]:
        out.say("not in the library: " + " ".join(about["missing"]))
    for number in range(options.repeat):
        out.start_leg("wine" if options.repeat == 1 else
                      "wine, run %d of %d" % (number + 1, options.repeat))

        def done(result):
            what, reason = judge.judge(result)
            out.add(result, WineUser, what, reason)

        run_all(lanes, tests, suite.seconds, done)
        out.end_leg()
    return out.finish(options.repeat)


if __name__ == "__main__":
    if sys.argv[1:2] == ["lane"]:
        Lane(*sys.argv[2:7]).serve()
