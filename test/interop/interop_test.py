#!/usr/bin/env python3
"""One database, two engines: Cairn and RocksDB 7.8.3 take turns, also after kills, and RocksDB's tools check each step.

  interop_test.py --cairn DRIVER --rocksdb DRIVER --config none|snappy|zlib|bzip2|lz4|lz4hc|zstd|snappy-blobs|zstd-blobs [--keys N] [--seed N]

Both drivers are interop_driver.cc, compiled against either library. The steps of one run:
  1 Cairn loads, closes.          ldb and sst_dump accept every file; ldb scan agrees key by key with what was written
  2 RocksDB reads and agrees, writes, is killed at a random moment
  3 Cairn recovers, agrees, writes, is killed
  4 RocksDB recovers, agrees, writes, closes
    CURRENT and MANIFEST are lost, Cairn repairs; the tools accept it, RocksDB agrees
  5 Cairn agrees, writes, makes a checkpoint with unflushed data; the tools on both, and both engines on the checkpoint
  6 each writes beside a secondary of the other, which checks what it sees: Cairn's all the while, RocksDB's at the end
    (not with entities, which RocksDB 7.8.3's secondaries do not know)
  7 of a database that Cairn wrote CURRENT and MANIFEST are lost, RocksDB repairs; both agree
  8 each writes an external table file; both read both, sst_dump verifies them, RocksDB ingests them
  9 a database that RocksDB made and was killed in, with logs and tables in directories outside of it: Cairn adopts them, and both
    go on in turns
  10 the two back up one database in turns, in one directory: tables of the other's backups are not copied again, each restores and
    verifies all of them, and each deletes one of the other's
"""
import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile

# What each configuration adds to its compression.
CONFIGS = {
    'none': ['--dynamic-levels', '--hash-index', '--ranges', '--checksums', '--collectors'],
    'snappy': ['--compact-files', '--prefix', '--merge', '--ingest'],
    'snappy-blobs': ['--dynamic-levels', '--merge', '--blobs'],
    'zstd-blobs': ['--families', '--checksums', '--ranges', '--blobs'],
    'zlib': ['--comparator=reverse', '--hash-index', '--dictionary', '--entities', '--first-keys'],
    'bzip2': ['--partitioned', '--merge', '--ranges', '--dynamic-levels'],
    'lz4': ['--dynamic-levels', '--partitioned', '--prefix', '--dictionary', '--cached-metadata'],
    'lz4hc': ['--universal', '--families', '--atomic-flush', '--merge', '--ranges', '--dictionary', '--collectors'],
    'zstd': ['--ribbon', '--first-keys', '--families', '--dictionary', '--checksums', '--ingest'],
}


class Run:
    def __init__(self, args, db):
        self.args, self.db = args, db
        self.random = random.Random(args.seed)
        self.keys = args.keys
        self.more = CONFIGS[args.config]

    @property
    def common(self):
        """What every call of a driver is told."""
        compression = self.args.config.removesuffix('-blobs')
        return [f'--compression={compression}', f'--keys={self.keys}', f'--seed={self.args.seed}', *self.more]

    def call(self, command, **kwargs):
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                                timeout=600, **kwargs)
        if result.returncode != 0:
            sys.exit(f'FAILED (seed {self.args.seed}), status {result.returncode}: {" ".join(map(str, command))}\n'
                     f'{result.stdout[-4000:]}')
        return result.stdout

    def driver(self, engine):
        return getattr(self.args, engine)

    def write(self, engine, phase, *more):
        print(f'  {engine} writes phase {phase}', flush=True)
        self.call([self.driver(engine), 'write', self.db, f'--phase={phase}', *self.common, *more])

    def write_and_kill(self, engine, phase):
        """Returns the last batch that was acknowledged before the kill."""
        lines = self.random.randrange(1, max(2, self.keys // 5 // 12 // 64))
        command = [self.driver(engine), 'write', self.db, f'--phase={phase}', '--die', *self.common]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            acknowledged, said = 0, []
            for line in process.stdout:
                said.append(line)
                if line.startswith('acknowledged '):
                    acknowledged = int(line.split()[1])
                    lines -= 1
                    if lines == 0:
                        process.send_signal(signal.SIGKILL)
            if process.wait() != -signal.SIGKILL:
                sys.exit(f'FAILED (seed {self.args.seed}): {engine} ended by itself\n{"".join(said)[-4000:]}')
        print(f'  {engine} was killed in phase {phase} after batch {acknowledged}', flush=True)
        return acknowledged

    def verify(self, engine, history, at_least=0):
        """Returns how much of an unfinished last phase the database holds."""
        output = self.call([self.driver(engine), 'verify', self.db, f'--history={history}', *self.common])
        print(f'  {engine}: {output.strip().splitlines()[-1]}', flush=True)
        for line in output.splitlines():
            if line.startswith('holds '):
                batches = int(line.split(':')[1])
                if batches < at_least:
                    sys.exit(f'FAILED (seed {self.args.seed}): {engine} lost acknowledged writes: batch {at_least} was '
                             f'acknowledged, {batches} are there')
                return batches
        return 0

    def follow(self, primary, secondary, history, phase):
        """A secondary of one engine looks at what a primary of the other is writing."""
        # RocksDB 7.8.3's catch-ups fail on families that come and go, and may show a memtable before newer tables: it opens
        # at the end.
        catches_up = secondary == 'cairn'
        pipes = {'stdin': subprocess.PIPE, 'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT, 'text': True}
        beside = self.db.parent / 'secondary'
        follow = [self.driver(secondary), 'follow', self.db, f'--secondary={beside}', f'--history={history},{phase}:?', *self.common]
        follower, looks, said = None, 0, []

        def look(at_least):
            follower.stdin.write('\n')
            follower.stdin.flush()
            held = -1
            for line in follower.stdout:
                said.append(line)
                if line.startswith('holds '):
                    held = int(line.split(':')[1])
                if line.startswith('agrees '):
                    break
            if held < at_least:
                sys.exit(f'FAILED (seed {self.args.seed}): the secondary holds {held}, {at_least} was acknowledged\n{"".join(said)[-4000:]}')
            return held

        if catches_up:
            follower = subprocess.Popen(follow, **pipes)
        with subprocess.Popen([self.driver(primary), 'write', self.db, f'--phase={phase}', '--wait', *self.common], **pipes) as writer:
            acknowledged = 0
            for line in writer.stdout:
                batches = int(line.split()[1])
                if batches == acknowledged or batches % 64 != 0:
                    acknowledged = batches
                    break  # the last one
                acknowledged = batches
                if catches_up and batches // 64 % 3 == 1:
                    look(acknowledged)
                    looks += 1
            if not catches_up:
                follower = subprocess.Popen(follow, **pipes)
            held = look(acknowledged)
            follower.stdin.close()
            if held != acknowledged or follower.wait() != 0:
                sys.exit(f'FAILED (seed {self.args.seed}): {secondary} as a secondary\n{"".join(said)[-4000:]}')
            writer.stdin.close()
            if writer.wait() != 0:
                sys.exit(f'FAILED (seed {self.args.seed}): {primary} as a primary')
        print(f'  {secondary} followed {primary} through phase {phase}, looking {looks + 1} times', flush=True)

    def tools(self, history):
        """ldb and sst_dump on the closed database."""
        out = self.call(['ldb', f'--db={self.db}', '--try_load_options', '--ignore_unknown_options=false', 'checkconsistency'])
        if 'OK' not in out:
            sys.exit(f'FAILED: ldb checkconsistency\n{out}')
        current = (self.db / 'CURRENT').read_text().strip()
        out = self.call(['ldb', 'manifest_dump', f'--path={self.db / current}', '--verbose'])
        if 'next_file_number' not in out or 'orruption' in out:
            sys.exit(f'FAILED: ldb manifest_dump\n{out[-4000:]}')
        families = ['default', 'second'] if '--families' in self.common else ['default']
        out = self.call(['ldb', f'--db={self.db}', 'list_column_families'])
        if '{' + ', '.join(families) + '}' not in out:
            sys.exit(f'FAILED: ldb list_column_families\n{out}')
        tables = sorted(self.db.glob('*.sst'))
        for table in tables:
            out = self.call(['sst_dump', f'--file={table}', '--command=verify', '--verify_checksum'])
            if 'orruption' in out or 'is not a valid' in out:
                sys.exit(f'FAILED: sst_dump {table}\n{out}')
        lines = sum(self.scan(history, i, family) for i, family in enumerate(families))
        print(f'  ldb and sst_dump accept {len(tables)} tables; ldb scan agrees on {lines} keys', flush=True)

    def scan(self, history, family, name):
        # Files, so that neither side's output is held in memory twice.
        expected, scanned = self.db.parent / 'expected', self.db.parent / 'scanned'
        with expected.open('wb') as f:
            subprocess.run([self.args.cairn, 'dump', f'--history={history}', f'--family={family}', *self.common], stdout=f, check=True)
        with scanned.open('wb') as f:
            subprocess.run(['ldb', f'--db={self.db}', '--try_load_options', f'--column_family={name}', '--hex', 'scan'], stdout=f, check=True)
        lines = 0
        with expected.open('rb') as a, scanned.open('rb') as b:
            for want, got in zip(a, b):
                lines += 1
                if want.rstrip() != got.rstrip():
                    sys.exit(f'FAILED (seed {self.args.seed}): ldb scan, line {lines}: {got[:200]} instead of {want[:200]}')
            if a.readline() or b.readline():
                sys.exit(f'FAILED (seed {self.args.seed}): ldb scan: another number of keys')
        return lines

    def all(self):
        self.write('cairn', 1)
        self.tools('1:all')
        self.verify('rocksdb', '1:all')
        acknowledged = self.write_and_kill('rocksdb', 2)
        second = self.verify('cairn', '1:all,2:?', acknowledged)
        history = f'1:all,2:{second}'
        acknowledged = self.write_and_kill('cairn', 3)
        third = self.verify('rocksdb', f'{history},3:?', acknowledged)
        history = f'{history},3:{third}'
        self.write('rocksdb', 4)
        history += ',4:all'
        self.repair('cairn', history)
        self.verify('cairn', history)
        checkpoint = self.db.parent / 'checkpoint'
        self.write('cairn', 5, f'--checkpoint={checkpoint}')
        history += ',5:all'
        self.tools(history)
        self.db = checkpoint
        if not list(checkpoint.glob('*.log')):
            sys.exit('FAILED: the checkpoint has no log')
        self.tools(history)
        self.verify('rocksdb', history)
        self.verify('cairn', history)
        self.follow('rocksdb', 'cairn', history, 6)
        history += ',6:all'
        # RocksDB 7.8.3's secondaries refuse logs that have entities, and crash on blob files, their own engine's, too.
        if not {'--entities', '--blobs'} & set(self.common):
            self.follow('cairn', 'rocksdb', history, 7)
            history += ',7:all'
        self.verify('cairn', history)
        # 7.8.3 repairs neither tables of several levels nor logs that repeat what tables have.
        # Nor does it know of blob files then.
        if not {'--families', '--ingest', '--blobs'} & set(self.common):
            self.db = self.db.parent / 'flushed'
            self.write('cairn', 1, '--flushes-only')
            self.repair('rocksdb', '1:all')
            self.verify('cairn', '1:all')
        self.external_files()
        if self.args.config in ('none', 'lz4hc'):
            self.directories_outside()
        self.backups()

    def backups(self):
        # Each of four is restored and read whole three times or more: a fifth of the keys makes as many files.
        self.keys //= 5
        parent = self.db.parent
        source, restored, backups = parent / 'source', parent / 'restored', parent / 'backups'
        # How each configuration writes them; both engines the same.
        style = {'snappy': 'old-names', 'zlib': 'schema-2', 'lz4': 'by-number'}.get(self.args.config, '')
        shared = backups / ('shared' if style == 'by-number' else 'shared_checksum')
        histories = []
        self.db = source
        for phase, (writer, first, second) in enumerate([('cairn', 'rocksdb', 'cairn'), ('rocksdb', 'cairn', 'rocksdb')], 1):
            if phase == 1:
                self.write(writer, phase)
            else:
                self.write_and_kill(writer, phase)  # with logs
            history = ','.join(f'{i}:all' for i in range(1, phase)) + (f',{phase}:?' if phase > 1 else '1:all')
            for engine in (first, second):
                before = set(shared.glob('*'))
                self.call([self.driver(engine), 'backup', source, f'--backups={backups}', f'--style={style}', *self.common])
                if engine == second and set(shared.glob('*')) != before:
                    sys.exit(f'FAILED: {engine} copied again what the other had copied: {set(shared.glob("*")) ^ before}')
                histories.append(history)
        ids = dict(enumerate(histories, 1))

        def restore_all(engines):
            for engine, other in engines:
                for number, history in ids.items():
                    self.db = restored
                    self.call([self.driver(engine), 'restore', restored, f'--backups={backups}', f'--id={number}', *self.common])
                    self.verify(other, history)

        restore_all([('cairn', 'rocksdb'), ('rocksdb', 'cairn')])
        for engine, number in (('cairn', 1), ('rocksdb', 2)):
            self.call([self.driver(engine), 'delete-backup', f'--backups={backups}', f'--id={number}', *self.common])
            del ids[number]
        restore_all([('rocksdb', 'cairn'), ('cairn', 'rocksdb')])
        for number in list(ids):
            self.call([self.driver('cairn'), 'delete-backup', f'--backups={backups}', f'--id={number}', *self.common])
        left = [str(path) for path in backups.rglob('*') if path.is_file() and path.name != 'BACKUP_LOCK']
        if left:
            sys.exit(f'FAILED: files of deleted backups stay: {left}')
        print(f'  both went on with the backups of the other{" (" + style + ")" if style else ""}', flush=True)

    def directories_outside(self):
        parent = self.db.parent
        self.db = parent / 'elsewhere'
        inside, self.more = self.more, [*self.more, f'--wal-dir={parent}/logs', f'--tables-dir={parent}/tables']
        self.write('rocksdb', 1)
        acknowledged = self.write_and_kill('rocksdb', 2)
        if (parent / 'logs' / 'OWNER').exists():
            sys.exit('FAILED: there is an owner before Cairn came')
        second = self.verify('cairn', '1:all,2:?', acknowledged)
        history = f'1:all,2:{second}'
        acknowledged = self.write_and_kill('cairn', 3)
        for name in ('logs', 'tables'):
            if f'={self.db}\n' not in (parent / name / 'OWNER').read_text():
                sys.exit(f'FAILED: {name} has no owner')
        third = self.verify('rocksdb', f'{history},3:?', acknowledged)
        history = f'{history},3:{third}'
        self.write('rocksdb', 4)
        self.verify('cairn', history + ',4:all')
        if list(self.db.glob('*.log')) or list(self.db.glob('*.sst')):
            sys.exit('FAILED: logs or tables are in the directory of the database')
        self.more = inside

    def repair(self, engine, history):
        (self.db / 'CURRENT').unlink()
        # Only a MANIFEST says how far RocksDB's range tombstones reach, and what numbers ingested tables have.
        if '--ranges' not in self.common and '--ingest' not in self.common:
            for manifest in self.db.glob('MANIFEST-*'):
                manifest.unlink()
        logs = sorted(path.name for path in self.db.glob('*.log'))
        self.call([self.driver(engine), 'repair', self.db, *self.common])
        if sorted(path.name for path in self.db.glob('lost/*.log')) != logs or list(self.db.glob('*.log')):
            sys.exit(f'FAILED: {engine} does not move the logs away')
        print(f'  {engine} repaired {len(list(self.db.glob("*.sst")))} tables and {len(logs)} logs', flush=True)
        self.tools(history)
        self.verify('rocksdb', history)

    def external_files(self):
        for writer in ('cairn', 'rocksdb'):
            path = self.db.parent / f'{writer}.sst'
            self.call([self.driver(writer), 'write-sst', path, *self.common])
            out = self.call(['sst_dump', f'--file={path}', '--command=verify', '--verify_checksum'])
            if 'orruption' in out or 'The file is ok' not in out:
                sys.exit(f'FAILED: sst_dump {path}\n{out}')
            for reader in ('cairn', 'rocksdb'):
                out = self.call([self.driver(reader), 'verify-sst', path, *self.common])
                print(f"  {reader} reads {writer}'s external file: {out.strip().splitlines()[-1]}", flush=True)
            shutil.rmtree(f'{path}.db')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--cairn', required=True)
    parser.add_argument('--rocksdb', required=True)
    parser.add_argument('--config', choices=CONFIGS, required=True)
    parser.add_argument('--keys', type=int, default=170000)
    parser.add_argument('--seed', type=int, default=int(os.environ.get('CAIRN_SEED', '20240607')))
    args = parser.parse_args()
    for tool in ('ldb', 'sst_dump'):
        if shutil.which(tool) is None:
            sys.exit(f'{tool} is missing: install rocksdb-tools')
    print(f'{args.config}: {args.keys} keys, seed {args.seed} (CAIRN_SEED overrides)', flush=True)
    with tempfile.TemporaryDirectory(prefix='cairn_interop_') as directory:
        Run(args, pathlib.Path(directory) / 'db').all()
    print('OK')


if __name__ == '__main__':
    main()
