#!/usr/bin/env python3
"""Databases handed back and forth between Cairn on Linux and Cairn built for Windows, one feature that reaches the disk at a time.

  scripts/interop_windows.py [--linux build/release] [--windows build/windows/release] [--only FEATURE,...] [--keys 5000]
                             [--jobs N] [--out FILE.md]

libcairn.so and libcairn.dll, the latter under Wine, are driven through the C interface by releases_driver (test/interop/releases),
which also names the features. In each direction the first system writes and ends as if it were killed; the second recovers,
verifies every key, forward, backward and by point, and goes on writing; then the first verifies what both wrote, and goes on; and
the second verifies that. Exit status 1: some of it failed.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import windows_test
from interop_releases import ROOT, Driver, cell


class TwoSystems(Driver):
    """The driver of either system, for a "library" that is 'Linux' or 'Windows'."""

    def __init__(self, starts, env, keys, work):
        super().__init__(None, keys, work)
        self.starts, self.env = starts, env

    def start(self, library):
        return self.starts[library]


def wine_version():
    if not windows_test.emulator():
        return 'Windows'
    return subprocess.run([*windows_test.emulator(), '--version'], capture_output=True, text=True, check=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--linux', type=pathlib.Path, default=ROOT / 'build/release')
    parser.add_argument('--windows', type=pathlib.Path, default=ROOT / 'build/windows/release')
    parser.add_argument('--only', default='')
    parser.add_argument('--keys', type=int, default=5000)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--out', type=pathlib.Path)
    args = parser.parse_args()
    build = args.windows.resolve()
    linux = [args.linux.resolve() / 'test/interop/releases_driver', args.linux.resolve() / 'libcairn.so']
    windows = [build / 'test/interop/releases_driver.exe', build / 'libcairn.dll']
    if missing := [str(path) for path in (*linux, *windows) if not path.exists()]:
        print(f'interop_windows.py: not built: {", ".join(missing)}', file=sys.stderr)
        return 2
    starts = {'Linux': linux, 'Windows': [*windows_test.emulator(), *windows]}
    only = args.only.split(',') if args.only else None
    with windows_test.wine_up(build), tempfile.TemporaryDirectory(prefix='cairn_windows_') as work, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        env = windows_test.environment(build)

        def play(feature):
            """The row of a feature, which its own folder has the databases of."""
            name, title, *_ = feature
            folder = pathlib.Path(work) / name
            folder.mkdir()
            driver = TwoSystems(starts, env, args.keys, folder)
            row = [title, *(cell(driver.back_and_forth, name, first, second)
                            for first, second in (('Linux', 'Windows'), ('Windows', 'Linux')))]
            print(' | '.join(row), flush=True)
            return row

        features = [line.split('\t') for line in TwoSystems(starts, env, args.keys, work)('Linux', 'features')]
        # (What Cairn only reads, or refuses, it does not write.)
        chosen = [feature for feature in features if feature[2] == 'full' and (only is None or feature[0] in only)]
        rows = list(pool.map(play, chosen))
    table = windows_test.in_columns([['on disk', 'begun on Linux', 'begun on Windows'], *rows])
    failed = sum(text != 'ok' for row in rows for text in row[1:])
    print(f'{2 * len(rows) - failed} of {2 * len(rows)} passed')
    if args.out:
        args.out.write_text(
            '# Databases handed between Linux and Windows\n\n'
            f'`scripts/interop_windows.py`: libcairn.so, and libcairn.dll under {wine_version()}, {args.keys:,} keys a phase. In each cell one '
            'system writes (phase 1 of `test/interop/workload.h`, several levels, the last batches in the log) and ends as if it were '
            'killed; the other recovers, verifies every key by scans in both directions and samples of them by `get` and `multi_get`, and '
            'goes on writing; the first verifies and goes on; the other verifies.\n\n' + table + '\n')
    return 1 if failed or not rows else 0


if __name__ == '__main__':
    sys.exit(main())
