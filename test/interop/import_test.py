#!/usr/bin/env python3
"""A column family exported by one of two engines, Cairn and RocksDB 7.8.3, and imported by the other one; then both open the result.

  import_test.py --cairn DRIVER --rocksdb DRIVER
"""
import argparse
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument('--cairn', required=True)
parser.add_argument('--rocksdb', required=True)
args = parser.parse_args()


def run(engine, *command):
    result = subprocess.run([getattr(args, engine), *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    print(f'  {engine} {command[0]}: {result.stdout.strip() or "OK"}', flush=True)
    if result.returncode != 0:
        sys.exit('FAILED')


# Where many tables share a tombstone RocksDB 7.8.3 takes the bounds of imported ones wrong, of its own, too.
for source, target, tombstones in (('rocksdb', 'cairn', 'cut'), ('cairn', 'rocksdb', 'whole'), ('cairn', 'cairn', 'cut')):
    with tempfile.TemporaryDirectory(prefix='cairn_import.') as folder:
        run(source, 'make', folder + '/source', folder + '/exported', folder + '/list', tombstones)
        run(target, 'take', folder + '/target', folder + '/list')
        for engine in (target, 'rocksdb', 'cairn', target):
            run(engine, 'check', folder + '/target')
