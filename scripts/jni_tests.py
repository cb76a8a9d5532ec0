#!/usr/bin/env python3
"""RocksJava's own JUnit tests, unmodified, on Cairn's library and on the one in RocksDB's jar: what passes on each.

  scripts/jni_tests.py [--release 7.8.3|10.4.2|11.1.1] [--jobs N] [--out bench/results/java.md] [--only cairn] [CLASS...]

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

# Tests that may fail on Cairn alone, and why.
IDENTITY = 'the default of `write_dbid_to_manifest` is that of RocksDB 9.7 and later: the MANIFEST has the database\'s identity'
LAZY = 'threads start when there is something for them to do'
BLOCK_ALIGN = '`block_align` together with a compression is refused'
REASONS = {
    'DBOptionsTest.writeDbidToManifest': IDENTITY,
    'OptionsTest.writeDbidToManifest': IDENTITY,
    'RocksDBTest.getLiveFiles': 'the MANIFEST of a new database is of another size: for 7.8.3 it has the database\'s identity, too',
    'BlockBasedTableConfigTest.jniPortal': 'OPTIONS files do not have the options that tables have got since 7.8.3 (`index_block_search_type`)',
    'CompactionOptionsTest.compression': 'the default of `CompactionOptions::compression` is that of RocksDB 7.8.3, Snappy',
    'EventListenerTest.testAllCallbacksInvocation': '`WriteStallCondition` has the numbers of RocksDB 7.8.3',
    **{f'OptionsUtilTest.{kind}{number}': BLOCK_ALIGN for kind in ('loadLatestTableFormatOptions', 'loadTableFormatOptionsFromFile')
       for number in ('', 2, 3)},
    'DefaultEnvTest.threadList': LAZY,
    'DefaultEnvTest.threadList_integration': LAZY,
    'IngestExternalFileOptionsTest.writeGlobalSeqno': 'the default of `write_global_seqno` is that of RocksDB 8 and later, false',
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


def run_class(words, name, library, seconds):
    """{'tests': {name: [verdict, text]}, 'output': ..., 'library': that of the JVM or None}. `words`: of java, before the class's name.
    `library`: the folder of the one to be used; None: the jar's, which unpacks it into the folder of temporary files."""
    flags = [f'-Djava.library.path={library}'] if library else []
    with tempfile.TemporaryDirectory() as scrap:
        command = ['java', '-ea', '-Xmx512m', f'-Djava.io.tmpdir={scrap}', f'-XX:ErrorFile={scrap}/hs_err', *flags, *words, name]
        try:
            done = subprocess.run(command, text=True, errors='replace', stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=seconds, check=False, cwd=scrap)
            output, why = done.stdout, f'the JVM died (exit status {done.returncode})'
        except subprocess.TimeoutExpired as error:
            output, why = (error.stdout or b'').decode(errors='replace'), f'not done after {seconds} seconds'
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
    used = re.findall(r'^LIBRARY (.*)$', output, re.MULTILINE)
    for path in used:
        if not pathlib.Path(path).resolve().is_relative_to(pathlib.Path(library or scrap).resolve()):
            tests['(class)'] = ['failed', f'the library was {path}']
    return {'tests': tests, 'output': output, 'library': used[0] if used else None}


def run_all(words, names, library, args):
    results = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = {name: pool.submit(run_class, words, name, library, args.seconds) for name in names}
        for name, future in futures.items():
            results[name] = future.result()
            passed, total = count(results[name])
            print(f'{"cairn" if library else "rocksdb"} {name.rpartition(".")[2]}: {passed} of {total}', flush=True)
    return results


def count(result):
    verdicts = [verdict for verdict, text in result['tests'].values()]
    return verdicts.count('passed'), len(verdicts) - verdicts.count('ignored')


def reason_of(name, test, reasons):
    simple = name.rpartition('.')[2]
    return reasons.get(f'{simple}.{test}') or reasons.get(f'{simple}.*')


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
    kept.update({name: {'tests': result['tests'], 'library': result['library']} for name, result in results.items()})
    if results:
        path.write_text(json.dumps(kept))
    return kept


def totals(results):
    counts = [count(result) for result in results.values()]
    return sum(passed for passed, total in counts), sum(total for passed, total in counts)


def report(lines, ours, theirs, reasons, package):
    """The page: these lines, then the tables. `package`: what the names of the classes are shown without."""
    passed, total = totals(ours)
    their_passed, their_total = totals(theirs)
    lines += ['', '| | tests passed | classes whole |', '| --- | --- | --- |']
    for label, results, good, all_of in (('Cairn', ours, passed, total), ('RocksDB', theirs, their_passed, their_total)):
        whole = sum(1 for result in results.values() if count(result)[0] == count(result)[1])
        lines.append(f'| {label} | {good} of {all_of} | {whole} of {len(results)} |')
    found = list(differences(ours, theirs))
    if found:
        lines += ['', 'What passes on RocksDB alone:', '', '| test | why |', '| --- | --- |']
        for name, test, text in found:
            lines.append(f'| `{name.rpartition(".")[2]}.{test}` | {reason_of(name, test, reasons) or "not understood: " + text[:150]} |')
    both = [(name, test) for name, result in theirs.items() for test, (verdict, text) in result['tests'].items()
            if verdict == 'failed' and name in ours]
    if both:
        lines += ['', 'What fails on RocksDB: ' + ', '.join(f'`{name.rpartition(".")[2]}.{test}`' for name, test in both) + '.']
    lines += ['', '| class | Cairn | RocksDB |', '| --- | --- | --- |']
    for name in sorted(ours):
        mine, other = count(ours[name]), count(theirs.get(name, {'tests': {}}))
        lines.append(f'| {name.replace(package, "")} | {mine[0]} of {mine[1]} | {other[0]} of {other[1]} |')
    return '\n'.join(lines) + '\n'


def run_on_both(words, names, library, folder, args):
    """What they gave on Cairn's library and on RocksDB's, and gave before; kept in the folder, with the logs."""
    ours = run_all(words, names, library, args) if args.only != 'rocksdb' else {}
    kept = folder / 'rocksdb-results.json'
    missing = [name for name in names if not kept.exists() or name not in json.loads(kept.read_text())]
    theirs = run_all(words, missing, None, args) if args.only != 'cairn' else {}
    for label, results in (('test-logs', ours), ('test-logs-rocksdb', theirs)):
        (folder / label).mkdir(exist_ok=True)
        for name, result in results.items():
            (folder / label / f'{name}.log').write_text(result['output'])
    return keep(folder / 'cairn-results.json', ours), keep(kept, theirs)


def print_differences(ours, theirs, reasons):
    """1 if one has no reason."""
    found = list(differences(ours, theirs))
    for name, test, text in found:
        print(f'{name.rpartition(".")[2]}.{test}: {reason_of(name, test, reasons) or text[:300]}')
    passed, total = totals(ours)
    print(f'{passed} of {total} tests pass on Cairn')
    return 1 if any(reason_of(name, test, reasons) is None for name, test, text in found) else 0


def add_options(parser):
    parser.add_argument('--release', choices=jni.RELEASES, default='7.8.3')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--seconds', type=int, default=300, help='for one class')
    parser.add_argument('--out', type=pathlib.Path)
    parser.add_argument('--only', choices=['cairn', 'rocksdb'], help='one library; cairn: beside what RocksDB\'s gave before')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument('classes', nargs='*', metavar='CLASS', help='WriteBatchTest, say; default: all')
    args = parser.parse_args()
    place = jni.Workplace(args.release)
    if not place.library.exists():
        sys.exit(f'jni_tests.py: no {place.library}: scripts/jni.py links it')
    names = [name for name in test_classes(place) if not args.classes or name.rpartition('.')[2] in args.classes]
    words = ['-cp', f'{compile_runner(place)}:{place.test_classes}:{place.class_path()}', 'RunTests']
    ours, theirs = run_on_both(words, names, place.library.parent, place.folder, args)
    status = print_differences(ours, theirs, REASONS)
    if args.out:
        lines = ['# RocksJava\'s own tests on Cairn', '',
                 f'`make jni-test{"" if args.release == "7.8.3" else f" JNI_RELEASE={args.release}"}`: the JUnit tests of RocksJava {args.release}, unmodified, with the unmodified jar, on '
                 '`librocksdbjni.so` of Cairn and on the library in the jar (RocksDB\'s).']
        args.out.write_text(report(lines, ours, theirs, REASONS, 'org.rocksdb.'))
    sys.exit(status)


if __name__ == '__main__':
    main()
