# SPDX-License-Identifier: MIT
"""libuv in gdb: the commands uv-loops and uv-handles, and pretty printers.

Loaded by itself where it is installed as libuv.so.1.0.0-gdb.py in gdb's
auto-load directory; elsewhere: (gdb) source scripts/gdb/libuv-gdb.py
Works on a stopped process and on a core file; needs the debug information of
the library. Only reads memory, never calls a function of the program.
"""
import gdb

# Bits of uv_handle_t.flags, as in src/handle.h.
CLOSING = 0x1
ACTIVE = 0x4
REF = 0x8
INTERNAL = 0x10
STATES = ((0x40, 'listening'), (0x80, 'connected'), (0x1000, 'reading'),
          (0x800, 'end of input'), (0x100, 'shutting down'),
          (0x200, 'shut down'))

NAMES = {
    'UV_ASYNC': 'async', 'UV_CHECK': 'check', 'UV_FS_EVENT': 'fs_event',
    'UV_FS_POLL': 'fs_poll', 'UV_HANDLE': 'handle', 'UV_IDLE': 'idle',
    'UV_NAMED_PIPE': 'pipe', 'UV_POLL': 'poll', 'UV_PREPARE': 'prepare',
    'UV_PROCESS': 'process', 'UV_STREAM': 'stream', 'UV_TCP': 'tcp',
    'UV_TIMER': 'timer', 'UV_TTY': 'tty', 'UV_UDP': 'udp',
    'UV_SIGNAL': 'signal',
}

# Fields that hold a callback, by type; the name of the field less "_cb".
CALLBACKS = {
    'async': ('async_cb',), 'check': ('check_cb',), 'fs_event': ('cb',),
    'idle': ('idle_cb',), 'poll': ('poll_cb',), 'prepare': ('prepare_cb',),
    'process': ('exit_cb',), 'signal': ('signal_cb',), 'timer': ('timer_cb',),
    'udp': ('recv_cb',),
}
STREAMS = ('pipe', 'tcp', 'tty')


class Unknown(Exception):
    """What there is to say instead of an answer."""


def type_of(name):
    try:
        return gdb.lookup_type(name)
    except gdb.error:
        raise Unknown('no debug information about %s' % name)


def offset_of(kind, field):
    for f in kind.fields():
        if f.name == field:
            return f.bitpos // 8
    raise Unknown('%s has no field %s' % (kind, field))


def container_of(pointer, kind, field):
    address = int(pointer) - offset_of(kind, field)
    return gdb.Value(address).cast(kind.pointer())


def field(value, *path):
    """A field of a structure, or None: platforms differ in private ones."""
    for name in path:
        try:
            value = value[name]
        except gdb.error:
            return None
    return value


def symbol_of(pointer):
    """The name of a function, else its address."""
    address = int(pointer)
    text = gdb.execute('info symbol %#x' % address, to_string=True)
    if text.startswith('No symbol'):
        return '%#x' % address
    return text.split()[0]


def states():
    """struct uv__loop_state of all loops, newest first."""
    kind = type_of('struct uv__loop_state')
    symbol = gdb.lookup_global_symbol('uv__loop_list')
    if symbol is None:
        symbol = gdb.lookup_static_symbol('uv__loop_list')
    if symbol is None:
        raise Unknown('no libuv with debug information is loaded')
    state = symbol.value()
    while int(state) != 0:
        yield state.cast(kind.pointer()).dereference()
        state = state['next_state']


def state_of(loop):
    return loop['internal_fields'].cast(
        type_of('struct uv__loop_state').pointer()).dereference()


def handles(loop):
    """The handles of a loop, as uv_handle_t."""
    kind = type_of('uv_handle_t')
    head = loop['handle_queue'].address
    node = loop['handle_queue']['next']
    while int(node) != int(head):
        yield container_of(node, kind, 'handle_queue').dereference()
        node = node['next']


def name_of(handle):
    return NAMES.get(str(handle['type']), str(handle['type']))


def fd_of(specific, name):
    if name in STREAMS or name in ('udp', 'poll'):
        fd = field(specific, 'io_watcher', 'fd')
        if fd is not None and int(fd) >= 0:
            return int(fd)
    return None


def callbacks_of(specific, name, flags):
    names = CALLBACKS.get(name, ())
    if name in STREAMS:
        names = ('connection_cb',) if flags & 0x40 else (
            ('alloc_cb', 'read_cb') if flags & 0x1000 else ())
    for each in names:
        cb = field(specific, each)
        if cb is not None and int(cb) != 0:
            yield '%s %s' % (each.replace('_cb', ''), symbol_of(cb))


def more_of(specific, name, loop):
    """What only this type has to tell."""
    if name == 'timer':
        due = int(specific['timeout'])
        now = int(state_of(loop)['now_ns'])
        text = ['due %+.3f ms' % ((due - now) / 1e6)]
        if int(specific['repeat']) != 0:
            text.append('repeats every %d ms' % int(specific['repeat']))
        return text
    if name == 'async' and int(specific['pending']) != 0:
        return ['pending']
    if name == 'signal':
        return ['signal %d' % int(specific['signum'])]
    if name == 'process':
        return ['pid %d' % int(specific['pid'])]
    if name in STREAMS:
        return ['%d bytes to write' % int(specific['write_queue_size'])]
    if name == 'udp':
        return ['%d bytes to send' % int(specific['send_queue_size'])]
    return []


def describe(handle):
    """One handle as a line, as uvx_dump() has it."""
    flags = int(handle['flags'])
    name = name_of(handle)
    marks = ''.join(c if flags & bit else '-' for c, bit in
                    (('R', REF), ('A', ACTIVE), ('C', CLOSING),
                     ('I', INTERNAL)))
    parts = ['[%s] %-8s %#x' % (marks, name, int(handle.address))]
    if flags & CLOSING:
        return parts[0]  # the program may have freed it
    kind = type_of('uv_%s_t' % name)
    specific = handle.address.cast(kind.pointer()).dereference()
    fd = fd_of(specific, name)
    if fd is not None:
        parts.append('fd %d' % fd)
    parts += [text for bit, text in STATES
              if flags & bit and name in STREAMS]
    if flags & ACTIVE or name in STREAMS:
        parts += more_of(specific, name, handle['loop'].dereference())
        parts += callbacks_of(specific, name, flags)
    return ', '.join(parts)


def print_loop(state):
    loop = state['loop'].dereference()
    print('loop %#x: %s, iteration %d, %d active handles, %d requests%s' % (
        int(state['loop']), state['poller']['name'].string(),
        int(state['counters']['loop_count']), int(loop['active_handles']),
        int(loop['active_reqs']['count']),
        ', stopping' if int(loop['stop_flag']) else ''))


class Command(gdb.Command):
    """A command that says what it lacks instead of showing a traceback."""

    def __init__(self, name):
        super().__init__(name, gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        try:
            self.run(argument.strip())
        except Unknown as e:
            raise gdb.GdbError('%s: %s' % (self.NAME, e))


class Loops(Command):
    """List the libuv loops of the program."""
    NAME = 'uv-loops'

    def run(self, argument):
        for state in states():
            print_loop(state)


class Handles(Command):
    """List the handles of a libuv loop: uv-handles [LOOP]

LOOP is an expression, a uv_loop_t or a pointer to one; all loops without it."""
    NAME = 'uv-handles'

    def run(self, argument):
        if argument == '':
            found = list(states())
        else:
            loop = gdb.parse_and_eval(argument)
            if loop.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
                loop = loop.address
            loop = loop.cast(type_of('uv_loop_t').pointer()).dereference()
            if int(loop['internal_fields']) == 0:
                raise Unknown('the loop is closed')
            found = [state_of(loop)]
        for state in found:
            print_loop(state)
            for handle in handles(state['loop'].dereference()):
                try:
                    print('  ' + describe(handle))
                except gdb.MemoryError:
                    print('  %#x: freed' % int(handle.address))


class HandlePrinter:
    """A handle as the line of uv-handles."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        kind = type_of('uv_handle_t')
        try:
            return describe(self.value.address.cast(
                kind.pointer()).dereference())
        except (Unknown, gdb.error) as e:
            return '{%s}' % e


class BufPrinter:
    """uv_buf_t with the beginning of what it holds."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        length = int(self.value['len'])
        if int(self.value['base']) == 0:
            return '{%d bytes at NULL}' % length
        try:
            data = gdb.selected_inferior().read_memory(
                int(self.value['base']), min(length, 32)).tobytes()
        except gdb.error:
            return '{%d bytes at %#x}' % (length, int(self.value['base']))
        return '{%d bytes at %#x: %s%s}' % (
            length, int(self.value['base']), ascii(data)[1:],
            '...' if length > 32 else '')


HANDLES = {'uv_%s_s' % name for name in NAMES.values()}


def find_printer(value):
    tag = value.type.strip_typedefs().tag
    if tag == 'uv_buf_t' or str(value.type) == 'uv_buf_t':
        return BufPrinter(value)
    if tag in HANDLES and value.address is not None:
        return HandlePrinter(value)
    return None


find_printer.__name__ = 'libuv'
Loops(Loops.NAME)
Handles(Handles.NAME)
where = gdb.current_objfile() or gdb
if not any(getattr(p, '__name__', '') == 'libuv' for p in where.pretty_printers):
    where.pretty_printers.append(find_printer)
