#!/usr/bin/env python3
"""Three stores of examples/sharded on this machine, under load: a live table of regions that split and of who leads them; one node is killed.

  scripts/sharded_demo.py [--keys 200000] [--stay]

Writes --keys keys in batches; a third of the way the node that leads most is killed (SIGKILL), and two thirds of the way started again. At the end
each acknowledged key is looked for. --stay: no load and no kill, the nodes stay until Ctrl-C. `scripts/jni.py` has to have linked Cairn's library.
Exit status: 1 if anything was wrong.
"""
import argparse
import collections
import sys
import time

import sharded_cluster
from raft_cluster import Failure
from sharded_cluster import Bulk, Cluster


def table(cluster, words, before):
    """The state of things, over the one before where there is a terminal. Answers how many lines it has."""
    rows = {node: node.metrics(timeout=1) if node.process else None for node in cluster.nodes.values()}
    lines = [f'{"node":>6} {"regions":>8} {"leads":>6} {"applied":>10}']
    for node, now in rows.items():
        if now:
            lines.append(f'{node.number:>6} {len(now["regions"]):>8} {now["leads"]:>6} {sum(region["applied"] for region in now["regions"]):>10}')
        else:
            lines.append(f'{node.number:>6} {"starts" if node.process else "killed":>8}')
    lines.append(words)
    if sys.stdout.isatty() and before:
        print(f'\033[{before}A', end='')
    print('\n'.join(f'{line}\033[K' if sys.stdout.isatty() else line for line in lines), flush=True)
    return len(lines)


def demo(args, cluster):
    bulk = Bulk(cluster, args.keys)
    lines, killed, again = 0, None, False
    while bulk.running():
        lines = table(cluster, f'{bulk.done:,} of {args.keys:,} keys written', lines)
        time.sleep(0.5 if sys.stdout.isatty() else 2)
        if killed is None and bulk.done > args.keys / 3:
            killed = cluster.most_leading()
            killed.kill()
        elif killed and not again and bulk.done > args.keys * 2 / 3:
            killed.start()
            again = True
    bulk.finish()
    if killed and not again:
        killed.start()
    cluster.wait_all_caught_up()
    table(cluster, f'{bulk.done:,} keys in {bulk.took:.0f} seconds', lines)
    bulk.check()
    keys = cluster.check_same_contents()
    leads = collections.Counter(node.number for node in cluster.regions().values() if node)
    print(f'node {killed.number} was killed and started again; none of {keys:,} acknowledged keys is lost, all three nodes have the same; '
          f'{sum(leads.values())} regions, led by {dict(sorted(leads.items()))} (node: regions)')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--keys', type=int, default=200_000)
    parser.add_argument('--stay', action='store_true')
    args = parser.parse_args()
    library = sharded_cluster.cairn_library()
    print('builds the example', flush=True)
    sharded_cluster.build_node()
    try:
        with Cluster('demo', sharded_cluster.java_variables(), ['--split-keys', max(1000, args.keys // 6), '--check-every', 500], library=library) as cluster:
            cluster.begin()
            if args.stay:
                addr = cluster.nodes[1].addr
                print(f'curl -X PUT -d hello http://{addr}/kv/greeting; curl http://{addr}/kv/greeting', flush=True)
                lines = 0
                while True:
                    lines = table(cluster, '', lines)
                    time.sleep(1)
            demo(args, cluster)
    except Failure as error:
        sys.exit(f'sharded_demo.py: {error}')
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == '__main__':
    main()
