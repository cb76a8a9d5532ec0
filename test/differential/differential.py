#!/usr/bin/env python3
"""The same random histories on Cairn and on RocksDB 7.8.3: what each call answers must be the same.

  differential.py --cairn PROGRAM --rocksdb PROGRAM [--seeds 1000] [--first 1] [--jobs 2] [--operations 200] [--lives 3]
                  [--out bench/results/differential.md] [--quiet]
  differential.py --cairn PROGRAM --rocksdb PROGRAM --seed N       one history again; its directories are kept

A history follows from its seed (player.h): column families that come and go, batches with save points, merges, entities, single
deletes, range deletions, snapshots, iterators that are held and move both ways, MultiGet, files from outside, checkpoints, flushes,
compactions, changed options, reopenings, under random options. It has several lives, which end by a close or as by a kill. Each
history is played five times, each time on a database of its own:

  rocksdb              each life by RocksDB: what the others are compared with
  cairn                each life by Cairn, on a thread
  fibers               each life by Cairn, on a fiber
  rocksdb first        RocksDB and Cairn take turns on one database (a thread, then a fiber)
  cairn first          the same, the other way round

After each play both engines dump the database and the last checkpoint, which must agree, too. Exit status 1: a difference. The first
one of a history is printed with what was called before it.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

PLAYS = {
    'rocksdb': ('rocksdb',),
    'cairn': ('cairn',),
    'fibers': ('fibers',),
    'rocksdb first': ('rocksdb', 'cairn', 'rocksdb', 'fibers'),
    'cairn first': ('cairn', 'rocksdb', 'fibers', 'rocksdb'),
}
LIMIT_S = 300  # of one program: it hangs


class Difference(Exception):
    pass


class History:
    """One seed: plays it in all ways, in a directory that is removed unless something differs."""

    def __init__(self, args, seed):
        self.args, self.seed = args, seed
        self.counts = collections.Counter()

    def call(self, engine, *arguments):
        program = self.args.rocksdb if engine == 'rocksdb' else self.args.cairn
        command = [str(program), *map(str, arguments), f'--seed={self.seed}'] + (['--fibers'] if engine == 'fibers' else [])
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S, check=False)
        except subprocess.TimeoutExpired as expired:
            raise Difference(f'no end after {LIMIT_S} s: {" ".join(command)}\n{(expired.stdout or b"")[-2000:]!r}') from None
        said = done.stderr.decode(errors='replace')
        if done.returncode not in (0, 3):
            raise Difference(f'status {done.returncode}: {" ".join(command)}\n{said[-2000:]}\n'
                             f'{done.stdout.decode(errors="replace")[-1000:]}')
        return done.stdout, said

    def compare(self, where, expected, found):
        if expected[0] == found[0]:
            return
        a, b = (text[0].decode(errors='backslashreplace').splitlines() for text in (expected, found))
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        lines = [f'{where}: line {at + 1} differs', *('    ' + line for line in a[max(0, at - 8):at]),
                 *('  - ' + line for line in a[at:at + 3]), *('  + ' + line for line in b[at:at + 3])]
        if found[1]:
            lines.append('  + says: ' + found[1].strip()[-1000:])
        raise Difference('\n'.join(lines) + '\n  (- RocksDB alone, + here)')

    def dump(self, where, database, expected):
        for engine in ('rocksdb', 'cairn'):
            found = self.call(engine, 'dump', database)
            if expected is None:
                expected = found
            self.compare(f'{where}, dumped by {engine}', expected, found)
        return expected

    def play(self, root):
        lives, expected_dump, expected_checkpoint = [], None, None
        for name, engines in PLAYS.items():
            database = root / name.replace(' ', '_')
            for life in range(self.args.lives):
                engine = engines[life % len(engines)]
                found = self.call(engine, 'play', database, f'--life={life}', f'--operations={self.args.operations}')
                if name == 'rocksdb':
                    lives.append(found)
                    self.counts['calls'] += self.args.operations
                    self.counts['kills' if found[0].endswith(b'killed\n') else 'closes'] += 1
                self.compare(f'{name}, life {life} by {engine}', lives[life], found)
            expected_dump = self.dump(name, database, expected_dump)
            checkpoint = pathlib.Path(f'{database}.checkpoint')
            if checkpoint.exists():
                expected_checkpoint = self.dump(f'{name}, the checkpoint', checkpoint, expected_checkpoint)
                self.counts['checkpoints'] += 1

    def run(self):
        """What differs, or None."""
        root = pathlib.Path(tempfile.mkdtemp(prefix=f'differential.{self.seed}.', dir=self.args.directory))
        try:
            self.play(root)
        except Difference as difference:
            if not self.args.seed:
                shutil.rmtree(root, ignore_errors=True)
                return str(difference)
            return f'{difference}\n  kept: {root}'
        shutil.rmtree(root, ignore_errors=True)
        return None


def table(args, seeds, counts, failed, seconds):
    rows = [('histories', seeds), ('plays (5 of each)', seeds * len(PLAYS)), ('operations of a play, summed up', counts['calls']),
            ('lives ended by a close', counts['closes']), ('lives ended as by a kill', counts['kills']),
            ('checkpoints dumped by both', counts['checkpoints']), ('histories with a difference', len(failed))]
    return '\n'.join(['# The same histories on RocksDB 7.8.3 and on Cairn', '',
                      '`make differential` writes this. Each history is played by RocksDB alone, by Cairn alone on threads and on',
                      'fibers, and by both in turns; every answer of every call is compared.', '', '| | |', '| --- | ---: |',
                      *(f'| {name} | {value:,} |' for name, value in rows), '',
                      f'Seeds {args.first} to {args.first + args.seeds - 1}, {args.lives} lives of {args.operations} operations; '
                      f'{seconds / 60:.0f} minutes, {args.jobs} at once.', *(f'\nSeed {seed} differs.' for seed in failed), ''])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--cairn', type=pathlib.Path, required=True, help='differential_cairn')
    parser.add_argument('--rocksdb', type=pathlib.Path, required=True, help='differential_rocksdb')
    parser.add_argument('--seeds', type=int, default=1000, help='how many histories')
    parser.add_argument('--first', type=int, default=1, help='the first seed')
    parser.add_argument('--seed', type=int, default=0, help='this one alone; its directories are kept if it differs')
    parser.add_argument('--lives', type=int, default=3)
    parser.add_argument('--operations', type=int, default=200, help='of each life')
    parser.add_argument('--jobs', type=int, default=2, help='histories at once')
    parser.add_argument('--directory', help='where databases are made (a temporary directory)')
    parser.add_argument('--out', type=pathlib.Path, help='a table of what ran')
    parser.add_argument('--quiet', action='store_true', help='no progress')
    args = parser.parse_args()
    seeds = [args.seed] if args.seed else range(args.first, args.first + args.seeds)
    counts, failed, done, lock, began = collections.Counter(), [], 0, threading.Lock(), time.monotonic()

    def one(seed):
        nonlocal done
        history = History(args, seed)
        difference = history.run()
        with lock:
            done += 1
            counts.update(history.counts)
            if difference:
                failed.append(seed)
                print(f'\nseed {seed}: {difference}', flush=True)
            elif not args.quiet and (sys.stderr.isatty() or done % 50 == 0):
                print(f'\r{done} of {len(seeds)} histories, {len(failed)} differ', end='' if sys.stderr.isatty() else '\n',
                      file=sys.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, args.jobs)) as pool:
        list(pool.map(one, seeds))
    if args.out:
        args.out.write_text(table(args, len(seeds), counts, sorted(failed), time.monotonic() - began))
    print(f'{len(seeds)} histories, {counts["calls"]} operations each way, {len(failed)} with a difference'
          + (': ' + ', '.join(map(str, sorted(failed)))) * bool(failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
