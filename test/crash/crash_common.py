"""What the checks of real processes have in common (crash_check.py, storage_faults.py): a crash_writer, and what is counted."""
import contextlib
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / 'scripts'))
import windows_test

PROGRAMS = {}  # crash_writer, cutfs, faultfs: where they are
SYSTEM = {'before': [], 'env': None, 'terminator': None}  # of programs of Windows: what runs them, and ends them (windows_programs())
TERMINATED = 137  # test/crash/windows/terminator.cc
KILL = getattr(signal, 'SIGKILL', signal.SIGTERM)
PATIENCE = 300  # seconds, on a busy machine


class Violation(Exception):
    """What was promised does not hold."""


def run(*command, check=True):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if check and done.returncode != 0:
        raise RuntimeError(f'{" ".join(map(str, command))}: {done.stdout}{done.stderr}')
    return done


class Writer:
    """A crash_writer; its lines are gathered while it runs."""

    def __init__(self, database, state, seed, *flags, engine=None):
        self.lines = []
        self.process = subprocess.Popen(
            [*SYSTEM['before'], PROGRAMS['crash_writer'], f'--db={database}', f'--state={state}', f'--seed={seed}', *flags],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
            env={**(SYSTEM['env'] or os.environ), **({'FIBER_ENGINE': engine} if engine else {})})
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(line.rstrip('\n'))
                self.changed.notify_all()
        with self.changed:
            self.lines.append('')  # the end
            self.changed.notify_all()

    def wait_for(self, pattern, seconds=PATIENCE, count=1):
        """Whether `count` lines match, before the process ends."""
        with self.changed:
            self.changed.wait_for(lambda: len(self.all(pattern)) >= count or '' in self.lines, seconds)
            return len(self.all(pattern)) >= count

    def all(self, pattern):
        return [line for line in self.lines if re.search(pattern, line)]

    def tell(self, command):
        self.process.stdin.write(command + '\n')
        self.process.stdin.flush()

    def kill(self, how):
        if SYSTEM['terminator'] is None:
            self.process.send_signal(how)
        elif self.wait_for('^process'):  # (what has not come so far is Wine's own start, or its end)
            SYSTEM['terminator'].end(re.search(r'\d+', self.all('^process')[0])[0])

    def end(self, how=None):
        """Its exit status, after `how` was sent."""
        if how is not None:
            self.kill(how)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Violation('it does not end: ' + ' / '.join(self.lines[-5:])) from None
        self.reader.join()
        self.process.stdin.close()
        return self.process.returncode

    def check(self, killed, errors=None):
        """Raises Violation where it found one, or met an error that does not match `errors`."""
        said = '\n'.join(self.lines)
        ends = (TERMINATED, -9, 0) if SYSTEM['terminator'] else (-9, 0)  # (Wine's server itself ends so what does not go at once.)
        if self.process.returncode not in (ends if killed else (0,)):
            raise Violation(f'exit status {self.process.returncode}: {said}')
        self.check_errors(errors)

    def check_errors(self, errors):
        for line in self.all('^error'):
            if not errors or not re.search(errors, line):
                raise Violation(line)


class Terminator:
    """Ends processes by TerminateProcess, one at a time."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.process = subprocess.Popen([*SYSTEM['before'], path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=SYSTEM['env'])

    def end(self, number):
        with self.lock:
            self.process.stdin.write(number + '\n')
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
        # (87, and 5 under Wine: it has ended by itself, which its status tells.)
        if answer not in (f'terminated {number}', f'failed {number}: 87', f'failed {number}: 5'):
            raise RuntimeError(f'terminator: {answer}')

    def close(self):
        self.process.communicate()


@contextlib.contextmanager
def windows_programs(build, terminator):
    """Runs what is run meanwhile as programs of Windows, under Wine elsewhere."""
    build = build.resolve()
    with windows_test.wine_up(build):
        SYSTEM.update(before=windows_test.emulator(), env=windows_test.environment(build))
        SYSTEM['terminator'] = Terminator(terminator)
        try:
            yield
        finally:
            SYSTEM['terminator'].close()


class Sums:
    """What is counted, of all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {}

    def add(self, name, n=1):
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + n

    def note(self, writer):
        for line in writer.lines:
            if match := re.search(r'writes, durability (\w+)', line):
                self.add('lives of durability ' + match.group(1))
            if match := re.search(r'verified: promised (\S+) issued (\S+) held (\S+) acknowledged_lost (\d+)', line):
                self.add('verified')
                self.add('writes lost that were acknowledged, not promised', int(match.group(4)))
            for said in ('backup made', 'backups deleted', 'restored', 'a killed restore left a database', 'a killed restore left none', 'no orphans'):
                if line == said:
                    self.add(f'"{said}"')


def issued(writer):
    """The number of writes that its database has, as verified last."""
    lines = writer.all('verified')
    return sum(int(n) for n in re.search(r'held (\S+)', lines[-1]).group(1).split(',')) if lines else 0


def finish(sums, database, state, seed, *flags, engine=None):
    """Verifies twice, with a clean close between."""
    last = Writer(database, state, seed, '--verify_only', *flags, engine=engine)
    last.end()
    last.check(killed=False)
    sums.note(last)
    sums.add('writes', issued(last))
    sums.add('databases')


def run_for_a_moment(writer, rng, sums):
    """Until a moment in its opening, or a while after it began to write."""
    if SYSTEM['terminator'] is not None:
        writer.wait_for('^process')
    if rng.random() < 0.2:
        time.sleep(rng.uniform(0.0, 0.15))
    elif writer.wait_for('writes, durability'):
        time.sleep(rng.uniform(0.0, 0.2) if rng.random() < 0.5 else rng.uniform(0.0, 1.5))
    if not writer.all('writes, durability'):
        sums.add('while opening')


def mounted(path):
    # (os.path.ismount says no where the file system answers nothing but errors)
    return any(line.split()[1] == str(path) for line in pathlib.Path('/proc/mounts').read_text().splitlines())
