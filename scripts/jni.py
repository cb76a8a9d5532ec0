#!/usr/bin/env python3
"""RocksJava on Cairn: RocksJava's native sources, unmodified, compiled against Cairn's public headers and linked with Cairn to the
library that the unmodified org.rocksdb:rocksdbjni jar loads.

  scripts/jni.py [--release 7.8.3|10.4.2|11.1.1] [--build build/demo] [--jobs N] [--compile-only] [--example]

The sources are those of Debian's package of RocksDB (7.8.3) or of a crate (10.4.2, 11.1.1), the jar is Maven's; both come into
build/jni/RELEASE and stay there. What the sources include of RocksDB's private headers, or take of public ones that is not in Cairn's,
is answered by ours in tools/jni/include; a file that reads a header of an installed RocksDB counts as one that does not compile. Prints
how many files compile and the rest of the errors by cause, then links build/jni/RELEASE/lib/librocksdbjni.so out of what compiles (a call
to what is missing is Java's UnsatisfiedLinkError, which names it).
--example: compiles and runs examples/java on it. Exit status: 0 if all compiles but what is in NOT_YET; 1 otherwise.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import debian_source
import fetch_peer
import rocksdb_crate

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Where the sources of each release come from: a suite of Debian, or a crate and its release. (Later releases of librocksdb-sys leave
# Java's part out, as those of rust-librocksdb-sys do after 11.1.)
SUITES = {'7.8.3': 'bookworm'}
CRATES = {'10.4.2': ('librocksdb-sys', '=0.17.3'), '11.1.1': ('rust-librocksdb-sys', '=0.45.1')}
RELEASES = [*SUITES, *CRATES]
# Of these the jar without a classifier has no library for Linux.
CLASSIFIERS = {'10.4.2': fetch_peer.CLASSIFIER}

# What RocksJava's own tests need, of Debian's packages junit4, libassertj-core-java, libmockito-java.
TEST_JARS = ['junit4', 'assertj-core', 'mockito-core', 'hamcrest', 'byte-buddy', 'byte-buddy-agent', 'objenesis']

# Files that may fail to compile, and why.
CASSANDRA = 'Cassandra\'s format of rows is not in Cairn'
NOT_YET = {'cassandra_compactionfilterjni.cc': CASSANDRA, 'cassandra_value_operator.cc': CASSANDRA}


def run(command, **options):
    return subprocess.run([str(word) for word in command], text=True, errors='replace', stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **options)


def run_or_exit(command, **options):
    done = run(command, **options)
    if done.returncode != 0:
        sys.exit(f'jni.py: {" ".join(map(str, command))[:300]}: exit status {done.returncode}\n{done.stdout[-4000:]}')
    return done.stdout


def java_home():
    """The folder of the JDK whose javac is first in PATH."""
    javac = shutil.which('javac')
    if javac is None:
        sys.exit('jni.py: no javac; run scripts/install-deps.sh jni')
    return pathlib.Path(javac).resolve().parent.parent


class Workplace:
    """What is fetched and made for one release of RocksJava, all under build/jni/RELEASE."""

    def __init__(self, release):
        self.release = release
        self.folder = ROOT / 'build/jni' / release
        self.java = self.folder / 'rocksdb/java'
        self.natives = self.java / 'rocksjni'
        self.headers = self.folder / 'headers'
        self.objects = self.folder / 'objects'
        self.library = self.folder / 'lib/librocksdbjni.so'
        self.classifier = CLASSIFIERS.get(release)
        self.jar = self.folder / f'rocksdbjni-{release}{f"-{self.classifier}" if self.classifier else ""}.jar'
        self.test_classes = self.folder / 'test-classes'

    def fetch(self):
        if not self.java.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            if self.release in SUITES:
                try:
                    debian_source.fetch('rocksdb', self.release, SUITES[self.release], self.folder)
                except debian_source.SourceError as error:
                    sys.exit(f'jni.py: {error}')
            else:
                with tempfile.TemporaryDirectory(dir=self.folder) as scrap:
                    crate, version = CRATES[self.release]
                    tree, _ = rocksdb_crate.fetch(pathlib.Path(scrap), version, crate)
                    self.java.parent.mkdir(exist_ok=True)
                    (tree / 'java').rename(self.java)
        if not self.jar.exists():
            artifact = f'org.rocksdb:rocksdbjni:{self.release}{f":jar:{self.classifier}" if self.classifier else ""}'
            done = fetch_peer.copy_artifact('mvn', artifact, self.folder)
            if done.returncode != 0:
                sys.exit(f'jni.py: mvn failed: exit status {done.returncode}\n{done.stdout[-4000:]}')

    def class_path(self):
        jars = [pathlib.Path('/usr/share/java') / f'{name}.jar' for name in TEST_JARS]
        return ':'.join(str(path) for path in [self.jar, *jars])

    def make_headers(self):
        """The headers of the native methods; with them come the classes of RocksJava's tests, some of which have native methods."""
        done = self.headers / 'done'
        if done.exists():
            return
        include = self.headers / 'include'
        include.mkdir(parents=True, exist_ok=True)
        if not (self.headers / 'java').exists():
            (self.headers / 'java').symlink_to('.')    # later releases say java/include, too
        with tempfile.TemporaryDirectory() as scrap:
            sources = sorted((self.java / 'src/main/java').rglob('*.java'))
            run_or_exit(['javac', '-nowarn', '-d', scrap, '-h', include, *sources])
        sources = sorted((self.java / 'src/test/java').rglob('*.java'))
        self.test_classes.mkdir(exist_ok=True)
        run_or_exit(['javac', '-nowarn', '-d', self.test_classes, '-h', include, '-cp', self.class_path(), *sources])
        done.touch()


def up_to_date(result, dependencies):
    if not result.exists() or not dependencies.exists():
        return False
    made = result.stat().st_mtime
    names = re.sub(r'\\\n', ' ', dependencies.read_text()).split(':', 1)[1].split()
    return all(pathlib.Path(name).exists() and pathlib.Path(name).stat().st_mtime <= made for name in names)


def compile_file(place, source):
    """The errors of one file, [] if it compiles."""
    made, dependencies = place.objects / f'{source.stem}.o', place.objects / f'{source.stem}.d'
    if up_to_date(made, dependencies):
        return []
    made.unlink(missing_ok=True)
    java = java_home() / 'include'
    compiler = ['ccache'] if shutil.which('ccache') else []
    # RocksJava's sources are as they are: their warnings are not ours to mend.
    compiler += [os.environ.get('CXX', 'c++'), '-std=c++20', '-O1', '-DNDEBUG', '-DOS_LINUX', '-fPIC', '-w', '-fmax-errors=0',
                 f'-DCAIRN_ROCKSDB_RELEASE={place.release.partition(".")[0]}']
    folders = [ROOT / 'tools/jni/include', ROOT / 'include', ROOT / 'fiber/include', place.java, place.natives, place.headers,
               java, java / 'linux', *([place.java.parent] if place.release in CRATES else [])]    # (there is nothing else in it)
    # (In its direct mode ccache does not see a header that came to lie before one of an installed RocksDB.)
    done = run([*compiler, '-MD', '-MF', dependencies, *[f'-I{folder}' for folder in folders], '-c', source, '-o', made],
               env={**os.environ, 'CCACHE_NODIRECT': '1'})
    errors = re.findall(r'(?:fatal )?error: (.*)', done.stdout)
    if done.returncode == 0:
        foreign = re.findall(r'/usr\S*/include/(rocksdb/\S+)', dependencies.read_text())
        errors = [f'{name}: only an installed RocksDB has it' for name in foreign]
        if errors:
            made.unlink()
    return errors or ([] if done.returncode == 0 else [done.stdout[-300:]])


def compile_all(place, jobs):
    """({file: errors}, the objects). In two batches, as each file reads the same large headers; what is in a batch that does not compile, file
    by file."""
    place.objects.mkdir(exist_ok=True)
    sources = sorted(place.natives.glob('*.cc'))
    apart = [source for source in sources if source.name in NOT_YET]
    batches = {}
    for number in range(2):
        batch = place.objects / f'batch-{number}.cc'
        batches[batch] = [source for source in sources if source not in apart][number::2]
        text = ''.join(f'#include "{source}"\n' for source in batches[batch])
        if not batch.exists() or batch.read_text() != text:
            batch.write_text(text)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        broken = [batch for batch, errors in zip(batches, pool.map(lambda batch: compile_file(place, batch), batches)) if errors]
        singly = apart + [source for batch in broken for source in batches[batch]]
        errors = dict.fromkeys((source.name for source in sources), [])
        errors |= dict(zip([source.name for source in singly], pool.map(lambda source: compile_file(place, source), singly)))
    made = [batch for batch in batches if batch not in broken] + [source for source in singly if not errors[source.name]]
    return errors, [place.objects / f'{source.stem}.o' for source in made]


def print_table(release, errors):
    good = [name for name in errors if not errors[name]]
    print(f'RocksJava {release}: {len(good)} of {len(errors)} native files compile')
    causes = collections.defaultdict(set)
    for name, messages in errors.items():
        for message in messages:
            causes[message].add(name)
    for message, names in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f'  {len(names):3} {message}  ({", ".join(sorted(names)[:3])}{", ..." if len(names) > 3 else ""})')


def link(place, objects, build):
    """Cairn goes in whole, so that the library stands alone; nothing but Java's names is seen from outside, so that a program may
    have another RocksDB beside it. It is never unloaded: the threads and statics of the library stay till the end."""
    place.library.parent.mkdir(exist_ok=True)
    names = place.folder / 'exports.map'
    names.write_text('{ global: Java_*; JNI_*; local: *; };\n')
    archive = build / 'libcairn.a'
    if not archive.exists():
        sys.exit(f'jni.py: no {archive}: build the target cairn')
    requires = re.search(r'^Requires\.private: (.*)$', (build / 'cairn.pc').read_text(), re.MULTILINE)[1]
    libraries = run_or_exit(['pkg-config', '--libs', *requires.split()]).split()
    run_or_exit([os.environ.get('CXX', 'c++'), '-shared', '-o', place.library, *objects, archive, *libraries, '-pthread',
                 f'-Wl,--version-script={names}', '-Wl,-z,defs', '-Wl,-z,nodelete', '-Wl,--gc-sections'])
    print(place.library)


def run_example(place):
    with tempfile.TemporaryDirectory() as scrap:
        run_or_exit(['javac', '-d', scrap, '-cp', place.jar, *sorted((ROOT / 'examples/java').glob('*.java'))])
        done = run(['java', f'-Djava.library.path={place.library.parent}', '-cp', f'{scrap}:{place.jar}', 'CairnFromJava',
                    pathlib.Path(scrap) / 'data'])
    print(done.stdout, end='')
    return done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--release', choices=RELEASES, default='7.8.3')
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build/demo', help='where libcairn.a is')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--compile-only', action='store_true')
    parser.add_argument('--example', action='store_true')
    args = parser.parse_args()
    place = Workplace(args.release)
    place.fetch()
    place.make_headers()
    errors, objects = compile_all(place, args.jobs)
    print_table(args.release, errors)
    status = 1 if any(errors[name] and name not in NOT_YET for name in errors) else 0
    if not args.compile_only:
        link(place, objects, args.build)
        if args.example:
            status = run_example(place) or status
    sys.exit(status)


if __name__ == '__main__':
    main()
