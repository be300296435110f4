#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run unittest modules on uvloop: uvloop-unittest.py RESULTS MODULE...

asyncio's own tests make their loops in several ways; all lead to uvloop here.
A line a test goes to RESULTS as soon as it has ended.
"""
import asyncio
import re
import signal
import sys
import threading
import unittest

import uvloop

SECONDS = 30  # for one test
# These wait for ever on uvloop, whichever libuv it has.
LEFT_OUT = ("test_events.SelectEventLoopTests.test_add_signal_handler",
            "test_events.SelectEventLoopTests.test_bidirectional_pty",
            "test_events.SelectEventLoopTests.test_write_pty",
            "test_sock_lowlevel.SelectEventLoopTests.test_sock_client_racing",
            "test_ssl.TestSSL.test_flush_before_shutdown")


class Loop(uvloop.Loop):
    """uvloop for callers that think they make a selector loop."""

    _default_executor = None  # checked when a test ends

    def __init__(self, selector=None):
        super().__init__()


class Policy(uvloop.EventLoopPolicy):
    """uvloop needs no child watcher; tests set one all the same."""

    def get_child_watcher(self):
        return asyncio.ThreadedChildWatcher()

    def set_child_watcher(self, watcher):
        pass

    def _loop_factory(self):
        return Loop()


def each(suite):
    """The single tests, without those that would be the same again with
    another selector or child watcher."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        elif not (re.search("Poll|(Fast|Safe|Pidfd)Watcher",
                            type(test).__name__) or
                  test.id().endswith(LEFT_OUT)):
            yield test


class Result(unittest.TextTestResult):
    def _say(self, word, test, reason=""):
        if not test.id().startswith("unittest."):
            RESULTS.write(("%s %s %s" % (word, test.id(), reason)).strip()
                          .replace("\n", " ") + "\n")
            RESULTS.flush()

    def startTest(self, test):
        super().startTest(test)
        # Not alarm(): tests of signals use that.
        self.watchdog = threading.Timer(SECONDS, signal.pthread_kill, (
            threading.main_thread().ident, signal.SIGUSR2))
        self.watchdog.daemon = True
        self.watchdog.start()

    def stopTest(self, test):
        self.watchdog.cancel()
        super().stopTest(test)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._say("ok", test)

    def addError(self, test, err):
        super().addError(test, err)
        self._say("bad", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._say("bad", test)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._say("bad", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._say("skip", test, reason)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._say("skip", test, "expected to fail")


def too_long(signum, frame):
    raise TimeoutError("a test took more than %d s" % SECONDS)


def main(argv):
    signal.signal(signal.SIGUSR2, too_long)
    asyncio.set_event_loop_policy(Policy())
    asyncio.DefaultEventLoopPolicy = Policy
    asyncio.SelectorEventLoop = Loop
    for name in ("unix_events", "selector_events"):
        module = getattr(asyncio, name)
        for old in ("_UnixSelectorEventLoop", "SelectorEventLoop"):
            if hasattr(module, old):
                setattr(module, old, Loop)
    suite = unittest.TestSuite(
        each(unittest.defaultTestLoader.loadTestsFromNames(argv)))
    unittest.TextTestRunner(sys.stdout, verbosity=2,
                            resultclass=Result).run(suite)


if __name__ == "__main__":
    with open(sys.argv[1], "a") as RESULTS:
        main(sys.argv[2:])
