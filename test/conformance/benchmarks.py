# SPDX-License-Identifier: MIT
"""The suite's own benchmarks on two libraries in turns.

Every benchmark runs once on each, and then, shortest first, again while time
is left. Benchmarks print free text; RULES find the numbers in it. One that
fails on ours only is a failure; one that also fails on the reference is
skipped, with its message.
"""
import fnmatch
import json
import re
import statistics
import time

# The suite's runner limits a benchmark to 60 s; this covers one that hangs.
LIMIT_SECONDS = 70

# Not run unless named, and why.
LEFT_OUT = [
    ("sizes", "prints the sizes of structures, which the ABI fixes"),
    ("udp_timed_pummel_*", "udp_pummel_* for five seconds instead of a million "
     "datagrams"),
]

# Run last: on a slow machine there may be no time left for them.
LONG = ["udp_pummel_*", "async8", "tcp_multi_accept*"]

HIGHER, LOWER = 1, -1
NUMBER = r"([\d.,]+)"
# Benchmark, what to look for in its output, name of the number, its unit, and
# whether higher is better. All rules of the first pattern that matches apply.
RULES = [
    ("fs_stat", [
        (r"\(sync\): [\d.]+s \(" + NUMBER + "/s", " sync", "/s", HIGHER),
        (r"\(1 concurrent\): [\d.]+s \(" + NUMBER + "/s", " 1", "/s", HIGHER),
        (r"\(4 concurrent\): [\d.]+s \(" + NUMBER + "/s", " 4", "/s", HIGHER),
        (r"\(32 concurrent\): [\d.]+s \(" + NUMBER + "/s", " 32", "/s",
         HIGHER)]),
    ("million_timers", [
        (NUMBER + " seconds total", "", "s", LOWER),
        (NUMBER + " seconds dispatch", " dispatch", "s", LOWER)]),
    ("tcp_write_batch", [("in " + NUMBER + r"s\.", "", "s", LOWER)]),
    ("*_pump*_client", [("_client: " + NUMBER + " gbit/s", "", "gbit/s",
                         HIGHER)]),
    ("udp_*pummel_*", [(NUMBER + "/s received", "", "/s", HIGHER)]),
    ("*", [(NUMBER + r"(?: \w+)?/s", "", "/s", HIGHER)]),
]


def figures(benchmark, output):
    """{name: (value, unit, direction)} of one run."""
    text = " ".join(output.split())
    for pattern, rules in RULES:
        if not fnmatch.fnmatch(benchmark, pattern):
            continue
        found = {}
        for regex, suffix, unit, direction in rules:
            match = re.search(regex, text)
            if match:
                value = float(match.group(1).replace(",", ""))
                found[benchmark + suffix] = (value, unit, direction)
        return found
    return {}


def complaint(result):
    """Why a run gave no number."""
    if result.timed_out or "timeout" in result.output:
        return "its time limit"
    lines = [line.strip("# ") for line in result.lines()]
    lines = [line for line in lines if line and
             not line.startswith(("Output from", "exit code"))]
    return lines[0] if lines else "exit status %d" % result.status


def lateness(benchmark):
    return max((index + 1 for index, pattern in enumerate(LONG)
                if fnmatch.fnmatch(benchmark, pattern)), default=0)


class Library:
    """One side: its name and where benchmarks run on it."""

    def __init__(self, name, sandbox, user):
        self.name = name
        self.sandbox = sandbox
        self.user = user

    def run(self, benchmark):
        """Its figures, or the reason why there are none."""
        result = self.sandbox.run(benchmark, self.user,
                                  ["./run-benchmarks", benchmark],
                                  LIMIT_SECONDS)
        found = figures(benchmark, result.output)
        if result.status != 0 or not found:
            return complaint(result)
        return found


class Comparison:
    """All benchmarks on ours and on the reference."""

    def __init__(self, ours, reference, seconds, rounds):
        self.sides = [ours, reference]
        self.deadline = time.monotonic() + seconds
        self.rounds = rounds
        self.took = {}      # benchmark -> seconds of one round
        self.runs = {}      # name of a number -> [(ours, reference)]
        self.about = {}     # name of a number -> (unit, direction)
        self.skipped = {}   # benchmark -> why
        self.failed = {}    # benchmark -> why

    def _round(self, benchmark, turn):
        """Once on each; a different one starts each time."""
        begin = time.monotonic()
        found = {}
        for side in self.sides if turn % 2 == 0 else self.sides[::-1]:
            found[side] = side.run(benchmark)
        self.took[benchmark] = time.monotonic() - begin
        return [found[side] for side in self.sides]

    def _note(self, benchmark, ours, theirs):
        name = self.sides[1].name
        if isinstance(theirs, str):
            both = isinstance(ours, str)
            self.skipped[benchmark] = "fails on %s%s: %s" % (
                name, ", too" if both else ", runs on ours", theirs)
        elif isinstance(ours, str):
            self.failed[benchmark] = "runs on %s, on ours: %s" % (name, ours)
        else:
            keys = [key for key in ours if key in theirs]
            for key in keys:
                self.about[key] = ours[key][1:]
                self.runs.setdefault(key, []).append((ours[key][0],
                                                      theirs[key][0]))
            return keys
        return []

    def go(self, benchmarks):
        benchmarks = sorted(benchmarks, key=lateness)
        for turn, benchmark in enumerate(benchmarks):
            if time.monotonic() > self.deadline:
                self.skipped[benchmark] = "no time was left for it"
                continue
            for key in self._note(benchmark, *self._round(benchmark, turn)):
                say(row(key, self.result(key)))
        for turn in range(1, self.rounds):
            for benchmark in sorted(self.took, key=self.took.get):
                if benchmark in self.skipped or benchmark in self.failed:
                    continue
                if time.monotonic() + self.took[benchmark] < self.deadline:
                    self._note(benchmark, *self._round(benchmark, turn))

    def result(self, key):
        unit, direction = self.about[key]
        pairs = [pair for pair in self.runs[key] if min(pair) > 0]
        ratios = [(a / b) ** direction for a, b in pairs] or [float("nan")]
        return {"unit": unit, "rounds": len(ratios),
                "ours": statistics.median(a for a, _ in self.runs[key]),
                "libuv": statistics.median(b for _, b in self.runs[key]),
                "ratio": statistics.median(ratios),
                "least": min(ratios), "most": max(ratios)}

    def results(self):
        return {key: self.result(key) for key in self.runs}


def say(text):
    print(text, flush=True)


def value(number):
    return "%.0f" % number if number >= 100 else "%.3g" % number


def cells(key, result):
    return (key, value(result["ours"]), value(result["libuv"]),
            result["unit"], "%.2f" % result["ratio"],
            "%.2f..%.2f" % (result["least"], result["most"]),
            str(result["rounds"]))


HEAD = ("benchmark", "ours", "libuv", "unit", "ratio", "rounds'", "rounds")


def line(columns):
    return "%-24s %12s %12s %-7s %7s %14s %6s" % columns


def row(key, result):
    return line(cells(key, result))


def left_out(names):
    """(to run, {name: why not}) when nobody asked for names."""
    chosen, reasons = [], {}
    for name in names:
        why = [text for pattern, text in LEFT_OUT
               if fnmatch.fnmatch(name, pattern)]
        if why:
            reasons[name] = why[0]
        else:
            chosen.append(name)
    return chosen, reasons


def markdown(document):
    out = ["# libuv's own benchmarks", "",
           "`test/conformance/run --bench`, suite %s, Blacklight %s beside "
           "%s, %s. A ratio above 1 is ours being better; *rounds'* are the "
           "lowest and the highest of the rounds." % (
               document["suite"], document["version"], document["reference"],
               document["date"]), "",
           "| %s |" % " | ".join(HEAD), "|---|--:|--:|---|--:|--:|--:|"]
    out += ["| %s |" % " | ".join(cells(key, result))
            for key, result in document["benchmarks"].items()]
    if document["not_run"]:
        out += ["", "Not run or without a result:", ""]
        out += ["- `%s`: %s" % pair for pair in document["not_run"].items()]
    return "\n".join(out) + "\n"


def report(comparison, reasons, about, json_file, markdown_file):
    """The last table; 1 if something runs on libuv and not on ours."""
    results = comparison.results()
    say("")
    say(line(HEAD))
    for key, result in results.items():
        say(row(key, result))
    not_run = dict(reasons)
    not_run.update(comparison.skipped)
    for name, why in not_run.items():
        say("skipped %s: %s" % (name, why))
    for name, why in comparison.failed.items():
        say("FAIL %s: %s" % (name, why))
    document = dict(about, date=time.strftime("%Y-%m-%d"),
                    benchmarks=results,
                    not_run=dict(not_run, **comparison.failed))
    for path, text in ((json_file, json.dumps(document, indent=1) + "\n"),
                       (markdown_file, markdown(document))):
        if path:
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
            say("wrote " + path)
    good = len(comparison.took) - len(comparison.failed) - sum(
        name in comparison.took for name in comparison.skipped)
    say("%d passed, %d failed, %d skipped" % (
        good, len(comparison.failed), len(not_run)))
    return 1 if comparison.failed else 0
