# SPDX-License-Identifier: MIT
"""What the public headers declare, read from their text.

No compiler: the headers are ours and keep to one form, and the manual has to
be checked on every system, for the names of every system. What the reader
relies on is said with each pattern; check fails loudly if nothing is found.
"""
import os
import re

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), '..', '..', '..'))
HEADERS = ['include/uv.h', 'include/uv/version.h', 'include/uv/unix.h',
           'include/uv/win.h', 'include/uv/ext.h']

# Macros that programs are not meant to use, or that restate the C library's.
PRIVATE_MACRO = re.compile(
    r'^(UV_H|UV_\w+_H|UV_\w+_H_|UV__\w+|UV_\w+_FIELDS|UV_PRIVATE_\w+'
    r'|UV_REQ_TYPE_PRIVATE|UV_PLATFORM_\w+|UV_MSAFD_\w+|UV_DYNAMIC)$')


def read(name):
    with open(os.path.join(ROOT, name), encoding='utf-8') as f:
        return f.read().replace('\\\n', '\n')


def strip_comments(text):
    return re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)


def one_line(text):
    return ' '.join(text.split())


def normal(declaration):
    """One spelling of a declaration, to compare two of them."""
    text = one_line(declaration).rstrip(';').strip()
    return re.sub(r'\s*([*(),\[\]])\s*', r'\1', text)


class Function:
    def __init__(self, declaration):
        self.text = one_line(declaration)
        m = re.match(r'(.*?)\b(uvx?_\w+)\s*\((.*)\)$', self.text)
        self.result = m.group(1).strip()
        self.name = m.group(2)
        self.params = [Param(p) for p in split_params(m.group(3))]

    def names(self):
        return [p.name for p in self.params if p.name]


class Param:
    """`type name`, where the header may leave the name out."""

    def __init__(self, text):
        text = one_line(text)
        self.name = ''
        self.type = text
        m = re.match(r'^(.*\(\*)(\w+)(\)\(.*\))$', text)
        if m:  # a function pointer
            self.name, self.type = m.group(2), m.group(1) + m.group(3)
        elif text not in ('void', '...'):
            m = re.match(r'^(.*[\s*])(\w+)((?:\[\d*\])*)$', text)
            if m and m.group(2) not in WORDS:
                self.name, self.type = m.group(2), m.group(1) + m.group(3)
        self.type = normal(self.type)


# What ends a type without being a parameter's name.
WORDS = {'int', 'unsigned', 'char', 'long', 'double', 'float', 'void', 'const'}


def split_params(text):
    params, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in '([' and 1 or c in ')]' and -1 or 0
        if c == ',' and depth == 0:
            params.append(text[start:i])
            start = i + 1
    params.append(text[start:])
    return params


def functions():
    """Every `UV_EXTERN ... name(...);`, by name."""
    found = {}
    for header in HEADERS:
        for m in re.finditer(r'^UV_EXTERN\s+([^;]*?);',
                             strip_comments(read(header)), re.M | re.S):
            function = Function(m.group(1))
            found[function.name] = function
    return found


def callbacks():
    """Every `typedef result (*name)(...);`, name to declaration."""
    found = {}
    for header in ('include/uv.h', 'include/uv/ext.h'):
        text = strip_comments(read(header))
        for m in re.finditer(r'^typedef\s+([^;{]*?\(\*(uvx?_\w+)\)\s*'
                             r'\([^;]*?\));', text, re.M | re.S):
            found[m.group(2)] = one_line(m.group(1))
    return found


def map_entries(name):
    """The first argument of every XX() in an X-macro of uv.h."""
    m = re.search(r'#define ' + name + r'\(XX\)(.*?)\n\n',
                  read('include/uv.h'), re.S)
    return re.findall(r'XX\((\w+),', m.group(1))


def errors():
    return ['UV_' + name for name in map_entries('UV_ERRNO_MAP')]


def enums():
    """Name of each enum ('' if it has none) to its enumerators, in order."""
    text = strip_comments(read('include/uv.h') + read('include/uv/ext.h'))
    text = re.sub(r'^# *define.*|^# *undef.*', '', text, flags=re.M)
    found = {}
    for m in re.finditer(r'^(typedef )?enum (\w+ )?\{(.*?)\}\s*(\w*)\s*;',
                         text, re.M | re.S):
        name = (m.group(4) or m.group(2) or '').strip()
        if 'UV_ERRNO_MAP' in m.group(3):
            continue  # errors()
        body = m.group(3)
        for macro in ('UV_HANDLE_TYPE_MAP', 'UV_REQ_TYPE_MAP'):
            entries = ', '.join('UV_' + e for e in map_entries(macro))
            body = body.replace(macro + '(XX)', entries + ',')
        body = body.replace('UV_REQ_TYPE_PRIVATE', '')
        names = re.findall(r'\b(UVX?_\w+)\s*(?:=[^,}]*)?(?=,|$)', one_line(body))
        found.setdefault(name, []).extend(names)
    return found


def macros():
    """Public constants that are macros, error numbers apart."""
    found = set()
    for header in HEADERS:
        for m in re.finditer(r'^# *define (UVX?_\w+)', read(header), re.M):
            if not PRIVATE_MACRO.match(m.group(1)):
                found.add(m.group(1))
    return found


# Fields the header has among the private ones and describes as public.
PUBLIC_ANYWAY = {
    'uv_getaddrinfo_t': ['addrinfo'],
    'uv_getnameinfo_t': ['host', 'service'],
}
# Common parts, documented once with the type that is only this part.
SHARED = {'UV_HANDLE_FIELDS': 'uv_handle_t', 'UV_REQ_FIELDS': 'uv_req_t',
          'UV_STREAM_FIELDS': 'uv_stream_t'}


def public_fields(body):
    """Declarations outside the parts that a comment calls private.

    A comment on a line of its own starts a part; one behind a field is that
    field's alone.
    """
    fields, private, at = [], False, 0
    for m in re.finditer(r'/\*.*?\*/|\Z', body, re.S):
        if not private:
            fields += [one_line(f) for f in body[at:m.start()].split(';')]
        line = body[body.rfind('\n', 0, m.start()) + 1:m.start()]
        if not line.strip():
            private = re.match(r'/\*\s*private', m.group()) is not None
        at = m.end()
    return [f for f in fields if f]


def field_name(text):
    m = re.search(r'\(\*(\w+)\)', text) or re.search(r'(\w+)(?:\[[^]]*\])*$', text)
    return m.group(1)


def types():
    """Name of every public type to {field: declaration}."""
    found = {}
    for header in ('include/uv.h', 'include/uv/unix.h', 'include/uv/ext.h'):
        raw = read(header)
        bare = strip_comments(raw)
        # Plain typedefs, and typedefs of structures declared elsewhere.
        for m in re.finditer(r'^typedef\s+(?!enum)([^;{(]*?)\b(uvx?_\w+);', bare,
                             re.M):
            found.setdefault(m.group(2), {})
        for m in re.finditer(r'^typedef struct(?: \w+)? \{(.*?)^\} (uvx?_\w+);',
                             raw, re.M | re.S):
            found[m.group(2)] = fields_of(m.group(1))
        for m in re.finditer(r'^struct (uvx?_\w+)_s \{(.*?)^\};', raw,
                             re.M | re.S):
            name = m.group(1) + '_t'
            if name not in found:  # a structure without a typedef
                name = m.group(1) + '_s'
            found[name] = fields_of(m.group(2))
        for m in re.finditer(r'^union (uv_any_\w+) \{', raw, re.M):
            found[m.group(1)] = {}
    raw = read('include/uv.h')
    for macro, name in SHARED.items():
        m = re.search(r'#define ' + macro + r'\s*\n(.*?)\n\n', raw, re.S)
        found[name].update(fields_of(m.group(1)))
    for name, fields in PUBLIC_ANYWAY.items():
        for field in fields:
            found[name][field] = None
    # Opaque, whatever they are made of.
    for name in ('uv_lib_t', 'uv_barrier_t'):
        found[name] = {}
    return {n: f for n, f in found.items() if not n.startswith('uv__')}


def fields_of(body):
    fields = {}
    body = re.sub(r'^#.*', '', body, flags=re.M)
    body = re.sub(r'union \{(.*?)\}\s*(\w+);', flatten_union, body, flags=re.S)
    for text in public_fields(body):
        if re.match(r'^UV_\w+_FIELDS', text):
            text = re.sub(r'^(UV_\w+_FIELDS\s*)+', '', text)
            if not text:
                continue
        if text.startswith(('UV_', 'struct uv__')):
            continue
        name = field_name(text)
        fields[name.replace('__', '.')] = text.replace('__', '.')
    return fields


def flatten_union(m):
    """Members of a public union are documented as `union.member`."""
    return ''.join('%s %s__%s;' % (t.rsplit(None, 1)[0], m.group(2),
                                   t.rsplit(None, 1)[1])
                   for t in map(one_line, strip_comments(m.group(1)).split(';'))
                   if t)


def variables():
    """UV_* environment variables that the library reads."""
    found = set()
    for folder, _, names in os.walk(os.path.join(ROOT, 'src')):
        for name in names:
            if not name.endswith(('.c', '.h')):
                continue
            with open(os.path.join(folder, name), encoding='utf-8') as f:
                found.update(re.findall(
                    r'(?:(?:getenv|uv__(?:variable|env)_get)\w*\(\s*|'
                    r'\bvariable\[\] = )"(UV_\w+)"', f.read()))
    return found
