#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""activate.py PROGRAM ARGUMENT...: what systemd does for a socket unit.

Listens on a port of loopback, prints "port N", and replaces itself by the
program, which finds the socket as descriptor 3.
"""
import os
import socket
import sys

listener = socket.create_server(('127.0.0.1', 0))
print('port', listener.getsockname()[1], flush=True)
fd = listener.detach()
if fd != 3:
    os.dup2(fd, 3)
    os.close(fd)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1',
                  LISTEN_FDNAMES='http')
os.execv(sys.argv[1], sys.argv[1:])
