#!/usr/bin/env python3
"""db_bench on the remote file system, as a user would run it: a server, and --fs_uri.

  remote_db_bench_test.py <remote_server> <remote_db_bench>
"""
import os
import re
import subprocess
import sys
import tempfile

SERVER, BENCH = sys.argv[1:]


def bench(*flags):
    return subprocess.run([BENCH, '--progress_reports=false', '--seed=7', '--num=5000', *flags],
                          capture_output=True, text=True, timeout=240)


with tempfile.TemporaryDirectory(dir='/var/tmp') as folder:
    folder = os.path.realpath(folder)
    server = subprocess.Popen([SERVER, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    uri = f'--fs_uri=remote://127.0.0.1:{server.stdout.readline().strip()}'
    result = bench(uri, f'--db={folder}/db', '--benchmarks=fillrandom,flush,readseq')
    assert result.returncode == 0, result.stderr
    result = bench(uri, f'--db={folder}/db', '--use_existing_db', '--readonly', '--benchmarks=multireadrandom',
                   '--multiread_batched', '--batch_size=32', '--async_io', '--cache_size=1000')
    assert result.returncode == 0, result.stderr
    assert re.search(r'multireadrandom *:.*\(\d+ of \d+ found\)', result.stdout), result.stdout
    report = server.communicate('')[0]
    requests, at_once = map(int, re.search(r'requests: (\d+), at most (\d+) at once', report).groups())
    assert requests > 1000, report
    assert at_once > 1, report
    gone = bench(uri, f'--db={folder}/db', '--use_existing_db', '--benchmarks=readrandom')
    assert gone.returncode == 1 and 'cannot connect' in gone.stderr, gone.stderr
