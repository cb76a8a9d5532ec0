#!/usr/bin/env python3
"""Runs kv_bench on Cairn and on a release of RocksDB with the same flags, interleaved, and reports the ratio and its spread.

A pair is one run of each, one after the other; who goes first alternates. Each workload is a process of its own. Each
engine has its own database: filled, compacted, read. Written to the results folder: a Markdown table, an SVG plot, the
raw figures as JSON; and a line per row to history.ndjson.

  compare_engines.py --bench build/release/bench/kv_bench --ours build/release/libcairn.so --peer LIBRARY [--pairs 5]
"""
import argparse
import json
import pathlib
import shutil
import sys
import tempfile
import time

from bench_report import append_history, clients, commit, machine, plot, summarise, table
from kv_runs import Failed, run_kv_bench

# In this order: each fill empties the database first; the reads want it settled.
WORKLOADS = ['fillseq', 'fillrandom', 'overwrite', 'readrandom', 'readmissing', 'multiget', 'seekrandom', 'readseq',
             'readwhilewriting']
FILLS = ('fillseq', 'fillrandom')
MULTIGET_KEYS = 32


def run(args, library, db, workload, threads, fibers):
    flags = [f'--num={args.num}', f'--operations={args.operations}', f'--threads={threads}', '--seed=1', *args.flags.split()]
    if fibers:
        flags.append(f'--fiber_workers={fibers}')
    if workload == 'multiget':
        flags.append(f'--batch_size={MULTIGET_KEYS}')
    names = workload
    if workload not in FILLS:
        flags.append('--use_existing_db')
        if workload == 'readrandom':
            names = 'compact,readrandom'
    try:
        return run_kv_bench(args.bench, library, db, names, flags)[-1]
    except Failed as failure:
        sys.exit(str(failure))


def measure(args, threads, fibers, results, scratch):
    engines = {'ours': args.ours, 'peer': args.peer}
    for pair in range(args.pairs):
        order = list(engines) if pair % 2 == 0 else list(engines)[::-1]
        ratios = []
        for workload in args.workloads:
            for name in order:
                # The peer has no fibers: it runs as many threads.
                one = run(args, engines[name], f'{scratch}/{name}', workload, threads, fibers if name == 'ours' else 0)
                results.setdefault((workload, threads), {}).setdefault(name, []).append(one)
            runs = results[workload, threads]
            ratios.append(f'{workload} {runs["ours"][-1]["ops_per_second"] / runs["peer"][-1]["ops_per_second"]:.2f}')
        print(f'{threads} clients, pair {pair + 1} of {args.pairs}: ratio {", ".join(ratios)}', file=sys.stderr)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bench', default=str(root / 'build/release/bench/kv_bench'))
    parser.add_argument('--ours', default=str(root / 'build/release/libcairn.so'))
    parser.add_argument('--peer', required=True)
    parser.add_argument('--peer-name', default='RocksDB 11.1.1')
    parser.add_argument('--pairs', type=int, default=5)
    parser.add_argument('--num', type=int, default=1000000, help='keys')
    parser.add_argument('--operations', type=int, default=0, help='of each workload (0: --num)')
    parser.add_argument('--threads', default='1,4')
    parser.add_argument('--fiber-workers', type=int, default=0, help='Cairn runs its clients as fibers on so many workers')
    parser.add_argument('--workloads', default=','.join(WORKLOADS))
    parser.add_argument('--flags', default='', help='more flags for both, in one word')
    parser.add_argument('--dir', help='where the databases go (a new temporary folder)')
    parser.add_argument('--name', default='engines', help='of the result files')
    parser.add_argument('--out', type=pathlib.Path, default=root / 'bench/results')
    args = parser.parse_args()
    args.workloads = args.workloads.split(',')
    args.operations = args.operations or args.num

    scratch = tempfile.mkdtemp(prefix='cairn_bench.', dir=args.dir)
    results = {}
    try:
        for threads in map(int, args.threads.split(',')):
            measure(args, threads, args.fiber_workers, results, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)

    rows = summarise(results)
    for row in rows:
        row['fiber_workers'] = args.fiber_workers
    tails = ['| workload | clients | Cairn p50 / p99 / p99.9 / longest | peer p50 / p99 / p99.9 / longest |',
             '| --- | --- | ---: | ---: |']
    for r in rows:
        both = [' / '.join(f'{r[name][key]:,.1f}' for key in ('p50_us', 'p99_us', 'p999_us', 'max_us'))
                for name in ('ours', 'peer')]
        tails.append(f'| {r["workload"]} | {clients(r)} | {both[0]} | {both[1]} |')
    tails = '\n'.join(tails)
    fibers = f' Cairn\'s clients are fibers on {args.fiber_workers} workers, the peer\'s are threads.' if args.fiber_workers else ''
    text = (f'# Cairn and {args.peer_name}, through the C interface\n\n{table(rows)}\n\n'
            f'Median of {args.pairs} interleaved pairs; the ratio is of operations per second, taken pair by pair. '
            f'{args.num:,} keys of 16 bytes with values of 100, {args.operations:,} operations in all per run'
            f'{"; " + args.flags if args.flags else ""}. CPU: user and system time of the whole process. readseq counts '
            f'entries, multiget keys ({MULTIGET_KEYS} in a call); readwhilewriting counts the reads only.{fibers}\n\n'
            f'Latencies in microseconds (a batch of 1,000 entries for readseq):\n\n{tails}\n\n'
            f'{machine()}. Cairn {commit(root)}, {time.strftime("%Y-%m-%d")}.\n')
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / f'{args.name}.md').write_text(text)
    (args.out / f'{args.name}.svg').write_text(plot(rows, f'Operations per second, Cairn / {args.peer_name}'))
    (args.out / f'{args.name}.json').write_text(json.dumps(
        [{'workload': w, 'threads': t, **runs} for (w, t), runs in results.items()], indent=1) + '\n')
    append_history(args.out.parent / 'history.ndjson', rows, root, f'{args.name}: {args.peer_name}')
    print(text)


if __name__ == '__main__':
    main()
