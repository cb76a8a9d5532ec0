#!/usr/bin/env python3
"""examples/sharded under faults: loads that split regions, nodes killed, networks cut, disks and files lost; are acknowledged writes there?

  scripts/sharded_check.py [--build build/demo] [--folder DIR] [--library cairn|rocksdb] [--out bench/results/sharded.md] [--keys 2000000] [--kills 50]
                           [--partitions 20] [--seed N] [--sources DIR] [PART...]

PART: load (many keys, amid splits, moves and kills), kills, partitions, faults, suite; all but suite without any. Partitions and some faults need
root. suite: RheaKV's own tests that touch storage, which Maven does not have: --sources is a checkout of sofa-jraft at v1.3.15. What each part
found is kept in build/sharded/results.json; the table of --out shows all that is kept. --library rocksdb: the same with the library in RocksDB's
jar, to tell whose fault a fault is; that is printed, not kept. `scripts/jni.py` has to have linked Cairn's library. Needs Java and Maven, cargo
for the clients (of examples/replicated), and go for Porcupine. Exit status: 1 if anything was wrong.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import time

import raft_check
import sharded_cluster
import sharded_faults
import sharded_report
import sharded_suite
from raft_cluster import Failure, Load, Network, ask
from sharded_cluster import Bulk, Cluster

# So that regions split all the time while there is load. (Each region's log is a database of its own, which a node opens before it is back:
# more of them than the machine opens in some seconds would make a long run one of waiting.)
SPLIT_KEYS = 1500
CHECK = ['--check-every', 300]
LOAD = ['--clients', 8, '--pause', 4]


def under_load(cluster, load, history):
    return raft_check.summary(cluster, load, history) | {'regions': len(cluster.regions())}


def move_leaders(cluster, chance, count):
    """How many leaderships moved that were asked to."""
    moved = 0
    for _ in range(count):
        region, node = chance.choice(sorted(cluster.wait_all_led(seconds=180).items(), key=lambda pair: pair[0]))
        to = chance.choice([other.number for other in cluster.nodes.values() if other is not node and other.process])
        status, _ = ask(node.addr, 'POST', f'/cluster/leader?region={region}&id={to}', timeout=10)
        moved += status == 204
        time.sleep(chance.uniform(0.1, 0.5))
    return moved


def replace_replicas(cluster, number):
    """All of a node's files are lost; it is taken out of all regions, made anew, and taken into them again."""
    node = cluster.nodes[number]
    node.kill()
    subprocess.run(['rm', '-rf', node.directory], check=True)
    cluster.ask_any('POST', f'/cluster/forget?id={number}', seconds=600)
    node.start('--join', new=True)
    node.wait_until(lambda _: True, 'it listens')
    cluster.ask_any('POST', f'/cluster/add?id={number}', seconds=600)


def load(args, variables):
    """Many keys, over nodes that are killed, regions that split, leaders that move, and one node that gets all regions anew."""
    chance = random.Random(args.seed)
    kills = moves = 0
    with Cluster('load', variables, ['--split-keys', max(1000, args.keys // 8), '--check-every', 1000], port=8560, library=args.library_folder) as cluster:
        cluster.begin()
        bulk = Bulk(cluster, args.keys)
        for part in range(1, 6):
            while bulk.done < args.keys * part / 7 and bulk.running():
                time.sleep(0.1)
            moves += move_leaders(cluster, chance, 4)
            node = cluster.most_leading()
            node.kill()
            kills += 1
            time.sleep(chance.uniform(0, 3))
            node.start()
            print(f'load: {bulk.done} keys, {len(cluster.regions())} regions, killed node {node.number}', flush=True)
            cluster.wait_all_led(seconds=180)
        bulk.finish()
        begin = time.monotonic()
        cluster.wait_all_caught_up(600)
        caught_up = time.monotonic() - begin
        bulk.check()
        for node in cluster.nodes.values():
            node.kill()
        begin = time.monotonic()
        for node in cluster.nodes.values():
            node.start()
        cluster.wait_all_led(seconds=600)
        cluster.wait_all_caught_up(600)
        restarted = time.monotonic() - begin
        kills += 3
        bulk.check()
        begin = time.monotonic()
        replace_replicas(cluster, 2)
        cluster.wait_all_caught_up(600)
        replaced = time.monotonic() - begin
        bulk.check()
        keys = cluster.check_same_contents()
        regions = len(cluster.regions())
    if regions < 5:
        raise Failure(f'{regions} regions are fewer than five')
    return {'keys': keys, 'wanted': args.keys, 'regions': regions, 'took': bulk.took, 'kills': kills, 'moves': moves, 'slowest': bulk.slowest,
            'caught up': caught_up, 'restarted': restarted, 'replaced': replaced, 'seed': args.seed, 'failed': []}


def kills(args, variables):
    """SIGKILL to a node that leads, again and again; each tenth time to all three at once, each seventh SIGTERM."""
    chance = random.Random(args.seed)
    history = sharded_cluster.FOLDER / 'history-kills.txt'
    to_leaders, all_at_once, terminated = [], 0, 0
    with Cluster('kills', variables, ['--split-keys', max(SPLIT_KEYS, 200 * args.kills), *CHECK], port=8620, library=args.library_folder) as cluster:
        cluster.begin()
        clients = Load(cluster, *LOAD, history=history)
        for number in range(args.kills):
            time.sleep(chance.uniform(0.2, 1.5))
            node = chance.choice(sorted(set(filter(None, cluster.wait_all_led().values())), key=lambda node: node.number))
            others = [other for other in cluster.nodes.values() if other is not node]
            if number % 7 == 6:
                terminated += 1
                status = node.terminate()
                if status != 143:
                    raise Failure(f'node {node.number}, told to end, ended with {status}')
            else:
                node.kill()
            begin = time.monotonic()
            if number % 10 == 9:
                all_at_once += 1
                for other in others:
                    other.kill()
                for other in others:
                    other.start()
            else:
                cluster.wait_all_led(others, every=0.02)
                to_leaders.append(time.monotonic() - begin)
                time.sleep(chance.choice([0, chance.uniform(0, 2.5)]))
            node.start()
            cluster.wait_all_caught_up()
            if number % 5 == 4:
                print(f'kills: {number + 1}', flush=True)
        found = under_load(cluster, clients, history)
    return found | {'kills': args.kills, 'all at once': all_at_once, 'terminated': terminated, 'to leaders': raft_check.spread(to_leaders),
                    'seed': args.seed, 'failed': []}


def partitions(args, variables):
    """The network is cut under load around the node that leads most, in one of five ways, for three to six seconds, and mended."""
    chance = random.Random(args.seed)
    history = sharded_cluster.FOLDER / 'history-partitions.txt'
    counts = dict.fromkeys(raft_check.KINDS, 0)
    with Network() as network:
        namespaces = {number: network.name(number) for number in (1, 2, 3)}
        addresses = {number: f'{network.host(number)}:8500' for number in (1, 2, 3)}
        with Cluster('partitions', variables, ['--split-keys', max(SPLIT_KEYS, 200 * args.partitions), *CHECK], addresses, namespaces, library=args.library_folder) as cluster:
            cluster.begin()
            clients = Load(cluster, *LOAD, history=history)
            for number in range(args.partitions):
                time.sleep(chance.uniform(0.5, 1.5))
                node = cluster.most_leading()
                others = [other.number for other in cluster.nodes.values() if other is not node]
                kind = list(counts)[number % len(counts)]
                counts[kind] += 1
                mend = raft_check.cut_network(network, kind, node.number, others, chance)
                time.sleep(chance.uniform(3, 6))
                mend()
                cluster.wait_all_caught_up()
                if number % 5 == 4:
                    print(f'partitions: {number + 1}', flush=True)
            found = under_load(cluster, clients, history)
    return found | {'partitions': args.partitions, 'kinds': counts, 'seed': args.seed, 'failed': []}


PARTS = {'load': load, 'kills': kills, 'partitions': partitions, 'faults': sharded_faults.faults, 'suite': sharded_suite.suite}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('parts', nargs='*', metavar='PART', help=', '.join(PARTS))
    sharded_cluster.add_options(parser)
    parser.add_argument('--library', choices=['cairn', 'rocksdb'], default='cairn', help='of the nodes')
    parser.add_argument('--keys', type=int, default=2_000_000)
    parser.add_argument('--kills', type=int, default=50)
    parser.add_argument('--partitions', type=int, default=20)
    parser.add_argument('--faults', nargs='*', metavar='NAME', help='of the part faults, these alone; of the others the page has what they gave last')
    parser.add_argument('--sources', type=pathlib.Path, help='a checkout of sofa-jraft, for the part suite')
    parser.add_argument('--seed', type=int, default=random.randrange(1 << 30))
    args = parser.parse_args()
    unknown = [name for name in args.parts if name not in PARTS]
    if unknown:
        parser.error(f'no part {unknown[0]}: there are {", ".join(PARTS)}')
    if 'suite' in args.parts and not args.sources:
        parser.error('the part suite wants --sources')
    print(f'seed {args.seed}', flush=True)
    variables = sharded_cluster.prepare(args)
    args.library_folder = sharded_cluster.cairn_library() if args.library == 'cairn' else None
    failed = False
    for name in args.parts or [name for name in PARTS if name != 'suite']:
        try:
            found = PARTS[name](args, variables)
        except (Failure, subprocess.TimeoutExpired) as error:
            print(f'{name}: WRONG: {error}', flush=True)
            found = {'failed': [str(error)], 'seed': args.seed}
        print(f'{name}: {found}', flush=True)
        failed = failed or bool(found['failed'])
        if args.library == 'cairn':
            sharded_report.keep(name, sharded_report.with_older_faults(found) if name == 'faults' and args.faults else found)
    if args.out:
        args.out.write_text(sharded_report.text())
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
