# SPDX-License-Identifier: MIT
"""Results as Markdown; report.py has those of workloads."""
import report


def growth(document):
    names = document["contenders"]
    out = ["# How cost grows", "",
           "%s, %s. Microseconds per operation, and processor time in "
           "brackets; how it was measured: [README.md](README.md)." % (
               document["machine"], document["date"]), "",
           "| | N | %s |" % " | ".join(names),
           "|---|--:|" + "--:|" * len(names)]
    for kind, result in document["kinds"].items():
        for index, size in enumerate(result["sizes"]):
            cells = ["%s (%s)" % (report.number(result["us_per_op"][n][index]),
                                  report.number(
                                      result["cpu_us_per_op"][n][index]))
                     for n in names]
            out.append("| %s | %d | %s |" % (
                kind if index == 0 else "", size, " | ".join(cells)))
    out.append("")
    for kind, result in document["kinds"].items():
        out.append("- %s: %s%s." % (kind, result["what"], "; " +
                                    result["stops"] if result["stops"]
                                    else ""))
    return "\n".join(out) + "\n"


def load_row(name, result, date):
    stock = result["reference"]
    figure = result["ratio"]
    cpu = result["cpu_seconds_per_million"]
    rate = result["per_second"]
    cells = [name, str(figure["rounds"]), report.number(rate["blacklight"]),
             report.number(rate[stock]), stock, "%.2f" % figure["median"],
             "%.2f..%.2f" % (figure["q1"], figure["q3"]),
             report.number(result["goal"]), report.verdict(result),
             report.number(cpu["blacklight"]), report.number(cpu[stock]),
             "%.2f" % result["cpu_ratio"]["median"], result.get("date", date)]
    return "| %s |" % " | ".join(cells)


def loads(document):
    out = ["# End to end", "", "%s, %s. How to read this: "
           "[README.md](README.md)." % (
               document["machine"], document["date"]), "",
           "| program | rounds | ours /s | stock /s | stock is | ratio | spread | "
           "goal | verdict | CPU s/M | stock CPU s/M | CPU ratio | measured |",
           "|---|--:|--:|--:|---|--:|--:|--:|---|--:|--:|--:|---|"]
    results = document["loads"]
    out += [load_row(name, result, document["date"])
            for name, result in results.items()] + [""]
    # Rows of one program have one description.
    names = {}
    for name, result in results.items():
        names.setdefault(result["what"], []).append(name)
    out += ["- %s: %s." % (", ".join(each), what)
            for what, each in names.items()]
    out += ["- Not measured: %s: %s" % pair
            for pair in document.get("absent", {}).items()]
    return "\n".join(out) + "\n"


FD_SETSIZE = 1024 # of glibc


def readiness(doc):
    lines = ["# Four readiness interfaces: figures", "",
             "By `bench/readiness/run` on %s, %s, %d processors, load average "
             "%.1f "
             "when it began. Nanoseconds; best of %d rounds. kqueue is not "
             "measured: no system with kqueue was available. select beyond "
             "%d descriptors is with sets of its own size, which `fd_set` does "
             "not have: the library refuses them." % (
                 doc["date"], doc["kernel"], doc["processors"], doc["load"],
                 doc["rounds"], FD_SETSIZE), ""]
    for name, kind in doc["kinds"].items():
        lines += ["## " + name, "", kind["what"][0].upper() +
                  kind["what"][1:] + ".", "",
                  "| N | " + " | ".join(doc["contenders"]) + " |",
                  "|--:|" + "--:|" * len(doc["contenders"])]
        for row, size in enumerate(kind["sizes"]):
            cells = ["%.3g" % (kind["us_per_op"][each][row] * 1000)
                     if kind["us_per_op"][each][row] * 1000 < 100 else
                     "{:,.0f}".format(kind["us_per_op"][each][row] * 1000)
                     for each in doc["contenders"]]
            lines.append("| {:,} | ".format(size) + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)
