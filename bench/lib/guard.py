# SPDX-License-Identifier: MIT
"""The table of instructions per operation, and how counts compare with it."""
import os

# Two builds of one source differ less; a change that costs something differs
# more.
GROWTH_MAX = 0.03

HEAD = """\
# Instructions per operation, user mode, of this tree's library: bench/instructions
# fails when one of them grows by more than 3 %. Written by
# bench/instructions --update; they hold for
# conditions: """


class Judgement:
    """(workload, before, now) by what became of it."""

    def __init__(self, total):
        self.total = total
        self.grown = []
        self.lower = []
        self.unknown = []


class Table:
    """bench/instructions.txt."""

    def __init__(self, conditions, counts):
        self.conditions = conditions
        self.counts = counts

    @staticmethod
    def read(path):
        table = Table(None, {})
        if not os.path.exists(path):
            return table
        with open(path) as lines:
            for line in lines:
                if line.startswith("# conditions: "):
                    table.conditions = line.split(": ", 1)[1].strip()
                elif line.strip() and not line.startswith("#"):
                    name, number = line.split()
                    table.counts[name] = float(number)
        return table

    def update(self, conditions, counts, whole):
        """`whole`: nothing of the old table stays."""
        if whole or conditions != self.conditions:
            self.counts = {}
        self.conditions = conditions
        self.counts.update(counts)

    def text(self):
        rows = ["%-20s %10.1f" % pair for pair in self.counts.items()]
        return HEAD + self.conditions + "\n" + "\n".join(rows) + "\n"

    def most(self, name):
        """What passes; 0 if the workload is not in the table."""
        return self.counts.get(name, 0) * (1 + GROWTH_MAX)

    def judge(self, counts):
        judgement = Judgement(len(counts))
        for name, now in counts.items():
            before = self.counts.get(name)
            if before is None:
                judgement.unknown.append(name)
            elif now > self.most(name):
                judgement.grown.append((name, before, now))
            elif now < before * (1 - GROWTH_MAX):
                judgement.lower.append((name, before, now))
        return judgement
