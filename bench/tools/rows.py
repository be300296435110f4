# SPDX-License-Identifier: MIT
"""What users run: the rows of the measurement."""

from rooms import PROGRAMS

PROJECT = "/work/project"
BIN = PROJECT + "/node_modules/.bin/"
EVERYWHERE = ("quiet", "busy", "one-processor", "quota")
ON_ALL = ("quiet", "busy")
SECONDS = 2  # of load for a server


class Row:
    """A command in a room. Its whole process tree is measured unless it prints
    a line of JSON with what it measured itself. `before` is not measured. Both
    are words, or text for a shell."""

    def __init__(self, name, what, command, before=None, folder="/work",
                 conditions=ON_ALL, is_quick=False):
        self.name = name
        self.what = what
        self.command = words(command)
        self.before = words(before) if before else None
        self.folder = folder
        self.conditions = conditions
        self.is_quick = is_quick


def words(command):
    return ["/bin/bash", "-c", command] if isinstance(command, str) \
        else list(command)


def program(name, *arguments):
    return ["node", PROGRAMS + name] + list(arguments)


def serve(paths, *server):
    return ["/tree/bench/tools/serve", str(SECONDS)] + paths + ["--"] + \
        list(server)


def node_server(name, *paths):
    return serve(list(paths), "node", PROGRAMS + name)


def repeated(count, command):
    return "for i in $(seq %d); do %s || exit; done" % (count, command)


ROWS = [
    Row("npm-ci", "`npm ci --offline`, 729 packages",
        "npm ci --offline --cache /work/npm-cache --ignore-scripts --no-audit "
        "--no-fund --no-update-notifier > /tmp/npm.log 2>&1",
        "rm -rf node_modules", "/work/install", EVERYWHERE, True),
    Row("fs-cp", "`fs.cp` of 11,000 files", program("cp.js"),
        conditions=EVERYWHERE, is_quick=True),
    Row("walk-read", "a tree walked, its files read, 64 at once",
        program("walk.js", "read"), conditions=EVERYWHERE),
    Row("walk-stat", "a tree walked, `readdir` and `stat` only",
        program("walk.js")),
    Row("static-server", "static files of 32 KiB (serve-handler), 50 "
        "connections", node_server("server-static.js", "/32k.bin 50"),
        conditions=EVERYWHERE),
    Row("hash-server", "a server that hashes (pbkdf2) and reads files",
        node_server("server-hash.js", "/hash 16", "/file 16"),
        conditions=EVERYWHERE, is_quick=True),
    Row("lookup-1", "`dns.lookup`, one after another",
        program("lookup.js", "1", "20000")),
    Row("lookup-64", "`dns.lookup`, 64 at once",
        program("lookup.js", "64", "60000")),
    Row("webpack", "webpack: lodash-es and rxjs bundled",
        [BIN + "webpack", "--mode", "production", "--entry", "./bundle.mjs",
         "--output-path", "/tmp/webpack"], folder=PROJECT),
    Row("rollup", "rollup: the same",
        [BIN + "rollup", "bundle.mjs", "-p",
         "@rollup/plugin-node-resolve", "-d", "/tmp/rollup", "--silent"],
        folder=PROJECT),
    Row("tsc", "tsc: rxjs compiled", [BIN + "tsc", "-p", "/work/rxjs"]),
    Row("prettier", "prettier: 331 files",
        BIN + "prettier '/work/lint/*.js' > /dev/null"),
    Row("eslint", "eslint: 331 files",
        BIN + "eslint --quiet .", folder="/work/lint"),
    Row("jest", "jest: 600 tests in 30 files",
        BIN + "jest --silent > /tmp/jest.log 2>&1", folder=PROJECT),
    Row("node-test", "`node --test`: the same",
        "node --test node-tests/ > /tmp/node-test.log", folder=PROJECT),
    Row("mocha", "mocha: 120 tests of fs-extra",
        BIN + "mocha --reporter dot mocha > /tmp/mocha.log", folder=PROJECT),
    Row("node-start", "node started, 20 times", repeated(20, "node -e 0")),
    Row("esm-imports", "900 ES modules imported, 3 times",
        repeated(3, "node imports.mjs"), folder=PROJECT),
    Row("gzip", "zlib: gzip of 64 KiB, 8 at once", program("gzip.js")),
    Row("http-hello", "hello over HTTP, 50 connections",
        node_server("server-hello.js", "/ 50")),
    Row("express-static", "Express: static files of 16 KiB, 50 connections",
        node_server("server-express.js", "/16k.bin 50")),
    Row("nvim-start", "Neovim started, 200 times",
        repeated(200, "nvim --headless -u NONE -i NONE +qa")),
    Row("nvim-grep", "Neovim: 400 searches in jobs, 4 at once",
        ["nvim", "--headless", "-u", "NONE", "-i", "NONE",
         "-l", PROGRAMS + "grep.lua"]),
    Row("cmake", "CMake configures 500 targets, 3 times",
        repeated(3, "cmake --fresh -S /work/cmake -B /tmp/cmake "
                 "> /tmp/cmake.log"), "rm -rf /tmp/cmake"),
    Row("ctest", "`ctest -j 8` of 500 tests, 4 times",
        repeated(4, "ctest --test-dir /tmp/cmake -j 8 > /tmp/ctest.log"),
        "[ -d /tmp/cmake ] || cmake -S /work/cmake -B /tmp/cmake > /dev/null"),
    Row("uvloop", "uvloop: an asyncio HTTP echo, 50 connections",
        serve(["/echo 50"], "python3", PROGRAMS + "server-uvloop.py")),
    Row("named-udp", "BIND: questions over UDP",
        ["/tree/bench/tools/load", "named", str(SECONDS)]),
    Row("named-tcp", "BIND: questions over TCP",
        ["/tree/bench/tools/load", "named-tcp", str(SECONDS)]),
]
