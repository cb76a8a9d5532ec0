#!/usr/bin/env python3
"""The libraries that stand for RocksDB's by its names (cmake/CairnDropIn.cmake): what they are called, what they show, what runs on them,
and what does not, and how it says so.

  dropin_test.py --dropins build/release/dropin --include include [--release RELEASE=HEADERS...] [--rocksdb librocksdb.so] [--cc cc] [--cxx c++]

dropin_program.c is compiled with Cairn's header as that of each release, or with RocksDB's own (--release 10=FOLDER: the folder that has
rocksdb/c.h), linked with the release's library, and run. With --rocksdb, Debian's 7.8.3: the program that is linked with that prints the same
on it and on ours, and one in C++ does not start on ours. Exit status: 0 if all holds.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# By CAIRN_C_RELEASE: the folder with the link for the linker, the name by which programs load it, its other names.
LIBRARIES = {7: ('7.8', 'librocksdb.so.7.8', []), 10: ('10', 'librocksdb.so.10', ['librocksdb.so.10.4']),
             11: ('11', 'librocksdb.so.11', ['librocksdb.so.11.8'])}

CXX_PROGRAM = '''#include <rocksdb/db.h>
#include <cstdio>
int main(int, char** argv) {
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  std::puts("it runs");
  const rocksdb::Status s = rocksdb::DB::Open(options, argv[1], &db);
  std::puts(s.ToString().c_str());
  delete db;
}
'''
# Functions that no release has; the library that the program is linked with has them.
OF_TOMORROW = 'void rocksdb_of_tomorrow(void);\nvoid rocksdb_of_next_year(void);\n'
PROGRAM_OF_TOMORROW = OF_TOMORROW + '''#include <stdio.h>
int main(int argc, char** argv) {
  (void)argv;
  puts("it runs");
  if (argc > 1) rocksdb_of_tomorrow();
  if (argc > 1) rocksdb_of_next_year();
  return 0;
}
'''
LIBRARY_OF_TOMORROW = OF_TOMORROW + 'void rocksdb_of_tomorrow(void) {}\nvoid rocksdb_of_next_year(void) {}\n'


class Failure(Exception):
    pass


def expect(holds, words):
    if not holds:
        raise Failure(words)


def run(command, **options):
    return subprocess.run([str(word) for word in command], text=True, errors='replace', stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=300, check=False, **options)


def must(command, **options):
    result = run(command, **options)
    expect(result.returncode == 0, f'{" ".join(map(str, command))}: exit status {result.returncode}\n{result.stdout}{result.stderr}')
    return result.stdout


class Test:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder

    def start(self, program, libraries, *words):
        """The program, with this folder before the system's."""
        return run([program, *words], cwd=self.folder, env={**os.environ, 'LD_LIBRARY_PATH': str(libraries)})

    def compile(self, name, source, *words):
        program = self.folder / name
        compiler = self.args.cxx if str(source).endswith('.cc') else self.args.cc
        # Calls are bound when they are first made, as where a program is not asked for more.
        must([compiler, source, '-o', program, '-Wl,-z,lazy', *words])
        return program

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def program(self, release):
        folder, name, _ = LIBRARIES[release]
        of_rocksdb = self.args.release.get(release)
        headers = [f'-I{of_rocksdb}'] if of_rocksdb else [f'-I{self.args.include}', f'-DCAIRN_C_RELEASE={release}', '-DCAIRN_C_DROPIN']
        return self.compile(f'program_{name}', HERE / 'dropin_program.c', '-std=gnu11', '-Wall', '-Werror', f'-DRELEASE={release}', *headers,
                            f'-L{self.args.dropins / folder}', '-lrocksdb')

    def names(self):
        """Each has its name, its links, RocksDB's C functions, and nothing of C++ or of ours."""
        for folder, name, others in LIBRARIES.values():
            library = self.args.dropins / name
            soname = re.search(r'\(SONAME\).*\[(.*)\]', must(['readelf', '-d', library]))
            expect(soname and soname[1] == name, f'{library}: its name is {soname and soname[1]}')
            for link in [self.args.dropins / folder / 'librocksdb.so', *(self.args.dropins / other for other in others)]:
                expect(link.resolve() == library.resolve(), f'{link} is not {library}')
            shown = {line.split()[-1].split('@')[0] for line in must(['nm', '-D', '--defined-only', library]).splitlines()}
            shown -= {f'ROCKSDB_{folder}'}
            expect(all(symbol.startswith('rocksdb_') for symbol in shown), f'{library} shows {sorted(shown)[:3]}')
            expect(len(shown) > 1500, f'{library} has {len(shown)} functions')
            expect(not any(re.search(r'_(?:7|8|11)$', symbol) for symbol in shown), f'{library} has functions of other releases')
            expect('rocksdb_slicetransform_create' in shown, f'{library} lacks rocksdb_slicetransform_create')
            expect(('rocksdb_options_statistics_get_ticker_count' in shown) == (name != 'librocksdb.so.7.8'),
                   f'{library}: rocksdb_options_statistics_get_ticker_count is of RocksDB 8 and later')

    def releases(self):
        """A program of each release prints the same, but for what only the later ones have."""
        for release in LIBRARIES:
            result = self.start(self.program(release), self.args.dropins, self.folder / 'db')
            expect(result.returncode == 0, f'a program of release {release}: {result.returncode}\n{result.stdout}{result.stderr}')
            metrics = {7: 78, 10: 80, 11: 86}[release]
            for line in ['aa2=value+more', 'b is not there', 'destroyed firsttwo', 'plain=table', f'blocks in the cache: 1; metrics: {metrics}',
                         'rocksdb.number.keys.written COUNT : 6', 'rocksdb.memtable.hit COUNT : 2']:
                expect(line in result.stdout.splitlines(), f'a program of release {release} does not print "{line}":\n{result.stdout}')
            if release >= 10:
                for line in ['keys written: 6, memtable hits: 2', 'writes: 6']:
                    expect(line in result.stdout.splitlines(), f'a program of release {release} does not print "{line}":\n{result.stdout}')

    def other_release(self):
        """What was linked with one release's library does not start on another's."""
        program = self.program(10)
        others = self.folder / 'others'
        others.mkdir()
        (others / 'librocksdb.so.10').symlink_to(self.args.dropins / 'librocksdb.so.11')
        result = self.start(program, others, self.folder / 'db')
        expect(result.returncode != 0 and result.stdout == '' and 'ROCKSDB_10' in result.stderr,
               f'a program of release 10 on the library of 11: {result.returncode}\n{result.stdout}{result.stderr}')

    def functions_of_tomorrow(self):
        """A program that wants functions that are not there says so, before it does anything."""
        (self.folder / 'tomorrow').mkdir()
        made = self.folder / 'tomorrow' / 'librocksdb.so'
        must([self.args.cc, '-shared', '-fPIC', self.write('tomorrow.c', LIBRARY_OF_TOMORROW), '-o', made, '-Wl,-soname,librocksdb.so.11'])
        program = self.compile('of_tomorrow', self.write('program_of_tomorrow.c', PROGRAM_OF_TOMORROW), made)
        result = self.start(program, self.args.dropins)
        expect((result.returncode, result.stdout) == (127, ''), f'a program of tomorrow: {result.returncode}\n{result.stdout}{result.stderr}')
        expect('librocksdb.so.11 (Cairn)' in result.stderr and 'rocksdb_of_' in result.stderr and 'another release' in result.stderr,
               result.stderr)

    def programs_of_rocksdb(self):
        """A program that is linked with RocksDB's library prints the same on ours."""
        program = self.compile('of_debian', HERE / 'dropin_program.c', '-std=gnu11', '-w', '-DRELEASE=7', self.args.rocksdb)
        theirs = self.start(program, '', self.folder / 'db')
        expect(theirs.returncode == 0, f'on RocksDB: {theirs.returncode}\n{theirs.stdout}{theirs.stderr}')
        ours = self.start(program, self.args.dropins, self.folder / 'db')
        expect(ours.returncode == 0, f'on Cairn: {ours.returncode}\n{ours.stdout}{ours.stderr}')
        expect(ours.stdout == theirs.stdout, f'on RocksDB:\n{theirs.stdout}\non Cairn:\n{ours.stdout}')

    def programs_in_cxx(self):
        """One in C++ does not start, and says why; its database is not touched."""
        source = self.write('program.cc', CXX_PROGRAM)
        for name, words in {'bound_late': [], 'bound_at_once': ['-Wl,-z,now']}.items():
            program = self.compile(name, source, '-std=c++17', '-w', self.args.rocksdb, *words)
            theirs = self.start(program, '', self.folder / 'theirs')
            expect(theirs.stdout == 'it runs\nOK\n', f'on RocksDB: {theirs.stdout}{theirs.stderr}')
            ours = self.start(program, self.args.dropins, self.folder / 'ours')
            expect((ours.returncode, ours.stdout) == (127, ''), f'{name}: {ours.returncode}\n{ours.stdout}{ours.stderr}')
            expect('rocksdb' in ours.stderr and ('undefined symbol' in ours.stderr or "compile it with Cairn's headers" in ours.stderr),
                   ours.stderr)
            expect(not (self.folder / 'ours').exists(), f'{name} made a database')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--dropins', type=pathlib.Path, required=True)
    parser.add_argument('--include', type=pathlib.Path, required=True)
    parser.add_argument('--release', nargs='*', default=[], help='RocksDB\'s own headers for a release')
    parser.add_argument('--rocksdb', type=pathlib.Path)
    parser.add_argument('--cc', default='cc')
    parser.add_argument('--cxx', default='c++')
    args = parser.parse_args()
    args.dropins = args.dropins.resolve()
    args.release = {int(number): folder for number, _, folder in (word.partition('=') for word in args.release)}
    tests = [Test.names, Test.releases, Test.other_release, Test.functions_of_tomorrow]
    if args.rocksdb:
        tests += [Test.programs_of_rocksdb, Test.programs_in_cxx]
    failed = 0
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(Test(args, pathlib.Path(folder)))
                print(f'{test.__name__}: ok')
            except Failure as failure:
                failed += 1
                print(f'{test.__name__}: {failure}')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
