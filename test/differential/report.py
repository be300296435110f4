# SPDX-License-Identifier: MIT
"""Two traces side by side."""

CONTEXT = 6     # lines before and after a difference
WIDTH = 78


def first_difference(a, b):
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return i
    return min(len(a), len(b))


def side_by_side(a, b, whole=False):
    """Lines that are equal once, the others in two columns, ours first."""
    at = first_difference(a, b)
    begin, end = 0, max(len(a), len(b))
    if not whole and end > 40:
        begin, end = max(0, at - 3 * CONTEXT), at + CONTEXT
    rows = []
    for i in range(begin, end):
        x = a[i] if i < len(a) else ''
        y = b[i] if i < len(b) else ''
        if x == y:
            rows.append('  ' + x)
        else:
            rows.append('! %-*s | %s' % (WIDTH, x, y))
    return '\n'.join(rows)
