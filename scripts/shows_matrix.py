"""The shows without a hole: every combination of the options of writing, and each kind of table and cache for reading, by the
number of clients, on threads and fibers. What each measures (steps, more_steps) and what it tells of it (report)."""
import itertools
import math

from shows_common import NAMES, Show, common_flags, figures, markdown, median, number, pairwise, rows_of, verdict
from shows_runner import Base, Step, rotated

CELL, HEAD, ROW = 38, 64, 15  # of the heat map: points


def colour(value):
    """Red below 1, white at 1, green above; full at a third and at three."""
    if value is None:
        return '#eee'
    depth = min(1.0, abs(math.log(value)) / math.log(3))
    full = (47, 125, 109) if value >= 1 else (181, 60, 50)
    return '#' + ''.join(f'{round(255 + (c - 255) * depth):02x}' for c in full)


def heat_map(title, columns, rows):
    """`columns`: the groups of columns, {name: [labels]}. `rows`: (label, [values]), as many as there are columns."""
    left = 16 + round(6.2 * max((len(label) for label, _ in rows), default=0))
    count = sum(len(labels) for labels in columns.values())
    width, height = left + CELL * count + 16, HEAD + ROW * len(rows) + 12
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
             f'<rect width="{width}" height="{height}" fill="white"/>', f'<text x="12" y="20" font-size="15">{title}</text>']
    at = 0
    for name, labels in columns.items():
        parts.append(f'<text x="{left + CELL * at}" y="40">{name}</text>')
        parts += [f'<text x="{left + CELL * (at + i) + CELL / 2:g}" y="56" text-anchor="middle">{label}</text>'
                  for i, label in enumerate(labels)]
        at += len(labels)
    for i, (label, values) in enumerate(rows):
        y = HEAD + ROW * i
        parts.append(f'<text x="12" y="{y + 11}">{label}</text>')
        for j, value in enumerate(values):
            x = left + CELL * j
            parts.append(f'<rect x="{x}" y="{y}" width="{CELL - 1}" height="{ROW - 1}" fill="{colour(value)}"/>')
            if value is not None:
                parts.append(f'<text x="{x + CELL / 2:g}" y="{y + 11}" text-anchor="middle">{value:.2f}</text>')
    return '\n'.join([*parts, '</svg>']) + '\n'


class Matrix(Show):
    """Each cell once; then those that look bad, or are close to it, a few times again."""
    goal = 1.0
    close = 1.1
    again = 4

    def cases(self, args):
        """The names of the cells, and what each is."""
        raise NotImplementedError

    def workload_of(self, case):
        raise NotImplementedError

    def peer_can(self, case):
        return True

    def step(self, args, case, what, engine, pair):
        """`what`: the cell is, of cases()."""
        raise NotImplementedError

    def steps(self, args):
        return [self.step(args, case, what, engine, 0) for case, what in self.cases(args).items() for engine in self.engines
                if engine != 'peer' or self.peer_can(case)]

    def more_steps(self, args, store):
        """Those of the next round."""
        for case, what in self.cases(args).items():
            done = [len(store.runs(case, engine)) for engine in self.engines]
            if min(done) == 0 or max(done) > self.again or max(done) > args.pairs * self.again:
                continue
            if any(v is not None and v < self.close for v in map(lambda e: self.ratio(store, case, e), ('ours', 'fibers'))):
                yield from (self.step(args, case, what, engine, max(done)) for engine in rotated(self.engines, max(done)))

    def ratio(self, store, case, engine):
        return median(pairwise(store, case, engine, 'peer', self.workload_of(case)))

    def rate(self, store, case, engine):
        return median(figures(store, case, engine, self.workload_of(case), 'ops_per_second'))

    def below(self, args, store):
        """Lines of the cells below the goal."""
        lines = []
        for case in self.cases(args):
            for engine in ('ours', 'fibers'):
                value = self.ratio(store, case, engine)
                if value is not None and value < self.goal:
                    lines.append([f'{case}, {NAMES[engine].split(", ")[1]}', number(self.rate(store, case, engine), 0),
                                  number(self.rate(store, case, 'peer'), 0), number(value),
                                  len(pairwise(store, case, engine, 'peer', self.workload_of(case)))])
        return lines

    def tell(self, args, store, head, labels, what, in_history, parts):
        """All cells as a table, whose rows have `labels` under `head`, and as a heat map of `what`; after `parts`. A cell is named by its
        row's label and the clients. `in_history`: of the cases, those whose course is kept."""
        rows = [(label, [self.ratio(store, f'{label}; {n}', e) for e in ('ours', 'fibers') for n in args.clients]) for label in labels]
        kinds = [f'{n} {"threads" if e == "ours" else "fibers"}' for e in ('ours', 'fibers') for n in args.clients]
        table = markdown([head, *kinds], [[label, *map(number, values)] for label, values in rows])
        picture = heat_map(f'{what}, Cairn / {args.peer_name}', {NAMES[e]: args.clients for e in ('ours', 'fibers')}, rows)
        history = [(case, case, cell[2], self.workload_of(case)) for case, cell in self.cases(args).items() if in_history(cell)]
        return [*parts, table], picture, rows_of(store, history, 'ours') + rows_of(store, history, 'fibers')

    def verdicts(self, args, store, lines):
        values = [v for case in self.cases(args) for e in ('ours', 'fibers') if (v := self.ratio(store, case, e)) is not None]
        if not values:
            return ['- Cairn / peer: not measured.']
        values.sort()
        return [verdict(f'Cairn / peer, the lowest of {len(values):,} cells', values[0], self.goal, True),
                f'- Cells below {self.goal:g}: {len(lines)}. Below 1.5: {sum(v < 1.5 for v in values)}. Below 2: '
                f'{sum(v < 2 for v in values)}. Median: {median(values):.2f}.']


class WriteMatrix(Matrix):
    name = 'write-matrix'
    title = 'Writing with every combination of options'
    defaults = {'num': 1000000, 'pairs': 1, 'clients': '1,2,4,8,16,64,256', 'duration': 0.25, 'batches': '1,10,1000'}
    quick = {'num': 1000, 'duration': 0.01, 'clients': '1,4', 'batches': '10'}
    shown = 40  # lines of cells that are behind our own best
    # What a write that has returned survives.
    promises = {'in the log': '', 'synced': '', 'in the library\'s buffer': 'manual_wal_flush=true;',
                'synced from the buffer': 'manual_wal_flush=true;', 'without a log': ''}
    queues = {'one queue': '', 'pipelined': 'enable_pipelined_write=true;', 'unordered': 'unordered_write=true;',
              'two queues': 'two_write_queues=true;', 'unordered, two queues': 'unordered_write=true;two_write_queues=true;'}

    def configurations(self):
        for promise, queue, serial in itertools.product(self.promises, self.queues, (False, True)):
            if not (serial and 'unordered' in queue):  # which the options exclude
                yield promise, queue, serial

    def case(self, configuration, batch, clients):
        promise, queue, serial = configuration
        return f'{promise}, {queue}{", one inserts" if serial else ""}; {batch}; {clients}'

    def cases(self, args):
        return {self.case(c, batch, clients): (c, batch, clients)
                for c in self.configurations() for batch in args.batches for clients in args.clients}

    def workload_of(self, case):
        return 'fillrandom'

    def peer_can(self, case):
        """RocksDB 11.1.1 does not come back from such a write."""
        return not ('buffer' in case and 'unordered' in case)

    def step(self, args, case, what, engine, pair):
        (promise, queue, serial), batch, clients = what
        flags = [*common_flags(args, engine, clients), f'--batch_size={batch}', f'--duration={args.duration:g}',
                 '--write_buffer_size=1073741824', '--compression_type=0',
                 '--options=' + self.promises[promise] + self.queues[queue]]
        if serial:
            flags.append('--allow_concurrent_memtable_write=0')
        if promise.startswith('synced'):
            flags.append('--sync')
        if promise == 'without a log':
            flags.append('--disable_wal')
        return Step(case, engine, pair, 'fillrandom', flags, settle=promise.startswith('synced'))

    def behind_own(self, args, store):
        """Cells that another configuration of the same promise, batch and clients is far ahead of."""
        lines = []
        for promise, batch, clients in itertools.product(self.promises, args.batches, args.clients):
            rates = {(c, e): self.rate(store, self.case(c, batch, clients), e)
                     for c in self.configurations() if c[0] == promise for e in ('ours', 'fibers')}
            rates = {where: rate for where, rate in rates.items() if rate}
            if not rates:
                continue
            best = max(rates, key=rates.get)
            lines += [[f'{self.case(c, batch, clients)}, {NAMES[e].split(", ")[1]}', number(rate, 0), number(rates[best], 0),
                       f'{self.case(best[0], batch, clients).split(";")[0].split(", ", 1)[1]}, {NAMES[best[1]].split(", ")[1]}',
                       number(rate / rates[best])]
                      for (c, e), rate in rates.items() if rate < 0.8 * rates[best]]
        return lines

    def report(self, args, store):
        below = self.below(args, store)
        behind = self.behind_own(args, store)
        checks = self.verdicts(args, store, below)
        checks.append(f'- Cells below 0.8 of our best with the same promise, batch and clients: {len(behind)}.')
        text = (f'Writers put entries at random for {args.duration:g} s into an empty database, on threads and, in Cairn, on fibers; the '
                'memtable takes them all. Figures: operations per second, Cairn / peer. Each cell once, interleaved; those that are '
                f'below {self.close} then {self.again} times more, of which the median counts. "one inserts": '
                'allow_concurrent_memtable_write=false; "two queues": two_write_queues; "the library\'s buffer": manual_wal_flush, beside which RocksDB does not come back from a write with unordered_write.')
        parts = [text, '\n'.join(checks)]
        if below:
            parts += [f'Below {self.goal:g}:', markdown(['configuration; batch; writers', 'Cairn ops/s', 'peer ops/s', 'ratio', 'measured'], below)]
        if behind:
            behind.sort(key=lambda line: float(line[-1]))
            parts += [f'Behind our own best of the same promise, the {min(len(behind), self.shown)} farthest:',
                      markdown(['configuration; batch; writers', 'ops/s', 'best', 'of which', 'ratio'], behind[:self.shown])]
        labels = [self.case(c, batch, '').removesuffix('; ') for c in self.configurations() for batch in args.batches]
        return self.tell(args, store, 'configuration; entries in a batch', labels, 'Writes per second',
                         lambda cell: cell[0][1] == 'one queue' and not cell[0][2], parts)


class ReadMatrix(Matrix):
    name = 'read-matrix'
    title = 'Reading from each kind of table and cache'
    defaults = {'num': 500000, 'pairs': 1, 'clients': '1,4,64', 'duration': 0.25}
    quick = {'num': 2000, 'duration': 0.01, 'clients': '1,4'}
    table = 'block_based_table_factory={'
    kinds = {
        'RocksDB\'s defaults, in the cache': [],
        'HyperClockCache': ['--cache_type=hyper_clock'],
        'a cache of 4 MiB': ['--cache_size=4194304'],
        'no block cache': ['--cache_size=0'],
        'direct reads, a cache of 4 MiB': ['--cache_size=4194304', '--use_direct_reads'],
        'mapped files': ['--options=allow_mmap_reads=true', '--cache_size=0', '--compression_type=0'],
        'index and filters in the cache': ['--cache_index_and_filter_blocks'],
        'not compressed': ['--compression_type=0'],
        'zlib': ['--compression_type=2'],
        'LZ4': ['--compression_type=4'],
        'ZSTD': ['--compression_type=7'],
        'ZSTD, no block cache': ['--compression_type=7', '--cache_size=0'],
        'no filters': ['--bloom_bits=0'],
        'Ribbon filters': [f'--options={table}filter_policy=ribbonfilter:10:-1}}'],
        'partitioned': ['--partitioned', '--cache_index_and_filter_blocks'],
        'blocks of 1 KiB': ['--block_size=1024'],
        'blocks of 16 KiB': ['--block_size=16384'],
        'blocks of 64 KiB': ['--block_size=65536'],
        'format version 2': [f'--options={table}format_version=2}}'],
        'format version 4': [f'--options={table}format_version=4}}'],
        'format version 6': [f'--options={table}format_version=6}}'],
        'hash in data blocks': [f'--options={table}data_block_index_type=kDataBlockBinaryAndHash}}'],
        'restart interval 1': [f'--options={table}block_restart_interval=1}}'],
        'no delta encoding': [f'--options={table}use_delta_encoding=false}}'],
    }
    ways = {'Get': ('readrandom', []), 'MultiGet of 32': ('multiget', ['--batch_size=32']),
            'Seek and 10': ('seekrandom', ['--seek_nexts=10']), 'Seek and 1000': ('seekrandom', ['--seek_nexts=1000'])}

    def cases(self, args):
        return {f'{kind}; {way}; {clients}': (kind, way, clients)
                for kind in self.kinds for way in self.ways for clients in args.clients}

    def workload_of(self, case):
        return self.ways[case.split('; ')[1]][0]

    def step(self, args, case, what, engine, pair):
        kind, way, clients = what
        # Small files, so that there are levels.
        tree = [] if args.quick else ['--write_buffer_size=4194304', '--target_file_size_base=4194304', '--max_bytes_for_level_base=16777216']
        flags = [*tree, *self.kinds[kind]]
        workload, more = self.ways[way]
        # Compacted: a small file of the last flush, or none, above all others would decide what a cell says.
        base = Base('filluniquerandom,settle,compact', [*common_flags(args, 'ours', 1), *flags])
        return Step(case, engine, pair, workload,
                    [*common_flags(args, engine, clients), *flags, *more, f'--read_duration={args.duration:g}'], base=base, settle=False)

    def report(self, args, store):
        below = self.below(args, store)
        text = (f'{args.num:,} entries, written at random and compacted, in the page cache; each engine reads its own files for '
                f'{args.duration:g} s. Figures: operations per second, Cairn / peer. Each cell once, interleaved; those that are below '
                f'{self.close} then {self.again} times more, of which the median counts.')
        parts = [text, '\n'.join(self.verdicts(args, store, below))]
        if below:
            parts += [f'Below {self.goal:g}:', markdown(['tables; reads; clients', 'Cairn ops/s', 'peer ops/s', 'ratio', 'measured'], below)]
        labels = [f'{kind}; {way}' for kind in self.kinds for way in self.ways]
        first = next(iter(self.kinds))
        return self.tell(args, store, 'tables and cache; reads', labels, 'Reads per second', lambda cell: cell[0] == first, parts)


SHOWS = {show.name: show for show in (WriteMatrix(), ReadMatrix())}
