#!/usr/bin/env python3
"""Bank transfers in transactions (bench/txn_bench) on Cairn and on a release of RocksDB, through the C interface of both, interleaved:
transactions per second, and the processor's time of each, by clients and contention; and the memory of clients who wait for a lock.

  scripts/txn_runs.py [--build build/release] [--peer LIBRARY] [--clients 16,100,1000,10000] [--pairs 3] [--duration 3]
                      [--out bench/results/transactions.md] [--quick]

Writes a table, and a plot beside it. Without --peer RocksDB 11.1.1 is fetched (scripts/fetch_peer.py). RocksDB's clients are threads;
Cairn's are fibers on two workers, and threads.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
from bench_report import commit, line_plot  # noqa: E402
from kv_runs import Failed, run_kv_bench  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKERS = 2
CONTENTION = {'low': 200_000, 'high': 100}  # accounts
TITLES = {'fibers': 'Cairn, fibers', 'threads': 'Cairn, threads', 'peer': 'RocksDB, threads'}


class Runner:
    def __init__(self, args):
        self.args = args
        cairn = next(args.build.rglob('libcairn.so'))
        self.libraries = {'fibers': cairn, 'threads': cairn, 'peer': args.peer}
        self.bench = args.build / 'bench/txn_bench'

    def run(self, engine, workload, clients, accounts):
        flags = [f'--clients={clients}', f'--accounts={accounts}', f'--duration={self.args.duration}', '--lock_timeout=60000']
        if engine == 'fibers':
            flags.append(f'--fiber_workers={WORKERS}')
        with tempfile.TemporaryDirectory(dir=self.args.scratch) as folder:
            return run_kv_bench(self.bench, self.libraries[engine], f'{folder}/db', workload, flags, limit=600)[-1]


def measure(runner, args):
    """{(contention, clients, engine): [figures of each pair]}; who cannot have so many clients is left out."""
    found = {}
    for pair in range(args.pairs):
        for contention, accounts in CONTENTION.items():
            for clients in args.clients:
                engines = list(TITLES)
                for engine in engines[pair % len(engines):] + engines[:pair % len(engines)]:
                    try:
                        figures = runner.run(engine, 'transfer', clients, accounts)
                    except Failed as error:
                        print(f'{TITLES[engine]}, {clients} clients: {error}', file=sys.stderr)
                        continue
                    found.setdefault((contention, clients, engine), []).append(figures)
                    print(f'{pair + 1}/{args.pairs} {contention:4} {clients:6} {TITLES[engine]:18} '
                          f'{figures["ops_per_second"]:10,.0f}/s {figures["cpu_us_per_op"]:7.2f} us  p99 {figures["p99_us"]:10,.0f} us',
                          flush=True)
    return found


def median(runs, key):
    return statistics.median(r[key] for r in runs) if runs else None


def shown(value, digits=0):
    return '' if value is None else f'{value:,.{digits}f}'


def table(found, args):
    lines = ['| contention | clients | Cairn, fibers, /s | Cairn, threads, /s | RocksDB, threads, /s | ratio (lowest to highest) '
             '| CPU µs each: fibers | threads | RocksDB | p99 ms: fibers | RocksDB |',
             '| --- ' + '| ---: ' * 10 + '|']
    for contention in CONTENTION:
        for clients in args.clients:
            runs = {engine: found.get((contention, clients, engine), []) for engine in TITLES}
            ratios = [a['ops_per_second'] / b['ops_per_second'] for a, b in zip(runs['fibers'], runs['peer'])]
            ratio = f'**{statistics.median(ratios):.2f}** ({min(ratios):.2f} to {max(ratios):.2f})' if ratios else ''
            rates = ' | '.join(shown(median(runs[engine], 'ops_per_second')) for engine in TITLES)
            costs = ' | '.join(shown(median(runs[engine], 'cpu_us_per_op'), 1) for engine in TITLES)
            waits = ' | '.join(shown(p99 and p99 / 1000, 2) for p99 in (median(runs[e], 'p99_us') for e in ('fibers', 'peer')))
            lines.append(f'| {contention} | {clients:,} | {rates} | {ratio} | {costs} | {waits} |')
    return lines


def waiting(runner, args):
    lines = ['| clients who wait for one lock | resident, MB | KB each | seconds until all have had it |', '| --- | ---: | ---: | ---: |']
    clients = max(args.clients)
    for engine, title in TITLES.items():
        try:
            figures = runner.run(engine, 'waiting', clients, 2)
        except Failed as error:
            print(f'{title}, {clients} clients: {error}', file=sys.stderr)
            continue
        each = figures['resident_bytes'] / clients / 1000
        lines.append(f'| {title}, {clients:,} | {figures["resident_bytes"] / 1e6:,.0f} | {each:,.1f} | {figures["seconds"]:.2f} |')
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build/release')
    parser.add_argument('--peer', type=pathlib.Path)
    parser.add_argument('--peer-name', default='RocksDB 11.1.1')
    parser.add_argument('--clients', type=lambda text: [int(n) for n in text.split(',')], default=[16, 100, 1000, 10000])
    parser.add_argument('--pairs', type=int, default=3)
    parser.add_argument('--duration', type=float, default=3, help='seconds of each run')
    parser.add_argument('--scratch', help='where the databases go (default: the temporary folder)')
    parser.add_argument('--out', type=pathlib.Path)
    parser.add_argument('--quick', action='store_true', help='one pair, a second each: whether it works')
    args = parser.parse_args()
    if args.quick:
        args.pairs, args.duration = 1, 1
    if args.peer is None:
        fetched = subprocess.run([ROOT / 'scripts/fetch_peer.py'], capture_output=True, text=True)
        if fetched.returncode != 0:
            sys.exit(f'txn_runs.py: {fetched.stderr}')
        args.peer = pathlib.Path(fetched.stdout.strip().splitlines()[-1])
    runner = Runner(args)
    found = measure(runner, args)
    text = ['# Bank transfers in transactions', '',
            f'`scripts/txn_runs.py`: `txn_bench` at {commit(ROOT)} beside {args.peer_name}, both through the C interface, interleaved, {args.pairs} '
            f'pairs of {args.duration:g} s, {WORKERS} processors. A transfer locks two accounts by `get_for_update`, the one with the lower number '
            f'first, writes both and commits, without a sync; contention is low among {CONTENTION["low"]:,} accounts, and high among '
            f'{CONTENTION["high"]}. Cairn\'s fibers have {WORKERS} workers. No run lost money. The ratio is of Cairn on fibers to RocksDB.', '',
            *table(found, args), '', *waiting(runner, args)]
    print('\n'.join(text))
    if args.out:
        panels = [{'title': f'transactions/s, {contention} contention', 'x': 'clients', 'log_x': True, 'series': {
            title: [(clients, median(found[contention, clients, engine], 'ops_per_second')) for clients in args.clients
                    if (contention, clients, engine) in found] for engine, title in TITLES.items()}} for contention in CONTENTION]
        picture = args.out.with_suffix('.svg')
        picture.write_text(line_plot(panels, 'Bank transfers in transactions'))
        args.out.write_text('\n'.join([*text[:4], f'![transactions per second by clients]({picture.name})', '', *text[4:], '']))


if __name__ == '__main__':
    main()
