# SPDX-License-Identifier: MIT
"""The page about tools: tables and a picture of each state of the machine, and
results of several builds side by side."""
import json
import os

import dots
import report
import results
import rows
import saved

REFERENCE = "1.53.0"
OLDER = "1.50.0"
STATES = {"quiet": "On a quiet machine",
          "busy": "Beside two busy processes",
          "one-processor": "On one processor",
          "quota": "In a control group with 1.5 processors"}
COLUMNS = ("time", "CPU", "switches", "of 1.50.0", "p50 ms", "p99 ms",
           "rounds")


def ratio(row, key, other=REFERENCE):
    return results.summary(row["ratios"].get(other, {}).get(key))


def times(row, key, other=REFERENCE):
    found = ratio(row, key, other)
    return "%.2f" % found["median"] if found else "-"


def with_spread(row, key):
    found = ratio(row, key)
    return "%.2f (%.2f–%.2f)" % (found["median"], found["q1"], found["q3"]) \
        if found else "-"


def latency(row, key):
    """Ours / 1.53.0's, in milliseconds."""
    figures = row["figures"]
    if key not in figures.get("blacklight", {}):
        return ""
    return "%s / %s" % tuple(report.number(figures[name][key][1])
                             for name in ("blacklight", REFERENCE))


def cells(row):
    dropped = " (%d dropped)" % row["dropped"] if row["dropped"] else ""
    return [with_spread(row, "wall"), with_spread(row, "cpu"),
            times(row, "switches"), times(row, "wall", OLDER),
            latency(row, "p50"), latency(row, "p99"),
            "%d%s" % (row["rounds"], dropped)]


WIDTHS = (14, 16, 18, 18, 9, 10, 13, 13, 0)


def padded(words):
    return " ".join(word.ljust(width) for word, width in zip(words, WIDTHS))


def line_head():
    return padded(("condition", "row") + COLUMNS)


def line(condition, name, row):
    return padded([condition, name] + cells(row))


def state_table(found):
    out = ["| | %s |" % " | ".join(COLUMNS),
           "|---|" + "--:|" * len(COLUMNS)]
    for row in rows.ROWS:
        if row.name in found:
            out.append("| %s | %s |" % (row.what,
                                        " | ".join(cells(found[row.name]))))
    return out


def side_by_side(labels, state):
    """Rows that more than one build has: time and CPU of each."""
    shown = [(label, of["conditions"].get(state, {}))
             for label, of in labels.items()]
    shown = [(label, found) for label, found in shown if found]
    if len(shown) < 2:
        return []
    out = ["| time, CPU | %s |" % " | ".join(label for label, _ in shown),
           "|---|" + "--:|" * len(shown)]
    for row in rows.ROWS:
        if sum(row.name in found for _, found in shown) > 1:
            out.append("| %s | %s |" % (row.what, " | ".join(
                "%s, %s" % (times(found[row.name], "wall"),
                            times(found[row.name], "cpu"))
                if row.name in found else "-" for _, found in shown)))
    return [""] + out


def about(label, of):
    return "- *%s*: commit %s, %s, %s." % (label, of["commit"], of["date"],
                                           of["machine"])


def picture_name(state):
    return "tools-%s.svg" % state


def text(document):
    labels = document["labels"]
    newest = list(labels)[-1]
    out = ["# What a user feels", "",
           "Unchanged programs of Debian 13 and npm, the library swapped under "
           "them: ours against libuv 1.53.0. Written by `bench/tools/run`; how "
           "to read it: [README.md](README.md#tools-that-people-run).", "",
           "*time*, *CPU* and *switches*: how many times as fast, and how many "
           "times less processor time and context switches of the whole process "
           "tree (of the server, for servers), median and middle half of the "
           "rounds. *of 1.50.0*: time compared with Debian 13's own libuv. "
           "Latencies are ours / 1.53.0's. *dropped*: rounds in which other "
           "programs took more than 15 % of the machine, or 25 %.", ""]
    out += [about(label, of) for label, of in labels.items()]
    for state, title in STATES.items():
        found = labels[newest]["conditions"].get(state)
        if found:
            out += ["", "## " + title, "",
                    "![ratios, a dot for each round](%s)" % picture_name(state),
                    ""] + state_table(found)
            out += side_by_side(labels, state)
    return "\n".join(out) + "\n"


def compact(document):
    """A line for each row: the file is kept in the repository."""
    out = []
    for label, of in document["labels"].items():
        rest = {k: v for k, v in of.items() if k != "conditions"}
        states = ",\n".join('  %s: {\n%s}' % (json.dumps(state), ",\n".join(
            "   %s: %s" % (json.dumps(name), json.dumps(row))
            for name, row in found.items()))
            for state, found in of["conditions"].items())
        out.append(' %s: %s, "conditions": {\n%s}}' % (
            json.dumps(label), json.dumps(rest)[:-1], states))
    return '{"labels": {\n%s}}\n' % ",\n".join(out)


def write(document, json_path, markdown_path):
    saved.write(json_path, compact(document))
    if not markdown_path:
        return
    saved.write(markdown_path, text(document))
    newest = list(document["labels"].values())[-1]
    folder = os.path.dirname(os.path.abspath(markdown_path))
    for state, found in newest["conditions"].items():
        saved.write(os.path.join(folder, picture_name(state)),
                    dots.draw(STATES[state], [
                        (row.what, found[row.name]["ratios"].get(
                            REFERENCE, {})) for row in rows.ROWS
                        if row.name in found]))
