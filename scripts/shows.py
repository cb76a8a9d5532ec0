#!/usr/bin/env python3
"""Shows how Cairn compares with a release of RocksDB, interleaved.

Writing, through the C interface:
  write-configurations  10 threads load 10 million records: the four settings of the two options of the write path
  writers               fillseq, fillrandom, overwrite with 1 to 256 writers, with and without sync
  pauses                ten minutes of overwriting: tail latency, the longest pause, a plot over time
  behind                reads that begin right behind a load, while compactions are behind
  amplification         bytes written and space after the same load
  coroutine-port        four workloads with 64 clients at once, fibers against threads, from a cold cache
  growth                1, 10 and 50 million records
  writes                each of them, in this order

Reading, through the C interface and db_bench, most of it from storage that takes a millisecond for each read (slowfs):
  multiget-modes        the published MultiGet over 4 levels: async_io off, level by level, on all levels together
  multiget-batches      the same with batches of 1 to 64 keys, as a plot
  scan                  the published scan beside fio, and a seek over 7 sorted runs
  concurrent-reads      1000 point reads at once
  cached-cost           instructions of cached reads with and without async_io, by callgrind; fibers and threads
  round-trips           how often reads go to the storage one after the other when nothing is cached
  local-reads           MultiGet, scan and Get on the machine's own disk with direct I/O
  reads                 each of them, in this order

From the block cache, through the C interface:
  scans                 scans of 50 and 1000 entries, whole ones, of prefixes, past tombstones; point reads; 1 and 2 threads
  compactions           bytes compacted by the second of a processor, with each compression
  cached                both, in this order

Large values, through the C interface, and backups:
  blob-values           values of 1 KiB to 1 MiB in blob files and in tables: load, overwrite, read, scan, bytes written
  blob-round-trips      round trips of a MultiGet of 32 of them from storage that takes a millisecond for each read
  blobs                 both, in this order
  backup                of 10 GB beside cp, alone and under load; what the load feels of it; a second one after overwriting 5%

Without a hole, through the C interface:
  write-matrix          every combination of the options of the write path, batches of 1 to 1000, 1 to 256 writers; a heat map
  read-matrix           each kind of table and cache: Get, MultiGet, short and long scans, 1 to 64 clients; a heat map
  matrix                both, in this order

Each engine runs with the same flags. Results go to the folder of --out: NAME.md, NAME.svg and NAME.json, and a line per
row to history.ndjson above it. Each measurement is kept as soon as it is there; --resume goes on after the last one.
Exit status 1 if a measurement failed (not if it is slow): the others are there.

  shows.py writes --bench build/demo/bench/kv_bench --ours build/demo/libcairn.so --peer LIBRARY [--quick]
"""
import argparse
import json
import os
import pathlib
import sys
import time

from bench_report import append_history, commit, machine
import shows_backup
import shows_blobs
import shows_matrix
import shows_reads
import shows_scans
import shows_writes
from shows_runner import Runner, Store

GROUPS = {'writes': shows_writes.SHOWS, 'reads': shows_reads.SHOWS, 'cached': shows_scans.SHOWS, 'blobs': shows_blobs.SHOWS,
          'matrix': shows_matrix.SHOWS}
SHOWS = {**shows_writes.SHOWS, **shows_reads.SHOWS, **shows_scans.SHOWS, **shows_blobs.SHOWS, **shows_backup.SHOWS, **shows_matrix.SHOWS}
ROOT = pathlib.Path(__file__).resolve().parent.parent
# Given to both engines, so that no default differs. Those of RocksDB.
EQUAL = {'key_size': 16, 'value_size': 100, 'compression_type': 1, 'compression_ratio': 0.5, 'write_buffer_size': 64 << 20,
         'max_write_buffer_number': 2, 'max_background_jobs': 2, 'cache_size': 64 << 20, 'block_size': 4096, 'bloom_bits': 10}
EQUAL_QUICK = {**EQUAL, 'write_buffer_size': 1 << 20}
ONE = ('num', 'pairs', 'sync_operations', 'delay', 'operations', 'duration', 'megabytes', 'gigabytes', 'rate')
LISTS = ('clients', 'sync_clients', 'sizes', 'value_sizes', 'batches')


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('show', choices=[*SHOWS, *GROUPS], metavar='SHOW', help='one of those above')
    parser.add_argument('--bench', default=str(ROOT / 'build/release/bench/kv_bench'))
    parser.add_argument('--ours', default=str(ROOT / 'build/release/libcairn.so'))
    parser.add_argument('--peer', required=True)
    parser.add_argument('--peer-name', default='RocksDB 11.1.1')
    parser.add_argument('--uring-peer', help='a RocksDB library with io_uring inside, for the reads; there need be none')
    parser.add_argument('--uring-peer-name', default='RocksDB 11.8.1')
    parser.add_argument('--db-bench', default=str(ROOT / 'build/release/bench/db_bench'), help='ours (reads)')
    parser.add_argument('--debian-db-bench', default='/usr/bin/db_bench', help='of RocksDB (reads)')
    parser.add_argument('--debian-name', default='RocksDB 7.8.3')
    parser.add_argument('--slowfs', default=str(ROOT / 'build/release/bench/slowfs'))
    parser.add_argument('--delay', type=int, help='microseconds of a read of the slow storage')
    parser.add_argument('--quick', action='store_true', help='small, in a minute or so: to see that it works')
    parser.add_argument('--resume', action='store_true', help='keep the measurements that the result file has')
    parser.add_argument('--pairs', type=int, help='how often each is measured')
    parser.add_argument('--num', type=int, help='records')
    parser.add_argument('--clients', help='a list: 1,4,64')
    parser.add_argument('--sync-clients', help='a list, of the runs with sync (writers)')
    parser.add_argument('--sync-operations', type=int, help='of each run with sync (writers)')
    parser.add_argument('--operations', type=int, help='of each count of instructions (cached-cost)')
    parser.add_argument('--sizes', help='a list of numbers of records (amplification, growth)')
    parser.add_argument('--value-sizes', help='a list, bytes (blobs)')
    parser.add_argument('--batches', help='a list, entries (write-matrix)')
    parser.add_argument('--megabytes', type=int, help='MiB of values in each database (blobs)')
    parser.add_argument('--gigabytes', type=float, help='of the database (backup)')
    parser.add_argument('--rate', type=int, help='operations per second of the load (backup)')
    parser.add_argument('--duration', type=float, help='seconds of each measurement (pauses, behind, coroutine-port, reads, blobs, backup, matrix)')
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
    # Four levels of little data need small files.
    result.levels = ['--write_buffer_size=524288', '--target_file_size_base=1048576', '--max_bytes_for_level_multiplier=4'] if args.quick else []
    result.equal = [f'--{name}={value}' for name, value in (EQUAL_QUICK if args.quick else EQUAL).items()]
    return result


def settings(args, show):
    """What the measurements depend on: a run with others cannot be resumed."""
    used = {name: getattr(args, name) for name in (*ONE, *LISTS) if name in show.defaults}
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
    foot = (f'{getattr(show, "flags_text", None) or f"Both engines: {equal}"}. {args.pairs} interleaved pair{"s" * (args.pairs != 1)}, who goes first changes; median '
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
    if args.uring_peer:
        libraries['uring'] = args.uring_peer
    runner = Runner(args.bench, {k: os.path.abspath(v) for k, v in libraries.items()}, args.dir / show.name,
                    {'ours': args.db_bench, 'debian': args.debian_db_bench}, args.slowfs, 16 if args.quick else 1024)
    failed = runner.measure(show.name, list(show.steps(args)), store)
    while more := list(show.more_steps(args, store)):
        failed_again = runner.measure(show.name, more, store)
        failed += failed_again
        if failed_again:
            break
    text, rows = publish(args, show, store)
    append_history(args.out.parent / 'history.ndjson', rows, ROOT, f'{show.name}: {args.peer_name}')
    print(text)
    return failed


def main():
    args = parse(sys.argv[1:])
    failed = sum(perform(args, SHOWS[name]) for name in GROUPS.get(args.show, [args.show]))
    if failed:
        print(f'shows.py: {failed} measurements failed', file=sys.stderr)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
