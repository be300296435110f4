# SPDX-License-Identifier: MIT
"""The one committed file of figures, docs/benchmarks/medians.json: of each step
of bench/all the document without its rounds. For each workload and library the
median, and of each ratio the quartiles. The rounds are in build/bench/results,
where a measurement resumes."""
import json
import os

import contenders

STEPS = ("latest", "busy", "end-to-end", "growth", "readiness", "suite",
         "counts")
RAW = os.path.join(contenders.TOP, "build", "bench", "results")
PATH = os.path.join(contenders.TOP, "docs", "benchmarks", "medians.json")

# Of the rounds behind a figure; "spread" follows from the quartiles.
ROUNDS = {"runs", "min", "max", "spread"}
# Rows that say the same as their document leave it out.
SHARED = ("date", "library", "machine", "references")


def short(value):
    """Five digits are more than the rounds agree on."""
    if isinstance(value, float):
        rounded = float("%.5g" % value)
        return int(rounded) if rounded == int(rounded) else rounded
    if isinstance(value, dict):
        return {k: short(v) for k, v in value.items() if k not in ROUNDS}
    if isinstance(value, list):
        return [short(each) for each in value]
    return value


def rows_of(document):
    """The dictionary of rows, whatever its name is."""
    for name in ("workloads", "loads", "kinds", "benchmarks"):
        if name in document:
            return document[name]
    return {}


def distil(document):
    document = short(document)
    for row in rows_of(document).values():
        for key in SHARED:
            if key in row and row[key] == document.get(key):
                del row[key]
    return document


def lines(document):
    """JSON with a line for each row, so that changes can be read."""
    about = {k: v for k, v in document.items() if v is not rows_of(document)}
    name = next(k for k, v in document.items() if v is rows_of(document))
    rows = ["   %s: %s" % (json.dumps(key), json.dumps(row))
            for key, row in rows_of(document).items()]
    text = json.dumps(about)
    return "%s%s\"%s\": {\n%s\n  }}" % (
        text[:-1], ", " if about else "", name, ",\n".join(rows))


def load(raw, path):
    """The committed documents, those that `raw` has replaced by its own."""
    documents = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as text:
            documents = json.load(text)
    for step in STEPS:
        file = os.path.join(raw, step + ".json")
        if os.path.exists(file):
            with open(file, encoding="utf-8") as text:
                documents[step] = distil(json.load(text))
    return documents


def write(documents, path):
    text = ",\n".join(" %s: %s" % (json.dumps(step), lines(documents[step]))
                      for step in STEPS if step in documents)
    contenders.write(path, "{\n%s\n}\n" % text)
