#!/usr/bin/env python3
"""Databases of plain and of cuckoo tables, two engines: Cairn and RocksDB 7.8.3 take turns to write and to compact one database for each
setting that changes a file. A plain table of the same entries has the same rows, filter and index by either. Cairn's sst_dump verifies
the tables of both; RocksDB 7.8.3's reads neither format, not even of its own files.

  formats_test.py --cairn DRIVER --rocksdb DRIVER --sst-dump SST_DUMP [--only PART_OF_A_NAME]
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument('--cairn', required=True)
parser.add_argument('--rocksdb', required=True)
parser.add_argument('--sst-dump', required=True)
parser.add_argument('--only', default='')
args = parser.parse_args()


def call(what, command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace', timeout=300)
    if result.returncode != 0:
        sys.exit(f'FAILED: {what}: {result.stdout[-3000:]}')
    return result.stdout


def run(engine, command, db, name, *rounds):
    return call(f'{engine} {command} {name} {rounds}', [getattr(args, engine), command, db, name, *map(str, rounds)])


def tables(db):
    return sorted(pathlib.Path(db).glob('*.sst'))


def check_tables(db, name):
    for table in tables(db):
        out = call(f'sst_dump {name}', [args.sst_dump, f'--file={table}', '--command=verify', '--show_properties'])
        if f'Sst file format: {name.split("-")[0]} table' not in out or 'The file is ok' not in out:
            sys.exit(f'FAILED: {name}: {out}')


def sections(engine, db, name):
    """Of the one table what comes before its properties."""
    size = int(run(engine, 'sections', db, name))
    (table,) = tables(db)
    return table.read_bytes()[:size]


names = [name for name in call('list', [args.cairn, 'list']).split() if args.only in name]
for name in names:
    with tempfile.TemporaryDirectory(prefix='cairn_formats.') as folder:
        first = {}
        for writer, reader in (('cairn', 'rocksdb'), ('rocksdb', 'cairn')):
            db = f'{folder}/{writer}'
            run(writer, 'write', db, name, 1)
            first[writer] = sections(reader, db, name)
            for rounds, engine, other in ((2, reader, writer), (3, writer, reader), (4, writer, reader), (5, reader, writer),
                                          (6, reader, writer)):
                run(engine, 'write', db, name, rounds)
                check_tables(db, name)
                run(other, 'verify', db, name, rounds)
            run(reader, 'verify', db, name, 6)
        # (Where a cuckoo table's entries go is its writer's choice.)
        if name.startswith('plain') and first['cairn'] != first['rocksdb']:
            sys.exit(f'FAILED: {name}: the two engines wrote different tables')
        print(f'  {name}: OK', flush=True)
print(f'{len(names)} settings')
