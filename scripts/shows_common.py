"""What the shows share: figures of the measurements, tables, verdicts."""
import statistics

from bench_report import summarise

NAMES = {'ours': 'Cairn, threads', 'fibers': 'Cairn, fibers'}


def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def ratio(a, b):
    return a / b if a is not None and b else None


def spread(values, digits=2):
    """Median (lowest to highest)."""
    values = [v for v in values if v is not None]
    if not values:
        return '-'
    if len(values) == 1:
        return f'{values[0]:,.{digits}f}'
    return f'{statistics.median(values):,.{digits}f} ({min(values):,.{digits}f} to {max(values):,.{digits}f})'


def number(value, digits=2):
    return '-' if value is None else f'{value:,.{digits}f}'


def markdown(columns, rows):
    """The first column is text, the others are figures."""
    lines = ['| ' + ' | '.join(columns) + ' |', '| --- |' + ' ---: |' * (len(columns) - 1)]
    return '\n'.join(lines + ['| ' + ' | '.join(map(str, row)) + ' |' for row in rows])


def verdict(what, value, limit, at_least):
    if value is None:
        return f'- {what}: not measured.'
    met = value >= limit if at_least else value <= limit
    return f'- {what}: **{value:.2f}**, asked for {"at least" if at_least else "at most"} {limit}: {"met" if met else "missed"}.'


def named(record, workload):
    """The figures of a workload in a record."""
    return next((r for r in record['runs'] if r['workload'] == workload), None)


def figures(store, case, engine, workload, key):
    return [named(r, workload).get(key) for r in store.runs(case, engine) if named(r, workload)]


def pairwise(store, case, engine, other, workload, key='ops_per_second'):
    """The ratios engine / other, pair by pair."""
    theirs = {r['pair']: named(r, workload)[key] for r in store.runs(case, other) if named(r, workload)}
    return [ratio(named(r, workload)[key], theirs.get(r['pair']))
            for r in store.runs(case, engine) if r['pair'] in theirs and named(r, workload)]


def common_flags(args, engine, clients, num=None):
    flags = [f'--num={num or args.num}', f'--threads={clients}', '--seed=1', *args.equal, *args.flags.split()]
    if engine == 'fibers':
        flags.append(f'--fiber_workers={args.fiber_workers}')
    return flags


def rows_of(store, cases, engine, extra=lambda record, run: {}, other='peer'):
    """Rows for the plot of ratios and the history: `cases` gives (case, workload as named there, clients, its runs'
    workload)."""
    rows = []
    for case, title, clients, workload in cases:
        both = {name: {r['pair']: {**named(r, workload), **extra(r, named(r, workload))} for r in store.runs(case, which)
                       if named(r, workload)} for name, which in (('ours', engine), ('peer', other))}
        pairs = [pair for pair in both['ours'] if pair in both['peer']]
        if pairs:
            row = summarise({(title, clients): {name: [runs[pair] for pair in pairs] for name, runs in both.items()}})[0]
            rows.append({**row, 'fiber_workers': both['ours'][pairs[0]]['fiber_workers']})
    return rows


def last_of_each(flags):
    """Of equal names, which programs take the last of."""
    return list({flag.split('=')[0]: flag for flag in flags}.values())


class Show:
    engines = ['ours', 'fibers', 'peer']

    def named_engines(self, args):
        return {**{e: NAMES[e] for e in self.engines if e != 'peer'}, 'peer': args.peer_name}

    def more_steps(self, args, store):
        """What is to be measured once the others are: a round of steps, until there are none."""
        return []
