#!/usr/bin/env python3
"""RocksDB's own test of its C interface on the libraries that stand for RocksDB's (cmake/CairnDropIn.cmake), each release's on that of the
release: what it needs that is not there, and how far it goes.

  scripts/c_test.py [--crate 0.10 0.17 0.19] [--dropins build/demo/dropin] [--out bench/results/c-test.md]

The program, c_test.c, and the header that it is compiled with come from the crate librocksdb-sys, fetched by cargo for this run
(its release is RocksDB's, behind the '+': 0.10 has 7.9.2, 0.17 10.4.2, 0.19 11.8.1). For what is missing it is linked with functions
that say their name and end it; then again without those of its statements that use one. Exit status: 0 if the latter
passes; 1 otherwise.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import rocksdb_crate

CRATES = ['0.10', '0.17', '0.19']
# By RocksDB's first number.
LIBRARIES = {'7': 'librocksdb.so.7.8', '10': 'librocksdb.so.10', '11': 'librocksdb.so.11'}

# Functions by the beginning of their names: why they are not there.
REASONS = [
    ('load_latest_options', 'not yet in C'),
    ('', 'not yet in C'),
]


# Phases that test what is otherwise here, and why.
ASIDE = {
    'checkpoint_db_id_in_manifest': 'a checkpoint gets an identity of its own',
    'snapshot_with_memtable_inplace_update': '`inplace_update_support` is refused',
    'filter': 'it counts the false positives of one table, for which a write buffer of 100000 bytes here has no room',
}


# The same, of one release, by its first number.
ASIDE_OF = {
    '7': {'addfile': 'it ingests a file of another comparator, which is refused'},
    '11': {'remote_compaction_service': 'its database is made anew beside `db_paths` with files of the one before, which is refused'},
}

# Of a phase the statements that name this, and why.
PARTS = {
    'transactions': (r'rocksdb_transactiondb_flush\w*', 'keys shorter than `identity_as_first_hash` takes, and values of several sizes, are flushed into a '
                     'cuckoo table, which is refused; RocksDB drops what is of another size'),
    'block_based_options_auto': (r'\w*user_defined_index\w*|factory_name\w*', 'RocksDB\'s trie, a user-defined index that comes with it, is not here'),
    'read_options': (r'\w*table_index_factory\w*', 'RocksDB\'s trie, a user-defined index that comes with it, is not here'),
}


def run(command, **kwargs):
    return subprocess.run([str(part) for part in command], text=True, capture_output=True, errors='replace', **kwargs)


def reason_of(function):
    return next(reason for pattern, reason in REASONS if re.match(f'rocksdb_(?:{pattern})', function))


def statements(text):
    """What stands at the top level of a function's body: (start, end) of each statement, block, or comment."""
    depth, start, position = 0, 0, 0
    while position < len(text):
        skip = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|#[^\n]*', re.DOTALL).match(text, position)
        if skip:
            position = skip.end()
            continue
        depth += {'{': 1, '(': 1, '}': -1, ')': -1}.get(text[position], 0)
        position += 1
        follows = re.match(r'\s*(?:;|else\b|while\b)', text[position:]) if text[position - 1] == '}' else None
        if depth == 0 and text[position - 1] in ';}' and not follows:
            yield start, position
            start = position


def reduce(text, uses):
    """The statements of `text` but those that use what is missing: of a block without a head its inner ones."""
    parts, lost = [], False
    for first, last in statements(text):
        part = text[first:last]
        block = re.match(r'\s*\{(.*)\}\Z', part, re.DOTALL)
        if uses.search(part):
            part, lost = '{' + reduce(block[1], uses)[0] + '\n}' if block else '', True
        parts.append(part)
    return ''.join(parts), lost


def without(source, missing, aside):
    """c_test.c without the statements of main() that use what is missing, nor those phases, and the phases that lost something."""
    begin = source.index('{', source.index('int main(')) + 1
    end = source.rindex('return 0;')
    parts, lost = [], []
    for phase in re.split(r'(?=StartPhase\()', source[begin:end]):
        name = re.match(r'StartPhase\("([^"]*)"\);', phase)
        if name and name[1] in aside:
            phase, has_lost = name[0] + '\n', True
        else:
            names = [*missing, *([PARTS[name[1]][0]] if name and name[1] in PARTS else [])]
            has_lost = False
            if names:
                phase, has_lost = reduce(phase, re.compile(r'\b(?:' + '|'.join(names) + r')\b'))
        parts.append(phase)
        if has_lost:
            lost.append(name[1] if name else 'the beginning')
    return source[:begin] + ''.join(parts) + '\n  ' + source[end:], lost


def compile_without(folder, rocksdb, source, missing, aside):
    """(the object, the phases that lost something)"""
    missing = set(missing)
    while True:
        reduced, lost = without(source, missing, aside)
        test, words = compile_test(folder, rocksdb, reduced, may_fail=True)
        if test:
            return test, lost
        # A variable's declaration is gone: what uses it goes, too.
        undeclared = set(re.findall(r"error: ['\u2018](\w+)['\u2019] undeclared", words)) - missing
        if not undeclared:
            sys.exit(f'c_test.py: gcc does not compile what is left of c_test.c:\n{words[-2000:]}')
        missing |= undeclared


def compile_test(folder, rocksdb, source, may_fail=False):
    """The object, and the functions that it uses; or, if it may fail, none, and the compiler's words."""
    (folder / 'c_test.c').write_text(source)
    compiled = run(['gcc', '-c', '-w', '-DROCKSDB_PLATFORM_POSIX', '-DOS_LINUX', f'-I{rocksdb}', f'-I{rocksdb}/include',
                    folder / 'c_test.c', '-o', folder / 'c_test.o'])
    if compiled.returncode != 0 and may_fail:
        return None, compiled.stderr
    if compiled.returncode != 0:
        sys.exit(f'c_test.py: gcc does not compile c_test.c:\n{compiled.stderr[-2000:]}')
    return folder / 'c_test.o', set(re.findall(r' U (rocksdb_\w+)', run(['nm', folder / 'c_test.o']).stdout))


def run_test(folder, test, library, missing):
    """(whether it passes, words)."""
    stand_ins = folder / 'missing.c'
    stand_ins.write_text('#include <stdio.h>\n#include <unistd.h>\n' + ''.join(
        f'void {name}(void) {{ fprintf(stderr, "missing: {name}\\n"); _exit(42); }}\n' for name in missing))
    program = folder / 'c_test'
    linked = run(['gcc', test, stand_ins, '-o', program, library.resolve(), '-lm', '-lpthread',
                  f'-Wl,-rpath,{library.resolve().parent}'])
    if linked.returncode != 0:
        return False, f'does not link:\n\n```\n{linked.stderr[-2000:]}\n```'
    result = run([program], cwd=folder, timeout=1200, env={**os.environ, 'TEST_TMPDIR': str(folder)})
    output = result.stdout + result.stderr
    phases = re.findall(r'^=== Test (.*)$', output, re.MULTILINE)
    stop = re.search(r'^missing: (\w+)$', output, re.MULTILINE)
    if result.returncode == 0 and 'PASS' in output:
        return True, 'passes.'
    if stop:
        return False, f'ends in its phase {len(phases)}, `{phases[-1]}`: there is no `{stop[1]}`.'
    return False, f'fails in its phase {len(phases)}, `{phases[-1] if phases else "?"}`:\n\n```\n{output[-2000:]}\n```'


def play(crate, dropins):
    """(whether what is left passes, the report's lines)."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        rocksdb, version = rocksdb_crate.fetch(folder, crate)
        release = version.split('+')[-1].split('.')[0]
        library = dropins / LIBRARIES[release]
        source = (rocksdb / 'db' / 'c_test.c').read_text()
        phases = len(set(re.findall(r'StartPhase\("([^"]*)"\)', source)))
        test, used = compile_test(folder, rocksdb, source)
        there = set(re.findall(r' T (rocksdb_\w+)', run(['nm', '-D', '--defined-only', library]).stdout))
        missing = sorted(used - there)
        passes, words = run_test(folder, test, library, missing)
        lines = [f'## {version.split("+")[-1]}', '',
                 f'c_test.c of librocksdb-sys {version}, {phases} phases. It uses {len(used)} functions; {len(used) - len(missing)} of them are '
                 f'there. As it is it {words}', '']
        if not passes:
            aside = {**ASIDE, **ASIDE_OF.get(release, {})}
            test, lost = compile_without(folder, rocksdb, source, missing, aside)
            passes, words = run_test(folder, test, library, missing)
            why = {**aside, **{phase: words for phase, (_, words) in PARTS.items()}}
            lines += [f'Without the statements below it {words}', '', '| phase | |', '| --- | --- |']
            lines += [f'| {"" if phase in aside else "a part of "}`{phase}` | {why.get(phase, "what is refused, or is not there")} |' for phase in lost]
            lines.append('')
    groups = collections.defaultdict(list)
    for function in missing:
        groups[reason_of(function)].append(function)
    if missing:
        lines += ['| missing | why | |', '| ---: | --- | --- |']
        for reason, functions in sorted(groups.items(), key=lambda group: -len(group[1])):
            names = ', '.join(f'`{name.removeprefix("rocksdb_")}`' for name in functions)
            lines.append(f'| {len(functions)} | {reason} | {names} |')
        lines.append('')
    return passes, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--crate', nargs='*', default=CRATES, help='which releases of librocksdb-sys')
    parser.add_argument('--dropins', type=pathlib.Path, default='build/demo/dropin')
    parser.add_argument('--out', type=pathlib.Path, help='where the table goes')
    args = parser.parse_args()
    missing = [name for name in LIBRARIES.values() if not (args.dropins / name).exists()]
    if missing:
        sys.exit(f'c_test.py: no {args.dropins / missing[0]}: make c-test builds it')
    lines = ['# RocksDB\'s test of the C interface', '',
             '`make c-test`: `scripts/c_test.py`. Each is compiled by gcc with its own header, and run on the library that',
             'stands for RocksDB\'s of the release (`make install-dropin`).', '']
    all_pass = True
    for crate in args.crate:
        passes, part = play(crate, args.dropins.resolve())
        all_pass &= passes
        lines += part
    text = '\n'.join(lines).rstrip('\n') + '\n'
    if args.out:
        args.out.write_text(text)
    print(text, end='')
    sys.exit(0 if all_pass else 1)


if __name__ == '__main__':
    main()
