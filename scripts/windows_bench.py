#!/usr/bin/env python3
"""db_bench.exe under Wine against db_bench of Linux, on one disk, interleaved: the published workloads (bulk load in random and in
sequential order, overwrite, random reads, random reads beside a writer; keys of 10 bytes, values of 800), with the system's cache
and unbuffered; and MultiGet and a scan with async_io against without, on each.

  scripts/windows_bench.py [--linux build/release] [--windows build/windows/release] [--num 400000] [--pairs 3] [--dir D]
                           [--out FILE.md]

What Wine costs is in it: its calls go on as Linux's, and its server is a process of its own, whose time is not counted.
"""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile
import time

import windows_test
from bench_report import commit, machine
from db_bench_runs import run_db_bench
from interop_windows import wine_version
from kv_runs import Failed
from shows_common import markdown, median, number, spread

ROOT = windows_test.ROOT
SYSTEMS = ('Linux', 'Windows')
UNBUFFERED = ['--use_direct_reads=true', '--use_direct_io_for_flush_and_compaction=true']
# A memtable that is sorted once, when it is full, and no log: what is loaded can be loaded again.
BULK = ['--disable_wal=true', '--memtablerep=vector', '--allow_concurrent_memtable_write=false']
THREADS = 4
BATCH = 32
# (name, workload). One that fills makes its database anew; fillseq has one of its own, for itself alone.
STEPS = [
    ('bulk load, random', 'fillrandom'),
    ('settle', 'compact'),  # is not measured
    ('bulk load, sequential', 'fillseq'),
    ('random reads', 'readrandom'),
    ('random reads beside a writer', 'readwhilewriting'),
    ('MultiGet', 'multireadrandom'),
    ('MultiGet, async_io', 'multireadrandom'),
    ('scan', 'readseq'),
    ('scan, async_io', 'readseq'),
    ('overwrite', 'overwrite'),
]


def flags_of(name, workload, args, unbuffered):
    threads = THREADS if workload in ('overwrite', 'readrandom', 'readwhilewriting') else 1
    share = max(1, args.num // threads)
    reads = share // BATCH if workload == 'multireadrandom' else share
    flags = [f'--num={args.num}', f'--reads={reads}', f'--writes={share}', f'--threads={threads}', '--key_size=10', '--value_size=800',
             f'--cache_size={args.num * 810 // 16}', '--bloom_bits=10', '--compression_type=none', '--open_files=-1', '--seed=1',
             f'--use_existing_db={0 if workload.startswith("fill") else 1}']
    if workload.startswith('fill'):
        flags += BULK
    if workload == 'readwhilewriting':
        flags.append(f'--benchmark_write_rate_limit={2 << 20}')
    if workload == 'multireadrandom':
        flags += ['--multiread_batched=true', f'--batch_size={BATCH}']
    if name.endswith('async_io'):
        flags.append('--async_io=true')
    return flags + (UNBUFFERED if unbuffered else [])


def measure(args, starts, folder):
    """{(name, unbuffered): {system: [figures...]}}, pair by pair."""
    results = {}
    for pair in range(args.pairs):
        order = SYSTEMS if pair % 2 == 0 else SYSTEMS[::-1]
        for unbuffered in (False, True):
            for name, workload in STEPS:
                for system in order:
                    db = folder / f'{system}_{"sequential" if workload == "fillseq" else "random"}'
                    if workload.startswith('fill'):
                        shutil.rmtree(db, ignore_errors=True)
                    run = run_db_bench(starts[system], db, workload, flags_of(name, workload, args, unbuffered), args.limit)[-1]
                    if workload == 'fillseq':
                        shutil.rmtree(db)
                    if workload != 'compact':
                        results.setdefault((name, unbuffered), {}).setdefault(system, []).append(run)
                if workload != 'compact':
                    print(f'pair {pair + 1} of {args.pairs}, {"unbuffered" if unbuffered else "buffered"}, {name}: '
                          f'{ratios(results[name, unbuffered])[-1]:.2f}', file=sys.stderr, flush=True)
    return results


def ratios(runs, key='ops_per_second'):
    return [w[key] / max(1, n[key]) for n, w in zip(runs['Linux'], runs['Windows'])]


def table_of_systems(results):
    rows = []
    for (name, unbuffered), runs in sorted(results.items(), key=lambda item: item[0][1]):
        of = {system: [median([run[key] for run in runs[system]]) for key in ('ops_per_second', 'cpu_us_per_op')] for system in SYSTEMS}
        rows.append([name + (', unbuffered' if unbuffered else ''), *(number(of[system][0], 0) for system in SYSTEMS),
                     spread(ratios(runs)), *(number(of[system][1]) for system in SYSTEMS)])
    return markdown(['workload', 'Linux, ops/s', 'Wine, ops/s', 'ratio (lowest to highest)', 'Linux, CPU µs/op', 'Wine, CPU µs/op'], rows)


def table_of_modes(results):
    rows = []
    for name in ('MultiGet', 'scan'):
        for unbuffered in (False, True):
            serial, together = results[name, unbuffered], results[f'{name}, async_io', unbuffered]
            rows.append([name + (', unbuffered' if unbuffered else ''),
                         *(spread([b['ops_per_second'] / a['ops_per_second'] for a, b in zip(serial[system], together[system])])
                           for system in SYSTEMS)])
    return markdown(['async_io against without', *(f'{"Wine" if s == "Windows" else s} (lowest to highest)' for s in SYSTEMS)], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--linux', type=pathlib.Path, default=ROOT / 'build/release')
    parser.add_argument('--windows', type=pathlib.Path, default=ROOT / 'build/windows/release')
    parser.add_argument('--num', type=int, default=400000, help='keys; a workload does as many operations in all')
    parser.add_argument('--pairs', type=int, default=3)
    parser.add_argument('--limit', type=int, default=900, help='seconds until one run is given up')
    parser.add_argument('--dir', type=pathlib.Path, help='where the databases go (a new temporary folder)')
    parser.add_argument('--out', type=pathlib.Path)
    args = parser.parse_args()
    build = args.windows.resolve()
    programs = {'Linux': args.linux.resolve() / 'bench/db_bench', 'Windows': build / 'bench/db_bench.exe'}
    if missing := [str(path) for path in programs.values() if not path.exists()]:
        print(f'windows_bench.py: not built: {", ".join(missing)}', file=sys.stderr)
        return 2
    starts = {'Linux': [programs['Linux']], 'Windows': [*windows_test.emulator(), programs['Windows']]}
    os.environ.update(windows_test.environment(build))  # of no meaning to the other one
    with windows_test.wine_up(build), tempfile.TemporaryDirectory(prefix='cairn_windows_bench.', dir=args.dir) as folder:
        try:
            results = measure(args, starts, pathlib.Path(folder))
        except Failed as failure:
            print(f'windows_bench.py: {failure}', file=sys.stderr)
            return 1
    text = (f'# db_bench under Wine and on Linux\n\n`make windows-bench`, {time.strftime("%Y-%m-%d")}, Cairn {commit(ROOT)}, {machine()}, '
            f'{wine_version()}. {args.num:,} keys of 10 bytes with values of 800, not compressed; a block cache of a sixteenth of that; '
            f'{THREADS} threads for overwriting and for random reads. Medians of {args.pairs} interleaved pairs, each engine with a '
            'database of its own on the same disk; the ratio is Wine / Linux, pair by pair. Processor time is that of the program, '
            "without the time of Wine's server. Two things are Wine 8's own: it opens files without O_DIRECT, whatever it is asked, so that "
            "its unbuffered rows read from the system's cache where Linux's read from the disk; and of a plain thread's read or write "
            'at an offset its server hears three to four times (events set, reset, waited for), a system call each on Windows or none.\n\n'
            f'{table_of_systems(results)}\n\n{table_of_modes(results)}\n')
    print(text)
    if args.out:
        args.out.write_text(text)
    return 0


if __name__ == '__main__':
    sys.exit(main())
