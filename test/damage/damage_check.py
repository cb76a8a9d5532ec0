#!/usr/bin/env python3
"""Damages one file of a database, and looks at what the database makes of it.

  damage_check.py BUILD_FOLDER [--trials 10000] [--databases 4] [--seed 1] [--jobs 2] [--only KIND[:DAMAGE]] [--out FILE.md]
                  [--keep FOLDER] [--folder FOLDER] [--quiet]
  damage_check.py BUILD_FOLDER --trial N [--keep FOLDER]        one of them again, with all that the worker said

damage_worker (test/damage) makes databases with rich contents, killed and not closed. Each trial takes a copy of one, damages ONE file
of it (by kind: table, log, MANIFEST, CURRENT, OPTIONS, IDENTITY, LOCK; by damage: see DAMAGES), and opens it in a process with limits
(processor time, memory). That process reads everything in every way, compacts, takes a checkpoint, writes, and opens it again; where it
does not open, it repairs it. Allowed are: all that was written; an error that says so; after a damaged log, MANIFEST or CURRENT also
an earlier state, if it is a prefix of history in all column families (doc/reliability.md). Not allowed are crashes, hangs, too much
memory, and any other value without an error, whatever was done with the file. KNOWN lists what is known to be wrong, and why.

Exit status: 0; 1 if something was not allowed (the damaged copy is kept with --keep); 2 if the check could not be made.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CPU_SECONDS = 30  # of a trial, which takes a tenth of a second
WALL_SECONDS = 600  # on a busy machine
MEMORY = 600 << 20  # resident bytes
KINDS = {  # name: what its files are called, and how many of a hundred trials it gets
    'table': (r'\d+\.sst', 40),
    'log': (r'\d+\.log', 20),
    'manifest': (r'MANIFEST-\d+', 20),
    'current': (r'CURRENT', 6),
    'options': (r'OPTIONS-\d+', 6),
    'identity': (r'IDENTITY', 4),
    'lock': (r'LOCK', 4),
}

# What is known, by rule: kind, damage, what is found; and the reason.
KNOWN = [
    ('table', 'two blocks swapped', r'', 'below format 6 the checksum of a block does not know its place'),
    ('manifest', '', r'is not what 300 batches make it: in\d+-\d+ is missing',
     "the MANIFEST's last records are gone, as after a crash, and with them files from outside, of which no log tells"),
    ('manifest', '', r'^repaired: operands of \S+ count twice',
     'without a MANIFEST nothing tells what of an old log is in tables: merge operands may count twice'),
    ('log', 'record lost', r'is not what \d+ batches make it',
     'whole records taken out of a log: writes that skip the log leave the same gaps'),
]


# --- Damages: of the file's bytes, and files of the same kind; None if it cannot be done

def bit_flip(data, rng, _):
    if not data:
        return None
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return data


def some_range(data, rng):
    begin = rng.randrange(len(data))
    size = min(rng.choice([1, 4, 16, 100, 512, 4096]), len(data) - begin)
    return begin, begin + size


def zeros(data, rng, _):
    if not data:
        return None
    begin, end = some_range(data, rng)
    data[begin:end] = bytes(end - begin)
    return data


def all_zeros(data, _, __):
    return bytearray(len(data)) if data else None


def garbage(data, rng, _):
    if not data:
        return None
    begin, end = some_range(data, rng)
    data[begin:end] = rng.randbytes(end - begin)
    return data


def truncation(data, rng, _):
    return data[:rng.randrange(len(data))] if data else None


def cut_late(data, rng, _):
    return data[:-min(len(data), 1 + rng.randrange(200))] if data else None


def emptied(data, _, __):
    return bytearray() if data else None


def extension(data, rng, _):
    return data + rng.choice([bytes, rng.randbytes])(rng.choice([1, 7, 100, 5000, 40000]))


def range_lost(data, rng, _):
    if not data:
        return None
    begin, end = some_range(data, rng)
    return data[:begin] + data[end:]


def range_twice(data, rng, _):
    if not data:
        return None
    begin, end = some_range(data, rng)
    return data[:end] + data[begin:]


def two_ranges_swapped(data, rng, _):
    size = rng.choice([16, 200, 1024, 4096])
    if len(data) < 2 * size:
        return None
    first = rng.randrange(len(data) - 2 * size + 1)
    second = rng.randrange(first + size, len(data) - size + 1)
    data[first:first + size], data[second:second + size] = data[second:second + size], data[first:first + size]
    return data


def records_of_a_log(data):
    """Where its records begin and end; a record lies within a block."""
    at = 0
    while at + 7 <= len(data):
        block_left = 32768 - at % 32768
        if block_left < 7:
            at += block_left
            continue
        size, kind = int.from_bytes(data[at + 4:at + 6], 'little'), data[at + 6]
        header = 7 if kind < 5 else 11
        if kind == 0 or header + size > block_left:
            break
        yield at, at + header + size
        at += header + size


def blocks_of_a_table(data):
    """Data blocks of one size at its beginning, as tables from outside have here: (size with trailer)."""
    for size in range(600, 1500):
        if len(data) > 4 * size and all(data[i * size - 5] == data[size - 5] for i in range(2, 5)) and data[size - 5] == 0:
            first = [data[i * size:i * size + 12] for i in range(4)]
            if len({bytes(head[:3]) for head in first}) == 1 and b'in0' in bytes(first[0]):
                return size
    return None


def two_blocks_swapped(data, rng, kind):
    """Two whole blocks, or records: their own checksums are right."""
    if kind == 'table':
        size = blocks_of_a_table(data)
        if size is None:
            return None
        first, second = sorted(rng.sample(range(4), 2))
        spans = [(first * size, first * size + size), (second * size, second * size + size)]
    else:
        records = list(records_of_a_log(data))
        if len(records) < 2:
            return None
        spans = sorted(rng.sample(records, 2))
    (a, b), (c, d) = spans
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def record_lost(data, rng, kind):
    records = list(records_of_a_log(data)) if kind in ('log', 'manifest') else []
    if not records:
        return None
    begin, end = rng.choice(records)
    return data[:begin] + data[end:]


DAMAGES = {  # what they do to the bytes; and those that do it to names
    'bit flip': bit_flip, 'zeros': zeros, 'all zeros': all_zeros, 'garbage': garbage, 'truncation': truncation, 'cut late': cut_late,
    'emptied': emptied, 'extension': extension, 'range lost': range_lost, 'range twice': range_twice,
    'two ranges swapped': two_ranges_swapped, 'two blocks swapped': two_blocks_swapped, 'record lost': record_lost,
    'two files swapped': None, 'removed': None, 'old version': None,
}


class Database:
    """One that was made, in three folders: as it is, and what it was earlier."""

    def __init__(self, folder, seed):
        self.seed = seed
        self.now, self.old = folder / f'made{seed}', [folder / f'old{seed}', folder / f'old{seed}.late']

    def files(self, kind, where=None):
        pattern = re.compile(KINDS[kind][0] + r'\Z')
        return sorted(path.name for path in (where or self.now).iterdir() if pattern.match(path.name))


class Trial:
    def __init__(self, number, args, databases):
        self.number = number
        self.rng = rng = random.Random(args.seed * 1_000_003 + number)
        self.database = rng.choice(databases)
        kinds = [kind for kind, (_, share) in KINDS.items() for _ in range(share)]
        wanted_kind, _, wanted_damage = (args.only or '').partition(':')
        while True:
            self.kind = wanted_kind or rng.choice(kinds)
            self.damage = wanted_damage or rng.choice(list(DAMAGES))
            if self.plan():
                break
        self.lines, self.problem = [], None

    def plan(self):
        """Chooses the file, and its contents; False: this damage cannot be done to it."""
        database, rng = self.database, self.rng
        names = database.files(self.kind)
        if not names:
            return False
        self.file, self.other, self.bytes = rng.choice(names), None, None
        if self.damage == 'removed':
            return True
        if self.damage == 'two files swapped':
            others = [name for name in names if name != self.file]
            if self.kind == 'table':  # of one size, if there are some: nothing else tells them apart
                same = [n for n in others if (database.now / n).stat().st_size == (database.now / self.file).stat().st_size]
                others = same or others
            self.other = rng.choice(others) if others else None
            return self.other is not None
        if self.damage == 'old version':
            # Of the same name, or, of a kind of which there is one at a time, the one of then under its own name.
            choices = []
            for where in database.old:
                for name in database.files(self.kind, where):
                    choices.append((where / name, name))
            if self.kind == 'current':
                # (What it names is back, too: else it is a missing file.)
                pass
            choices = [c for c in choices if not (database.now / c[1]).exists() or
                       (database.now / c[1]).read_bytes() != c[0].read_bytes()]
            if not choices:
                return False
            path, self.file = rng.choice(choices)
            self.bytes = path.read_bytes()
            return True
        data = bytearray((database.now / self.file).read_bytes())
        before = bytes(data)
        self.bytes = DAMAGES[self.damage](data, rng, self.kind)
        return self.bytes is not None and bytes(self.bytes) != before

    def name(self):
        return f'{self.kind}: {self.damage} of {self.file}' + (f' and {self.other}' if self.other else '')

    def make_copy(self, folder):
        folder.mkdir(parents=True)
        for path in self.database.now.iterdir():
            shutil.copyfile(path, folder / path.name)
        if self.damage == 'removed':
            (folder / self.file).unlink()
        elif self.other:
            (folder / self.file).rename(folder / 'swap')
            (folder / self.other).rename(folder / self.file)
            (folder / 'swap').rename(folder / self.other)
        else:
            (folder / self.file).write_bytes(self.bytes)

    def run(self, worker, folder):
        copy = folder / f'trial{self.number}'
        self.make_copy(copy)
        command = [worker, '--probe', f'--db={copy}', f'--seed={self.database.seed}', f'--kind={self.kind}']
        if self.rng.random() < 0.3:
            command.append('--readonly_first')
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5)))
        timer = None
        try:
            output, _ = process.communicate(timeout=WALL_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
            timer = 'it waits for ever'
        self.lines = output.splitlines()
        if timer:
            self.problem = timer
        elif process.returncode == -signal.SIGXCPU or process.returncode == -signal.SIGKILL:
            self.problem = f'it takes more than {CPU_SECONDS} seconds of processor time'
        elif process.returncode != 0:
            self.problem = f'exit status {process.returncode}'
        else:
            findings = self.all('finding')
            self.problem = findings[0] if findings else None
        return copy

    def all(self, key):
        return [line[len(key) + 1:] for line in self.lines if line.startswith(key + ' ')]

    def known(self):
        """Why what was found was to be expected; None: it was not."""
        for kind, damage, finding, why in KNOWN:
            if kind == self.kind and damage in ('', self.damage) and all(re.search(finding, f) for f in self.all('finding')) \
                    and self.all('finding'):
                return why
        return None

    def outcome(self, batches):
        if self.problem:
            return 'known' if self.known() else 'not allowed'
        if self.all('open') != ['OK']:
            return 'refused, repaired' if self.all('repaired') else 'refused'
        if self.all('error'):
            return 'errors told'
        return 'all there' if self.all('state')[:1] == [str(batches)] else 'an earlier state'


OUTCOMES = ['all there', 'an earlier state', 'errors told', 'refused, repaired', 'refused', 'known', 'not allowed']
BATCHES = 300


def report(counts, by_damage, known, args, seconds, commit):
    total = sum(counts.values())
    lines = ['# Damaged files', '',
             f'`make damage-check`: {total:,} trials in {seconds / 60:.0f} minutes ({args.jobs} at once), seed {args.seed}, {commit}. One file of',
             'a database with rich contents is damaged, and the database is opened, read in every way, compacted, checkpointed, written to, and',
             'opened again, or repaired (`test/damage/damage_check.py --help`).', '',
             '- **all there**: every read gave what was written, and no error.',
             '- **an earlier state**: without an error, but a prefix of history in all families; after damage to a log, MANIFEST or CURRENT only.',
             '- **errors told**: it opened, some reads or compactions gave an error, and all others were right.',
             '- **refused, repaired**: `DB::Open` gave an error, `RepairDB` made a database of what was left, with nothing that nobody wrote.',
             '- **known**: explained by a rule below. **not allowed**: a crash, a hang, or a wrong value without an error.', '']
    for title, table in (('file', counts), ('damage', by_damage)):
        lines += [f'| {title} | trials | ' + ' | '.join(OUTCOMES) + ' |', '| --- |' + ' ---: |' * (len(OUTCOMES) + 1)]
        for row in dict.fromkeys(row for row, _ in table):
            numbers = [table[row, outcome] for outcome in OUTCOMES]
            lines.append(f'| {row} | {sum(numbers):,} | ' + ' | '.join(f'{n:,}' if n else '' for n in numbers) + ' |')
        lines.append('')
    if known:
        lines += ['| known | trials |', '| --- | ---: |'] + [f'| {why} | {n:,} |' for why, n in known.most_common()] + ['']
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--trials', type=int, default=10_000)
    parser.add_argument('--databases', type=int, default=4)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 1)
    parser.add_argument('--only', help='a kind of file, and perhaps a damage: table, log:removed')
    parser.add_argument('--trial', type=int, help='only this one, and what the worker says')
    parser.add_argument('--out', type=pathlib.Path)
    parser.add_argument('--keep', type=pathlib.Path, help='where damaged copies go with which something was not allowed')
    parser.add_argument('--folder', help='where databases are made; by default in memory, if there is such a file system')
    parser.add_argument('--quiet', action='store_true', help='no progress')
    args = parser.parse_args()
    worker = next((p for p in (args.build / 'test/damage/damage_worker', args.build / 'damage_worker') if p.exists()), None)
    if worker is None:
        print(f'damage_check: no damage_worker in {args.build}', file=sys.stderr)
        return 2
    shared = '/dev/shm'
    base = args.folder or (shared if os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > (256 << 20) else None)
    folder = pathlib.Path(tempfile.mkdtemp(prefix='damage.', dir=base))
    begin = time.monotonic()
    try:
        databases = [Database(folder, args.seed * 100 + i) for i in range(args.databases)]
        for database in databases:
            made = subprocess.run([worker, '--make', f'--db={database.now}', f'--old={database.old[0]}', f'--seed={database.seed}',
                                   f'--batches={BATCHES}'], capture_output=True, text=True)
            if made.returncode != 0:
                print(f'damage_check: {made.stdout}{made.stderr}', file=sys.stderr)
                return 2
            for path in list(database.now.iterdir()):
                if path.name.startswith('LOG'):
                    path.unlink()
        counts, by_damage, known, bad = collections.Counter(), collections.Counter(), collections.Counter(), []

        def attempt(number):
            trial = Trial(number, args, databases)
            copy = trial.run(worker, folder)
            outcome = trial.outcome(BATCHES)
            if outcome == 'not allowed' and args.keep:
                args.keep.mkdir(parents=True, exist_ok=True)
                kept = args.keep / f'trial{number}'
                shutil.rmtree(kept, ignore_errors=True)
                fresh = Trial(number, args, databases)
                fresh.make_copy(kept)
            for path in folder.glob(copy.name + '*'):
                shutil.rmtree(path, ignore_errors=True)
            return trial, outcome

        numbers = [args.trial] if args.trial is not None else range(args.trials)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for done, (trial, outcome) in enumerate(pool.map(attempt, numbers), 1):
                counts[trial.kind, outcome] += 1
                by_damage[trial.damage, outcome] += 1
                if outcome == 'known':
                    known[trial.known()] += 1
                if outcome == 'not allowed':
                    bad.append(trial)
                    print(f'trial {trial.number} (database {trial.database.seed}): {trial.name()}: {trial.problem}', flush=True)
                if args.trial is not None:
                    print(f'{trial.name()}: {outcome}', *trial.lines, sep='\n  ')
                if not args.quiet and done % 250 == 0:
                    print(f'{done:,} trials, {time.monotonic() - begin:.0f} s, {len(bad)} not allowed', file=sys.stderr, flush=True)
        if not args.quiet or bad:
            for row in KINDS:
                told = [f'{counts[row, outcome]} {outcome}' for outcome in OUTCOMES if counts[row, outcome]]
                print(f'{row}: ' + ', '.join(told))
        if args.out:
            git = subprocess.run(['git', 'log', '-1', '--format=%h'], capture_output=True, text=True)
            args.out.write_text(report(counts, by_damage, known, args, time.monotonic() - begin, git.stdout.strip()))
        return 1 if bad else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
