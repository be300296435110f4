# SPDX-License-Identifier: MIT
"""rules.txt: differences that are known and wanted."""
import re

from report import first_difference

LATE = re.compile(r'(now|timeout|due|alive)=-?\d+')
READS_MAX = 32      # of a stream in an iteration
EVENT = re.compile(r'^\s*([a-z]\d+ (?:\w+_cb2?|alloc|done))\b')


def event(line):
    """The object and callback that a line is about, or None."""
    match = EVENT.match(line)
    return match and match[1]


def rest_of_run(lines, at):
    """The lines up to the end of this uv_run()."""
    for end in range(at, len(lines)):
        if re.match(r'\[\d+\] ran |loop_close', lines[end]):
            return lines[at:end]
    return lines[at:]


class Rule:
    def __init__(self, area, version, how, pattern, reason, row=None):
        self.areas = area.split(',')
        self.version = version
        self.how = how
        self.before = None
        if ' then ' in pattern:
            before, pattern = pattern.split(' then ', 1)
            self.before = re.compile(before)
        self.pattern = pattern
        self.reason = reason
        self.row = row  # in docs/differences.md

    def concerns(self, area, version):
        return (self.areas == ['*'] or area in self.areas) and \
            self.version in ('*', version)

    def patterns(self, lines):
        """What the pattern is after each of these lines that it may follow: %1
        stands for the first group of the condition."""
        if self.before is None:
            return {self.pattern}
        found = map(self.before.search, lines)
        return {self.pattern.replace('%1', re.escape(match[1]))
                if '%1' in self.pattern else self.pattern
                for match in found if match}

    def explains(self, a, b, at):
        """`a` and `b` are whole traces that differ from line `at` on."""
        if self.how == 'end':
            x, y = (lines[-2] if len(lines) > 1 else '' for lines in (a, b))
            at = len(a)
        else:
            x, y = (lines[at] if at < len(lines) else '' for lines in (a, b))
        x, y = x.strip(), y.strip()
        if not any(re.search(pattern, x + ' <> ' + y)
                   for pattern in self.patterns(a[:at])):
            return False
        check = {'late': is_late, 'order': is_order, 'more': is_more,
                 'round': is_round, 'shared': is_shared,
                 'again': is_again, 'idle': is_idle, 'taken': is_taken}
        return self.how not in check or check[self.how](a, b, at, x, y)


def is_late(a, b, at, x, y):
    """The same event, later in libuv, by no more than passed in callbacks and
    between runs?"""
    times = [re.search(r'now=(\d+)', line) for line in (x, y)]
    if None in times or LATE.sub('', x) != LATE.sub('', y):
        return False
    passed = sum(int(ms) for ms in
                 re.findall(r'\] (\d+) ms pass', '\n'.join(a[:at])))
    return 0 < int(times[1][1]) - int(times[0][1]) <= passed


def is_order(a, b, at, x, y):
    """Do both events happen in both, in this uv_run()? Unless the callback that
    came first closed or stopped the other handle."""
    ours, theirs = rest_of_run(a, at), rest_of_run(b, at)
    return happens(event(x), theirs) and happens(event(y), ours)


def happens(what, lines):
    if what is None:
        return False
    name = what.split()[0]
    return any(event(line) == what or
               re.search(r'\] \w*(close|stop)\w* %s\b' % name, line)
               for line in lines)


def is_more(a, b, at, x, y):
    """The same line with larger numbers in libuv?"""
    del a, b, at
    numbers = [[int(n) for n in re.findall(r'(?:loops|events)=(\d+)', line)]
               for line in (x, y)]
    texts = [re.sub(r'(loops|events)=\d+', '', line) for line in (x, y)]
    return texts[0] == texts[1] and \
        all(ours <= theirs for ours, theirs in zip(*numbers))


def is_round(a, b, at, x, y):
    """Has libuv one more iteration, with only idle, prepare and check callbacks
    (and what they do), or does it return from uv_run() after it?"""
    if re.match(r'\[\d+\] ran once -> 1', y):
        return True
    indent = len(b[at]) - len(b[at].lstrip())
    for end in range(at, len(b)):
        line = b[end]
        if line.strip() == x and end > at:
            return True
        if len(line) - len(line.lstrip()) <= indent and \
                not re.match(r'\s*[cpi]\d (idle|prepare|check)_cb', line):
            return re.match(r'\[\d+\] ran once -> 1', line) is not None
    return False


def is_shared(a, b, at, x, y):
    """Is x an event of a poll handle that libuv does not report in this
    uv_run(), after another handle with the same descriptor was stopped or
    closed?"""
    del y
    match = re.match(r'(o\d) poll_cb (f\d) ', x)
    if match is None or any(event(line) == match[1] + ' poll_cb'
                            for line in rest_of_run(b, at)):
        return False
    sharing = re.findall(r'poll_init (o\d) %s -> 0' % match[2],
                         '\n'.join(a[:at]))
    return any(re.search(r'\] (close|poll_stop) (%s) -> 0' % '|'.join(sharing),
                         line) and ' %s ' % match[1] not in line
               for line in a[:at])


def is_again(a, b, at, x, y):
    """Does libuv go on reading a stream that has had its turn: READS_MAX reads,
    or one without a buffer?"""
    del b, x
    name = re.match(r'(\w\d) alloc', y)
    if name is None or at == 0:
        return False
    reads = []
    for line in reversed(a[:at]):
        match = re.match(r'\s*(\w\d) (alloc|read_cb (\w+))', line)
        if match and match[1] == name[1]:
            if match[3]:
                reads.append(match[3])
        elif re.match(r'\s{0,2}\S', line):
            break   # another callback; what this one did is indented
    return reads[:1] == ['ENOBUFS'] or len(reads) >= READS_MAX


def is_idle(a, b, at, x, y):
    """Is this in a callback after which another idle callback runs?"""
    del b, x, y
    indent = len(a[at]) - len(a[at].lstrip())
    for line in a[at:]:
        if len(line) - len(line.lstrip()) < indent:
            return re.match(r'\s+i\d idle_cb', line) is not None
    return False


def is_pipe(lines, name):
    """Is this stream a pipe? What made it last decides; of the servers, l1 is a
    TCP server."""
    pipe, tcp = ('(%s) (s\\d )?%s\\b' % (made, name) for made in
                 ('pair (pipe|unix)|connect unix|pipe_init|l0 accept|\\] accept',
                  'pair tcp|connect tcp|tcp_init|l1 accept'))
    for line in reversed(lines):
        if re.search(pipe, line):
            return True
        if re.search(tcp, line):
            return False
    return False


def is_taken(a, b, at, x, y):
    """Is this the callback of a write to a pipe, in another place, or a loop
    that need not wait because such a callback is due?"""
    done = re.match(r'(s\d) write_cb #\d+ 0 ', x)
    if done:
        return is_pipe(a[:at], done[1]) and is_order(a, b, at, x, y)
    if 'timeout=0' not in x or \
            re.sub(r'timeout=-?\d+', '', x) != re.sub(r'timeout=-?\d+', '', y):
        return False
    text = '\n'.join(a[:at])
    return any(is_pipe(a[:at], name) and
               not re.search(r'%s write_cb #%s ' % (name, number), text)
               for number, name in re.findall(
                   r'\] write\S* .*#(\d+) (s\d) .*-> 0', text + '\n' + a[at]))


class AreaRules:
    """Those that hold for an area and a version of libuv."""

    def __init__(self, rules):
        self.masks = [r for r in rules if r.how == 'mask']
        self.firsts = [r for r in rules if r.how != 'mask']

    def mask(self, lines):
        """The trace without what the rules take out."""
        for rule in self.masks:
            lines = [re.sub(rule.pattern, '*', line) for line in lines]
        return lines

    def masks_needed(self, a, b):
        """Reasons of the masks that two traces are only equal with."""
        needed = []
        for rule in self.masks:
            others = AreaRules([r for r in self.masks if r is not rule])
            if others.mask(a) != others.mask(b):
                needed.append(rule.reason)
        return needed

    def explain(self, a, b):
        """The reason for the first line that differs, or None."""
        a, b = self.mask(a), self.mask(b)
        at = first_difference(a, b)
        for rule in self.firsts:
            if rule.explains(a, b, at):
                return rule.reason
        return None

    def signature(self, a, b):
        """What two unexplained differences have in common: the first lines that
        differ, without numbers and what is equal in both."""
        a, b = self.mask(a), self.mask(b)
        at = first_difference(a, b)
        x = re.sub(r'\d+', 'N', a[at].strip()) if at < len(a) else 'end'
        y = re.sub(r'\d+', 'N', b[at].strip()) if at < len(b) else 'end'
        if x == y and at < len(a) and at < len(b):
            words = [u for u, v in zip(a[at].split(), b[at].split()) if u != v]
            return re.sub(r'\d+', 'N', ' '.join(words)) + ' in ' + x
        return x + ' <> ' + y


class Rules:
    def __init__(self, path):
        self.rules = []
        with open(path) as file:
            for line in file:
                if line.strip() and not line.startswith('#'):
                    fields = [f.strip() for f in line.split(' ; ')]
                    self.add(*fields)

    def add(self, *fields):
        self.rules.append(Rule(*fields))

    def undocumented(self, page):
        """Reasons whose row the page of differences does not have."""
        with open(page) as file:
            cells = [line.split('|')[1] for line in file
                     if line.startswith('| ')]
        return [rule.reason for rule in self.rules if rule.row is not None and
                not any(rule.row in cell for cell in cells)]

    def of(self, area, version):
        return AreaRules([r for r in self.rules if r.concerns(area, version)])
