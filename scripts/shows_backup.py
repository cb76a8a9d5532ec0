"""The show of backups under load: what it measures (steps) and what it tells of it (report). A measurement that is missing is left out of the
tables."""
from bench_report import plot
from shows_common import Show, figures, last_of_each, markdown, median, named, number, ratio, spread
from shows_runner import Base, Step, rotated

KEY, VALUE = 16, 1000  # bytes
COPIES = {'cp': 'cp', 'backup': 'a backup, nothing else runs', 'backup under load': 'a backup under load', 'second backup': 'a second one'}
LOADS = {'load alone': 'readwrite', 'backup under load': 'readwritewhilebackup'}


class Backup(Show):
    name = 'backup'
    title = 'A backup under load'
    engines = ['ours', 'peer']
    defaults = {'gigabytes': 10.0, 'pairs': 2, 'clients': '4', 'rate': 5000, 'duration': 30.0}
    quick = {'gigabytes': 0.2, 'pairs': 1, 'duration': 1.0}

    def steps(self, args):
        num = max(1000, round(args.gigabytes * 1e9 / (KEY + VALUE)))
        common = last_of_each([f'--num={num}', '--seed=1', *args.equal, f'--value_size={VALUE}', '--compression_type=0', *args.flags.split()])
        self.flags_text = 'Both engines: ' + ', '.join(flag.lstrip('-') for flag in common)
        base = Base('fillseq,settle', [*common, '--threads=1'])
        load = [*common, f'--threads={args.clients[0]}', f'--rate={args.rate}']
        # The copies share one folder, so that no more than one of them takes space. The engines take turns, for what the storage gives
        # changes from minute to minute; only the second backup must follow the first one.
        def copy(case, engine, pair, benchmarks, flags, **more):
            return Step(case, engine, pair, benchmarks, flags, base=base, beside='copy', **more)
        for pair in range(args.pairs):
            engines = rotated(self.engines, pair)
            for engine in engines:
                yield copy('cp', engine, pair, '', [], fresh=True, program='cp')
            for engine in engines:
                yield Step('load alone', engine, pair, 'readwrite', [*load, f'--duration={args.duration:g}'], base=base)
            for engine in engines:
                yield copy('backup', engine, pair, 'backup', common, fresh=True)
            for engine in engines:
                yield copy('backup under load', engine, pair, 'readwritewhilebackup', load, fresh=True)
                yield copy('second backup', engine, pair, 'overwrite,settle,backup', [*common, '--threads=1', f'--operations={max(1, num // 20)}'])

    @staticmethod
    def seconds(record):
        """Of the copy that the step made."""
        last = record['runs'][-1]
        return last.get('backup_seconds', last['seconds'])

    def speeds(self, store, case, engine):
        """MB per second, by the pair."""
        return {r['pair']: r['copied_bytes'] / 1e6 / self.seconds(r) for r in store.runs(case, engine)}

    def report(self, args, store):
        lines, loads, checks, rows = [], [], [], []
        titles = {'ours': 'Cairn', 'peer': args.peer_name}
        for case, what in COPIES.items():
            for engine, title in titles.items():
                records, speeds, cp = store.runs(case, engine), self.speeds(store, case, engine), self.speeds(store, 'cp', engine)
                lines.append([f'{what}: {title}', spread([r['copied_bytes'] / 1e6 for r in records], 1), spread([self.seconds(r) for r in records], 1),
                              spread(list(speeds.values()), 0), spread([ratio(v, cp.get(pair)) for pair, v in speeds.items()])])
            both = [v / theirs[pair] for theirs in [self.speeds(store, case, 'peer')] for pair, v in self.speeds(store, case, 'ours').items() if pair in theirs]
            if both and case != 'cp':
                rows.append({'workload': case, 'threads': 1, 'ratio': median(both), 'lowest': min(both), 'highest': max(both),
                             **{e: {'mb_per_second': median(list(self.speeds(store, case, e).values()))} for e in titles}})
                checks.append(f'- {case}: MB/s, Cairn / {args.peer_name}: **{spread(both)}**.')
        for engine, title in titles.items():
            for case, workload in LOADS.items():
                loads.append([f'{title}: {"alone" if case == "load alone" else "while a backup runs"}',
                              spread(figures(store, case, engine, workload, 'ops_per_second'), 0),
                              *[spread([v / 1000 for v in figures(store, case, engine, workload, key)])
                                for key in ('p50_us', 'p99_us', 'p999_us', 'max_us')]])
            alone, beside = (median(figures(store, case, engine, workload, 'p99_us')) for case, workload in LOADS.items())
            checks.append(f'- p99 of the load while a backup runs / alone, {title}: **{number(ratio(beside, alone))}**.')
            seconds = [median([self.seconds(r) for r in store.runs(case, engine)]) for case in ('second backup', 'backup')]
            checks.append(f'- seconds of the second backup / of the first, {title}: **{number(ratio(*seconds))}**.')
        records = next((r for r in store.records.values() if r['case'] == 'load alone'), None)
        operations = named(records, 'readwrite')['operations'] if records else 0
        text = (f'A database of {args.gigabytes:g} GB, keys of {KEY} and values of {VALUE} bytes, not compressed, loaded in order. The load: {args.clients[0]} threads, '
                f'half reads and half overwrites at random, {args.rate:,} per second in all by a schedule; a duration begins when the operation was due. Alone: '
                f'{args.duration:g} s ({operations:,} operations); beside a backup: as long as that takes. Backups flush first, are synced, and have the engine\'s '
                'default options; the second one follows 5% of the keys overwritten at random, and copies what the first one does not have. `cp -r` of the closed '
                'database, every file of the copy synced at the end. Nothing is dropped from the page cache, which so has most of the database. MB: what the copy takes '
                'on the device.')
        tables = [markdown(['copy', 'MB copied', 'seconds', 'MB/s', '/ cp'], lines),
                  markdown(['load', 'operations/s', 'p50, ms', 'p99, ms', 'p99.9, ms', 'longest, ms'], loads)]
        return [text, *tables, '\n'.join(checks)], plot(rows, f'Backups, MB per second, Cairn / {args.peer_name}'), rows


SHOWS = {show.name: show for show in (Backup(),)}
