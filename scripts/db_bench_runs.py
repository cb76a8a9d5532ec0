"""Runs db_bench, ours or RocksDB's: what the programs that compare engines share."""
import os
import re
import subprocess
import tempfile

from kv_runs import Failed

LINE = re.compile(r'^(\w+)\s*:\s*([\d.]+) micros/op (-?\d+) ops/sec ([\d.]+) seconds (\d+) operations;(?:\s*([\d.]+) MB/s)?', re.M)
HISTOGRAM = re.compile(r'^(rocksdb\.\S+) P50 : ([\d.]+) P95 : ([\d.]+) P99 : ([\d.]+) P100 : ([\d.]+) COUNT : (\d+)', re.M)
# What --statistics times of a workload's calls.
TIMED = {'multireadrandom': 'rocksdb.db.multiget.micros', 'readrandom': 'rocksdb.db.get.micros', 'seekrandom': 'rocksdb.db.seek.micros'}


def figures_of(text, cpu_seconds, peak_memory_bytes):
    """The figures of each measured workload, in order, by kv_bench's names."""
    latencies = {name: [float(v) for v in values] for name, *values in HISTOGRAM.findall(text)}
    result = []
    for workload, micros, rate, seconds, operations, megabytes in LINE.findall(text):
        run = {'workload': workload, 'operations': int(operations), 'seconds': float(seconds), 'ops_per_second': int(rate),
               'micros_per_op': float(micros), 'cpu_seconds': cpu_seconds, 'cpu_us_per_op': cpu_seconds * 1e6 / max(1, int(operations)),
               'peak_memory_bytes': peak_memory_bytes, 'storage_bytes': 0}
        if megabytes:
            run['mb_per_second'] = float(megabytes)
        if TIMED.get(workload) in latencies:
            run['p50_us'], _, run['p99_us'], run['max_us'], _ = latencies[TIMED[workload]]
        result.append(run)
    return result


def run_db_bench(program, db, benchmarks, flags, limit=None):
    """One process, which may measure one workload only (its processor time is the process's); its figures as a list. `program` is a
    path, or a list with what is to start it."""
    start = program if isinstance(program, list) else [program]
    command = [*map(str, start), f'--db={db}', f'--benchmarks={benchmarks}', '--progress_reports=false', *flags]
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(['timeout', str(limit or 0), *command], stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode(errors='replace')
    figures = figures_of(text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
    if process.returncode != 0 or not figures:
        raise Failed(f'{" ".join(command)}: exit status {process.returncode}\n{text[-3000:]}')
    return figures
