#!/usr/bin/env python3
"""RocksDB's own test of ldb, tools/ldb_test.py, against Cairn's ldb: what passes, and what does not, with the reason.

  scripts/ldb_suite.py [--ldb build/release/tools/ldb] [--crate 0.10] [--out bench/results/ldb-suite.md]

The test comes from the crate librocksdb-sys, fetched by cargo for this run (0.10 has that of release 7.9.2, whose output is that of
7.8.3; later releases print other separators). Exit status: 0 if all passes but what is in NOT_YET; 1 otherwise; 77 if there is no cargo.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import rocksdb_crate

CRATE = '0.10'

# Tests that may fail, and why.
NOT_YET = {}


def run_tests(folder, source, ldb):
    """{test: whether it passes}, and the output."""
    shutil.copy(source, folder / 'ldb_test.py')
    (folder / 'ldb').symlink_to(ldb.resolve())
    result = subprocess.run([sys.executable, '-m', 'unittest', '-v', 'ldb_test'], cwd=folder, text=True, capture_output=True,
                            errors='replace', timeout=1800)
    verdicts = dict(re.findall(r'^(test\w+) \(.*?\) \.\.\. (ok|FAIL|ERROR)$', result.stderr, re.MULTILINE))
    return {name: verdict == 'ok' for name, verdict in verdicts.items()}, result.stdout + result.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--ldb', type=pathlib.Path, default='build/release/tools/ldb')
    parser.add_argument('--crate', default=CRATE, help='which release of librocksdb-sys')
    parser.add_argument('--out', type=pathlib.Path, help='where the table goes')
    parser.add_argument('--verbose', action='store_true', help='what the tests print')
    args = parser.parse_args()
    if not args.ldb.exists():
        sys.exit(f'ldb_suite.py: no {args.ldb}: make release builds it')
    if shutil.which('cargo') is None:
        print('ldb_suite.py: cargo is needed to fetch the crate: apt-get install cargo', file=sys.stderr)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / 'crate').mkdir()
        (folder / 'run').mkdir()
        rocksdb, version = rocksdb_crate.fetch(folder / 'crate', args.crate)
        passes, output = run_tests(folder / 'run', rocksdb / 'tools' / 'ldb_test.py', args.ldb)
    failed = [name for name in passes if not passes[name]]
    surprises = [name for name in failed if name not in NOT_YET]
    if args.verbose or surprises or not passes:
        print(output)
    lines = ['# RocksDB\'s test of ldb', '',
             f'`scripts/ldb_suite.py`: tools/ldb_test.py of librocksdb-sys {version} against Cairn\'s `ldb`.', '',
             f'{len(passes) - len(failed)} of {len(passes)} tests pass.', '']
    if failed:
        lines += ['| fails | why |', '| --- | --- |']
        lines += [f'| `{name}` | {NOT_YET.get(name, "not understood")} |' for name in failed]
    text = '\n'.join(lines).rstrip('\n') + '\n'
    if args.out:
        args.out.write_text(text)
    print(text, end='')
    sys.exit(0 if passes and not surprises else 1)


if __name__ == '__main__':
    main()
