# SPDX-License-Identifier: MIT
"""Cost by number of objects, one panel per kind, logarithmic scales."""
import math
from xml.sax.saxutils import escape

COLORS = ["#2a78c2", "#b5443c", "#c4610a", "#6a5aa0"]
# For eyes and printers that do not tell colours apart.
DASHES = ["", "7 3", "2 3", "9 3 2 3"]
PANEL_WIDTH, PANEL_HEIGHT = 400, 260
LEFT, RIGHT, TOP, BOTTOM = 70, 26, 44, 48
COLUMNS = 2
HEAD = 48


def span_of(values):
    low = math.floor(math.log10(min(values)))
    high = math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


class Scale:
    """Maps a value to a position between two ends."""

    def __init__(self, low, high, start, end):
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def tick_text(power):
    return "%g" % 10 ** power if -3 <= power <= 3 else "10^%d" % power


def grid(x, y):
    out = []
    for power in range(y.low, y.high + 1):
        at = y(10 ** power)
        out.append('<path d="M%d %.1fH%d" stroke="#ddd"/>'
                   % (x.start, at, x.end))
        out.append('<text x="%d" y="%.1f" text-anchor="end" fill="#555">%s'
                   '</text>' % (x.start - 6, at + 4, tick_text(power)))
    for power in range(x.low, x.high + 1):
        at = x(10 ** power)
        out.append('<path d="M%.1f %dV%d" stroke="#ddd"/>'
                   % (at, y.start, y.end))
        out.append('<text x="%.1f" y="%d" text-anchor="middle" fill="#555">'
                   '%s</text>' % (at, y.start + 16, tick_text(power)))
    return out


def axes(x, y):
    """What the numbers along both sides are."""
    middle = (y.start + y.end) / 2
    side = x.start - 52
    return ['<text x="%.1f" y="%d" text-anchor="middle" fill="#555" '
            'font-size="11">N</text>' % ((x.start + x.end) / 2, y.start + 32),
            '<text x="%d" y="%.1f" text-anchor="middle" fill="#555" '
            'font-size="11" transform="rotate(-90 %d %.1f)">'
            'µs per operation</text>' % (side, middle, side, middle)]


def panel(kind, result, names, span, left, top):
    values = [v for costs in result["us_per_op"].values() for v in costs]
    x = Scale(*span, left + LEFT, left + PANEL_WIDTH - RIGHT)
    low, high = span_of(values)
    y = Scale(low, high, top + PANEL_HEIGHT - BOTTOM, top + TOP)
    out = ['<text x="%d" y="%d" font-size="13">%s</text>'
           % (left + 12, top + 18, escape(kind)),
           '<text x="%d" y="%d" fill="#555" font-size="11">%s</text>'
           % (left + 12, top + 34, escape(result["what"]))]
    out += grid(x, y) + axes(x, y)
    if result["stops"]:
        out.append('<text x="%d" y="%d" fill="#777" font-size="9">%s</text>'
                   % (x.start + 4, y.start - 4, escape(result["stops"])))
    for index in reversed(range(len(names))):
        points = ["%.1f %.1f" % (x(size), y(cost)) for size, cost in
                  zip(result["sizes"], result["us_per_op"][names[index]])]
        color = COLORS[index % len(COLORS)]
        out.append('<path d="M%s" fill="none" stroke="%s" stroke-width="%s" '
                   'stroke-dasharray="%s"/>'
                   % ("L".join(points), color, "2.4" if index == 0 else "1.6",
                      DASHES[index % len(DASHES)]))
        out += ['<circle cx="%s" cy="%s" r="2.6" fill="%s"/>'
                % (*point.split(), color) for point in points]
    return out


def draw(document, span=(2, 6),
         title="Microseconds per operation with N of them around"):
    """`span`: powers of ten of N, from and to."""
    kinds = document["kinds"]
    names = document["contenders"]
    rows = (len(kinds) + COLUMNS - 1) // COLUMNS
    width, height = COLUMNS * PANEL_WIDTH, HEAD + rows * PANEL_HEIGHT + 10
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
           'font-family="sans-serif" font-size="12">' % (width, height),
           '<rect width="100%" height="100%" fill="#fff"/>',
           '<text x="12" y="20" font-size="15">%s</text>' % escape(title)]
    for index, name in enumerate(names):
        at = 12 + 150 * index
        out.append('<path d="M%d 33h30" stroke="%s" stroke-width="2.4" '
                   'stroke-dasharray="%s"/>'
                   % (at, COLORS[index % len(COLORS)],
                      DASHES[index % len(DASHES)]))
        out.append('<text x="%d" y="37">%s</text>' % (at + 36, escape(name)))
    for index, (kind, result) in enumerate(kinds.items()):
        out += panel(kind, result, names, span,
                     index % COLUMNS * PANEL_WIDTH,
                     HEAD + index // COLUMNS * PANEL_HEIGHT)
    return "\n".join(out + ["</svg>", ""])
