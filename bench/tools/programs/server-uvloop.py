# SPDX-License-Identifier: MIT
"""Echoes the path of an HTTP request, on uvloop."""
import asyncio

import uvloop

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"


class Echo(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        path = data.split(b" ", 2)[1]
        self.transport.write(ANSWER % (len(path), path))


async def main():
    server = await asyncio.get_running_loop().create_server(
        Echo, "127.0.0.1", 8000)
    await server.serve_forever()

uvloop.run(main())
