# SPDX-License-Identifier: MIT
"""From rounds to medians, quartiles and ratios."""
import statistics

import figures

FEW_OTHERS = 0.15  # share of the machine that other programs took
OTHERS_MAX = 0.25
ENOUGH = 3         # rounds, of those with few others
COSTS = ("wall", "cpu", "switches")
LATENCIES = ("p50", "p99")


def most_others(found):
    return max(run["others"] for run in found.values())


def few(most):
    """The share that calls for another round; any, if `most` is generous."""
    return most if most > OTHERS_MAX else FEW_OTHERS


def quiet_rounds(rounds, most):
    """Those in which other programs took little: below 0.15, or below `most` if
    that leaves too few."""
    for limit in (FEW_OTHERS, most):
        kept = [found for found in rounds if most_others(found) <= limit]
        if len(kept) >= ENOUGH:
            break
    return kept


def rounds_left(rounds, wanted, most=OTHERS_MAX):
    """Rounds that others disturbed are repeated, but each only once."""
    kept = sum(most_others(found) <= few(most) for found in rounds)
    return max(0, min(wanted - kept, 2 * wanted - len(rounds)))


def value(run, key):
    return run[key] / run["ops"] if key in COSTS else run[key]


def spread(values):
    low, high = figures.quartiles(values)
    return [round(x, 7) for x in (low, statistics.median(values), high)]


def ratios(rounds, ours, other, key):
    """How many times better ours is, round by round."""
    pairs = [(value(found[ours], key), value(found[other], key))
             for found in rounds]
    return [round(b / a, 3) for a, b in pairs if a > 0 and b > 0]


def judge(rounds, names, most=OTHERS_MAX):
    """names: ours first. Figures as [q1, median, q3], for one operation;
    ratios to each other library round by round, sorted."""
    kept = quiet_rounds(rounds, most)
    row = {"rounds": len(kept), "dropped": len(rounds) - len(kept),
           "others": round(statistics.median(map(most_others, rounds)), 3),
           "figures": {}, "ratios": {}}
    if not kept:
        return row
    keys = [key for key in COSTS + LATENCIES
            if all(key in run for run in kept[0].values())]
    for name in names:
        row["figures"][name] = {
            key: spread([value(found[name], key) for found in kept])
            for key in keys}
    for other in names[1:]:
        row["ratios"][other] = {
            key: sorted(ratios(kept, names[0], other, key)) for key in keys}
    return row


def summary(values):
    """Of ratios; None if there are none."""
    return figures.summary(values) if values else None
