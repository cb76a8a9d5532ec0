"""The shows of asynchronous reads, most of them on slow storage (bench/slowfs): what each measures (steps) and what it tells
of it (report). All engines read the same files. A measurement that is missing is left out of the tables."""
import itertools

from bench_report import line_plot, plot
from shows_common import NAMES, Show, figures, markdown, median, named, number, pairwise, ratio, rows_of, spread, verdict
from shows_runner import Base, Step, rotated

# The published MultiGet: modes of db_bench.
MODES = {'serial': ['--async_io=false'], 'level by level': ['--async_io', '--optimize_multiget_for_io=false'],
         'all levels': ['--async_io', '--optimize_multiget_for_io']}
PUBLISHED = ['--key_size=32', '--value_size=512', '--compression_type=none', '--cache_size=33554432']
DB_BENCH = [*PUBLISHED, '--readonly', '--use_direct_reads=false', '--ops_between_duration_checks=1', '--statistics',
            '--open_files=-1', '--seed=1']


def four_levels(args, filters=False):
    """The database of the published commands, which have no filters."""
    return Base('fillseqdeterministic', [f'--num={args.num}', *args.levels, *PUBLISHED, '--num_levels=4', '--disable_auto_compactions',
                                         '--seed=1', *(['--bloom_bits=10'] * filters)], 'db_bench', 'ours',
                'filtered' if filters else 'levels')


def seven_runs(args, partitioned):
    """Seven files of level 0, each over all keys, as RocksDB writes them."""
    return Base('filluniquerandom,flush' + ',overwrite,flush' * 6,
                [f'--num={args.num}', '--disable_auto_compactions', '--write_buffer_size=1073741824', '--compression_type=0',
                 *(['--partitioned'] if partitioned else [])], engine='peer', name='partitioned' if partitioned else 'runs')


class ReadShow(Show):
    flags_text = 'All engines have the same flags, those of scripts/shows_reads.py'

    def peers(self, args):
        """Engines of kv_bench."""
        return {'peer': args.peer_name, **({'uring': f'{args.uring_peer_name}, io_uring'} if args.uring_peer else {})}

    def single_read(self, args, pair):
        return Step('a single read', 'fio', pair, 'randread', [4096, 1, args.duration], delay=args.delay, program='fio')

    @staticmethod
    def latency(store):
        """Microseconds that the storage takes for one read."""
        return median(figures(store, 'a single read', 'fio', 'randread', 'p50_us'))


class MultiGetModes(ReadShow):
    name = 'multiget-modes'
    title = 'The published MultiGet of 8 keys over 4 levels'
    defaults = {'num': 5000000, 'pairs': 3, 'clients': '4', 'duration': 20.0, 'delay': 1000}
    quick = {'num': 100000, 'pairs': 1, 'duration': 1.0}
    batches = [8]
    filters = [False, True]

    def flags(self, args, program, batch):
        stride = args.num // 125
        duration = f'{args.duration:g}' if program == 'kv_bench' else max(1, round(args.duration))
        return [f'--num={args.num}', f'--threads={args.clients[0]}', f'--batch_size={batch}', f'--multiread_stride={stride}',
                f'--duration={duration}', '--bloom_bits=10']

    def columns(self, args):
        """(engine, program, mode, flags) of each that is measured, and what it is called."""
        result = {}
        programs = {'ours': 'Cairn', 'debian': args.debian_name}
        for engine, title in programs.items():
            for mode, flags in MODES.items():
                result[engine, 'db_bench', mode] = (f'{title}, {mode}', [*DB_BENCH, '--multiread_batched', *flags])
        result['ours', 'db_bench', 'fibers'] = ('Cairn, all levels, fibers',
                                                [*DB_BENCH, '--multiread_batched', *MODES['all levels'], f'--fiber_workers={args.fiber_workers}'])
        for engine, title in self.peers(args).items():
            for mode, flags in {'serial': [], 'async_io': ['--async_io']}.items():
                result[engine, 'kv_bench', mode] = (f'{title}, {mode}', ['--key_size=32', '--value_size=512', '--cache_size=33554432',
                                                                         '--readonly', '--seed=1', *flags])
        return result

    def steps(self, args):
        for pair in range(args.pairs):
            yield self.single_read(args, pair)
            for filters, batch in itertools.product(self.filters, self.batches):
                for (engine, program, mode), (_, flags) in rotated(list(self.columns(args).items()), pair):
                    workload = 'multireadrandom' if program == 'db_bench' else 'multiget'
                    yield Step(self.case(mode, batch, filters), engine, pair, workload, [*self.flags(args, program, batch), *flags],
                               base=four_levels(args, filters), delay=args.delay, program=program)

    @staticmethod
    def case(mode, batch, filters):
        return f'{mode}, {batch}{", filters" * filters}'

    def values(self, store, batch, column, key, filters=False):
        engine, program, mode = column
        return figures(store, self.case(mode, batch, filters), engine, 'multireadrandom' if program == 'db_bench' else 'multiget', key)

    def report(self, args, store):
        one = self.latency(store)
        lines, rows = [], []
        all_levels, serial, checks = ('ours', 'db_bench', 'all levels'), ('ours', 'db_bench', 'serial'), []
        for filters in self.filters:
            what = 'with filters' if filters else 'no filters'
            for column, (title, _) in self.columns(args).items():
                p50 = self.values(store, 8, column, 'p50_us', filters)
                lines.append([f'{title}, {what}', spread(p50, 0), number(ratio(median(p50), one)),
                              *[spread(self.values(store, 8, column, key, filters), digits)
                                for key, digits in (('p99_us', 0), ('ops_per_second', 0), ('cpu_us_per_op', 1))]])
            rates = [median(self.values(store, 8, c, 'ops_per_second', filters)) for c in (all_levels, serial)]
            checks += [verdict(f'p50 of a batch with all on / a single read, {what}',
                               ratio(median(self.values(store, 8, all_levels, 'p50_us', filters)), one), 1.25, False),
                       verdict(f'keys per second, all on / serial, {what}', ratio(*rates), 3.5, True)]
        for pair in sorted({r['pair'] for r in store.records.values()}):
            for other in ('serial', 'level by level', 'all levels'):
                ours, theirs = ([r for r in store.runs(f'{other}, 8', e) if r['pair'] == pair] for e in ('ours', 'debian'))
                if ours and theirs:
                    rows.append((other, ours[0]['runs'][0], theirs[0]['runs'][0]))
        table = markdown(['engine, mode', 'batch p50, µs', '/ a single read', 'p99, µs', 'keys/s', 'CPU µs/key'], lines)
        text = (f'{args.num:,} keys of 32 + 512 bytes in 4 levels, {args.clients[0]} clients, batches of 8 keys that stand {args.num // 125:,} '
                f'apart, a cache of 32 MiB, each read of the storage takes {args.delay} µs (as fio sees it: {number(one, 0)} µs). '
                'The published commands make no filters; the second half has Bloom filters of 10 bits for each key. '
                f'Cairn and {args.debian_name} by their db_bench with the same flags, the others by kv_bench.')
        bars = [{'workload': f'keys/s, {mode}', 'threads': args.clients[0], 'ratio': median(r), 'lowest': min(r), 'highest': max(r)}
                for mode in MODES if (r := [a['ops_per_second'] / b['ops_per_second'] for m, a, b in rows if m == mode])]
        history = [{**bar, 'ours': {'ops_per_second': median([a['ops_per_second'] for m, a, b in rows if f'keys/s, {m}' == bar['workload']])},
                    'peer': {'ops_per_second': median([b['ops_per_second'] for m, a, b in rows if f'keys/s, {m}' == bar['workload']])}} for bar in bars]
        return [text, table, '\n'.join(checks)], plot(bars, f'MultiGet, keys per second, Cairn / {args.debian_name}'), history


class MultiGetBatches(MultiGetModes):
    name = 'multiget-batches'
    title = 'MultiGet by the size of the batch'
    defaults = {**MultiGetModes.defaults, 'pairs': 1, 'duration': 5.0}
    quick = {**MultiGetModes.quick, 'duration': 0.5}
    batches = [1, 2, 4, 8, 16, 32, 64]
    filters = [False]

    def report(self, args, store):
        one = self.latency(store)
        columns = self.columns(args)
        lines = []
        for column, (title, _) in columns.items():
            for key, what, digits in (('p50_us', 'p50 of a batch, µs', 0), ('ops_per_second', 'keys/s', 0)):
                lines.append([f'{title}: {what}', *[number(median(self.values(store, b, column, key)), digits) for b in self.batches]])
        table = markdown(['engine, mode', *map(str, self.batches)], lines)

        def panel(title, key):
            return {'title': title, 'x': 'keys of a batch', 'log_x': True, 'series': {
                name: [(b, v) for b in self.batches if (v := median(self.values(store, b, column, key))) is not None]
                for column, (name, _) in columns.items()}}
        picture = line_plot([panel('p50 of a batch, µs', 'p50_us'), panel('Keys per second', 'ops_per_second')], self.title)
        text = (f'As multiget-modes, {args.clients[0]} clients; one read of the storage takes {number(one, 0)} µs. Latencies by RocksDB\'s own '
                'histogram in db_bench, by each call in kv_bench.')
        return [text, table], picture, []


class Scan(ReadShow):
    name = 'scan'
    title = 'The published scan: a seek and 65,536 entries'
    defaults = {'num': 5000000, 'pairs': 3, 'clients': '1', 'duration': 10.0, 'delay': 1000}
    quick = {'num': 100000, 'pairs': 1, 'duration': 1.0}
    nexts = 65536

    def columns(self, args):
        result = {}
        common = ['--cache_size=33554432', '--key_size=32', '--value_size=512', '--readonly', '--seed=1', f'--seek_nexts={self.nexts}']
        for engine, title in {'ours': 'Cairn', 'fibers': 'Cairn, fibers', **self.peers(args)}.items():
            for mode, flags in {'serial': [], 'async_io': ['--async_io']}.items():
                if engine != 'fibers' or mode == 'async_io':
                    result[engine, mode] = (f'{title}, {mode}', [*common, *flags, *([f'--fiber_workers={args.fiber_workers}'] * (engine == 'fibers'))])
        return result

    def steps(self, args):
        base = four_levels(args)
        runs = Base(**{**seven_runs(args, False).__dict__, 'flags': ['--num=100000', *seven_runs(args, False).flags[1:]]})
        for pair in range(args.pairs):
            yield self.single_read(args, pair)
            yield Step('in sequence', 'fio', pair, 'read', [256 << 10, 8, args.duration], delay=args.delay, program='fio')
            for (engine, mode), (_, flags) in rotated(list(self.columns(args).items()), pair):
                yield Step(mode, engine, pair, 'seekrandom', [f'--num={args.num}', f'--threads={args.clients[0]}', f'--duration={args.duration:g}', *flags],
                           base=base, delay=args.delay)
            for (engine, mode), (_, flags) in rotated(list(self.columns(args).items()), pair):
                yield Step(f'seek, {mode}', engine, pair, 'seekrandom',
                           ['--num=100000', '--threads=1', f'--duration={args.duration:g}', *flags, '--key_size=16', '--value_size=100', '--seek_nexts=1',
                            '--cache_size=1048576'], base=runs, delay=args.delay)

    def report(self, args, store):
        one = self.latency(store)
        fio = median(figures(store, 'in sequence', 'fio', 'read', 'mb_per_second'))

        def speed(engine, mode):
            return [r['runs'][0]['bytes'] / 1e6 / r['runs'][0]['seconds'] for r in store.runs(mode, engine)]
        lines = [['fio, 8 reads of 256 KiB at once', number(fio, 1), '1.00', '-', number(one, 0), '1.00']]
        for (engine, mode), (title, _) in self.columns(args).items():
            mb = median(speed(engine, mode))
            cpu = [r['runs'][0]['cpu_seconds'] * 1e9 / r['runs'][0]['bytes'] for r in store.runs(mode, engine)]
            seek = figures(store, f'seek, {mode}', engine, 'seekrandom', 'p50_us')
            lines.append([title, spread(speed(engine, mode), 1), number(ratio(mb, fio)), spread(cpu, 2), spread(seek, 0), number(ratio(median(seek), one))])
        best = 'uring' if args.uring_peer else 'peer'
        ours = median(speed('ours', 'async_io'))
        checks = [verdict('MB/s of the scan, Cairn / fio', ratio(ours, fio), 0.9, True),
                  verdict(f'MB/s of the scan, Cairn / {self.peers(args)[best]} with async_io', ratio(ours, median(speed(best, 'async_io'))), 1.5, True),
                  verdict('a seek over 7 sorted runs / a single read', ratio(median(figures(store, 'seek, async_io', 'ours', 'seekrandom', 'p50_us')), one), 1.5, False)]
        table = markdown(['engine, mode', 'scan, MB/s', '/ fio', 'CPU ns/byte', 'seek over 7 runs, p50 µs', '/ a single read'], lines)
        text = (f'{args.num:,} keys of 32 + 512 bytes in 4 levels; {args.clients[0]} client; each read of the storage takes {args.delay} µs and '
                'goes past the page cache. MB/s: keys and values. The seeks: 7 files of level 0, a cache of 1 MiB.')
        rows = rows_of(store, [('async_io', 'scan, async_io', args.clients[0], 'seekrandom'), ('serial', 'scan, serial', args.clients[0], 'seekrandom'),
                               ('seek, async_io', 'seek, 7 runs', 1, 'seekrandom')], 'ours')
        return [text, table, '\n'.join(checks)], plot(rows, f'Scans and seeks per second, Cairn / {args.peer_name}'), rows


class ConcurrentReads(ReadShow):
    name = 'concurrent-reads'
    flags_text = None
    title = 'A thousand point reads at once'
    engines = ['ours', 'fibers', 'peer']
    defaults = {'num': 5000000, 'pairs': 3, 'clients': '1000', 'duration': 10.0, 'delay': 1000}
    quick = {'num': 50000, 'pairs': 1, 'duration': 1.0, 'clients': '50'}

    def steps(self, args):
        base = Base('filluniquerandom,settle', [f'--num={args.num}', '--threads=4', '--seed=1', *args.equal], engine='ours', name='points')
        for pair in range(args.pairs):
            for engine in rotated(self.engines, pair):
                flags = [f'--num={args.num}', f'--threads={args.clients[0]}', '--seed=1', *args.equal, '--cache_size=8388608', '--readonly',
                         f'--duration={args.duration:g}', *([f'--fiber_workers={args.fiber_workers}'] * (engine == 'fibers'))]
                yield Step('readrandom', engine, pair, 'readrandom', flags, base=base, delay=args.delay)

    def report(self, args, store):
        lines = [[title, *[spread([v / scale for v in figures(store, 'readrandom', engine, 'readrandom', key)], digits)
                           for key, scale, digits in (('ops_per_second', 1, 0), ('cpu_us_per_op', 1, 1), ('p50_us', 1000, 2), ('p99_us', 1000, 2),
                                                      ('peak_memory_bytes', 1e6, 0))]]
                 for engine, title in self.named_engines(args).items()]
        checks = [f'- fibers / threads: **{spread(pairwise(store, "readrandom", "fibers", "ours", "readrandom"))}**; fibers / peer: '
                  f'**{spread(pairwise(store, "readrandom", "fibers", "peer", "readrandom"))}**.']
        table = markdown(['engine', 'reads/s', 'CPU µs/read', 'p50, ms', 'p99, ms', 'memory at most, MB'], lines)
        text = (f'{args.clients[0]} clients, {args.num:,} records of 16 + 100 bytes, a cache of 8 MiB; each read of the storage takes {args.delay} µs; '
                f'fibers on {args.fiber_workers} workers. The storage itself runs on the same processors.')
        rows = [row for engine in ('ours', 'fibers') for row in rows_of(store, [('readrandom', 'readrandom', args.clients[0], 'readrandom')], engine)]
        return [text, table, '\n'.join(checks)], plot(rows, f'Reads per second, Cairn / {args.peer_name}'), rows


class CachedCost(ReadShow):
    name = 'cached-cost'
    flags_text = None
    title = 'What async_io and fibers cost when everything is cached'
    defaults = {'num': 300000, 'pairs': 5, 'clients': '4', 'duration': 4.0, 'operations': 100000}
    quick = {'num': 20000, 'pairs': 1, 'duration': 0.3, 'operations': 2000}
    engines = ['ours', 'fibers']
    workloads = {'MultiGet of 8': ('multiget', ['--batch_size=8']), 'Seek and 10 entries': ('seekrandom', ['--seek_nexts=10']), 'Get': ('readrandom', [])}
    peers_too = ('ours', 'peer')

    def steps(self, args):
        base = Base('filluniquerandom,settle', [f'--num={args.num}', '--threads=1', '--seed=1', *args.equal], engine='ours', name='cached')
        common = [f'--num={args.num}', '--seed=1', *args.equal, '--cache_size=4294967296', '--readonly']
        for engine in self.peers_too:
            for case, (workload, flags) in self.workloads.items():
                for mode in ('off', 'on'):
                    for times in (1, 3):
                        # All blocks are in the cache after the first part, and three times as many operations cost the same start.
                        yield Step(f'{case}, async_io {mode}, {times}', engine, 0, f'readseq,{workload}',
                                   [*common, '--threads=1', f'--operations={args.operations * times}', *flags, *(['--async_io'] * (mode == 'on'))],
                                   base=base, program='callgrind')
        for pair in range(args.pairs):
            for engine in rotated(self.engines, pair):
                yield Step('readrandom', engine, pair, 'readseq,readrandom',
                           [*common, f'--threads={args.clients[0]}', f'--duration={args.duration:g}', *([f'--fiber_workers={args.fiber_workers}'] * (engine == 'fibers'))],
                           base=base)

    def report(self, args, store):
        def instructions(engine, case, mode):
            one, three = (store.runs(f'{case}, async_io {mode}, {times}', engine) for times in (1, 3))
            if not one or not three:
                return None
            less, more = one[0]['runs'][0], three[0]['runs'][0]
            return (more['instructions'] - less['instructions']) / (more['operations'] - less['operations'])
        lines, checks = [], []
        for engine, title in (('ours', 'Cairn'), ('peer', args.peer_name)):
            for case in self.workloads:
                off, on = (instructions(engine, case, mode) for mode in ('off', 'on'))
                lines.append([f'{case}: {title}', number(off, 0), number(on, 0), number(ratio(on, off), 3)])
                if engine == 'ours' and case != 'Get':
                    checks.append(verdict(f'{case}: instructions with async_io / without', ratio(on, off), 1.02, False))
        against = pairwise(store, 'readrandom', 'fibers', 'ours', 'readrandom')
        checks.append(verdict('cached readrandom, fibers / threads', median(against), 0.97, True))
        checks.append(f'- The same, of all pairs: {spread(against)}.')
        table = markdown(['operation', 'instructions', 'with async_io', 'with / without'], lines)
        text = (f'{args.num:,} records of 16 + 100 bytes, all in the block cache. Instructions for each key (entries of a seek: each seek), counted by callgrind '
                f'on one thread; the cost of starting is taken off. Then {args.clients[0]} clients read at random, on threads and on fibers of '
                f'{args.fiber_workers} workers.')
        rows = rows_of(store, [('readrandom', 'cached readrandom', args.clients[0], 'readrandom')], 'fibers', other='ours')
        return [text, table, '\n'.join(checks)], plot(rows, 'Cached reads per second, fibers / threads'), rows


class RoundTrips(ReadShow):
    name = 'round-trips'
    title = 'Round trips of the storage when index and filters are cold'
    defaults = {'num': 300000, 'pairs': 1, 'delay': 1000}
    quick = {'num': 3000, 'pairs': 1}
    engines = ['ours', 'peer']
    workloads = {'Get': ['readrandom', '--operations=100'], 'MultiGet of 32': ['multiget', '--batch_size=32', '--operations=1600'],
                 'Seek': ['seekrandom', '--operations=100', '--seek_nexts=1']}
    limits = {'Get': 3, 'MultiGet of 32': 4}

    def cases(self):
        return {f'{what}, {kind}': (workload, flags, kind == 'partitioned') for kind in ('whole', 'partitioned')
                for what, (workload, *flags) in self.workloads.items()}

    def steps(self, args):
        for pair in range(args.pairs):
            for case, (workload, flags, partitioned) in self.cases().items():
                for engine in self.engines:
                    for mode in ([], ['--async_io']):
                        yield Step(f'{case}{", async_io" * bool(mode)}', engine, pair, workload,
                                   [f'--num={args.num}', '--seed=1', '--cache_index_and_filter_blocks', '--readonly', *flags, *mode],
                                   base=seven_runs(args, partitioned), delay=args.delay, count=True)

    def report(self, args, store):
        lines, checks = [], []
        for case, (workload, _, _) in self.cases().items():
            line = [case]
            for engine in self.engines:
                for mode in ('', ', async_io'):
                    (rounds,), (most,), (reads,) = ([(median(figures(store, case + mode, engine, workload, key)))] for key in ('rounds', 'most_rounds', 'reads'))
                    line.append(f'{number(rounds, 0)} ({number(most, 0)}), {number(reads, 0)}')
                    limit = self.limits.get(case.split(',')[0])
                    if engine == 'ours' and limit and mode:
                        checks.append(verdict(f'{case}: round trips', rounds, limit, False))
            lines.append(line)
        table = markdown(['operation, index and filters', 'Cairn', 'Cairn, async_io', args.peer_name, f'{args.peer_name}, async_io'], lines)
        text = (f'{args.num:,} records in 7 files of level 0, each over all keys, written by {args.peer_name}; the block cache is emptied before each operation, which '
                'so finds filters, indexes and data cold. The tables are open. Figures: median of the round trips that stood one behind the other (the '
                'most of any operation), median of the reads.')
        series = {title: [(i + 1, v) for i, (case, (workload, _, _)) in enumerate(self.cases().items())
                          if (v := median(figures(store, case + ', async_io', engine, workload, 'rounds'))) is not None]
                  for engine, title in (('ours', 'Cairn'), ('peer', args.peer_name))}
        picture = line_plot([{'title': 'Round trips with async_io: ' + '; '.join(f'{i + 1} {c}' for i, c in enumerate(self.cases())), 'x': 'case', 'series': series}],
                            self.title)
        return [text, table, '\n'.join(checks)], picture, []


class LocalReads(ReadShow):
    name = 'local-reads'
    title = 'The same reads on a local disk with direct I/O'
    defaults = {'num': 5000000, 'pairs': 3, 'clients': '4', 'duration': 8.0}
    quick = {'num': 100000, 'pairs': 1, 'duration': 0.5}
    engines = ['ours', 'fibers', 'peer']
    workloads = {'multiget, serial': ('multiget', []), 'multiget, async_io': ('multiget', ['--async_io']),
                 'scan, serial': ('seekrandom', ['--seek_nexts=65536']), 'scan, async_io': ('seekrandom', ['--seek_nexts=65536', '--async_io']),
                 'readrandom': ('readrandom', [])}

    def steps(self, args):
        base = four_levels(args)
        for pair in range(args.pairs):
            for case, (workload, flags) in self.workloads.items():
                for engine in rotated([*self.engines, *(['uring'] if args.uring_peer else [])], pair):
                    yield Step(case, engine, pair, workload,
                               [f'--num={args.num}', f'--threads={args.clients[0]}', '--batch_size=8', f'--multiread_stride={args.num // 125}', '--seed=1',
                                '--key_size=32', '--value_size=512', '--cache_size=33554432', '--use_direct_reads', '--readonly',
                                f'--duration={args.duration:g}', *flags, *([f'--fiber_workers={args.fiber_workers}'] * (engine == 'fibers'))], base=base)

    def report(self, args, store):
        lines, rows = [], []
        for case, (workload, _) in self.workloads.items():
            engines = {**{e: NAMES[e] for e in ('ours', 'fibers')}, **self.peers(args)}
            for engine, title in engines.items():
                lines.append([f'{case}: {title}', *[spread(figures(store, case, engine, workload, key), digits)
                                                    for key, digits in (('ops_per_second', 1), ('cpu_us_per_op', 1), ('p50_us', 0), ('p99_us', 0))],
                              spread(pairwise(store, case, engine, 'peer', workload))])
            for engine in ('ours', 'fibers'):
                rows += rows_of(store, [(case, case, args.clients[0], workload)], engine)
        table = markdown(['workload: engine', 'operations/s', 'CPU µs/op', 'p50, µs', 'p99, µs', '/ peer'], lines)
        text = f'{args.num:,} keys of 32 + 512 bytes in 4 levels, {args.clients[0]} clients, a cache of 32 MiB, use_direct_reads, the machine\'s own disk.'
        return [text, table], plot(rows, f'Operations per second, Cairn / {args.peer_name}'), rows


SHOWS = {show.name: show for show in (MultiGetModes(), MultiGetBatches(), Scan(), ConcurrentReads(), CachedCost(), RoundTrips(), LocalReads())}
