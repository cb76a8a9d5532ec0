#!/usr/bin/env python3
"""The subjects of the commits that are not in origin/main yet (without it: of the last one): `layer: what it does`, under 72 characters,
no full stop at the end, and an empty line before the body.

  scripts/check_commits.py [REVISION_RANGE]

Exit status: 1 if one is not so.
"""
import re
import subprocess
import sys

MOST = 72  # characters: what git log --oneline and mails show whole
SUBJECT = re.compile(r'[a-z][\w/.+-]*(, [a-z][\w/.+-]*)*: \S')


def faults_of(message):
    """What is wrong with a commit's message."""
    subject, *rest = message.rstrip('\n').split('\n')
    if len(subject) >= MOST:
        yield f'{len(subject)} characters: keep it under {MOST}, and put the why into the body'
    if not SUBJECT.match(subject):
        yield 'not of the form "layer: what it does"'
    if subject.endswith('.'):
        yield 'ends with a full stop'
    if rest and rest[0]:
        yield 'no empty line between the subject and the body'


def git(*words):
    return subprocess.run(['git', *words], capture_output=True, text=True)


def commits(revisions):
    if revisions is None:
        base = git('merge-base', 'HEAD', 'origin/main').stdout.strip()
        revisions = f'{base}..HEAD' if base and base != git('rev-parse', 'HEAD').stdout.strip() else '-1'
    listed = git('log', '--no-merges', '--format=%h%x00%B%x01', revisions)
    if listed.returncode != 0:
        sys.exit(f'check_commits: {listed.stderr.strip()}')
    return [entry.strip('\n').split('\0', 1) for entry in listed.stdout.split('\1') if entry.strip('\n')]


def main():
    all_commits = commits(sys.argv[1] if len(sys.argv) > 1 else None)
    wrong = 0
    for name, message in all_commits:
        for fault in faults_of(message):
            wrong += 1
            print(f'check_commits: {name} "{message.splitlines()[0]}": {fault}')
    print(f'check_commits: {len(all_commits)} commits, {wrong} errors')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
