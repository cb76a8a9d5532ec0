#!/usr/bin/env python3
"""Checks the checker: plants the bugs of sim/mutant_list.py one at a time, and has cairn-sim look for each.

  sim/mutants.py [--only NAME] [--seeds 180 | --seconds 60] [--first 1] [--out FILE.md [--go_on]] [--jobs 2]
  sim/mutants.py --check       only whether each old text occurs exactly once in its file

Works on copies of the sources, build/mutants/0 and so on, one for each of --jobs, whose build folders stay, so that a mutant
costs the compilation of what it changes. Exit status: 0 if every bug was found; 1 if one was not, or if the unchanged simulation fails.
"""
import argparse
import concurrent.futures
import datetime
import filecmp
import os
import pathlib
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
import mutant_list  # noqa: E402  (beside this file)

ROOT = pathlib.Path(__file__).resolve().parent.parent
TREES = ROOT / 'build/mutants'
LEFT_OUT = {'build', '.git', '.cache', '__pycache__', 'shared'}
# A simulation that hangs without taking a step does not look at the clock: after so much of a processor's time it is killed,
# and counts as found.
HANG_S = 1200
# What a bug leaves unused is no reason not to play it.
UNUSED = [f'-Wno-error=unused-{what}' for what in ('parameter', 'variable', 'but-set-variable', 'function')]


def check(mutants):
    """What is wrong with the list."""
    faults = []
    names = [m['name'] for m in mutants]
    faults += [f'{name}: the name is there twice' for name in sorted({n for n in names if names.count(n) > 1})]
    for name, (file, old, new) in ((m['name'], change) for m in mutants for change in m['changes']):
        path = ROOT / file
        count = path.read_text().count(old) if path.is_file() else -1
        if count == -1:
            faults.append(f'{name}: no file {file}')
        elif count != 1:
            faults.append(f'{name}: the old text occurs {count} times in {file}')
        if old == new:
            faults.append(f'{name}: changes nothing')
        if not file.startswith('src/'):
            faults.append(f'{name}: only src/ is mutated')
    return faults


def files_of(root):
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f not in LEFT_OUT]
        for name in files:
            yield (pathlib.Path(folder) / name).relative_to(root)


class Tree:
    """A copy of the sources, with a build folder of its own."""

    def __init__(self, root):
        self.root = root
        self.built = root / 'build/release'

    def copy_sources(self):
        """Brings it up to date; what is equal keeps its time, so that nothing is compiled for it."""
        self.root.mkdir(parents=True, exist_ok=True)
        wanted = set(files_of(ROOT))
        for name in set(files_of(self.root)) - wanted:
            (self.root / name).unlink()
        for name in wanted:
            source, copy = ROOT / name, self.root / name
            if source.is_symlink() or (copy.is_file() and filecmp.cmp(source, copy, shallow=False)):
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
            shutil.copymode(source, copy)

    def build(self):
        """Builds cairn-sim; what the compiler said if it cannot."""
        steps = []
        if not (self.built / 'build.ninja').exists():
            steps.append(['cmake', '--preset', 'release', '-DCAIRN_BUILD_TESTS=OFF', '-DCAIRN_BUILD_BENCH=OFF',
                          f'-DCMAKE_CXX_FLAGS={" ".join(UNUSED)}'])
        steps.append(['ninja', '-C', str(self.built), '-j2', 'cairn-sim'])
        # What one tree compiled serves the others, and so does a release build: ccache sees paths below the tree.
        env = {**os.environ, 'CCACHE_BASEDIR': str(self.root), 'CCACHE_NOHASHDIR': '1', 'CCACHE_IGNOREOPTIONS': ' '.join(UNUSED)}
        for step in steps:
            done = subprocess.run(['nice', '-n', '10', *step], cwd=self.root, capture_output=True, text=True, env=env)
            if done.returncode != 0:
                return done.stdout[-3000:] + done.stderr[-3000:]
        return None

    def simulate(self, args, seeds=0, flags=()):
        """Runs cairn-sim until a seed fails. (found, seeds, seconds of a processor, what was reported)"""
        out, err = (self.root / 'build' / name for name in ('sim.out', 'sim.err'))
        command = ['nice', '-n', '10', str(self.built / 'sim/cairn-sim'),
                   f'--first={args.first}', limit(args, seeds), '--noreduce', '--noprogress', '--tell_seeds', *flags]
        with out.open('w') as stdout, err.open('w') as stderr:
            process = subprocess.Popen(command, stdout=stdout, stderr=stderr,
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (HANG_S, HANG_S + 5)))
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        took = usage.ru_utime + usage.ru_stime
        played = [int(n) for n in re.findall(r'^playing (\d+)$', err.read_text(errors='replace'), re.M)]
        seeds = played[-1] - args.first + 1 if played else 0
        if process.returncode == 0:
            return False, seeds, took, ''
        failed = re.search(r'^FAILED: (.*?)\n\nThe last events', out.read_text(errors='replace'), re.M | re.S)
        if failed:
            return True, seeds, took, failed.group(1)
        if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return True, seeds, took, 'hangs'
        return True, seeds, took, f'crashes (signal {-process.returncode})'

    def play(self, args, m):
        """Plants a bug and looks for it: what the compiler said or None, and what simulate() returned."""
        originals = []
        try:
            for file, old, new in m['changes']:
                path = self.root / file
                originals.append((path, path.read_text()))
                path.write_text(originals[-1][1].replace(old, new))
            why = self.build()
            return (why, None) if why is not None else (None, self.simulate(args, m['seeds'], m['flags']))
        finally:
            for path, text in reversed(originals):
                path.write_text(text)


def limit(args, seeds=0):
    return f'--seconds={args.seconds:g}' if args.seconds else f'--seeds={max(args.seeds, seeds)}'


def one_line(text):
    text = ''.join(c if c.isprintable() else '.' for c in ' '.join(text.split())).replace('|', '/').replace('](', ']\\(')
    text = re.sub(r'its keys are as after none of its writes: .*?(?=[\w/]+: expected)', 'after a restart ', text)
    return text if len(text) <= 150 else text[:147] + '...'


def table(results, missing, args):
    lines = ['# The bugs that the simulation finds', '',
             f'`make sim-mutants`: bugs planted in `src/` (`sim/mutant_list.py`), one at a time, and `cairn-sim '
             f'--first={args.first} {limit(args)}` with each, until a seed fails. (A minute of one processor is about '
             f'180 seeds.) Bugs with narrow windows have more: their line of the list says how many.', '',
             f'{datetime.date.today()}: **{len(results) - len(missing)} of {len(results)} found**; '
             f'{sum(1 for r in results if r[2] and r[3] == 1)} of them by the first seed, half of them after '
             f'{sorted(r[3] for r in results)[len(results) // 2]} seeds at most.', '',
             '| bug | what it breaks | seeds | seconds of a processor | what is reported |', '| --- | --- | ---: | ---: | --- |']
    for name, what, found, seeds, took, report in results:
        said = one_line(report) if found else '**not found**'
        lines.append(f'| {name} | {what} | {seeds} | {took:.0f} | {said} |')
    return '\n'.join(lines) + '\n'


def results_of(path, mutants):
    """The rows of a table written before, of bugs that are still in the list."""
    named = {(m['name'], m['what']) for m in mutants}
    rows = re.findall(r'^\| (\S+) \| (.*?) \| (\d+) \| (\d+) \| (.*) \|$', path.read_text(), re.M) if path.is_file() else []
    return [(name, what, said != '**not found**', int(seeds), int(took), said)
            for name, what, seeds, took, said in rows if (name, what) in named]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--only', action='append', help='this one (may be given again)')
    parser.add_argument('--seeds', type=int, default=180, help='so many for each')
    parser.add_argument('--seconds', type=float, help='as many seeds as fit into so many seconds, instead')
    parser.add_argument('--first', type=int, default=1, help='the first seed')
    parser.add_argument('--out', type=pathlib.Path, help='where the table goes')
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--trust', action='store_true', help='the unchanged simulation is known to be well: not played first')
    parser.add_argument('--go_on', action='store_true', help='keep what the table of --out has already')
    parser.add_argument('--jobs', type=int, default=1, help='so many bugs at once')
    args = parser.parse_args()
    faults = check(mutant_list.MUTANTS)
    for fault in faults:
        print(f'mutants.py: {fault}')
    if faults or args.check:
        sys.exit(1 if faults else 0)
    chosen = [m for m in mutant_list.MUTANTS if not args.only or m['name'] in args.only]
    if not chosen:
        sys.exit('mutants.py: no such bug')

    trees = queue.SimpleQueue()
    for number in range(args.jobs):
        tree = Tree(TREES / str(number))
        tree.copy_sources()
        if (why := tree.build()) is not None:
            sys.exit(f'mutants.py: the sources do not compile:\n{why}')
        trees.put(tree)
    found, seeds, took, report = tree.simulate(args) if not args.trust else (False, 0, 0, '')
    print(f'unchanged: {seeds} seeds in {took:.0f} s' + (f', FAILED: {report}' if found else ', no violation'), flush=True)
    if found:
        sys.exit(1)

    results = results_of(args.out, chosen) if args.go_on else []
    missing, broken = [name for name, _, found, *_ in results if not found], []
    place = {m['name']: i for i, m in enumerate(mutant_list.MUTANTS)}
    known = {name for name, *_ in results}
    lock = threading.Lock()

    def play(m):
        tree = trees.get()
        try:
            why, played = tree.play(args, m)
        finally:
            trees.put(tree)
        with lock:
            if why is not None:
                broken.append(m['name'])
                print(f"{m['name']}: does not compile:\n{why}", flush=True)
                return
            found, seeds, took, report = played
            results.append((m['name'], m['what'], found, seeds, took, report))
            results.sort(key=lambda r: place[r[0]])
            if not found:
                missing.append(m['name'])
            print(f"{m['name']}: " + (f'seed {seeds}, {took:.0f} s: {one_line(report)}' if found else
                                      f'NOT FOUND by {seeds} seeds'), flush=True)
            if args.out:
                args.out.write_text(table(results, missing, args))

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for _ in pool.map(play, [m for m in chosen if m['name'] not in known]):
            pass
    print(f'{len(results) - len(missing)} of {len(chosen)} found', *(['; not:', ', '.join(missing + broken)] if missing + broken
                                                                    else []))
    sys.exit(1 if missing or broken else 0)


if __name__ == '__main__':
    main()
