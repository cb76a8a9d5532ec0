#!/usr/bin/env python3
"""One database whose keys have timestamps, two engines: Cairn and RocksDB 7.8.3 take turns to write it and to drop its history.

  timestamps_test.py --cairn DRIVER --rocksdb DRIVER

RocksDB 7.8.3 cannot read a log that says how large timestamps are, as Cairn and RocksDB since 8 write it: Cairn flushes before it
hands over. RocksDB's own logs, which do not say it, Cairn reads.
"""
import argparse
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument('--cairn', required=True)
parser.add_argument('--rocksdb', required=True)
args = parser.parse_args()


def run(engine, command, db, rounds, low):
    result = subprocess.run([getattr(args, engine), command, db, str(rounds), str(low)], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, timeout=300)
    print(f'  {engine} {command} {rounds} {low}: {result.stdout.strip() or "OK"}', flush=True)
    if result.returncode != 0:
        sys.exit('FAILED')


for first, second in (('cairn', 'rocksdb'), ('rocksdb', 'cairn')):
    with tempfile.TemporaryDirectory(prefix='cairn_timestamps.') as folder:
        db = folder + '/db'
        low = 0
        for rounds in range(1, 7):
            writer, reader = (first, second) if rounds % 2 else (second, first)
            run(writer, 'write-flushed' if writer == 'cairn' else 'write', db, rounds, low)
            run(reader, 'verify', db, rounds, low)
            if rounds in (3, 4, 6):
                # (What the reader found in the log it leaves there: only Cairn may trim what RocksDB wrote last, or it has been flushed.)
                low = (rounds - 1) * 10 + 2
                run(reader, 'trim', db, rounds, low)
                run(writer, 'verify', db, rounds, low)
