#!/usr/bin/env python3
"""Traces of operations: what Cairn and RocksDB 7.8.3 each trace has the same bytes but for its times, and each replays the other's
with the same results.

  trace_test.py --cairn DRIVER --rocksdb DRIVER
"""
import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument('--cairn', required=True)
parser.add_argument('--rocksdb', required=True)
args = parser.parse_args()
ENGINES = ('cairn', 'rocksdb')


def run(engine, *command):
    result = subprocess.run([getattr(args, engine), *command], capture_output=True, text=True, timeout=300)
    print(f'  {engine} {" ".join(command[:1] + command[3:])}: {result.stderr.strip() or "OK"}', flush=True)
    if result.returncode != 0:
        sys.exit('FAILED')
    return result.stdout


def check(condition, what):
    if not condition:
        sys.exit(f'FAILED: {what}')


def records(path):
    """The file as (type, payload), by the lengths in it."""
    data = pathlib.Path(path).read_bytes()
    found = []
    while data:
        _, kind, size = struct.unpack_from('<QBI', data)
        found.append((kind, data[13:13 + size]))
        check(len(data) >= 13 + size, f'{path} ends within a record')
        data = data[13 + size:]
    return found


with tempfile.TemporaryDirectory(prefix='cairn_trace.') as folder:
    traces = {engine: f'{folder}/{engine}.trace' for engine in ENGINES}
    contents = {engine: run(engine, 'trace', f'{folder}/{engine}', traces[engine]) for engine in ENGINES}
    check(contents['cairn'] == contents['rocksdb'], 'the engines have other contents')
    of_cairn, of_rocksdb = (records(traces[engine]) for engine in ENGINES)
    check(len(of_cairn) > 2000 and {3, 4, 5, 6, 13} < {kind for kind, _ in of_cairn}, 'too little is traced')
    check(of_cairn == of_rocksdb, 'the traces have other bytes')
    results = {}
    for tracer in ENGINES:
        for replayer in ENGINES:
            results[tracer, replayer] = run(replayer, 'replay', f'{folder}/{tracer}.{replayer}', traces[tracer], '1')
            run(replayer, 'replay', f'{folder}/{tracer}.{replayer}.4', traces[tracer], '4')
    check(len(set(results.values())) == 1, 'replays have other results')
    check(results['cairn', 'cairn'].endswith(contents['cairn']), 'a replay leaves other contents')
