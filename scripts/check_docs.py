#!/usr/bin/env python3
"""The documents: README.md shows examples/embed.cc, which the build compiles, and has at most 900 words; what the Markdown files of the
project link to, in the project, is there, headings too; the pictures of doc/drawings are those of the text beside. Exit status 1 if not."""
import hashlib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
README_WORDS = 900


def anchors(text):
    """Of its headings, as GitHub makes them."""
    headings = re.findall(r'^#+ +(.*?) *#*$', re.sub(r'```.*?```', '', text, flags=re.S), re.M)
    return {re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-') for heading in headings}


def dead_links(root, files):
    problems = []
    for name in files:
        path = root / name
        for number, line in enumerate(re.sub(r'```.*?```', lambda m: '\n' * m.group().count('\n'), path.read_text(),
                                             flags=re.S).splitlines(), 1):
            for target, anchor in re.findall(r'\]\(([^)#\s]*)(?:#([^)\s]*))?\)', line):
                if re.match(r'[a-z]+:', target):
                    continue
                there = path.parent / target if target else path
                if not there.exists():
                    problems.append(f'{name}:{number}: there is no {target}')
                elif anchor and there.suffix == '.md' and anchor not in anchors(there.read_text()):
                    problems.append(f'{name}:{number}: {target or name} has no heading #{anchor}')
    return problems


def mark_of(drawing):
    """What the picture of a drawing ends with."""
    return f'<!-- {drawing.name} {hashlib.sha256(drawing.read_bytes()).hexdigest()} -->'


def old_pictures(root):
    return [f'{drawing.relative_to(root)}: its picture is older: make docs' for drawing in sorted((root / 'doc').glob('drawings/*.dot'))
            if not drawing.with_suffix('.svg').exists() or mark_of(drawing) not in drawing.with_suffix('.svg').read_text()]


def check(root, files):
    readme = (root / 'README.md').read_text()
    problems = dead_links(root, files) + old_pictures(root)
    shown = re.search(r'```cpp\n(.*?)```', readme, re.S)
    example = (root / 'examples/embed.cc').read_text()
    if not shown or shown.group(1) != example[example.index('#include'):]:
        problems.append('README.md: the first C++ block differs from examples/embed.cc (from its first #include on)')
    if len(readme.split()) > README_WORDS:
        problems.append(f'README.md: {len(readme.split())} words, more than {README_WORDS}: what can stand in doc/ does')
    return problems


def main():
    files = subprocess.run(['git', 'ls-files', '*.md'], cwd=ROOT, capture_output=True, text=True)
    names = files.stdout.split() if files.returncode == 0 else [str(p.relative_to(ROOT)) for p in ROOT.glob('**/*.md')
                                                                if 'build' not in p.parts]
    problems = check(ROOT, [name for name in names if (ROOT / name).exists()])
    print('\n'.join(problems), file=sys.stderr, end='\n' if problems else '')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
