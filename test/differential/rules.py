# SPDX-License-Identifier: MIT
"""rules.txt: differences that are known and wanted."""
import re

from report import first_difference


class Rule:
    def __init__(self, area, version, how, pattern, reason):
        self.area = area
        self.version = version
        self.how = how
        self.before = None
        if how == 'after':
            before, pattern = pattern.split(' then ', 1)
            self.before = re.compile(before)
        self.pattern = re.compile(pattern)
        self.reason = reason

    def explains(self, ours, libuv):
        """Of the first lines that differ, or the last ones."""
        if self.how == 'late':
            return self.is_later(ours, libuv)
        return self.pattern.search(ours + ' <> ' + libuv) is not None

    def is_later(self, ours, libuv):
        """The same event, at a later time in libuv?"""
        times = [re.search(r'now=(\d+)', line) for line in (ours, libuv)]
        texts = [re.sub(r'(now|timeout|due)=-?\d+', '', line)
                 for line in (ours, libuv)]
        return (None not in times and texts[0] == texts[1]
                and self.pattern.search(ours) is not None
                and int(times[0][1]) < int(times[1][1]))

    def concerns(self, area, version):
        return self.version in ('*', version) and \
            (self.area == '*' or area in self.area.split(','))


class AreaRules:
    """Those that hold for an area and a version of libuv."""

    def __init__(self, rules):
        self.masks = [r for r in rules if r.how == 'mask']
        self.firsts = [r for r in rules if r.how != 'mask']

    def mask(self, lines):
        """The trace without what the rules take out."""
        for rule in self.masks:
            lines = [rule.pattern.sub('*', line) for line in lines]
        return lines

    def masks_needed(self, a, b):
        """Reasons of the masks that two traces are only equal with."""
        needed = []
        for rule in self.masks:
            others = AreaRules([r for r in self.masks if r is not rule])
            if others.mask(a) != others.mask(b):
                needed.append(rule.reason)
        return needed

    def explain(self, a, b):
        """The reason for the first line that differs, or None."""
        a, b = self.mask(a), self.mask(b)
        at = first_difference(a, b)
        x = a[at].strip() if at < len(a) else ''
        y = b[at].strip() if at < len(b) else ''
        ends = [lines[-2].strip() if len(lines) > 1 else '' for lines in (a, b)]
        for rule in self.firsts:
            if rule.before and not any(map(rule.before.search, a[:at])):
                continue
            if rule.explains(*(ends if rule.how == 'end' else (x, y))):
                return rule.reason
        return None

    def signature(self, a, b):
        """What two unexplained differences have in common: the first lines that
        differ, without numbers and what is equal in both."""
        a, b = self.mask(a), self.mask(b)
        at = first_difference(a, b)
        x = re.sub(r'\d+', 'N', a[at].strip()) if at < len(a) else 'end'
        y = re.sub(r'\d+', 'N', b[at].strip()) if at < len(b) else 'end'
        if x == y and at < len(a) and at < len(b):
            words = [u for u, v in zip(a[at].split(), b[at].split()) if u != v]
            return re.sub(r'\d+', 'N', ' '.join(words)) + ' in ' + x
        return x + ' <> ' + y


class Rules:
    def __init__(self, path):
        self.rules = []
        with open(path) as file:
            for line in file:
                if line.strip() and not line.startswith('#'):
                    fields = [f.strip() for f in line.split(' ; ')]
                    self.add(*fields)

    def add(self, *fields):
        self.rules.append(Rule(*fields))

    def of(self, area, version):
        return AreaRules([r for r in self.rules if r.concerns(area, version)])
