# SPDX-License-Identifier: MIT
"""From rounds of measurements to ratios and verdicts."""
import fnmatch
import os
import statistics

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Quartiles further apart than this share of the median are too noisy for a
# verdict, unless every round is on the same side of the goal.
SPREAD_MAX = 0.15
# Not worse, allowing for the noise between two equal runs.
NOT_WORSE = 0.97


class Goal:
    """How many times as fast as the better reference; how near to the floor
    (None: irrelevant)."""

    def __init__(self, ratio, floor=None):
        self.ratio = ratio
        self.floor = floor


def goals():
    found = []
    with open(os.path.join(BENCH, "goals.txt")) as lines:
        for line in lines:
            words = line.split("#")[0].split()
            if words:
                found.append((words[0], Goal(*map(float, words[1:]))))
    return found


def goal_of(name, known):
    for pattern, goal in known:
        if fnmatch.fnmatch(name, pattern):
            return goal
    return Goal(NOT_WORSE)


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


def direction(figure):
    """faster or slower than the reference, or the same: within 3 %, or with
    rounds on both sides."""
    if figure["median"] > 1 / NOT_WORSE and figure["q1"] > 1:
        return "faster"
    if figure["median"] < NOT_WORSE and figure["q3"] < 1:
        return "slower"
    return "same"


def straddles(figure, goal):
    """More rounds may decide: the goal lies between the quartiles."""
    return figure["q1"] < goal <= figure["q3"]


def is_settled(result):
    """Whether more rounds would hardly change the verdict."""
    if result["verdict"] == "unsure" or result["cpu"] == "unsure":
        return False
    if straddles(result["ratio"], result["goal"]):
        return False
    return "floor_goal" not in result or not straddles(
        result["floor_ratio"], result["floor_goal"])


def worst(verdicts):
    for word in ("missed", "unsure"):
        if word in verdicts:
            return word
    return "met"


def judge_cpu(figure):
    """Whether processor time per operation is worse than the reference's."""
    words = {"met": "fine", "missed": "worse", "unsure": "unsure"}
    return words[verdict(figure, NOT_WORSE)] if figure else "unsure"


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
    cpu_figure = ratio(runs[ours], runs[thrifty], "cpu")
    result = {"goal": goal.ratio, "reference": best, "ratio": figure,
              "verdict": verdict(figure, goal.ratio),
              "cpu_reference": thrifty, "cpu_ratio": cpu_figure,
              "cpu": judge_cpu(cpu_figure),
              "us_per_op": {n: c * 1e6 for n, c in cost.items()},
              # Microseconds for one are seconds for a million.
              "cpu_seconds_per_million": {n: c * 1e6 for n, c in cpu.items()}}
    if "floor" in runs:
        result["floor_ratio"] = ratio(runs[ours], runs["floor"])
    if goal.floor is not None:
        result["floor_goal"] = goal.floor
        result["floor_verdict"] = verdict(result["floor_ratio"], goal.floor)
        result["ratio_verdict"] = result["verdict"]
        result["verdict"] = worst([result["ratio_verdict"],
                                   result["floor_verdict"]])
    result.update(notes_of(runs))
    if "notes" in result:
        result["above"] = weigh(result["notes"], names)[1]
    return result


def weigh(notes, names):
    """For bytes: ours may not hold more than the lighter reference does.
    Returns the verdict and a sentence for each number that is above."""
    above = []
    for key, value in notes.get(names[0], {}).items():
        if not key.startswith("bytes_"):
            continue
        least = min(notes[name][key] for name in names[1:])
        if value * NOT_WORSE > least:
            above.append("%s %.6g, libuv %.6g" % (key, value, least))
    return ("missed" if above else "met"), above


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
