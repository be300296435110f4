# SPDX-License-Identifier: MIT
"""Programs as Windows programs, under Wine: how they are built and run.

`run --target windows` runs inside test/steps/wine, which gives it a Wine of its own.
Each program is a process, since there is no fork(); its directory is made here.
"""
import concurrent.futures
import fcntl
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
CC = 'x86_64-w64-mingw32-gcc'
VERSION = '1.50.0'  # what Debian's sources can be built for Windows of
# (A program is compiled for a C library whose printf() knows %zu, which gcc
# does not know.)
FLAGS = ['-std=gnu11', '-D_WIN32_WINNT=0x0A00', '-D__USE_MINGW_ANSI_STDIO=1',
         '-Wall', '-Wextra', '-Werror', '-Wno-format', '-g']
LIBS = ['-lpsapi', '-luser32', '-ladvapi32', '-liphlpapi', '-luserenv',
        '-lws2_32', '-ldbghelp', '-lole32', '-lshell32', '-static',
        '-lpthread']
# Prints the directory of the libuv.a to compare with.
REFERENCE = [os.path.join(TOP, 'test', 'conformance', 'reference'), '--mingw',
             VERSION]
SECONDS_MAX = 30
WITH_CONSOLE = ('tty',)
CONSOLE_SIZE = (30, 80)     # rows, columns
# Programs at a time: they wait for Wine more than they compute.
LANES = int(os.environ.get('DIFFERENTIAL_LANES', '4'))
# Given to the wine64 of a program: its own process number.
START = 'DIFFER_PID=$$ exec wine64 "$@"'


def enter():
    """Starts this command again inside test/steps/wine; returns there only."""
    if os.environ.get('DIFFERENTIAL_IN_WINE'):
        return
    os.environ['DIFFERENTIAL_IN_WINE'] = '1'
    tool = os.path.join(TOP, 'test', 'steps', 'wine')
    os.execv(tool, [tool, sys.executable, *sys.argv])


def areas(program):
    """The names of the areas that it has."""
    return subprocess.run(['wine64', program], stdout=subprocess.PIPE,
                          text=True).stdout.split()


class Console:
    """A pseudo-terminal, which Wine makes a console of. What it shows is
    forgotten: programs read the screen themselves."""

    def __init__(self):
        self.master, self.slave = os.openpty()
        size = struct.pack('HHHH', *CONSOLE_SIZE, 0, 0)
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, size)
        # (If a process of Wine's keeps the console, do not wait at exit.)
        self.reader = threading.Thread(target=self.forget, daemon=True)

    def forget(self):
        try:
            while os.read(self.master, 65536):
                pass
        except OSError:     # the last process with it has ended
            pass

    def started(self):
        os.close(self.slave)
        self.reader.start()

    def close(self):
        self.reader.join(SECONDS_MAX)
        os.close(self.master)


def wait_for(process):
    """What a process wrote to standard error, and how it ended."""
    try:
        text = process.communicate(timeout=SECONDS_MAX)[1]
        return text, str(process.returncode)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[1], 'took too long'


def run_one(program, arguments, env):
    """The lines of one program, with the status."""
    folder = tempfile.mkdtemp(prefix='differ-')
    console = Console() if arguments[0] in WITH_CONSOLE else None
    stream = console.slave if console else subprocess.DEVNULL
    try:
        process = subprocess.Popen(
            ['sh', '-c', START, 'sh', program, *arguments], cwd=folder,
            env=env, stdin=stream, stdout=stream, stderr=subprocess.PIPE,
            start_new_session=console is not None)
        if console:
            console.started()
        text, status = wait_for(process)
    finally:
        if console:
            console.close()
        shutil.rmtree(folder, ignore_errors=True)
    lines = text.decode('utf-8', 'replace').replace('\r', '').splitlines()
    return lines + ['status: ' + status]


def run(program, area, version, first, count, keep, env):
    """As run() of the script `run`: {seed: [line, ...]}."""
    def run_seed(seed):
        arguments = [area, version, str(seed), '1']
        if keep is not None:
            arguments.append(','.join(str(n) for n in keep))
        return run_one(program, arguments, env)

    seeds = range(first, first + count)
    with concurrent.futures.ThreadPoolExecutor(LANES) as lanes:
        return dict(zip(seeds, lanes.map(run_seed, seeds)))
