#!/usr/bin/env python3
"""Runs the GoogleTest programs of a Windows build: under Wine elsewhere, by themselves on Windows. And the scripts that drive its
tools by their command lines (SUITES), and programs that are tests without GoogleTest (PLAIN).

  windows_test.py [--build build/windows/release] [--jobs N] [--out FILE.md] [PROGRAM or SUITE...]    default: all that are built

Ends with a table of counts by program. Exit status 1 if a case fails that scripts/windows_reasons.txt does not name. A line
there is "program case reason": the case (with * as GoogleTest has it) is left out, because of what Wine 8 lacks or what the port
lacks yet. "skipped" are those that say themselves, while they run, that they are not for this system.
"""
import argparse
import concurrent.futures
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
REASONS = ROOT / 'scripts' / 'windows_reasons.txt'
TIMEOUT_S = 3600
# A script of unittest, and the programs that it drives. {bin} is a folder that has them by their names without ".exe", {build} the build's.
SUITES = {
    'tools': (['test/tools/tools_test.py', '--bin', '{bin}'], ['ldb', 'sst_dump', 'cairn']),
    'db_bench': (['bench/db_bench_test.py', '{bin}/db_bench'], ['db_bench']),
    'db_bench_flags': (['bench/db_bench_flags_test.py', '{bin}/db_bench'], ['db_bench']),
    'trace_analyzer': (['test/tools/trace_analyzer_test.py', '{bin}/trace_analyzer'], ['trace_analyzer']),
    'io_tracer_parser': (['test/tools/io_tracer_parser_test.py', '{bin}/io_tracer_parser'], ['io_tracer_parser']),
    'block_cache_trace_analyzer': (['test/tools/block_cache_trace_analyzer_test.py', '{bin}/block_cache_trace_analyzer'],
                                   ['block_cache_trace_analyzer']),
    'kv_bench': (['bench/kv_bench_test.py', '{bin}/kv_bench', '{build}/libcairn.dll'], ['kv_bench']),
}
C_PROGRAMS = [source.name.removesuffix('_test.c') for source in sorted((ROOT / 'test/c_api').glob('*_test.c'))]
C_PROGRAMS += [f'c_releases_{release}' for release in (7, 8, 11)]
# Cases that say by their exit status whether all is well, and their commands; {folder} is a new one. Those of libcairn.dll are the
# tests of the C interface and a program in C++. A fuzz target's case is its corpus and mutations of it.
PLAIN = {
    'dll': {name: [name, '{folder}/db'] for name in (*(f'{program}_cairn' for program in C_PROGRAMS), 'embed')},
    'fuzz': {corpus.name: ['fuzz_replay', corpus.name, str(corpus)] for corpus in sorted((ROOT / 'fuzz/corpus').iterdir())
             if corpus.name != 'connection'},
    'cairn_demo': {'kills_and_verifies': ['cairn_demo', '--keys=20000', '--dir={folder}/demo']},
}


def left_out(text):
    """{program: [(case, reason)]}"""
    cases = {}
    for line in text.splitlines():
        words = line.split(None, 2)
        if not words or words[0].startswith('#'):
            continue
        if len(words) != 3:
            raise ValueError(f'"{line}" is not "program case reason"')
        cases.setdefault(words[0], []).append((words[1], words[2]))
    return cases


def emulator():
    """What stands before the program: nothing on Windows."""
    if os.name == 'nt':
        return []
    for name in ('wine64', '/usr/lib/wine/wine64', 'wine'):
        found = shutil.which(name)
        if found:
            return [found]
    raise FileNotFoundError('Wine is missing: scripts/install-deps.sh windows')


def environment(build):
    env = dict(os.environ)
    if os.name != 'nt':
        # A home of its own, silent, and without what is asked for by windows.
        env.update(WINEPREFIX=str(build / 'wine'), WINEDEBUG='-all', WINEDLLOVERRIDES='mscoree,mshtml=')
        env.pop('DISPLAY', None)
    return env


def programs(build):
    return sorted(path for path in build.rglob('*.exe') if path.stem.endswith('_test') or path.stem == 'conformance_cairn')


@dataclasses.dataclass
class Outcome:
    program: str
    passed: int = 0
    skipped: int = 0
    left_out: int = 0
    failed: list = dataclasses.field(default_factory=list)  # the cases' names, or what went wrong

    @property
    def total(self):
        return self.passed + self.skipped + self.left_out + len(self.failed)

    def row(self):
        return [self.program, self.passed, self.total, len(self.failed), self.skipped, self.left_out]


def cases_of(path, build, *options):
    """How many cases the program has, or those of a filter."""
    listed = subprocess.run([*emulator(), str(path), '--gtest_list_tests', *options], cwd=build, env=environment(build),
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=TIMEOUT_S, check=False).stdout
    return sum(line.startswith('  ') for line in listed.splitlines())


def run(path, build, excluded):
    outcome = Outcome(path.stem)
    report = build / 'reports' / f'{path.stem}.json'
    report.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    command = [*emulator(), str(path), '--gtest_brief=1', f'--gtest_output=json:reports/{path.stem}.json']
    if excluded:
        names = ':'.join(case for case, _ in excluded)
        command.append(f'--gtest_filter=-{names}')
        outcome.left_out = cases_of(path, build, f'--gtest_filter={names}')
    log = build / 'reports' / f'{path.stem}.log'
    with open(log, 'wb') as file:
        try:
            status = subprocess.run(command, cwd=build, env=environment(build), stdout=file, stderr=subprocess.STDOUT,
                                    timeout=TIMEOUT_S, check=False).returncode
        except subprocess.TimeoutExpired:
            outcome.failed = [f'it did not end within {TIMEOUT_S} s']
            return outcome
    if not report.exists():
        last = log.read_text(errors='replace').splitlines()[-15:]
        outcome.failed = [f'it ended with status {status} before its report; at last:\n    ' + '\n    '.join(last)]
        return outcome
    for suite in json.loads(report.read_text())['testsuites']:
        for case in suite['testsuite']:
            if case.get('failures'):
                outcome.failed.append(f'{suite["name"]}.{case["name"]}')
            elif case.get('result') == 'SKIPPED':
                outcome.skipped += 1
            elif case.get('status') == 'RUN':
                outcome.passed += 1
    if status != 0 and not outcome.failed:
        outcome.failed = [f'status {status}']
    return outcome


def run_suite(name, build, excluded):
    """As run(), of one of SUITES."""
    words, drives = SUITES[name]
    outcome = Outcome(name)
    folder = build / 'programs'
    folder.mkdir(exist_ok=True)
    for program in drives:
        path = next(build.rglob(f'{program}.exe'))
        if os.name == 'nt':
            shutil.copy(path, folder)
            continue
        script = folder / program
        script.write_text('#!/bin/sh\nexec ' + shlex.join([*emulator(), str(path)]) + ' "$@"\n')
        script.chmod(0o755)
    words = [word.replace('{bin}', str(folder)).replace('{build}', str(build)) for word in words]
    log = build / 'reports' / f'{name}.log'
    log.parent.mkdir(exist_ok=True)
    with open(log, 'wb') as file:
        try:
            status = subprocess.run([sys.executable, str(ROOT / words[0]), *words[1:], '-v'], cwd=ROOT, env=environment(build),
                                    stdout=file, stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False).returncode
        except subprocess.TimeoutExpired:
            outcome.failed = [f'it did not end within {TIMEOUT_S} s']
            return outcome
    left_out = {case for case, _ in excluded}
    for piece in re.split(r'^(?=test_\w+ \()', log.read_text(errors='replace'), flags=re.M)[1:]:
        case = re.match(r'\w+', piece)[0]
        found = re.search(r' \.\.\. (?:.*\n)*?.*?(ok|FAIL|ERROR|skipped .*)$', piece, re.M)
        result = found[1] if found else 'no result'
        if case in left_out:
            outcome.left_out += 1
        elif result == 'ok':
            outcome.passed += 1
        elif result.startswith('skipped'):
            outcome.skipped += 1
        else:
            outcome.failed.append(case)
    if status != 0 and not outcome.failed and not outcome.left_out or outcome.total == 0:
        outcome.failed.append(f'status {status}')
    return outcome


def run_plain(name, build, excluded):
    """As run(), of one of PLAIN."""
    outcome = Outcome(name)
    excluded = {case for case, _ in excluded}
    (build / 'reports').mkdir(exist_ok=True)
    for case, (program, *words) in PLAIN[name].items():
        if case in excluded:
            outcome.left_out += 1
            continue
        path = next(build.rglob(f'{program}.exe'))
        with tempfile.TemporaryDirectory(prefix='cairn_plain_') as folder, open(build / 'reports' / f'{case}.log', 'wb') as log:
            words = [word.replace('{folder}', folder) for word in words]
            try:
                status = subprocess.run([*emulator(), str(path), *words], cwd=build, env=environment(build), stdin=subprocess.DEVNULL,
                                        stdout=log, stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False).returncode
            except subprocess.TimeoutExpired:
                status = f'none within {TIMEOUT_S} s'
        if status == 0:
            outcome.passed += 1
        else:
            outcome.failed.append(f'{case}: status {status}')
    return outcome


def in_columns(rows):
    """Markdown's table that is one for the eye, too."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ['| ' + ' | '.join(cell.ljust(width) for cell, width in zip(row, widths)) + ' |' for row in rows]
    lines.insert(1, '| ' + ' | '.join('-' * width for width in widths) + ' |')
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build' / 'windows' / 'release')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--out', type=pathlib.Path)
    parser.add_argument('names', nargs='*', metavar='PROGRAM')
    args = parser.parse_args()
    build = args.build.resolve()
    reasons = left_out(REASONS.read_text()) if REASONS.exists() else {}
    chosen = [path for path in programs(build) if not args.names or path.stem in args.names]
    of_suites = {**{name: drives for name, (_, drives) in SUITES.items()},
                 **{name: [program for program, *_ in commands.values()] for name, commands in PLAIN.items()}}
    suites = [name for name, drives in of_suites.items() if (not args.names or name in args.names) and
              all(any(build.rglob(f'{program}.exe')) for program in drives)]
    missing = set(args.names) - {path.stem for path in chosen} - set(suites)
    if missing or not (chosen or suites):
        print(f'windows_test.py: not built: {", ".join(sorted(missing)) or "any test program"}', file=sys.stderr)
        return 1
    with wine_up(build):
        return test(args, build, reasons, chosen, suites)


@contextlib.contextmanager
def wine_up(build):
    """Makes Wine's home, and keeps its server up: to start that costs more than to start a program."""
    if os.name == 'nt':
        yield
        return
    (build / 'wine').mkdir(exist_ok=True)
    with subprocess.Popen([*emulator(), 'cmd', '/c', 'pause'], env=environment(build), stdin=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as waits:
        try:
            subprocess.run([*emulator(), 'cmd', '/c', 'exit'], env=environment(build), check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            yield
        finally:
            waits.communicate(b'\n')


def test(args, build, reasons, chosen, suites):
    rows = [['program', 'passed', 'of', 'failed', 'skipped', 'left out']]
    bad = False
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        def one(what):
            if isinstance(what, str):
                return (run_plain if what in PLAIN else run_suite)(what, build, reasons.get(what, []))
            return run(what, build, reasons.get(what.stem, []))
        for outcome in pool.map(one, [*chosen, *suites]):
            print(f'{outcome.program}: {outcome.passed} of {outcome.total}', flush=True)
            for line in outcome.failed:
                print(f'  failed: {line}', flush=True)
            bad = bad or bool(outcome.failed)
            rows.append(outcome.row())
    table = in_columns(rows)
    print(table)
    if args.out:
        args.out.write_text(table + '\n')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
