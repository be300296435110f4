# SPDX-License-Identifier: MIT
"""What uvloop does with libuv beyond its interface: it sets a private bit of
a handle's flags to read from the writing end of a pipe, and counts on
uv_spawn() to run pthread_atfork handlers for UV_PROCESS_SETUID."""
import asyncio
import os
import signal
import socket
import subprocess
import unittest

import uvloop


class Writer(asyncio.BaseProtocol):
    def __init__(self):
        self.lost = asyncio.get_running_loop().create_future()

    def connection_lost(self, error):
        self.lost.set_result(error)


async def connect(write_end):
    """A transport on the descriptor, which it owns from now on."""
    loop = asyncio.get_running_loop()
    return await loop.connect_write_pipe(
        Writer, os.fdopen(write_end, "wb", buffering=0))


async def in_time(awaitable):
    return await asyncio.wait_for(awaitable, 10)


class WritePipe(unittest.IsolatedAsyncioTestCase):
    async def test_bytes_arrive(self):
        read_end, write_end = os.pipe()
        transport, protocol = await connect(write_end)
        transport.write(b"1")
        transport.write(b"23")
        transport.close()
        await in_time(protocol.lost)
        self.assertEqual(os.read(read_end, 16), b"123")
        self.assertEqual(os.read(read_end, 16), b"")
        os.close(read_end)

    async def test_reader_that_goes_is_noticed(self):
        read_end, write_end = os.pipe()
        transport, protocol = await connect(write_end)
        os.close(read_end)
        await in_time(protocol.lost)
        self.assertTrue(transport.is_closing())

    async def test_reader_that_goes_from_a_socket_is_noticed(self):
        ours, theirs = socket.socketpair()
        transport, protocol = await connect(ours.detach())
        theirs.close()
        await in_time(protocol.lost)
        self.assertTrue(transport.is_closing())

    async def test_more_than_a_pipe_holds(self):
        read_end, write_end = os.pipe()
        transport, protocol = await connect(write_end)
        data = os.urandom(1 << 20)
        transport.write(data)
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader),
            os.fdopen(read_end, "rb", buffering=0))
        self.assertEqual(await in_time(reader.readexactly(len(data))), data)
        transport.close()
        await in_time(protocol.lost)


@unittest.skipIf(uvloop.__version__.startswith("0.17"),
                 "uvloop 0.17 expects every uv_spawn() to fork, as it did in "
                 "libuv 1.44")
class PreexecFunction(unittest.IsolatedAsyncioTestCase):
    async def test_it_runs_in_the_child(self):
        read_end, write_end = os.pipe()
        child = await asyncio.create_subprocess_exec(
            "/bin/true", pass_fds=(write_end,),
            preexec_fn=lambda: os.write(write_end, b"%d" % os.getpid()))
        os.close(write_end)
        self.assertEqual(await in_time(child.wait()), 0)
        self.assertEqual(os.read(read_end, 32), b"%d" % child.pid)
        os.close(read_end)

    async def test_what_it_changes_lasts(self):
        child = await asyncio.create_subprocess_exec(
            "/bin/sh", "-c", "umask; pwd", stdout=subprocess.PIPE,
            preexec_fn=lambda: (os.umask(0o27), os.chdir("/usr")))
        out, _ = await in_time(child.communicate())
        self.assertEqual(out.split(), [b"0027", b"/usr"])

    async def test_an_exception_is_told(self):
        def fail():
            raise ValueError("no")
        with self.assertRaises(subprocess.SubprocessError):
            await in_time(asyncio.create_subprocess_exec(
                "/bin/true", preexec_fn=fail))

    async def test_many_children(self):
        children = [await asyncio.create_subprocess_exec(
            "/bin/sh", "-c", "cut -d ' ' -f 6 /proc/$$/stat; kill -9 $$",
            stdout=subprocess.PIPE, preexec_fn=os.setsid) for _ in range(20)]
        for child in children:
            session, _ = await in_time(child.communicate())
            self.assertEqual(int(session), child.pid)
            self.assertEqual(child.returncode, -signal.SIGKILL)
