# SPDX-License-Identifier: MIT
"""Ratios as dots on a logarithmic scale: one for each round, above for time and
below for processor time, with a stroke at the median."""
import math
import statistics
from xml.sax.saxutils import escape

import chart

LEFT, RIGHT, TOP, STEP, BOTTOM = 400, 30, 70, 26, 34
WIDTH = 1000
TICKS = (0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 2.5, 3, 4, 6, 8, 10)
KEYS = (("wall", "time", -5), ("cpu", "cpu", 5))

# For programs that draw without CSS variables; others take chart's colours.
PLAIN = """<style>
.speedchart text { fill: #1c1e21; }
.speedchart .dim { fill: #5a5f66; }
.speedchart .paper { fill: #fff; }
.speedchart .rule { stroke: #d5d8dc; }
.speedchart .one, .speedchart .middle { stroke: #1c1e21; }
</style>"""
STYLE = """<style>
.speedchart .dot-time { fill: #2a78c2; fill-opacity: 0.65; }
.speedchart .dot-cpu { fill: #c4610a; fill-opacity: 0.65; }
.speedchart .middle { stroke: var(--color-foreground-primary, var(--ink));
  stroke-width: 2; }
</style>"""


def scale(rows):
    values = [v for _, ratios in rows for key, _, _ in KEYS
              for v in ratios.get(key, [])]
    low = min([0.8] + values) * 0.97
    high = max([1.25] + values) * 1.03
    span = math.log(high) - math.log(low)

    def place(value):
        return LEFT + (WIDTH - LEFT - RIGHT) * (
            math.log(value) - math.log(low)) / span
    return low, high, place


def plain(label):
    return label.replace("`", "")


def row_of_dots(y, label, ratios, x):
    out = ['<text x="%d" y="%.1f" text-anchor="end">%s</text>' % (
        LEFT - 12, y + 4, escape(plain(label)))]
    for key, kind, shift in KEYS:
        values = ratios.get(key, [])
        out += ['<circle class="dot-%s" cx="%.1f" cy="%.1f" r="3"/>' % (
            kind, x(value), y + shift) for value in values]
        if values:
            out.append('<path class="middle" d="M%.1f %.1fv8"/>' % (
                x(statistics.median(values)), y + shift - 4))
    return out


def grid(low, high, x, height):
    out = []
    last = None
    for tick in TICKS:
        if not low <= tick <= high:
            continue
        out.append('<path class="%s" d="M%.1f %dV%d"/>' % (
            "one" if tick == 1 else "rule", x(tick), TOP - 6, height - BOTTOM))
        if last is None or x(tick) - last > 34:
            last = x(tick)
            out.append('<text class="dim" x="%.1f" y="%d" text-anchor="middle">'
                       '%g\u00d7</text>' % (last, height - BOTTOM + 18, tick))
    return out


def draw(title, rows):
    height = TOP + STEP * len(rows) + BOTTOM
    low, high, x = scale(rows)
    out = ['<svg class="speedchart" xmlns="http://www.w3.org/2000/svg" '
           'viewBox="0 0 %d %d" font-family="sans-serif" font-size="13" '
           'role="img">' % (WIDTH, height),
           "<title>%s</title>" % escape(title), PLAIN, chart.STYLE,
           STYLE,
           '<rect class="paper" width="%d" height="%d"/>' % (WIDTH, height),
           '<text class="strong" x="14" y="22">%s: times as fast as libuv '
           '1.53.0</text>' % escape(title),
           '<circle class="dot-time" cx="20" cy="42" r="4"/>'
           '<text class="dim" x="30" y="46">time, a dot for each round</text>'
           '<circle class="dot-cpu" cx="230" cy="42" r="4"/>'
           '<text class="dim" x="240" y="46">processor time</text>'
           '<path class="middle" d="M380 37v10"/>'
           '<text class="dim" x="388" y="46">median</text>']
    out += grid(low, high, x, height)
    for index, (label, ratios) in enumerate(rows):
        out += row_of_dots(TOP + STEP * (index + 0.5), label, ratios, x)
    return "\n".join(out + ["</svg>"]) + "\n"
