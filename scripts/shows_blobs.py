"""The shows of large values, in blob files and in tables: what each measures (steps) and what it tells of it (report). A measurement that
is missing is left out of the tables."""
from bench_report import line_plot
from shows_common import Show, figures, last_of_each, markdown, median, named, number, pairwise, ratio, rows_of, spread, verdict
from shows_runner import Base, Step, rotated
from shows_writes import amplification

# Values compress alike in blob files and in tables, and garbage is collected. Memtables of 16 MiB, so that what is loaded has levels.
TREE = ['--write_buffer_size=16777216', '--target_file_size_base=16777216', '--max_bytes_for_level_base=67108864', '--compression_type=1']
BLOBS = ['--enable_blob_files', '--blob_compression_type=1', '--enable_blob_garbage_collection']
MODES = {'in blob files': BLOBS, 'in tables': []}
WORKLOADS = {'load': 'filluniquerandom', 'overwrite': 'overwrite', 'read': 'readrandom', 'scan': 'readseq'}


def title_of(size):
    return f'{size >> 20} MiB' if size >= 1 << 20 else f'{size >> 10} KiB' if size >= 1 << 10 else f'{size} bytes'


def tree_flags(args, size):
    count = max(64, (args.megabytes << 20) // size)
    return last_of_each([f'--num={count}', f'--threads={args.clients[0]}', '--seed=1', *args.equal, *([] if args.quick else TREE),
                         f'--value_size={size}', *args.flags.split()])


def flags_text(args):
    """Whatever the size of the values."""
    text = ', '.join(flag.lstrip('-') for flag in tree_flags(args, 1024) if not flag.startswith(('--num=', '--value_size=')))
    return f'Both engines: {text}; in blob files also {", ".join(flag.lstrip("-") for flag in BLOBS)}'


class BlobShow(Show):
    engines = ['ours', 'peer']
    flags_text = None

    def steps(self, args):
        self.flags_text = flags_text(args)
        return self.all_steps(args)


class BlobValues(BlobShow):
    name = 'blob-values'
    title = 'Values of 1 KiB to 1 MiB in blob files and in tables'
    defaults = {'value_sizes': '1024,4096,16384,65536,262144,1048576', 'megabytes': 512, 'pairs': 2, 'clients': '2', 'duration': 2.0}
    quick = {'megabytes': 16, 'pairs': 1, 'duration': 0.2}

    @staticmethod
    def case(size, mode):
        return f'{title_of(size)} {mode}'

    def all_steps(self, args):
        for pair in range(args.pairs):
            for size in args.value_sizes:
                for mode, flags in MODES.items():
                    for engine in rotated(self.engines, pair):
                        yield Step(self.case(size, mode), engine, pair, 'filluniquerandom,overwrite,settle,readrandom,readseq',
                                   [*tree_flags(args, size), *flags, f'--read_duration={args.duration:g}'])

    def report(self, args, store):
        rows, checks = [], []
        lines = {mode: [] for mode in MODES}
        for mode in MODES:
            for size in args.value_sizes:
                case = self.case(size, mode)
                line = [title_of(size)]
                for workload in WORKLOADS.values():
                    speeds = [median([named(r, workload)['bytes'] / 1e6 / named(r, workload)['seconds'] for r in store.runs(case, e)]) for e in self.engines]
                    line += [f'{number(speeds[0], 0)} / {number(speeds[1], 0)}', spread(pairwise(store, case, 'ours', 'peer', workload))]
                line.append(' / '.join(number(median([amplification(r) for r in store.runs(case, e)])) for e in self.engines))
                line.append(' / '.join(number(median([r['space_bytes'] / 1e6 for r in store.runs(case, e)]), 0) for e in self.engines))
                lines[mode].append(line)
                rows += rows_of(store, [(case, f'{what}, {case}', args.clients[0], w) for what, w in WORKLOADS.items()], 'ours')
            for what, workload in WORKLOADS.items():
                worst = min(((v, size) for size in args.value_sizes
                             if (v := median(pairwise(store, self.case(size, mode), 'ours', 'peer', workload))) is not None), default=(None, 0))
                checks.append(verdict(f'{what}, {mode}: Cairn / peer, the lowest of all sizes ({title_of(worst[1])})', worst[0], 1.5, True))
            most = max(((v, size) for size in args.value_sizes if (v := self.amplified(store, size, mode)) is not None), default=(None, 0))
            checks.append(verdict(f'write amplification, {mode}: Cairn / peer, the highest of all sizes ({title_of(most[1])})', most[0], 1.0, False))
        parts = []
        for mode, table in lines.items():
            columns = [c for what in WORKLOADS for c in (f'{what}, MB/s', 'ratio')]
            parts += [f'Values {mode} (Cairn / {args.peer_name}):', markdown(['value', *columns, 'write amplification', 'space after, MB'], table)]
        text = (f'{args.megabytes} MiB of values in each database, which compress to half. {args.clients[0]} threads load them, each key once in no order, and '
                f'overwrite as many at random; then all is flushed and compacted as far as the engine wants to. Then they read at random, and scan the whole, '
                f'{args.duration:g} s each, out of the page cache. Write amplification: what the kernel counts as written for the process (pages made dirty and '
                'direct writes) from the first write until nothing is left to compact, log included, over the keys and values that the threads wrote. Space: '
                'what the files take on the device after closing.')
        return [text, *parts, '\n'.join(checks)], line_plot(self.panels(args, store), self.title), rows

    def amplified(self, store, size, mode):
        return ratio(*(median([amplification(r) for r in store.runs(self.case(size, mode), e)]) for e in self.engines))

    def panels(self, args, store):
        def panel(title, value):
            return {'title': title, 'x': 'bytes of a value', 'log_x': True,
                    'series': {mode: [(s, v) for s in args.value_sizes if (v := value(s, mode)) is not None] for mode in MODES}}
        speed = [panel(f'{what}: Cairn / {args.peer_name}', lambda s, mode, w=w: median(pairwise(store, self.case(s, mode), 'ours', 'peer', w)))
                 for what, w in WORKLOADS.items()]
        return [*speed, panel(f'Write amplification: Cairn / {args.peer_name}', lambda s, mode: self.amplified(store, s, mode))]


class BlobRoundTrips(BlobShow):
    """All engines read the same files, which the peer wrote."""
    name = 'blob-round-trips'
    title = 'Round trips of a MultiGet of 32 values in blob files'
    defaults = {'value_sizes': '1024,4096,16384,65536', 'megabytes': 256, 'pairs': 1, 'clients': '1', 'delay': 1000, 'operations': 50}
    quick = {'value_sizes': '4096', 'megabytes': 8, 'operations': 5}
    batch = 32
    modes = {'': [], ', async_io': ['--async_io']}

    def all_steps(self, args):
        for pair in range(args.pairs):
            for size in args.value_sizes:
                base = Base('filluniquerandom,overwrite,settle', [*tree_flags(args, size), *BLOBS], engine='peer', name=f'values{size}')
                for mode, flags in self.modes.items():
                    for engine in rotated(self.engines, pair):
                        yield Step(f'{title_of(size)}{mode}', engine, pair, 'multiget',
                                   [*tree_flags(args, size), *BLOBS, '--readonly', f'--batch_size={self.batch}',
                                    f'--operations={self.batch * args.operations}', *flags], base=base, delay=args.delay, count=True)

    def report(self, args, store):
        lines, checks, rows = [], [], []
        for size in args.value_sizes:
            line = [title_of(size)]
            for engine in self.engines:
                for mode in self.modes:
                    rounds, most, reads, took = (median(figures(store, title_of(size) + mode, engine, 'multiget', key))
                                                 for key in ('rounds', 'most_rounds', 'reads', 'p50_us'))
                    line.append(f'{number(rounds, 0)} ({number(most, 0)}), {number(reads, 0)}, {number(took and took / 1000, 1)} ms')
                    if engine == 'ours':
                        checks.append(verdict(f'{title_of(size)}{mode}: round trips of a MultiGet of {self.batch}', rounds, 2, False))
            lines.append(line)
            rows += rows_of(store, [(title_of(size) + mode, f'MultiGet, {title_of(size)}{mode}', 1, 'multiget') for mode in self.modes], 'ours')
        table = markdown(['value', 'Cairn', 'Cairn, async_io', args.peer_name, f'{args.peer_name}, async_io'], lines)
        text = (f'{args.megabytes} MiB of values, loaded and overwritten by {args.peer_name}, whose blob files and tables both read from storage that takes '
                f'{args.delay} µs for each read. The block cache is emptied before each operation; the tables are open, with index and filters in memory: the '
                'keys\' blocks are read first, then the values. Figures: median of the round trips that stood one behind the other (the most of any operation), '
                f'median of the reads, median of the time. {args.operations} operations each.')
        series = {title + mode: [(s, v) for s in args.value_sizes if (v := median(figures(store, title_of(s) + mode, engine, 'multiget', 'rounds'))) is not None]
                  for engine, title in (('ours', 'Cairn'), ('peer', args.peer_name)) for mode in self.modes}
        picture = line_plot([{'title': 'Round trips', 'x': 'bytes of a value', 'log_x': True, 'series': series}], self.title)
        return [text, table, '\n'.join(checks)], picture, rows


SHOWS = {show.name: show for show in (BlobValues(), BlobRoundTrips())}
