#!/usr/bin/env python3
"""Shows how Cairn's write path compares with a release of RocksDB, through the C interface, interleaved.

  write-configurations  10 threads load 10 million records: the four settings of the two options of the write path
  writers               fillseq, fillrandom, overwrite with 1 to 256 writers, with and without sync
  pauses                ten minutes of overwriting: tail latency, the longest pause, a plot over time
  amplification         bytes written and space after the same load
  coroutine-port        four workloads with 64 clients at once, fibers against threads, from a cold cache
  growth                1, 10 and 50 million records
  all                   each of them, in this order

Each engine runs with the same flags. Results go to the folder of --out: NAME.md, NAME.svg and NAME.json, and a line per
row to history.ndjson above it. Each measurement is kept as soon as it is there; --resume goes on after the last one.
Exit status 1 if a measurement failed (not if it is slow): the others are there.

  shows.py all --bench build/demo/bench/kv_bench --ours build/demo/libcairn.so --peer LIBRARY [--quick]
"""
import argparse
import json
import os
import pathlib
import sys
import time

from bench_report import append_history, commit, machine
from shows_list import SHOWS
from shows_runner import Runner, Store

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Given to both engines, so that no default differs. Those of RocksDB.
EQUAL = {'key_size': 16, 'value_size': 100, 'compression_type': 1, 'compression_ratio': 0.5, 'write_buffer_size': 64 << 20,
         'max_write_buffer_number': 2, 'max_background_jobs': 2, 'cache_size': 64 << 20, 'block_size': 4096, 'bloom_bits': 10}
EQUAL_QUICK = {**EQUAL, 'write_buffer_size': 1 << 20}
WHOLE = ('num', 'pairs', 'sync_operations')
LISTS = ('clients', 'sync_clients', 'sizes')


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('show', choices=[*SHOWS, 'all'])
    parser.add_argument('--bench', default=str(ROOT / 'build/release/bench/kv_bench'))
    parser.add_argument('--ours', default=str(ROOT / 'build/release/libcairn.so'))
    parser.add_argument('--peer', required=True)
    parser.add_argument('--peer-name', default='RocksDB 11.1.1')
    parser.add_argument('--quick', action='store_true', help='small, in a minute or so: to see that it works')
    parser.add_argument('--resume', action='store_true', help='keep the measurements that the result file has')
    parser.add_argument('--pairs', type=int, help='how often each is measured')
    parser.add_argument('--num', type=int, help='records')
    parser.add_argument('--clients', help='a list: 1,4,64')
    parser.add_argument('--sync-clients', help='a list, of the runs with sync (writers)')
    parser.add_argument('--sync-operations', type=int, help='of each run with sync (writers)')
    parser.add_argument('--sizes', help='a list of numbers of records (amplification, growth)')
    parser.add_argument('--duration', type=float, help='seconds (pauses, coroutine-port)')
    parser.add_argument('--fiber-workers', type=int, default=2)
    parser.add_argument('--flags', default='', help='more flags of kv_bench for all, in one word')
    parser.add_argument('--dir', type=pathlib.Path, default=ROOT / 'build/shows', help='where the databases go')
    parser.add_argument('--out', type=pathlib.Path, help='bench/results; with --quick build/quick_shows')
    args = parser.parse_args(arguments)
    args.out = args.out or ROOT / ('build/quick_shows' if args.quick else 'bench/results')
    return args


def settled(args, show):
    """The arguments with the show's defaults where the user gave none."""
    result = argparse.Namespace(**vars(args))
    defaults = {**show.defaults, **(show.quick if args.quick else {})}
    for name, value in defaults.items():
        if getattr(result, name, None) is None:
            setattr(result, name, value)
    for name in LISTS:
        value = getattr(result, name)
        setattr(result, name, [int(v) for v in value.split(',')] if value else [])
    result.equal = [f'--{name}={value}' for name, value in (EQUAL_QUICK if args.quick else EQUAL).items()]
    return result


def settings(args, show):
    """What the measurements depend on: a run with others cannot be resumed."""
    used = {name: getattr(args, name) for name in (*WHOLE, *LISTS, 'duration') if name in show.defaults}
    return {'show': show.name, **used, 'fiber_workers': args.fiber_workers, 'equal': args.equal, 'flags': args.flags,
            'peer': args.peer_name, 'machine': machine(), 'commit': commit(ROOT)}


def publish(args, show, store):
    """Writes what there is; the rows for the history."""
    parts, picture, rows = show.report(args, store)
    loads = [r['load'] for r in store.records.values()]
    equal = ', '.join(flag.lstrip('-') for flag in args.equal + args.flags.split())
    head = f'# {show.title}: Cairn and {args.peer_name}'
    if args.quick:
        head += '\n\nA quick run, to see that the program works: **the figures mean nothing**.'
    foot = (f'Both engines: {equal}. {args.pairs} interleaved pair{"s" * (args.pairs != 1)}, who goes first changes; median '
            f'(lowest to highest).\n\n{machine()}; load {(loads or [0])[0]:.1f} at the start. '
            f'Cairn {store.content["settings"]["commit"]}, {args.peer_name}, {time.strftime("%Y-%m-%d")}.')
    args.out.mkdir(parents=True, exist_ok=True)
    text = '\n\n'.join([head, *parts, foot]) + '\n'
    (args.out / f'{show.name}.md').write_text(text)
    (args.out / f'{show.name}.svg').write_text(picture)
    return text, rows


def perform(args, show):
    args = settled(args, show)
    store = Store(args.out / f'{show.name}.json', json.loads(json.dumps(settings(args, show))), args.resume)
    libraries = {'ours': args.ours, 'fibers': args.ours, 'peer': args.peer}
    runner = Runner(args.bench, {k: os.path.abspath(v) for k, v in libraries.items()}, args.dir / show.name)
    failed = runner.measure(show.name, list(show.steps(args)), store)
    text, rows = publish(args, show, store)
    append_history(args.out.parent / 'history.ndjson', rows, ROOT, f'{show.name}: {args.peer_name}')
    print(text)
    return failed


def main():
    args = parse(sys.argv[1:])
    failed = sum(perform(args, SHOWS[name]) for name in (SHOWS if args.show == 'all' else [args.show]))
    if failed:
        print(f'shows.py: {failed} measurements failed', file=sys.stderr)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
