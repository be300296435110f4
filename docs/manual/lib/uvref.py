# SPDX-License-Identifier: MIT
"""Sphinx extension: fields of the reference.

Adds `:error NAME:` to functions (a list under "Errors", linked to the codes),
and to every function the fields Thread and Since, which pages leave out where
a rule or since.txt says them. Pages with many functions get a list of them.
"""
from docutils import nodes
from sphinx import addnodes
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


def list_functions(app, doctree):
    """All functions of a page, before its first entry or section."""
    if not app.env.docname.startswith('api/'):
        return
    links = nodes.paragraph(classes=['functions'])
    for entry in doctree.findall(addnodes.desc):
        if entry['objtype'] != 'function':
            continue
        signature = entry[0]
        name = headers.Function(signature.astext()).name
        if len(links):
            links += nodes.Text(' ')
        links += nodes.reference('', '', nodes.literal(name, name),
                                 refid=signature['ids'][0], internal=True)
    page = doctree.next_node(nodes.section)
    if len(links) < 8 or page is None:  # five names and what is between
        return
    for i, child in enumerate(page):
        if isinstance(child, (nodes.section, addnodes.desc)):
            page.insert(i, links)
            return


def setup(app):
    app.connect('doctree-read', list_functions)
    app.connect('object-description-transform', complete)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
