# SPDX-License-Identifier: MIT
"""Ratios as horizontal bars on a logarithmic scale. The same drawing stands
alone and inside an HTML page, light and dark; bars differ in pattern as well as
in colour."""
import math
from xml.sax.saxutils import escape

import figures
import saved

LEFT, TOP, STEP, BOTTOM = 250, 76, 24, 44
WIDTH = 900
COLUMN = 76  # of figures, behind the bars
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

STYLE = """<style>
.speedchart { --ink: #1c1e21; --dim: #5a5f66; --rule: #d5d8dc; --paper: #fff; }
@media (prefers-color-scheme: dark) {
  .speedchart { --ink: #d8dade; --dim: #9ca0a5; --rule: #303335;
    --paper: #131416; }
}
.speedchart text { fill: var(--color-foreground-primary, var(--ink)); }
.speedchart .dim { fill: var(--color-foreground-secondary, var(--dim)); }
.speedchart .paper { fill: var(--color-background-primary, var(--paper)); }
.speedchart .rule { stroke: var(--color-background-border, var(--rule)); }
.speedchart .one { stroke: var(--color-foreground-primary, var(--ink));
  stroke-width: 1.6; }
.speedchart .range { stroke: var(--color-foreground-primary, var(--ink));
  stroke-width: 1.3; fill: none; }
.speedchart .faster { fill: #2a78c2; }
.speedchart .slower { fill: url(#slower); stroke: #c4610a; }
.speedchart .same { fill: none;
  stroke: var(--color-foreground-secondary, var(--dim)); }
.speedchart .strong { font-weight: bold; }
</style>
<defs><pattern id="slower" width="6" height="6" patternUnits="userSpaceOnUse"
 patternTransform="rotate(45)"><rect width="6" height="6" fill="#f6dcc4"/>
<rect width="3" height="6" fill="#c4610a"/></pattern></defs>"""

LEGEND = (("faster", "faster than libuv"), ("slower", "slower"),
          ("same", "no difference found"))


class Row:
    """What one bar shows."""

    def __init__(self, label, result, is_older=False, busy=None):
        self.label = label + (" *" if is_older else "")
        self.figure = result["ratio"]
        self.kind = figures.direction(self.figure)
        cpu = result["cpu_ratio"]
        self.cpu = cpu["median"] if cpu else None
        self.cpu_kind = figures.direction(cpu) if cpu else "same"
        self.busy = busy  # the ratio of time on a busy machine


def columns(rows):
    """(where it ends, its heading) of each column of figures."""
    heads = ["time", "CPU time"]
    if any(row.busy for row in rows):
        heads.append("time, busy")
    return [(WIDTH - 14 - COLUMN * (len(heads) - 1 - i), head)
            for i, head in enumerate(heads)]


def scale(rows):
    values = [row.figure[k] for row in rows for k in ("q1", "q3")]
    low = min([0.5] + values) * 0.95
    high = max([4.0] + values) * 1.05
    span = math.log(high) - math.log(low)
    room = columns(rows)[0][0] - 60 - LEFT

    def place(value):
        return LEFT + room * (math.log(value) - math.log(low)) / span
    return low, high, place


def times(value):
    if value is None:
        return "-"
    return ("%.0f\u00d7" if value >= 10 else "%.2f\u00d7") % value


def cells(row):
    """(text, class) of a row's columns; a loss is bold."""
    out = [(row.figure["median"], row.kind), (row.cpu, row.cpu_kind)]
    if row.busy:
        out.append((row.busy["median"], figures.direction(row.busy)))
    return [(times(value), "strong" if kind == "slower" else
             "" if i == 0 else "dim") for i, (value, kind) in enumerate(out)]


def bar(y, row, x, ends):
    start, end = sorted((x(1.0), x(row.figure["median"])))
    middle = y + STEP / 2
    low, high = x(row.figure["q1"]), x(row.figure["q3"])
    return [
        '<text x="%d" y="%.1f" text-anchor="end">%s</text>'
        % (LEFT - 10, middle + 4, escape(row.label)),
        '<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%d"/>'
        % (row.kind, start, y + 5, max(end - start, 2), STEP - 10),
        '<path class="range" d="M%.1f %.1fH%.1fM%.1f %.1fv6M%.1f %.1fv6"/>'
        % (low, middle, high, low, middle - 3, high, middle - 3),
    ] + ['<text x="%d" y="%.1f" text-anchor="end" class="%s">%s</text>'
         % (end, middle + 4, kind, text)
         for (end, _), (text, kind) in zip(ends, cells(row))]


def legend():
    out = []
    at = 14
    for kind, text in LEGEND:
        out.append('<rect class="%s" x="%d" y="34" width="26" height="11"/>'
                   '<text class="dim" x="%d" y="44">%s</text>'
                   % (kind, at, at + 32, text))
        at += 52 + 7 * len(text)
    out.append('<path class="range" d="M%d 39.5h26m-26-3v6m26-6v6"/>'
               '<text class="dim" x="%d" y="44">middle half of the rounds'
               '</text>' % (at, at + 32))
    return out


def grid(low, high, x, height):
    out = []
    for tick in TICKS:
        if not low <= tick <= high:
            continue
        out.append('<path class="%s" d="M%.1f %dV%d"/>' % (
            "one" if tick == 1 else "rule", x(tick), TOP - 4, height - BOTTOM))
        out.append('<text class="dim" x="%.1f" y="%d" text-anchor="middle">%g'
                   '\u00d7</text>' % (x(tick), height - BOTTOM + 16, tick))
    return out


def draw_rows(rows, title, references, remark):
    low, high, x = scale(rows)
    height = TOP + STEP * len(rows) + BOTTOM + (18 if remark else 0)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" class="speedchart" '
           'viewBox="0 0 %d %d" width="%d" height="%d" role="img" '
           'font-family="sans-serif" font-size="13">'
           % (WIDTH, height, WIDTH, height),
           "<title>%s</title>" % escape(title), STYLE,
           '<rect class="paper" width="100%" height="100%"/>',
           '<text x="14" y="22" font-size="16">%s</text>' % escape(title)]
    out += legend()
    ends = columns(rows)
    for at, word in ends:
        out.append('<text class="dim" x="%d" y="%d" text-anchor="end">%s'
                   '</text>' % (at, TOP - 10, word))
    out += grid(low, high, x, height - (18 if remark else 0))
    for index, row in enumerate(rows):
        out += bar(TOP + STEP * index, row, x, ends)
    out.append('<text class="dim" x="%d" y="%d">times as fast as %s (time per '
               'operation; logarithmic scale)</text>'
               % (LEFT - 120, height - (28 if remark else 10),
                  escape(references)))
    if remark:
        out.append('<text class="dim" x="%d" y="%d">%s</text>'
                   % (LEFT - 120, height - 10, escape(remark)))
    return "\n".join(out + ["</svg>", ""])


def fastest_of(names):
    numbers = [name.replace("libuv-", "") for name in names]
    if len(numbers) == 1:
        return "libuv " + numbers[0]
    return "the fastest of libuv %s and %s" % (", ".join(numbers[:-1]),
                                                numbers[-1])


def about_older(document, names):
    """A sentence about rows of an earlier day, or nothing."""
    older = [document["workloads"][name] for name in names
             if saved.is_older(document["workloads"][name], document)]
    said = sorted({"%s, %s, %s" % (row["date"], row["machine"].split(",")[0],
                                   fastest_of(row["references"]))
                   for row in older if row.get("references")})
    return "* " + "; ".join(said) if said else ""


def draw_workloads(document, labels, title, busy=None):
    """labels: (name of a workload, what the drawing calls it). busy: the
    document of a busy machine, whose ratios of time get a column."""
    loaded = busy["workloads"] if busy else {}
    labels = [pair for pair in labels
              if "ratio" in document["workloads"].get(pair[0], {})]
    rows = [Row(label, document["workloads"][name],
                saved.is_older(document["workloads"][name], document),
                loaded.get(name, {}).get("ratio"))
            for name, label in labels]
    return draw_rows(rows, title, fastest_of(document["references"]),
                     about_older(document, [name for name, _ in labels]))


def draw(document):
    """Every workload of the document, by its own name."""
    return draw_workloads(document, [(n, n) for n in document["workloads"]],
                          "Blacklight and libuv: every workload")
