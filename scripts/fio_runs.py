"""Runs fio: what the storage itself gives, for the shows that compare with it."""
import json
import os
import pathlib
import subprocess

from kv_runs import Failed


def make_file(path, megabytes):
    """A file that takes as much on the device."""
    path = pathlib.Path(path)
    if path.exists() and path.stat().st_size == megabytes << 20:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    piece = os.urandom(1 << 20)
    with path.open('wb') as file:
        for _ in range(megabytes):
            file.write(piece)


def run_fio(path, pattern, block, depth, seconds):
    """`pattern`: read or randread. Direct reads of `block` bytes, `depth` of them at once; figures by kv_bench's names."""
    command = ['fio', '--name=fio', f'--filename={path}', f'--rw={pattern}', f'--bs={block}', f'--iodepth={depth}', '--direct=1',
               '--ioengine=io_uring', '--time_based', f'--runtime={int(seconds * 1000)}ms', '--output-format=json']
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f'{" ".join(command)}: exit status {done.returncode}\n{done.stderr[-2000:]}')
    read = json.loads(done.stdout[done.stdout.index('{'):])['jobs'][0]['read']
    latency = read['clat_ns']['percentile']
    return [{'workload': pattern, 'operations': read['total_ios'], 'ops_per_second': read['iops'], 'mb_per_second': read['bw_bytes'] / 1e6,
             'p50_us': latency['50.000000'] / 1e3, 'p99_us': latency['99.000000'] / 1e3, 'storage_bytes': 0}]
