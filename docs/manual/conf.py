# SPDX-License-Identifier: MIT
# Sphinx' settings. Build with docs/manual/build.
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                'lib'))

project = 'Blacklight'
author = 'the Blacklight authors'
copyright = author
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       '../../include/uv/version.h'), encoding='utf-8') as f:
    numbers = re.findall(r'UV_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', f.read())
release = version = '.'.join(numbers[:3])

extensions = ['plain', 'uvref']
primary_domain = 'c'
highlight_language = 'c'
default_role = 'any'
nitpicky = True
# Names of C, POSIX and Windows in signatures.
nitpick_ignore = [('c:identifier', name) for name in (
    'size_t', 'ssize_t', 'int32_t', 'int64_t', 'uint16_t', 'uint64_t', 'FILE',
    'sockaddr', 'sockaddr_in', 'sockaddr_in6', 'sockaddr_storage', 'addrinfo', 'NI_MAXHOST',
    'NI_MAXSERV', 'data', 'address', 'netmask')]

exclude_patterns = ['lib']
html_theme = 'furo'
html_title = 'Blacklight'
html_static_path = ['_static']
html_css_files = ['manual.css']
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {'navigation_with_keys': True}
smartquotes_action = 'D'
toc_object_entries_show_parents = 'hide'


MODULE = re.compile(r'import (?:\* as )?\w+ from "\./([\w.-]+)";\n')


def bundle_script(app, error):
    """Debian's furo is not bundled: furo.js is a module that imports a script.
    Debian 12's pages load it as a script (a syntax error in each), Debian 13's
    as a module, which sees no constructor in what it imports and which a
    browser refuses to load from a file. So it becomes one script."""
    scripts = os.path.join(app.outdir, '_static', 'scripts')
    path = os.path.join(scripts, 'furo.js')
    if error or not os.path.exists(path):
        return
    text = read(path)
    for module in MODULE.finditer(text):
        part = os.path.join(scripts, module.group(1))
        rewrite(path, lambda old: old.replace(module.group(), read(part)))
        os.remove(part)
    for name in app.env.all_docs.keys() | {'genindex', 'search'}:
        rewrite(os.path.join(app.outdir, name + '.html'), lambda text:
                text.replace('<script type="module" ', '<script defer '))


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def rewrite(path, change):
    old = read(path)
    new = change(old)
    if new != old:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(new)


def setup(app):
    app.connect('build-finished', bundle_script)
