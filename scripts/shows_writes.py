"""The six shows of the write path: what each measures (steps) and what it tells of it (report). A show's settings come as
an object with the options of shows.py; a measurement that is missing is left out of the tables."""
import statistics

from bench_report import line_plot, plot
from shows_common import (NAMES, Show, common_flags, figures, markdown, median, named, number, pairwise, ratio, rows_of, spread,
                          verdict)
from shows_runner import Base, Step, rotated

FIRST, LAST = 'load', 'overwrite'


def amplification(record):
    """Bytes that went to storage for each byte that was written; None where the kernel does not count them."""
    storage = sum(r['storage_bytes'] for r in record['runs'])
    user = sum(r.get('user_bytes', 0) for r in record['runs'])
    return storage / user if storage and user else None


def commits_per_sync(run):
    """From the library's counts. Where it does not count syncs, of the groups of writers, each of which is synced once."""
    tickers = run.get('tickers', {})
    syncs = tickers.get('rocksdb.wal.synced') or tickers.get('rocksdb.write.self')
    return run['operations'] / syncs if syncs else None


class WriteConfigurations(Show):
    name = 'write-configurations'
    title = 'The write path\'s two options: each record once'
    defaults = {'num': 10000000, 'pairs': 3, 'clients': '10'}
    quick = {'num': 100000, 'pairs': 1}
    configurations = {'default': [], **{
        f'yield {y}, parallel {p}': [f'--enable_write_thread_adaptive_yield={y}', f'--allow_concurrent_memtable_write={p}']
        for y in (0, 1) for p in (0, 1)}}

    def steps(self, args):
        for pair in range(args.pairs):
            for case, flags in self.configurations.items():
                for engine in rotated(self.engines, pair):
                    yield Step(case, engine, pair, 'filluniquerandom,settle',
                               [*common_flags(args, engine, args.clients[0]), *flags])

    def report(self, args, store):
        def time(case, engine, key='seconds'):
            return median(figures(store, case, engine, 'filluniquerandom', key))

        def with_rest(case, engine):
            return median([sum(r['cpu_seconds'] for r in record['runs']) for record in store.runs(case, engine)])
        times, cpus = ([v for v in (time(case, 'peer', key) for case in self.configurations) if v]
                       for key in ('seconds', 'cpu_seconds'))
        best, cheapest = min(times, default=None), min(cpus, default=None)
        lines = []
        for engine, title in self.named_engines(args).items():
            for case in self.configurations:
                seconds, cpu = time(case, engine), time(case, engine, 'cpu_seconds')
                percent = ratio(cpu, seconds)
                lines.append([f'{title}: {case}', spread(figures(store, case, engine, 'filluniquerandom', 'seconds')),
                              spread(figures(store, case, engine, 'filluniquerandom', 'cpu_seconds')),
                              number(percent and percent * 100, 0), number(with_rest(case, engine)),
                              number(ratio(seconds, best)), number(ratio(cpu, cheapest))])
        table = markdown(['engine: configuration', 'seconds', 'CPU-seconds', 'CPU %', 'CPU-seconds with the rest',
                          f'time / {args.peer_name}\'s best', f'CPU / {args.peer_name}\'s cheapest'], lines)
        checks = []
        for engine in ('ours', 'fibers'):
            mine = time('default', engine)
            slowest = max((time(c, engine) or 0 for c in self.configurations if c != 'default'), default=0) or None
            checks += [verdict(f'{NAMES[engine]}: time of the default / the peer\'s best time', ratio(mine, best), 0.6, False),
                       verdict(f'{NAMES[engine]}: CPU of the default / the peer\'s cheapest',
                               ratio(time('default', engine, 'cpu_seconds'), cheapest), 1.0, False),
                       verdict(f'{NAMES[engine]}: the slowest of the four / the default', ratio(slowest, mine), 1.1, False)]
        cases = [(c, c, args.clients[0], 'filluniquerandom') for c in self.configurations]
        rows = rows_of(store, cases, 'ours') + rows_of(store, cases, 'fibers')
        text = (f'{args.clients[0]} clients write {args.num:,} records, each once, in no order. The time ends with the last '
                'write; "the rest" is what was left to flush and to compact. CPU: user and system, of the whole process. '
                'yield: enable_write_thread_adaptive_yield, parallel: allow_concurrent_memtable_write.')
        return [text, table, '\n'.join(checks)], plot(rows, f'Records per second, Cairn / {args.peer_name}'), rows


class Writers(Show):
    name = 'writers'
    title = 'One to 256 writers'
    defaults = {'num': 2000000, 'pairs': 5, 'clients': '1,4,64,256', 'sync_clients': '64,256', 'sync_operations': 200000}
    quick = {'num': 40000, 'pairs': 1, 'sync_operations': 5000}
    workloads = ('fillseq', 'fillrandom', 'overwrite')

    def steps(self, args):
        for pair in range(args.pairs):
            for clients in args.clients:
                for case, benchmarks in (('fillseq', 'fillseq'), ('fillrandom', 'fillrandom,settle,overwrite')):
                    for engine in rotated(self.engines, pair):
                        yield Step(f'{case} {clients}', engine, pair, benchmarks, common_flags(args, engine, clients))
            for clients in args.sync_clients:
                for engine in rotated(self.engines, pair):
                    yield Step(f'sync {clients}', engine, pair, 'fillrandom',
                               [*common_flags(args, engine, clients), f'--operations={args.sync_operations}', '--sync',
                                '--statistics'])

    def report(self, args, store):
        cases = [(f'{"fillseq" if w == "fillseq" else "fillrandom"} {n}', w, n, w) for w in self.workloads for n in args.clients]
        synced = [(f'sync {n}', 'fillrandom, sync', n, 'fillrandom') for n in args.sync_clients]
        lines, checks = [], []
        for case, title, clients, workload in cases + synced:
            ours, fibers = (pairwise(store, case, e, 'peer', workload) for e in ('ours', 'fibers'))
            against = pairwise(store, case, 'fibers', 'ours', workload)
            lines.append([f'{title}, {clients}',
                          *[number(median(figures(store, case, e, workload, 'ops_per_second')), 0) for e in self.engines],
                          spread(ours), spread(fibers), spread(against),
                          ' / '.join(number(median(figures(store, case, e, workload, 'cpu_us_per_op'))) for e in self.engines)])
            checks.append(verdict(f'{title}, {clients}: threads / peer', median(ours), 1.5, True))
            if title != 'fillrandom, sync':
                checks.append(verdict(f'{title}, {clients}: fibers / threads', median(against), 0.95 if clients <= 4 else 1.0, True))
        table = markdown(['workload, writers', 'Cairn, threads: ops/s', 'Cairn, fibers: ops/s', 'peer: ops/s', 'threads / peer',
                          'fibers / peer', 'fibers / threads', 'CPU µs/op: threads / fibers / peer'], lines)
        commits = markdown(['sync=1, writers', *self.named_engines(args).values()], [
            [clients, *[spread([commits_per_sync(r['runs'][0]) for r in store.runs(case, e)], 1) for e in self.engines]]
            for case, _, clients, _ in synced])
        extra = lambda record, run: {'commits_per_sync': commits_per_sync(run)} if run.get('tickers') else {}  # noqa: E731
        rows = rows_of(store, cases + synced, 'ours', extra) + rows_of(store, cases + synced, 'fibers', extra)
        text = (f'{args.num:,} operations of all writers together ({args.sync_operations:,} with sync=1, with the library\'s '
                'statistics on); overwrite follows fillrandom once that is flushed and compacted. Ratios of operations per '
                'second, pair by pair: median (lowest to highest).')
        return ([text, table, 'Commits per sync (where a library does not count its syncs: per group of writers):', commits,
                 '\n'.join(checks)], plot(rows, f'Operations per second, Cairn / {args.peer_name}'), rows)


class Pauses(Show):
    name = 'pauses'
    title = 'Overwriting for long, with compaction debt'
    defaults = {'num': 10000000, 'pairs': 1, 'clients': '10', 'duration': 600.0}
    quick = {'num': 100000, 'pairs': 1, 'duration': 5.0}
    def steps(self, args):
        for pair in range(args.pairs):
            for engine in rotated(self.engines, pair):
                flags = common_flags(args, engine, args.clients[0])
                # Not settled: the load's debt is where the overwriting begins.
                yield Step('overwrite', engine, pair, 'overwrite', [*flags, f'--duration={args.duration}', '--per_second'],
                           base=Base('filluniquerandom', flags))

    def report(self, args, store):
        def of(engine, key):
            return figures(store, 'overwrite', engine, 'overwrite', key)

        def stalled(engine):
            """Seconds in which less than a tenth of the median second's operations ended; the last second is not whole."""
            counts = [r['runs'][0]['per_second'][:-1] for r in store.runs('overwrite', engine)]
            return [sum(n < 0.1 * statistics.median(c) for n in c) for c in counts if c]
        lines = [[title, spread(of(e, 'ops_per_second'), 0), spread(of(e, 'p50_us'), 1), spread(of(e, 'p99_us'), 1),
                  spread(of(e, 'p999_us'), 1), spread([v / 1000 for v in of(e, 'max_us')], 1),
                  spread([v / 1000 for v in of(e, 'pause_us')], 1), spread(stalled(e), 0), spread(of(e, 'cpu_us_per_op'))]
                 for e, title in self.named_engines(args).items()]
        table = markdown(['engine', 'ops/s', 'p50 µs', 'p99 µs', 'p99.9 µs', 'longest operation, ms', 'longest pause, ms',
                          'seconds below a tenth', 'CPU µs/op'], lines)
        checks = [verdict(f'{what}, {NAMES[engine]} / peer', ratio(median(of(engine, key)), median(of('peer', key))), 0.5, False)
                  for engine in ('ours', 'fibers')
                  for what, key in (('p99.9', 'p999_us'), ('longest pause', 'pause_us'), ('longest operation', 'max_us'))]
        series = {}
        for engine, title in self.named_engines(args).items():
            for r in store.runs('overwrite', engine)[:1]:
                series[title] = list(enumerate(r['runs'][0]['per_second'][:-1]))
        picture = line_plot([{'title': 'Operations in each second', 'x': 'seconds', 'series': series}],
                            f'{args.clients[0]} clients overwrite {args.num:,} records for {args.duration:g} s')
        text = (f'{args.clients[0]} clients load {args.num:,} records and, without waiting for the compactions, overwrite them '
                f'at random for {args.duration:g} s. The longest pause: no operation of any writer ended for so long. '
                '"Seconds below a tenth": in which less than a tenth of the median second\'s operations ended.')
        cases = [('overwrite', 'overwrite with debt', args.clients[0], 'overwrite')]
        return [text, table, '\n'.join(checks)], picture, rows_of(store, cases, 'ours') + rows_of(store, cases, 'fibers')


class Behind(Show):
    name = 'behind'
    title = 'Reads right behind a load, while compactions are behind'
    defaults = {'num': 10000000, 'pairs': 3, 'clients': '4', 'duration': 10.0}
    quick = {'num': 100000, 'pairs': 1, 'duration': 0.3}
    writes = ['fillrandom', 'overwrite']
    reads = {'seekrandom': 'a seek and 20 entries', 'readrandom': 'Get', 'multiget': 'MultiGet of 32'}

    def steps(self, args):
        for pair in range(args.pairs):
            for engine in rotated(self.engines, pair):
                # What is read first meets most of the debt.
                for first in self.reads:
                    order = [*self.writes, first, *(r for r in self.reads if r != first)]
                    yield Step(f'{first} first', engine, pair, ','.join(order),
                               [*common_flags(args, engine, args.clients[0]), f'--read_duration={args.duration:g}', '--seek_nexts=20',
                                '--batch_size=32'])

    def report(self, args, store):
        lines, checks, rows = [], [], []
        for first, title in self.reads.items():
            case = f'{first} first'
            for workload, what in ((first, title), *((w, f'{w}, before it') for w in self.writes)):
                for engine, engine_title in self.named_engines(args).items():
                    lines.append([f'{what}: {engine_title}', *[spread(figures(store, case, engine, workload, key), digits)
                                                               for key, digits in (('ops_per_second', 0), ('cpu_us_per_op', 2), ('p99_us', 0),
                                                                                   ('p999_us', 0))],
                                  spread(pairwise(store, case, engine, 'peer', workload))])
            checks += [verdict(f'{title}, {NAMES[engine]} / peer', median(pairwise(store, case, engine, 'peer', first)), 1.5, True)
                       for engine in ('ours', 'fibers')]
            rows += [row for engine in ('ours', 'fibers') for row in rows_of(store, [(case, f'{title}, behind a load', args.clients[0], first)], engine)]
        table = markdown(['workload: engine', 'operations/s', 'CPU µs/op', 'p99, µs', 'p99.9, µs', '/ peer'], lines)
        text = (f'{args.clients[0]} clients put {args.num:,} records of as many keys in no order and overwrite as many at random; the reads begin at '
                f'once, {args.duration:g} s each, beside the compactions that are still owed. Each kind of read goes first in a run of its own, and only '
                'that one is shown. A MultiGet counts by its keys.')
        return [text, table, '\n'.join(checks)], plot(rows, f'Operations per second, Cairn / {args.peer_name}'), rows


class CoroutinePort(Show):
    name = 'coroutine-port'
    title = 'The four workloads of the published coroutine port'
    defaults = {'num': 10000000, 'pairs': 3, 'clients': '64', 'duration': 60.0}
    quick = {'num': 50000, 'pairs': 1, 'duration': 1.0}
    workloads = {'readrandom': ('readrandom', False), 'overwrite': ('overwrite', False),
                 'overwrite, sync': ('overwrite', True), 'updaterandom, sync': ('updaterandom', True)}
    published = {'readrandom': 1.04, 'overwrite': 0.58, 'overwrite, sync': 0.92, 'updaterandom, sync': 0.99}

    def steps(self, args):
        for pair in range(args.pairs):
            for case, (workload, sync) in self.workloads.items():
                for engine in rotated(self.engines, pair):
                    flags = [*common_flags(args, engine, args.clients[0]), f'--duration={args.duration}']
                    # The load is the same for all, whoever the clients are later.
                    base = Base('filluniquerandom,settle', common_flags(args, 'ours', 4))
                    yield Step(case, engine, pair, workload, flags + ['--sync', '--statistics'] * sync, base=base, cold=True)

    def report(self, args, store):
        lines, checks = [], []
        for case, (workload, _) in self.workloads.items():
            against = pairwise(store, case, 'fibers', 'ours', workload)
            lines.append([case, *[number(median(figures(store, case, e, workload, 'ops_per_second')), 0) for e in self.engines],
                          spread(against), self.published[case], spread(pairwise(store, case, 'fibers', 'peer', workload)),
                          spread(pairwise(store, case, 'ours', 'peer', workload)),
                          ' / '.join(number(median(figures(store, case, e, workload, 'cpu_us_per_op'))) for e in self.engines),
                          ' / '.join(number(median([commits_per_sync(r['runs'][0]) for r in store.runs(case, e)]), 1)
                                     for e in self.engines)])
            checks.append(verdict(f'{case}: fibers / threads', median(against), 1.0, True))
        table = markdown(['workload', 'Cairn, threads: ops/s', 'Cairn, fibers: ops/s', 'peer: ops/s', 'fibers / threads',
                          'published port', 'fibers / peer', 'threads / peer', 'CPU µs/op: threads / fibers / peer',
                          'commits per sync: threads / fibers / peer'], lines)
        cases = [(case, case, args.clients[0], w) for case, (w, _) in self.workloads.items()]
        rows = rows_of(store, cases, 'ours') + rows_of(store, cases, 'fibers')
        text = (f'{args.clients[0]} clients at once, {args.duration:g} s each, over {args.num:,} records that were loaded and '
                f'compacted once in each pair; fibers on {args.fiber_workers} workers. Before each run the database\'s files '
                'are dropped from the page cache. The runs with sync have the library\'s statistics on.')
        return ([text, table, '\n'.join(checks)], plot(rows, f'Operations per second, Cairn / {args.peer_name}'), rows)


class LoadAndOverwrite(Show):
    """Loads records and overwrites as many; what it costs until nothing is left to compact."""
    engines = ['ours', 'peer']
    more_flags = []

    def steps(self, args):
        for pair in range(args.pairs):
            for size in args.sizes:
                for engine in rotated(self.engines, pair):
                    yield Step(str(size), engine, pair, 'filluniquerandom,overwrite,settle',
                               [*common_flags(args, engine, args.clients[0], size), *self.more_flags])

    def rows(self, args, store):
        extra = lambda record, run: {  # noqa: E731
            'space_bytes': record['space_bytes'], **({'write_amplification': amplification(record)} if amplification(record) else {})}
        cases = [(str(size), f'{title}, {size:,}', args.clients[0], workload) for size in args.sizes
                 for title, workload in ((FIRST, 'filluniquerandom'), (LAST, 'overwrite'))]
        return rows_of(store, cases, 'ours', extra)


class Amplification(LoadAndOverwrite):
    name = 'amplification'
    title = 'Write amplification and space after the same load'
    defaults = {'sizes': '10000000', 'pairs': 2, 'clients': '10'}
    quick = {'sizes': '100000', 'pairs': 1}
    more_flags = ['--statistics']

    def report(self, args, store):
        def counted(record, ticker):
            values = [r.get('tickers', {}).get(ticker) for r in record['runs']]
            return None if None in values else sum(values) / 1e6
        lines, checks, panels = [], [], []
        for size in map(str, args.sizes):
            for engine, title in self.named_engines(args).items():
                records = store.runs(size, engine)
                user = median([sum(r.get('user_bytes', 0) for r in record['runs']) / 1e6 for record in records])
                storage = [sum(r['storage_bytes'] for r in record['runs']) / 1e6 for record in records]
                lines.append([f'{title}: {int(size):,}', number(user, 0), spread(storage, 0),
                              spread([amplification(r) for r in records]),
                              *[spread([counted(r, f'rocksdb.{t}') for r in records], 0)
                                for t in ('wal.bytes', 'flush.write.bytes', 'compact.write.bytes')],
                              spread([r['space_bytes'] / 1e6 for r in records], 0)])
            for what, value in (('write amplification', amplification), ('space', lambda r: r['space_bytes'])):
                ours, peer = (median([value(r) for r in store.runs(size, e)]) for e in self.engines)
                checks.append(verdict(f'{int(size):,} records: {what}, Cairn / peer', ratio(ours, peer), 1.0, False))
        table = markdown(['engine: records', 'written by the clients, MB', 'written to storage, MB', 'write amplification',
                          'log, MB', 'flushes, MB', 'compactions, MB', 'space after, MB'], lines)
        for what, value in (('Write amplification', amplification), ('Space after, bytes', lambda r: r['space_bytes'])):
            panels.append({'title': what, 'x': 'records', 'log_x': True, 'series': {
                title: [(s, v) for s in args.sizes if (v := median([value(r) for r in store.runs(str(s), e)])) is not None]
                for e, title in self.named_engines(args).items()}})
        text = (f'{args.clients[0]} threads load the records, each once in no order, and overwrite as many at random; then all is '
                'flushed and compacted as far as the engine wants to. Written to storage: what the kernel counts for the process '
                '(pages made dirty and direct writes), log included; log, flushes and compactions: what the library counts. '
                'Space: what the files take on the device after closing.')
        return [text, table, '\n'.join(checks)], line_plot(panels, self.title), self.rows(args, store)


class Growth(LoadAndOverwrite):
    name = 'growth'
    title = 'How cost grows with the database'
    defaults = {'sizes': '1000000,10000000,50000000', 'pairs': 1, 'clients': '4'}
    quick = {'sizes': '10000,50000,100000', 'pairs': 1}

    def report(self, args, store):
        lines = []
        for size in args.sizes:
            for engine, title in self.named_engines(args).items():
                records = store.runs(str(size), engine)
                row = [f'{size:,}: {title}']
                for key, digits in (('ops_per_second', 0), ('cpu_us_per_op', 2), ('pause_us', 1)):
                    for workload in ('filluniquerandom', 'overwrite'):
                        values = figures(store, str(size), engine, workload, key)
                        row.append(spread([v / 1000 for v in values] if key == 'pause_us' else values, digits))
                row += [spread([self.whole_cpu(r) for r in records]), spread([amplification(r) for r in records]),
                        spread([r['space_bytes'] / 1e6 for r in records], 0)]
                lines.append(row)
        table = markdown(['records', 'load: ops/s', 'overwrite: ops/s', 'load: CPU µs/op', 'overwrite: CPU µs/op',
                          'load: longest pause, ms', 'overwrite: longest pause, ms', 'CPU µs/op with the rest',
                          'write amplification', 'space after, MB'], lines)

        def panel(title, value):
            return {'title': title, 'x': 'records', 'log_x': True, 'series': {
                name: [(s, v) for s in args.sizes if (v := median([value(r) for r in store.runs(str(s), e)])) is not None]
                for e, name in self.named_engines(args).items()}}
        panels = [panel('Overwrites per second', lambda r: named(r, 'overwrite')['ops_per_second']),
                  panel('CPU µs per operation, compactions included', self.whole_cpu),
                  panel('Write amplification', amplification),
                  panel('Longest pause, ms', lambda r: max(named(r, w)['pause_us'] for w in ('filluniquerandom', 'overwrite')) / 1000)]
        text = (f'{args.clients[0]} threads load the records, each once in no order, and overwrite as many at random. "With the '
                'rest": until nothing is left to flush or to compact, over both. The longest pause: no operation of any '
                'writer ended for so long.')
        return [text, table], line_plot(panels, f'{self.title}: {args.clients[0]} threads'), self.rows(args, store)

    @staticmethod
    def whole_cpu(record):
        return sum(r['cpu_seconds'] for r in record['runs']) * 1e6 / sum(r.get('operations', 0) for r in record['runs'])


SHOWS = {show.name: show for show in (WriteConfigurations(), Writers(), Pauses(), Behind(), Amplification(), CoroutinePort(), Growth())}
