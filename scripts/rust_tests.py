#!/usr/bin/env python3
"""rust-rocksdb's own tests, unmodified, on Cairn and on RocksDB: what passes on each.

  scripts/rust_tests.py [--build build/demo] [--only cairn|rocksdb] [--static] [--out bench/results/rust.md] [RELEASE...]

RELEASE: 0.20 to 0.25; all without any. Cairn is installed from --build into build/rust/prefix. The crate and what it needs come by cargo
into build/rust; its build is told of the library by the variables that the crate documents (ROCKSDB_LIB_DIR, ROCKSDB_INCLUDE_DIR; --static:
ROCKSDB_STATIC, libcairn.a) and makes its bindings by libclang. On RocksDB the tests run with the header that the crate carries and Debian's
librocksdb (0.20), or the library in the jar for Java of the same release, whose functions of C are all there; what it gave is kept beside the
crate and not run again. Each test program runs as a whole; a test that it has no verdict of, because it died, runs once more, alone.
Documentation tests do not run, nor those of what does not compile.
Exit status: 0 if what passes on RocksDB passes on Cairn but for what is in REASONS; 1 otherwise.
"""
import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / 'build/rust'
SECONDS = 900    # for one test program, its compilation included

# What only asks whether Rust's compiler refuses a program; the library has no part in it.
OF_THE_COMPILER = ['_outlive_', 'test_open_with_multiple_refs_as_single_threaded']


@dataclasses.dataclass(frozen=True)
class Release:
    crate: str      # of `rocksdb`
    headers: str    # of Cairn, within its include folder
    peer: str       # RocksDB's release that the tests run on; that of the header, or the nearest one that is to be had


RELEASES = {
    '0.20': Release('0.20.1', 'cairn/c/7', '7.8.3'),
    '0.21': Release('0.21.0', 'cairn/c/7', '8.1.1'),
    '0.22': Release('0.22.0', 'cairn/c/8', '8.10.0'),
    '0.23': Release('0.23.0', '', '10.4.2'),
    '0.24': Release('0.24.0', '', '10.4.2'),
    '0.25': Release('0.25.0', 'cairn/c/11', '11.1.1'),
}

# Tests that may fail on Cairn alone, and why.
MEMORY = 'an empty block cache here has no memory of its own'
SHAPE = 'whether a compaction of level 1 ends before the database is closed'
NO_LOG = 'a checkpoint whose memtables were flushed has no log; RocksDB\'s has an empty one'
REASONS = {
    'test_checkpoint::test_checkpoint_with_log_size_zero_forces_flush': NO_LOG,
    'test_checkpoint::test_optimistic_transaction_db_checkpoint_with_log_size_zero_forces_flush': NO_LOG,
    'test_rocksdb_options::test_crc32_build': 'the CRC is fast here, by what the processor has; the test wants that of a build for any',
    'test_db::get_with_cache_and_bulkload_test': SHAPE,
    'test_db::get_with_cache_and_bulkload_and_blobs_test': SHAPE,
    'test_iterator::test_full_iterator': 'without `total_order_seek`, too, an iterator over a hash of skip lists sees all keys',
    'test_merge_operator::failed_merge_test': 'the error has the words of RocksDB 8 and later (0.20 asks for those of 7)',
    'test_optimistic_transaction_db_memory_usage::test_optimistic_transaction_db_memory_usage': MEMORY,
    'test_transaction_db_memory_usage::test_transaction_db_memory_usage': MEMORY,
}


def stop(words):
    sys.exit(f'rust_tests.py: {words}')


def run(command, **options):
    try:
        return subprocess.run([str(word) for word in command], text=True, errors='replace', stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, **options)
    except FileNotFoundError:
        stop(f'no {command[0]}; scripts/install-deps.sh rust installs all but cargo (apt-get install cargo, or a newer one: 0.25 of the '
             'crate wants Rust 1.88)')


def run_or_stop(command, **options):
    done = run(command, **options)
    if done.returncode != 0:
        stop(f'{" ".join(map(str, command))[:300]}: exit status {done.returncode}\n{done.stdout[-4000:]}')
    return done.stdout


def metadata(folder, *flags):
    text = run_or_stop(['cargo', 'metadata', '--format-version', '1', '--quiet', *flags], cwd=folder)
    return json.loads(next(line for line in text.splitlines() if line.startswith('{')))


def fetch(release):
    """A copy of the crate's sources."""
    copy = FOLDER / release.crate / 'crate'
    if copy.exists():
        return copy
    asking = FOLDER / release.crate / 'fetch'
    (asking / 'src').mkdir(parents=True, exist_ok=True)
    (asking / 'src/lib.rs').write_text('')
    (asking / 'Cargo.toml').write_text('[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n'
                                       f'rocksdb = "={release.crate}"\n[workspace]\n')
    found = next(package for package in metadata(asking)['packages'] if package['name'] == 'rocksdb')
    new = copy.with_suffix('.new')
    shutil.rmtree(new, ignore_errors=True)
    # (rust-toolchain asks rustup for the Rust that its makers use; that of here is as good.)
    shutil.copytree(pathlib.Path(found['manifest_path']).parent, new, ignore=shutil.ignore_patterns('rust-toolchain*'))
    with (new / 'Cargo.toml').open('a') as manifest:
        manifest.write('\n[workspace]\n')    # none of what lies above
    new.rename(copy)
    return copy


def install(build):
    """Where Cairn is: (folder of include/, folder of libcairn.so)."""
    prefix = FOLDER / 'prefix'
    run_or_stop(['cmake', '--install', build, '--prefix', prefix, '--component', 'library'])
    return prefix / 'include', next(prefix.rglob('libcairn.so')).parent


def peer_library(release):
    """The folder with librocksdb.so, None: there is none."""
    if release.peer == '7.8.3':
        found = next(pathlib.Path('/usr/lib').glob('*/librocksdb.so'), None)
        return found and found.parent
    done = run([ROOT / 'scripts/fetch_peer.py', '--version', release.peer])
    if done.returncode != 0:
        print(f'rust_tests.py: no RocksDB {release.peer}: {done.stdout[-300:]}', flush=True)
        return None
    library = pathlib.Path(done.stdout.strip().splitlines()[-1])
    named = library.with_name('librocksdb.so')
    if not named.exists():
        named.symlink_to(library.name)
    return library.parent


def libclang():
    """Variables by which bindgen finds it."""
    if 'LIBCLANG_PATH' in os.environ:
        return {}
    found = sorted(pathlib.Path('/usr/lib').glob('llvm-*/lib/libclang*.so*'), key=lambda path: int(path.parts[3][5:]))
    found = [path for path in found if not path.name.startswith('libclang-cpp')]
    return {'LIBCLANG_PATH': str(found[-1].parent)} if found else {}


def environment(include, library, loaded_from, static):
    """`include` None: the header of the crate."""
    variables = {**os.environ, **libclang(), 'ROCKSDB_LIB_DIR': str(library), 'LD_LIBRARY_PATH': str(loaded_from),
                 'CARGO_TARGET_DIR': str(FOLDER / 'target'), 'CARGO_PROFILE_DEV_DEBUG': '0', 'CARGO_PROFILE_TEST_DEBUG': '0'}
    for name in ('ROCKSDB_INCLUDE_DIR', 'ROCKSDB_STATIC', 'RUSTFLAGS'):
        variables.pop(name, None)
    if include:
        variables['ROCKSDB_INCLUDE_DIR'] = str(include)
    if static:
        variables['ROCKSDB_STATIC'] = '1'
        variables['RUSTFLAGS'] = ' '.join(f'-Clink-arg=-l{name}' for name in ('uring', 'isal', 'xxhash'))
    return variables


def test_targets(crate):
    """The flags of cargo by which each test program is built, and its name."""
    package = metadata(crate, '--no-deps')['packages'][0]
    yield 'lib', ['--lib']
    for target in package['targets']:
        if target['kind'] == ['test']:
            yield target['name'], ['--test', target['name']]


def run_program(crate, flags, variables):
    """{test: verdict}, and what was said."""
    command = ['cargo', 'test', '--quiet', *flags, '--', *[word for name in OF_THE_COMPILER for word in ('--skip', name)]]
    listed = run([*command, '--list'], cwd=crate, env=variables)
    if listed.returncode != 0:
        return {'(all)': 'does not build'}, listed.stdout
    names = re.findall(r'^(.+): test$', listed.stdout, re.MULTILINE)
    try:
        output = run([word for word in command if word != '--quiet'], cwd=crate, env=variables, timeout=SECONDS).stdout
    except subprocess.TimeoutExpired as error:
        output = (error.stdout or b'').decode(errors='replace')
    words = {'ok': 'passed', 'FAILED': 'failed', 'ignored': 'ignored'}
    verdicts = {}
    for name, verdict in re.findall(r'^test (\S+)(?: - .*?)? \.\.\. (ok|FAILED|ignored)', output, re.MULTILINE):
        verdicts[name] = words[verdict]
    for name in names:
        if name in verdicts:
            continue
        try:
            alone = run([*command, '--exact', name], cwd=crate, env=variables, timeout=SECONDS)
            verdicts[name] = 'passed' if alone.returncode == 0 else 'failed'
            output += f'\n--- {name}, alone\n{alone.stdout}'
        except subprocess.TimeoutExpired:
            verdicts[name] = 'failed'
            output += f'\n--- {name}, alone: not done after {SECONDS} seconds\n'
    return verdicts, output


def forget_old_bindings(crate, include, variables):
    """The crate's build does not see that a header has changed."""
    headers = hashlib.sha256(b''.join(path.read_bytes() for path in sorted(include.rglob('c*.h')))).hexdigest()
    stamp = FOLDER / 'headers.sha256'
    if not stamp.exists() or stamp.read_text() != headers:
        run_or_stop(['cargo', 'clean', '--quiet', '-p', 'librocksdb-sys'], cwd=crate, env=variables)
        stamp.write_text(headers)


def run_tests(crate, who, variables):
    """{program::test: verdict}; what was said goes into a file for each program."""
    print(f'{who} {crate.parent.name}: builds', flush=True)
    run(['cargo', 'test', '--quiet', '--no-run', '--lib', '--tests'], cwd=crate, env=variables)    # (what fails says so below)
    results = {}
    for name, flags in test_targets(crate):
        verdicts, output = run_program(crate, flags, variables)
        (crate.parent / f'{who}-{name}.txt').write_text(output)
        if '(all)' in verdicts:
            print(output[-3000:])
        results |= {f'{name}::{test}': verdict for test, verdict in verdicts.items()}
        passed, total = count(verdicts)
        failed = [test for test, verdict in verdicts.items() if verdict not in ('passed', 'ignored')]
        print(f'{who} {crate.parent.name} {name}: {passed} of {total}{" but " if failed else ""}{", ".join(failed)}', flush=True)
    return results


def count(verdicts):
    ran = [verdict for verdict in verdicts.values() if verdict != 'ignored']
    return ran.count('passed'), len(ran)


def failed_alone(ours, theirs):
    """What fails on Cairn and not on RocksDB."""
    return [test for test, verdict in ours.items()
            if verdict not in ('passed', 'ignored') and (theirs or {}).get(test, 'passed') == 'passed']


def reason(test):
    return REASONS.get(test, '')


def report(results, static):
    how = 'libcairn.a (`ROCKSDB_STATIC`)' if static else 'libcairn.so'
    lines = [
        '# rust-rocksdb\'s own tests', '',
        f'`scripts/rust_tests.py` (`make rust-test`): the crate `rocksdb`, unmodified, on {how} with Cairn\'s headers, and on RocksDB with '
        'the crate\'s. Ignored tests do not count; documentation tests, and those of what does not compile, did not run.', '',
        '| crate | on Cairn | on RocksDB | fails on Cairn alone | fails on both |', '| --- | ---: | ---: | --- | --- |',
    ]
    for name, (ours, theirs) in results.items():
        alone = failed_alone(ours, theirs)
        both = [test for test, verdict in ours.items() if verdict not in ('passed', 'ignored') and test not in alone]
        their_count = '{} of {}'.format(*count(theirs)) + f' ({RELEASES[name].peer})' if theirs else 'not run'
        our_count = '{} of {}'.format(*count(ours)) if ours else 'not run'
        told = ', '.join(f'`{test}`' + (f' ({reason(test)})' if reason(test) else '') for test in alone)
        lines.append(f'| {RELEASES[name].crate} | {our_count} | {their_count} | {told} | {", ".join(f"`{test}`" for test in both)} |')
    return '\n'.join(lines) + '\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('releases', nargs='*', metavar='RELEASE', help=', '.join(RELEASES))
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build/demo', help='a folder with cairn and cairn_shared built')
    parser.add_argument('--only', choices=['cairn', 'rocksdb'])
    parser.add_argument('--static', action='store_true', help='link libcairn.a')
    parser.add_argument('--out', type=pathlib.Path, help='where the table goes')
    args = parser.parse_args()
    unknown = [name for name in args.releases if name not in RELEASES]
    if unknown:
        parser.error(f'no release {unknown[0]}: there are {", ".join(RELEASES)}')
    results = {}
    include, library = (None, None) if args.only == 'rocksdb' else install(args.build)
    for name in args.releases or RELEASES:
        release = RELEASES[name]
        crate = fetch(release)
        ours = theirs = None
        if args.only != 'rocksdb':
            variables = environment(include / release.headers, library / 'cairn/as_rocksdb', library, args.static)
            forget_old_bindings(crate, include, variables)
            ours = run_tests(crate, 'cairn', variables)
        kept = crate.parent / 'rocksdb.json'
        if kept.exists():
            theirs = json.loads(kept.read_text())
        elif args.only != 'cairn' and (theirs_at := peer_library(release)):
            theirs = run_tests(crate, 'rocksdb', environment(None, theirs_at, theirs_at, static=False))
            kept.write_text(json.dumps(theirs, indent=1))
        results[name] = (ours or {}, theirs)
    text = report(results, args.static)
    if args.out:
        args.out.write_text(text)
    print(text, end='')
    sys.exit(1 if any(not reason(test) for ours, theirs in results.values() for test in failed_alone(ours, theirs)) else 0)


if __name__ == '__main__':
    main()
