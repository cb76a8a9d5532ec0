#!/usr/bin/env python3
"""scripts/shows.py takes its measurements, tells them, goes on where it was cut off, and no slowness fails it.

  shows_test.py KV_BENCH LIBRARY DB_BENCH SLOWFS

Those of slow storage are left out where slowfs was not built, or FUSE or fio is missing.
"""
import glob
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

KV_BENCH, LIBRARY, DB_BENCH, SLOWFS = sys.argv[1:5]
# Debian's RocksDB.
ORACLE = glob.glob('/usr/lib/*/librocksdb.so')
SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / 'scripts'
sys.path.insert(0, str(SCRIPTS))
sys.dont_write_bytecode = True
import bench_report  # noqa: E402
import shows_writes  # noqa: E402
from shows_runner import rotated  # noqa: E402

SMALL = ['--quick', '--num=300', '--sync-operations=40', '--pairs=1', '--peer-name=Itself']

# Takes kv_bench's command line; its time is the library's name. Counts its calls in a file; fails where it says so.
FAKE = '''#!/usr/bin/env python3
import json, os, pathlib, sys
flags = dict(f.lstrip('-').split('=', 1) for f in sys.argv[1:] if '=' in f)
folder = pathlib.Path(__file__).parent
pathlib.Path(flags['db']).mkdir(parents=True, exist_ok=True)
(pathlib.Path(flags['db']) / 'table').write_bytes(bytes(5000))
with (folder / 'calls').open('a') as calls:
    calls.write(' '.join(sys.argv[1:]) + '\\n')
if (folder / 'broken').exists() and (folder / 'broken').read_text() in ' '.join(sys.argv[1:]):
    sys.exit('kv_bench: no such luck')
seconds = 1.0 if 'ours' in flags['library'] else 3.0
if (folder / 'slow').exists() and 'ours' in flags['library'] and (folder / 'slow').read_text() in ' '.join(sys.argv[1:]):
    seconds = 6.0
for workload in flags['benchmarks'].split(','):
    run = {'workload': workload, 'seconds': seconds, 'cpu_seconds': 2 * seconds, 'storage_bytes': 200}
    if workload != 'settle':
        run |= {'threads': int(flags['threads']), 'fiber_workers': int(flags.get('fiber_workers', 0)), 'operations': 100,
                'ops_per_second': 100 / seconds, 'cpu_us_per_op': 2e4 * seconds, 'p50_us': 1, 'p99_us': 2,
                'p999_us': 3 * seconds, 'max_us': 4000, 'pause_us': 5000 * seconds, 'user_bytes': 100, 'bytes': 100,
                'per_second': [50, 40, 1], 'tickers': {'rocksdb.wal.synced': 0, 'rocksdb.write.self': 4}}
    print(json.dumps(run))
'''


class RealTest(unittest.TestCase):
    """Every show with kv_bench itself, the library being its own peer."""

    def check(self, show, *more):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / 'results'
            done = subprocess.run([SCRIPTS / 'shows.py', show, *SMALL, f'--bench={KV_BENCH}', f'--ours={LIBRARY}',
                                   f'--peer={LIBRARY}', f'--dir={folder}/dbs', f'--out={out}', *more],
                                  capture_output=True, text=True, timeout=250)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = (out / f'{show}.md').read_text()
            self.assertIn(text, done.stdout)
            # In a folder in memory the kernel counts no writes.
            missing = [line for line in text.splitlines() if 'not measured' in line and 'write amplification' not in line]
            self.assertEqual(missing, [])
            self.assertIn('write_buffer_size=1048576', text)
            widths = {line.count('|') for line in re.search(r'\|.*?\n\n', text, re.S).group(0).split('\n') if line}
            self.assertEqual(len(widths), 1, text)
            xml.dom.minidom.parseString((out / f'{show}.svg').read_text())
            rows = [json.loads(line) for line in (out.parent / 'history.ndjson').read_text().splitlines()]
            self.assertTrue(rows)
            self.assertTrue(all(row['ratio'] > 0 for row in rows))
            return text

    def test_write_configurations(self):
        text = self.check('write-configurations', '--clients=3')
        self.assertEqual(text.count('yield 1, parallel 0 |'), 3)

    def test_writers(self):
        text = self.check('writers', '--clients=1,3', '--sync-clients=2', '--pairs=2')
        self.assertIn('| fillrandom, sync, 2 |', text)

    def test_pauses(self):
        self.check('pauses', '--duration=2.1')

    def test_behind(self):
        self.check('behind', '--duration=0.1')

    def test_amplification(self):
        self.check('amplification', '--sizes=400')

    def test_coroutine_port(self):
        self.check('coroutine-port', '--duration=0.1', '--clients=4')

    def test_growth(self):
        self.check('growth', '--sizes=200,400,800')

    def test_scans(self):
        text = self.check('scans', '--duration=0.05', '--clients=2')
        self.assertIn('| past tombstones of ranges, 2 |', text)
        self.assertIn('- Get, missing, 2 threads:', text)

    def test_compactions(self):
        self.assertIn('| ZSTD |', self.check('compactions'))

    def test_blob_values(self):
        text = self.check('blob-values', '--value-sizes=1024,65536', '--megabytes=1', '--duration=0.05')
        self.assertEqual(text.count('| 64 KiB |'), 2)
        self.assertIn('scan, in tables: Cairn / peer, the lowest of all sizes', text)

    def test_backup(self):
        text = self.check('backup', '--gigabytes=0.002', '--duration=0.1', '--rate=1000')
        self.assertIn('| Cairn: while a backup runs |', text)
        # Every copy has something in it; the second backup less than all.
        copied = [float(line.split('|')[2].replace(',', '')) for line in text.splitlines() if line.startswith(('| cp', '| a '))]
        self.assertEqual(len(copied), 8, text)
        self.assertTrue(all(megabytes > 0 for megabytes in copied), text)


@unittest.skipUnless(pathlib.Path(SLOWFS).exists() and pathlib.Path('/dev/fuse').exists() and shutil.which('fusermount3'), 'no FUSE')
class SlowStorageTest(unittest.TestCase):
    """The shows of reads, our db_bench being RocksDB's."""

    def check(self, show, *more, status=0):
        with tempfile.TemporaryDirectory(dir='/var/tmp') as folder:  # direct reads need a disk
            out = pathlib.Path(folder) / 'results'
            done = subprocess.run([SCRIPTS / 'shows.py', show, '--quick', f'--bench={KV_BENCH}', f'--ours={LIBRARY}', f'--peer={LIBRARY}',
                                   f'--uring-peer={LIBRARY}', '--peer-name=Itself', f'--db-bench={DB_BENCH}', f'--debian-db-bench={DB_BENCH}',
                                   f'--slowfs={SLOWFS}', '--delay=300', '--duration=0.2', f'--dir={folder}/dbs', f'--out={out}', *more],
                                  capture_output=True, text=True, timeout=250)
            self.assertEqual(done.returncode, status, done.stderr)
            text = (out / f'{show}.md').read_text()
            self.assertNotIn('not measured', text)
            xml.dom.minidom.parseString((out / f'{show}.svg').read_text())
            return text

    @unittest.skipUnless(ORACLE, 'no librocksdb')
    def test_round_trips(self):
        # We write no partitions; that release has no async_io, which fails its steps.
        text = self.check('round-trips', f'--peer={ORACLE[0]}', status=1)
        self.assertEqual(text.count(': met.') + text.count(': missed.'), 4)

    def test_blob_round_trips(self):
        text = self.check('blob-round-trips', '--megabytes=2')
        self.assertRegex(text, r'\| 4 KiB \| \d+ \(\d+\), \d+, \d+\.\d ms \|')
        self.assertEqual(text.count(': met.') + text.count(': missed.'), 2, text)

    def test_concurrent_reads(self):
        self.check('concurrent-reads')

    @unittest.skipUnless(shutil.which('fio'), 'no fio')
    def test_multiget(self):
        self.assertIn('Cairn, level by level', self.check('multiget-modes'))

    @unittest.skipUnless(shutil.which('fio'), 'no fio')
    def test_scan(self):
        self.assertIn('fio, 8 reads', self.check('scan'))

    @unittest.skipUnless(shutil.which('valgrind'), 'no valgrind')
    def test_cached_cost(self):
        self.check('cached-cost', '--num=3000', '--operations=300')

    def test_local_reads(self):
        self.check('local-reads')


class FakeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bench = self.folder / 'fake_bench'
        self.bench.write_text(FAKE)
        self.bench.chmod(0o755)

    def run_show(self, show, *more, status=0):
        done = subprocess.run([SCRIPTS / 'shows.py', show, f'--bench={self.bench}', '--ours=ours', '--peer=other',
                               f'--dir={self.folder}/dbs', f'--out={self.folder}/results', '--pairs=2', *more],
                              capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def calls(self):
        path = self.folder / 'calls'
        lines = path.read_text().splitlines()
        path.unlink()
        return lines

    def test_tells_ratios_and_what_was_asked_for(self):
        text = self.run_show('write-configurations').stdout
        self.assertIn('time of the default / the peer\'s best time: **0.33**, asked for at most 0.6: met', text)
        self.assertIn('the slowest of the four / the default: **1.00**', text)
        text = self.run_show('pauses').stdout
        for engine in ('threads', 'fibers'):
            self.assertIn(f'longest pause, Cairn, {engine} / peer: **0.33**', text)
        text = self.run_show('writers').stdout
        self.assertIn('| 64 | ' + ' | '.join(['25.0 (25.0 to 25.0)'] * 3) + ' |', text)
        text = self.run_show('amplification').stdout
        self.assertIn('write amplification, Cairn / peer: **1.00**', text)
        self.assertIn('| 3.00 (3.00 to 3.00) |', text)  # 3 times 200 bytes for 2 times 100

    def test_the_matrix_of_writes_measures_what_is_slow_again(self):
        (self.folder / 'slow').write_text('--options=unordered_write=true;two_write_queues=true; --disable_wal')
        text = self.run_show('write-matrix', '--clients=3', '--batches=10').stdout
        self.assertIn('the lowest of 72 cells: **0.50**, asked for at least 1.0: missed', text)
        self.assertIn('- Cells below 1: 2. Below 1.5: 2. Below 2: 2. Median: 3.00.', text)
        self.assertIn('| without a log, unordered, two queues; 10; 3, fibers | 17 | 33 | 0.50 | 5 |', text)
        self.assertIn('Cells below 0.8 of our best with the same promise, batch and clients: 2.', text)
        # The peer does not come back from two of the 40 combinations, each with two ways to sync.
        self.assertEqual(len(self.calls()), 40 * 3 - 4 + 4 * 3)
        xml.dom.minidom.parseString((self.folder / 'results/write-matrix.svg').read_text())

    def test_the_matrix_of_reads_has_each_kind_of_table(self):
        text = self.run_show('read-matrix', '--clients=3').stdout
        self.assertIn('the lowest of 192 cells: **3.00**, asked for at least 1.0: met', text)
        self.assertIn('| ZSTD, no block cache; Seek and 1000 | 3.00 | 3.00 |', text)
        measured = [c for c in self.calls() if '--use_existing_db' in c]
        self.assertEqual(len(measured), 24 * 4 * 3)
        xml.dom.minidom.parseString((self.folder / 'results/read-matrix.svg').read_text())

    def test_the_worst_of_the_sizes_is_told(self):
        text = self.run_show('blob-values', '--value-sizes=1024,4096').stdout
        self.assertIn('overwrite, in blob files: Cairn / peer, the lowest of all sizes (1 KiB): **3.00**, asked for at least 1.5: met', text)
        self.assertIn('write amplification, in tables: Cairn / peer, the highest of all sizes (4 KiB): **1.00**, asked for at most 1.0: met', text)
        blobs = [call for call in self.calls() if '--enable_blob_files' in call]
        self.assertEqual(len(blobs), 2 * 2 * 2)

    def test_both_engines_get_the_same_flags(self):
        self.run_show('growth')
        flags = {}
        for call in self.calls():
            library, db, *rest = call.split()
            flags.setdefault(library, []).append(sorted(rest))
        self.assertEqual(flags['--library=' + str(pathlib.Path('ours').resolve())],
                         flags['--library=' + str(pathlib.Path('other').resolve())])

    def test_a_run_that_failed_half_way_is_resumed(self):
        (self.folder / 'broken').write_text('updaterandom')
        done = self.run_show('coroutine-port', status=1)
        self.assertIn('no such luck', done.stderr)
        self.assertIn('updaterandom, sync: fibers / threads: not measured', done.stdout)
        self.assertIn('overwrite, sync: fibers / threads: **1.00**', done.stdout)
        self.calls()
        (self.folder / 'broken').unlink()
        self.assertNotIn('not measured', self.run_show('coroutine-port', '--resume').stdout)
        measured = [c for c in self.calls() if '--benchmarks=filluniquerandom' not in c]
        self.assertEqual(len(measured), 6)
        self.assertTrue(all('updaterandom' in c for c in measured))

    def test_resume_refuses_other_settings(self):
        self.run_show('growth')
        done = self.run_show('growth', '--resume', '--sizes=5', status=1)
        self.assertIn('cannot resume: other settings: sizes', done.stderr)

    def test_without_resume_all_is_measured_again(self):
        self.run_show('growth')
        self.run_show('growth')
        self.assertEqual(len(self.calls()), 2 * 2 * 3 * 2)


class ReportTest(unittest.TestCase):
    def test_the_order_changes_from_pair_to_pair(self):
        self.assertEqual([rotated(['a', 'b', 'c'], pair)[0] for pair in range(4)], ['a', 'b', 'c', 'a'])

    def test_axis_ends_at_a_round_number_past_the_largest(self):
        for largest in (0, 0.003, 1, 7, 99, 100, 123456):
            ticks = bench_report.steps_of_axis(largest)
            self.assertGreaterEqual(ticks[-1], largest)
            self.assertLessEqual(len(ticks), 7)

    def test_an_empty_panel_says_so(self):
        picture = bench_report.line_plot([{'title': 'Speed', 'x': 'seconds', 'series': {'one': []}}], 'nothing')
        xml.dom.minidom.parseString(picture)
        self.assertIn('Speed: not measured', picture)

    def test_amplification_is_unknown_where_the_kernel_does_not_count(self):
        self.assertIsNone(shows_writes.amplification({'runs': [{'storage_bytes': 0, 'user_bytes': 5}]}))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
