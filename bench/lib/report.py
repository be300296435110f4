# SPDX-License-Identifier: MIT
"""Tables of results, for a terminal and as Markdown."""

HEAD = ("workload", "us/op", "libuv us/op", "ratio", "spread", "goal",
        "verdict", "CPU s/M", "libuv CPU s/M", "CPU ratio", "of floor")
# On the page also when, and against which release: the fastest of that day.
PAGE_HEAD = HEAD + ("libuv", "measured")


def number(value):
    if value is None:
        return "-"
    if value >= 100:
        return "%.0f" % value
    return "%.*f" % (1 if value >= 10 else 2 if value >= 0.995 else 3, value)


def verdict(result):
    """The verdict, with its qualifications."""
    remarks = []
    if result.get("ratio_verdict", "missed") == "met" and \
            result["verdict"] != "met":
        remarks.append("floor")
    if result["cpu"] == "worse":
        remarks.append("CPU worse")
    if result.get("above"):
        remarks.append("bytes")
    return result["verdict"] + (" (%s)" % ", ".join(remarks) if remarks
                                else "")


def floor(result):
    figure = result.get("floor_ratio")
    text = number(figure and figure["median"])
    if "floor_goal" in result:
        text += " of %s" % number(result["floor_goal"])
    return text


def row(name, result):
    figure = result["ratio"]
    cpu = result["cpu_ratio"]
    costs = result["us_per_op"]
    seconds = result["cpu_seconds_per_million"]
    return (name, number(costs["blacklight"]),
            number(costs[result["reference"]]), number(figure["median"]),
            "%s..%s" % (number(figure["q1"]), number(figure["q3"])),
            number(result["goal"]), verdict(result),
            number(seconds["blacklight"]),
            number(seconds[result["cpu_reference"]]),
            number(cpu and cpu["median"]), floor(result))


def page_row(name, result, document):
    return row(name, result) + (result["reference"].replace("libuv-", ""),
                                result.get("date", document["date"]))


def line(cells):
    return ("%-20s %9s %12s %8s %14s %6s %-18s %9s %13s %9s %14s"
            % cells)


def print_head():
    print(line(HEAD), flush=True)


def print_row(name, result):
    print(line(row(name, result)), flush=True)


def costs_table(results, key, title):
    """Counts per operation, one column for each contender."""
    rows = [(name, r[key]) for name, r in results.items() if key in r]
    if not rows:
        return []
    columns = sorted({c for _, counts in rows for c in counts})
    out = ["", "## " + title, "", "| workload | %s |" % " | ".join(columns),
           "|---|%s" % ("--:|" * len(columns))]
    for name, counts in rows:
        out.append("| %s | %s |" % (name, " | ".join(
            number(counts[c]) if c in counts else "-" for c in columns)))
    return out


def notes_table(results):
    rows = []
    for name, result in results.items():
        for contender, notes in result.get("notes", {}).items():
            for key, value in notes.items():
                rows.append((name, key, contender, value))
    if not rows:
        return []
    rows.sort(key=lambda r: r[:3])
    out = ["", "## Other numbers", "", "| workload | what | on | |",
           "|---|---|---|--:|"]
    return out + ["| %s | %s | %s | %s |" % (a, b, c, number(v))
                  for a, b, c, v in rows]


def heavy_list(results):
    """Numbers of bytes above libuv's."""
    rows = ["- %s: %s" % (name, sentence) for name, r in results.items()
            for sentence in r.get("above", [])]
    return ["", "## More bytes than libuv", ""] + rows if rows else []


def missed_list(results):
    rows = [(n, r) for n, r in results.items() if "ratio" in r and
            (r["verdict"] != "met" or r["cpu"] == "worse")]
    if not rows:
        return []
    out = ["", "## Not met, or at the cost of processor time", "",
           "| workload | verdict | ratio | goal | CPU ratio | of floor |",
           "|---|---|--:|--:|--:|--:|"]
    for name, r in rows:
        cpu = r["cpu_ratio"]
        out.append("| %s | %s | %s | %s | %s | %s |" % (
            name, verdict(r), number(r["ratio"]["median"]), number(r["goal"]),
            number(cpu and cpu["median"]), floor(r)))
    return out


def markdown(document):
    results = document["workloads"]
    timed = {n: r for n, r in results.items() if "ratio" in r}
    out = ["# Measured", "", document["machine"] + ", " + document["date"] +
           ". How to read this: [README.md](README.md)."]
    if timed:
        out += ["", "| %s |" % " | ".join(PAGE_HEAD),
                "|---|" + "--:|" * (len(PAGE_HEAD) - 1)]
        out += ["| %s |" % " | ".join(page_row(n, r, document))
                for n, r in timed.items()]
        out += missed_list(timed)
    out += costs_table(results, "syscalls_per_op",
                       "System calls per operation")
    out += costs_table(results, "instructions_per_op",
                       "Instructions per operation (user mode)")
    out += heavy_list(results) + notes_table(results)
    absent = document.get("absent", {})
    out += [""] if absent else []
    out += ["- Not measured: %s: %s" % pair for pair in absent.items()]
    return "\n".join(out) + "\n"
