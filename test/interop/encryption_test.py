#!/usr/bin/env python3
"""One encrypted database (NewEncryptedEnv), two engines: each writes on what the other left, and finds all that was written.

  encryption_test.py --cairn DRIVER --rocksdb DRIVER
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


def run(engine, command, db, rounds, *more):
    result = subprocess.run([getattr(args, engine), command, db, str(rounds), *more], stdout=subprocess.PIPE, text=True, timeout=300)
    print(f'  {engine} {command} {rounds} {" ".join(more)}: {result.stdout.strip()}', flush=True)
    if result.returncode != 0:
        sys.exit('FAILED')


for first, second in (('cairn', 'rocksdb'), ('rocksdb', 'cairn')):
    with tempfile.TemporaryDirectory(prefix='cairn_encryption.') as folder:
        db = folder + '/db'
        for number, engine in enumerate((first, second, first, second), 1):
            run(engine, 'write', db, number, *(['--direct'] if number == 2 else []))
            for reader in (second, first):
                run(reader, 'verify', db, number)
        for file in pathlib.Path(db).iterdir():
            if file.suffix in ('.sst', '.blob', '.log') and b'a' * 40 in file.read_bytes():
                sys.exit(f'FAILED: {file.name} has values in plain text')
print('OK')
