"""The shows of scans, cached point reads and compaction: what each measures (steps) and what it tells of it (report). A
measurement that is missing is left out of the tables."""
from bench_report import plot
from shows_common import Show, figures, markdown, median, pairwise, ratio, rows_of, spread, verdict
from shows_runner import Base, Step, rotated

PREFIX = 7  # bytes of the key: 256 keys each


class Scans(Show):
    """All engines read the same files, which the peer wrote, from the block cache."""
    name = 'scans'
    title = 'Scans and point reads from the block cache'
    engines = ['ours', 'peer']
    defaults = {'num': 1000000, 'pairs': 3, 'clients': '1,2', 'duration': 3.0}
    quick = {'num': 20000, 'pairs': 1, 'duration': 0.2}
    # What is read, and whether of the database with all its levels or of the one whose first keys are deleted.
    workloads = {'seek and 50 entries': ('levels', 'seekrandom', ['--seek_nexts=50']),
                 'seek and 1000 entries': ('levels', 'seekrandom', ['--seek_nexts=1000']),
                 'forward': ('levels', 'readseq', []), 'backward': ('levels', 'readreverse', []),
                 'a prefix of 256 keys': ('levels', 'prefixscan', []),
                 'past tombstones of keys': ('tombstones', 'readfirst', []),
                 'past tombstones of ranges': ('ranges', 'readfirst', []),
                 'Get, found': ('levels', 'readrandom', []), 'Get, missing': ('levels', 'readmissing', [])}

    def bases(self, args):
        deleted = args.num // 10
        common = ['--seed=1', '--threads=1', f'--prefix_size={PREFIX}', *args.equal]
        small = [*common, f'--num={2 * deleted}', f'--operations={deleted}']
        return {
            # A tenth of the default sizes, so that a million records fill four levels and level 0.
            'levels': Base('filluniquerandom,overwrite,flush',
                           [*common, f'--num={args.num}', *(['--write_buffer_size=4194304', '--target_file_size_base=4194304',
                                                             '--max_bytes_for_level_base=16777216', '--max_bytes_for_level_multiplier=4']
                                                            if not args.quick else args.levels)], engine='peer', name='levels'),
            'tombstones': Base('fillseq,compact,deleteseq,flush', [*small, '--disable_auto_compactions'], engine='peer', name='tombstones'),
            'ranges': Base('fillseq,compact,deleterangeseq,flush', [*small, '--disable_auto_compactions'], engine='peer', name='ranges')}

    def steps(self, args):
        bases = self.bases(args)
        for pair in range(args.pairs):
            for clients in args.clients:
                for case, (base, workload, flags) in self.workloads.items():
                    for engine in rotated(self.engines, pair):
                        num = args.num if base == 'levels' else args.num // 10
                        yield Step(f'{case}, {clients}', engine, pair, f'warm,{workload}',
                                   [f'--num={num}', f'--threads={clients}', '--seed=1', f'--prefix_size={PREFIX}', *args.equal, '--cache_size=4294967296',
                                    '--readonly', f'--duration={args.duration:g}', *flags], base=bases[base])

    def report(self, args, store):
        lines, rows, checks = [], [], []
        for case, (_, workload, _) in self.workloads.items():
            for clients in args.clients:
                key = f'{case}, {clients}'
                line = [key]
                for engine in self.engines:
                    line += [spread(figures(store, key, engine, workload, 'ops_per_second'), 0), spread(figures(store, key, engine, workload, 'cpu_us_per_op'), 3)]
                both = pairwise(store, key, 'ours', 'peer', workload)
                lines.append([*line, spread(both)])
                checks.append(verdict(f'{key} threads' if clients > 1 else f'{key} thread', median(both), 1.5, True))
                rows += rows_of(store, [(key, case, clients, workload)], 'ours')
        table = markdown(['what, threads', 'Cairn, /s', 'CPU µs', f'{args.peer_name}, /s', 'CPU µs', 'ratio'], lines)
        deleted = args.num // 10
        text = (f'{args.num:,} records of 16 + 100 bytes, each written twice, in level 0 and the levels below, as {args.peer_name} left them; filters of whole keys and '
                f'of prefixes. Tombstones: {deleted:,} records compacted, then each deleted by a tombstone of its own (of the key, or of a range of one key); '
                'the iterator looks for the first entry that is left. All blocks are in the block cache. An operation of forward and backward is an entry, '
                'otherwise a seek with what follows, or a Get.')
        return [text, table, '\n'.join(checks)], plot(rows, f'Operations per second, Cairn / {args.peer_name}'), rows


class Compactions(Show):
    name = 'compactions'
    title = 'Compaction by the second of a processor'
    engines = ['ours', 'peer']
    defaults = {'num': 2000000, 'pairs': 3}
    quick = {'num': 20000, 'pairs': 1}
    compressions = {'none': 0, 'Snappy': 1, 'LZ4': 4, 'ZSTD': 7}

    def steps(self, args):
        for pair in range(args.pairs):
            for case, number in self.compressions.items():
                for engine in rotated(self.engines, pair):
                    # Each its own files of level 0, all of which one compaction takes.
                    yield Step(case, engine, pair, 'filluniquerandom,flush,compact',
                               [f'--num={args.num}', '--threads=1', '--seed=1', *args.equal, '--write_buffer_size=16777216', '--disable_auto_compactions',
                                f'--compression_type={number}'])

    def report(self, args, store):
        def speeds(case, engine, key):
            megabytes = args.num * 116 / 1e6
            return [megabytes / s for s in figures(store, case, engine, 'compact', key)]
        lines, rows, checks = [], [], []
        for case in self.compressions:
            by_engine = {engine: speeds(case, engine, 'cpu_seconds') for engine in self.engines}
            both = [ratio(a, b) for a, b in zip(by_engine['ours'], by_engine['peer'])]
            lines.append([case, *[spread(by_engine[e], 0) for e in self.engines], spread(both),
                          *[spread(speeds(case, e, 'seconds'), 0) for e in self.engines]])
            checks.append(verdict(f'{case}: MB per second of a processor, Cairn / {args.peer_name}', median(both), 1.3, True))
            if both:
                rows.append({'workload': f'compaction, {case}', 'threads': 1, 'ratio': median(both), 'lowest': min(both), 'highest': max(both),
                             **{e: {'ops_per_second': median(by_engine[e])} for e in self.engines}})
        table = markdown(['compression', 'Cairn, MB per CPU second', f'{args.peer_name}, MB per CPU second', 'ratio', 'Cairn, MB/s', f'{args.peer_name}, MB/s'], lines)
        text = (f'{args.num:,} records of 16 + 100 bytes, written once in no order to files of level 0 (memtables of 16 MiB), then compacted as a whole. '
                'MB: of keys and values, counted once. CPU: of the whole process while it compacts.')
        return [text, table, '\n'.join(checks)], plot(rows, f'Compaction, MB per CPU second, Cairn / {args.peer_name}'), rows


SHOWS = {show.name: show for show in (Scans(), Compactions())}
