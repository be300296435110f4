# SPDX-License-Identifier: MIT
"""Sphinx extension: fields of the reference.

Adds `:error NAME:` to functions (a list under "Errors", linked to the codes),
and to every function the fields Thread and Since, which pages leave out where
a rule or since.txt says them.
"""
from docutils import nodes
from sphinx.domains.c import CFunctionObject
from sphinx.util.docfields import Field, GroupedField

import headers
import pages

FUNCTIONS = headers.functions()
SINCE = pages.since()


CFunctionObject.doc_field_types = [
    GroupedField('parameter', label='Parameters', names=('param',)),
    Field('returns', label='Returns', has_arg=False, names=('returns',)),
    GroupedField('error', label='Errors', rolename='enumerator',
                 names=('error',)),
    Field('thread', label='Thread', has_arg=False, names=('thread',)),
    Field('since', label='Since', has_arg=False, names=('since',)),
]


def add_field(fields, name, text):
    fields += nodes.field('', nodes.field_name(name, name),
                          nodes.field_body('', nodes.paragraph(text, text)))


def complete(app, domain, kind, content):
    """The event comes before fields are turned into their final form."""
    if domain != 'c' or kind != 'function':
        return
    signature = content.parent.next_node(nodes.Element).astext()
    function = headers.Function(signature)
    if function.name not in FUNCTIONS:
        return
    fields = content.next_node(nodes.field_list)
    if fields is None:
        fields = nodes.field_list()
        content += fields
    present = {f[0].astext().split()[0] for f in fields}
    if 'thread' not in present:
        add_field(fields, 'thread', pages.thread(FUNCTIONS[function.name]))
    add_field(fields, 'since', pages.since_text(function.name, SINCE) + '.')


def setup(app):
    app.connect('object-description-transform', complete)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
