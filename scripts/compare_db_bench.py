#!/usr/bin/env python3
"""Runs our db_bench next to another one with the same flags, interleaved, and reports the ratio and its spread.

A pair is one run of each, one after the other; who goes first alternates. Each measured workload is a process of its
own, so that its CPU time (user + system, background work included) can be told per operation. Each engine fills its own
database, settles it by a full compaction, and is then read. Written to the results folder: a Markdown table, an SVG
plot and the raw figures as JSON.

  compare_db_bench.py --ours build/release/bench/db_bench [--peer /usr/bin/db_bench] [--pairs 5] [--num 1000000]
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from bench_report import commit, machine, plot, summarise, table
from db_bench_runs import LINE

FILLS = ('fillseq', 'fillrandom', 'overwrite')


def run(binary, flags):
    """One process: (operations per second, CPU microseconds per operation), or exits with its output."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([binary, *flags], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode(errors='replace')
        match = LINE.search(text)
        if process.returncode != 0 or not match:
            err.seek(0)
            sys.exit(f'{binary} {" ".join(flags)}: exit status {process.returncode}\n{text[-2000:]}\n'
                     f'{err.read().decode(errors="replace")[-2000:]}')
    cpu = usage.ru_utime + usage.ru_stime
    return {'ops_per_second': int(match.group(3)), 'cpu_us_per_op': cpu * 1e6 / max(1, int(match.group(5))),
            'warning': 'Assertions are enabled' in text}


def measure(args, engines, threads, results, scratch):
    share = max(1, args.num // threads)
    common = [f'--num={args.num}', f'--threads={threads}', f'--reads={share}', f'--writes={share}', '--seed=1',
              '--progress_reports=false', *args.flags.split()]
    for pair in range(args.pairs):
        order = list(engines) if pair % 2 == 0 else list(engines)[::-1]
        for workload in ['fillrandom', 'compact', *args.reads_of]:
            for name in order:
                flags = [*common, f'--db={scratch}/{name}', f'--benchmarks={workload}']
                if workload == 'compact':
                    flags[1] = '--threads=1'
                if workload not in FILLS:
                    flags.append('--use_existing_db=1')
                one = run(engines[name], flags)
                if workload != 'compact':
                    results.setdefault((workload, threads), {}).setdefault(name, []).append(one)
        done = ', '.join(f'{w} {results[w, threads]["ours"][-1]["ops_per_second"] / results[w, threads]["peer"][-1]["ops_per_second"]:.2f}'
                         for w in ['fillrandom', *args.reads_of])
        print(f'threads {threads}, pair {pair + 1} of {args.pairs}: ratio {done}', file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument('--ours', default=str(root / 'build/release/bench/db_bench'))
    parser.add_argument('--peer', default='/usr/bin/db_bench')
    parser.add_argument('--peer-name', default="RocksDB 7.8.3 (Debian's rocksdb-tools)")
    parser.add_argument('--pairs', type=int, default=5)
    parser.add_argument('--num', type=int, default=1000000, help='keys; each workload does as many operations in all')
    parser.add_argument('--threads', default='1,4')
    parser.add_argument('--reads-of', default='readrandom,seekrandom,readseq')
    parser.add_argument('--flags', default='', help='more flags for both, in one word')
    parser.add_argument('--dir', help='where the databases go (a new temporary folder)')
    parser.add_argument('--out', type=pathlib.Path, default=root / 'bench/results')
    args = parser.parse_args()
    args.reads_of = args.reads_of.split(',')
    for binary in (args.ours, args.peer):
        if not os.access(binary, os.X_OK):
            sys.exit(f'{binary}: no such program')

    scratch = tempfile.mkdtemp(prefix='cairn_bench.', dir=args.dir)
    results = {}
    try:
        for threads in map(int, args.threads.split(',')):
            measure(args, {'ours': args.ours, 'peer': args.peer}, threads, results, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)

    rows = summarise(results)
    asserting = any(r['warning'] for runs in results.values() for r in runs['peer'])
    text = (f'# db_bench: Cairn and {args.peer_name}\n\n{table(rows)}\n\n'
            f'Median of {args.pairs} interleaved pairs; the ratio is of operations per second, taken pair by pair. '
            f'`--num={args.num}`, {args.num:,} operations in all per run, each read after a full compaction'
            f'{", " + args.flags if args.flags else ""}. CPU: user and system time of the whole process.\n\n'
            + ('The peer says that its assertions are enabled: it is slower than a release build of RocksDB.\n\n'
               if asserting else '')
            + f'{machine()}. Cairn {commit(root)}, {time.strftime("%Y-%m-%d")}.\n')
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / 'db_bench.md').write_text(text)
    (args.out / 'db_bench.svg').write_text(plot(rows, f'Operations per second, Cairn / {args.peer_name}'))
    (args.out / 'db_bench.json').write_text(json.dumps(
        [{'workload': w, 'threads': t, **runs} for (w, t), runs in results.items()], indent=1) + '\n')
    print(text)


if __name__ == '__main__':
    main()
