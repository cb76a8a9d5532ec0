#!/usr/bin/env python3
"""The notes of a release: what CHANGELOG.md says of it, ready to be the message of its tag.

  release_notes.py [--version 0.1.0]      default: the version in include/rocksdb/version.h

Exit status 1, with a word on what to do, if CHANGELOG.md has no section of that version, has it as unreleased still, or the
version in the header is another one. The section's heading is `## 0.1.0 (2026-11-30)`.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def version_of(header):
    return '.'.join(re.search(rf'^#define CAIRN_{part} (\d+)$', header, re.M).group(1) for part in ('MAJOR', 'MINOR', 'PATCH'))


def notes(changelog, header, version):
    """(the text, None) or (None, what is wrong)."""
    if version != version_of(header):
        return None, f'include/rocksdb/version.h has {version_of(header)}, not {version}'
    sections = {heading: text.strip() for heading, text in re.findall(r'^## (.*)\n((?:(?!## ).*\n?)*)', changelog, re.M)}
    for heading, text in sections.items():
        if re.fullmatch(rf'{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)', heading):
            return (f'Cairn {heading}\n\n{text}\n', None) if text else (None, f'CHANGELOG.md says nothing of {version}')
        if version in heading:
            return None, f'CHANGELOG.md has "## {heading}": write "## {version} (date)" over what is released'
    return None, f'CHANGELOG.md has no section "## {version} (date)"'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    header = (ROOT / 'include/rocksdb/version.h').read_text()
    parser.add_argument('--version', default=version_of(header))
    args = parser.parse_args()
    text, problem = notes((ROOT / 'CHANGELOG.md').read_text(), header, args.version)
    if problem:
        print(f'release_notes.py: {problem}', file=sys.stderr)
        return 1
    print(text, end='')
    return 0


if __name__ == '__main__':
    sys.exit(main())
