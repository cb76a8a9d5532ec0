#!/usr/bin/env python3
"""kv_bench runs every workload on libcairn.so, on threads and on fibers, and refuses what it does not understand.

  kv_bench_test.py KV_BENCH LIBRARY
"""
import json
import subprocess
import sys
import tempfile
import unittest

KV_BENCH, LIBRARY = sys.argv[1:3]
WORKLOADS = ['fillseq', 'fillrandom', 'overwrite', 'readrandom', 'readmissing', 'multiget', 'seekrandom', 'readseq',
             'readwhilewriting']


def call(*flags, status=0):
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([KV_BENCH, f'--library={LIBRARY}', f'--db={folder}/db', *flags], capture_output=True,
                                text=True, timeout=250)
    if result.returncode != status:
        raise AssertionError(f'{flags}: exit status {result.returncode}\n{result.stdout}{result.stderr}')
    return result


class KvBenchTest(unittest.TestCase):
    def check(self, *more):
        result = call(f'--benchmarks={",".join(WORKLOADS)},flush,compact,stats', '--num=4000', '--threads=4', '--json',
                      '--batch_size=4', *more)
        figures = [json.loads(line) for line in result.stdout.splitlines() if line.startswith('{')]
        self.assertEqual([f['workload'] for f in figures], WORKLOADS)
        for f in figures:
            self.assertGreater(f['ops_per_second'], 0, f)
            self.assertGreaterEqual(f['max_us'], f['p50_us'] * 0.9, f)
        by_name = {f['workload']: f for f in figures}
        self.assertEqual(by_name['fillseq']['operations'], 4000)
        self.assertEqual(by_name['multiget']['operations'], 4000)
        self.assertIn('of 4000 found', result.stdout)

    def test_threads(self):
        self.check()

    def test_fibers(self):
        self.check('--fiber_workers=2')

    def test_fillseq_leaves_every_key(self):
        result = call('--benchmarks=fillseq,readrandom,readmissing,readseq', '--num=3000', '--threads=3')
        self.assertIn('(3000 of 3000 found)', result.stdout)
        missing = next(line for line in result.stdout.splitlines() if line.startswith('readmissing'))
        self.assertNotIn('found', missing)

    def test_duration_ends_a_workload(self):
        result = call('--benchmarks=overwrite', '--num=1000', '--duration=0.2', '--json')
        figures = json.loads(result.stdout.splitlines()[-1])
        self.assertGreaterEqual(figures['seconds'], 0.2)

    def test_refusals(self):
        self.assertIn('fillupwards', call('--benchmarks=fillupwards', status=2).stderr)
        self.assertIn('no_such_flag', call('--no_such_flag=1', status=1).stderr)
        self.assertIn('libm', call('--library=libm.so.6', '--benchmarks=fillseq', status=2).stderr)
        self.assertIn('no_such_file', call('--library=./no_such_file.so', status=2).stderr)
        self.assertIn('what is', call('stray', status=2).stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
