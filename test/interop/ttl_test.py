#!/usr/bin/env python3
"""One database of DBWithTTL, two engines: Cairn and RocksDB 7.8.3 take turns to write it, and each compacts what both wrote.

  ttl_test.py --cairn DRIVER --rocksdb DRIVER
"""
import argparse
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument('--cairn', required=True)
parser.add_argument('--rocksdb', required=True)
args = parser.parse_args()


def run(engine, command, db, rounds):
    result = subprocess.run([getattr(args, engine), command, db, str(rounds)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, timeout=300)
    print(f'  {engine} {command} {rounds}: {result.stdout.strip() or "OK"}', flush=True)
    if result.returncode != 0:
        sys.exit('FAILED')


for first, second in (('cairn', 'rocksdb'), ('rocksdb', 'cairn')):
    with tempfile.TemporaryDirectory(prefix='cairn_ttl.') as folder:
        db = folder + '/db'
        # Odd rounds are left in the log, even ones in tables.
        for rounds, writer, reader in ((1, first, second), (2, second, first), (3, first, second), (4, second, first)):
            run(writer, 'write', db, rounds)
            run(reader, 'verify', db, rounds)
        run(first, 'compact', db, 4)
        run(second, 'verify-compacted', db, 4)
