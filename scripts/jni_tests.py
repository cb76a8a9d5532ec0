#!/usr/bin/env python3
"""RocksJava's own JUnit tests, unmodified, on Cairn's library and on the one in RocksDB's jar: what passes on each.

  scripts/jni_tests.py [--release 7.8.3] [--jobs N] [--out bench/results/java.md] [--only cairn] [CLASS...]

`scripts/jni.py` has to have linked the library. Each class runs in a JVM of its own, whose library is looked up in the JVM's memory
map: a run that used another one counts as failed. What RocksDB's library gave is kept beside the jar and not run again; with CLASS
only these run on Cairn's, and of the others the table has what they gave last. Exit status:
0 if what passes on RocksDB's passes on Cairn's but for what is in REASONS; 1 otherwise.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import jni

SECONDS = 300    # for one class

# Tests that may fail on Cairn alone, and why.
IDENTITY = 'the default of `write_dbid_to_manifest` is that of RocksDB 9.7 and later: the MANIFEST has the database\'s identity'
MEMPURGE = '`experimental_mempurge_threshold` is refused'
REASONS = {
    'BlockBasedTableConfigTest.persistentCache': '`PersistentCache` is refused',
    'DBOptionsTest.writeDbidToManifest': IDENTITY,
    'OptionsTest.writeDbidToManifest': IDENTITY,
    'RocksDBTest.getLiveFiles': IDENTITY + ', and is longer by it',
    'DefaultEnvTest.threadList_integration': 'threads start when there is something for them to do',
    'IngestExternalFileOptionsTest.writeGlobalSeqno': 'the default of `write_global_seqno` is false; true is refused',
    'MutableOptionsGetSetTest.testGetMutableBlobOptionsAfterCreate': MEMPURGE,
    'MutableOptionsGetSetTest.testGetMutableBlobOptionsAfterSet': MEMPURGE,
    'MutableOptionsGetSetTest.testGetMutableBlobOptionsAfterSetCF': MEMPURGE,
}


def compile_runner(place):
    folder = place.folder / 'runner'
    source = jni.ROOT / 'tools/jni/RunTests.java'
    made = folder / 'RunTests.class'
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        jni.run_or_exit(['javac', '-d', folder, '-cp', place.class_path(), source])
    return folder


def test_classes(place):
    names = []
    folder = place.java / 'src/test/java'
    for path in sorted(folder.rglob('*Test.java')):
        text = path.read_text(errors='replace')
        if re.search(r'@(?:org\.junit\.)?Test\b', text) and not re.search(r'\babstract class ' + path.stem, text):
            names.append('.'.join(path.relative_to(folder).with_suffix('').parts))
    return names


def run_class(place, runner, name, library):
    """{'tests': {name: [verdict, text]}, 'output': ...}. `library`: the folder of the one to be used; None: the jar's."""
    flags = [f'-Djava.library.path={library}'] if library else []
    with tempfile.TemporaryDirectory() as scrap:
        command = ['java', '-ea', '-Xmx512m', f'-Djava.io.tmpdir={scrap}', f'-XX:ErrorFile={scrap}/hs_err', *flags,
                   '-cp', f'{runner}:{place.test_classes}:{place.class_path()}', 'RunTests', name]
        try:
            done = subprocess.run(command, text=True, errors='replace', stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=SECONDS, check=False, cwd=scrap)
            output, why = done.stdout, f'the JVM died (exit status {done.returncode})'
        except subprocess.TimeoutExpired as error:
            output, why = (error.stdout or b'').decode(errors='replace'), f'not done after {SECONDS} seconds'
        report = pathlib.Path(scrap) / 'hs_err'
        if report.exists():
            output += report.read_text(errors='replace')[:20000]
    tests = {}
    last = '(class)'
    for verdict, test, text in re.findall(r'^TEST (\w+) (\S+) ?(.*)$', output, re.MULTILINE):
        last = test
        if verdict != 'started':
            tests[test] = [verdict, text]
    if not re.search(r'^END$', output, re.MULTILINE):
        tests[last] = ['failed', why]
    for path in re.findall(r'^LIBRARY (.*)$', output, re.MULTILINE):
        if library and pathlib.Path(path).resolve().parent != library.resolve():
            tests['(class)'] = ['failed', f'the library was {path}']
    return {'tests': tests, 'output': output}


def run_all(place, names, library, jobs):
    runner = compile_runner(place)
    results = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {name: pool.submit(run_class, place, runner, name, library) for name in names}
        for name, future in futures.items():
            results[name] = future.result()
            passed, total = count(results[name])
            print(f'{"cairn" if library else "rocksdb"} {name.rpartition(".")[2]}: {passed} of {total}', flush=True)
    return results


def count(result):
    verdicts = [verdict for verdict, text in result['tests'].values()]
    return verdicts.count('passed'), len(verdicts) - verdicts.count('ignored')


def reason_of(name, test):
    simple = name.rpartition('.')[2]
    return REASONS.get(f'{simple}.{test}') or REASONS.get(f'{simple}.*')


def differences(ours, theirs):
    """(class, test, text) of what fails on Cairn and passes on RocksDB."""
    for name, result in ours.items():
        for test, (verdict, text) in result['tests'].items():
            other = theirs.get(name, {'tests': {}})['tests'].get(test, ['passed', ''])
            if verdict == 'failed' and other[0] != 'failed':
                yield name, test, text


def keep(path, results):
    """What was kept in the file, with these in place of older ones; kept there from now on."""
    kept = json.loads(path.read_text()) if path.exists() else {}
    kept.update({name: {'tests': result['tests']} for name, result in results.items()})
    path.write_text(json.dumps(kept))
    return kept


def totals(results):
    counts = [count(result) for result in results.values()]
    return sum(passed for passed, total in counts), sum(total for passed, total in counts)


def report(release, ours, theirs):
    passed, total = totals(ours)
    their_passed, their_total = totals(theirs)
    lines = ['# RocksJava\'s own tests on Cairn', '',
             f'`make jni-test`: the JUnit tests of RocksJava {release}, unmodified, with the unmodified jar, on `librocksdbjni.so` of '
             'Cairn and on the library in the jar (RocksDB\'s).', '',
             '| | tests passed | classes whole |', '| --- | --- | --- |']
    for label, results, good, all_of in (('Cairn', ours, passed, total), ('RocksDB', theirs, their_passed, their_total)):
        whole = sum(1 for result in results.values() if count(result)[0] == count(result)[1])
        lines.append(f'| {label} | {good} of {all_of} | {whole} of {len(results)} |')
    found = list(differences(ours, theirs))
    if found:
        lines += ['', 'What passes on RocksDB alone:', '', '| test | why |', '| --- | --- |']
        for name, test, text in found:
            lines.append(f'| `{name.rpartition(".")[2]}.{test}` | {reason_of(name, test) or "not understood: " + text[:150]} |')
    both = [(name, test) for name, result in theirs.items() for test, (verdict, text) in result['tests'].items()
            if verdict == 'failed' and name in ours]
    if both:
        lines += ['', 'What fails on RocksDB: ' + ', '.join(f'`{name.rpartition(".")[2]}.{test}`' for name, test in both) + '.']
    lines += ['', '| class | Cairn | RocksDB |', '| --- | --- | --- |']
    for name in ours:
        mine, other = count(ours[name]), count(theirs.get(name, {'tests': {}}))
        lines.append(f'| {name.replace("org.rocksdb.", "")} | {mine[0]} of {mine[1]} | {other[0]} of {other[1]} |')
    return '\n'.join(lines) + '\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--release', default='7.8.3')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--out', type=pathlib.Path)
    parser.add_argument('--only', choices=['cairn', 'rocksdb'], help='one library; cairn: beside what RocksDB\'s gave before')
    parser.add_argument('classes', nargs='*', metavar='CLASS', help='WriteBatchTest, say; default: all')
    args = parser.parse_args()
    place = jni.Workplace(args.release)
    if not place.library.exists():
        sys.exit(f'jni_tests.py: no {place.library}: scripts/jni.py links it')
    names = [name for name in test_classes(place) if not args.classes or name.rpartition('.')[2] in args.classes]
    ours = run_all(place, names, place.library.parent, args.jobs) if args.only != 'rocksdb' else {}
    logs = place.folder / 'test-logs'
    logs.mkdir(exist_ok=True)
    for name, result in ours.items():
        (logs / f'{name}.log').write_text(result['output'])
    ours = keep(place.folder / 'cairn-results.json', ours)
    kept = place.folder / 'rocksdb-results.json'
    theirs = json.loads(kept.read_text()) if kept.exists() else {}
    missing = [name for name in names if name not in theirs]
    if missing and args.only != 'cairn':
        for name, result in run_all(place, missing, None, args.jobs).items():
            theirs[name] = {'tests': result['tests']}
        kept.write_text(json.dumps(theirs))
    found = list(differences(ours, theirs))
    for name, test, text in found:
        print(f'{name.rpartition(".")[2]}.{test}: {reason_of(name, test) or text[:300]}')
    passed, total = totals(ours)
    print(f'{passed} of {total} tests pass on Cairn')
    if args.out:
        args.out.write_text(report(args.release, ours, theirs))
    sys.exit(1 if any(reason_of(name, test) is None for name, test, text in found) else 0)


if __name__ == '__main__':
    main()
