# SPDX-License-Identifier: MIT
"""The table of the README: what a user feels, for each state of the machine."""
import os

import contenders
import figures
import page
import rows
import saved

README = os.path.join(contenders.TOP, "README.md")
MARKS = ("<!-- tools: written by bench/tools/run -->\n", "<!-- /tools -->\n")
NEXT = "<!-- speed: written by bench/pages -->\n"
SECTION = """## What changes when it is swapped in

Unchanged programs on Debian 13 and Node 20, the library swapped under them, all
files in memory. `sudo bench/tools/run --quick` repeats three rows in five
minutes, `sudo bench/tools/run` all of them in an hour;
[the page](docs/benchmarks/tools.md) has every row in every state of the machine,
with the spread, the latencies and a picture of all rounds.
"""
FOLDER = os.path.join(contenders.TOP, "docs", "benchmarks")
STATES = ("quiet", "busy", "one-processor", "quota")
HEADS = {"quiet": "quiet machine", "busy": "beside two busy processes",
         "one-processor": "one processor", "quota": "1.5 processors (cgroup)"}


def cell(row):
    if not row or not row["rounds"]:
        return ""
    return "%s, %s" % (page.times(row, "wall"), page.times(row, "cpu"))


def is_same(row):
    """No difference in time was found, in no state of the machine."""
    found = page.ratio(row, "wall") if row else None
    return found is None or figures.direction(found) == "same"


def table(of):
    states = [s for s in STATES if of["conditions"].get(s)]
    out = ["| times as fast as libuv 1.53.0: time, processor time | %s |"
           % " | ".join(HEADS[s] for s in states),
           "|---|" + "--:|" * len(states)]
    same = []
    for row in rows.ROWS:
        found = [of["conditions"][s].get(row.name) for s in states]
        if not any(r and r["rounds"] for r in found):
            continue
        if all(is_same(r) for r in found):
            same.append(row.what)
        else:
            out.append("| %s | %s |" % (row.what,
                                        " | ".join(map(cell, found))))
    if same:
        out.append("\nNo difference in time was found for: %s."
                   % "; ".join(same))
    return out


def updated(old, of):
    """README with these results; the section comes before the table of single
    operations if there is none yet."""
    begin, end = MARKS
    about = "Medians of rounds in turns on %s; %s, commit %s." % (
        of["machine"], of["date"], of["commit"])
    new = begin + SECTION + "\n" + "\n".join(table(of) + ["", about, ""]) + end
    if begin in old and end in old:
        before, rest = old.split(begin, 1)
        return before + new + rest.split(end, 1)[1]
    if NEXT in old:
        return old.replace(NEXT, new + "\n" + NEXT, 1)
    return old


def write(document, json_path):
    """Only from the figures that the tree keeps."""
    if os.path.dirname(os.path.realpath(json_path)) != \
            os.path.realpath(FOLDER):
        return
    with open(README, encoding="utf-8") as text:
        old = text.read()
    saved.write(README, updated(old, list(document["labels"].values())[-1]))
