# SPDX-License-Identifier: MIT
"""What pages show of other files: listings, the functions of the pages in the
index of the reference, the style of the drawings.

A repository host inserts no files, so a page holds the text of its listings,
below a comment that says where it is from:

    .. quote: ../../../examples/echo.c
       :start-at: int main

    .. code-block:: c

The options are those of Sphinx' literalinclude, which docs/manual/quote also
accepts and turns into this form.
"""
import os
import re
import textwrap

import convert
import pages

QUOTE = re.compile(r'^\.\. (?:quote: |literalinclude:: )(\S+)$')
OPTION = re.compile(r'^   :(start-at|start-after|end-before|end-at|language'
                    r'|lines): *(.*)$')
LANGUAGES = {'.c': 'c', '.h': 'c', '.js': 'js', '.py': 'python', '.sh': 'sh'}


class Broken(Exception):
    """A quotation of what is not there."""


def cut(lines, options, where):
    """The lines that the options choose."""
    def find(name, begin):
        for i in range(begin, len(lines)):
            if options[name] in lines[i]:
                return i
        raise Broken('%s: no line has "%s"' % (where, options[name]))

    begin, end = 0, len(lines)
    if 'start-at' in options:
        begin = find('start-at', 0)
    elif 'start-after' in options:
        begin = find('start-after', 0) + 1
    if 'end-before' in options:
        end = find('end-before', begin + 1)
    elif 'end-at' in options:
        end = find('end-at', begin) + 1
    chosen = lines[begin:end]
    if 'lines' in options:
        first, _, last = options['lines'].partition('-')
        chosen = lines[int(first) - 1:int(last or first)]
    return strip_blank(chosen)


def strip_blank(lines):
    while lines and not lines[0].strip():
        lines = lines[1:]
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def text_of(folder, target, options):
    """The quoted lines and their language."""
    path = os.path.join(folder, target)
    if not os.path.exists(path):
        raise Broken('no file ' + target)
    with open(path, encoding='utf-8') as file:
        lines = file.read().split('\n')
    chosen = cut(lines, options, target)
    if not chosen:
        raise Broken('%s: nothing is quoted' % target)
    return chosen, options.get('language') or LANGUAGES.get(
        os.path.splitext(target)[1], 'text')


def skip_block(lines, i):
    """The line after a code-block that begins at i, if one does."""
    while i < len(lines) and not lines[i].strip():
        i += 1
    if i == len(lines) or not lines[i].startswith('.. code-block::'):
        return None
    i += 1
    while i < len(lines) and (not lines[i].strip() or
                              lines[i].startswith('   ')):
        i += 1
    return i


def refreshed(folder, text):
    """The page with its quotations as the files are now."""
    lines = text.rstrip('\n').split('\n')
    out = []
    i = 0
    while i < len(lines):
        found = QUOTE.match(lines[i])
        if not found:
            out.append(lines[i])
            i += 1
            continue
        is_quote = lines[i].startswith('.. quote')
        out.append('.. quote: ' + found.group(1))
        i += 1
        options = {}
        while i < len(lines) and OPTION.match(lines[i]):
            name, value = OPTION.match(lines[i]).groups()
            options[name] = value
            out.append(lines[i])
            i += 1
        chosen, language = text_of(folder, found.group(1), options)
        out += ['', '.. code-block:: ' + language, '']
        out += [('   ' + line).rstrip() for line in chosen] + ['']
        after = skip_block(lines, i) if is_quote else None
        if after is not None:
            i = after
        else:
            while i < len(lines) and not lines[i].strip():
                i += 1
    return '\n'.join(strip_blank(out)) + '\n'


def with_functions(folder, text):
    """The index of the reference, with the functions of each page behind its
    link: a host has no other list of them."""
    def item(match):
        page = pages.Page(os.path.join(folder, match.group(2) + '.rst'))
        names = ['`%s()`' % entry.name for entry in page.entries
                 if entry.kind == 'function']
        return textwrap.fill(
            match.group(1) + (': ' if names else '') + ', '.join(names), 118,
            subsequent_indent='  ', break_on_hyphens=False)
    return re.sub(r'^(\* `[^`]+ <([\w/]+)\.rst>`__)(?::.*(?:\n  .*)*)?$', item,
                  text, flags=re.M)


def page_text(folder, name, old):
    """A page as it should be."""
    new = refreshed(folder, convert.converted(folder, old))
    if os.path.join(folder, name) == os.path.join(pages.API, 'index.rst'):
        new = with_functions(folder, new)
    return new


def styled(text):
    """A drawing with the style that all of them share."""
    if ' class="drawn"' not in text:
        return text
    with open(os.path.join(pages.MANUAL, 'drawings', 'style.css'),
              encoding='utf-8') as file:
        style = '<style>\n%s</style>' % file.read()
    return re.sub(r'<style>.*?</style>', lambda _: style, text, flags=re.S)


def stale():
    """(path, text that it should have) of each file that differs. Raises
    Broken."""
    for folder, _, names in sorted(os.walk(pages.MANUAL)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not name.endswith(('.rst', '.svg')):
                continue
            with open(path, encoding='utf-8') as file:
                old = file.read()
            try:
                new = styled(old) if name.endswith('.svg') else page_text(
                    folder, name, old)
            except (Broken, OSError) as error:
                raise Broken('%s: %s' % (os.path.relpath(path, pages.MANUAL),
                                         error))
            if new != old:
                yield path, new
