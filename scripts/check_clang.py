#!/usr/bin/env python3
"""Has clang look at all that is ours, for its warnings and for the thread-safety annotations (FIBER_GUARDED_BY and its like): each public
header alone, the library, the server, the simulation, the tools, the benchmarks, the examples, the fuzz targets, and the suites under
test/. No code is made. The unit tests beside their files are left out: clang-tidy looks at those that changed.

  scripts/check_clang.py BUILD_FOLDER [--all | --beside_sanitizers] [--jobs N] [FILE...]
    --all                 the unit tests, too
    --beside_sanitizers   without the library and the server, which `make asan` compiles with the same compiler and warnings
    FILE                  these alone

The commands are those of the build folder's compile_commands.json, of the preset clang. A file is looked at again when it, or something
that it includes, changed since it passed. Exit status: 1 if clang has anything to say.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def entries_of(build):
    """Of compile_commands.json: {file below the root: (command, folder)}, each file once."""
    found = {}
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        path = pathlib.Path(entry['directory'], entry['file']).resolve()
        if path.suffix not in ('.cc', '.cpp', '.c') or not path.is_relative_to(ROOT):
            continue
        words = shlex.split(entry['command'])
        for flag in ('-o', '-MF', '-MT'):
            if flag in words:
                at = words.index(flag)
                del words[at:at + 2]
        words = [w for w in words if w not in ('-c', '-MD')]
        # What launches the compiler (ccache) has nothing to keep.
        while not pathlib.Path(words[0]).name.startswith('clang'):
            words = words[1:]
        found.setdefault(str(path.relative_to(ROOT)), (words, entry['directory']))
    return found


def is_unit_test(file):
    return file.endswith('_test.cc') and not file.startswith('test/') or file.startswith('fiber/test/')


def is_in_asan(file):
    return file.startswith(('src/', 'fiber/src/', 'server/'))


def passed_since(stamp, command):
    """Whether the file passed with this command, and nothing that it includes has changed since."""
    try:
        known_command, *files = stamp.read_text().splitlines()
        time = stamp.stat().st_mtime
        return known_command == command and all(os.stat(f).st_mtime < time for f in files)
    except (OSError, ValueError):
        return False


def look(build, file, words, folder):
    """What clang says of a file; empty if nothing."""
    stamp = build / 'looked_at' / (file + '.stamp')
    command = shlex.join(words)
    if passed_since(stamp, command):
        return ''
    stamp.parent.mkdir(parents=True, exist_ok=True)
    includes = stamp.with_suffix('.d')
    # The stamp is as old as the beginning: what changes meanwhile is looked at again.
    begun = stamp.with_suffix('.begun')
    begun.touch()
    time = begun.stat().st_mtime_ns
    result = subprocess.run([*words, '-fsyntax-only', '-MD', '-MF', str(includes)], cwd=folder, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0 or result.stdout.strip():
        return result.stdout or f'{file}: clang ended with {result.returncode}\n'
    text = includes.read_text().replace('\\\n', ' ').split(':', 1)[1] if includes.exists() else ''
    includes.unlink(missing_ok=True)
    own = [os.path.join(folder, f) for f in text.split() if not f.startswith('/usr/')]
    begun.write_text('\n'.join([command, *own]))
    os.utime(begun, ns=(time, time))
    begun.rename(stamp)
    return ''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('files', nargs='*')
    which = parser.add_mutually_exclusive_group()
    which.add_argument('--all', action='store_true')
    which.add_argument('--beside_sanitizers', action='store_true')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    entries = entries_of(build)
    files = arguments.files or [f for f in entries if (arguments.all or not is_unit_test(f)) and
                                not (arguments.beside_sanitizers and is_in_asan(f))]
    unknown = [f for f in files if f not in entries]
    if unknown:
        sys.exit(f'check_clang: no compile command for {", ".join(unknown)}')
    said = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for text in pool.map(lambda f: look(build, f, *entries[f]), files):
            if text:
                said += 1
                print(text, end='', flush=True)
    print(f'check_clang: {len(files)} files looked at, {said} with something said of them')
    return 1 if said else 0


if __name__ == '__main__':
    sys.exit(main())
