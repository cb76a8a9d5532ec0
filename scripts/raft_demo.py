#!/usr/bin/env python3
"""Three replicated nodes of examples/replicated on this machine, under load: a live table, and what happens when the leader is killed.

  scripts/raft_demo.py [--build build/demo] [--seconds 30] [--clients 8] [--stay]

A third of the way the leader is killed (SIGKILL), a third later it is started again. At the end every acknowledged write is looked for, and
the history is judged by Porcupine if there is go. --stay: no load and no kill, the nodes stay until Ctrl-C; try `curl -L`. Cairn is installed
from --build; needs cargo. Exit status: 1 if anything was wrong.
"""
import argparse
import pathlib
import sys
import time

import raft_cluster
from raft_cluster import Cluster, Load


def table(cluster, load, words, first):
    """The state of things, over the one before where there is a terminal."""
    rows = [(node, node.metrics(timeout=0.3) if node.process else None) for node in cluster.nodes.values()]
    newest = max((now['last_log'] or 0 for _, now in rows if now), default=0)
    lines = [f'{"node":>6} {"state":<10} {"term":>5} {"log":>9} {"applied":>9} {"lag":>7} {"snapshot":>9}']
    for node, now in rows:
        if now is None:
            lines.append(f'{node.number:>6} {"killed" if not node.process else "starts":<10}')
        else:
            lines.append(f'{node.number:>6} {now["state"]:<10} {now["term"]:>5} {now["last_log"] or 0:>9} {now["applied"]:>9} '
                         f'{newest - now["applied"]:>7} {now["snapshot"]:>9}')
    seconds = load.seconds() if load else []
    rate = seconds[-1]['done'] if seconds else 0
    lines.append(f'operations in the last second: {rate:>7}   {words}')
    if sys.stdout.isatty() and not first:
        print(f'\033[{len(lines)}A', end='')
    print('\n'.join(f'{line}\033[K' if sys.stdout.isatty() else line for line in lines), flush=True)


def show(cluster, load, words, seconds, first=False):
    end = time.monotonic() + seconds
    while True:
        table(cluster, load, words, first)
        first = False
        if time.monotonic() >= end:
            return
        time.sleep(0.5 if sys.stdout.isatty() else 2)


def demo(args, cluster, history):
    load = Load(cluster, '--clients', args.clients, history=history)
    show(cluster, load, '', args.seconds / 3, first=True)
    leader = cluster.leader()
    term = leader.metrics()['term']
    begin = time.monotonic()
    leader.kill()
    new = cluster.leader(among=[node for node in cluster.nodes.values() if node is not leader], term=term, every=0.005)
    words = f'leader {leader.number} was killed, {new.number} leads {1000 * (time.monotonic() - begin):.0f} ms later'
    show(cluster, load, words, args.seconds / 3)
    leader.start()
    show(cluster, load, f'node {leader.number} was started again', args.seconds / 3)
    result = load.stop()
    keys = cluster.check_same_contents()
    print(f'{words}\nwrites acknowledged: {result["acknowledged"]:,}, lost: {result["lost"]}; all three nodes have the same {keys:,} keys')
    print(f'operations: {result["done"]:,} in {result["took"]:.0f} seconds, median {result["median_us"] / 1000:.1f} ms, '
          f'99 of 100 within {result["p99_us"] / 1000:.1f} ms')
    if raft_cluster.CHECK.exists():
        print(f'the history is {raft_cluster.linearizable(history)}')
    return result['lost'] == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', type=pathlib.Path, default=raft_cluster.ROOT / 'build/demo', help='a folder with cairn and cairn_shared built')
    parser.add_argument('--seconds', type=float, default=30)
    parser.add_argument('--clients', type=int, default=8)
    parser.add_argument('--stay', action='store_true')
    args = parser.parse_args()
    variables = raft_cluster.environment(args.build)
    print('builds the example (minutes, the first time)', flush=True)
    raft_cluster.build_programs(variables)
    if raft_cluster.find_go():
        raft_cluster.build_checker()
    try:
        with Cluster('demo', variables, ['--snapshot-every', 5000, '--keep', 1000]) as cluster:
            leader = cluster.begin()
            if args.stay:
                print(f'curl -L -X PUT -d hello http://{leader.addr}/kv/greeting; curl -L http://{leader.addr}/kv/greeting')
                show(cluster, None, '', float('inf'), first=True)
            fine = demo(args, cluster, cluster.folder / 'history.txt')
    except raft_cluster.Failure as error:
        sys.exit(f'raft_demo.py: {error}')
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0 if fine else 1)


if __name__ == '__main__':
    main()
