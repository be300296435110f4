# SPDX-License-Identifier: MIT
"""Sphinx extension: pages that are plain reStructuredText.

The pages are written so that docutils alone, which is what a repository host
has, shows all of them. Here that form is turned into what Sphinx does better:

    function ``signature``        an entry of the domain C
    `text <page.rst>`__           a link to a page
    * `text <page.rst>`__         in an index page, also an entry of its toctree
    `text <../page.md>`__         the name of a file that only the sources have
    .. image:: drawings/x.svg     the drawing itself, in the colours of the page
"""
import os
import re

from docutils import nodes
from docutils.parsers.rst import Directive, directives

import pages

DRAWING = re.compile(r'^\.\. image:: (\S*drawings/\S+\.svg)$', re.M)
MARKDOWN = re.compile(r'`([^`<]+) <([\w./-]+\.md)(?:#[\w-]+)?>`__')
ITEM = re.compile(r'^\* `[^`<]+ <([\w./-]+)\.rst>`__', re.M)


def entry(match):
    indent, kind, signature = match.groups()
    directive = 'envvar' if kind == 'variable' else 'c:' + kind
    return '%s.. %s:: %s\n' % (indent, directive, signature)


def link(match):
    text, path, section = match.groups()
    if section:  # Sphinx links to a section by the file of the page
        return '`%s <%s.html%s>`__' % (text, path, section)
    return ':doc:`%s <%s>`' % (text, path)


def source_file(docname):
    def name(match):
        path = os.path.join('docs/manual', os.path.dirname(docname),
                            match.group(2))
        return '%s (``%s`` in the sources)' % (match.group(1),
                                               os.path.normpath(path))
    return name


def toctree(names):
    return '\n.. toctree::\n   :hidden:\n\n' + ''.join(
        '   %s\n' % name for name in names)


def read(app, docname, source):
    text = source[0]
    names = ITEM.findall(text)
    text = re.sub(pages.ENTRY.pattern, entry, text, flags=re.M)
    text = pages.LINK.sub(link, text)
    text = MARKDOWN.sub(source_file(docname), text)
    text = DRAWING.sub(r'.. drawing:: \1', text)
    if os.path.basename(docname) == 'index' and names:
        text += toctree(names + ['genindex'] * (docname == 'index'))
    source[0] = text


class Drawing(Directive):
    """An SVG file inside the page; a narrow screen scrolls it."""

    required_arguments = 1
    option_spec = {'alt': directives.unchanged}

    def run(self):
        env = self.state.document.settings.env
        name, path = env.relfn2path(self.arguments[0])
        env.note_dependency(name)
        with open(path, encoding='utf-8') as file:
            drawing = file.read()
        return [nodes.raw('', '<div class="drawing" tabindex="0">\n%s</div>\n'
                          % drawing, format='html')]


def setup(app):
    app.connect('source-read', read)
    app.add_directive('drawing', Drawing)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
