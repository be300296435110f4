# SPDX-License-Identifier: MIT
"""Pages as a repository host shows them: plain docutils without raw HTML and
without files inserted, and CommonMark with tables.

crawl() starts from README.md and follows every relative link. What it returns
are sentences about pages that come out wrong.
"""
import html
import io
import os
import re
import urllib.parse

import docutils.core
import docutils.nodes
import docutils.utils
import markdown_it

import headers
import pages

SETTINGS = {
    'file_insertion_enabled': False, 'raw_enabled': False,
    'syntax_highlight': 'none', 'report_level': 2, 'halt_level': 5,
    '_disable_config': True, 'embed_stylesheet': False, 'stylesheet_path': '',
}
EMPTY_MAX = 200  # A page with less text than this shows nothing.
QUOTE = re.compile(r'^\.\. quote: (\S+)$', re.M)


class Shown:
    """A page as it is shown: its text, links, images and sections."""

    def __init__(self):
        self.text = ''
        self.links = []
        self.images = []
        self.ids = set()
        self.complaints = []


def plain_text(page):
    page = re.sub(r'<(style|head)\b.*?</\1>', '', page, flags=re.S)
    return ' '.join(html.unescape(re.sub(r'<[^>]*>', ' ', page)).split())


def show_rst(text, path):
    shown = Shown()
    warnings = io.StringIO()
    tree = docutils.core.publish_doctree(
        text, source_path=path,
        settings_overrides=dict(SETTINGS, warning_stream=warnings))
    for line in warnings.getvalue().splitlines():
        if re.match(r'.*\((WARNING|ERROR|SEVERE)/\d\)', line):
            shown.complaints.append(line.split(': ', 1)[-1])
    for node in tree.findall(docutils.nodes.reference):
        if 'refuri' in node:
            shown.links.append(node['refuri'])
    for node in tree.findall(docutils.nodes.image):
        shown.images.append(node['uri'])
    for node in tree.findall(docutils.nodes.Element):
        shown.ids.update(node['ids'])
    shown.text = plain_text(docutils.core.publish_from_doctree(
        tree, writer_name='html5', settings_overrides=dict(
            SETTINGS, warning_stream=warnings)).decode())
    for match in QUOTE.finditer(text):
        check_quote(text[match.end():], match.group(1), shown)
    return shown


def check_quote(below, source, shown):
    """The first lines of a listing are in what is shown."""
    block = re.search(r'\A(?:\n   :.*)*\n\n\.\. code-block:: \w+\n\n'
                      r'((?:   .*\n|\n)+)', below)
    if not block:
        shown.complaints.append('no listing of %s (docs/manual/quote)' % source)
    elif ' '.join(block.group(1).split()) not in shown.text:
        shown.complaints.append('the listing of %s is not shown' % source)


def slug(heading, seen):
    """The name that hosts give a heading of Markdown."""
    name = re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-')
    seen[name] = seen.get(name, -1) + 1
    return name if seen[name] == 0 else '%s-%d' % (name, seen[name])


def show_md(text):
    shown = Shown()
    parser = markdown_it.MarkdownIt('commonmark').enable('table')
    tokens = parser.parse(text)
    seen = {}
    for i, token in enumerate(tokens):
        if token.type == 'heading_open':
            shown.ids.add(slug(''.join(
                c.content for c in tokens[i + 1].children), seen))
        for child in token.children or []:
            if child.type == 'link_open':
                shown.links.append(child.attrs['href'])
            elif child.type == 'image':
                shown.images.append(child.attrs['src'])
    shown.text = plain_text(parser.render(text))
    return shown


def show(path, text=None):
    if text is None:
        with open(path, encoding='utf-8') as file:
            text = file.read()
    return show_md(text) if path.endswith('.md') else show_rst(text, path)


def problems(path, shown, get):
    """What is wrong with a page; `get` shows another one."""
    found = list(shown.complaints)
    if len(shown.text) < EMPTY_MAX:
        found.append('shows nothing but "%s"' % shown.text)
    for link in shown.links + shown.images:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme:
            continue
        target = os.path.normpath(os.path.join(
            os.path.dirname(path), urllib.parse.unquote(parts.path))) \
            if parts.path else path
        if target != path and not os.path.exists(target):
            found.append('no file ' + link)
        elif parts.fragment and target.endswith(('.md', '.rst')) and \
                parts.fragment not in get(target).ids:
            found.append('no section ' + link)
    return found


def entries_missing(path, shown):
    """Entries of the reference whose signature is not shown."""
    return ['%s is not shown' % one.name for top in pages.Page(path).entries
            for one in top.all()
            if ' '.join(one.signature.split()) not in shown.text]


def crawl():
    """({page: problems}) of README.md and all that it leads to."""
    memory = {}

    def get(path):
        if path not in memory:
            memory[path] = show(path)
        return memory[path]

    found = {}
    ahead = [os.path.join(headers.ROOT, 'README.md')]
    while ahead:
        path = ahead.pop()
        if path in found:
            continue
        shown = get(path)
        found[path] = problems(path, shown, get)
        if os.path.dirname(path) == pages.API:
            found[path] += entries_missing(path, shown)
        for link in shown.links:
            target = os.path.normpath(os.path.join(
                os.path.dirname(path), link.split('#')[0]))
            if target.endswith(('.md', '.rst')) and os.path.exists(target):
                ahead.append(target)
    return {os.path.relpath(path, headers.ROOT): problems
            for path, problems in found.items()}
