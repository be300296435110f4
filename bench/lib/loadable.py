# SPDX-License-Identifier: MIT
"""A copy of a shared library that an older C library can load.

libuv 1.53.0's binary asks for GLIBC_2.38 because of three functions that read
numbers (test/conformance/isoc23.c; uv-bench has them). The copy asks for
GLIBC_2.34 instead; nothing else in it is changed. It is for 64-bit little-endian
ELF, which is what there is of that binary."""
import os
import struct

SECTION = struct.Struct("<IIQQQQIIQQ")  # name type flags addr offset size link
NEED = struct.Struct("<HHIII")          # version count file first next
VERSION = struct.Struct("<IHHII")       # hash flags other name next
SHT_GNU_VERNEED = 0x6ffffffe
WANTED = b"GLIBC_2.38"
INSTEAD = b"GLIBC_2.34"


def sections(image):
    offset, = struct.unpack_from("<Q", image, 0x28)
    size, count = struct.unpack_from("<HH", image, 0x3a)
    return [SECTION.unpack_from(image, offset + i * size)
            for i in range(count)]


def versions(image):
    """{name of a required version: (position of its entry, entry)}."""
    table = sections(image)
    need = next(s for s in table if s[1] == SHT_GNU_VERNEED)
    names = table[need[6]][4]
    found = {}
    at = need[4]
    while True:
        _, count, _, first, following = NEED.unpack_from(image, at)
        entry = at + first
        for _ in range(count):
            fields = VERSION.unpack_from(image, entry)
            start = names + fields[3]
            found[bytes(image[start:image.index(0, start)])] = (entry, fields)
            entry += fields[4]
        if following == 0:
            return found
        at += following


def copy(library, folder):
    """Writes libuv.so.1 to `folder`, unless it is there; returns `folder`."""
    out = os.path.join(folder, "libuv.so.1")
    if os.path.exists(out) and os.path.getmtime(out) > os.path.getmtime(library):
        return folder
    with open(library, "rb") as source:
        image = bytearray(source.read())
    known = versions(image)
    if WANTED in known:
        position, (_, flags, other, _, following) = known[WANTED]
        digest, _, _, name, _ = known[INSTEAD][1]
        VERSION.pack_into(image, position, digest, flags, other, name,
                          following)
    os.makedirs(folder, exist_ok=True)
    with open(out, "wb") as target:
        target.write(image)
    return folder
