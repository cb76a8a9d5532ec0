#!/usr/bin/env python3
"""The sharded example with Cairn's library and with RocksDB's, in turns: how much it does in a second.

  scripts/sharded_compare.py [--build build/demo] [--folder DIR] [--out bench/results/sharded.md] [--rounds 5] [--seconds 15] [--clients 32] [--keys 200000]

The nodes are the same files, with the same jar: `java.library.path` has Cairn's library, or nothing, and then the jar unpacks RocksDB's. Each
round starts three new nodes with each; the cluster takes batches that split its regions, then single writes, then linearizable reads. What is
found is kept as sharded_check.py does, and the table of --out shows it.
"""
import argparse
import functools
import pathlib

import raft_report
import sharded_cluster
import sharded_report
from raft_cluster import Load
from sharded_cluster import Bulk, Cluster


def measure(who, variables, args):
    library = sharded_cluster.cairn_library() if who == 'cairn' else None
    with Cluster(f'compare-{who}', variables, ['--split-keys', max(1000, args.keys // 4), '--check-every', 500], port=8940, library=library) as cluster:
        cluster.begin()
        bulk = Bulk(cluster, args.keys)
        bulk.finish()
        found = {'keys/s in batches of 500': args.keys / bulk.took}
        cluster.wait_all_caught_up()
        for mix in ('write', 'read'):
            result = Load(cluster, '--clients', args.clients, '--mix', mix, '--seconds', args.seconds, '--value-bytes', 100).result()
            found[f'{mix}s/s'] = result['done'] / result['took']
            found[f'{mix}: median, µs'] = result['median_us']
            found[f'{mix}: 99 of 100 within, µs'] = result['p99_us']
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sharded_cluster.add_options(parser)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seconds', type=int, default=15)
    parser.add_argument('--clients', type=int, default=32)
    parser.add_argument('--keys', type=int, default=200_000)
    args = parser.parse_args()
    variables = sharded_cluster.prepare(args)
    rows = raft_report.in_turns({who: functools.partial(measure, who, variables, args) for who in ('cairn', 'rocksdb')}, args.rounds)
    sharded_report.keep('compare', {'rows': rows, 'peer': sharded_cluster.RELEASE, 'rounds': args.rounds, 'seconds': args.seconds,
                                    'clients': args.clients, 'bytes': 100})
    if args.out:
        args.out.write_text(sharded_report.text())


if __name__ == '__main__':
    main()
