# SPDX-License-Identifier: MIT
"""Processes that compute all the time, next to what is measured."""
import os
import subprocess
import time

# Ends by itself when the process that started it has ended.
LINE = "while kill -0 %d; do for i in 1 2 3 4 5 6 7 8 9 10 11 12; " \
    "do j=$((i * i)); done; done"


def processor_time(pid):
    """Seconds, with the resolution of the scheduler: the process's clock."""
    return time.clock_gettime((~pid << 3) | 2)


class Hogs:
    """They compute inside a `with` block. `apart`: each in a session of its own,
    which the kernel schedules as another group of processes (autogroup)."""

    def __init__(self, count, apart=False):
        self.count = count
        self.apart = apart
        self.processes = []

    def __enter__(self):
        self.processes = [
            subprocess.Popen(["sh", "-c", LINE % os.getpid()],
                             stderr=subprocess.DEVNULL,
                             start_new_session=self.apart)
            for _ in range(self.count)]
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes = []

    def time(self):
        return sum(processor_time(p.pid) for p in self.processes)
