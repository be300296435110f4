# SPDX-License-Identifier: MIT
"""Ratios as horizontal bars on a logarithmic scale."""
import math
from xml.sax.saxutils import escape

COLORS = {"met": "#2b7a4b", "missed": "#b5443c", "unsure": "#9a9a9a"}
LEFT, RIGHT, TOP, STEP = 170, 110, 62, 20
WIDTH = 860


def scale(results):
    values = [r["ratio"][k] for r in results.values() for k in ("q1", "q3")]
    low = min([0.5] + values)
    high = max([4.0] + values + [r["goal"] for r in results.values()])
    span = math.log(high) - math.log(low)
    room = WIDTH - LEFT - RIGHT

    def place(value):
        return LEFT + room * (math.log(value) - math.log(low)) / span
    return low, high, place


def bar(y, name, result, x):
    figure = result["ratio"]
    color = COLORS[result["verdict"]]
    start, end = sorted((x(1.0), x(figure["median"])))
    middle = y + STEP / 2
    return [
        '<text x="%d" y="%.1f" text-anchor="end">%s</text>'
        % (LEFT - 8, middle + 4, escape(name)),
        '<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>'
        % (start, y + 3, max(end - start, 1.5), STEP - 6, color),
        '<path d="M%.1f %.1fH%.1f" stroke="#222" stroke-width="1.2"/>'
        % (x(figure["q1"]), middle, x(figure["q3"])),
        '<path d="M%.1f %.1fV%.1f" stroke="#e0a000" stroke-width="2"/>'
        % (x(result["goal"]), y + 2, y + STEP - 2),
        '<text x="%.1f" y="%.1f">%.3g%s</text>'
        % (max(end, x(figure["q3"])) + 5, middle + 4, figure["median"],
           " CPU worse" if result["cpu"] == "worse" else ""),
    ]


def draw(document):
    results = {name: result for name, result in document["workloads"].items()
               if "ratio" in result}
    low, high, x = scale(results)
    height = TOP + STEP * len(results) + 20
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
           'font-family="sans-serif" font-size="12">' % (WIDTH, height),
           '<rect width="100%" height="100%" fill="#fff"/>',
           '<text x="12" y="20" font-size="15">Blacklight : the faster libuv '
           '(%s)</text>' % escape(", ".join(document["references"])),
           '<text x="12" y="38" fill="#555">times as fast; line: quartiles of '
           'the rounds; yellow: goal; grey: too noisy to say</text>']
    for tick in (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        if low <= tick <= high:
            color = "#444" if tick == 1 else "#ddd"
            out.append('<path d="M%.1f %dV%d" stroke="%s"/>'
                       % (x(tick), TOP - 4, height - 16, color))
            out.append('<text x="%.1f" y="%d" text-anchor="middle" '
                       'fill="#555">%g</text>' % (x(tick), TOP - 8, tick))
    for index, (name, result) in enumerate(results.items()):
        out += bar(TOP + STEP * index, name, result, x)
    return "\n".join(out + ["</svg>", ""])
