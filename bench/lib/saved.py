# SPDX-License-Identifier: MIT
"""Measurements in pieces: what is done is kept in the JSON file, and the next
call goes on from there."""
import datetime
import hashlib
import json
import os
import time

import contenders

UNFINISHED = 75  # exit status: call again to go on


class Unfinished(Exception):
    """The budget is spent; the message names what comes next."""

    def tell(self):
        print("not finished: %s is next; call again with --resume" % self)
        return UNFINISHED


def add_options(parser):
    parser.add_argument("--resume", action="store_true",
                        help="keep what --json FILE has of the same library, "
                        "and measure the rest")
    parser.add_argument("--budget", type=float, default=None, metavar="S",
                        help="start nothing new after so many seconds; the "
                        "exit status is then %d" % UNFINISHED)


class Budget:
    """Seconds since the beginning, and whether they are used up."""

    def __init__(self, args):
        self.began = time.monotonic()
        self.limit = args.budget

    def spent(self):
        return time.monotonic() - self.began

    def is_spent(self):
        return self.limit is not None and self.spent() > self.limit

    def check(self, following):
        if self.is_spent():
            raise Unfinished(following)


def identity(folder):
    """Of the library measured: results of two are not mixed."""
    with open(os.path.join(folder, "libuv.so.1"), "rb") as binary:
        return hashlib.sha256(binary.read()).hexdigest()[:16]


def start(args, folder, rows, fresh):
    """The document to fill: `fresh` with a date and, if resumed, the `rows` of
    earlier calls. Each row says when it was measured, with which library and
    against what, so that those of another library can stay until they are
    measured again."""
    document = dict({"date": datetime.date.today().isoformat(),
                     "machine": contenders.machine(),
                     "library": identity(folder)}, **fresh)
    if args.resume and args.json and os.path.exists(args.json):
        with open(args.json) as text:
            earlier = json.load(text)
        for name, row in earlier[rows].items():
            for key in ABOUT:
                row.setdefault(key, earlier.get(key))
            document[rows][name] = row
        document.setdefault("runs", {})
        if earlier.get("library") == document["library"]:
            document["runs"].update(earlier.get("runs", {}))
    return document


# What a row says about itself.
ABOUT = ("date", "library", "machine", "references")


def sign(row, document):
    for key in ABOUT:
        if key in document:
            row[key] = document[key]


def is_done(row, document):
    """Whether this library has been measured."""
    return row is not None and row.get("library") == document["library"]


def is_older(row, document):
    return row.get("date", document["date"]) != document["date"] or \
        row.get("library", document.get("library")) != document.get("library")


def write(path, text):
    """All of it or nothing; silently, because it happens often."""
    if not path:
        return
    with open(path + ".new", "w") as out:
        out.write(text)
    os.replace(path + ".new", path)
