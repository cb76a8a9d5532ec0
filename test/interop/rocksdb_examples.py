#!/usr/bin/env python3
"""Compiles RocksDB's own examples, as Debian's librocksdb-dev has them, with Cairn's headers and library, and runs them.

  rocksdb_examples.py --library build/release/libcairn.so --include include [--examples FOLDER] [--compiler c++]

They are unchanged but for the directory of their databases (/tmp there, a temporary one here). Each must end with status 0: they
check what they do by assert(). (multi_processes_example is compiled only.) Exit status 1 if one does not, or does not compile; 77 if there are none.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

# Two processes that go on for minutes, until somebody stops one of them.
ONLY_COMPILED = {'multi_processes_example.cc'}
LIMIT_S = 120


def build_and_run(source, scratch, args):
    """What went wrong, or None."""
    text = source.read_text().replace('"/tmp/', f'"{scratch}/')
    copy = scratch / source.name
    copy.write_text(text)
    program = scratch / source.stem
    c = source.suffix == '.c'
    command = [args.c_compiler if c else args.compiler, *([] if c else ['-std=c++20']), '-DOS_LINUX', '-I', str(args.include), '-I', str(source.parent), str(copy),
               '-o', str(program), str(args.library), f'-Wl,-rpath,{args.library.parent}', '-lpthread']
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return f'does not compile:\n{done.stderr[-2000:]}'
    if source.name in ONLY_COMPILED:
        return None
    try:
        done = subprocess.run([str(program)], capture_output=True, text=True, timeout=LIMIT_S, cwd=scratch)
    except subprocess.TimeoutExpired:
        return f'not done after {LIMIT_S} s'
    if done.returncode != 0:
        return f'exit status {done.returncode}:\n{done.stdout[-1000:]}{done.stderr[-1000:]}'
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--library', type=pathlib.Path, required=True)
    parser.add_argument('--include', type=pathlib.Path, required=True)
    parser.add_argument('--examples', type=pathlib.Path, default=pathlib.Path('/usr/share/doc/librocksdb-dev/examples'))
    parser.add_argument('--compiler', default='c++')
    parser.add_argument('--c-compiler', default='cc')
    args = parser.parse_args()
    args.library = args.library.resolve()
    sources = sorted(path for path in args.examples.glob('*') if path.suffix in ('.c', '.cc'))
    if not sources:
        print(f'no examples in {args.examples}')
        sys.exit(77)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            why = build_and_run(source, pathlib.Path(folder), args)
            print(f'{source.name}: {why or "OK"}', flush=True)
            failed += why is not None
    print(f'{len(sources) - failed} of {len(sources)} passed')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
