#!/usr/bin/env python3
"""The replicated example with Cairn's library and with RocksDB's, in turns: how many operations a second.

  scripts/raft_compare.py [--build build/demo] [--out bench/results/raft.md] [--rounds 5] [--seconds 15] [--clients 64] [--bytes 100]

The programs are the same files: they are linked to libcairn.so, and for RocksDB they find under its name the library of RocksDB 8.10.0,
whose header they were built for (scripts/fetch_peer.py: from the jar for Java). Each round starts three new nodes with each, and one
cluster takes writes, then linearizable reads. What is found is kept as raft_check.py does, and the table of --out shows it.
"""
import argparse
import functools
import pathlib

import raft_cluster
import raft_report
import rust_tests
from raft_cluster import CRATE, Cluster, Load


KEYS_READ = 1000    # of each client, by --mix read of the clients


def as_cairn(variables, peer):
    """The variables with which programs that want libcairn.so get RocksDB's library."""
    ours = pathlib.Path(variables['LD_LIBRARY_PATH'])
    folder = raft_cluster.FOLDER / 'rocksdb-as-cairn'
    folder.mkdir(parents=True, exist_ok=True)
    for name in ours.glob('libcairn.so*'):
        link = folder / name.name
        link.unlink(missing_ok=True)
        link.symlink_to(next(iter(pathlib.Path(peer).glob('librocksdbjni-*.so'))).resolve())
    return variables | {'LD_LIBRARY_PATH': str(folder)}


def measure(who, variables, args):
    with Cluster(f'compare-{who}', variables, [], port=7900) as cluster:
        cluster.begin()
        maps = pathlib.Path(f'/proc/{cluster.nodes[1].process.pid}/maps').read_text()
        if ('librocksdbjni' in maps) != (who == 'rocksdb'):
            rust_tests.stop(f'the nodes do not run with the library of {who}')
        found = {}
        for mix in ('write', 'read'):
            result = Load(cluster, '--clients', args.clients, '--mix', mix, '--seconds', args.seconds, '--value-bytes', args.bytes).result()
            if mix == 'write' and result['done'] < KEYS_READ * args.clients * 1.2:
                rust_tests.stop(f'{result["done"]} writes are too few: the reads would find keys that are not there; take more --seconds')
            found[f'{mix}s/s'] = result['done'] / result['took']
            found[f'{mix}: median, µs'] = result['median_us']
            found[f'{mix}: 99 of 100 within, µs'] = result['p99_us']
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', type=pathlib.Path, default=raft_cluster.ROOT / 'build/demo', help='a folder with cairn and cairn_shared built')
    parser.add_argument('--out', type=pathlib.Path, help='where the table goes')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seconds', type=int, default=15)
    parser.add_argument('--clients', type=int, default=64)
    parser.add_argument('--bytes', type=int, default=100)
    args = parser.parse_args()
    variables = raft_cluster.environment(args.build)
    raft_cluster.build_programs(variables)
    peer = rust_tests.peer_library(CRATE)
    if peer is None:
        rust_tests.stop(f'no RocksDB {CRATE.peer} to compare with')
    both = {'cairn': variables, 'rocksdb': as_cairn(variables, peer)}
    rows = raft_report.in_turns({who: functools.partial(measure, who, both[who], args) for who in both}, args.rounds)
    raft_report.keep('compare', {'rows': rows, 'peer': CRATE.peer, 'rounds': args.rounds, 'seconds': args.seconds, 'clients': args.clients,
                                 'bytes': args.bytes})
    if args.out:
        args.out.write_text(raft_report.text())


if __name__ == '__main__':
    main()
