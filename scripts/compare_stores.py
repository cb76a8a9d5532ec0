#!/usr/bin/env python3
"""Cairn beside stores of other kinds, and RocksDB: LevelDB, LMDB, TidesDB, those whose libraries are here (bench/peers).

Each row is one kv_bench with a new database; in each round every store runs it once, in turns, another one first each
time. Written: a Markdown table of medians, of Cairn's ratio to each with its spread, and of the processors' time.

  compare_stores.py --build build/demo --peer LIBRARY [--rounds 5] [--rows scan,zipfian] [--out bench/results/stores.md]
"""
import argparse
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

from bench_report import commit, machine
from kv_runs import Failed, run_kv_bench

CLIENTS = 8
WORKERS = 2
BUFFERED = '--options=manual_wal_flush=true'
# Name: what it is called, workloads (the last one is the row's), flags.
ROWS = {
    'load': ('sequential load, batches of 1,000', 'fillseq', ['--num=3000000', '--batch_size=1000']),
    'scan': ('iteration after a sequential load', 'fillseq,readseq', ['--num=3000000', '--batch_size=1000']),
    'put': ('random Put, one by one', 'fillrandom', ['--num=1000000']),
    'put-buffered': ('random Put, the log left in memory', 'fillrandom', ['--num=1000000', BUFFERED]),
    'batch': ('random batches of 1,000', 'fillrandom', ['--num=2000000', '--batch_size=1000']),
    'zipfian': ('Zipfian batches of 1,000', 'fillrandom', ['--num=2000000', '--batch_size=1000', '--distribution=zipfian']),
    'large': ('values of 4 KiB, batches of 100', 'fillrandom', ['--num=50000', '--batch_size=100', '--value_size=4096']),
    'large-buffered': ('the same, the log left in memory', 'fillrandom', ['--num=50000', '--batch_size=100', '--value_size=4096', BUFFERED]),
    'get': ('random Get', 'fillrandom,compact,readrandom', ['--num=1000000']),
    'mixed': ('half random Get, half Put', 'fillrandom,readwrite', ['--num=500000']),
    'zipfian-mixed': ('the same, Zipfian', 'fillrandom,readwrite', ['--num=500000', '--distribution=zipfian']),
    'sync': ('synced Put', 'fillrandom', ['--num=4000', '--sync']),
}
NAMES = {'leveldb': 'LevelDB', 'lmdb': 'LMDB', 'tidesdb': 'TidesDB'}
WITHOUT_BUFFER = ('LevelDB', 'LMDB')    # every write of theirs reaches the system before it is acknowledged


def stores_of(args):
    """{name: (library, flags)}: Cairn's first."""
    ours = args.build / 'libcairn.so'
    found = {'Cairn': (ours, []), 'Cairn, fibers': (ours, [f'--fiber_workers={WORKERS}']), args.peer_name: (args.peer, [])}
    for kind, name in NAMES.items():
        library = args.build / f'bench/libpeer_{kind}.so'
        if library.exists():
            found[name] = (library, [])
        else:
            print(f'compare_stores.py: no {library}: without {name}', file=sys.stderr)
    return found


def run(args, scratch, library, flags, row):
    _, workloads, more = ROWS[row]
    db = f'{scratch}/db'
    shutil.rmtree(db, ignore_errors=True)
    try:
        return run_kv_bench(args.build / 'bench/kv_bench', library, db, workloads, [f'--threads={CLIENTS}', *more, *flags, *args.flags.split()])[-1]
    finally:
        shutil.rmtree(db, ignore_errors=True)


def ratio_of(ours, theirs):
    ratios = [a / b for a, b in zip(ours, theirs)]
    return f'**{statistics.median(ratios):.2f}** ({min(ratios):.2f} to {max(ratios):.2f})'


def text_of(args, stores, found):
    names = list(stores)
    peers = names[2:]
    lines = ['# Cairn beside other stores', '',
             f'Written by `scripts/compare_stores.py` (`make bench-stores`): {CLIENTS} clients, keys of 16 bytes and, where nothing else is said, values of '
             f'100, Snappy where the store has it, a cache of 64 MiB. Median of {args.rounds} rounds; in each, every store ran once with a new database. '
             'Without sync each store has handed its log to the system when it acknowledges, so that a killed process loses nothing; TidesDB, '
             'whose default leaves it in memory, runs in its mode that does not, but in the rows where all leave it there. LMDB has no log: its pages are left to '
             'the system, and a power cut may cost the whole file.', '',
             'Operations per second:', '', '| | ' + ' | '.join(names) + ' |', '| --- |' + ' ---: |' * len(names)]
    for row, runs in found.items():
        cells = [f'{statistics.median(r["ops_per_second"] for r in runs[name]):,.0f}' if name in runs else '-' for name in names]
        lines.append(f'| {ROWS[row][0]} | ' + ' | '.join(cells) + ' |')
    lines += ['', 'Cairn on threads / the other, round by round (lowest to highest):', '', '| | ' + ' | '.join(peers) + ' |', '| --- |' + ' ---: |' * len(peers)]
    for row, runs in found.items():
        ours = [r['ops_per_second'] for r in runs['Cairn']]
        cells = [ratio_of(ours, [r['ops_per_second'] for r in runs[name]]) if name in runs else '-' for name in peers]
        lines.append(f'| {ROWS[row][0]} | ' + ' | '.join(cells) + ' |')
    lines += ['', 'Microseconds of processor time per operation, all threads:', '', '| | ' + ' | '.join(names) + ' |', '| --- |' + ' ---: |' * len(names)]
    for row, runs in found.items():
        cells = [f'{statistics.median(r["cpu_us_per_op"] for r in runs[name]):.2f}' if name in runs else '-' for name in names]
        lines.append(f'| {ROWS[row][0]} | ' + ' | '.join(cells) + ' |')
    root = pathlib.Path(__file__).resolve().parent.parent
    return '\n'.join([*lines, '', f'{machine()}. Cairn {commit(root)}, {time.strftime("%Y-%m-%d")}.', ''])


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', type=pathlib.Path, default=root / 'build/demo', help='with kv_bench, libcairn.so and the peers built')
    parser.add_argument('--peer', type=pathlib.Path, required=True, help="RocksDB's library")
    parser.add_argument('--peer-name', default='RocksDB 11.1.1')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--rows', default=','.join(ROWS), help='of: ' + ', '.join(ROWS))
    parser.add_argument('--flags', default='', help='more flags of kv_bench for all, in one word')
    parser.add_argument('--dir', help='where the databases go (a new temporary folder)')
    parser.add_argument('--out', type=pathlib.Path, help='where the table goes, too')
    args = parser.parse_args()
    rows = args.rows.split(',')
    unknown = [row for row in rows if row not in ROWS]
    if unknown or args.rounds < 1:
        parser.error(f'--rows: no {unknown}' if unknown else '--rounds: at least 1')
    stores = stores_of(args)
    names = list(stores)
    found = {row: {} for row in rows}
    scratch = tempfile.mkdtemp(prefix='cairn_stores.', dir=args.dir)
    try:
        for number in range(args.rounds):
            turn = number % len(names)
            for row in rows:
                for name in names[turn:] + names[:turn]:
                    if BUFFERED in ROWS[row][2] and name in WITHOUT_BUFFER:
                        continue
                    library, flags = stores[name]
                    found[row].setdefault(name, []).append(run(args, scratch, library, flags, row))
                said = ', '.join(f'{name} {runs[-1]["ops_per_second"]:,.0f}' for name, runs in found[row].items())
                print(f'round {number + 1} of {args.rounds}: {row}: {said}', file=sys.stderr)
    except Failed as failure:
        sys.exit(str(failure))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    text = text_of(args, stores, found)
    if args.out:
        args.out.write_text(text)
    print(text)


if __name__ == '__main__':
    main()
