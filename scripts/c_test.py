#!/usr/bin/env python3
"""RocksDB's own test of its C interface against libcairn.so: what it needs that is not there, and if nothing is missing, whether it
passes.

  scripts/c_test.py [--library build/demo/libcairn.so] [--out bench/results/c-test.md]

The program, c_test.c, and the header that it is compiled with come from the crate librocksdb-sys, fetched by cargo for this run
(its release is RocksDB's, behind the '+'). Exit status: 0 if it passes, or if all that is missing is of a kind that REASONS names;
1 otherwise.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

CRATE = '0.17'

# Functions by the beginning of their names: why they are not there.
REASONS = [
    ('transactiondb_|transaction_|optimistictransaction', 'transactions are not offered'),
    ('backup_engine_|restore_options_', 'the backup engine is not offered; checkpoints are'),
    ('options_(get|set)_(enable_blob|blob_|min_blob|prepopulate_blob)', 'no blob files'),
    ('cuckoo_options_|options_set_cuckoo|options_set_plain_table', 'block-based tables only'),
    ('sst_file_manager_', 'the space that files take is not managed'),
    ('dbpath_|options_set_(db|cf)_paths', 'one directory for tables'),
    ('memory_allocator|jemalloc|lru_cache_options_set_memory_allocator', 'caches use the allocator of the program'),
    ('load_latest_options', 'not yet in C'),
    ('', 'not yet in C'),
]


def run(command, **kwargs):
    return subprocess.run([str(part) for part in command], text=True, capture_output=True, errors='replace', **kwargs)


def fetch(folder):
    """The folder of the crate's RocksDB."""
    (folder / 'src').mkdir()
    (folder / 'src' / 'lib.rs').write_text('')
    (folder / 'Cargo.toml').write_text('[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n'
                                       f'librocksdb-sys = {{ version = "{CRATE}", default-features = false }}\n')
    try:
        result = run(['cargo', 'vendor', 'vendor'], cwd=folder, timeout=600)
    except FileNotFoundError:
        sys.exit('c_test.py: cargo is needed to fetch the crate: apt-get install cargo')
    found = sorted(folder.glob('vendor/librocksdb-sys*/rocksdb'))
    if result.returncode != 0 or not found:
        sys.exit(f'c_test.py: cannot fetch librocksdb-sys:\n{result.stderr[-2000:]}')
    version = re.search(r'^version = "([^"]*)"', (found[-1].parent / 'Cargo.toml').read_text(), re.MULTILINE)
    return found[-1], version[1] if version else '?'


def reason_of(function):
    return next(reason for pattern, reason in REASONS if re.match(f'rocksdb_(?:{pattern})', function))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--library', type=pathlib.Path, default='build/demo/libcairn.so')
    parser.add_argument('--out', type=pathlib.Path, help='where the table goes')
    args = parser.parse_args()
    if not args.library.exists():
        sys.exit(f'c_test.py: no {args.library}: make demo builds it')
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        rocksdb, version = fetch(folder)
        compiled = run(['gcc', '-c', '-w', '-DROCKSDB_PLATFORM_POSIX', '-DOS_LINUX', f'-I{rocksdb}', f'-I{rocksdb}/include',
                        rocksdb / 'db' / 'c_test.c', '-o', folder / 'c_test.o'])
        if compiled.returncode != 0:
            sys.exit(f'c_test.py: gcc does not compile c_test.c:\n{compiled.stderr[-2000:]}')
        used = set(re.findall(r' U (rocksdb_\w+)', run(['nm', folder / 'c_test.o']).stdout))
        there = set(re.findall(r' T (rocksdb_\w+)', run(['nm', '-D', '--defined-only', args.library]).stdout))
        missing = sorted(used - there)
        verdict, passes = 'It is not run, for it does not link', not missing
        if not missing:
            program = folder / 'c_test'
            linked = run(['gcc', folder / 'c_test.o', '-o', program, args.library.resolve(), '-lm', '-lpthread',
                          f'-Wl,-rpath,{args.library.resolve().parent}'])
            result = run([program], cwd=folder, timeout=1200) if linked.returncode == 0 else linked
            passes = result.returncode == 0 and 'PASS' in result.stdout + result.stderr
            verdict = 'PASS' if passes else 'it fails:\n\n```\n' + (result.stdout + result.stderr)[-2000:] + '\n```'
    groups = collections.defaultdict(list)
    for function in missing:
        groups[reason_of(function)].append(function)
    lines = [
        '# RocksDB\'s test of the C interface', '',
        f'`scripts/c_test.py`: c_test.c of librocksdb-sys {version}, compiled by gcc with its own header, against libcairn.so.', '',
        f'It uses {len(used)} functions; {len(used) - len(missing)} of them are there. {verdict}.', '',
    ]
    if missing:
        lines += ['| missing | why | |', '| ---: | --- | --- |']
        for reason, functions in sorted(groups.items(), key=lambda group: -len(group[1])):
            names = ', '.join(f'`{name.removeprefix("rocksdb_")}`' for name in functions)
            lines.append(f'| {len(functions)} | {reason} | {names} |')
    text = '\n'.join(lines).rstrip('\n') + '\n'
    if args.out:
        args.out.write_text(text)
    print(text, end='')
    sys.exit(0 if passes or missing else 1)


if __name__ == '__main__':
    main()
