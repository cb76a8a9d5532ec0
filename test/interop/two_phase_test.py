#!/usr/bin/env python3
"""Prepared transactions, handed back and forth between Cairn and RocksDB: 7.8.3, or a later release.

  two_phase_test.py --cairn DRIVER (--rocksdb DRIVER | --peer LIBRARY) [--policy 0|1|2|3] [--lives N] [--histories N] [--seed N]

The drivers are two_phase_driver.cc, compiled against either library; the library of a later release is driven by two_phase_peer.py,
whose transactions lock their keys: then no two use the same, nor do they where RocksDB's policy (--policy, a TxnDBWritePolicy) needs
the locks. With policy 3, WRITE_COMMITTED and a family with timestamps, each commit has a later one; and as RocksDB 7.8.3 cannot read
a log that says how large timestamps are, Cairn decides everything, writes and flushes before it hands over. A history is a database's:
in each of its lives one of the two, chosen at random, opens it, shows what is prepared and what is committed, which must be what a
model says, prepares, commits, rolls back, writes and flushes, and ends: closed, or killed. Operands of merges tell the order of the
commits.
"""
import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile


STAMPED = 3


class History:
    def __init__(self, args, seed, db):
        self.args, self.seed, self.db = args, seed, db
        self.random = random.Random(seed)
        self.contents, self.prepared, self.names = {}, {}, 0
        self.told = []
        self.found = set()  # prepared before this life
        self.engine = None
        self.stamped = args.policy == STAMPED
        self.limited = self.stamped and not args.peer  # by RocksDB 7.8.3
        self.clock, self.stamps = 0, {}
        self.policies = args.policy and not self.stamped
        self.locks = args.peer or self.policies

    def apply(self, writes):
        for kind, key, value in writes:
            self.stamps[key] = self.clock
            if kind == 'delete':
                self.contents.pop(key, None)
            elif kind == 'merge' and key in self.contents:
                self.contents[key] += ',' + value
            else:
                self.contents[key] = value

    def write(self, owner=''):
        # (RocksDB 7.8.3 has no merges where there are timestamps.)
        kind = self.random.choice(['put', 'delete'] if self.limited else ['put', 'merge', 'merge', 'delete'])
        prefix = owner + '.' if owner and self.locks else 'k'
        return kind, f'{prefix}{self.random.randrange(8)}', f'v{self.random.randrange(1000)}'

    def plain(self):
        """Under the policies also to keys that a transaction has, or will have."""
        names = [f't{i}' for i in range(self.names + 2) if f't{i}' not in self.prepared]
        return self.write(self.random.choice(names) if self.policies and self.random.randrange(2) else '')

    def decidable(self):
        """RocksDB 7.8.3 adds timestamps to the keys of what it recovers, a second time."""
        found = self.found if self.limited and self.engine == 'rocksdb' else ()
        return sorted(name for name in self.prepared if name not in found)

    def tick(self):
        self.clock += 1
        if self.stamped:
            yield from ('at', str(self.clock))

    def commit(self, name):
        yield from self.tick()
        self.apply(self.prepared.pop(name))
        yield from ('commit', name)

    def steps(self):
        for _ in range(self.random.randrange(12)):
            what = self.random.choice(['plain', 'plain', 'prepare', 'prepare', 'commit', 'rollback', 'flush'])
            if what == 'plain':
                kind, key, value = self.plain()
                kind = 'put' if kind == 'delete' else kind
                yield from self.tick()
                self.apply([(kind, key, value)])
                yield from (kind, key, value)
            elif what == 'prepare':
                name = f't{self.names}'
                self.names += self.random.randrange(3) > 0  # sometimes a name is used again
                if name in self.prepared:
                    continue
                self.prepared[name] = [self.write(name) for _ in range(self.random.randrange(5))]
                yield from ('begin', name)
                for kind, key, value in self.prepared[name]:
                    yield from ('tdelete', key) if kind == 'delete' else ('t' + kind, key, value)
                yield 'prepare'
            elif what == 'flush':
                yield from ('flush', str(self.random.randrange(2)))
            elif self.decidable():
                name = self.random.choice(self.decidable())
                if what == 'commit':
                    yield from self.commit(name)
                else:
                    self.prepared.pop(name)
                    yield from (what, name)

    def expected(self):
        contents = sorted(self.contents.items())
        family = ' '.join(['family', *(f'{key}={value}' for key, value in contents)])
        second = ' '.join(['family', *(f'{key}={value}@{self.stamps[key]}' for key, value in contents)]) if self.stamped else family
        return [' '.join(['prepared', *sorted(self.prepared)]), family, second]

    def live(self, engine, following=None):
        expected = self.expected()
        self.engine, self.found = engine, set(self.prepared)
        steps = ['show', *self.steps()]
        if self.limited and engine == 'cairn' and following == 'rocksdb':
            for name in sorted(self.prepared):
                steps += self.commit(name)
            # (An empty memtable is not flushed, and the log stays.)
            steps += self.tick()
            self.apply([('put', 'k0', 'last')])
            steps += ['put', 'k0', 'last', 'flush', '0', 'flush', '1']
        # (RocksDB's other policies do not survive the assertions of a close with prepared transactions.)
        if self.random.randrange(3) or (self.policies and self.prepared):
            steps.append('die')
        self.told.append(f'{engine}: {" ".join(steps)}')
        done = subprocess.run([*self.args.engines[engine], self.db, str(self.args.policy), *steps], text=True, capture_output=True, errors='replace',
                              timeout=300)
        shown = done.stdout.splitlines()
        if done.returncode != 0 or shown != expected:
            story = '\n'.join(self.told)
            sys.exit(f'FAILED, seed {self.seed}, status {done.returncode}\n{story}\nexpected {expected}\nshown    {shown}\n'
                     f'{done.stderr[-2000:]}')

    def run(self):
        engines = [self.random.choice(list(self.args.engines)) for _ in range(self.args.lives)]
        engines += self.args.engines
        for engine, following in zip(engines, [*engines[1:], None]):
            self.live(engine, following)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--cairn', type=pathlib.Path, required=True)
    parser.add_argument('--rocksdb', type=pathlib.Path)
    parser.add_argument('--peer', type=pathlib.Path)
    parser.add_argument('--policy', type=int, default=0)
    parser.add_argument('--lives', type=int, default=12)
    parser.add_argument('--histories', type=int, default=15)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    peer = [sys.executable, str(pathlib.Path(__file__).with_name('two_phase_peer.py')), args.peer]
    args.engines = {'cairn': [args.cairn], 'rocksdb': peer if args.peer else [args.rocksdb]}
    with tempfile.TemporaryDirectory(prefix='cairn_two_phase_') as work:
        for seed in range(args.seed, args.seed + args.histories):
            db = pathlib.Path(work) / 'db'
            shutil.rmtree(db, ignore_errors=True)
            History(args, seed, db).run()
    print(f'{args.histories} histories of {args.lives} lives')


if __name__ == '__main__':
    main()
