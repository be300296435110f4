# SPDX-License-Identifier: MIT
"""Runs a command that may start Windows programs with wine64; test/steps/wine
starts it.

The command gets a Wine of its own: a copy of the prefix that the conformance
suite uses, a server that ends with the command, and wine64 in its PATH. The
status is the command's.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import windows  # noqa: E402


def start_idle(wine, env):
    """A program that waits until its input ends. While one runs, Wine keeps its
    services; otherwise they stop and start again between two programs, which
    takes seconds, and hold the output of the program that started them."""
    idle = subprocess.Popen([wine, "cmd"], env=env, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    idle.stdout.readline()
    return idle


def add_32bit(prefix):
    """The DLLs that 32-bit programs load (see test/steps/wine)."""
    source = os.environ.get("UV_WINE_I386")
    if source:
        target = os.path.join(prefix, "drive_c", "windows", "syswow64")
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, copy_function=link_or_copy)


def link_or_copy(source, target):
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def main(command):
    wine, server = windows.find_wine()
    folder = tempfile.mkdtemp(prefix="blacklight-wine.",
                              dir=os.environ.get("UV_WINE_TMP"))
    prefix = os.path.join(folder, "prefix")
    env = dict(os.environ)
    # The library's own variables mean nothing to Wine; the rest is quiet.
    env.update(windows.wine_env(server, prefix))
    env.pop("DISPLAY", None)
    env["PATH"] = os.path.dirname(wine) + ":" + os.environ["PATH"]
    idle = None
    try:
        windows.copy_prefix(windows.make_prefix(wine, server), prefix)
        add_32bit(prefix)
        subprocess.run([server, "-p60"], env=env)
        idle = start_idle(wine, env)
        return subprocess.run(command, env=env).returncode
    finally:
        subprocess.run([server, "-k"], env=env)
        if idle is not None:
            idle.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    try:
        sys.exit(main(sys.argv[1:]))
    except windows.NoWine as reason:
        print(reason)
        sys.exit(77)
