#!/usr/bin/env python3
"""block_cache_trace_analyzer on traces that this program writes, byte by byte: its files and what it prints against a model.

  block_cache_trace_analyzer_test.py build/release/tools/block_cache_trace_analyzer [-v] [TEST...]
"""
import collections
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

ANALYZER = pathlib.Path('build/release/tools/block_cache_trace_analyzer')
BEGIN = 1_700_000_000_000_000    # microseconds
TYPES = {7: 'Index', 8: 'Filter', 9: 'Data'}
GET, MULTIGET, ITERATOR, PREFETCH, COMPACTION = 1, 2, 3, 9, 10
CALLERS = {GET: 'Get', MULTIGET: 'MultiGet', ITERATOR: 'Iterator', PREFETCH: 'Prefetch', COMPACTION: 'Compaction'}
USERS = (GET, MULTIGET, ITERATOR)
FAMILIES = {0: 'default', 7: 'other'}
LAST = 2**64 - 1

Access = collections.namedtuple('Access', 'time type key size family level file caller hit no_insert get_id snapshot user_key bytes keys exists')


def varint(number):
    out = b''
    while number >= 128:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def text(data):
    return varint(len(data)) + data


def entry(time, kind, payload=b''):
    return struct.pack('<QBI', time, kind, len(payload)) + payload


HEADER = entry(BEGIN, 1, text(b'feedcafedeadbeef') + struct.pack('<II', 8, 1))


def stored_key(access):
    return access.user_key + struct.pack('<Q', 5 << 8 | 1)


def record(access):
    payload = text(access.key) + struct.pack('<QQ', access.size, access.family) + text(FAMILIES[access.family].encode())
    payload += struct.pack('<IQBBB', access.level, access.file, access.caller, access.hit, access.no_insert)
    if access.caller in (GET, MULTIGET):
        payload += struct.pack('<QB', access.get_id, access.snapshot) + text(stored_key(access))
        if access.type == 9:
            payload += struct.pack('<QQB', access.bytes, access.keys, access.exists)
    return entry(access.time, access.type, payload)


def workload(seed=1, count=4000):
    """Some three minutes of accesses to 90 blocks of 6 files in two families."""
    rng = random.Random(seed)
    blocks = []
    for number in range(90):
        file = rng.randrange(10, 16)
        blocks.append((rng.choice([7, 8, 9, 9, 9]), b'block' + struct.pack('>Q', number), rng.randrange(1000, 9000), 0 if file < 13 else 7, file % 3,
                       file, rng.randrange(4, 20)))
    time = BEGIN + 300_000
    accesses = []
    for number in range(count):
        time += rng.randrange(90_000)
        kind, key, size, family, level, file, keys = blocks[min(rng.randrange(90), rng.randrange(90))]
        caller = rng.choice([GET, GET, MULTIGET, ITERATOR, COMPACTION, PREFETCH])
        point = caller in (GET, MULTIGET)
        user_key = f'key{rng.randrange(30)}'.encode() if point else b''
        exists = int(point and kind == 9 and rng.random() < 0.7)
        accesses.append(Access(time, kind, key, size, family, level, file, caller, int(rng.random() < 0.6), int(caller == COMPACTION),
                               number + 1 if point else 0, 0, user_key, 40 + len(user_key) if exists else 0, keys if point and kind == 9 else 0, exists))
    return accesses


def percent(part, whole):
    return f'{part * 100 / whole:.6f}' if whole else '-1.000000'


class AnalyzerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.accesses = workload()

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.out = self.folder / 'out'
        self.out.mkdir()
        self.trace = self.folder / 'trace'
        self.trace.write_bytes(HEADER + b''.join(map(record, self.accesses)))

    def run_it(self, *flags):
        result = subprocess.run([str(ANALYZER), f'--block_cache_trace_path={self.trace}', f'--block_cache_analysis_result_dir={self.out}',
                                 *flags], capture_output=True, text=True, timeout=120)
        return result.returncode, result.stdout, result.stderr

    def ok(self, *flags):
        status, out, err = self.run_it(*flags)
        self.assertEqual((status, err), (0, ''), out)
        return out

    def rows(self, name):
        return [line.split(',') for line in (self.out / name).read_text().splitlines()]

    def blocks(self):
        """key: its accesses, in the order of family, file, type, key."""
        found = collections.defaultdict(list)
        for access in self.accesses:
            found[FAMILIES[access.family], access.file, access.type, access.key].append(access)
        return {place[3]: found[place] for place in sorted(found)}

    def distribution(self, name, buckets, expected, whole):
        """expected: label: [number, or (number, how often)]"""
        header, *rows = self.rows(name)
        self.assertEqual(header, ['bucket', *sorted(expected)])
        self.assertEqual([row[0] for row in rows], [str(bucket) for bucket in (*buckets, LAST)])
        for column, label in enumerate(sorted(expected), 1):
            counts = collections.Counter()
            for number, times in expected[label]:
                counts[next(bucket for bucket in (*buckets, LAST) if number < bucket or bucket == LAST)] += times
            self.assertEqual([row[column] for row in rows], [percent(counts[bucket], whole) for bucket in (*buckets, LAST)], label)

    def test_summary_counts_by_family_caller_level_file_and_type(self):
        out = self.ok()
        self.assertIn(f'Observed miss ratio {sum(not a.hit for a in self.accesses) * 100 / len(self.accesses):.2f}\n', out)
        for caller, name in CALLERS.items():
            of = [a for a in self.accesses if a.caller == caller]
            self.assertIn(f'Caller {name}: Observed miss ratio {sum(not a.hit for a in of) * 100 / len(of):.2f}\n', out)
        overall = out[out.index('Overall statistics:'):]
        self.assertIn(f'Number of files: {len({a.file for a in self.accesses})} Number of blocks: {len(self.blocks())} '
                      f'Number of accesses: {len(self.accesses)}\n', overall)
        of_get = [a for a in self.accesses if a.caller == GET]
        self.assertIn(f'Caller Get: Number of accesses {len(of_get)} Percent: {len(of_get) * 100 / len(self.accesses):.2f}\n', overall)
        for family in FAMILIES:
            of = [a for a in self.accesses if a.family == family]
            part = out[out.index(f'Statistics for column family {FAMILIES[family]}:'):]
            for file in {a.file for a in of}:
                count = sum(a.caller == ITERATOR and a.file == file for a in of)
                whole = sum(a.caller == ITERATOR for a in of)
                self.assertIn(f'\t File {file}: Number of accesses: {count} Percent: {count * 100 / whole:.2f}\n', part)

    def test_access_timelines(self):
        self.ok('--timeline_labels=all,caller,cf_bt,block')
        for label, of in (('all', lambda a: 'all'), ('caller', lambda a: CALLERS[a.caller]),
                          ('cf_bt', lambda a: f'{TYPES[a.type]}-{FAMILIES[a.family]}')):
            for unit in (60, 3600):
                header, *rows = self.rows(f'all_access_{label}_{unit}_access_timeline')
                times = [a.time // 1_000_000 // unit for a in self.accesses]
                self.assertEqual(header, ['time', *map(str, range(min(times), max(times) + 1))])
                counts = collections.Counter((of(a), time) for a, time in zip(self.accesses, times))
                self.assertEqual(rows, [[name, *(str(counts[name, int(time)]) for time in header[1:])]
                                        for name in sorted({of(a) for a in self.accesses})])
        ids = {}
        for access in self.accesses:
            ids.setdefault(access.key, str(len(ids) + 1))
        counts = collections.Counter(ids[a.key] for a in self.accesses if a.caller in USERS)
        rows = self.rows('user_access_only_block_60_access_timeline')[1:]
        self.assertEqual({row[0]: sum(map(int, row[1:])) for row in rows}, dict(counts))
        sums = [sum(map(int, row[1:])) for row in rows]
        self.assertEqual(sums, sorted(sums, reverse=True))

    def test_reuse_distance_is_of_different_blocks(self):
        self.ok('--reuse_distance_labels=bt', '--reuse_distance_buckets=10K,100K,1M')
        last, expected, whole = {}, collections.defaultdict(list), 0
        for place, access in enumerate(self.accesses):
            if access.key in last:
                between = {a.key: a.size for a in self.accesses[last[access.key]:place]}
                expected[TYPES[access.type]].append((sum(between.values()), 1))
                whole += 1
            last[access.key] = place
        self.distribution('bt_reuse_distance', [10 << 10, 100 << 10, 1 << 20], expected, whole)

    def test_reuse_intervals_and_lifetimes(self):
        self.ok('--reuse_interval_labels=cf,caller', '--reuse_interval_buckets=1,2,10', '--reuse_lifetime_labels=level',
                '--reuse_lifetime_buckets=10,150')
        for label in ('cf', 'caller'):
            seconds = collections.defaultdict(collections.Counter)
            for a in self.accesses:
                of = FAMILIES[a.family] if label == 'cf' else CALLERS[a.caller]
                seconds[of, a.key][a.time // 1_000_000] += 1
            expected = collections.defaultdict(list)
            for (of, _), counts in seconds.items():
                times = sorted(counts)
                expected[of] += [(0, counts[time] - 1) for time in times] + [(b - a, 1) for a, b in zip(times, times[1:])]
            whole = sum(times for numbers in expected.values() for _, times in numbers)
            self.distribution(f'{label}_access_reuse_interval', [1, 2, 10], expected, whole)
        averages, lifetimes, weighted = (collections.defaultdict(list) for _ in range(3))
        for of in self.blocks().values():
            length = (of[-1].time - of[0].time) // 1_000_000
            average = length // len(of) if len(of) > 1 else LAST - 1
            averages[FAMILIES[of[0].family]].append((average, 1))
            weighted[FAMILIES[of[0].family]].append((average, len(of)))
            lifetimes[str(of[0].level)].append((length if len(of) > 1 else LAST - 1, 1))
        self.distribution('cf_avg_reuse_interval', [1, 2, 10], averages, len(self.blocks()))
        self.distribution('cf_avg_reuse_interval_naccesses', [1, 2, 10], weighted, len(self.accesses))
        self.distribution('level_reuse_lifetime', [10, 150], lifetimes, len(self.blocks()))

    def test_blocks_of_one_window_come_again(self):
        self.ok('--analyze_blocks_reuse_k_reuse_window=30')
        first, last = self.accesses[0].time // 1_000_000, self.accesses[-1].time // 1_000_000
        windows = (last - first) // 30
        self.assertGreater(windows, 3)
        for name, callers in (('all_access', CALLERS), ('user_access_only', USERS)):
            used = collections.defaultdict(set)
            for a in self.accesses:
                if a.type == 9 and a.caller in callers:
                    used[min((a.time // 1_000_000 - first) // 30, windows - 1)].add(a.key)
            self.assertEqual(self.rows(f'Data_{name}_30_reuse_blocks_timeline')[1:], [
                [str(i * 30), *('100.0' if j < i else percent(len(used[i] & used[j]), len(used[i])) for j in range(windows))]
                for i in range(windows)])

    def test_counts_callers_and_skewness(self):
        self.ok('--access_count_buckets=10,40', '--analyze_callers=Get,Compaction', '--skew_labels=block,sst', '--skew_buckets=10,50')
        for name, callers in (('all_access', CALLERS), ('user_access_only', USERS)):
            expected = collections.defaultdict(list)
            for of in self.blocks().values():
                expected[FAMILIES[of[0].family]].append((sum(a.caller in callers for a in of), 1))
            self.distribution(f'cf_{name}_access_count_summary', [10, 40], expected, len(self.blocks()))
        whole = len(self.accesses)
        self.assertEqual(self.rows('percentage_of_accesses_summary'), [['caller', 'default', 'other']] + [
            [name, *(percent(sum(a.caller == caller and a.family == family for a in self.accesses), whole) for family in FAMILIES)]
            for caller, name in sorted(CALLERS.items())])
        gets = [a for a in self.accesses if a.caller == GET]
        self.assertEqual(self.rows('Get_bt_percentage_of_accesses_summary'), [['bt', 'default', 'other']] + [
            [name, *(percent(sum(a.type == kind and a.family == family for a in gets), len(gets)) for family in FAMILIES)]
            for kind, name in sorted(TYPES.items())])
        self.assertEqual(len(self.rows('Compaction_level_percentage_of_accesses_summary')), 4)
        counts = sorted((len(of) for of in self.blocks().values()), reverse=True)
        tenth, half = len(counts) // 10, len(counts) // 2
        self.assertEqual(self.rows('block_skewness'), [['bucket', 'block'], ['10', percent(sum(counts[:tenth]), whole)],
                                                       ['50', percent(sum(counts[tenth:half]), whole)],
                                                       [str(LAST), percent(sum(counts[half:]), whole)]])
        self.assertTrue((self.out / 'block_Data_skewness').exists())
        self.assertFalse((self.out / 'sst_Data_skewness').exists())

    def test_spatial_locality(self):
        self.ok('--analyze_get_spatial_locality_labels=cf', '--analyze_get_spatial_locality_buckets=5,50,101')
        expected = collections.defaultdict(list)
        for of in self.blocks().values():
            points = [a for a in of if a.type == 9 and a.caller in (GET, MULTIGET)]
            if points:
                found = {a.user_key for a in points if a.exists}
                expected[FAMILIES[of[0].family]].append((len(found) * 100 // points[-1].keys, 1))
        self.distribution('cf_percent_ref_keys', [5, 50, 101], expected, sum(map(len, expected.values())))
        self.assertEqual(len(self.rows('cf_percent_data_size_on_ref_keys')), 5)

    def test_histograms_and_top_blocks(self):
        out = self.ok('--print_block_size_stats', '--print_access_count_stats', '--analyze_top_k_access_count_blocks=2',
                      '--analyze_bottom_k_access_count_blocks=1')
        self.assertIn(f'Block size stats: \nCount: {len(self.blocks())} ', out)
        data = [of for of in self.blocks().values() if of[0].type == 9]
        self.assertIn(f'Break down by block type Data: \nCount: {len(data)} ', out)
        most = max(data, key=len)
        users = {key: sum(a.caller in USERS for a in of) for key, of in self.blocks().items() if of[0].type == 9}
        self.assertIn(f'Top 2 access count blocks access_count={len(most)} Caller:,Get:', out)
        self.assertIn(f'Top 2 access count blocks access_count={max(users.values())} Caller:,Get:', out)
        self.assertIn(f'Bottom 1 access count. Access count={min(map(len, data))} nblocks=', out)

    def test_caches_are_simulated(self):
        config = self.folder / 'caches'
        config.write_text('lru,0,0,10K,1G\nghost_lru,0,1M,1G\nlru_priority,1,0,1G\n')
        self.ok(f'--block_cache_sim_config_path={config}', '--mrc_only')
        seconds = self.accesses[-1].time // 1_000_000 - self.accesses[0].time // 1_000_000
        header, *rows = self.rows(f'{seconds}_{len(self.accesses)}_mrc')
        self.assertEqual(header, ['cache_name', 'num_shard_bits', 'ghost_capacity', 'capacity', 'miss_ratio', 'total_accesses'])
        self.assertEqual([row[:4] for row in rows], [['lru', '0', '0', '10240'], ['lru', '0', '0', str(1 << 30)],
                                                     ['ghost_lru', '0', str(1 << 20), str(1 << 30)], ['lru_priority', '1', '0', str(1 << 30)]])
        # Where all have room a block misses until it was there once (or twice) to be kept.
        seen, misses, ghost, ghost_misses, admitted = set(), 0, set(), 0, set()
        for a in self.accesses:
            misses += a.key not in seen
            ghost_misses += a.key not in admitted
            if not a.no_insert:
                seen.add(a.key)
                if a.key in ghost:
                    admitted.add(a.key)
                ghost.add(a.key)
        whole = len(self.accesses)
        self.assertEqual([rows[1][4], rows[2][4], rows[3][4]],
                         [f'{count * 100 / whole:.4f}' for count in (misses, ghost_misses, misses)])
        self.assertGreater(float(rows[0][4]), float(rows[1][4]))
        header, *rows = self.rows(f'{LAST}_60_miss_timeline')
        counts = collections.Counter(a.time // 60_000_000 for a in self.accesses if not a.hit)
        self.assertEqual(rows, [['trace', *(str(counts[int(time)]) for time in header[1:])]])
        self.assertEqual([row[0] for row in self.rows(f'{1 << 30}_3600_miss_ratio_timeline')[1:]],
                         [f'ghost_lru-0-{1 << 20}', 'lru-0-0', 'lru_priority-1-0'])

    def test_what_warms_up_is_not_counted(self):
        config = self.folder / 'caches'
        config.write_text('lru,0,0,1G\n')
        self.ok(f'--block_cache_sim_config_path={config}', '--mrc_only', '--cache_sim_warmup_seconds=60')
        counted = sum(a.time >= self.accesses[0].time + 60_000_000 for a in self.accesses)
        row = self.rows(next(self.out.glob('*_mrc')).name)[1]
        self.assertEqual(row[5], str(counted))
        # A tenth of the blocks, and of the cache.
        self.ok(f'--block_cache_sim_config_path={config}', '--mrc_only', '--block_cache_trace_downsample_ratio=1000000')
        smaller = self.rows(next(self.out.glob('*_mrc')).name)[1]
        self.assertGreater(float(smaller[4]), float(row[4]))

    def test_readable_trace_says_the_same(self):
        readable = self.folder / 'readable'
        flags = ['--timeline_labels=cf_bt,block', '--reuse_distance_labels=cf',
                 '--reuse_distance_buckets=100K', '--analyze_get_spatial_locality_labels=cf', '--analyze_get_spatial_locality_buckets=50']
        first = self.ok(*flags, f'--human_readable_trace_file_path={readable}')
        lines = readable.read_text().splitlines()
        self.assertEqual(len(lines), len(self.accesses))
        ids, keys = {}, {}
        for access, line in zip(self.accesses, lines):
            ids.setdefault(access.key, len(ids) + 1)
            if access.caller == GET:
                keys.setdefault(access.user_key, len(keys) + 1)
            a = access
            point = a.caller in (GET, MULTIGET)
            table = struct.unpack('<I', stored_key(a)[:4])[0] + 1 if point else 0
            self.assertEqual(line.split(',')[:20], [str(x) for x in (
                a.time, ids[a.key], a.type, a.size, a.family, FAMILIES[a.family], a.level, a.file, a.caller, a.no_insert, a.get_id,
                keys[a.user_key] if a.caller == GET else 0, a.bytes, a.hit, a.exists, a.keys, table, 0, len(a.key),
                len(stored_key(a)) if point else 0)])
        files = {path.name: path.read_text() for path in self.out.iterdir()}
        again = self.folder / 'again'
        self.trace, self.out = readable, again
        again.mkdir()
        second = self.ok(*flags[:-2], '--is_block_cache_human_readable_trace')
        self.assertEqual(first.split('*' * 63, 1)[1], second.split('*' * 63, 1)[1])
        for path in again.iterdir():
            # (Blocks with as many accesses come in another order.)
            self.assertEqual(sorted(path.read_text().splitlines()), sorted(files[path.name].splitlines()), path.name)

    def test_damage_is_told_and_what_comes_before_is_analysed(self):
        data = self.trace.read_bytes()
        self.trace.write_bytes(data[:-7])
        status, out, err = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn('the trace is damaged', err)
        self.assertIn(f'Number of accesses: {len(self.accesses) - 1}\n', out)
        for other in (b'', b'feedcafe', data[20:], entry(BEGIN, 1, b'feedcafedeadbeef\tTrace Version: 0.2\t')):
            self.trace.write_bytes(other)
            status, out, err = self.run_it()
            self.assertEqual(status, 1)
            self.assertIn('the trace does not open', err)
        self.trace.write_text('1,2,3\n')
        status, out, err = self.run_it('--is_block_cache_human_readable_trace')
        self.assertEqual(status, 1)
        self.assertIn('line 1', err)
        self.trace.unlink()
        self.assertEqual(self.run_it()[0], 1)

    def test_wrong_flags_are_named(self):
        config = self.folder / 'caches'
        for line in ('lru,0,0', 'fifo,0,0,1M', 'lru_hybrid,0,0,1M', 'lru,20,0,1M', 'lru,0,0,0', 'lru,0,0,1X', ''):
            config.write_text(line + '\n')
            status, _, err = self.run_it(f'--block_cache_sim_config_path={config}')
            self.assertEqual(status, 2, line)
            self.assertIn('--block_cache_sim_config_path', err)
        for flags in (['--timeline_labels=nonsense'], ['--skew_labels=bt'], ['--skew_buckets=5'], ['--skew_labels=bt', '--skew_buckets=5,3'],
                      ['--analyze_callers=Nobody'], ['--access_count_buckets=many'], ['--mrc_only'], ['nonsense'],
                      ['--block_cache_trace_downsample_ratio=0'], ['--cache_sim_warmup_seconds=-1']):
            status, _, err = self.run_it(*flags)
            self.assertEqual(status, 2, flags)
            self.assertIn(flags[0].split('=')[0].lstrip('-'), err)
        status, _, err = self.run_it('--print_data_block_access_count_stats')
        self.assertEqual(status, 1)
        self.assertIn('unknown command line flag', err)
        result = subprocess.run([str(ANALYZER), f'--block_cache_trace_path={self.trace}', '--timeline_labels=all'], capture_output=True, text=True,
                                timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn('--block_cache_analysis_result_dir', result.stderr)
        status, _, err = self.run_it('--timeline_labels=all', f'--block_cache_analysis_result_dir={self.folder}/missing')
        self.assertEqual(status, 1)


if __name__ == '__main__':
    ANALYZER = pathlib.Path(sys.argv.pop(1)).absolute()
    unittest.main()
