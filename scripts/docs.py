#!/usr/bin/env python3
"""The documentation site, under build/site: the documents of the tree with a search, and the reference of the public headers.

  docs.py [--serve PORT]        default: builds it; --serve: and shows it on http://127.0.0.1:PORT/ until it is stopped

The pages are the Markdown files that git knows, as they lie in the tree, so that they read and link the same here and there
(mkdocs.yml has their order). What they link to beside is copied, too. Doxygen makes the reference (build/site/api), MkDocs the
pages. Exit status 1 if a link leads nowhere, or a public header does not parse.

The drawings in doc/drawings are made from the .dot files beside them, and committed: a page on its own shows them, too.

MkDocs and its theme come from PyPI into build/docs/venv; doxygen and graphviz from Debian (scripts/install-deps.sh docs).
"""
import argparse
import functools
import http.server
import pathlib
import re
import shutil
import subprocess
import sys

import check_docs
from release_notes import version_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / 'build/docs'
PAGES, SITE, VENV = WORK / 'pages', ROOT / 'build/site', WORK / 'venv'
API = PAGES / 'api'  # what Doxygen makes; (only the site has it, and so its links)
REQUIREMENTS = ['mkdocs==1.6.1', 'mkdocs-material==9.5.49']
LINK = re.compile(r'\]\(([^)#\s:]+)(#[^)\s]*)?\)')


def run(*command):
    subprocess.run([str(word) for word in command], cwd=ROOT, check=True)


def tracked(*patterns):
    listed = subprocess.run(['git', 'ls-files', *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split('\n') if name and (ROOT / name).is_file()]


def staged_text(name, text, all_files):
    """A page as the site has it: a link to a folder leads to its README or to its first page."""
    folder = (ROOT / name).parent

    def lead_on(match):
        target = (folder / match.group(1)).resolve()
        if not target.is_dir():
            return match.group(0)
        relative = target.relative_to(ROOT).as_posix()
        inside = sorted(file for file in all_files if file.startswith(relative + '/'))
        pages = [file for file in inside if file.endswith('.md')]
        best = next((file for file in pages if file.endswith('README.md')), (pages or inside or [''])[0])
        return f']({match.group(1).rstrip("/")}{best[len(relative):]}{match.group(2) or ""})'
    if name == 'doc/api.md':
        text = text.replace('makes pages of them', 'made [pages of them](../api/index.html)')
    return LINK.sub(lead_on, text)


def stage():
    """Copies what the site is made of to PAGES; only what changed, so that MkDocs has little to do."""
    shutil.rmtree(PAGES, ignore_errors=True)
    all_files = tracked()
    pages = [name for name in all_files if name.endswith('.md') and not name.startswith('.')]
    beside = {name for name in all_files if name.endswith(('.svg', '.png', '.css'))}
    for name in pages:
        text = staged_text(name, (ROOT / name).read_text(), all_files)
        for target, _ in LINK.findall(text):
            path = ((ROOT / name).parent / target).resolve()
            if path.is_file() and path.suffix != '.md':
                beside.add(path.relative_to(ROOT).as_posix())
        (PAGES / name).parent.mkdir(parents=True, exist_ok=True)
        (PAGES / name).write_text(text)
    for name in beside:
        (PAGES / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, PAGES / name)
    return len(pages)


def install():
    stamp = VENV / 'requirements'
    wanted = '\n'.join(REQUIREMENTS)
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print('docs: MkDocs from PyPI ...', flush=True)
    run(sys.executable, '-m', 'venv', VENV)
    run(VENV / 'bin/pip', 'install', '--quiet', '--disable-pip-version-check', *REQUIREMENTS)
    stamp.write_text(wanted)


def build():
    # (With --quiet MkDocs does not count the warnings that --strict is about.)
    done = subprocess.run([str(VENV / 'bin/mkdocs'), 'build', '--strict'], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print('\n'.join(line for line in done.stdout.splitlines() if line.startswith(('WARNING', 'ERROR', 'Aborted'))), file=sys.stderr)
        done.check_returncode()


def draw():
    """doc/drawings/*.svg from the .dot beside, where that has changed (check_docs.py asks)."""
    for source in sorted((ROOT / 'doc/drawings').glob('*.dot')):
        picture = source.with_suffix('.svg')
        if picture.exists() and check_docs.mark_of(source) in picture.read_text():
            continue
        done = subprocess.run(['dot', '-Tsvg', str(source)], capture_output=True, text=True, check=True)
        picture.write_text(done.stdout + check_docs.mark_of(source) + '\n')
        print(f'docs: drew {picture.relative_to(ROOT)}')


def reference():
    """Doxygen's pages of the public headers, and of them alone."""
    version = version_of((ROOT / 'include/rocksdb/version.h').read_text())
    settings = {
        'PROJECT_NAME': 'Cairn', 'PROJECT_NUMBER': version, 'PROJECT_BRIEF': '"The public headers"',
        'INPUT': 'include/rocksdb include/cairn fiber/include/fiber', 'RECURSIVE': 'YES', 'FILE_PATTERNS': '*.h',
        'STRIP_FROM_PATH': 'include fiber/include', 'OUTPUT_DIRECTORY': PAGES, 'HTML_OUTPUT': 'api', 'GENERATE_LATEX': 'NO',
        'EXTRACT_ALL': 'YES', 'JAVADOC_AUTOBRIEF': 'YES', 'QUIET': 'YES', 'WARN_IF_UNDOCUMENTED': 'NO', 'WARN_IF_DOC_ERROR': 'NO',
        'WARN_LOGFILE': WORK / 'doxygen.log', 'SOURCE_BROWSER': 'YES', 'INLINE_INHERITED_MEMB': 'NO', 'SORT_MEMBER_DOCS': 'NO',
        'ENABLE_PREPROCESSING': 'YES', 'MACRO_EXPANSION': 'YES', 'EXPAND_ONLY_PREDEF': 'YES',
        'PREDEFINED': 'ROCKSDB_NAMESPACE=rocksdb', 'GENERATE_TREEVIEW': 'YES', 'HAVE_DOT': 'NO', 'CLASS_GRAPH': 'NO', 'DISABLE_INDEX': 'NO',
        # Comments stand before what they are of, in plain `//`: Doxygen wants three slashes.
        'INPUT_FILTER': f'"{sys.executable} {ROOT / "scripts/docs.py"} --filter"',
    }
    text = '\n'.join(f'{name} = {value}' for name, value in settings.items())
    subprocess.run(['doxygen', '-'], input=text, text=True, cwd=ROOT, check=True)
    return len(list(API.glob('*.html')))


def for_doxygen(text):
    """A header with its comments marked as documentation: whole lines of `//`, and those behind a member."""
    lines, head = [], True
    for line in text.splitlines():
        code = line.strip()
        if head and code and not code.startswith('//'):
            head = False
        if head and code.startswith('//'):  # of the file: it has the first comment
            lines.append(line.replace('//', '/// @file\n///' if not lines else '///', 1))
        elif re.match(r'\s*//(?![/!]|\s*style:)', line) and not re.match(r'\s*// ?-{2,}', line):
            lines.append(line.replace('//', '///', 1))
        elif re.search(r'[;,{]\s*//(?![/!])', line):
            lines.append(re.sub(r'//(?![/!])', '///<', line, count=1))
        else:
            lines.append(line)
    return '\n'.join(lines) + '\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--serve', type=int, metavar='PORT')
    parser.add_argument('--filter', metavar='HEADER', help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.filter:
        sys.stdout.write(for_doxygen(pathlib.Path(args.filter).read_text()))
        return 0
    draw()
    install()
    pages = stage()
    print('docs: the reference of the headers ...', flush=True)
    made = reference()
    print(f'docs: {pages} pages ...', flush=True)
    build()
    print(f'docs: {SITE.relative_to(ROOT)}/index.html, {pages} pages; api/index.html, {made}')
    if args.serve:
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(SITE))
        print(f'docs: http://127.0.0.1:{args.serve}/', flush=True)
        http.server.ThreadingHTTPServer(('127.0.0.1', args.serve), handler).serve_forever()
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f'docs: {" ".join(error.cmd)}: exit status {error.returncode}')
    except KeyboardInterrupt:
        sys.exit(130)
