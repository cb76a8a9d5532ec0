"""What the tests of db_bench share: running it, small, and looking at what it said. Their first argument is the program."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BINARY = sys.argv.pop(1)
REPORT = re.compile(r'^(\w+) *: +\d+\.\d{3} micros/op \d+ ops/sec \d+\.\d{3} seconds (\d+) operations;(.*)$', re.M)


def run(*flags):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([BINARY, f'--db={folder}/db', '--progress_reports=false', '--seed=7', *flags],
                              capture_output=True, text=True, encoding='utf-8', timeout=240)


def reports(result):
    return {name: (int(ops), rest) for name, ops, rest in REPORT.findall(result.stdout)}


class DbBenchCase(unittest.TestCase):
    def options_of(self, *flags):
        """What the database's OPTIONS file says of it and of the default family: a dictionary."""
        with tempfile.TemporaryDirectory() as folder:
            result = run('--num=300', '--benchmarks=fillrandom,readrandom,seekrandom', f'--db={folder}/x', *flags)
            self.assertEqual(result.returncode, 0, result.stderr[-2000:])
            newest = max(pathlib.Path(folder, 'x').glob('OPTIONS-*'))
            text = newest.read_text().split('[CFOptions "___rocksdb_stats_history___"]')[0]
            return dict(re.findall(r'^ *(\w+)=(.*)$', text, re.M))

    def expect_options(self, expected, *flags):
        got = self.options_of(*flags)
        self.assertEqual({name: got.get(name) for name in expected}, expected)

    def expect_runs(self, *flags):
        """The reports of a run that must succeed, and what it printed."""
        result = run(*flags)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        return reports(result), result.stdout

    def expect_refusal(self, message, *flags):
        result = run('--num=200', *flags)
        self.assertEqual(result.returncode, 1, result.stdout[-2000:])
        self.assertIn(message, result.stderr)
