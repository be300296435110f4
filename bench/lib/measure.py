# SPDX-License-Identifier: MIT
"""Running uv-bench: for time, for system calls, for instructions."""
import glob
import json
import os
import re
import subprocess
import tempfile

from contenders import Stop

TIMEOUT = 150
# Counting takes its time, and does not mind being paused.
COUNT_TIMEOUT = 900


def workloads(program, env):
    done = subprocess.run([program, "--list"], env=env, text=True,
                          stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def command(program, contender, workload, ops, size=None):
    argv = [program]
    if contender.is_floor:
        argv.append("--floor")
    argv += [workload["name"], str(ops)]
    return argv if size is None else argv + [str(size)]


def execute(argv, env, what, limit=TIMEOUT, prepare=None):
    """`prepare` runs in the child, before the program."""
    try:
        done = subprocess.run(argv, env=env, text=True, timeout=limit,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=prepare)
    except subprocess.TimeoutExpired:
        raise Stop("%s did not end within %d s" % (what, limit))
    if done.returncode != 0:
        raise Stop("%s failed: %s" % (what, done.stderr.strip()[-300:]))
    return json.loads(done.stdout.splitlines()[-1])


def environment(contender, workload, ours):
    """Ours uses io_uring where the workload's name says so; the references always
    use their pool."""
    env = contender.environment(ours)
    if contender.is_ours and workload["name"].endswith("-uring"):
        env["UV_USE_IO_URING"] = "1"
    return env


class Bench:
    """uv-bench with the contenders it runs on."""

    def __init__(self, program, ours):
        self.program = program
        self.ours = ours

    def run(self, contender, workload, ops, size=None):
        argv = command(self.program, contender, workload, ops, size)
        what = "%s on %s" % (workload["name"], contender.name)
        env = environment(contender, workload, self.ours)
        return execute(argv, env, what)

    def calibrate(self, contender, workload, seconds):
        """Operations that take about `seconds`."""
        ops = workload["ops"]
        if workload["ops_max"]:
            return min(ops, workload["ops_max"])
        # From small to large: on some library it may be very slow.
        ops = max(1, ops // 10)
        for _ in range(4):
            wall = self.run(contender, workload, ops)["wall"]
            if wall > seconds / 4:
                break
            ops = int(ops * min(20, max(2, seconds / 2 / max(wall, 1e-6))))
        return max(1, int(ops * seconds / max(wall, 1e-6)))

    def per_operation(self, contender, workload, count):
        """The cost of one operation by `count(argv, env)`: the difference
        between a longer and a shorter run, which excludes startup and
        shutdown."""
        name = workload["name"]
        few = max(4, min(workload["ops"] // 10, 2000))
        if name.startswith("spawn"):
            few = 4
        elif name.startswith(("work", "fs")) and workload["size"] >= 64:
            few = 20000  # evens out who waits for whom
        few = max(few, 2 * min(workload["size"], 1000)
                  if "burst" in name else few)
        many = 3 * few
        env = environment(contender, workload, self.ours)
        costs = [count(command(self.program, contender, workload, ops), env)
                 for ops in (few, many)]
        return (costs[1] - costs[0]) / (many - few)

    def syscalls(self, contender, workload):
        return self.per_operation(contender, workload, count_syscalls)

    def instructions(self, contender, workload):
        return self.per_operation(contender, workload, count_instructions)


def count_syscalls(argv, env):
    """Of the process and its threads, not of processes it started."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        full = ["strace", "-ff", "-qq", "-o", trace, "-s", "0"] + argv
        execute(full, env, "strace of " + argv[-2], COUNT_TIMEOUT)
        files = sorted(glob.glob(trace + ".*"),
                       key=lambda name: int(name.rsplit(".", 1)[1]))
        calls = 0
        for index, name in enumerate(files):
            with open(name) as lines:
                text = lines.read()
            if index > 0 and "execve(" in text:
                continue
            calls += len(re.findall(r"^\w+\(", text, re.M))
        return calls


def count_instructions(argv, env):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind.%p")
        full = ["valgrind", "--tool=callgrind", "-q",
                "--callgrind-out-file=" + out] + argv
        execute(full, env, "callgrind of " + argv[-2], COUNT_TIMEOUT)
        # The process itself has the lowest number; forks before exec may have
        # left others.
        files = sorted(glob.glob(os.path.join(folder, "callgrind.*")),
                       key=lambda name: int(name.rsplit(".", 1)[1]))
        with open(files[0]) as lines:
            found = re.findall(r"^(?:totals|summary): (\d+)", lines.read(),
                               re.M)
        return int(found[-1])
