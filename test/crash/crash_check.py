#!/usr/bin/env python3
"""Kills real processes and cuts the power of real file systems under load, and checks what the database has afterwards.

  crash_check.py BUILD_FOLDER [kill] [backup] [power] [full] [broken] [faults] [cuts] [--kills 1000] [--backup_kills 300] [--cuts 200] [--trials 20]
                 [--rounds 1000] [--name_cuts 500] [--seed N] [--out FILE.md]

crash_writer (test/crash) writes a database, on four threads or fibers at once, and keeps a journal of what was acknowledged
outside of it. When it is started again it verifies what it finds against that, then writes on.

  kill    SIGKILL at random moments, the opening and recovery included. Needs no privileges. Of a build for Windows TerminateProcess
          does it, under Wine where this runs elsewhere; the other checks are Linux's.
  backup  the same with values in blob files that are collected all the time, and with backups that are made, deleted and restored
          meanwhile: what was promised of them is there and sound, a killed restore leaves nothing that opens and is not whole, and
          no file that nothing needs stays, in the database or in the backups' directory.
  power   ext4 and xfs on loop devices over cutfs, a disk that loses what was not flushed, in part or all of it.
  full    the same file systems run full under load; there is space again, and the database goes on (Resume) or is opened anew.
  broken  the file system breaks off under load: ext4 turns itself read-only (as after an error), xfs is shut down. In that moment,
          and after it, Linux lets an fdatasync return 0 whose data is lost (any program that does nothing but write and sync shows
          it, in one of twenty trials): only what was synced before must be there, and all that is there must be whole.
  faults  faultfs, a file system that fails below the process: EIO, ENOSPC, EDQUOT, EINTR, EAGAIN, EMFILE, failed syncs that lose the
          data, short reads and writes ... (storage_faults.py); it must heal by itself, by Resume(), or by a new open.
  cuts    the same file system loses power: unsynced data and unsynced names are lost, in part or all of it.

All but kill and backup need root and /dev/fuse, those on ext4 and xfs loop devices, and are skipped with a message where one is missing. Exit status: 0; 1 if
something was lost or an error was not clear (the folder is kept then); 2 if the check could not be made; 77 if all was skipped.
"""
import argparse
import contextlib
import datetime
import os
import pathlib
import platform
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from crash_common import KILL, PATIENCE, PROGRAMS, SYSTEM, Sums, Violation, Writer, finish, mounted, run, run_for_a_moment, windows_programs
import storage_faults

DISK = []  # further arguments of cutfs
SIZES = {'ext4': 128 << 20, 'xfs': 320 << 20}
KILLS_OF_ONE = 25  # kills, or cuts, of one database; then a new one
CUTS_OF_ONE = 10    # on faultfs: new databases are cut off from their directories


def kill(folder, seed, sums, kills, *flags):
    rng = random.Random(seed)
    database, state = folder / 'db', folder / 'state'
    for _ in range(kills):
        writer = Writer(database, state, seed, *flags)
        run_for_a_moment(writer, rng, sums)
        writer.end(KILL)
        writer.check(killed=True)
        sums.note(writer)
        sums.add('kills')
    finish(sums, database, state, seed, *flags)


def backup(folder, seed, sums, kills):
    kill(folder, seed, sums, kills, f'--backups={folder / "backups"}', *(['--wide'] if seed % 4 == 2 else []))


class Volume:
    """A file system in a file, mounted through a loop device; `powered` has cutfs in between."""

    def __init__(self, folder, kind, powered):
        self.folder, self.kind, self.powered = folder, kind, powered
        self.image, self.at, self.disk = folder / 'image', folder / 'mount', folder / 'disk'
        self.at.mkdir()
        self.disk.mkdir()
        self.loop = self.cutfs = None
        with open(self.image, 'wb') as file:
            file.truncate(SIZES[kind])
        run(*(['mkfs.ext4', '-q', '-F', '-m', '0'] if kind == 'ext4' else ['mkfs.xfs', '-q', '-f']), self.image)

    def mount(self, *options):
        source = self.image
        if self.powered:
            self.cutfs = subprocess.Popen([PROGRAMS['cutfs'], str(self.image), str(self.disk), *DISK], stdout=subprocess.PIPE, text=True)
            if not self.cutfs.stdout.readline():
                raise RuntimeError('cutfs does not mount')
            source = self.disk / 'image'
        for _ in range(20):  # another may have taken the free device in between
            done = run('losetup', '-f', '--show', source, check=False)
            if done.returncode == 0:
                break
            time.sleep(0.2)
        self.loop = done.stdout.strip()
        if not self.loop:
            raise RuntimeError(f'losetup: {done.stderr}')
        run('mount', '-t', self.kind, *options, self.loop, self.at)

    def cut(self, seed, percent, flushes):
        """In the place of a flush to come, or else now. The device's counts."""
        control = self.disk / 'control'
        for when in ([flushes, 0] if flushes else [0]):
            control.write_text(f'cut {seed} {percent} {when}\n')
            for _ in range(100):
                fd = os.open(control, os.O_RDONLY)
                counts = dict(line.split() for line in os.read(fd, 4096).decode().splitlines())  # one answer
                os.close(fd)
                if counts.pop('cut') == '1':
                    return counts
                time.sleep(0.01)
        raise RuntimeError('cutfs does not cut')

    def unmount(self):
        for what in (self.at, self.disk):
            for _ in range(100):
                if what == self.disk and self.loop:
                    run('losetup', '-d', self.loop, check=False)
                    self.loop = None
                if not mounted(what) or run('umount', what, check=False).returncode == 0:
                    break
                time.sleep(0.2)
            else:
                raise RuntimeError(f'{what} stays busy')
        if self.loop:
            run('losetup', '-d', self.loop, check=False)
            self.loop = None
        if self.cutfs:
            self.cutfs.wait(PATIENCE)
            self.cutfs.stdout.close()
            self.cutfs = None

    def drop(self):
        """After a failure of the check: leaves no mount behind."""
        for what in (self.at, self.disk):
            run('umount', '-l', what, check=False)
            if self.loop:
                run('losetup', '-d', self.loop, check=False)
                self.loop = None
        if self.cutfs:
            self.cutfs.kill()


def on_volume(kind, powered):
    """A check that gets a Volume beside the others' arguments."""
    def decorate(check):
        def wrapped(folder, seed, sums, count):
            volume = Volume(folder, kind, powered)
            try:
                check(volume, folder, seed, sums, count)
            finally:
                volume.drop()
        return wrapped
    return decorate


def power(kind):
    @on_volume(kind, powered=True)
    def check(volume, folder, seed, sums, cuts):
        rng = random.Random(seed)
        database, state = volume.at / 'db', folder / 'state'
        for _ in range(cuts):
            volume.mount()
            writer = Writer(database, state, seed, '--power')
            try:
                run_for_a_moment(writer, rng, sums)
                percent = rng.choice([0, 0, 100, 50, rng.randrange(101)])
                counts = volume.cut(rng.randrange(1 << 30), percent, rng.choice([0, 1, 2, 3, rng.randrange(1, 30)]))
                # It may meet errors now, and acknowledge nothing that needs the disk.
                time.sleep(rng.choice([0, 0.05]))
            finally:
                writer.end(signal.SIGKILL)
            volume.unmount()
            # What it read, or could not open, after the cut is no violation.
            if writer.process.returncode == 1 and not writer.all('Input/output error|Read-only file system|shut ?down|Structure needs'):
                writer.check(killed=True)
            if writer.process.returncode not in (-9, 0, 1):
                writer.check(killed=True)
            sums.note(writer)
            sums.add('cuts')
            for name, n in counts.items():
                sums.add('device ' + name, int(n))
        volume.mount()
        finish(sums, database, state, seed, '--power')
        volume.unmount()
    return check


def fill(folder):
    """Files that leave no free block."""
    block = b'\0' * (1 << 20)
    for i in range(1000):
        path = folder / f'filler{i}'
        try:
            with open(path, 'wb', buffering=0) as file:
                while file.write(block) == len(block):
                    pass
                os.fsync(file.fileno())
        except OSError:
            pass
        if not path.exists() or path.stat().st_size == 0:
            return


def full(kind):
    @on_volume(kind, powered=False)
    def check(volume, folder, seed, sums, trials):
        rng = random.Random(seed)
        database, state = volume.at / 'db', folder / 'state'
        no_space = 'No space left on device|Space limit|NoSpace'
        volume.mount()
        for _ in range(trials):
            writer = Writer(database, state, seed)
            try:
                if not writer.wait_for('writes, durability'):
                    raise Violation('it does not begin: ' + ' / '.join(writer.lines))
                time.sleep(rng.uniform(0.0, 1.0))
                fill(volume.at)
                if not writer.wait_for('^error: write'):
                    raise Violation('no write fails on a full disk: ' + ' / '.join(writer.lines[-5:]))
                sums.add('times full')
                if rng.random() < 0.3:
                    writer.tell('resume')
                    if not writer.wait_for('^resumed'):
                        raise Violation('Resume() does not return on a full disk')
                    time.sleep(0.1)
                if rng.random() < 0.3:
                    sums.add('killed while full')
                    writer.end(signal.SIGKILL)
                    # An open without space says so, or works (there is little to write).
                    other = Writer(database, state, seed, '--verify_only')
                    if other.end() != 0:
                        sums.add('opens refused while full')
                        if not other.all('VIOLATION: the database does not (open|close): .*(' + no_space + ')'):
                            other.check(killed=False)
                    for filler in volume.at.glob('filler*'):
                        filler.unlink()
                else:
                    for filler in volume.at.glob('filler*'):
                        filler.unlink()
                    resumed = len(writer.all('^resumed'))
                    errors = len(writer.all('^error'))
                    writer.tell('resume')
                    if not writer.wait_for('^resumed', count=resumed + 1) or not writer.all('^resumed')[-1].endswith(': OK'):
                        raise Violation('with space again: ' + ' / '.join(writer.all('^resumed')[-1:] + writer.lines[-3:]))
                    sums.add('resumed')
                    time.sleep(rng.uniform(0.1, 0.6))
                    if len(writer.all('^error')) > errors + 5:  # (one each may have been on its way)
                        raise Violation('it fails although there is space: ' + writer.all('^error')[-1])
                    if rng.random() < 0.5:
                        writer.tell('stop')
                        if not writer.wait_for('^closed: OK'):
                            raise Violation('it does not close: ' + ' / '.join(writer.lines[-3:]))
                        writer.end()
                    else:
                        writer.end(signal.SIGKILL)
            finally:
                if writer.process.poll() is None:
                    writer.end(signal.SIGKILL)
            writer.check(killed=True, errors=no_space)
            for filler in volume.at.glob('filler*'):
                filler.unlink()
            sums.note(writer)
        finish(sums, database, state, seed)
        volume.unmount()
    return check


def broken(kind):
    @on_volume(kind, powered=False)
    def check(volume, folder, seed, sums, trials):
        rng = random.Random(seed)
        database, state = volume.at / 'db', folder / 'state'
        for _ in range(trials):
            volume.mount(*(['-o', 'errors=remount-ro'] if kind == 'ext4' else []))
            writer = Writer(database, state, seed, '--power')
            try:
                if not writer.wait_for('writes, durability'):
                    raise Violation('it does not begin: ' + ' / '.join(writer.lines))
                time.sleep(rng.uniform(0.0, 1.0))
                writer.tell('distrust')
                if not writer.wait_for('^distrusts'):
                    raise Violation('it does not answer')
                # With files open for writing the system refuses the plain way; the load goes on.
                if run('mount', '-o', 'remount,ro', volume.at, check=False).returncode == 0:
                    sums.add('remounted read-only by mount')
                elif kind == 'ext4':
                    name = os.path.basename(volume.loop)
                    pathlib.Path(f'/sys/fs/ext4/{name}/trigger_fs_error').write_text('crash_check')
                    sums.add('turned read-only')
                else:
                    run('xfs_io', '-x', '-c', 'shutdown' + rng.choice(['', ' -f']), volume.at)
                    sums.add('shut down')
                if not writer.wait_for('^error: (write|read)'):
                    raise Violation('nothing fails: ' + ' / '.join(writer.lines[-5:]))
                writer.tell('resume')
                if not writer.wait_for('^resumed'):
                    raise Violation('Resume() does not return')
                if writer.all('^resumed')[-1].endswith(': OK') and not writer.wait_for('^error: ', count=6):
                    raise Violation('Resume() says OK, and nothing fails')
            finally:
                writer.end(signal.SIGKILL)
            writer.check(killed=True, errors='Read-only file system|Input/output error|Structure needs cleaning')
            volume.unmount()
            if kind == 'ext4':
                run('e2fsck', '-p', volume.image, check=False)  # it notes an error; 1: mended
            sums.note(writer)
        volume.mount()
        finish(sums, database, state, seed, '--power')
        volume.unmount()
    return check


def why_not():
    """What is missing for the checks on loop devices."""
    if SYSTEM['terminator']:
        return "they take Linux's file systems"
    if os.getuid() != 0:
        return 'they take root'
    for path in ('/dev/loop-control', '/dev/fuse'):
        if not os.path.exists(path):
            return f'no {path}'
    if not os.path.exists(PROGRAMS['cutfs']):
        return 'cutfs was not built (libfuse3)'
    for program in ('mkfs.ext4', 'mkfs.xfs', 'losetup', 'e2fsck', 'xfs_io'):
        if not shutil.which(program):
            return f'no {program} (scripts/install-deps.sh crash)'
    return None


def play(name, check, count, args, jobs, failures, of_one=KILLS_OF_ONE):
    """Runs `count` kills, cuts or trials on databases of `of_one` each, `jobs` at once."""
    sums = Sums()
    parts = [min(of_one, count - i) for i in range(0, count, of_one)]
    todo = [(i, part) for i, part in enumerate(parts) if args.database is None or i == args.database]
    total = len(todo)
    lock = threading.Lock()

    def work():
        while not failures or args.keep_going:
            with lock:
                if not todo:
                    return
                i, part = todo.pop(0)
            # Odd: writes that fail are issued again, which a SingleDelete does not allow.
            seed = args.seed * 1000 + 2 * i + (1 if name.startswith(('full', 'broken', 'faults')) else 0)
            folder = None
            try:
                folder = pathlib.Path(tempfile.mkdtemp(prefix=f'crash-{name.replace(" ", "-")}-{seed}-', dir=args.dir))
                check(folder, seed, sums, part)
                shutil.rmtree(folder)
            except Exception as e:
                failures.append(f'{name}, seed {seed} ({folder}): {type(e).__name__}: {e}')
                print(f'FAILED: {failures[-1]}', flush=True)
                if not args.keep_going:
                    return
                continue
            print(f'{name}: seed {seed} (--database={i} of {total}), {part}: well, after {time.monotonic() - start:.0f} s', flush=True)

    start = time.monotonic()
    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if todo and not failures:
        failures.append(f'{name}: {len(todo)} of {total} databases were not played')
    sums.counts['seconds'] = round(time.monotonic() - start)
    return sums.counts


TITLES = {
    'kill': 'SIGKILL at random moments',
    'backup': 'The same with backups, restores and blob files',
    'power ext4': 'Power cuts, ext4', 'power xfs': 'Power cuts, xfs',
    'full ext4': 'A full disk, ext4', 'full xfs': 'A full disk, xfs',
    'broken ext4': 'The file system turns read-only, ext4', 'broken xfs': 'The file system is shut down, xfs',
}


def report(results, failures, args):
    system = f'{platform.system()} {platform.release()}'
    if SYSTEM['before']:
        system += f', programs of Windows under {run(*SYSTEM["before"], "--version").stdout.strip()}'
    lines = ['# Real crashes', '',
             f'`make crash-check`: `test/crash/crash_check.py` with `--seed={args.seed}`, {datetime.date.today()}, {system}. '
             'What each check does: its head, and [doc/reliability.md](../../doc/reliability.md).', '',
             f'**{"Nothing that was promised was lost, and every open succeeded." if not failures else "FAILED"}**', '']
    lines += [f'- {failure}' for failure in failures]
    for name, counts in results.items():
        title = TITLES[name].replace('SIGKILL', 'TerminateProcess') if SYSTEM['terminator'] else TITLES[name]
        lines += [f'## {title}', '', '| | |', '| --- | ---: |']
        lines += [f'| {what} | {n:,} |' for what, n in sorted(counts.items())]
        lines.append('')
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('checks', nargs='*', help='default: all')
    parser.add_argument('--kills', type=int, default=1000)
    parser.add_argument('--backup_kills', type=int, default=300)
    parser.add_argument('--cuts', type=int, default=200, help='of power, half of them on each file system')
    parser.add_argument('--trials', type=int, default=20, help='of full and broken, on each file system')
    parser.add_argument('--rounds', type=int, default=1000, help='of faults')
    parser.add_argument('--name_cuts', type=int, default=500, help='of "cuts"')
    parser.add_argument('--database', type=int, help='plays only this one of each check, to repeat what failed')
    parser.add_argument('--keep_going', action='store_true', help='after a failure, too')
    parser.add_argument('--seed', type=int, default=int(time.time()) % 1000000)
    parser.add_argument('--jobs', type=int, default=2, help='databases killed at once')
    parser.add_argument('--dir', type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()), help='where the databases and images lie')
    parser.add_argument('--out', type=pathlib.Path, help='where the table goes')
    parser.add_argument('--lying_disk', action='store_true', help='flushes do nothing: power must fail')
    args = parser.parse_args()
    DISK.extend(['lies'] if args.lying_disk else [])
    args.dir.mkdir(parents=True, exist_ok=True)
    checks = args.checks or ['kill', 'backup', 'power', 'full', 'broken', 'faults', 'cuts']
    if unknown := set(checks) - {'kill', 'backup', 'power', 'full', 'broken', 'faults', 'cuts'}:
        parser.error(f'no such check: {", ".join(sorted(unknown))}')
    for name, path in (('crash_writer', 'crash_writer'), ('cutfs', 'cutfs'), ('faultfs', 'faultfs')):
        PROGRAMS[name] = str(args.build.resolve() / 'test/crash' / path)
    print(f'seed {args.seed}', flush=True)
    with contextlib.ExitStack() as stack:
        if os.path.exists(windows := PROGRAMS['crash_writer'] + '.exe'):
            PROGRAMS['crash_writer'] = windows
            stack.enter_context(windows_programs(args.build, os.path.join(os.path.dirname(windows), 'terminator.exe')))
        sys.exit(play_all(checks, args))


def play_all(checks, args):
    """The exit status."""
    results, failures = {}, []
    for group, why in ((('power', 'full', 'broken'), why_not()), (('faults', 'cuts'), storage_faults.why_not())):
        skipped = [check for check in checks if check in group]
        if skipped and why:
            print(f'skipped: {", ".join(skipped)}: {why}')
            checks = [check for check in checks if check not in group]
    if not checks:
        return 77
    if 'kill' in checks:
        results['kill'] = play('kill', kill, args.kills, args, args.jobs, failures)
    if 'backup' in checks and not failures:
        results['backup'] = play('backup', backup, args.backup_kills, args, args.jobs, failures)
    for name, of_kind, count in (('power', power, args.cuts // 2), ('full', full, args.trials), ('broken', broken, args.trials)):
        if name not in checks or failures:
            continue
        both = {}
        threads = [threading.Thread(target=lambda kind=kind: both.update(
            {f'{name} {kind}': play(f'{name} {kind}', of_kind(kind), count, args, 1, failures)})) for kind in SIZES]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        results.update({f'{name} {kind}': both[f'{name} {kind}'] for kind in SIZES})
    storage = {}
    for name, check, count, of_one in (('faults', storage_faults.faults, args.rounds, KILLS_OF_ONE),
                                       ('cuts', storage_faults.cuts, args.name_cuts, CUTS_OF_ONE)):
        if name in checks and (not failures or args.keep_going):
            storage[name] = play(name, check, count, args, args.jobs, failures, of_one)
    if results or not storage:
        text = report(results, failures, args)
        if args.out:
            args.out.write_text(text)
        print(text)
    if storage:
        head = (f'`make crash-check`: `test/crash/crash_check.py faults cuts` with `--seed={args.seed}`, {datetime.date.today()}, '
                f'Linux {os.uname().release}, in {sum(counts["seconds"] for counts in storage.values()):,} s. What each check does: '
                'the head of `test/crash/storage_faults.py`, and [doc/reliability.md](../../doc/reliability.md).')
        text = storage_faults.report(storage, failures, head)
        if args.out:
            (args.out.parent / 'storage-faults.md').write_text(text)
        print(text)
    return 1 if failures else 0


if __name__ == '__main__':
    main()
