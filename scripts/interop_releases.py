#!/usr/bin/env python3
"""Databases handed back and forth between Cairn and later releases of RocksDB, one feature that reaches the disk at a time.

  scripts/interop_releases.py [--build build/release] [--versions 10.4.2,11.1.1] [--only FEATURE,...] [--keys 20000]
                              [--out bench/results/interop.md]

The releases are those of scripts/fetch_peer.py; they and libcairn.so are driven through the C interface by releases_driver
(test/interop/releases). In each direction the first engine writes and ends without closing, as if it were killed; the second one
recovers, verifies every key, forward, backward and by point, and goes on writing; then the first verifies what both wrote, and goes
on; and the second verifies that. In the same way both work on one directory of backups. Exit status 1: some of it failed.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Of the databases of a feature: row, title, feature, style (test/interop/releases/backups.h).
BACKUPS = [
    ('backups', 'backups', 'small', 'shared'),
    ('backups-alone', 'backups that share no files', 'small', 'alone'),
    ('backups-old-names', 'backups with names of checksum and size', 'small', 'old-names'),
    ('backups-flushed', 'backups of flushed databases, without logs', 'small', 'flushed'),
    ('backups-defaults', "backups of databases with the release's defaults", 'defaults', 'shared'),
    ('backups-together', 'backups of databases with much of it', 'together', 'shared'),
    ('backups-blobs', 'backups of blob files', 'blobs-collected', 'shared'),
    ('backups-blobs-alone', 'backups of blob files that share no files', 'blobs-zstd', 'alone'),
    ('backups-timestamps', 'backups of keys with timestamps', 'timestamps', 'shared'),
    ('backups-timestamps-blobs', 'backups of keys with timestamps and blob files', 'timestamps-blobs', 'shared'),
]

# Of the families of a feature: row, title, feature.
TRANSFERS = [
    ('transfers', 'families that one exports and the other imports', 'small'),
    ('transfers-merge', 'the same with merge operands', 'merge'),
    ('transfers-delete-range', 'the same with range deletions', 'delete-range'),
    ('transfers-universal', 'the same with universal compaction', 'universal'),
    ('transfers-dictionary', 'the same with ZSTD dictionaries', 'zstd-dictionary'),
    ('transfers-comparator', "the same in an order of the user's", 'comparator'),
    ('transfers-timestamps', 'the same with timestamps', 'timestamps-history'),
]


class Failure(Exception):
    pass


class Driver:
    def __init__(self, program, keys, work):
        self.program, self.keys, self.work, self.env = program, keys, work, None

    def start(self, library):
        """The words of a command up to the driver's own."""
        return [self.program, library]

    def __call__(self, library, command, *args):
        """The lines that it prints. Raises Failure with the last line of what it says when it fails."""
        done = subprocess.run([str(part) for part in (*self.start(library), command, *args)], text=True, capture_output=True,
                              errors='replace', timeout=600, env=self.env)
        if done.returncode < 0:
            raise Failure(f'{command}: killed by signal {-done.returncode}')
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or ['?']
            raise Failure(f'{command}: {lines[-1]}'.replace(str(self.work), '...'))
        return done.stdout.splitlines()

    def back_and_forth(self, feature, first, second):
        db = self.work / 'db'
        shutil.rmtree(db, ignore_errors=True)
        self(first, 'write', db, feature, 1, self.keys)
        self(second, 'verify', db, feature, 1, self.keys)
        self(second, 'write', db, feature, 2, self.keys)
        self(first, 'verify', db, feature, 2, self.keys)
        self(first, 'write', db, feature, 3, self.keys)
        self(second, 'verify', db, feature, 3, self.keys)

    def backups(self, feature, style, first, second):
        """One engine makes a backup; the other restores it, and goes on with the database and with its backups; the first restores
        those, goes on, too; and the second deletes the older ones."""
        db, backups, restored = self.work / 'db', self.work / 'backups', self.work / 'restored'
        for folder in (db, backups, restored):
            shutil.rmtree(folder, ignore_errors=True)

        def restore(library, number, phases):
            self(library, 'restore', restored, backups, number)
            self(library, 'verify', restored, feature, phases, self.keys)

        def expect(library, *numbers):
            found = self(library, 'backups', backups)
            if found != [str(number) for number in numbers]:
                raise Failure(f'backups: {found} instead of {numbers}')

        def write_and_backup(library, phase, number):
            self(library, 'write', db, feature, phase, self.keys)
            self(library, 'backup', db, feature, backups, style)
            expect(library, *range(1, number + 1))

        write_and_backup(first, 1, 1)
        expect(second, 1)
        restore(second, 1, 1)
        self(second, 'backup', db, feature, backups, style)
        # (The metadata is text, with the path of each file.)
        shared = [{word for word in (backups / 'meta' / name).read_text(errors='replace').split() if word.startswith('shared')}
                  for name in ('1', '2')]
        if style != 'alone' and not shared[0] & shared[1]:
            raise Failure('backups: the second one copied everything again')
        write_and_backup(second, 2, 3)
        expect(first, 1, 2, 3)
        restore(first, 2, 1)
        restore(first, 3, 2)
        write_and_backup(first, 3, 4)
        restore(second, 4, 3)
        self(second, 'purge', backups, 2)
        expect(first, 3, 4)
        restore(first, 3, 2)
        restore(second, 4, 3)

    def transfers(self, feature, first, second):
        """A family that one exports, after both have written to it, and the other imports."""
        db, files, new = self.work / 'db', self.work / 'exported', self.work / 'new'
        for folder in (db, files, new):
            shutil.rmtree(folder, ignore_errors=True)
        self(second, 'write', db, feature, 1, self.keys)
        self(first, 'write', db, feature, 2, self.keys)
        lines = self(first, 'export', db, feature, files)
        self(second, 'import', new, feature, files, 2, self.keys, *lines)

    def salvaged(self, feature, first, second):
        """The first does not read what it has made of it: the second does, and goes on alone."""
        db = self.work / 'db'
        shutil.rmtree(db, ignore_errors=True)
        self(first, 'write', db, feature, 1, self.keys)
        self(first, 'write', db, feature, 2, self.keys)
        try:
            self(first, 'verify', db, feature, 2, self.keys)
        except Failure:
            pass
        else:
            raise Failure('verify: who made it reads it')
        self(second, 'verify', db, feature, 2, self.keys)
        self(second, 'write', db, feature, 3, self.keys)
        self(second, 'verify', db, feature, 3, self.keys)

    def refused(self, feature, text, first, second):
        db = self.work / 'db'
        shutil.rmtree(db, ignore_errors=True)
        self(first, 'write', db, feature, 1, self.keys)
        try:
            self(second, 'verify', db, feature, 1, self.keys)
        except Failure as failure:
            if text not in str(failure) or 'killed' in str(failure):
                raise
            return
        raise Failure('verify: it is not refused')

    def properties(self, first, second):
        """Both show the same of one database, and of what the other has compacted."""
        for feature in ('merge', 'blobs', 'blobs-collected', 'timestamps'):
            db = self.work / 'db'
            shutil.rmtree(db, ignore_errors=True)
            for phase, writer in ((1, first), (2, second)):
                self(writer, 'write', db, feature, phase, self.keys)
                a, b = (self(library, 'properties', db, feature) for library in (first, second))
                for mine, theirs in zip(a, b, strict=True):
                    if mine != theirs:
                        raise Failure(f'properties of {feature}: {mine!r} and {theirs!r}')

    def options(self, first, second):
        """A newer file may have options that are unknown, if they are to be ignored; an older one has none."""
        for feature in ('defaults', 'together', 'universal', 'fifo', 'ribbon', 'partitioned', 'bottommost', 'blobs-collected', 'timestamps'):
            db = self.work / 'db'
            shutil.rmtree(db, ignore_errors=True)
            self(first, 'write', db, feature, 1, 1000)
            self(second, 'options', db)


def two_phase(build, peer, policy):
    """Prepared transactions, in turns."""
    done = subprocess.run([sys.executable, str(ROOT / 'test/interop/two_phase_test.py'), '--cairn',
                           str(build / 'test/interop/two_phase_cairn'), '--peer', peer, '--policy', str(policy)], text=True, capture_output=True,
                          errors='replace', timeout=1800)
    if done.returncode != 0:
        raise Failure((done.stderr.strip().splitlines() or ['?'])[-1])


def cell(function, *args):
    try:
        function(*args)
        return 'ok'
    except (Failure, subprocess.TimeoutExpired) as failure:
        return f'FAILED: {failure}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build/release')
    parser.add_argument('--versions', default='10.4.2,11.1.1')
    parser.add_argument('--only', default='')
    parser.add_argument('--keys', type=int, default=20000)
    parser.add_argument('--out', type=pathlib.Path)
    args = parser.parse_args()
    ours = args.build / 'libcairn.so'
    versions = args.versions.split(',')
    peers = {}
    for version in versions:
        found = subprocess.run([sys.executable, str(ROOT / 'scripts/fetch_peer.py'), '--version', version], stdout=subprocess.PIPE,
                               text=True, check=True)
        peers[version] = found.stdout.strip()
    rows, titles = {}, {}
    failed = False

    def put(name, title, version, column, text):
        nonlocal failed
        failed |= text.startswith('FAILED')
        titles[name] = title
        rows.setdefault(name, {})[version, column] = text
        print(f'{version:8} {column:10} {title}: {text}', flush=True)

    with tempfile.TemporaryDirectory(prefix='cairn_releases_') as work:
        driver = Driver(args.build / 'test/interop/releases_driver', args.keys, pathlib.Path(work))
        for version, peer in peers.items():
            for line in driver(peer, 'features'):
                name, title, support, refusal = line.split('\t')
                if args.only and name not in args.only.split(','):
                    continue
                if support == 'refuses':
                    text = cell(driver.refused, name, refusal, peer, ours)
                    put(name, title, version, 'reads', 'refused' if text == 'ok' else text)
                    put(name, title, version, 'writes', '-')
                    continue
                if support == 'salvages':
                    put(name, title, version, 'reads', cell(driver.salvaged, name, peer, ours))
                    put(name, title, version, 'writes', '-')
                    continue
                put(name, title, version, 'reads', cell(driver.back_and_forth, name, peer, ours))
                put(name, title, version, 'writes',
                    cell(driver.back_and_forth, name, ours, peer) if support == 'full' else '-')
            for name, title, policy in (('two_phase', 'prepared transactions', 0),
                                        ('two_phase_timestamps', 'prepared transactions over keys with timestamps', 3)):
                if args.only and name not in args.only.split(','):
                    continue
                text = cell(two_phase, args.build, peer, policy)
                for column in ('reads', 'writes'):
                    put(name, title, version, column, text)
            for name, title, feature, style in BACKUPS:
                if args.only and name not in args.only.split(','):
                    continue
                for column, first, second in (('reads', peer, ours), ('writes', ours, peer)):
                    put(name, title, version, column, cell(driver.backups, feature, style, first, second))
            for name, title, feature in TRANSFERS:
                if (args.only and name not in args.only.split(',')) or driver(peer, 'transfers') == ['no']:
                    continue
                for column, first, second in (('reads', peer, ours), ('writes', ours, peer)):
                    put(name, title, version, column, cell(driver.transfers, feature, first, second))
            if not args.only:
                for column, first, second in (('reads', peer, ours), ('writes', ours, peer)):
                    put('OPTIONS', 'the OPTIONS file', version, column, cell(driver.options, first, second))
                    put('properties', 'properties: both show the same', version, column, cell(driver.properties, first, second))
    if args.out:
        with args.out.open('w') as out:
            out.write('# Interoperation with later releases of RocksDB\n\n'
                      '`make interop-releases` (`scripts/interop_releases.py`): the rocksdbjni libraries of '
                      f'{" and ".join(versions)} and libcairn.so, through the C interface. In each cell one engine writes '
                      f'(phase 1 of `test/interop/workload.h`, {args.keys:,} keys, several levels, the last batches in the log) and '
                      'ends without closing; the other recovers, verifies every key by scans in both directions and samples of '
                      'them by `get` and `multi_get`, and goes on writing; the first verifies and goes on; the other verifies. So '
                      'each cell has tables, logs and MANIFESTs of both engines, and differs in who began, and with which '
                      'defaults: of 10.4.2 tables are of format version 6, of 11.1.1 of version 7, of Cairn of version 5.\n\n'
                      'Keys with timestamps are read at the end of the last two phases and at three moments within the last one, by '
                      '`get` and `multi_get` with the timestamps of what they find, and all versions from the mark '
                      '(`full_history_ts_low`) on are walked (`iter_start_ts`), both ways, by RocksDB only forward where older ones are left: '
                      'going backward it shows some of those, or ends early. Below the mark a read is refused. Backups: one '
                      'makes the first; the other restores it, adds two, of which the first has tables in common with the one before, '
                      'and writes between them; the first restores these and adds a fourth; the other deletes all but two; both '
                      'restore what is left, and all that is restored is verified as above.\n\n'
                      '"refused": Cairn refuses to open or read it with a status that says why. "-": Cairn does not write it. Blobs whose keys have lost '
                      'their timestamps in tables are what RocksDB makes below the mark and cannot read itself ("Key mismatch when reading blob"): '
                      'there Cairn alone verifies, and goes on.\n\n')
            columns = [(v, c) for v in versions for c in ('reads', 'writes')]
            out.write('| on disk | ' + ' | '.join(f'{v} → Cairn' if c == 'reads' else f'Cairn → {v}' for v, c in columns) + ' |\n')
            out.write('| --- |' + ' --- |' * len(columns) + '\n')
            for name, row in rows.items():
                out.write(f'| {titles[name]} | ' + ' | '.join(row.get(c, 'not there') for c in columns) + ' |\n')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
