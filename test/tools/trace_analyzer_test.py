#!/usr/bin/env python3
"""trace_analyzer on traces that this program writes, byte by byte: its files and what it prints against a model of the operations.

  trace_analyzer_test.py build/release/tools/trace_analyzer [-v] [TEST...]
"""
import collections
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

ANALYZER = pathlib.Path('build/release/tools/trace_analyzer')
BEGIN = 1_700_000_000_000_000    # microseconds; of the header
TYPES = ['get', 'put', 'delete', 'single_delete', 'range_delete', 'merge', 'iterator_Seek', 'iterator_SeekForPrev', 'multiget', 'put_entity']
ALL = ['--analyze_get', '--analyze_put', '--analyze_delete', '--analyze_single_delete', '--analyze_range_delete', '--analyze_merge',
       '--analyze_iterator', '--analyze_multiget', '--analyze_put_entity']
# How a batch marks them: with the family's number, without.
TAGS = {'put': (5, 1), 'merge': (6, 2), 'delete': (4, 0), 'single_delete': (8, 7), 'range_delete': (14, 15), 'put_entity': (23, 22)}
UNKNOWN = 10    # bytes that a value without a size counts as

Operation = collections.namedtuple('Operation', 'time type family keys size')    # keys: two of a range; a MultiGet's


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


HEADER = entry(BEGIN, 1, b'feedcafedeadbeef\tTrace Version: 0.2\tRocksDB Version: 7.8\tFormat: Timestamp OpType Payload\n')


def batch_entry(operation):
    """What stands in a write batch."""
    with_family, plain = TAGS[operation.type]
    out = bytes([with_family]) + varint(operation.family) if operation.family else bytes([plain])
    out += text(operation.keys[0])
    if operation.type == 'range_delete':
        out += text(operation.keys[1])
    elif operation.type in ('put', 'merge'):
        out += text(b'v' * operation.size)
    elif operation.type == 'put_entity':
        out += text(entity(operation.size))
    return out


def entity(size):
    """Wide columns of `size` bytes: version, one column without a name, its value."""
    value = b'v' * (size - 4)
    return bytes([1, 1, 0, len(value)]) + value


def record(operations):
    """The trace's record of one read, or of a batch of writes with one time."""
    first = operations[0]
    if first.type in TAGS:
        batch = struct.pack('<QI', 0, len(operations)) + b''.join(batch_entry(operation) for operation in operations)
        return entry(first.time, 3, struct.pack('<Q', 1 << 1) + text(batch))
    if first.type == 'get':
        return entry(first.time, 4, struct.pack('<QI', 1 << 2 | 1 << 3, first.family) + text(first.keys[0]))
    if first.type == 'multiget':
        families = struct.pack(f'<{len(first.keys)}I', *[first.family] * len(first.keys))
        return entry(first.time, 13, struct.pack('<QI', 1 << 8 | 1 << 9 | 1 << 10, len(first.keys)) + text(families) +
                     text(b''.join(text(key) for key in first.keys)))
    kind = 5 if first.type == 'iterator_Seek' else 6
    return entry(first.time, kind, struct.pack('<QI', 1 << 4 | 1 << 5, first.family) + text(first.keys[0]))


def workload(seed=1, count=3000):
    """Some twelve seconds of all types in two families: a list of records, each a list of operations."""
    rng = random.Random(seed)
    time = BEGIN + 100_000
    records = []
    for _ in range(count):
        time += rng.randrange(8000)
        kind = rng.choice(TYPES)
        family = rng.choice([0, 0, 7])

        def key():
            return f'k{min(rng.randrange(60), rng.randrange(60)):0{rng.choice([3, 3, 5])}}'.encode()

        def one(kind):
            keys = sorted({key(), key() + b'~'}) if kind == 'range_delete' else [key()]
            if kind == 'multiget':
                keys = [key() for _ in range(rng.randrange(1, 5))]
            size = rng.randrange(4, 100) if kind in ('put', 'merge', 'put_entity') else 0
            return Operation(time, kind, family, keys, size)

        if kind in TAGS:
            records.append([one(rng.choice([kind, kind, 'put'])) for _ in range(rng.randrange(1, 4))])
        else:
            records.append([one(kind)])
    return records


class Model:
    """What is expected of the types that are analysed, from the same operations."""

    def __init__(self, records, types=tuple(TYPES)):
        self.end = records[-1][0].time + 1000
        accesses = [(operation.time, operation.type, operation.family, key, operation.size or UNKNOWN)
                    for operations in records for operation in operations if operation.type in types for key in operation.keys]
        self.begin = accesses[0][0]
        self.seconds = (self.end - self.begin) // 1_000_000
        self.by = collections.defaultdict(list)    # (type, family): [(time, key, size)]
        for time, kind, family, key, size in accesses:
            self.by[kind, family].append((time, key, size))

    def second(self, time):
        return (time - self.begin) // 1_000_000

    def keys(self, kind, family):
        return sorted({key for _, key, _ in self.by[kind, family]})

    def counts(self, kind, family):
        return collections.Counter(key for _, key, _ in self.by[kind, family])

    def per_second(self, kind=None, family=None):
        return collections.Counter(self.second(time) for (k, f), accesses in self.by.items() if kind in (None, k) and family in (None, f)
                                   for time, _, _ in accesses if self.second(time) < self.seconds)


def hexed(key):
    return '0x' + key.hex().upper()


def lines(rows):
    return ''.join(' '.join(str(cell) for cell in row) + '\n' for row in rows)


class TraceAnalyzerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.records = workload()

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.out = self.folder / 'out'
        self.out.mkdir()
        self.trace = self.folder / 'trace'
        self.write()

    def write(self, records=None, footer=True):
        records = records or self.records
        data = HEADER + b''.join(record(operations) for operations in records)
        self.trace.write_bytes(data + (entry(records[-1][0].time + 1000, 2) if footer else b''))

    def run_it(self, *flags):
        result = subprocess.run([str(ANALYZER), f'--trace_path={self.trace}', f'--output_dir={self.out}', *flags], capture_output=True,
                                text=True, timeout=120)
        return result.returncode, result.stdout, result.stderr

    def ok(self, *flags):
        status, out, err = self.run_it(*flags)
        self.assertEqual((status, err), (0, ''), out)
        return out

    def file(self, name):
        return (self.out / f'trace-{name}').read_text()

    def each(self, model):
        for kind, family in sorted(model.by):
            with self.subTest(type=kind, family=family):
                yield kind, family, f'{kind}-{family}-'

    def test_keys(self):
        self.ok(*ALL, '--output_key_stats', '--output_access_count_stats', '--output_key_distribution', '--output_ignore_count=1', '--no_print')
        model = Model(self.records)
        for kind, family, name in self.each(model):
            keys, counts = model.keys(kind, family), model.counts(kind, family)
            first_size = {}
            for _, key, size in model.by[kind, family]:
                first_size.setdefault(key, size)
            self.assertEqual(self.file(name + 'accessed_key_stats.txt'), lines(
                [family, first_size[key], i, counts[key], '1.000000'] for i, key in enumerate(keys)))
            spread = collections.Counter(count for count in counts.values() if count > 1)
            self.assertEqual(self.file(name + 'accessed_key_count_distribution.txt'),
                             ''.join(f'access_count: {count} num: {spread[count]}\n' for count in sorted(spread)))
            sizes = collections.Counter(len(key) for key in keys if counts[key] > 1)
            self.assertEqual(self.file(name + 'accessed_key_size_distribution.txt'), lines(sorted(sizes.items())))

    def test_values(self):
        out = self.ok(*ALL, '--output_value_distribution', '--value_interval=10')
        model = Model(self.records)
        for kind, family, name in self.each(model):
            intervals = collections.Counter(size // 10 for _, _, size in model.by[kind, family])
            expected, end = '', 0
            for interval in sorted(intervals) if kind in ('put', 'merge', 'put_entity') else []:
                expected += f'Number_of_value_size_between {end} and {interval * 10 + 10} is: {intervals[interval]}\n'
                end = interval * 10 + 10
            self.assertEqual(self.file(name + 'accessed_value_size_distribution.txt'), expected)
        sizes = [size for _, _, size in model.by['put', 7]]
        piece = out.split('Operation Type: put #')[1].split('colume family id: 7')[1]
        average = sum(sizes) / len(sizes)
        deviation = (sum((size - average) ** 2 for size in sizes) / len(sizes)) ** 0.5
        median = sorted(sizes)[(len(sizes) - 1) // 2] // 10 * 10 + 5
        self.assertIn(f'Average value size: {average:f} Value size medium: {median} Value size variation: {deviation:f}\n', piece)

    def test_seconds(self):
        out = self.ok(*ALL, '--output_qps_stats', '--output_key_stats')
        model = Model(self.records)
        self.assertGreater(model.seconds, 5)
        by_type = [model.per_second(kind) for kind in TYPES]
        self.assertEqual(self.file('qps_stats.txt'), lines(
            [*[counts[second] for counts in by_type], sum(counts[second] for counts in by_type)] for second in range(model.seconds)))
        self.assertEqual(self.file('cf_qps_stats.txt'), lines(
            [model.per_second(family=family)[second] for family in (0, 7)] for second in range(model.seconds)))
        everything = model.per_second()
        self.assertIn(f'Average QPS per second: {sum(everything.values()) / model.seconds:f} Peak QPS: {max(everything.values())}\n', out)
        for kind, family, name in self.each(model):
            counts = model.per_second(kind, family)
            self.assertEqual(self.file(name + 'qps_stats.txt'), lines([counts[second]] for second in range(max(counts) + 1)))
            total = len(model.keys(kind, family))
            seen = [len({key for time, key, _ in model.by[kind, family] if model.second(time) <= second}) for second in range(model.seconds)]
            self.assertEqual(self.file(name + 'accessed_unique_key_num_change.txt'), lines([n, f'{n / total:.12f}'] for n in seen))

    def test_prefixes(self):
        out = self.ok('--analyze_get', '--output_prefix_cut=3', '--output_qps_stats', '--print_top_k_access=2')
        model = Model(self.records, ['get'])
        for _, family, name in self.each(model):
            keys, counts = model.keys('get', family), model.counts('get', family)
            of_prefix = collections.defaultdict(list)
            for key in keys:
                of_prefix[key[:3]].append(key)
            accesses = {prefix: sum(counts[key] for key in members) for prefix, members in of_prefix.items()}
            self.assertEqual(self.file(name + 'accessed_key_prefix_cut.txt'), lines(
                [keys.index(members[0]), accesses[prefix], len(members), f'{accesses[prefix] / len(members):f}', '1.000000', hexed(prefix)]
                for prefix, members in sorted(of_prefix.items())))
            piece = out.split(f'colume family id: {family}\n')[1].split('****')[0]
            for title, rank in (('The Top 2 keys that are accessed:', {key: count for key, count in counts.items()}),
                                ('The Top 2 accessed prefix range:', accesses)):
                printed = piece.split(title + '\n')[1].splitlines()[:2]
                self.assertEqual([int(line.split()[1 if 'keys' in title else -1]) for line in printed], sorted(rank.values())[-2:])
            counts = model.per_second('get', family)
            busiest = self.file(name + 'accessed_top_k_qps_prefix_cut.txt')
            self.assertEqual([int(line.split()[-1]) for line in busiest.splitlines() if line.startswith('At')], sorted(counts.values())[-2:])
            second = int(busiest.splitlines()[0].split()[2])
            of_second = collections.Counter(key[:3] for time, key, _ in model.by['get', family] if model.second(time) == second)
            self.assertTrue(busiest.split('\n', 1)[1].startswith(''.join(
                f'The prefix: {hexed(prefix)} Access count: {of_second[prefix]}\n' for prefix in sorted(of_second))))

    def test_time_series_and_readable_trace(self):
        self.ok('--analyze_put', '--output_time_series', '--convert_to_human_readable_trace', '--no_print')
        model = Model(self.records, ['put'])
        for _, family, name in self.each(model):
            keys = model.keys('put', family)
            self.assertEqual(self.file(name + 'time_series.txt'), lines(
                [1, (time - BEGIN) // 1_000_000, keys.index(key)] for time, key, _ in model.by['put', family]))
        rows = [[hexed(key), TYPES.index(operation.type), operation.family, operation.size, operation.time] for operations in self.records
                for operation in operations for key in (operation.keys[:1] if operation.type == 'range_delete' else operation.keys)]
        self.assertEqual(self.file('human_readable_trace.txt'), lines(rows))
        self.ok('--convert_to_human_readable_trace', '--no_key')
        self.assertEqual(self.file('human_readable_trace.txt'), lines(row[1:] for row in rows))

    def test_key_space(self):
        space = self.folder / 'space'
        space.mkdir()
        keys = sorted(f'k{i:0{width}}'.encode() for i in range(100) for width in (3, 5))
        (space / '0.txt').write_text(''.join(hexed(key) + '\n' for key in keys)[:-1])    # the last line has no end
        flags = ['--analyze_get', f'--key_space_dir={space}', '--output_key_stats', '--output_prefix_cut=2']
        status, out, err = self.run_it(*flags)
        self.assertEqual(status, 0, err)
        self.assertIn('family 7', err)    # that one has no list
        counts = Model(self.records, ['get']).counts('get', 0)
        self.assertEqual(self.file('get-0-whole_key_stats.txt'), lines([i, counts[key]] for i, key in enumerate(keys) if counts[key]))
        self.assertEqual(self.file('get-0-whole_key_prefix_cut.txt'), lines(
            [i, hexed(key[:2])] for i, key in enumerate(keys) if i == 0 or keys[i - 1][:2] != key[:2]))
        self.assertIn(f'The whole key space key numbers: {len(keys)}\n', out)
        with open(space / '0.txt', 'a') as file:
            file.write('\nk001\n')
        status, _, err = self.run_it(*flags)
        self.assertEqual(status, 1)
        self.assertIn(f'0.txt, line {len(keys) + 1}', err)

    def test_correlation(self):
        out = self.ok(*ALL, '--print_correlation=[put,get][get,get]')
        model = Model(self.records)
        for family in (0, 7):
            gets, puts = model.by['get', family], model.by['put', family]
            gaps = {'put': [], 'get': []}
            for time, key, _ in gets:
                for kind, others in (('put', puts), ('get', gets)):
                    before = [other for other, name, _ in others if name == key and other < time]
                    if before:
                        gaps[kind].append(time - max(before))
            piece = out.split('Operation Type: get #')[1].split(f'colume family id: {family}\n')[1].split('****')[0]
            for kind in ('put', 'get'):
                average = sum(gaps[kind]) / len(gaps[kind]) / 1000
                self.assertIn(f"The correlation statistics of 'get' after '{kind}' is: total numbers: {len(gaps[kind])} "
                              f'average time: {average:f}(ms)\n', piece)

    def test_sums_and_sampling(self):
        out = self.ok('--analyze_get', '--analyze_multiget')
        kinds = collections.Counter(operations[0].type for operations in self.records)
        keys = sum(len(model_keys) for model_keys in (Model(self.records).keys(kind, family) for kind in ('get', 'multiget') for family in (0, 7)))
        self.assertIn(f'Total_requests: {len(self.records)} Total_accessed_keys: {keys} Total_gets: {kinds["get"]} '
                      f'Total_write_batches: {sum(kinds[kind] for kind in TAGS)} Total_seeks: {kinds["iterator_Seek"]} '
                      f'Total_seek_for_prevs: {kinds["iterator_SeekForPrev"]} Total_multigets: {kinds["multiget"]}\n', out)
        self.assertIn(f"Operation: 'get' has: {kinds['get']}\n", out)
        out = self.ok('--analyze_get', '--sample_ratio=0.25')
        self.assertIn('need to times: 4\n', out)
        self.assertIn(f"Operation: 'get' has: {-(-kinds['get'] // 4)}\n", out)

    def test_a_killed_programs_trace_counts(self):
        self.write(footer=False)
        self.assertIn(f'Total_requests: {len(self.records)} ', self.ok('--analyze_get'))

    def test_damage(self):
        whole = self.trace.read_bytes()
        self.trace.write_bytes(whole[:-20])    # within the last record
        status, out, err = self.run_it('--analyze_get')
        self.assertEqual((status, out), (1, ''))
        self.assertIn('--try_process_corrupted_trace', err)
        status, out, err = self.run_it('--analyze_get', '--try_process_corrupted_trace')
        self.assertEqual(status, 0, err)
        self.assertIn(f'Total_requests: {len(self.records) - 1} ', out)
        for data in (b'', b'no trace', whole[:8], HEADER.replace(b'feed', b'food'), HEADER.replace(b'0.2', b'9.2')):
            self.trace.write_bytes(data)
            status, out, err = self.run_it('--analyze_get')
            self.assertEqual((status, out), (1, ''), data)
            self.assertIn('damaged', err)
        # A time that no clock has had.
        self.trace.write_bytes(HEADER + record([Operation(BEGIN, 'get', 0, [b'k'], 0)]) + record([Operation(2**63, 'get', 0, [b'k'], 0)]))
        status, _, err = self.run_it('--analyze_get', '--output_qps_stats')
        self.assertEqual(status, 1)
        self.assertIn('seconds apart', err)

    def test_wrong_flags(self):
        for flag in ('--sample_ratio=0', '--sample_ratio=2', '--value_interval=0', '--output_prefix_cut=-1', '--print_top_k_access=-1',
                     '--output_ignore_count=-1', '--print_correlation=[get]', '--print_correlation=[get,gut]', '--print_correlation=get,put',
                     '--trace_path=', '--output_dir=', 'surplus'):
            status, out, err = self.run_it('--output_key_stats', flag)
            self.assertEqual((status, out), (2, ''), flag)
            self.assertIn(flag.split('=')[0], err)
        status, _, err = self.run_it('--trace_path=/nonexistent/trace')
        self.assertEqual(status, 1)
        self.assertIn('/nonexistent/trace', err)
        status, _, err = self.run_it('--analyze_get', '--output_key_stats', '--output_dir=/nonexistent')
        self.assertEqual(status, 1)
        self.assertIn('/nonexistent', err)


if __name__ == '__main__':
    ANALYZER = pathlib.Path(sys.argv.pop(1)).absolute()
    unittest.main()
