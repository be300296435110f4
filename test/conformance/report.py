# SPDX-License-Identifier: MIT
"""What a run prints: plain lines, or TAP."""
import sys
import time

import verdict


class Report:
    """Collects verdicts and prints failures as they happen."""

    def __init__(self, tap, stream=sys.stdout):
        self.tap = tap
        self.stream = stream
        self.number = 0
        self.count = {verdict.PASS: 0, verdict.FAIL: 0, verdict.SKIP: 0,
                      verdict.EXCEPT: 0}
        self.failed = {}
        self.excepted = {}
        self.leg = None
        self.leg_count = None
        self.begin = None

    def say(self, text):
        """A line of information."""
        self.stream.write(("# " if self.tap else "") + text + "\n")
        self.stream.flush()

    def plan(self, total):
        if self.tap:
            self.stream.write("TAP version 13\n1..%d\n" % total)

    def start_leg(self, name):
        """A leg is one pass over the tests as one user."""
        self.leg = name
        self.leg_count = dict.fromkeys(self.count, 0)
        self.begin = time.monotonic()

    def end_leg(self):
        self.say("%s: %s in %.1f s" % (self.leg, counts(self.leg_count),
                                       time.monotonic() - self.begin))

    def _output(self, result):
        for line in result.lines():
            self.stream.write(("#     " if self.tap else "    ") +
                              line.rstrip() + "\n")

    def _tap_line(self, name, what, reason):
        ok = "not ok" if what in (verdict.FAIL, verdict.EXCEPT) else "ok"
        directive = {verdict.SKIP: " # SKIP " + reason,
                     verdict.EXCEPT: " # TODO " + reason}.get(what, "")
        self.stream.write("%s %d - %s%s\n" % (ok, self.number, name, directive))

    def add(self, result, user, what, reason, elsewhere=""):
        """Record one verdict; `elsewhere` is the result on another library."""
        self.number += 1
        self.count[what] += 1
        self.leg_count[what] += 1
        if self.tap:
            self._tap_line(user.name + "/" + result.test, what, reason)
        if what == verdict.FAIL:
            key = (user.name, result.test)
            self.failed[key] = self.failed.get(key, 0) + 1
            self.say("FAIL %s %s: %s (%.2f s)%s" % (
                user.name, result.test, reason, result.seconds, elsewhere))
            self._output(result)
        elif what == verdict.EXCEPT:
            self.excepted[(user.name, result.test)] = reason
        self.stream.flush()

    def finish(self, repeat):
        """The summary; the last line is the one to parse."""
        if self.excepted:
            self.say("failed as exceptions.txt says (counted as skipped):")
            for (user, test), reason in sorted(self.excepted.items()):
                self.say("  %s %s: %s" % (user, test, reason))
        if self.failed:
            self.say("failed:")
            for (user, test), times in sorted(self.failed.items()):
                self.say("  %s %s%s" % (
                    user, test,
                    ", %d of %d runs" % (times, repeat) if repeat > 1 else ""))
        self.say(counts(self.count))
        return 1 if self.count[verdict.FAIL] else 0


def counts(count):
    return "%d passed, %d failed, %d skipped" % (
        count[verdict.PASS], count[verdict.FAIL],
        count[verdict.SKIP] + count[verdict.EXCEPT])
