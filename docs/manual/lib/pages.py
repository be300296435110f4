# SPDX-License-Identifier: MIT
"""The reference pages, read without Sphinx.

Pages are plain reStructuredText, so that a repository host shows them too. An
entry of the reference is an item of a definition list that begins with its kind:

    function ``void uv_stop(uv_loop_t* loop)``
       Text, and fields.

`Entry` is one of them with its text; entries nest.
"""
import os
import re
import textwrap

import headers

MANUAL = os.path.normpath(os.path.join(os.path.dirname(__file__), '..'))
API = os.path.join(MANUAL, 'api')

DESCRIBES = ('function', 'type', 'struct', 'member', 'enum',
             'enumerator', 'macro', 'variable')
ENTRY = re.compile(r'^( *)(%s) ``(.*)``$' % '|'.join(DESCRIBES))
# A link to another page, as hosts understand it: text, path, section.
LINK = re.compile(r'`([^`<]+) <([\w./-]+)\.rst(#[\w-]+)?>`__')
FIELD = re.compile(r'^:(\w+)(?: (\w+))?:(?: (.*))?$')


class Entry:
    def __init__(self, kind, signature, page, line):
        self.kind = kind
        self.signature = signature
        self.page = page
        self.line = line
        self.text = []      # lines without the indentation, fields left out
        self.fields = []    # (field, argument, text)
        self.inner = []

    @property
    def name(self):
        text = self.signature
        if self.kind == 'member':
            return re.search(r'([\w.]+)(?:\[[^]]*\])*$', text).group(1)
        pointer = re.search(r'\(\*(\w+)\)', text)
        if self.kind == 'type' and pointer:
            return pointer.group(1)
        return re.search(r'(\w+)\s*(?:\(.*\))?$', text).group(1)

    def all(self):
        yield self
        for entry in self.inner:
            yield from entry.all()

    def field(self, name):
        return [(arg, text) for f, arg, text in self.fields if f == name]


class Page:
    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding='utf-8') as f:
            self.lines = f.read().split('\n')
        self.title = self.lines[0]
        self.intro = []     # lines before the first entry or section
        self.entries = []
        self.sections = []  # (title, [lines], [entries])
        self.read()

    def read(self):
        open_entries = []   # (indentation, entry), outermost first
        section = ('', self.intro, [])
        self.sections.append(section)
        i = 2
        while i < len(self.lines):
            line = self.lines[i]
            below = self.lines[i + 1] if i + 1 < len(self.lines) else ''
            if line and not line.startswith(' ') and re.match(r'^-+$', below):
                open_entries = []
                section = (line, [], [])
                self.sections.append(section)
                i += 2
                continue
            indent = len(line) - len(line.lstrip())
            if line.strip():
                while open_entries and open_entries[-1][0] >= indent:
                    open_entries.pop()
            m = ENTRY.match(line)
            if m:
                entry = Entry(m.group(2), m.group(3), self.name, i + 1)
                if open_entries:
                    open_entries[-1][1].inner.append(entry)
                else:
                    self.entries.append(entry)
                    section[2].append(entry)
                open_entries.append((indent, entry))
            elif open_entries:
                open_entries[-1][1].text.append(line)
            else:
                section[1].append(line)
            i += 1
        for entry in self.entries:
            for one in entry.all():
                split_fields(one)


def split_fields(entry):
    lines = textwrap.dedent('\n'.join(entry.text)).split('\n')
    entry.text = []
    for line in lines:
        m = FIELD.match(line)
        if m:
            entry.fields.append([m.group(1), m.group(2) or '', m.group(3) or ''])
        elif entry.fields and line.startswith(' '):
            entry.fields[-1][2] += ' ' + line.strip()
        elif not entry.fields or line.strip():
            entry.text.append(line)
    while entry.text and not entry.text[-1].strip():
        entry.text.pop()
    while entry.text and not entry.text[0].strip():
        entry.text.pop(0)


def pages():
    return [Page(os.path.join(API, name)) for name in sorted(os.listdir(API))
            if name.endswith('.rst') and name != 'index.rst']


def since():
    """Function to the first version that has it; see since.txt."""
    versions = {}
    with open(os.path.join(MANUAL, 'since.txt'), encoding='utf-8') as f:
        for line in f:
            if not line.startswith('#'):
                version, *names = line.split()
                versions.update((name, version) for name in names)
    return versions


def thread(function):
    """The rule of api/index.rst, for entries without a :thread: field."""
    mine = re.compile(r'\buv_(loop|req|fs|work|write|connect|shutdown|udp_send'
                      r'|getaddrinfo|getnameinfo|random|handle|stream|tcp|pipe'
                      r'|tty|udp|poll|process|signal|timer|prepare|check|idle'
                      r'|async|fs_event|fs_poll)_t\b')
    return "The loop's." if mine.search(function.text) else 'Any.'


def since_text(name, versions):
    version = versions.get(name, '1.0')
    return 'this library only' if version == 'extension' else 'libuv ' + version
