"""Storage that fails below real processes, and loses power: the checks "faults" and "cuts" of crash_check.py, on faultfs.

A round of faults: crash_writer verifies what the round before left; rules for faultfs are drawn from the seed, before it opens or
while it writes; they go away; it must go on by itself, or after DB::Resume(), or after a new open; then it is killed, closed, or
the power goes, some of them while the faults are still there. A round of cuts: it writes, the power goes in the place of some sync
or change of a name. Each database has its own mount and its own log: DIR/rounds.log, a line of JSON for each round, and
DIR/faults.log, each rule that faultfs got and each fault that it injected.
"""
import json
import os
import random
import shutil
import signal
import subprocess
import time

from crash_common import PATIENCE, PROGRAMS, SYSTEM, Violation, Writer, finish, mounted, run, run_for_a_moment

HEALS_BY_ITSELF = 4   # seconds that it is given, on a busy machine
RESUMES = 5           # times that DB::Resume() is tried, then it is opened anew
TEXTS = {
    'EIO': 'Input/output error', 'ENOSPC': 'No space left on device', 'EDQUOT': 'Disk quota exceeded',
    'EINTR': 'Interrupted system call', 'EAGAIN': 'Resource temporarily unavailable', 'EMFILE': 'Too many open files',
    'ENFILE': 'Too many open files in system', 'ENOMEM': 'Cannot allocate memory', 'EROFS': 'Read-only file system',
    'EACCES': 'Permission denied', 'EOPNOTSUPP': 'Operation not supported', 'short': None,
}
# What a failing open may be refused with: a sentence of crash_writer's, and the system's error in it.
REFUSED = ('VIOLATION: (the database does not open|it cannot be read|Get of a key that the iterator has: [^:]*|VerifyChecksum|the checkpoint does not open|'
           'the database does not close): .*')
MAKES = 'write,create,mkdir,link,fallocate'
CHANGES = 'write,create,mkdir,link,fallocate,truncate,unlink,rename,rmdir'
SYNCS = 'fsync,fdatasync'


def patterns(rng):
    return rng.choice(['*', '*.log', '*.log', '*.sst', 'MANIFEST*', '*'])


def chance(rng):
    """How often, and how long."""
    return rng.choice([' times 1', f' skip {rng.randrange(8)} times {rng.randrange(1, 4)}', f' percent {rng.choice([5, 30, 60])}', ''])


# The kinds of faults: a name, the error, and rules drawn with a random.Random.
KINDS = {
    'EIO: write': ('EIO', lambda r: [f'write {patterns(r)} EIO{chance(r)}{r.choice(["", " done"])}']),
    'EIO: read': ('EIO', lambda r: [f'read {r.choice(["*", "*.sst", "*.log", "MANIFEST*"])} EIO{chance(r)}']),
    'EIO: fsync, fdatasync': ('EIO', lambda r: [f'{SYNCS} {patterns(r)} EIO{chance(r)}{r.choice(["", " visible"])}']),
    'EIO: sync of a directory': ('EIO', lambda r: [f'syncdir * EIO{chance(r)}']),
    'EIO: create': ('EIO', lambda r: [f'create {patterns(r)} EIO{chance(r)}']),
    'EIO: open': ('EIO', lambda r: [f'open {patterns(r)} EIO{chance(r)}']),
    'EIO: rename, link': ('EIO', lambda r: [f'rename * EIO{chance(r)}{r.choice(["", " done"])}', f'link * EIO{chance(r)}']),
    'EIO: unlink, rmdir': ('EIO', lambda r: [f'unlink * EIO{chance(r)}{r.choice(["", " done"])}', f'rmdir * EIO{chance(r)}']),
    'EIO: mkdir': ('EIO', lambda r: ['mkdir * EIO']),
    'EIO: fallocate, ftruncate': ('EIO', lambda r: [f'fallocate,truncate {patterns(r)} EIO{chance(r)}']),
    'EIO: stat, list': ('EIO', lambda r: [f'stat,list,statfs * EIO percent {r.choice([2, 20])}']),
    'EOPNOTSUPP: fallocate': ('EOPNOTSUPP', lambda r: ['fallocate * EOPNOTSUPP']),
    'EROFS: all changes': ('EROFS', lambda r: [f'{CHANGES} * EROFS']),
    'ENOSPC: the disk is full': ('ENOSPC', lambda r: [f'{MAKES} * ENOSPC']),
    'ENOSPC: write': ('ENOSPC', lambda r: [f'write {patterns(r)} ENOSPC{chance(r)}', f'write {patterns(r)} short{chance(r)}']),
    'ENOSPC: create, mkdir': ('ENOSPC', lambda r: [f'create,mkdir {patterns(r)} ENOSPC{chance(r)}']),
    'ENOSPC: fsync, fdatasync': ('ENOSPC', lambda r: [f'{SYNCS} {patterns(r)} ENOSPC{chance(r)}{r.choice(["", " visible"])}']),
    'ENOSPC: fallocate, rename': ('ENOSPC', lambda r: [f'fallocate,rename,link * ENOSPC{chance(r)}']),
    'EDQUOT': ('EDQUOT', lambda r: [f'{MAKES} {patterns(r)} EDQUOT{chance(r)}']),
    'EINTR': ('EINTR', lambda r: [f'read,write,{SYNCS},syncdir,open,fallocate,truncate {patterns(r)} EINTR'
                                  f'{r.choice([" times 3", " percent 5", " percent 40"])}']),
    'EAGAIN': ('EAGAIN', lambda r: [f'read,write {patterns(r)} EAGAIN{r.choice([" times 3", " percent 5", " percent 40"])}']),
    'EMFILE: a log is opened': ('EMFILE', lambda r: [f'open,create *.log EMFILE{chance(r)}']),
    'EMFILE, ENFILE': ('EMFILE', lambda r: [f'open,create,list {patterns(r)} {r.choice(["EMFILE", "ENFILE"])}{chance(r)}']),
    'ENOMEM': ('ENOMEM', lambda r: [f'open,create,read,write,list,stat {patterns(r)} ENOMEM percent {r.choice([5, 40])}']),
    'short writes': ('short', lambda r: [f'write {patterns(r)} short percent {r.choice([20, 60, 95])}']),
    'short reads': ('short', lambda r: [f'read {r.choice(["*", "*.sst", "*.log", "MANIFEST*"])} short percent {r.choice([20, 60, 95])}']),
}


def loses(rules):
    """Whether a failed sync has lost what was written."""
    return any(rule.split()[0].startswith(SYNCS) and rule.split()[2] in ('EIO', 'ENOSPC', 'EDQUOT') for rule in rules)


class FaultMount:
    """A directory under faultfs. After a cut and reboot() it is what the power left."""

    def __init__(self, folder, rng):
        self.folder, self.at = folder, folder / 'mount'
        self.at.mkdir()
        self.flags = [f'--names={rng.choice(["strict", "ordered"])}', f'--direct_io={rng.choice(["true", "false"])}']
        self.boots = 0
        self.backing = folder / 'disk0'
        self.backing.mkdir()
        self.process = None
        self.injected = 0

    def mount(self):
        self.process = subprocess.Popen([PROGRAMS['faultfs'], *self.flags, f'--log={self.folder}/faults.log', str(self.backing), str(self.at)],
                                        stdout=subprocess.PIPE, text=True)
        if 'mounted' not in self.process.stdout.readline():
            raise RuntimeError('faultfs does not mount')

    def tell(self, line):
        fd = os.open(self.at / '.slowfs', os.O_WRONLY)
        try:
            os.write(fd, (line + '\n').encode())
        finally:
            os.close(fd)

    def counts(self):
        with open(self.at / '.slowfs') as file:
            return {name: int(value) for name, value in (line.split() for line in file.read().splitlines())}

    def cut(self, seed, operations):
        """In the place of an operation to come, or else now."""
        target = self.folder / f'disk{self.boots + 1}'
        target.mkdir()
        self.tell(f'cut {seed} {target} {operations}')
        until = time.monotonic() + (2 if operations else 0)
        while self.counts()['cut'] == 0 and time.monotonic() < until:
            time.sleep(0.01)
        if self.counts()['cut'] == 0:
            self.tell(f'cut {seed} {target} 0')
        counts = self.counts()
        if counts['cut'] != 1 or counts['cut_error'] != 0:
            raise RuntimeError(f'faultfs does not cut: {counts}')
        return {name: n for name, n in counts.items() if name.startswith('unsynced')}

    def unmount(self):
        for _ in range(200):
            if not mounted(self.at) or run('umount', self.at, check=False).returncode == 0:
                break
            time.sleep(0.05)
        else:
            raise RuntimeError(f'{self.at} stays busy')
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.process = None

    def reboot(self):
        self.unmount()
        shutil.rmtree(self.backing)
        self.boots += 1
        self.backing = self.folder / f'disk{self.boots}'
        self.mount()

    def drop(self):
        """After a failure of the check: leaves no mount behind."""
        if self.process is not None:
            run('umount', '-l', self.at, check=False)
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None


def with_mount(check):
    def wrapped(folder, seed, sums, count):
        mount = FaultMount(folder, random.Random(seed * 3 + 1))
        try:
            mount.mount()
            check(mount, folder, seed, sums, count)
        finally:
            mount.drop()
    return wrapped


class Round:
    """One round of faults on one database."""

    def __init__(self, mount, folder, seed, sums, rng, number, power):
        self.mount, self.folder, self.seed, self.sums, self.rng = mount, folder, seed, sums, rng
        self.kind = rng.choice(list(KINDS))
        self.error, draw = KINDS[self.kind]
        self.rules = ['fail ' + rule for rule in draw(rng)]
        self.power = power
        self.engine = rng.choice(['io_uring', 'epoll'])
        self.opening = rng.random() < 0.2
        self.unhealed = rng.random() < 0.1
        self.end = rng.choice(['kill', 'kill', 'stop', 'cut', 'cut'])
        if self.unhealed:
            self.end = 'cut' if loses([rule.removeprefix('fail ') for rule in self.rules]) else rng.choice(['kill', 'cut'])
        texts = {TEXTS[name] for name in TEXTS if any(f' {name}' in rule for rule in self.rules)}
        # Linux itself answers EIO to a write of which FUSE took a part, if it was asynchronous, or of pages of the cache.
        if any(rule.startswith('fail write') and ' short' in rule for rule in self.rules):
            texts.add(TEXTS['EIO'])
        self.allowed = '|'.join(text for text in texts if text)
        self.injected = 0
        with open(folder / 'rounds.log', 'a') as file:
            file.write(json.dumps({'round': number, 'kind': self.kind, 'rules': self.rules, 'engine': self.engine, 'mount': mount.flags,
                                   'opening': self.opening, 'unhealed': self.unhealed, 'end': self.end, 'power': power}) + '\n')

    def add(self, what, n=1):
        self.sums.add(f'{self.kind}|{what}', n)

    def start(self):
        return Writer(self.mount.at / 'db', self.folder / 'state', self.seed, '--wide', '--retry', *(['--power'] if self.power else []),
                      engine=self.engine)

    def set_rules(self):
        self.injected = self.mount.counts()['injected']
        self.mount.tell(f'seed {self.rng.randrange(1 << 30)}')
        for rule in self.rules:
            self.mount.tell(rule)

    def clear(self):
        self.mount.tell('clear')
        self.add('faults', self.mount.counts()['injected'] - self.injected)

    def well(self, writer, seconds):
        """Whether all writers, and a flush, come through."""
        self.probes = getattr(self, 'probes', 0) + 1
        writer.tell(f'probe {self.probes}')
        if not writer.wait_for(f'^well {self.probes} ', seconds):
            return False
        flushes = len(writer.all('^flushed'))
        writer.tell('flush')
        if not writer.wait_for('^flushed', count=flushes + 1):
            raise Violation('a flush does not return: ' + ' / '.join(writer.lines[-5:]))
        return writer.all('^flushed')[-1] == 'flushed: OK'

    def heal(self, writer):
        if self.well(writer, HEALS_BY_ITSELF):
            return 'itself' if writer.all('^error') else 'no error'
        for _ in range(RESUMES):
            resumes = len(writer.all('^resumed'))
            writer.tell('resume')
            if not writer.wait_for('^resumed', count=resumes + 1):
                raise Violation('Resume() does not return: ' + ' / '.join(writer.lines[-5:]))
            if writer.all('^resumed')[-1] == 'resumed: OK' and self.well(writer, HEALS_BY_ITSELF):
                return 'Resume'
        if '' in writer.lines:
            return 'no error'  # it ended: check() says why
        return 'new open'

    def play(self):
        """Whether the next round must expect no more than what was synced."""
        self.add('rounds')
        if self.opening:
            self.set_rules()
        writer = self.start()
        try:
            return self.play_with(writer)
        finally:
            if writer.process.poll() is None:
                writer.end(signal.SIGKILL)

    def play_with(self, writer):
        rng = self.rng
        if self.opening:
            writer.wait_for('writes, durability', rng.choice([1, 3]))
            self.clear()
            if not writer.wait_for('writes, durability') and writer.end() == 1 and self.allowed and \
                    writer.all(REFUSED + f'({self.allowed})'):
                self.add('opens refused')
                return self.power
        elif writer.wait_for('writes, durability'):
            time.sleep(rng.uniform(0.0, 0.25))
            self.set_rules()
            until = time.monotonic() + 0.5
            while self.mount.counts()['injected'] == self.injected and time.monotonic() < until:
                time.sleep(0.02)
            time.sleep(rng.uniform(0.0, 0.25))
            if not self.unhealed:
                self.clear()
        if not writer.all('writes, durability'):
            writer.end()
            writer.check(killed=False)
            raise Violation('it does not begin: ' + ' / '.join(writer.lines))
        if not self.unhealed:
            how = self.heal(writer)
            self.add(how)
            if how == 'new open':
                print(f'FINDING: {self.kind}, seed {self.seed}: neither by itself nor after Resume(): {writer.all("^resumed")[-1]}; '
                      f'{(writer.all("^error") or [""])[-1]}; rules {self.rules}', flush=True)
        if self.end == 'stop' and not self.unhealed and how != 'new open':
            writer.tell('stop')
            if not writer.wait_for('^closed: OK'):
                raise Violation('it does not close: ' + ' / '.join(writer.lines[-3:]))
            writer.end()
        elif self.end == 'cut':
            survived = self.mount.cut(rng.randrange(1 << 30), rng.choice([0, 0, 1, 3, 10]))
            for name, n in survived.items():
                self.sums.add('cuts|' + name, n)
            self.sums.add('cuts|after faults')
        writer.end(None if writer.process.poll() is not None else signal.SIGKILL)
        errors = writer.all('^error')
        if self.unhealed:
            self.clear()
            self.add('unhealed end')
        self.add('errors', len(errors))
        if errors:
            self.add('rounds with errors')
        if self.end == 'cut':
            self.mount.reboot()
            self.allowed = '|'.join(filter(None, [self.allowed, TEXTS['EIO']]))
        writer.check(killed=True, errors=self.allowed or None)
        self.sums.note(writer)
        self.sums.add('all|checkpoints made', len(writer.all('^checkpoint made')))
        self.sums.add('all|checkpoints verified', len(writer.all('^checkpoint verified')))
        return self.end == 'cut'


@with_mount
def faults(mount, folder, seed, sums, rounds):
    rng = random.Random(seed)
    power = False
    for number in range(rounds):
        power = Round(mount, folder, seed, sums, rng, number, power).play()
    finish(sums, mount.at / 'db', folder / 'state', seed, '--wide', *(['--power'] if power else []))
    mount.unmount()


@with_mount
def cuts(mount, folder, seed, sums, rounds):
    rng = random.Random(seed)
    database, state = mount.at / 'db', folder / 'state'
    for number in range(rounds):
        engine = rng.choice(['io_uring', 'epoll'])
        writer = Writer(database, state, seed, '--wide', '--power', engine=engine)
        try:
            run_for_a_moment(writer, rng, sums)
            cut = (rng.randrange(1 << 30), rng.choice([0, 0, 1, 2, 3, rng.randrange(1, 30)]))
            with open(folder / 'rounds.log', 'a') as file:
                file.write(json.dumps({'round': number, 'cut': cut, 'engine': engine, 'mount': mount.flags}) + '\n')
            for name, n in mount.cut(*cut).items():
                sums.add('cuts|' + name, n)
            time.sleep(rng.choice([0, 0.05]))  # it may meet errors now, and acknowledge nothing that needs the disk
        finally:
            writer.end(signal.SIGKILL)
        mount.reboot()
        # What it read, or could not open, after the cut is no violation.
        if writer.process.returncode not in (-9, 0, 1) or \
                (writer.process.returncode == 1 and not writer.all(REFUSED + TEXTS['EIO'])):
            writer.check(killed=True)
        writer.check_errors(TEXTS['EIO'])
        sums.note(writer)
        sums.add('cuts|rounds')
        sums.add('all|checkpoints made', len(writer.all('^checkpoint made')))
        sums.add('all|checkpoints verified', len(writer.all('^checkpoint verified')))
    finish(sums, database, state, seed, '--wide', '--power')
    mount.unmount()


def why_not():
    """What is missing for these checks."""
    if SYSTEM['terminator']:
        return "they take Linux's file systems"
    if os.getuid() != 0:
        return 'they take root'
    if not os.path.exists('/dev/fuse'):
        return 'no /dev/fuse'
    if not os.path.exists(PROGRAMS['faultfs']):
        return 'faultfs was not built (libfuse3)'
    return None


COLUMNS = ['rounds', 'faults', 'rounds with errors', 'errors', 'no error', 'itself', 'Resume', 'new open', 'opens refused', 'unhealed end']
HEADS = ['rounds', 'faults injected', 'rounds in which callers saw errors', 'errors seen', 'no error', 'healed by itself', 'by Resume()',
         'by a new open only', 'open refused, then well', 'ended under the fault']


def report(results, failures, head):
    """The text of a page about "faults" and "cuts"; `head`: what was run when."""
    lines = ['# Storage that fails and loses power', '', head, '']
    lines += [f'**{"Nothing that was promised was lost, no half of a batch, no crash and no hang." if not failures else "FAILED"}**', '']
    lines += [f'- {failure}' for failure in failures]
    if 'faults' in results:
        lines += ['## Faults', '', *table(results['faults'], bool(failures)), '']
    for name, counts in results.items():
        rest = {what: n for what, n in counts.items() if what.split('|')[0] not in KINDS}
        lines += [f'## {"Power cuts" if name == "cuts" else "Counts of these rounds"}', '', '| | |', '| --- | ---: |']
        lines += [f'| {what.replace("|", ": ")} | {n:,} |' for what, n in sorted(rest.items())]
        lines.append('')
    return '\n'.join(lines)


def table(counts, failed):
    """Of the counts of "faults" (names KIND|COLUMN) a table of Markdown."""
    lines = ['| kind of fault | ' + ' | '.join(HEADS) + ' | lost |', '| --- |' + ' ---: |' * (len(HEADS) + 1)]
    for kind in [*KINDS, 'all']:
        row = [sum(n for name, n in counts.items() if name.split('|')[1:] == [column] and (kind in ('all', name.split('|')[0])))
               for column in COLUMNS]
        lines.append(f'| {kind} | ' + ' | '.join(f'{n:,}' for n in row) + f' | {"?" if failed else 0} |')
    return lines
