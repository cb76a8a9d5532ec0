#!/usr/bin/env python3
"""Runs db_bench as a user would, small: every workload reports in RocksDB's form.

  db_bench_test.py <db_bench>
"""
import pathlib
import re
import tempfile
import unittest

from db_bench_case import DbBenchCase, reports, run


class DbBenchTest(DbBenchCase):
    def check_all_workloads(self, *flags):
        names = ('fillseq,fillrandom,overwrite,updaterandom,readrandom,readmissing,readseq,readreverse,seekrandom,'
                 'readwhilewriting,multireadrandom,deleterandom,compact')
        result = run('--num=2000', f'--benchmarks={names},flush,waitforcompaction,stats,levelstats', *flags)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        seen = reports(result)
        self.assertEqual(set(seen), set(names.split(',')))
        return seen, result.stdout

    def test_workloads_on_one_thread(self):
        seen, text = self.check_all_workloads()
        self.assertEqual(seen['fillseq'][0], 2000)
        self.assertRegex(seen['fillrandom'][1], r'^ +\d+\.\d MB/s$')
        self.assertRegex(seen['readrandom'][1], r'^ +\d+\.\d MB/s \(\d+ of 2000 found\)$')
        self.assertRegex(seen['readmissing'][1], r'^ \(0 of 2000 found\)$')
        self.assertRegex(seen['updaterandom'][1], r'\( updates:2000 found:\d+\)$')
        self.assertIn('Level Files Size(MB)', text)

    def test_workloads_on_threads(self):
        self.assertEqual(self.check_all_workloads('--threads=3')[0]['fillrandom'][0], 6000)

    def test_workloads_on_fibers(self):
        seen, _ = self.check_all_workloads('--threads=8', '--fiber_workers=2', '--batch_size=4')
        self.assertEqual(seen['readrandom'][0], 16000)

    def test_same_seed_same_keys(self):
        found = [reports(run('--num=3000', '--benchmarks=fillrandom,readrandom'))['readrandom'] for _ in range(2)]
        self.assertEqual(found[0][1].split('(')[1], found[1][1].split('(')[1])

    def test_fillsync_and_existing_database(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run('--num=2000', '--writes=20', '--benchmarks=fillsync', f'--db={folder}/x')
            self.assertRegex(reports(result)['fillsync'][1], r'\(2 ops\)$')
            result = run('--use_existing_db', '--benchmarks=fillseq,readseq', f'--db={folder}/x')
            self.assertIn('fillseq      : skipped (--use_existing_db is true)', result.stdout)
            self.assertEqual(reports(result)['readseq'][0], 2)

    def test_duration_histogram_statistics_and_report_file(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run('--num=1000', '--duration=2', '--benchmarks=readrandom', '--histogram', '--statistics',
                         '--report_interval_seconds=1', f'--report_file={folder}/report.csv')
            self.assertIn('Microseconds per read:\nCount: ', result.stdout)
            self.assertIn('STATISTICS:\nrocksdb.', result.stdout)
            with open(f'{folder}/report.csv') as report:
                lines = report.read().splitlines()
            self.assertEqual(lines[0], 'secs_elapsed,interval_qps')
            self.assertRegex(lines[1], r'^1,\d+$')

    def test_registered_file_systems_and_envs(self):
        for where in '--env_uri=MockEnv', '--fs_uri=MemoryFileSystem', '--fs_uri=posix://':
            with tempfile.TemporaryDirectory() as folder:
                result = run('--num=500', '--benchmarks=fillseq,readseq', f'--db={folder}/x', where)
                self.assertEqual(result.returncode, 0, result.stderr[-2000:])
                self.assertEqual(reports(result)['readseq'][0], 500)
                self.assertEqual(pathlib.Path(folder, 'x').exists(), 'posix' in where, where)

    DETERMINISTIC = ('--benchmarks=fillseqdeterministic,levelstats,readseq,readrandom', '--num=100000', '--num_levels=4',
                     '--disable_auto_compactions', '--compression_type=none', '--write_buffer_size=524288',
                     '--target_file_size_base=1048576', '--value_size=50')

    @staticmethod
    def shape(result):
        """Bytes of each level, and of each file of level 0."""
        levels = {int(level): int(size) for level, size in
                  re.findall(r'^Level\[([1-9])\]: \S+ - \S+\(total size: (\d+) bytes\)$', result.stdout, re.M)}
        files = [int(size) for size in re.findall(r'^Level\[0\]: \S+\(size: (\d+) bytes\)$', result.stdout, re.M)]
        return levels, files

    def test_fillseqdeterministic_fills_each_level(self):
        result = run(*self.DETERMINISTIC, '--max_bytes_for_level_multiplier=4', '--threads=3')
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertIn('fillseqdeterministic multithreaded not supported, use 1 thread', result.stderr)
        levels, _ = self.shape(result)
        self.assertEqual(set(levels), {1, 2, 3})
        self.assertAlmostEqual(levels[3] / levels[2], 4, delta=0.4)
        seen = reports(result)
        self.assertEqual(seen['fillseqdeterministic'][0], 100000 + 25000 + 6250)
        self.assertEqual(seen['readseq'][0], 300000)
        self.assertIn('of 100000 found', seen['readrandom'][1])
        # The other levels hold keys that the last one has, too: all are found, once.
        self.assertRegex(seen['readrandom'][1], r'\(100000 of 100000 found\)')

    def test_fillseqdeterministic_in_universal_style(self):
        result = run(*self.DETERMINISTIC, '--compaction_style=1', '--universal_size_ratio=50')
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        levels, files = self.shape(result)
        self.assertEqual(set(levels), {1, 2, 3})
        self.assertGreater(len(files), 0)
        self.assertAlmostEqual(levels[3] / levels[2], 2.5, delta=0.3)
        self.assertRegex(reports(result)['readrandom'][1], r'\(100000 of 100000 found\)')

    def test_fillseqdeterministic_is_refused_where_it_cannot_be(self):
        for style in '0', '1':
            result = run('--benchmarks=fillseqdeterministic', '--num=2000', '--disable_auto_compactions',
                         f'--compaction_style={style}')
            self.assertEqual(result.returncode, 1)
            self.assertIn('n is too small to fill 7 levels', result.stderr)
        result = run('--benchmarks=fillseqdeterministic', '--num=2000')
        self.assertEqual(result.returncode, 1)
        self.assertIn('Please disable_auto_compactions in FillDeterministic benchmark', result.stderr)

    def test_filluniquerandomdeterministic_writes_each_key_once(self):
        result = run(*self.DETERMINISTIC[1:], '--max_bytes_for_level_multiplier=4',
                     '--benchmarks=filluniquerandomdeterministic,readrandom')
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertRegex(reports(result)['readrandom'][1], r'\(100000 of 100000 found\)')

    def test_workloads_next_to_another(self):
        names = ('readwhilewriting,readwhilemerging,readwhilescanning,multireadwhilewriting,newiteratorwhilewriting,'
                 'seekrandomwhilewriting,seekrandomwhilemerging').split(',')
        for clients in ('--threads=2',), ('--threads=8', '--fiber_workers=2'):
            seen, _ = self.expect_runs('--num=1000', '--benchmarks=fillseq,' + ','.join(names), '--merge_operator=stringappend',
                                       *clients)
            threads = 8 if len(clients) == 2 else 2
            # Who works beside them is not counted.
            self.assertEqual({name: seen[name][0] for name in names}, dict.fromkeys(names, 1000 * threads))

    def test_workloads_that_read_more(self):
        seen, _ = self.expect_runs('--num=3000', '--benchmarks=fillbatch,readtocache,readrandomfast,readrandomsmall,newiterator,'
                                   'approximatesizerandom,verifychecksum')
        self.assertEqual(seen['fillbatch'][0], 3000)
        self.assertEqual(seen['readtocache'][0], 3000)
        found, read, missing = map(int, re.search(r'\((\d+) of (\d+) found, issued (\d+) non-exist keys\)$',
                                                  seen['readrandomfast'][1]).groups())
        self.assertEqual((read, found + missing), (3000, 3000))
        self.assertGreater(missing, 0)  # 3,000 of 4,096 are there
        self.assertEqual(seen['readrandomsmall'][0], 3)
        self.assertGreater(float(re.search(r'Avg approx size=([0-9.e+]+)', seen['approximatesizerandom'][1])[1]), 0)

    def test_merges_and_what_they_replace(self):
        seen, _ = self.expect_runs(
            '--num=2000', '--merge_keys=100', '--merge_operator=stringappend',
            '--benchmarks=mergerandom,readrandommergerandom,appendrandom,xorupdaterandom,readtocache')
        self.assertRegex(seen['mergerandom'][1], r'\( updates:2000\)$')
        reads, merges, hits, longest = map(int, re.search(
            r'\(reads:(\d+) merges:(\d+) total:2000 hits:(\d+) maxlength:(\d+)\)$', seen['readrandommergerandom'][1]).groups())
        self.assertEqual(reads + merges, 2000)
        self.assertTrue(1300 < reads < 1500 and hits == reads, (reads, hits))
        self.assertGreater(longest, 20 * 100)
        self.assertRegex(seen['appendrandom'][1], r'\( updates:2000 found:\d+\)$')
        self.expect_refusal('give --merge_operator', '--benchmarks=mergerandom')
        self.expect_refusal('--merge_operator=nosuch', '--merge_operator=nosuch')

    MIX = ('--keyrange_dist_a=14.18', '--keyrange_dist_b=-2.917', '--keyrange_dist_c=0.0164', '--keyrange_dist_d=-0.08082',
           '--keyrange_num=30', '--key_dist_a=0.002312', '--key_dist_b=0.3467')

    def test_mixgraph(self):
        pattern = (r'\( Gets:(\d+) Puts:(\d+) Seek:(\d+), reads (\d+) in (\d+) found, avg size: ([\d.]+) value, '
                   r'([\d.]+) scan\)')
        for keys in (), self.MIX[-2:], self.MIX[:-2], self.MIX:
            seen, _ = self.expect_runs('--num=3000', '--benchmarks=filluniquerandom,mixgraph', '--mix_get_ratio=0.7',
                                       '--mix_put_ratio=0.2', '--mix_seek_ratio=0.1', '--mix_max_scan_len=50', *keys)
            gets, puts, scans, found, reads = (int(x) for x in re.search(pattern, seen['mixgraph'][1]).groups()[:5])
            self.assertEqual(gets + puts + scans, 3000)
            self.assertTrue(1900 < gets < 2300 and 450 < puts < 750 and 200 < scans < 400, (gets, puts, scans))
            self.assertEqual((found, reads), (gets + scans, gets + scans))
        self.expect_runs('--num=300', '--benchmarks=mixgraph', '--mix_put_ratio=1', '--sine_mix_rate', '--sine_a=1000',
                         '--sine_d=100000', '--sine_mix_rate_noise=0.5')
        self.expect_refusal('--keyrange_num must be positive', '--benchmarks=mixgraph', '--keyrange_num=0')
        self.expect_refusal('--mix_get_ratio', '--benchmarks=mixgraph', '--mix_get_ratio=0')
        self.expect_refusal('--mix_max_scan_len', '--benchmarks=mixgraph', '--mix_max_scan_len=0')

    def test_hot_keys_are_read_oftener(self):
        def entries(*flags):
            # What puts left: the fewer keys, the hotter they were.
            seen, _ = self.expect_runs('--num=5000', '--benchmarks=mixgraph,readtocache', '--mix_get_ratio=0', '--mix_put_ratio=1',
                                       *flags)
            return seen['readtocache'][0]
        any_key = entries()
        self.assertTrue(2900 < any_key < 3400, any_key)  # 1 - 1/e of them
        self.assertLess(entries(*self.MIX), any_key * 0.6)

    def test_transactions_keep_the_sums_equal(self):
        for kind in '--transaction_db', '--optimistic_transaction_db':
            for clients in ('--threads=4',), ('--threads=8', '--fiber_workers=2'):
                seen, text = self.expect_runs('--num=20', '--reads=300', '--benchmarks=randomtransaction', '--transaction_sets=3',
                                              '--transaction_set_snapshot', kind, *clients)
                self.assertRegex(seen['randomtransaction'][1], r'\( transactions:300 aborts:\d+\)$')
                self.assertIn('RandomTransactionVerify Success.', text)
        seen, text = self.expect_runs('--num=20', '--reads=300', '--benchmarks=randomtransaction')
        self.assertRegex(seen['randomtransaction'][1], r'\( batches:300 \)$')
        self.assertIn('RandomTransactionVerify Success.', text)
        # The other workloads run on such a database as well.
        self.check_all_workloads('--transaction_db')
        self.expect_refusal('needs --transaction_db', '--benchmarks=randomtransaction', '--threads=2')
        self.expect_refusal('one of them', '--transaction_db', '--optimistic_transaction_db')
        self.expect_refusal('--transaction_sets', '--benchmarks=randomtransaction', '--transaction_sets=0')

    def test_backup_and_restore(self):
        with tempfile.TemporaryDirectory() as folder:
            dirs = (f'--backup_dir={folder}/b', f'--restore_dir={folder}/r')
            self.expect_runs('--num=2000', '--benchmarks=fillseq,backup,restore', *dirs)
            seen, _ = self.expect_runs('--num=2000', '--benchmarks=readseq', f'--db={folder}/r', '--use_existing_db')
            self.assertEqual(seen['readseq'][0], 2000)
        self.expect_refusal('backup needs --backup_dir', '--benchmarks=backup')
        self.expect_refusal('restore needs --backup_dir and --restore_dir', '--benchmarks=restore')

    def test_file_checksums(self):
        self.expect_runs('--num=2000', '--file_checksum', '--benchmarks=fillseq,flush,verifyfilechecksums')
        self.expect_refusal('verifyfilechecksums needs --file_checksum', '--benchmarks=verifyfilechecksums')

    def test_randomwithverify_and_randomreplacekeys(self):
        seen, _ = self.expect_runs('--num=2000', '--numdistinct=50', '--threads=4', '--deletepercent=5',
                                   '--benchmarks=randomwithverify,randomreplacekeys,readtocache')
        self.assertRegex(seen['randomwithverify'][1], r'\( get:1800 put:100 del:100 total:2000 found:\d+\)$')
        self.assertEqual(seen['readtocache'][0], 50)
        for single in 'true', 'false':
            self.expect_runs('--num=500', f'--use_single_deletes={single}', '--benchmarks=randomreplacekeys', '--numdistinct=10')
        self.expect_refusal('--deletepercent', '--benchmarks=randomwithverify', '--deletepercent=50')
        self.expect_refusal('--numdistinct', '--numdistinct=0')

    def test_column_families(self):
        with tempfile.TemporaryDirectory() as folder:
            seen, _ = self.expect_runs(
                '--num=3000', '--num_column_families=3', f'--db={folder}/x', '--batch_size=4',
                '--benchmarks=filluniquerandom,readrandom,readtocache,multireadrandom,seekrandom,flush,compact,readseq')
            for name in 'readrandom', 'multireadrandom', 'seekrandom':
                self.assertIn('(3000 of 3000 found)', seen[name][1], name)
            self.assertEqual((seen['readtocache'][0], seen['readseq'][0]), (3000, 3000))
            one, _ = self.expect_runs('--num=3000', f'--db={folder}/x', '--num_column_families=3', '--use_existing_db',
                                      '--multiread_batched', '--batch_size=8', '--benchmarks=multireadrandom,readreverse')
            self.assertIn('(3000 of 3000 found)', one['multireadrandom'][1])
            self.assertEqual(one['readreverse'][0], 3000)
        for kind in '--transaction_db', '--optimistic_transaction_db':
            seen, _ = self.expect_runs('--num=300', kind, '--num_column_families=2', '--benchmarks=fillseq,readseq')
            self.assertEqual(seen['readseq'][0], 300)
        self.expect_refusal('--num_column_families must be positive', '--num_column_families=0')

    def test_user_timestamps(self):
        with tempfile.TemporaryDirectory() as folder:
            names = 'readrandom,readtocache,multireadrandom,seekrandom,updaterandom,readwhilewriting'
            flags = ('--num=2000', '--user_timestamp_size=8', f'--db={folder}/x')
            seen, _ = self.expect_runs(*flags, f'--benchmarks=filluniquerandom,overwrite,flush,compact,{names}')
            for name in 'readrandom', 'multireadrandom', 'seekrandom', 'readwhilewriting':
                self.assertIn('(2000 of 2000 found)', seen[name][1], name)
            # A key's versions are one entry.
            self.assertEqual(seen['readtocache'][0], 2000)
            # The next run sees what the last one wrote, and its deletions are later.
            seen, _ = self.expect_runs(*flags, '--use_existing_db', '--benchmarks=readrandom,deleteseq,readmissing,seekrandom')
            self.assertIn('(2000 of 2000 found)', seen['readrandom'][1])
            self.assertIn('(0 of 2000 found)', seen['seekrandom'][1])
        seen, _ = self.expect_runs('--num=2000', '--user_timestamp_size=8', '--read_with_latest_user_timestamp=false',
                                   '--benchmarks=fillseq,readrandom')
        # Of a time that is any, the half has not come.
        found = int(re.search(r'\((\d+) of 2000 found\)', seen['readrandom'][1])[1])
        self.assertTrue(900 < found < 1100, found)
        self.expect_refusal('--user_timestamp_size must be 0 or 8', '--user_timestamp_size=4')

    def test_sizes_of_values(self):
        for kind, low, high in ('uniform', 950, 1150), ('normal', 950, 1150), ('fixed', 110, 130):
            with tempfile.TemporaryDirectory() as folder:
                self.expect_runs('--num=2000', '--benchmarks=fillseq,flush', f'--value_size_distribution_type={kind}',
                                 '--value_size_min=100', '--value_size_max=2000', '--compression_type=none', f'--db={folder}/x')
                size = sum(table.stat().st_size for table in pathlib.Path(folder, 'x').glob('*.sst'))
                self.assertTrue(low < size / 2000 < high, (kind, size))
        # What is appended is as large as that says, not as --value_size.
        with tempfile.TemporaryDirectory() as folder:
            self.expect_runs('--num=200', '--benchmarks=appendrandom,flush', '--value_size_distribution_type=uniform',
                             '--value_size=50000', '--value_size_min=1', '--value_size_max=10', '--compression_type=none',
                             f'--db={folder}/x')
            self.assertLess(sum(table.stat().st_size for table in pathlib.Path(folder, 'x').glob('*.sst')), 50000)
        self.expect_refusal('there are fixed, uniform and normal', '--value_size_distribution_type=zipf')
        self.expect_refusal('--value_size_min', '--value_size_min=10', '--value_size_max=9')

    def test_overwrites_of_filluniquerandom(self):
        def entries(*flags):
            return self.expect_runs('--num=2000', '--benchmarks=filluniquerandom,readtocache', *flags)[0]['readtocache'][0]
        self.assertEqual(entries(), 2000)
        self.assertTrue(900 < entries('--overwrite_probability=0.5', '--overwrite_window_size=10') < 1100)
        self.expect_refusal('--overwrite_probability', '--overwrite_probability=1.5')
        self.expect_refusal('--overwrite_window_size', '--overwrite_window_size=0')

    def test_levels_are_compacted_one_by_one(self):
        levels = [[int(files) for files in re.findall(r'^ +[0-6] +(\d+) ', text, re.M)] for text in
                  self.expect_runs('--num=2000', '--disable_auto_compactions', '--compression_type=none', '--benchmarks='
                                   'fillseq,flush,overwrite,flush,levelstats,compact0,levelstats,compact1,levelstats,compactall,readseq')
                  [1].split('Level Files Size(MB)')[1:]]
        self.assertEqual([files[:3] for files in levels], [[2, 0, 0], [0, 1, 0], [0, 0, 1]])
        self.expect_refusal('--num_levels=3', '--benchmarks=compact0', '--num_levels=2')

    def test_fillseekseq(self):
        seen, _ = self.expect_runs('--num=2000', '--benchmarks=fillseekseq,readseq')
        self.assertEqual((seen['fillseekseq'][0], seen['readseq'][0]), (4000, 2000))

    def test_merge_operands(self):
        seen, _ = self.expect_runs('--num=500', '--merge_keys=20', '--merge_operator=stringappend',
                                   '--benchmarks=mergerandom,getmergeoperands')
        self.assertIn('(500 of 500 found)', seen['getmergeoperands'][1])
        operands = int(re.search(r'\( operands:(\d+)\)', seen['getmergeoperands'][1])[1])
        self.assertTrue(20 * 500 < operands < 35 * 500, operands)  # 25 of each

    def test_timeseries(self):
        for clients in ('--threads=2',), ('--threads=3', '--fiber_workers=2'):
            for style in 'none', 'delete', 'compaction_filter':
                seen, _ = self.expect_runs('--num=20000', '--key_id_range=10', '--time_range=500', f'--expire_style={style}',
                                           '--benchmarks=timeseries,compact,readtocache', *clients)
                self.assertGreaterEqual(seen['timeseries'][0], 20000)
                left = seen['readtocache'][0]
                if style == 'none':
                    self.assertEqual(left, 20000)
                elif style == 'compaction_filter':
                    self.assertTrue(500 <= left <= 501, left)
                else:  # as far as the client that deletes had come
                    self.assertLessEqual(500, left)
        self.expect_refusal('timeseries needs --threads=2', '--benchmarks=timeseries')
        self.expect_refusal('--expire_style: there are', '--benchmarks=timeseries', '--threads=2', '--expire_style=x')

    def test_entries_that_are_deleted_soon(self):
        # 18 rounds of 100 that go and 10 that stay, and of the next ones what 2000 operations have left.
        seen, text = self.expect_runs('--num=2000', '--benchmarks=fillanddeleteuniquerandom,readtocache',
                                      '--disposable_entries_batch_size=100', '--persistent_entries_batch_size=10',
                                      '--disposable_entries_value_size=10', '--persistent_entries_value_size=20')
        self.assertEqual(seen['fillanddeleteuniquerandom'][0], 2000)
        written, deleted = (int(n) for n in re.search(r"\(disposable\+persistent\): (\d+)\.\nNumber of 'disposable entry delete': (\d+)", text).groups())
        self.assertEqual(written + deleted, 2000)
        self.assertEqual(seen['readtocache'][0], written - deleted)
        self.assertGreater(deleted, 500)
        # Before their time none is.
        seen, text = self.expect_runs('--num=2000', '--benchmarks=fillanddeleteuniquerandom,readtocache', '--batch_size=4',
                                      '--disposable_entries_batch_size=100', '--disposable_entries_delete_delay=1000000000')
        self.assertIn("delete': 0", text)
        self.assertEqual(seen['readtocache'][0], 2000)
        seen, _ = self.expect_runs('--num=2000', '--benchmarks=fillanddeleteuniquerandom,readtocache')
        self.assertEqual(seen['readtocache'][0], 2000)
        self.expect_refusal('without --overwrite_probability', '--benchmarks=fillanddeleteuniquerandom', '--overwrite_probability=0.5',
                            '--disposable_entries_batch_size=5')
        self.expect_refusal('needs --disposable_entries_batch_size', '--persistent_entries_batch_size=5')
        self.expect_refusal('not negative', '--disposable_entries_value_size=-1')

    def test_existing_keys(self):
        with tempfile.TemporaryDirectory() as folder:
            there = f'--db={folder}/x'
            seen, _ = self.expect_runs(there, '--num=3000', '--key_size=20', '--benchmarks=fillrandom,flush,readtocache')
            keys = seen['readtocache'][0]
            self.assertLess(keys, 2500)
            found = rf'\({keys} of {keys} found\)'
            existing = (there, '--use_existing_db', '--use_existing_keys')
            names = 'readtorowcache,readrandom,multireadrandom,seekrandom,readmissing,overwrite,readtocache'
            seen, text = self.expect_runs(*existing, '--row_cache_size=10000000', '--statistics', f'--benchmarks={names}')
            for name in 'readtorowcache', 'readrandom', 'multireadrandom', 'seekrandom':
                self.assertRegex(seen[name][1], found, name)
            self.assertIn(f'(0 of {keys} found)', seen['readmissing'][1])
            self.assertEqual(seen['readtocache'][0], keys)
            self.assertIn(f'rocksdb.row.cache.miss COUNT : {2 * keys}', text.replace('\r', ''))
            self.expect_refusal('readtorowcache needs --use_existing_keys', there, '--use_existing_db', '--benchmarks=readtorowcache')
        self.expect_refusal('needs --use_existing_db', '--use_existing_keys')
        self.expect_refusal('one family', '--use_existing_keys', '--use_existing_db', '--num_column_families=2')
        with tempfile.TemporaryDirectory() as folder:
            self.expect_runs(f'--db={folder}/x', '--benchmarks=')
            self.expect_refusal('the database has no keys', f'--db={folder}/x', '--use_existing_keys', '--use_existing_db')

    def test_wide_columns_and_operands_are_read(self):
        for families in '1', '3':
            seen, _ = self.expect_runs('--num=2000', '--batch_size=8', f'--num_column_families={families}', '--benchmarks='
                                       'fillseq,readrandom,readrandomentity,multireadentity,readrandomoperands')
            for name in 'readrandomentity', 'multireadentity', 'readrandomoperands':
                self.assertIn('(2000 of 2000 found)', seen[name][1], name)
                self.assertRegex(seen[name][1], r'^ +\d+\.\d MB/s', name)
        # Of each key more operands than there is room for at first.
        seen, _ = self.expect_runs('--num=1000', '--merge_keys=50', '--merge_operator=stringappend', '--reads=200', '--benchmarks='
                                   'mergerandom,readrandomoperands')
        self.assertRegex(seen['readrandomoperands'][1], r'\([1-9]\d* of 200 found\)')
        self.expect_refusal('without --user_timestamp_size', '--benchmarks=readrandomentity', '--user_timestamp_size=8')

    def test_memtable_stats_of_ranges(self):
        seen, text = self.expect_runs('--num=2000', '--reads=300', '--batch_size=100', '--benchmarks=fillseq,approximatememtablestats')
        self.assertEqual(seen['approximatememtablestats'][0], 300)
        self.assertIn('Reported entry count stats (expected 100):\nCount: 300 ', text.replace(' \n', '\n'))
        _, text = self.expect_runs('--num=2000', '--reads=300', '--batch_size=100', '--benchmarks=fillseq,flush,approximatememtablestats')
        self.assertIn('Min: 0  Median: 0.0000  Max: 0', text)
        self.expect_refusal('--batch_size is --num at most', '--num=10', '--batch_size=11', '--benchmarks=approximatememtablestats')

    def test_ingested_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            seen, text = self.expect_runs(
                '--num=500', f'--db={folder}/x', '--ingest_external_file_batch_size=3', '--ingest_external_file_num_batches=2',
                '--ingest_external_file_fill_cache=false', '--threads=2', '--disable_auto_compactions',
                '--benchmarks=ingestexternalfile,readrandom,readtocache,levelstats')
            self.assertEqual(seen['ingestexternalfile'][0], 2)
            self.assertIn('(2 batches x 3 files, 500 keys/file, 1 threads)', seen['ingestexternalfile'][1])
            self.assertEqual(seen['readtocache'][0], 500)
            self.assertEqual(len(list(pathlib.Path(folder, 'x').glob('*.sst'))), 6)
            self.assertFalse(pathlib.Path(folder, 'x', 'ingest_tmp').exists())
        self.expect_refusal('must be positive', '--ingest_external_file_batch_size=0')
        self.expect_refusal('--ingest_external_file_use_file_info=true is not supported', '--ingest_external_file_use_file_info')

    def test_a_workers_compaction_leaves_the_database_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            flags = ('--num=2000', f'--secondary_path={folder}/worker', '--disable_auto_compactions', '--compression_type=none')
            seen, text = self.expect_runs(*flags, '--benchmarks=fillseq,flush,overwrite,flush,openandcompact,openandcompact,levelstats,'
                                          'readrandom,compact')
            self.assertIn('Input files: 2 files, ', text)
            self.assertEqual(text.count('OpenAndCompact status: OK'), 2)
            size = int(re.search(r'Output: 1 files, average size: (\d+) bytes', text)[1])
            self.assertTrue(2000 * 100 < size < 2000 * 160, size)
            self.assertRegex(text, r'(?m)^  0        2 ')
            self.assertIn('(2000 of 2000 found)', seen['readrandom'][1])
            self.assertEqual(list(pathlib.Path(folder, 'worker').iterdir()), [])
            _, text = self.expect_runs(*flags, '--num=100000', '--openandcompact_test_cancel_on_odd', '--openandcompact_cancel_after_millseconds=0',
                                       '--benchmarks=fillseq,flush,openandcompact,openandcompact')
            told = re.findall(r'OpenAndCompact status: (.*)', text)
            # (One that was done before is told.)
            self.assertTrue('paused' in told[0] or 'Fail to cancel' in text, told)
            self.assertEqual(told[1:], ['OK'])
            self.assertEqual(list(pathlib.Path(folder, 'worker').iterdir()), [])
            self.expect_refusal('the database has no tables', *flags, '--benchmarks=openandcompact')
        self.expect_refusal('openandcompact needs --secondary_path', '--benchmarks=openandcompact')
        self.expect_refusal('without --enable_blob_files', '--benchmarks=openandcompact', '--secondary_path=/tmp/x', '--enable_blob_files')

    def test_acquireload(self):
        seen, _ = self.expect_runs('--num=10', '--benchmarks=acquireload', '--threads=2')
        self.assertEqual(seen['acquireload'][0], 200000)
        self.assertIn('(each op is 1000 loads)', seen['acquireload'][1])

    def test_databases_are_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            truth = f'--truth_db={folder}/truth'
            self.expect_runs('--num=1000', '--benchmarks=fillseq,flush', f'--db={folder}/truth')
            _, text = self.expect_runs('--num=1000', '--benchmarks=fillseq,verify,flush,compact,verify', truth)
            for benchmarks, fault, num in (('fillseq,overwrite,verify', 'has another value in --truth_db', 1000),
                                           ('fillseq,verify', 'of --truth_db is missing', 999), ('fillseq,verify', 'is not in --truth_db', 1001)):
                self.expect_refusal(fault, f'--benchmarks={benchmarks}', f'--num={num}', truth)
            self.expect_refusal('cannot open --truth_db', '--benchmarks=verify', f'--truth_db={folder}/none')

    def test_history_of_the_tickers(self):
        # The notes are taken in the background: until there is one.
        for seconds in 2, 10, 60:
            _, text = self.expect_runs('--num=1000', '--statistics', '--stats_persist_period_sec=1', f'--duration={seconds}',
                                       '--benchmarks=fillrandom,stats_history')
            if '------ ' in text.split('operations;')[1]:
                break
        self.assertRegex(text, r'------ \d{4}/\d\d/\d\d-\d\d:\d\d:\d\d ------\n \d{10}   rocksdb\.')
        self.assertRegex(text, r'(?m)^ \d+   rocksdb.number.keys.written  [1-9]')
        self.expect_runs('--num=10', '--benchmarks=fillseq,stats_history')

    def test_actions(self):
        _, text = self.expect_runs('--num=500', '--statistics',
                                   '--benchmarks=fillseq,stats,resetstats,stats,memstats,block_cache_entry_stats')
        self.assertEqual(re.findall(r'Cumulative writes: (\d+) writes', text), ['500', '0'])
        self.assertIn('rocksdb.cur-size-all-mem-tables: ', text)
        self.assertIn('Block cache', text)

    def test_a_processor_alone(self):
        checksums, compressions = 'crc32c,xxhash,xxhash64,xxh3', 'compress,compressreject,uncompress'
        flags = ('--num=10', '--block_size=16777216', '--ops_between_duration_checks=1', '--duration=1', '--histogram')
        seen, text = self.expect_runs(f'--benchmarks={checksums}', *flags)
        for name in checksums.split(','):
            self.assertRegex(seen[name][1], r'^ +\d+\.\d MB/s \(16777216 per op\)$')
        self.assertIn('Microseconds per hash:', text)
        for compression in 'snappy', 'zlib', 'bzip2', 'lz4', 'lz4hc', 'zstd':
            seen, _ = self.expect_runs(f'--benchmarks={compressions}', f'--compression_type={compression}', '--compression_ratio=0.3', *flags)
            self.assertRegex(seen['compress'][1], r'^ +\d+\.\d MB/s \(output: \d\d\.\d%\)$')
            self.assertRegex(seen['compressreject'][1], r' MB/s \(rejected; output buffer 20\.0% of input\)$')
            self.assertRegex(seen['uncompress'][1], r'^ +\d+\.\d MB/s$')
        # As many blocks as there are in 5000 MB.
        self.assertEqual(self.expect_runs('--num=1', '--benchmarks=crc32c', '--block_size=1048576')[0]['crc32c'][0], 5000)
        self.expect_refusal('--compression_type=none has nothing to do', '--benchmarks=uncompress', '--compression_type=none')
        self.expect_refusal('does not get smaller', '--benchmarks=compress', '--compression_ratio=1', '--compression_type=lz4')

    def test_workloads_run_several_times(self):
        _, text = self.expect_runs('--num=1000', '--benchmarks=fillseq[X2],readrandom[X3-W2],seekrandom[W1]')
        self.assertEqual(len(re.findall(r'(?m)^readrandom   : .*\(1000 of 1000 found\)$', text)), 5)
        self.assertEqual(len(re.findall(r'(?m)^seekrandom   : ', text)), 2)
        self.assertIn('Warming up benchmark by running 2 times\n', text)
        self.assertIn('Running benchmark for 3 times\n', text)
        for line in (r'readrandom \[AVG 2 runs\] : \d+ \(± \d+\) ops/sec; +\d+\.\d \(± \d+\.\d\) MB/sec',
                     r'readrandom \[AVG    3 runs\] : \d+ \(± \d+\) ops/sec; \d\.\d{3} ms/op; +\d+\.\d \(± \d+\.\d\) MB/sec',
                     r'readrandom \[MEDIAN 3 runs\] : \d+ ops/sec; +\d+\.\d MB/sec'):
            self.assertEqual(len(re.findall(rf'(?m)^{line}$', text)), 1, line)
        self.assertNotIn('seekrandom [', text)
        # The mean of the runs that were counted, and what lies around it.
        each = [int(n) for n in re.findall(r'(?m)^readrandom   : .* (\d+) ops/sec', text)][2:]
        mean = int(re.search(r'readrandom \[AVG    3 runs\] : (\d+)', text)[1])
        self.assertAlmostEqual(mean, sum(each) / 3, delta=2)
        self.assertAlmostEqual(int(re.search(r'readrandom \[MEDIAN 3 runs\] : (\d+)', text)[1]), sorted(each)[1], delta=1)
        _, text = self.expect_runs('--num=1000', '--benchmarks=fillseq,seekrandom[X2]', '--confidence_interval_only')
        self.assertRegex(text, r'(?m)^seekrandom \[CI95 2 runs\] : \(-?\d+, \d+\) ops/sec$')
        for name in 'readseq[X0]', 'readseq[X2', 'readseq[Y2]', 'readseq[X]', 'readseq[Xa]', 'flush[X2]':
            self.expect_refusal(f"unknown benchmark arguments '{name}'", f'--benchmarks={name}')

    def test_scans_of_several_ranges(self):
        flags = ('--num=3000', '--reads=100000', '--value_size=1000', '--benchmarks=fillseq,multiscanrandom')
        for more in ([], ['--reverse_iterator'], ['--explicit_snapshot'], ['--threads=3', '--fiber_workers=2'], ['--use_multiscan=false'],
                     ['--multiscan_use_async_io', '--multiscan_coalesce_threshold=0'], ['--use_multiscan=false', '--reverse_iterator']):
            seen, _ = self.expect_runs(*flags, *more)
            scans, rows, of_each, longest = map(int, re.search(r'\(multiscans:(\d+) rows_scanned:(\d+) rows_per_multiscan:(\d+) '
                                                               r'max_range_keys:(\d+)\)', seen['multiscanrandom'][1]).groups())
            self.assertEqual(longest, (1 << 20) // 1016)
            self.assertEqual(of_each, rows // scans)
            self.assertTrue(90000 < rows < 110000, rows)
            self.assertLessEqual(of_each, 3000)     # no key twice
        # The same ranges, from either end.
        both = [self.expect_runs(*flags, *more)[0]['multiscanrandom']
                for more in ([], ['--reverse_iterator'], ['--use_multiscan=false'], ['--use_multiscan=false', '--reverse_iterator'])]
        self.assertEqual(both, both[:1] * 4)
        self.expect_refusal('of one family', '--benchmarks=multiscanrandom', '--num_column_families=2')

    def test_scans_of_ranges_at_a_stride(self):
        flags = ('--num=3000', '--reads=10000', '--benchmarks=fillseq,flush,multiscan')
        for more, keys in (([], 500), (['--reverse_iterator'], 500), (['--seek_nexts=10', '--multiscan_size=5', '--multiscan_stride=0'], 50),
                           (['--multiscan_use_async_io', '--threads=2', '--fiber_workers=2'], 500)):
            seen, _ = self.expect_runs(*flags, *more)
            scans, = re.search(r'\(multiscans:(\d+)\)', seen['multiscan'][1]).groups()
            self.assertEqual(int(scans), 10000 // keys)
        self.expect_refusal('need more than --num keys', '--benchmarks=multiscan', '--num=1500')
        self.expect_refusal('of one family', '--benchmarks=multiscan', '--num_column_families=2')
        self.expect_refusal('--multiscan_size must be positive', '--benchmarks=multiscan', '--multiscan_size=0')

    def test_coroutines_read(self):
        for flags in (['--coro_jobs_per_thread=1'], ['--coro_jobs_per_thread=50', '--threads=2', '--async_io'],
                      ['--coro_jobs_per_thread=50', '--num_column_families=3']):
            seen, _ = self.expect_runs('--num=5000', '--batch_size=10', *flags,
                                       '--benchmarks=fillseq,flush,readrandomcoroutine,multireadrandomcoroutine')
            reads = 10000 if '--threads=2' in flags else 5000
            for name in 'readrandomcoroutine', 'multireadrandomcoroutine':
                self.assertEqual(seen[name][0], reads)
                self.assertRegex(seen[name][1], rf'^ +\d+\.\d MB/s \({reads} of {reads} found\)$')
        _, text = self.expect_runs('--num=1000', '--perf_level=3', '--benchmarks=fillseq,readrandomcoroutine')
        self.assertIn('PERF_CONTEXT of the first job:\nuser_key_comparison_count = ', text)
        for fault, *flags in (('must be positive', '--coro_jobs_per_thread=0'), ('must be a multiple', '--coro_jobs_per_thread=3'),
                              ('without --fiber_workers', '--fiber_workers=2'), ('a multiple of --batch_size', '--batch_size=3')):
            self.expect_refusal(fault, '--num=1000', '--benchmarks=multireadrandomcoroutine', *flags)

    def test_workloads_that_are_refused_say_why(self):
        for name, why in (('fillembeddedentity', '--enable_blob_files'),
                          ('fillembeddedblob', '--enable_blob_files'), ('cache_report_problems', 'use block_cache_entry_stats')):
            self.expect_refusal(f"benchmark '{name}' is not supported by Cairn's db_bench: ", f'--benchmarks=fillseq,{name}')
            self.expect_refusal(why, f'--benchmarks={name}')

    def test_block_cache_is_traced(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = f'--block_cache_trace_file={folder}/blocks'
            _, text = self.expect_runs('--num=3000', '--benchmarks=fillseq,flush,readrandom', trace)
            self.assertIn(f'Tracing block cache accesses to: [{folder}/blocks]', text)
            whole = pathlib.Path(f'{folder}/blocks').read_bytes()
            self.assertEqual(whole[13:30], b'\x10feedcafedeadbeef')
            self.assertGreater(whole.count(b'default'), 2500)    # a lookup of a block each
            self.expect_runs('--num=3000', '--benchmarks=fillseq,flush,readrandom', trace,
                             '--block_cache_trace_max_trace_file_size_in_bytes=1000')
            self.assertLess(pathlib.Path(f'{folder}/blocks').stat().st_size, 1200)
            self.expect_runs('--num=3000', '--benchmarks=fillseq,flush,readrandom', trace, '--block_cache_trace_sampling_frequency=1000000')
            self.assertLess(pathlib.Path(f'{folder}/blocks').stat().st_size, len(whole) // 2)
        self.expect_refusal('must be above 0', trace, '--block_cache_trace_sampling_frequency=0')

    def test_trace_is_replayed(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = f'--trace_file={folder}/trace'
            made = run('--num=500', '--benchmarks=fillrandom', trace)
            self.assertEqual(made.returncode, 0, made.stderr[-2000:])
            size = pathlib.Path(f'{folder}/trace').stat().st_size
            self.assertGreater(size, 500 * 100)
            for threads in '1', '4':
                again = run('--benchmarks=replay', trace, f'--trace_replay_threads={threads}',
                            '--trace_replay_fast_forward=100')
                self.assertEqual(again.returncode, 0, again.stderr[-2000:])
                ops, rest = reports(again)['replay']
                self.assertEqual(ops, 500)
                self.assertIn('500 operations', rest)
            self.assertEqual(pathlib.Path(f'{folder}/trace').stat().st_size, size)
            for flags, complaint in ((['--benchmarks=replay'], 'Please set --trace_file'),
                                     (['--benchmarks=replay', trace, '--trace_replay_fast_forward=0'], 'above 0'),
                                     (['--benchmarks=replay,fillseq', trace], 'a run of their own'),
                                     (['--benchmarks=replay', f'--trace_file={folder}/none'], 'replay of')):
                result = run(*flags)
                self.assertEqual(result.returncode, 1)
                self.assertIn(complaint, result.stderr)


if __name__ == '__main__':
    unittest.main()
