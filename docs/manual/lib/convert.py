# SPDX-License-Identifier: MIT
"""Directives and roles of Sphinx as the pages write them: for text that was
written for Sphinx, and by whoever is used to it. docs/manual/quote applies
this."""
import os
import re

import pages

ENTRY = re.compile(r'^( *)\.\. (?:c:(\w+)|envvar):: (.*)\n(?: *\n)?', re.M)
DOC = re.compile(r':doc:`(?:([^`<]+?)\s*<)?([^`<>]+)>?`')


def entry(match):
    indent, kind, signature = match.groups()
    return '%s%s ``%s``\n' % (indent, kind or 'variable', signature)


def link(folder):
    """A link says what it leads to: the page's title, if nothing else."""
    def written(match):
        text, target = match.groups()
        base = pages.MANUAL if target.startswith('/') else folder
        path = os.path.join(base, target.lstrip('/')) + '.rst'
        if not text:
            with open(path, encoding='utf-8') as file:
                text = file.readline().strip()
        return '`%s <%s>`__' % (text, os.path.relpath(path, folder))
    return written


def converted(folder, text):
    return DOC.sub(link(folder), ENTRY.sub(entry, text))
