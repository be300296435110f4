# SPDX-License-Identifier: MIT
"""From rounds of measurements to ratios and verdicts."""
import fnmatch
import os
import statistics

HERE = os.path.dirname(os.path.abspath(__file__))
# Quartiles further apart than this share of the median: too noisy to conclude
# from, unless every single round is on the same side of the goal.
SPREAD_MAX = 0.15


def goals():
    found = []
    with open(os.path.join(HERE, "goals.txt")) as lines:
        for line in lines:
            words = line.split("#")[0].split()
            if words:
                found.append((words[0], float(words[1])))
    return found


def goal_of(name, known):
    for pattern, goal in known:
        if fnmatch.fnmatch(name, pattern):
            return goal
    return 0.97


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def summary(values):
    low, high = quartiles(values)
    middle = statistics.median(values)
    return {"median": middle, "q1": low, "q3": high, "min": min(values),
            "max": max(values), "spread": (high - low) / middle,
            "rounds": len(values)}


def per_op(run, key):
    return run[key] / run["ops"]


def ratio(runs, other, key="wall"):
    """How many times less `runs` cost than `other`, round by round."""
    pairs = [(per_op(b, key), per_op(a, key)) for a, b in zip(runs, other)]
    values = [b / a for b, a in pairs if a > 0]
    return summary(values) if values else None


def verdict(figure, goal):
    if figure["min"] >= goal:
        return "met"
    if figure["max"] < goal:
        return "missed"
    if figure["spread"] > SPREAD_MAX:
        return "unsure"
    return "met" if figure["median"] >= goal else "missed"


def judge(runs, names, goal):
    """runs: name of a contender -> its rounds. names: ours, then references.
    The better reference is the one with the lower median time."""
    ours = names[0]
    cost = {name: statistics.median(per_op(r, "wall") for r in runs[name])
            for name in runs}
    cpu = {name: statistics.median(per_op(r, "cpu") for r in runs[name])
           for name in runs}
    best = min(names[1:], key=lambda name: cost[name])
    thrifty = min(names[1:], key=lambda name: cpu[name])
    figure = ratio(runs[ours], runs[best])
    result = {"goal": goal, "reference": best, "ratio": figure,
              "verdict": verdict(figure, goal),
              "cpu_reference": thrifty,
              "cpu_ratio": ratio(runs[ours], runs[thrifty], "cpu"),
              "us_per_op": {n: c * 1e6 for n, c in cost.items()},
              "cpu_us_per_op": {n: c * 1e6 for n, c in cpu.items()}}
    if "floor" in runs:
        result["floor_ratio"] = ratio(runs[ours], runs["floor"])
    result.update(notes_of(runs))
    return result


def notes_of(runs):
    """What else the runs reported."""
    notes = {}
    plain = {"workload", "version", "ops", "size", "wall", "cpu", "children"}
    for name, rounds in runs.items():
        extra = {key: statistics.median(r[key] for r in rounds)
                 for key in rounds[0] if key not in plain}
        if extra:
            notes[name] = extra
    return {"notes": notes} if notes else {}
