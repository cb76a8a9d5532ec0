"""The test programs of another's project on threads and on fibers, case by case, in as many runs as it takes.

What a case did is kept in one JSON file a program; a later run goes on with the cases that have not been decided. A case that
takes too long or ends the process costs only itself: the rest of its program runs on in a new process."""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time

from fiberize_steps import WORK

OK = 'ok'
SKIPPED = 'skipped'
TMP = WORK / 'tmp'
DUMP_SIGNAL = signal.SIGUSR2  # fibers are dumped into the log of a case that hangs
RAN = re.compile(r'\[ *(OK|FAILED|SKIPPED) *\] ([\w/]+\.[\w/]+)(?:, where .*?)? \(\d+ ms\)', re.S)
BEGAN = re.compile(r'\[ RUN      \] ([\w/]+\.[\w/]+)')
POLL_S = 0.2
REPEATS = 10
LIST_S = 60
REPEATS_S = 60  # at most, of one case on one side


class Side:
    """Where programs run: a name for the results, a folder with them, the number of workers (0: on threads), and the folder in
    which each program gets one for its files."""

    def __init__(self, name, build, workers=0, tmp=TMP):
        self.name, self.build, self.workers, self.tmp = name, build, workers, tmp

    def environment(self, program):
        folder = self.tmp / f'{self.name}-{program}'
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        environment = {**os.environ, 'TEST_TMPDIR': str(folder)}
        if self.workers:
            environment.update(FIBER_WORKERS=str(self.workers), FIBER_DUMP_SIGNAL=str(int(DUMP_SIGNAL)))
        return folder, environment


class Results:
    """{side: {case: verdict}} of one program, and how often a case passed alone; saved after each step."""

    def __init__(self, folder, program):
        self.path, self.program = folder / f'{program}.json', program
        self.all = {'listed': [], 'sides': {}, 'alone': {}, 'commits': []}
        with contextlib.suppress(FileNotFoundError):
            self.all = json.loads(self.path.read_text())

    def save(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_suffix('.new')
        fresh.write_text(json.dumps(self.all, indent=1, sort_keys=True) + '\n')
        fresh.replace(self.path)

    def note_commit(self, name):
        if name and name not in self.all['commits']:
            self.all['commits'].append(name)

    @property
    def listed(self):
        return self.all['listed']

    @property
    def alone(self):
        return self.all['alone']

    def cases(self, side):
        return self.all['sides'].setdefault(side, {'cases': {}, 'seconds': 0.0})['cases']

    def seconds(self, side):
        return self.all['sides'].get(side, {}).get('seconds', 0.0)

    def add_seconds(self, side, seconds):
        self.all['sides'][side]['seconds'] = round(self.seconds(side) + seconds, 2)

    def left(self, side):
        done = self.cases(side)
        return [case for case in self.listed if case not in done]

    def forget_failed(self, sides):
        """Cases that did not pass on one of the sides become undecided there."""
        for side in sides:
            for case in self.differing([side]):
                del self.cases(side)[case]
                self.alone.get(case, {}).pop(side, None)
        failing = set(self.differing(list(self.all['sides'])))
        self.all['alone'] = {case: known for case, known in self.alone.items() if case in failing}
        if self.path.exists():
            self.save()

    def passed(self, side):
        return sum(verdict in (OK, SKIPPED) for verdict in self.cases(side).values())

    def differing(self, sides):
        """Cases that some side decided and that did not pass there."""
        return sorted({case for side in sides for case, verdict in self.cases(side).items() if verdict not in (OK, SKIPPED)})


def list_cases(side, program):
    """Names of the cases that are not disabled; the program's own name if it is one without GoogleTest."""
    folder, environment = side.environment(program)
    try:
        text = subprocess.run([side.build / program, '--gtest_list_tests'], env=environment, cwd=folder, capture_output=True,
                              text=True, timeout=LIST_S, check=False).stdout
    except subprocess.TimeoutExpired:
        return [program]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    cases, suite = [], None
    for line in text.splitlines():
        name = line.split('#')[0].strip()
        if re.fullmatch(r'[\w/]+\.', name) and not line.startswith(' '):
            suite = name
        elif suite and line.startswith('  ') and re.fullmatch(r'[\w/]+', name):
            if 'DISABLED_' not in suite + name:
                cases.append(suite + name)
    return cases if suite else [program]


def end(process, dump):
    if dump:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(DUMP_SIGNAL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(2)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def verdict_of_exit(status):
    return f'died ({signal.Signals(-status).name})' if status < 0 else f'exit status {status}'


def run_process(side, program, cases, case_limit, limit):
    """One process with some cases: {case: verdict} of those that were decided. Empty if the limit came before the first."""
    folder, environment = side.environment(program)
    command, whole = [side.build / program], cases == [program]
    if not whole:
        filters = TMP / f'{side.name}-{program}.flags'
        filters.parent.mkdir(parents=True, exist_ok=True)
        filters.write_text('--gtest_filter=' + ':'.join(cases) + '\n')
        command.append(f'--gtest_flagfile={filters}')
    log = WORK / 'logs' / side.name / f'{program}.log'
    log.parent.mkdir(parents=True, exist_ok=True)
    begin, running, since, why = time.monotonic(), program if whole else None, time.monotonic(), None
    with open(log, 'ab') as file:
        file.write(f'--- {len(cases)} cases\n'.encode())
        file.flush()
        start = file.tell()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, start_new_session=True)
    with open(log, errors='replace') as reader:
        reader.seek(start)
        text = ''
        while True:
            ended = process.poll() is not None
            text += reader.read()
            began = BEGAN.findall(text[-20000:])
            if began and began[-1] != running:
                running, since = began[-1], time.monotonic()
            if ended:
                break
            now = time.monotonic()
            if now - since > case_limit:
                why = f'longer than {case_limit} s'
            elif now - begin > limit:
                why = 'limit'
            if why:
                end(process, side.workers and why != 'limit')
                text += reader.read()
                break
            time.sleep(POLL_S)
    shutil.rmtree(folder, ignore_errors=True)
    done = {case: {'OK': OK, 'FAILED': 'failed', 'SKIPPED': SKIPPED}[said] for said, case in RAN.findall(text)}
    if whole and not why:
        done[program] = OK if process.returncode == 0 else verdict_of_exit(process.returncode)
    elif running and running not in done and why != 'limit':
        done[running] = why or verdict_of_exit(process.returncode)
    elif not why and process.returncode != 0 and OK in done.values() and 'failed' not in done.values():
        done[cases[-1]] = f'{verdict_of_exit(process.returncode)} at the end'
    elif not done and not why:
        done = {case: f'not run, {verdict_of_exit(process.returncode)}' for case in cases}
    return {case: verdict for case, verdict in done.items() if case in set(cases)}


def go_on(side, program, results, case_limit, limit):
    """Runs the cases that this side has not decided, as long as the limit (seconds) lasts."""
    begin = time.monotonic()
    while (left := results.left(side.name)) and (spare := limit - (time.monotonic() - begin)) > 0:
        before = time.monotonic()
        done = run_process(side, program, left, case_limit, spare)
        results.cases(side.name).update(done)
        results.add_seconds(side.name, time.monotonic() - before)
        results.save()
        if not done:
            break


def repeat_alone(side, program, case, case_limit):
    """[times passed, times run] of one case in processes of its own."""
    begin, passed, times = time.monotonic(), 0, 0
    while times < REPEATS and (times == 0 or time.monotonic() - begin < REPEATS_S):
        passed += run_process(side, program, [case], case_limit, case_limit + 1).get(case) in (OK, SKIPPED)
        times += 1
    return [passed, times]


def repeat_failed(sides, program, results, case_limit):
    for case in results.differing([side.name for side in sides]):
        known = results.alone.setdefault(case, {})
        for side in sides:
            verdict = results.cases(side.name).get(case)
            if verdict and side.name not in known and (verdict not in (OK, SKIPPED) or side.workers == 0):
                known[side.name] = repeat_alone(side, program, case, case_limit)
                results.save()


def broken_on(side_name, case, results, threads='threads'):
    """Whether a case passes on threads and not on a side of fibers: it failed there in the whole run and, repeated alone, never
    passes or less reliably than on threads, where it always does."""
    here, there = results.cases(side_name).get(case), results.cases(threads).get(case)
    if here in (None, OK, SKIPPED) or there is None:
        return False
    alone = results.alone.get(case, {})
    passed, times = alone.get(side_name, [0, 1])
    passed_t, times_t = alone.get(threads, [int(there in (OK, SKIPPED)), 1])
    return passed_t > 0 and passed == 0 or passed_t == times_t and passed < times
