#!/usr/bin/env python3
"""What a write costs with each option, by the number of writers and what they are: rates, processor time, context switches
and, with --futex (perf), futex calls. No option should cost more than the default in any cell.

    scripts/write_matrix.py --program new=build/release/bench/db_bench --program old=/other/db_bench --writers 1,64 --rounds 3

Programs take turns, cell by cell, so that what else the machine does meets all of them. Rates depend on that; the counts, and
the processor time but for caches, do not. Beside each figure: in how many the option's best program is beyond --worse times
its own default (marked !)."""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

CONFIGS = {
    'default': [],
    'pipelined': ['--enable_pipelined_write=true'],
    'unordered': ['--unordered_write=true'],
    'manual_flush': ['--manual_wal_flush=true'],
    'no_wal': ['--disable_wal=true'],
    'serial': ['--allow_concurrent_memtable_write=false'],
    'sync': ['--sync=true'],
    'pipelined+no_wal': ['--enable_pipelined_write=true', '--disable_wal=true'],
    'pipelined+serial': ['--enable_pipelined_write=true', '--allow_concurrent_memtable_write=false'],
    'pipelined+manual': ['--enable_pipelined_write=true', '--manual_wal_flush=true'],
    'pipelined+sync': ['--enable_pipelined_write=true', '--sync=true'],
}
# What an option is compared with.
BASE = {'pipelined+no_wal': 'no_wal', 'pipelined+sync': 'sync', 'sync': None, 'no_wal': 'default', 'pipelined+serial': 'serial',
        'pipelined+manual': 'manual_flush'}
LINE = re.compile(r'^\w+\s*:\s*[\d.]+ micros/op (\d+) ops/sec', re.M)
FUTEX = re.compile(r'^\s*([\d,]+)\s+syscalls:sys_enter_futex', re.M)


def run(program, cell, args):
    """One run of a cell: rate, then per write: processor microseconds, context switches, futex calls (or None)."""
    config, batch, writers, workers = cell
    writes = args.sync_writes if 'sync' in config else args.writes
    each = max(args.least // batch, writes // writers // max(1, batch // args.batch_share), 1)
    with tempfile.TemporaryDirectory(dir=args.dir) as directory:
        flags = [f'--db={directory}/db', '--benchmarks=overwrite', f'--threads={writers}', f'--fiber_workers={workers}',
                 f'--batch_size={batch}', f'--num={args.keys}', f'--writes={each * batch}', '--progress_reports=false',
                 '--compression_type=none', '--write_buffer_size=1073741824', '--enable_pipelined_write=false', *CONFIGS[config]]
        command = [program, *flags]
        counts = os.path.join(directory, 'perf')
        if args.futex:
            command = ['perf', 'stat', '-o', counts, '-e', 'syscalls:sys_enter_futex', *command]
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            text = out.read().decode(errors='replace')
        rate = LINE.search(text)
        if process.returncode != 0 or rate is None:
            sys.exit(f'{" ".join(command)}: exit status {process.returncode}\n{text[-2000:]}')
        total = each * writers
        futex = None
        if args.futex:
            with open(counts) as file:
                futex = int(FUTEX.search(file.read())[1].replace(',', '')) / total
        return (int(rate[1]), (usage.ru_utime + usage.ru_stime) * 1e6 / total, (usage.ru_nvcsw + usage.ru_nivcsw) / total, futex)


def numbers(text):
    return [int(part) for part in text.split(',')]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--program', action='append', required=True, help='NAME=PATH of a db_bench; more than one take turns')
    parser.add_argument('--configs', default=','.join(CONFIGS))
    parser.add_argument('--batches', default='1,10,1000')
    parser.add_argument('--writers', default='1,2,4,8,16,64,256')
    parser.add_argument('--workers', default='0,2', help='0: threads; else fibers on so many workers')
    parser.add_argument('--writes', type=int, default=200000, help='of all writers together')
    parser.add_argument('--sync-writes', type=int, default=10000)
    parser.add_argument('--batch-share', type=int, default=4, help='a batch of n counts as n/this writes')
    parser.add_argument('--least', type=int, default=20, help='least entries of a writer')
    parser.add_argument('--keys', type=int, default=1000000)
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--worse', type=float, default=1.25)
    parser.add_argument('--dir', help='where the databases go')
    parser.add_argument('--futex', action='store_true', help='count futex calls, with perf')
    args = parser.parse_args()
    if args.futex and shutil.which('perf') is None:
        sys.exit('--futex needs perf')
    programs = dict(each.split('=', 1) for each in args.program)
    results = {}
    print('| clients | batch | writers | option | program | writes/s | cpu us | switches | futex calls |')
    print('| --- | ---: | ---: | --- | --- | ---: | ---: | ---: | ---: |')
    for workers in numbers(args.workers):
        for batch in numbers(args.batches):
            for writers in numbers(args.writers):
                for config in args.configs.split(','):
                    cell = (config, batch, writers, workers)
                    runs = {name: [] for name in programs}
                    for _ in range(args.rounds):
                        for name, program in programs.items():
                            runs[name].append(run(program, cell, args))
                    for name in programs:
                        figures = [None if column[0] is None else statistics.median(column) for column in zip(*runs[name])]
                        results[(name, *cell)] = figures
                        base = results.get((name, BASE.get(config, 'default'), *cell[1:]))
                        marks = ['' for _ in figures]
                        if base is not None and base is not figures:
                            marks[0] = ' !' if figures[0] * args.worse < base[0] else ''
                            for i in range(1, len(figures)):
                                slack = 0.1 if i > 1 else 0
                                if figures[i] is not None and figures[i] > base[i] * args.worse + slack:
                                    marks[i] = ' !'
                        rate, cpu, switches, futex = figures
                        print(f'| {"threads" if workers == 0 else f"fibers/{workers}"} | {batch} | {writers} | {config} | {name} '
                              f'| {rate // batch}{marks[0]} | {cpu:.2f}{marks[1]} | {switches:.3f}{marks[2]} '
                              f'| {"" if futex is None else f"{futex:.3f}{marks[3]}"} |', flush=True)


if __name__ == '__main__':
    main()
