# SPDX-License-Identifier: MIT
"""Judge a test: passed, failed, skipped for a reason that holds, or excepted.

skips.txt says which reasons hold under which condition of the machine;
exceptions.txt lists what an old suite asserts and later releases changed.
Whatever is in neither is a failure.
"""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
TEST_SKIP = 7
# The messages of objects.py's stubs: no exception excuses such a failure.
STAND_IN = ("does not compile", "not in the library under test")

PASS, FAIL, SKIP, EXCEPT = "pass", "fail", "skip", "except"


def rows(name, columns):
    """Rows of a table file: `columns` words, the last one to end of line."""
    with open(os.path.join(HERE, name), encoding="utf-8") as lines:
        for line in lines:
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            row = line.split(None, columns - 1)
            if len(row) != columns:
                raise ValueError("%s: %r needs %d columns"
                                 % (name, line, columns))
            yield row


def version_tuple(text):
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


class ExceptionRow:
    """One line of exceptions.txt."""

    def __init__(self, suite, test, user, release, reason):
        self.suite = suite
        self.test = test
        self.user = user
        self.release = release
        self.reason = reason

    def covers(self, suite, test, user):
        return (self.suite in ("*", suite) and self.test == test and
                self.user in ("any", user))

    def fails_on(self, version):
        """Whether the test is expected to fail on that libuv."""
        return (self.release == "-" or
                version_tuple(version) >= version_tuple(self.release))


class Judge:
    """Verdicts for one suite. `conditions` names what holds on this machine:
    always, unprivileged, no-ipv6, asan, tsan, msan, kqueue, freebsd, qemu,
    select, static, 32bit."""

    def __init__(self, suite, conditions):
        self.suite = suite
        self.conditions = set(conditions) | {"always"}
        self.skips = list(rows("skips.txt", 3))
        self.exceptions = [ExceptionRow(*row)
                           for row in rows("exceptions.txt", 5)]
        for condition in ("kqueue", "freebsd", "qemu", "select", "tsan",
                          "32bit"):
            if condition in self.conditions:
                self.exceptions += [
                    ExceptionRow("*", test, "any", "-", reason)
                    for test, reason in rows(condition + ".txt", 2)]

    def _skip_holds(self, test, reason, unprivileged):
        conditions = set(self.conditions)
        if unprivileged:
            conditions.add("unprivileged")
        return any(name in ("*", test) and condition in conditions and
                   re.search(pattern, reason)
                   for name, condition, pattern in self.skips)

    def judge(self, result, user):
        """Returns (verdict, reason)."""
        if result.timed_out:
            return FAIL, "killed after %.0f s" % result.seconds
        if result.status == 0:
            return PASS, ""
        if result.status == TEST_SKIP:
            reason = result.skip_reason()
            if self._skip_holds(result.test, reason, not user.root):
                return SKIP, reason
            if not reason:
                # The runner also returns a signal's number: 7 is SIGBUS.
                return FAIL, "exit status 7 but no reason to skip; SIGBUS?"
            return FAIL, "skipped, but not so here: " + reason
        if any(words in result.output for words in STAND_IN):
            return FAIL, "cannot be built"
        for row in self.exceptions:
            if row.covers(self.suite, result.test, user.name):
                return EXCEPT, row.reason
        return FAIL, "exit status %d" % result.status
