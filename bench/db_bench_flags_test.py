#!/usr/bin/env python3
"""The flags of db_bench: what they do can be seen, and bad command lines name their fault.

  db_bench_flags_test.py <db_bench>
"""
import pathlib
import re
import tempfile
import unittest

from db_bench_case import DbBenchCase, reports, run


class DbBenchFlagsTest(DbBenchCase):
    def test_every_option_flag_reaches_the_database(self):
        result = run('--num=2000', '--benchmarks=fillrandom,readrandom', '--compression_type=zstd', '--bloom_bits=10',
                     '--cache_size=1000000', '--block_size=8192', '--write_buffer_size=1000000', '--open_files=50',
                     '--sync', '--enable_write_thread_adaptive_yield=false', '--allow_concurrent_memtable_write=false')
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertIn('Compression: ZSTD', result.stdout)

    def test_flags_of_logs_and_memtables(self):
        self.expect_options(
            {'wal_compression': 'kZSTD', 'WAL_ttl_seconds': '60', 'WAL_size_limit_MB': '7', 'avoid_flush_during_recovery': 'true',
             'db_write_buffer_size': '3000000', 'writable_file_max_buffer_size': '65536', 'max_successive_merges': '3',
             'memtable_prefix_bloom_size_ratio': '0.100000', 'memtable_whole_key_filtering': 'true',
             'prefix_extractor': 'rocksdb.FixedPrefix.8', 'report_bg_io_stats': 'true'},
            '--wal_compression=zstd', '--wal_ttl_seconds=60', '--wal_size_limit_MB=7', '--avoid_flush_during_recovery',
            '--db_write_buffer_size=3000000', '--writable_file_max_buffer_size=65536', '--max_successive_merges=3',
            '--memtable_bloom_size_ratio=0.1', '--memtable_whole_key_filtering', '--prefix_size=8', '--memtablerep=prefix_hash',
            '--hash_bucket_count=100', '--allow_concurrent_memtable_write=false', '--report_bg_io_stats',
            '--rate_limiter_bytes_per_sec=50000000', '--rate_limiter_auto_tuned', '--rate_limit_bg_reads')

    def test_flags_of_compactions(self):
        self.expect_options(
            {'ttl': '1000', 'periodic_compaction_seconds': '2000', 'compaction_pri': 'kRoundRobin', 'compaction_readahead_size': '4096'},
            '--ttl_seconds=1000', '--periodic_compaction_seconds=2000', '--compaction_pri=4', '--compaction_readahead_size=4096')
        # Those that say nothing leave the library's defaults: a month, and never (there is no compaction filter).
        self.expect_options({'ttl': '2592000', 'periodic_compaction_seconds': '0'})
        self.assertRegex(self.options_of('--compaction_style=2', '--fifo_compaction_max_table_files_size_mb=5',
                                         '--fifo_compaction_allow_compaction=false')['compaction_options_fifo'],
                         r'max_table_files_size=5242880')

    def test_flags_of_tables(self):
        self.expect_options(
            {'index_type': 'kTwoLevelIndexSearch', 'partition_filters': 'true', 'metadata_block_size': '512',
             'optimize_filters_for_memory': 'true', 'pin_top_level_index_and_filter': 'false', 'enable_index_compression': 'false',
             'index_shortening': 'kNoShortening', 'data_block_index_type': 'kDataBlockBinaryAndHash',
             'prepopulate_block_cache': 'kFlushOnly', 'optimize_filters_for_hits': 'true', 'sample_for_compression': '5'},
            '--partition_index_and_filters', '--metadata_block_size=512', '--bloom_bits=10', '--use_ribbon_filter',
            '--optimize_filters_for_memory', '--enable_index_compression=false', '--index_shortening_mode=0',
            '--use_data_block_hash_index', '--prepopulate_block_cache=1', '--optimize_filters_for_hits',
            '--cache_low_pri_pool_ratio=0.2', '--compression_type=zstd', '--compression_max_dict_bytes=4096',
            '--compression_zstd_max_train_bytes=65536', '--compression_parallel_threads=2', '--sample_for_compression=5',
            '--total_order_seek', '--use_tailing_iterator')
        result = run('--index_shortening_mode=3')
        self.assertEqual(result.returncode, 1)
        self.assertIn('--index_shortening_mode=3: 0 to 2', result.stderr)

    def test_other_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind, names, *flags in (('PlainTable', ['readrandom', 'seekrandom'], '--use_plain_table', '--prefix_size=8', '--bloom_bits=12'),
                                        ('PlainTable', ['readrandom', 'seekrandom'], '--use_plain_table', '--mmap_read'),
                                        ('CuckooTable', ['readrandom'], '--use_cuckoo_table', '--cuckoo_hash_ratio=0.8', '--mmap_read')):
                seen, _ = self.expect_runs(f'--db={folder}/x', '--num=3000', *flags, '--benchmarks=fillseq,flush,' + ','.join(names))
                for name in names:
                    self.assertIn('(3000 of 3000 found)', seen[name][1], flags)
                self.assertIn(f'table_factory={kind}', max(pathlib.Path(folder, 'x').glob('OPTIONS-*')).read_text())
        for ratio in '0', '1.5':
            self.expect_refusal('above 0, and at most 1', '--use_cuckoo_table', f'--cuckoo_hash_ratio={ratio}')

    def test_flags_of_blob_files(self):
        for cache in ('--use_shared_block_and_blob_cache',), ('--use_shared_block_and_blob_cache=false', '--blob_cache_size=65536'):
            self.expect_options(
                {'enable_blob_files': 'true', 'min_blob_size': '50', 'blob_file_size': '100000', 'blob_compression_type': 'kLZ4Compression',
                 'enable_blob_garbage_collection': 'true', 'blob_file_starting_level': '1', 'prepopulate_blob_cache': 'kFlushOnly'},
                '--enable_blob_files', '--min_blob_size=50', '--blob_file_size=100000', '--blob_compression_type=lz4',
                '--enable_blob_garbage_collection', '--blob_file_starting_level=1', '--prepopulate_blob_cache=1', '--use_blob_cache',
                *cache)

    def test_flags_of_the_published_read_benchmarks(self):
        with tempfile.TemporaryDirectory(dir='/var/tmp') as folder:  # direct reads need a disk
            self.assertEqual(run('--num=3000', '--benchmarks=fillseq,compact', f'--db={folder}/x').returncode, 0)
            existing = (f'--db={folder}/x', '--num=3000', '--use_existing_db', '--readonly', '--async_io',
                        '--cache_size=100000', '--use_direct_reads', '--statistics')
            for batched in 'true', 'false':
                result = run(*existing, '--benchmarks=multireadrandom,readrandom', f'--multiread_batched={batched}',
                             '--batch_size=8', '--multiread_stride=100', '--optimize_multiget_for_io=false')
                self.assertEqual(result.returncode, 0, result.stderr[-2000:])
                # Every key is there: a stride never reaches past the last one.
                self.assertRegex(reports(result)['multireadrandom'][1], r'\(3000 of 3000 found\)$')
                self.assertRegex(reports(result)['readrandom'][1], r'\(3000 of 3000 found\)$')
                self.assertIn('STATISTICS:\nrocksdb.', result.stdout)
            # Without room for the stride all begin at the first key; one key of two is there.
            result = run(*existing, '--benchmarks=multireadrandom', '--batch_size=2', '--multiread_stride=3000')
            self.assertRegex(reports(result)['multireadrandom'][1], r'\(1500 of 3000 found\)$')
            for reverse in 'false', 'true':
                result = run(*existing, '--benchmarks=seekrandom', '--seek_nexts=50', f'--reverse_iterator={reverse}',
                             '--adaptive_readahead', '--initial_auto_readahead_size=4096', '--duration=1',
                             '--max_auto_readahead_size=65536', '--num_file_reads_for_auto_readahead=0',
                             '--ops_between_duration_checks=1', '--reads=10')
                self.assertEqual(result.returncode, 0, result.stderr[-2000:])
                self.assertRegex(reports(result)['seekrandom'][1], r'MB/s \(\d+ of \d+ found\)$')
                self.assertGreater(reports(result)['seekrandom'][0], 10, '--duration goes before --reads')

    def test_flags_of_newer_options(self):
        self.expect_options(
            {'max_bytes_for_level_multiplier_additional': '2:3', 'track_and_verify_wals_in_manifest': 'true',
             'file_checksum_gen_factory': 'FileChecksumGenCrc32cFactory',
             'delete_obsolete_files_period_micros': '5', 'allow_data_in_errors': 'true', 'stats_history_buffer_size': '4096',
             'stats_persist_period_sec': '7', 'persist_stats_to_disk': 'true', 'verify_manifest_content_on_close': 'true', 'block_protection_bytes_per_key': '2', 'paranoid_memory_checks': 'true',
             'memtable_verify_per_key_checksum_on_seek': 'true', 'advise_random_on_open': 'false', 'random_access_max_buffer_size': '65536',
             'avoid_flush_during_shutdown': 'true', 'max_manifest_file_size': '100000', 'skip_stats_update_on_db_open': 'true',
             'index_type': 'kBinarySearchWithFirstKey', 'read_amp_bytes_per_bit': '32', 'merge_operator': 'PutOperator'},
            '--max_bytes_for_level_multiplier_additional=2,3', '--track_and_verify_wals_in_manifest', '--file_checksum',
            '--delete_obsolete_files_period_micros=5', '--allow_data_in_errors', '--stats_history_buffer_size=4096',
            '--stats_persist_period_sec=7', '--persist_stats_to_disk', '--verify_manifest_content_on_close', '--block_protection_bytes_per_key=2', '--paranoid_memory_checks',
            '--memtable_verify_per_key_checksum_on_seek', '--advise_random_on_open=false', '--random_access_max_buffer_size=65536',
            '--avoid_flush_during_shutdown', '--max_manifest_file_size=100000', '--skip_stats_update_on_db_open',
            '--num_low_pri_threads=2', '--num_high_pri_threads=2', '--num_bottom_pri_threads=1', '--index_with_first_key', '--read_amp_bytes_per_bit=32', '--merge_operator=put')
        self.expect_options({'index_type': 'kHashSearch'}, '--use_hash_search', '--prefix_size=4')
        self.expect_options({'allow_mmap_reads': 'true'}, '--mmap_read')
        self.expect_options({'allow_mmap_writes': 'true'}, '--mmap_write')
        self.expect_options({'experimental_mempurge_threshold': '0.500000'}, '--experimental_mempurge_threshold=0.5')
        self.expect_options({'track_and_verify_wals': 'true'}, '--track_and_verify_wals')
        self.expect_refusal('--use_hash_search needs --prefix_size', '--use_hash_search')
        self.assertIn('stop_style=kCompactionStopStyleSimilarSize', self.options_of(
            '--compaction_style=1', '--universal_stop_style=0')['compaction_options_universal'])
        self.expect_refusal('must not be negative', '--num_low_pri_threads=-1')
        self.expect_refusal('--universal_stop_style=2: 0 to 1', '--universal_stop_style=2')
        self.expect_refusal("'x' is no positive number", '--max_bytes_for_level_multiplier_additional=2,x')

    def test_flags_of_rocksdb_11(self):
        self.expect_options(
            {'max_manifest_space_amp_pct': '50', 'verify_compression': 'true', 'decouple_partitioned_filters': 'false',
             'strict_max_successive_merges': 'true', 'max_compaction_trigger_wakeup_seconds': '60', 'memtable_huge_page_size': '2097152',
             'bloom_locality': '1', 'log_readahead_size': '4096', 'memtable_insert_with_hint_prefix_extractor': 'rocksdb.CappedPrefix.4',
             'memtable_factory': 'SkipListFactory:16', 'dump_malloc_stats': 'false'},
            '--max_manifest_space_amp_pct=50', '--verify_compression', '--decouple_partitioned_filters=false', '--max_successive_merges=3',
            '--strict_max_successive_merges', '--max_compaction_trigger_wakeup_seconds=60', '--memtable_use_huge_page', '--bloom_locality=1',
            '--log_readahead_size=4096', '--memtable_insert_with_hint_prefix_size=4', '--skip_list_lookahead=16',
            '--dump_malloc_stats=false', '--cost_write_buffer_to_cache', '--charge_table_reader', '--charge_filter_construction',
            '--charge_compression_dictionary_building_buffer', '--rate_limiter_bytes_per_sec=50000000', '--rate_limit_user_ops',
            '--rate_limit_auto_wal_flush', '--rate_limiter_single_burst_bytes=1000000', '--use_keep_filter', '--auto_readahead_size',
            '--disable_seek_compaction', '--mix_accesses=5', '--async_io')
        universal = self.options_of('--compaction_style=1', '--universal_max_read_amp=7')['compaction_options_universal']
        self.assertIn('max_read_amp=7', universal)
        self.assertIn(f'max_data_files_size={5 << 20}', self.options_of(
            '--compaction_style=2', '--fifo_compaction_max_data_files_size_mb=5')['compaction_options_fifo'])
        self.expect_refusal('max_read_amp should be -1, or at least', '--compaction_style=1', '--universal_max_read_amp=3')
        self.expect_refusal('must be at least 60', '--max_compaction_trigger_wakeup_seconds=59')
        self.expect_refusal('must not be negative', '--skip_list_lookahead=-1')

    def test_memory_counts_as_a_part_of_the_block_cache(self):
        used = {}
        for flag in 'cost_write_buffer_to_cache', 'charge_table_reader', 'build_info=false':
            _, text = self.expect_runs('--num=20000', '--benchmarks=fillseq,flush,fillseq,memstats', f'--{flag}', '--bloom_bits=10',
                                       '--cache_size=100000000', '--use_existing_db=false')
            used[flag] = int(re.search(r'block-cache-pinned-usage: (\d+)', text)[1])
        self.assertGreater(used['cost_write_buffer_to_cache'], used['build_info=false'] + 1000000)

    def test_the_log_and_the_build_are_told(self):
        result = run('--num=10', '--benchmarks=fillseq', '--use_stderr_info_logger', '--report_open_timing')
        self.assertEqual(result.returncode, 0)
        self.assertIn('Options.write_buffer_size: 67108864', result.stderr)
        self.assertRegex(result.stdout, r'(?m)^OpenDb:     [\d.e+]+ milliseconds$')
        _, text = self.expect_runs('--build_info', '--benchmarks=nope')
        self.assertIn('rocksdb_compatible_version: ', text)

    def test_flags_that_are_refused_say_why(self):
        text = ' '.join(run('--helpfull').stdout.split())
        refused = re.findall(r"-(\w+) \(RocksDB's, not supported by Cairn: (.+?)\) type: (\w+) default: (\S+)", text)
        self.assertGreater(len(refused), 60)
        for name, why, kind, default in refused:
            self.assertGreater(len(why), 10, name)
            other = {'bool': 'false' if default == 'true' else 'true', 'string': '?'}.get(kind, '77')
            result = run(f'--{name}={other}', '--benchmarks=')
            self.assertEqual(result.returncode, 1, name)
            said = result.stderr.split(" is not supported by Cairn's db_bench: ")
            self.assertEqual(said[0], f'ERROR: flag --{name}={other}')
            self.assertEqual(said[1].split()[:3], why.split()[:3])

    def test_ranges_are_deleted(self):
        flags = ('--num=3000', '--writes_per_range_tombstone=100', '--writes_before_delete_range=1000', '--max_num_range_tombstones=5',
                 '--range_tombstone_width=40')
        for more in [], ['--expand_range_tombstones'], ['--num_column_families=3'], ['--user_timestamp_size=8']:
            seen, text = self.expect_runs(*flags, *more, '--benchmarks=filluniquerandom,readtocache')
            self.assertIn('Number of range deletions: 5\n', text)
            # What is written behind one is there again.
            self.assertTrue(2800 <= seen['readtocache'][0] < 3000, seen['readtocache'])
            # Those that come later in order have all been written again.
            self.assertEqual(self.expect_runs(*flags, *more, '--benchmarks=fillseq,readtocache')[0]['readtocache'][0], 3000)
        seen, text = self.expect_runs(*flags, '--finish_after_writes', '--reads=10', '--benchmarks=fillseq,compact,readwhilewriting')
        self.assertEqual(text.count('Number of range deletions: 5\n'), 2)
        self.expect_refusal('--range_tombstone_width positive', '--range_tombstone_width=0')

    def test_the_page_lists_what_is_refused(self):
        text = ' '.join(run('--helpfull').stdout.split())
        refused = dict(re.findall(r"-(\w+) \(RocksDB's, not supported by Cairn: (.+?)\) type: ", text))
        page = (pathlib.Path(__file__).resolve().parent.parent / 'doc/db_bench.md').read_text()
        rows = re.findall(r'(?m)^\| (`.*`) \| (.*) \|$', page.split('## Flags that are refused')[1])
        listed = {name: why.replace('`', '') for names, why in rows for name in re.findall(r'`(\w+)`', names)}
        idle = set(re.findall(r'-(\w+) \([^()]*without effect[^()]*\) type: ', text))
        self.assertEqual(set(re.findall(r'`(\w+)`', page.split('## Flags without effect')[1].split('Always as if given')[0])),
                         idle - {'max_write_buffer_number_to_maintain', 'random_access_max_buffer_size'})
        # (Help texts are wrapped within a word where they have no space.)
        self.assertEqual({name: why.replace(' ', '') for name, why in listed.items()},
                         {name: why.replace(' ', '') for name, why in refused.items()})

    def test_what_is_read_and_written_is_held_back(self):
        for flags, name, least in ((['--benchmark_read_rate_limit=1000'], 'readrandom', 0.3), (['--benchmark_read_rate_limit=1000'], 'seekrandom', 0.3),
                                   (['--benchmark_write_rate_limit=50000'], 'overwrite', 0.7),
                                   (['--sine_write_rate', '--sine_a=0', '--sine_d=50000'], 'overwrite', 0.7)):
            _, text = self.expect_runs('--num=500', f'--benchmarks={name}', '--histogram', *flags)
            # (A slow machine makes it longer.)
            self.assertGreater(float(re.search(rf'{name} .* ([\d.]+) seconds', text)[1]), least)
        self.expect_refusal('must be positive', '--sine_write_rate', '--sine_write_rate_interval_milliseconds=0')

    def test_writer_beside_readers(self):
        _, text = self.expect_runs('--num=1000', '--writes=5000', '--reads=10', '--finish_after_writes', '--bgwriter_num=10', '--statistics',
                                   '--benchmarks=readwhilewriting,readtocache')
        self.assertRegex(text.replace('\r', ''), r'rocksdb.number.keys.written COUNT : 5000\n')
        self.assertEqual(int(re.search(r'readtocache .* (\d+) operations', text)[1]), 10)
        self.expect_refusal('not negative', '--bgwriter_num=-1')

    def test_operations_on_files_are_told(self):
        def told(text):
            """Of each workload."""
            return [dict((name, int(count)) for name, count in re.findall(r'(?m)^Num (.*): (\d+)$', 'Num files opened' + each))
                    for each in text.split('Num files opened')[1:]]
        for more in [], ['--async_io', '--threads=3', '--fiber_workers=2'], ['--fs_uri=MemoryFileSystem']:
            _, text = self.expect_runs('--num=3000', '--benchmarks=fillseq,flush,readrandom,multireadrandom', '--batch_size=8', '--sync',
                                       '--compression_type=none', '--report_file_operations', '--cache_size=0', *more)
            fill, read, together = told(text)
            self.assertGreater(fill['bytes written'], 3000 * 116)
            self.assertGreaterEqual(fill['Sync()'], 300 if '--threads=3' in more else 3000 // 8)
            self.assertEqual(len(fill), 14)
            self.assertGreaterEqual(read['Read()'], 2900)
            self.assertGreater(read['bytes read'], 2900 * 4000)
            self.assertGreater(together['Read()'], 1000)
        self.assertNotIn('Num Read()', self.expect_runs('--num=10', '--benchmarks=fillseq')[1])

    def test_reads_fail_when_they_are_to(self):
        for fails in 200, 5000:
            result = run('--num=3000', '--benchmarks=fillseq,flush,readrandom', '--cache_size=0', f'--fault_injection_read_after_reads={fails}')
            self.assertEqual(result.returncode, 1 if fails == 200 else 0, result.stderr[-2000:])
            self.assertEqual('get error: IO error: Injected read fault' in result.stderr, fails == 200)
        self.expect_refusal('must not be negative', '--fault_injection_read_after_reads=-1')
        for flags, code in (['--fs_uri=posix://'], 0), ([], 1):
            result = run('--num=3000', '--benchmarks=fillseq,flush,readrandom', '--cache_size=0', '--fault_injection_read_after_reads=200',
                         '--tolerate_io_errors_for_remote_dbs', *flags)
            self.assertEqual(result.returncode, code)
            self.assertEqual('INVALID result: tolerated get error: IO error: Injected' in result.stdout, code == 0)

    def test_keys_are_numbers(self):
        seen, _ = self.expect_runs('--num=3000', '--key_size=8', '--use_uint64_comparator', '--benchmarks=fillseq,flush,readrandom,seekrandom')
        for name in 'readrandom', 'seekrandom':
            self.assertIn('(3000 of 3000 found)', seen[name][1])
        self.expect_options({'comparator': 'rocksdb.Uint64Comparator'}, '--key_size=8', '--use_uint64_comparator')
        self.expect_refusal('needs --key_size=8', '--use_uint64_comparator')

    def test_keys_with_prefixes(self):
        prefixed = ('--num=3000', '--prefix_size=12', '--key_size=24', '--keys_per_prefix=10')
        for more in [], ['--prefix_size=4'], ['--num_column_families=3']:
            seen, _ = self.expect_runs(*prefixed, *more, '--benchmarks=fillrandom,fillseq,readrandom,multireadrandom,readmissing,seekrandom')
            for name in 'readrandom', 'multireadrandom', 'seekrandom':
                self.assertIn('(3000 of 3000 found)', seen[name][1], name)
            self.assertIn('(0 of 3000 found)', seen['readmissing'][1])
        seen, text = self.expect_runs(*prefixed, '--seek_missing_prefix', '--benchmarks=fillseq,flush,seekrandom', '--bloom_bits=10',
                                      '--prefix_same_as_start', '--statistics')
        self.assertIn('(0 of 3000 found)', seen['seekrandom'][1])
        self.assertRegex(text.replace('\r', ''), r'rocksdb.bloom.filter.prefix.useful COUNT : [1-9]')
        for fault, *flags in (('needs --prefix_size and', '--seek_missing_prefix'), ('from 0 to --num', '--keys_per_prefix=-1'),
                              ('needs --prefix_size, 4 bytes', '--keys_per_prefix=5')):
            self.expect_refusal(fault, *flags)

    def test_some_keys_are_read_oftener(self):
        with tempfile.TemporaryDirectory() as folder:
            missed = []
            for skew in '0', '30':
                _, text = self.expect_runs(f'--db={folder}/x', '--num=20000', '--reads=300', '--benchmarks=fillseq,flush,readrandom',
                                           '--statistics', f'--read_random_exp_range={skew}')
                missed.append(int(re.search(r'rocksdb.block.cache.data.miss COUNT : (\d+)', text)[1]))
            self.assertLess(missed[1] * 2, missed[0])
        self.expect_refusal('must not be negative', '--read_random_exp_range=-1')

    def test_families_have_shares(self):
        _, text = self.expect_runs('--num=3000', '--num_column_families=3', '--column_family_distribution=70,0,30', '--benchmarks='
                                   'fillseq,readrandom,flush,stats')
        self.assertIn('(3000 of 3000 found)', text)
        # What the first family's flush took in.
        self.assertRegex(text, r'(?m)^  L0 +1/0 .* 2100 +0 +0\.0 +0\.0$')
        for shares in '70,30', '50,40,5', 'a,b,c':
            self.expect_refusal('--column_family_distribution: ', f'--column_family_distribution={shares}', '--num_column_families=3')

    def test_keys_behind_a_seek_are_deleted(self):
        seen, _ = self.expect_runs('--num=1000', '--benchmarks=fillseq,seekrandom,readtocache', '--seek_nexts=2', '--seek_nexts_to_delete=3')
        self.assertLess(seen['readtocache'][0], 300)
        seen, _ = self.expect_runs('--num=1000', '--benchmarks=fillseq,seekrandom,readtocache', '--seek_nexts=2', '--seek_nexts_to_delete=3',
                                   '--explicit_snapshot')
        self.assertIn('(1000 of 1000 found)', seen['seekrandom'][1])

    def test_values_may_be_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            sizes = []
            for percent in '0', '100':
                self.expect_runs(f'--db={folder}/x', '--num=5000', '--compression_ratio=1', f'--same_value_percentage={percent}',
                                 '--benchmarks=fillseq,flush')
                sizes.append(sum(f.stat().st_size for f in pathlib.Path(folder, 'x').glob('*.sst')))
            self.assertLess(sizes[1] * 2, sizes[0])
        self.expect_refusal('from 0 to 100', '--same_value_percentage=101')

    def test_reports_of_an_interval(self):
        result = run('--num=20000', '--benchmarks=fillseq,flush,readrandom', '--stats_interval=5000', '--stats_per_interval=1',
                     '--show_table_properties', '--thread_status_per_interval=1', '--histogram', '--slow_usecs=0', '--progress_reports')
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertRegex(result.stderr, r'(?m)^Level\[0\]: .*# entries=20000')
        self.assertIn('          ThreadID ThreadType       cfName', result.stderr)
        result = run('--num=500', '--benchmarks=fillseq', '--histogram', '--slow_usecs=0')
        self.assertEqual(result.stderr.count('long op: '), 500)

    def test_options_come_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            self.expect_runs(f'--db={folder}/x', '--num=100', '--benchmarks=fillseq', '--block_size=8192', '--write_buffer_size=1000000',
                             '--max_background_jobs=5')
            file = max(pathlib.Path(folder, 'x').glob('OPTIONS-*'))
            self.expect_options(
                {'block_size': '8192', 'write_buffer_size': '1000000', 'max_background_jobs': '5', 'filter_policy': 'bloomfilter:10:false'},
                f'--options_file={file}', '--write_buffer_size=2000000', '--bloom_bits=10', '--statistics')
            self.expect_refusal('Unable to load options file', f'--options_file={folder}/none')

    def test_a_secondary_follows(self):
        with tempfile.TemporaryDirectory() as folder:
            self.expect_runs(f'--db={folder}/x', '--num=1000', '--benchmarks=fillseq')
            seen, text = self.expect_runs(f'--db={folder}/x', '--num=1000', '--benchmarks=fillseq,readrandom,readtocache', '--use_secondary_db',
                                          f'--secondary_path={folder}/second', '--secondary_update_interval=1')
            self.assertIn('fillseq      : skipped (--use_secondary_db is true)', text)
            self.assertIn('(1000 of 1000 found)', seen['readrandom'][1])
            self.assertRegex(text, r'Secondary instance updated  [1-9]\d* times\.')
            self.assertTrue(pathlib.Path(folder, 'second', 'LOG').exists())
            _, text = self.expect_runs(f'--db={folder}/x', '--benchmarks=', '--use_secondary_db', f'--secondary_path={folder}/second',
                                       '--secondary_update_interval=0')
            self.assertIn('updated  0 times', text)
        self.expect_refusal('--use_secondary_db: not with', '--use_secondary_db', '--readonly')

    def test_bad_command_lines(self):
        for flags, fault in [(['--nosuchflag=1'], "unknown command line flag 'nosuchflag'"),
                             (['--use_blob_db'], '--use_blob_db=true is not supported by Cairn\'s db_bench: the stacked BlobDB is not there'),
                             (['--env_uri=MockEnv', '--fs_uri=posix://'], '--env_uri and --fs_uri are mutually exclusive'),
                             (['--env_uri=nope'], 'Could not load Environment: nope (registered: MockEnv'),
                             (['--fs_uri=s3://x'], 'Could not load FileSystem: s3://x (registered: posix'),
                             (['--use_direct_reads', '--mmap_read', '--num=10'], 'direct I/O reads (use_direct_reads) must be disabled'),
                             (['--mmap_write', '--use_direct_io_for_flush_and_compaction', '--num=10'],
                              'direct I/O writes (use_direct_io_for_flush_and_compaction) must be disabled'),
                             (['--open_as_follower'], '--open_as_follower=true is not supported'),
                             (['--num=many'], "'num'"), (['--batch_size=0'], '--batch_size must be positive'),
                             (['--multiread_stride=-1'], '--multiread_stride must not be negative'),
                             (['--ops_between_duration_checks=0'], '--ops_between_duration_checks must be positive'),
                             (['--benchmarks=nope'], "unknown benchmark 'nope'"),
                             (['--compression_type=foo'], "compression type 'foo'"), (['extra'], "'extra'")]:
            result = run(*flags)
            self.assertNotEqual(result.returncode, 0, flags)
            self.assertIn(fault, result.stderr)

    def test_flags_that_are_excused_or_at_their_default(self):
        result = run('--nosuchflag=1', '--undefok=nosuchflag', '--open_as_follower=false', '--num=10', '--benchmarks=fillseq')
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])


if __name__ == '__main__':
    unittest.main()
