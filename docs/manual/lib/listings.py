# SPDX-License-Identifier: MIT
"""Functions of examples/ for man pages: one that calls a function of the
library, or at least one of its page."""
import glob
import os
import re

import headers

LINES_MAX = 36
LINES_MIN = 4


class Listing:
    """A function of an example, as it stands there."""

    def __init__(self, path, text):
        self.path = path
        self.lines = text.rstrip('\n').split('\n')
        self.calls = set(re.findall(r'\b(uvx?_\w+)\(', text))

    def fits(self):
        return LINES_MIN <= len(self.lines) <= LINES_MAX


def read():
    """By our layout a definition begins in the first column and ends there with
    a brace."""
    found = []
    for path in sorted(glob.glob(os.path.join(headers.ROOT, 'examples',
                                              '*.c'))):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        for match in re.finditer(r'^\w[^\n;{}=]*\([^;{}]*\) \{\n.*?^\}\n', text,
                                 re.M | re.S):
            listing = Listing('examples/' + os.path.basename(path),
                              match.group(0))
            if listing.fits() and listing.calls:
                found.append(listing)
    return found


LISTINGS = read()


def choose(name, siblings):
    """The shortest that calls `name`; otherwise the one that calls the most of
    its siblings; None if no example does."""
    callers = [each for each in LISTINGS if name in each.calls]
    if callers:
        return min(callers, key=lambda each: len(each.lines))
    best = max(LISTINGS, default=None, key=lambda each: (
        len(each.calls & siblings), -len(each.lines)))
    return best if best and best.calls & siblings else None
