# SPDX-License-Identifier: MIT
"""The states of a machine in which something is measured: idle, beside
processes that compute, on one processor, with a limit on processor time, or at
the lowest priority. And how much of the machine other programs took."""
import os
import resource

from contenders import Stop
from hogs import Hogs

CGROUPS = "/sys/fs/cgroup"
PERIOD_US = 100000


def write(path, value):
    with open(path, "w") as file:
        file.write(str(value))


class Quota:
    """A control group that may use `processors` processors' time. Works with
    either version of control groups, where this process may make one."""

    def __init__(self, processors):
        self.quota_us = int(processors * PERIOD_US)
        self.folder = None

    def __enter__(self):
        name = "blacklight-%d" % os.getpid()
        try:
            if os.path.exists(os.path.join(CGROUPS, "cpu")):
                self._make(os.path.join(CGROUPS, "cpu", name))
                write(os.path.join(self.folder, "cpu.cfs_period_us"), PERIOD_US)
                write(os.path.join(self.folder, "cpu.cfs_quota_us"),
                      self.quota_us)
            else:
                write(os.path.join(CGROUPS, "cgroup.subtree_control"), "+cpu")
                self._make(os.path.join(CGROUPS, name))
                write(os.path.join(self.folder, "cpu.max"),
                      "%d %d" % (self.quota_us, PERIOD_US))
        except OSError as error:
            self.__exit__()
            raise Stop("no control group with a limit: %s" % error)
        return self

    def _make(self, folder):
        os.mkdir(folder)
        self.folder = folder

    def __exit__(self, *_):
        if self.folder:
            os.rmdir(self.folder)
        self.folder = None

    def join(self):
        """In the child, before it executes the program."""
        write(os.path.join(self.folder, "cgroup.procs"), os.getpid())


class Condition:
    """A state of the machine; inside a `with` block it holds. enter() is called
    in a child process before the program starts."""

    def __init__(self, name, what, hogs=0, apart=False, processors=None,
                 share=None, is_idle_class=False, environment=None,
                 length=1):
        self.name = name
        self.what = what
        self.hogs = Hogs(hogs, apart)
        self.processors = processors
        # Of the machine's processor time.
        self.quota = Quota(share * os.cpu_count()) if share else None
        self.is_idle_class = is_idle_class
        self.environment = environment or {}
        # How many times as long a run has to be as one on an idle machine.
        self.length = length

    def __enter__(self):
        if self.quota:
            self.quota.__enter__()
        self.hogs.__enter__()
        return self

    def __exit__(self, *_):
        self.hogs.__exit__()
        if self.quota:
            self.quota.__exit__()

    def enter(self):
        if self.quota:
            self.quota.join()
        if self.processors:
            os.sched_setaffinity(0, self.processors)
        if self.is_idle_class:
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


# Seconds of processor time that the machine has used; in nanoseconds where
# control groups count it, else in ticks of 10 ms.
ACCOUNT = os.path.join(CGROUPS, "cpuacct", "cpuacct.usage")


def ticks():
    """(busy, taken by the host of a virtual machine), in seconds."""
    with open("/proc/stat") as lines:
        fields = [int(word) for word in lines.readline().split()[1:9]]
    hertz = os.sysconf("SC_CLK_TCK")
    user, nice, system, _, _, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq) / hertz, steal / hertz


def machine_time():
    busy, stolen = ticks()
    if os.path.exists(ACCOUNT):
        with open(ACCOUNT) as text:
            busy = int(text.read()) / 1e9
    return busy + stolen


def own_time():
    """This process and the children that have ended."""
    return sum(usage.ru_utime + usage.ru_stime for usage in (
        resource.getrusage(resource.RUSAGE_SELF),
        resource.getrusage(resource.RUSAGE_CHILDREN)))


class Others:
    """Measures, between start and share(), which share of the machine's
    processor time went to neither this process, its children nor the hogs."""

    def __init__(self, hogs):
        self.hogs = hogs
        self.before = self._foreign()

    def _foreign(self):
        return machine_time() - own_time() - self.hogs.time()

    def share(self, seconds):
        used = self._foreign() - self.before
        return max(0.0, used / (seconds * os.cpu_count()))
