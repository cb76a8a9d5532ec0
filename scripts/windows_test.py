#!/usr/bin/env python3
"""Runs the GoogleTest programs of a Windows build: under Wine elsewhere, by themselves on Windows.

  windows_test.py [--build build/windows/release] [--jobs N] [--out FILE.md] [PROGRAM...]    default: all that are built

Exit status 1 if a case fails that scripts/windows_reasons.txt does not name. A line there is "program case reason": the
case (with * as GoogleTest has it) is left out, because of what Wine 8 lacks or what the port lacks yet; both are counted.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REASONS = ROOT / 'scripts' / 'windows_reasons.txt'
TIMEOUT_S = 3600


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


def run(path, build, excluded):
    """(cases, failed ones or what went wrong)"""
    report = build / 'reports' / f'{path.stem}.json'
    report.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    command = [*emulator(), str(path), '--gtest_brief=1', f'--gtest_output=json:reports/{path.stem}.json']
    if excluded:
        command.append('--gtest_filter=-' + ':'.join(case for case, _ in excluded))
    log = build / 'reports' / f'{path.stem}.log'
    with open(log, 'wb') as file:
        try:
            status = subprocess.run(command, cwd=build, env=environment(build), stdout=file, stderr=subprocess.STDOUT,
                                    timeout=TIMEOUT_S, check=False).returncode
        except subprocess.TimeoutExpired:
            return 0, [f'it did not end within {TIMEOUT_S} s']
    if not report.exists():
        last = log.read_text(errors='replace').splitlines()[-15:]
        return 0, [f'it ended with status {status} before its report', *last]
    found = json.loads(report.read_text())
    failed = [f'{suite["name"]}.{case["name"]}' for suite in found['testsuites'] for case in suite['testsuite']
              if case.get('failures')]
    if status != 0 and not failed:
        failed = [f'status {status}']
    return found['tests'], failed


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
    missing = set(args.names) - {path.stem for path in chosen}
    if missing or not chosen:
        print(f'windows_test.py: not built: {", ".join(sorted(missing)) or "any test program"}', file=sys.stderr)
        return 1
    if os.name != 'nt':
        (build / 'wine').mkdir(exist_ok=True)
        subprocess.run([*emulator(), 'cmd', '/c', 'exit'], env=environment(build), check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # makes its home once
    table = ['| program | cases | failed | left out |', '| --- | --- | --- | --- |']
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda path: run(path, build, reasons.get(path.stem, [])), chosen)
        for path, (cases, failed) in zip(chosen, results):
            out = reasons.get(path.stem, [])
            print(f'{path.stem}: {cases} cases, {len(failed)} failed, {len(out)} left out', flush=True)
            for line in failed:
                print(f'  {line}')
            bad += len(failed)
            table.append(f'| {path.stem} | {cases} | {len(failed)} | {len(out)} |')
    if args.out:
        args.out.write_text('\n'.join(table) + '\n')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
