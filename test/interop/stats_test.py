#!/usr/bin/env python3
"""The history of statistics of one database (persist_stats_to_disk), two engines: each adds notes to those of the other, and reads all.

  stats_test.py --cairn DRIVER --rocksdb DRIVER
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument('--cairn', required=True)
parser.add_argument('--rocksdb', required=True)
args = parser.parse_args()


def run(engine, command, db, *more):
    """The notes before and after."""
    result = subprocess.run([getattr(args, engine), command, db, *more], stdout=subprocess.PIPE, text=True, timeout=300)
    lines = result.stdout.splitlines()
    before, after = ([line.split(' ', 1)[1] for line in lines if line.startswith(when)] for when in ('before', 'after'))
    print(f'  {engine} {command} {" ".join(more)}: {len(before)} notes, then {len(after)}', flush=True)
    if result.returncode != 0:
        sys.exit('FAILED')
    return before, after


for first, second in (('cairn', 'rocksdb'), ('rocksdb', 'cairn')):
    with tempfile.TemporaryDirectory(prefix='cairn_stats.') as folder:
        db = folder + '/db'
        notes = []
        for engine, more in ((first, []), (second, []), (first, ['--die']), (second, ['--die']), (first, [])):
            before, after = run(engine, 'write', db, *more)
            if before != notes:
                sys.exit(f'FAILED: {engine} reads\n{before}\nof\n{notes}')
            notes = after
            if not before < after or 'rocksdb.number.keys.written=' not in after[-1]:
                sys.exit(f'FAILED: {engine} adds no note')
            # (RocksDB 7.8.3 crashes where it opens a history for reading.)
            if run('cairn', 'read', db)[1] != notes:
                sys.exit('FAILED: for reading cairn finds another history')
            run(second, 'forget', db)
        if len(notes) < 5 or not list(pathlib.Path(db).glob('*.sst')):
            sys.exit('FAILED: too little was tried')
print('OK')
