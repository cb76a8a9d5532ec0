#!/usr/bin/env python3
"""txn_bench runs its workloads on libcairn.so, on threads and on fibers, with and without contention, and refuses what it does not
understand.

  txn_bench_test.py TXN_BENCH LIBRARY
"""
import json
import subprocess
import sys
import tempfile
import unittest

TXN_BENCH, LIBRARY = sys.argv[1:3]


def call(*flags, status=0):
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([TXN_BENCH, f'--library={LIBRARY}', f'--db={folder}/db', *flags], capture_output=True, text=True, timeout=250)
    if result.returncode != status:
        raise AssertionError(f'{flags}: exit status {result.returncode}\n{result.stdout}{result.stderr}')
    return result


def figures(result):
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith('{')]


class TxnBenchTest(unittest.TestCase):
    def check(self, *flags):
        transfer, = figures(call('--accounts=1000', '--clients=20', '--duration=0.3', '--json', *flags))
        self.assertEqual((transfer['workload'], transfer['clients']), ('transfer', 20))
        self.assertGreater(transfer['operations'], 20)
        self.assertGreater(transfer['cpu_us_per_op'], 0)
        return transfer

    def test_threads(self):
        self.check()

    def test_fibers(self):
        self.check('--fiber_workers=2')

    def test_contention(self):
        self.check('--accounts=3', '--fiber_workers=2', '--lock_timeout=-1')

    def test_deadlocks_end(self):
        for flags in ('--fiber_workers=2', '--fiber_workers=0'):
            self.check('--accounts=2', '--ordered=false', '--deadlock_detect', '--lock_timeout=-1', flags)

    def test_waiting(self):
        for workers in (0, 2):
            waiting, = figures(call('--benchmarks=waiting', '--accounts=2', '--clients=50', '--lock_timeout=-1', f'--fiber_workers={workers}',
                                    '--json'))
            self.assertEqual((waiting['workload'], waiting['clients']), ('waiting', 50))
            self.assertGreater(waiting['resident_bytes'], 0)

    def test_refusals(self):
        self.assertIn('borrow', call('--benchmarks=borrow', status=2).stderr)
        self.assertIn('no_such_flag', call('--no_such_flag=1', status=1).stderr)
        self.assertIn('libm', call('--library=libm.so.6', status=2).stderr)
        self.assertIn('what is', call('stray', status=2).stderr)
        self.assertIn('at least 1', call('--clients=0', status=2).stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
