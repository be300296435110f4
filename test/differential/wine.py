# SPDX-License-Identifier: MIT
"""Programs as Windows programs, under Wine: how they are built and run.

`run --target windows` runs inside test/wine, which gives it a Wine of its own.
Each program is a process, since there is no fork(); its directory is made here.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

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
# Programs at a time: they wait for Wine more than they compute.
LANES = int(os.environ.get('DIFFERENTIAL_LANES', '4'))
# Given to the wine64 of a program: its own process number.
START = 'DIFFER_PID=$$ exec wine64 "$@"'


def enter():
    """Starts this command again inside test/wine; returns there only."""
    if os.environ.get('DIFFERENTIAL_IN_WINE'):
        return
    os.environ['DIFFERENTIAL_IN_WINE'] = '1'
    tool = os.path.join(TOP, 'test', 'wine')
    os.execv(tool, [tool, sys.executable, *sys.argv])


def areas(program):
    """The names of the areas that it has."""
    return subprocess.run(['wine64', program], stdout=subprocess.PIPE,
                          text=True).stdout.split()


def run_one(program, arguments, env):
    """The lines of one program, with the status."""
    folder = tempfile.mkdtemp(prefix='differ-')
    try:
        process = subprocess.Popen(
            ['sh', '-c', START, 'sh', program, *arguments], cwd=folder,
            env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        try:
            text = process.communicate(timeout=SECONDS_MAX)[0]
            status = str(process.returncode)
        except subprocess.TimeoutExpired:
            process.kill()
            text = process.communicate()[0]
            status = 'took too long'
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    lines = text.decode('utf-8', 'replace').replace('\r', '').splitlines()
    return [line for line in lines if not line.startswith('=== ')] + \
        ['status: ' + status]


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
