"""What the proofs of tools/fiberize on other people's programs share: fetch a Debian source package, rewrite a copy, build both
against threads and libfiber, run the same test programs on both, and compare case by case."""
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import debian_source

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / 'build' / 'fiberize'
TEST_TIMEOUT_S = 900
REPEATS = 10  # of a case that failed in a whole run: is it shaky, and on which side?


class StepError(Exception):
    pass


def say(text):
    print(f'== {text}', flush=True)


def run(command, log=None, **options):
    """Runs a command; its output goes to the terminal, or to a log file that is shown when it fails."""
    if log is None:
        done = subprocess.run(command, check=False, **options)
    else:
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, 'wb') as file:
            done = subprocess.run(command, check=False, stdout=file, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        if log is not None:
            print(log.read_text(errors='replace')[-4000:], file=sys.stderr)
        raise StepError(f'{" ".join(map(str, command))}: exit status {done.returncode}')


def fetch(package, version, suite):
    """The unpacked source package, as Debian builds it (its patches applied)."""
    say(f'the source package {package} {version} of Debian {suite}')
    try:
        return debian_source.fetch(package, version, suite, WORK)
    except debian_source.SourceError as error:
        raise StepError(str(error)) from error


def build_fiber():
    prefix = WORK / 'prefix'
    say('building and installing fiber alone')
    run(['cmake', '-S', ROOT / 'fiber', '-B', WORK / 'fiber', '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release',
         f'-DCMAKE_INSTALL_PREFIX={prefix}', '-DCMAKE_INSTALL_LIBDIR=lib'], WORK / 'logs' / 'fiber_configure.log')
    run(['cmake', '--build', WORK / 'fiber'], WORK / 'logs' / 'fiber_build.log')
    run(['cmake', '--install', WORK / 'fiber'], WORK / 'logs' / 'fiber_install.log')
    return prefix


def pkg_config(prefix, *arguments):
    environment = {**os.environ, 'PKG_CONFIG_PATH': str(prefix / 'lib' / 'pkgconfig')}
    return subprocess.run(['pkg-config', *arguments, 'fiber-main'], check=True, capture_output=True, text=True,
                          env=environment).stdout.strip()


def with_main(program):
    """Whether the program's main() was linked to run on a fiber."""
    symbols = subprocess.run(['nm', program], capture_output=True, text=True, check=True).stdout
    if '__wrap_main' not in symbols:
        raise StepError(f'main() of {program.name} does not run on a fiber: __wrap_main is missing')


def take_changes(fresh, kept):
    """Makes a folder what another is, and touches no file that is the same: what was built of it stays."""
    if not kept.exists():
        fresh.rename(kept)
        return
    here, there = ({p.relative_to(root) for p in root.rglob('*') if p.is_file()} for root in (kept, fresh))
    for name in here - there:
        (kept / name).unlink()
    for name in there:
        if name not in here or not filecmp.cmp(fresh / name, kept / name, shallow=False):
            (kept / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(fresh / name, kept / name)
            os.utime(kept / name)  # a build looks at the time
    shutil.rmtree(fresh)


def rewrite(source, *flags):
    """The rewritten copy and what fiberize said."""
    copy = WORK / f'{source.name}-fibers'
    fresh = WORK / f'{source.name}-fresh'
    shutil.rmtree(fresh, ignore_errors=True)
    say('rewriting a copy with tools/fiberize')
    done = subprocess.run([ROOT / 'tools' / 'fiberize', '--output', fresh, *flags, source.name], cwd=source.parent,
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 2):  # 2: something is told that would not work in some use
        raise StepError(done.stderr)
    print(done.stderr + done.stdout, end='', flush=True)
    take_changes(fresh, copy)
    return copy, done.stdout.splitlines()


def ccache():
    return ['-DCMAKE_CXX_COMPILER_LAUNCHER=ccache'] if shutil.which('ccache') else []


# --- tests

def environment_for(where, workers):
    folder = WORK / f'tmp-{where}'
    folder.mkdir(exist_ok=True)
    return {**os.environ, 'TEST_TMPDIR': str(folder), 'FIBER_WORKERS': str(workers)}


def run_test(build, where, name, workers, only=None):
    """{case: passed}, seconds. A program without GoogleTest (c_test) is one case; so is one that dies."""
    command = [build / name] + ([f'--gtest_filter={only}'] if only else [])
    log = WORK / 'logs' / where / f'{name}.log'
    log.parent.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    with open(log, 'wb') as file:
        try:
            status = subprocess.run(command, cwd=build, env=environment_for(where, workers), stdout=file,
                                    stderr=subprocess.STDOUT, timeout=TEST_TIMEOUT_S, check=False).returncode
        except subprocess.TimeoutExpired:
            status = f'hung for {TEST_TIMEOUT_S} s'
    seconds = time.monotonic() - begin
    text = log.read_text(errors='replace')
    cases = {case: verdict == 'OK' for verdict, case in
             re.findall(r'^\[ *(OK|FAILED) *\] ([\w/]+\.[\w/]+)(?:, where .*)? \(', text, re.M)}
    if not cases or (status != 0 and all(cases.values())):
        cases[f'{name} (exit status {status})' if status != 0 else name] = status == 0
    return cases, seconds


def compare_tests(builds, wanted, workers):
    names = sorted(p.name for p in builds['threads'].glob('*_test') if os.access(p, os.X_OK))
    names = [n for n in names if not wanted or n in wanted]
    if not names:
        raise StepError('no test program to run')
    say(f'{len(names)} test programs, on threads and on fibers ({workers} workers)')
    rows, shaky, broken = [], [], []
    for name in names:
        print(f'   {name} ...', end='', flush=True)
        results = {where: run_test(build, where, name, workers) for where, build in builds.items()}
        threads, fibers = results['threads'][0], results['fibers'][0]
        for case in sorted({c for r in (threads, fibers) for c, passed in r.items() if not passed} |
                           (set(threads) - set(fibers))):
            if '.' not in case:  # no GoogleTest case that could be repeated
                broken.append(f'{name}: {case}')
                continue
            # The whole run counts too: what failed on threads there is shaky on threads, however often it passes alone.
            passes = {where: results[where][0].get(case, False) + sum(run_test(build, where, name, workers, case)[0].get(case, False)
                                                                      for _ in range(REPEATS)) for where, build in builds.items()}
            times = 1 + REPEATS
            shaky.append(f'{name}: {case}: with the whole run passes {passes["threads"]} of {times} times on threads, '
                         f'{passes["fibers"]} of {times} on fibers')
            if passes['threads'] > 0 and passes['fibers'] == 0 or passes['threads'] == times > passes['fibers']:
                broken.append(f'{name}: {case}')
        rows.append((name, sum(threads.values()), len(threads), sum(fibers.values()), len(fibers),
                     results['threads'][1], results['fibers'][1]))
        print(f' {rows[-1][1]}/{rows[-1][2]} in {rows[-1][5]:.1f} s, {rows[-1][3]}/{rows[-1][4]} in {rows[-1][6]:.1f} s',
              flush=True)
    return rows, shaky, broken
