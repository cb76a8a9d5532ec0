#!/usr/bin/env python3
"""examples/replicated under faults: leaders killed, networks cut, disks full, files lost; are acknowledged writes there, are histories linearizable?

  scripts/raft_check.py [--build build/demo] [--out bench/results/raft.md] [--kills 100] [--partitions 30] [--seed N] [PART...]

PART: suite (OpenRaft's tests of stores), kills, partitions, faults; all without any. Partitions and some faults need root: network namespaces,
mounts. What each part found is kept in build/raft/results.json; the table of --out shows all that is kept, each with its date and commit.
Cairn is installed from --build. Needs cargo, and go for Porcupine, which checks the histories. Exit status: 1 if anything was wrong.
"""
import argparse
import pathlib
import random
import statistics
import subprocess
import sys
import time

import raft_cluster
import raft_faults
import raft_report
import rust_tests
from raft_cluster import Cluster, Failure, Load, Network

FLAGS = ['--snapshot-every', 1000, '--keep', 200]    # so that nodes that were away get snapshots, too
LOAD = ['--clients', 8, '--pause', 4]


def suite(_args, variables):
    """OpenRaft's suite on the store of the example, and on the one that comes with OpenRaft."""
    rows = {}
    for name, folder, target in (('the log store and state machine of the example', '', 'target'),
                                 ('openraft-rocksstore 0.9.21, unmodified', 'upstream', 'target-upstream')):
        release = ['--release'] if not folder else []
        done = rust_tests.run(['cargo', 'test', '--locked', *release], cwd=raft_cluster.EXAMPLE / folder,
                              env=variables | {'CARGO_TARGET_DIR': str(raft_cluster.FOLDER / target)})
        ok = done.returncode == 0 and 'test openrafts_suite ... ok' in done.stdout
        print(f'suite: {name}: {"passed" if ok else "FAILED"}', flush=True)
        if not ok:
            print(done.stdout[-3000:])
        rows[name] = 'passed' if ok else 'failed'
    return {'rows': rows, 'failed': [name for name, verdict in rows.items() if verdict != 'passed']}


def wait_for_write(cluster, among, begin):
    """Seconds until one of the nodes acknowledges a write."""
    while time.monotonic() < begin + 60:
        for node in among:
            status, _ = raft_cluster.ask(node.addr, 'PUT', '/kv/x/probe', 'x', timeout=1)
            if status == 204:
                return time.monotonic() - begin
        time.sleep(0.01)
    raise Failure('no write was acknowledged for 60 seconds')


def summary(cluster, load, history):
    """What all parts with clients end with."""
    result = load.stop()
    cluster.wait_all_caught_up()
    keys = cluster.check_same_contents()
    said = raft_cluster.linearizable(history)
    if result['lost']:
        raise Failure(f'{result["lost"]} acknowledged writes are lost: {result["lost_keys"]}')
    return {'acknowledged': result['acknowledged'], 'lost': result['lost'], 'done': result['done'], 'unknown': result['unknown'],
            'keys': keys, 'history': said}


def kills(args, variables):
    """SIGKILL to the leader, again and again; each tenth time to all three nodes at once."""
    chance = random.Random(args.seed)
    history = raft_cluster.FOLDER / 'history-kills.txt'
    to_leader, to_write, all_at_once, snapshots = [], [], 0, 0
    with Cluster('kills', variables, FLAGS, port=7560) as cluster:
        cluster.begin()
        load = Load(cluster, *LOAD, history=history)
        for number in range(args.kills):
            time.sleep(chance.uniform(0.2, 0.8))
            leader = cluster.leader()
            term = leader.metrics()['term']
            others = [node for node in cluster.nodes.values() if node is not leader]
            everybody = number % 10 == 9
            leader.kill()
            begin = time.monotonic()
            if everybody:
                all_at_once += 1
                for node in others:
                    node.kill()
                for node in cluster.nodes.values():
                    node.start()
                cluster.leader()
            else:
                cluster.leader(among=others, term=term, every=0.005)
                to_leader.append(time.monotonic() - begin)
                to_write.append(wait_for_write(cluster, others, begin))
                time.sleep(chance.choice([0, chance.uniform(0, 2.5)]))
                leader.start()
            leader.wait_until(lambda now: now['applied'] > 0, 'it is back')
            cluster.wait_all_caught_up()
            if number % 10 == 9:
                print(f'kills: {number + 1}', flush=True)
        found = summary(cluster, load, history)
        snapshots = sum(node.log.read_text(errors='replace').count('received snapshot') for node in cluster.nodes.values())
    return found | {'kills': args.kills, 'all at once': all_at_once, 'to leader': spread(to_leader), 'to write': spread(to_write),
                    'snapshots': snapshots, 'seed': args.seed, 'failed': []}


def spread(seconds):
    return {'median': statistics.median(seconds), 'max': max(seconds), 'count': len(seconds)}


def cut_network(network, kind, leader, others, chance):
    """Cuts, and answers how it is mended."""
    one = chance.choice(others)
    pairs = {
        'the leader from both followers, not from clients': [(leader, other) for other in others] + [(other, leader) for other in others],
        'the leader from one follower': [(leader, one), (one, leader)],
        'the leader hears nothing': [(other, leader) for other in others],
        'the followers hear nothing from the leader': [(leader, other) for other in others],
    }
    if kind == 'the leader from everybody':
        network.unplug(leader)
        return lambda: network.plug(leader)
    for sender, receiver in pairs[kind]:
        network.cut(sender, receiver)
    return lambda: [network.mend(sender, receiver) for sender, receiver in pairs[kind]]


# Whether a new leader must come.
KINDS = {'the leader from both followers, not from clients': True, 'the leader from one follower': False, 'the leader from everybody': True,
         'the leader hears nothing': True, 'the followers hear nothing from the leader': True}


def partitions(args, variables):
    """The network is cut under load, in one of five ways, for two to five seconds, and mended."""
    chance = random.Random(args.seed)
    history = raft_cluster.FOLDER / 'history-partitions.txt'
    to_leader, counts = [], dict.fromkeys(KINDS, 0)
    with Network() as network:
        namespaces = {number: network.name(number) for number in (1, 2, 3)}
        addresses = {number: f'{network.host(number)}:7500' for number in (1, 2, 3)}
        with Cluster('partitions', variables, FLAGS, addresses, namespaces) as cluster:
            cluster.begin()
            load = Load(cluster, *LOAD, history=history)
            for number in range(args.partitions):
                time.sleep(chance.uniform(0.5, 1.5))
                leader = cluster.leader()
                others = [node for node in cluster.nodes.values() if node is not leader]
                kind = list(KINDS)[number % len(KINDS)]
                counts[kind] += 1
                term = leader.metrics()['term']
                begin = time.monotonic()
                mend = cut_network(network, kind, leader.number, [node.number for node in others], chance)
                if KINDS[kind]:
                    cluster.leader(among=others, term=term, every=0.005)
                    to_leader.append(time.monotonic() - begin)
                time.sleep(max(0.0, begin + chance.uniform(2, 5) - time.monotonic()))
                mend()
                cluster.wait_all_caught_up()
                if number % 10 == 9:
                    print(f'partitions: {number + 1}', flush=True)
            found = summary(cluster, load, history)
    return found | {'partitions': args.partitions, 'kinds': counts, 'to leader': spread(to_leader), 'seed': args.seed, 'failed': []}


PARTS = {'suite': suite, 'kills': kills, 'partitions': partitions, 'faults': raft_faults.faults}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('parts', nargs='*', metavar='PART', help=', '.join(PARTS))
    parser.add_argument('--build', type=pathlib.Path, default=raft_cluster.ROOT / 'build/demo', help='a folder with cairn and cairn_shared built')
    parser.add_argument('--out', type=pathlib.Path, help='where the table goes')
    parser.add_argument('--kills', type=int, default=100)
    parser.add_argument('--partitions', type=int, default=30)
    parser.add_argument('--faults', nargs='*', metavar='NAME', help='of the part faults, these alone; what they find is not kept')
    parser.add_argument('--seed', type=int, default=random.randrange(1 << 30))
    args = parser.parse_args()
    unknown = [name for name in args.parts if name not in PARTS]
    if unknown:
        parser.error(f'no part {unknown[0]}: there are {", ".join(PARTS)}')
    print(f'seed {args.seed}', flush=True)
    variables = raft_cluster.environment(args.build)
    raft_cluster.build_programs(variables)
    raft_cluster.build_checker()
    failed = False
    for name in args.parts or PARTS:
        try:
            found = PARTS[name](args, variables)
        except (Failure, subprocess.TimeoutExpired) as error:
            print(f'{name}: WRONG: {error}', flush=True)
            found = {'failed': [str(error)], 'seed': args.seed}
        print(f'{name}: {found}', flush=True)
        failed = failed or bool(found['failed'])
        if not (name == 'faults' and args.faults):
            raft_report.keep(name, found)
    if args.out:
        args.out.write_text(raft_report.text())
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
