"""The part `faults` of raft_check.py: what must not go well, and how a node says so. Each fault has a cluster of its own and answers what was
seen, or raises Failure; whatever it does, in the end every acknowledged write must be there."""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import time

import raft_cluster
from raft_cluster import Cluster, Failure, Load

FLAGS = ['--snapshot-every', 1000, '--keep', 200]
REFUSED, STORAGE_FAILED = 2, 3
# The steps of an install at which a node can be told to die (examples/replicated/src/die_at.rs).
STEPS = re.findall(r'"([a-z-]+)"', (raft_cluster.EXAMPLE / 'src/die_at.rs').read_text().split('STEPS')[1].split(';\n')[0])
FAKETIME = next(iter(sorted(pathlib.Path('/usr/lib').glob('*/faketime/libfaketime.so.1'))), None)


def expect_exit(node, status, words):
    """The node ends by itself, with this status, and says these words; answers all it says."""
    found = node.wait_for_exit(180)
    said = node.last_words()
    if found != status or words not in said:
        raise Failure(f'node {node.number} ended with {found}, not {status}, or does not say "{words}": {said}')
    if 'panicked' in node.log.read_text(errors='replace'):
        raise Failure(f'node {node.number} panicked: {node.log}')
    return said


def shortened(said, cluster):
    """For a table: without this machine's paths."""
    said = said.replace(str(cluster.folder), '...').replace(str(raft_cluster.ROOT), '...').replace('|', '\\|').replace('\n', ' ')
    return said if len(said) < 260 else said[:257] + '...'


def fill(cluster, seconds=4, *flags):
    """Load for some seconds; every acknowledged write must be there afterwards."""
    load = Load(cluster, '--clients', 8, '--mix', 'write', '--seconds', seconds, *flags)
    return nothing_lost(load.result())


def nothing_lost(result):
    if result['lost']:
        raise Failure(f'lost: {result["lost_keys"]}')
    return result


def judged(cluster, load, history):
    """The load's end: what it was, in words; a Failure if anything is wrong."""
    result = nothing_lost(load.stop())
    said = raft_cluster.linearizable(history)
    cluster.check_same_contents()
    return f'{result["acknowledged"]:,} acknowledged writes, none lost; {said}'


def follower(cluster):
    leader = cluster.leader()
    return [node for node in cluster.nodes.values() if node is not leader and node.process][-1]


def replace_member(cluster, old, number):
    """The way back for a node whose files are gone: a new one under another id takes its place."""
    old.kill()
    new = cluster.new_node(number)
    new.start(new=True)
    new.wait_until(lambda _: True, 'it listens')
    for method, path, body in (('POST', '/cluster/add', {'id': number, 'addr': new.addr}),
                               ('POST', '/cluster/members', sorted({*cluster.leader().metrics()['voters'], number} - {old.number}))):
        status, text = cluster.ask_leader(method, path, body, timeout=60)
        if status != 204:
            raise Failure(f'{path}: {status} {text}')
    del cluster.nodes[old.number]
    return cluster.check_same_contents()


class Mount:
    """A small file system in memory. A context."""

    def __init__(self, folder, size):
        self.folder = folder
        folder.mkdir(parents=True)
        subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={size}', 'tmpfs', folder], check=True)

    def change(self, options):
        subprocess.run(['mount', '-o', f'remount,{options}', self.folder], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(['umount', '-l', self.folder], check=False)


def full_disk(cluster):
    node = cluster.nodes[3]
    with Mount(node.directory, '24m') as mount:
        cluster.begin()
        load = Load(cluster, '--clients', 8, '--mix', 'write', '--value-bytes', 4000)
        said = expect_exit(node, STORAGE_FAILED, 'No space left')
        time.sleep(2)
        result = nothing_lost(load.stop())
        mount.change('size=2g')
        node.process = None
        node.start()
        cluster.check_same_contents()
        seen = (f'status {STORAGE_FAILED}: "{shortened(said, cluster)}"; the others went on, {result["acknowledged"]:,} acknowledged writes, '
                'none lost; with room again, and started again, it caught up')
        node.kill()
    return seen


def read_only_disk(cluster):
    node = cluster.nodes[3]
    with Mount(node.directory, '200m') as mount:
        cluster.begin()
        fill(cluster)
        node.kill()
        mount.change('ro')
        node.start()
        said = expect_exit(node, REFUSED, 'Read-only')
        result = fill(cluster)
        mount.change('rw')
        node.start()
        cluster.check_same_contents()
        node.kill()
    return (f'status {REFUSED}: "{shortened(said, cluster)}"; the others went on ({result["acknowledged"]:,} writes); writable again, it caught '
            'up')


def lost_files(cluster):
    cluster.begin()
    fill(cluster)
    node = follower(cluster)
    node.kill()
    shutil.rmtree(node.directory / 'log')
    node.start()
    said = [expect_exit(node, REFUSED, 'log')]
    shutil.rmtree(node.directory)
    node.start()
    said.append(expect_exit(node, REFUSED, 'must not come back as if nothing had been'))
    node.start(new=True)
    fill(cluster)
    if not any(other.said('its files were lost') for other in cluster.nodes.values()):
        raise Failure('nobody says that the node has lost its files')
    if node.metrics()['applied']:
        raise Failure('the node that lost its files was taken back')
    status, text = cluster.ask_leader('POST', '/cluster/add', {'id': node.number, 'addr': node.addr})
    if status != 409 or 'with another directory' not in text:
        raise Failure(f'/cluster/add of the same id: {status} {text}')
    replace_member(cluster, node, 4)
    return (f'without its log: status {REFUSED}, "{shortened(said[0], cluster)}"; without all: "{shortened(said[1], cluster)}"; made anew with '
            'the old id, it is refused by the others; a new one, with another id, took its place and got all')


def damaged(cluster, damage):
    """A follower's files are damaged while it is down."""
    cluster.begin()
    fill(cluster)
    cluster.ask_leader('POST', '/cluster/snapshot')
    node = follower(cluster)
    node.kill()
    what = damage(node.directory)
    node.start()
    said = expect_exit(node, REFUSED, 'orrupt')
    result = fill(cluster)
    replace_member(cluster, node, 4)
    return (f'{what}: status {REFUSED}, "{shortened(said, cluster)}"; the others went on ({result["acknowledged"]:,} writes); a new node took '
            'its place')


def flip(path, at, count=16):
    with path.open('r+b') as file:
        file.seek(at)
        old = file.read(count)
        file.seek(at)
        file.write(bytes(byte ^ 0xff for byte in old))


def damage_log(directory):
    path = max(directory.glob('log/*.log'), key=lambda path: path.stat().st_size)
    flip(path, path.stat().st_size // 2)
    return 'bytes in the middle of the log\'s newest file'


def damage_manifest(directory):
    path = next(iter(directory.glob('state/gen-*/MANIFEST-*')))
    flip(path, 20)
    return 'bytes of the state\'s MANIFEST'


def damaged_log(cluster):
    return damaged(cluster, damage_log)


def damaged_manifest(cluster):
    return damaged(cluster, damage_manifest)


def damaged_table(cluster):
    """Nothing reads all tables at the start. What reads the damage says so, and so does not answer with what is not there."""
    cluster.begin()
    fill(cluster)
    node = follower(cluster)
    before = node.metrics()['snapshot']
    node.wait_until(lambda now: now['snapshot'] > 0 and now['snapshot'] >= before, 'it has a snapshot')
    node.kill()
    table = max(node.directory.glob('state/gen-*/*.sst'), key=lambda path: path.stat().st_size)
    flip(table, table.stat().st_size // 2)
    node.start()
    node.wait_until(lambda now: now['applied'] > 0, 'it listens')
    start, status = 'u/', 200
    while status == 200:
        status, text = raft_cluster.ask(node.addr, 'GET', f'/scan?stale=true&limit=5000&from={start}', timeout=30)
        if status == 200 and text == '[]':
            raise Failure('the damage was not noticed')
        start = json.loads(text)[-1][0] + '0' if status == 200 else ''
    if status != 500 or 'orrupt' not in text:
        raise Failure(f'/scan: {status} {text}')
    result = fill(cluster)
    replace_member(cluster, node, 4)
    return (f'bytes in the middle of a table of the state: it starts, and a read that comes upon them is answered with 500, '
            f'"{shortened(text.strip(), cluster)}"; the cluster went on ({result["acknowledged"]:,} writes); a new node took its place')


def one_identity(cluster):
    cluster.begin()
    fill(cluster, 2)
    node = follower(cluster)
    other = raft_cluster.Node(node.number, node.addr, cluster.folder, cluster.variables, None, cluster.flags)
    other.log = cluster.folder / 'second.log'
    cluster.strangers.append(other)
    other.start()
    said = [expect_exit(other, REFUSED, 'Does another process run on this directory?')]
    node.kill()
    copy = cluster.new_node(9)
    cluster.strangers.append(cluster.nodes.pop(9))
    shutil.copytree(node.directory, copy.directory)
    node.start()
    copy.number = node.number
    copy.start()
    said.append(expect_exit(copy, REFUSED, 'Two nodes must not have one identity'))
    copy.number = 8
    copy.start()
    said.append(expect_exit(copy, REFUSED, 'is the directory of node'))
    cluster.check_same_contents()
    return '; '.join(f'{what}: "{shortened(words, cluster)}"' for what, words in
                     zip(('a second process on the directory', 'a copy at another address', 'the directory under another id'), said))


def killed_while_installing(cluster, rounds=30):
    """At each step of an install, then at random moments of it."""
    chance = random.Random(1)
    cluster.begin()
    node = follower(cluster)
    others = [other for other in cluster.nodes.values() if other is not node]
    died = []
    for step in STEPS + ['random'] * rounds:
        node.kill()
        # (So that the log no longer has what the node lacks.)
        load = Load(cluster, '--clients', 8, '--mix', 'write', '--seconds', 2)
        if load.result()['lost']:
            raise Failure('acknowledged writes are lost')
        leader = cluster.leader(among=others)
        cluster.ask_leader('POST', '/cluster/snapshot')
        leader.wait_until(lambda now: now['purged'] > 0 and now['snapshot'] + 300 > now['applied'], 'it has a snapshot')
        if step == 'random':
            node.start()
            end = time.monotonic() + 10
            received = node.log.read_text(errors='replace').count('received snapshot')
            while time.monotonic() < end and node.log.read_text(errors='replace').count('received snapshot') == received:
                time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.03))
            node.kill()
        else:
            node.start(CAIRN_REPLICATED_DIE_AT=step)
            try:
                node.process.wait(20)
                died.append(step)
            except subprocess.TimeoutExpired:
                raise Failure(f'no snapshot came to the step {step}') from None
        node.process = None
        node.start()
        cluster.check_same_contents()
        left = sorted(path.name for path in (node.directory / 'state').iterdir() if path.name.startswith(('incoming', 'making')))
        if left:
            raise Failure(f'left over: {left}')
    return f'died at each of {len(died)} steps ({", ".join(died)}) and {rounds} times at random within 30 ms after a snapshot was received: ' \
           'each time it started again, caught up, and had what the others have'


def clocks_apart(cluster):
    if FAKETIME is None:
        raise Failure('libfaketime is not installed (the package faketime)')
    ahead = {1: '+0', 2: '+3d', 3: '-400d'}
    history = cluster.folder / 'history.txt'
    for number, node in cluster.nodes.items():
        # The wall clock alone: no machine has its monotonic clock set.
        node.variables = node.variables | {'LD_PRELOAD': str(FAKETIME), 'FAKETIME': ahead[number], 'FAKETIME_DONT_FAKE_MONOTONIC': '1',
                                           'DONT_FAKE_MONOTONIC': '1'}
    cluster.begin()
    load = Load(cluster, '--clients', 8, history=history)
    for _ in range(5):
        time.sleep(1)
        leader = cluster.leader()
        others = [node for node in cluster.nodes.values() if node is not leader]
        term = leader.metrics()['term']
        leader.kill()
        cluster.leader(among=others, term=term)
        leader.start()
        cluster.wait_all_caught_up()
    return f'5 leaders killed meanwhile: {judged(cluster, load, history)}'


def members_change(cluster):
    cluster.begin()
    history = cluster.folder / 'history.txt'
    later = [f'127.0.0.1:{cluster.port + number}' for number in (4, 5, 6)]
    load = Load(cluster, '--clients', 8, '--pause', 2, history=history, more=later)
    for number in (4, 5, 6):
        time.sleep(1)
        replace_member_under_load(cluster, number - 3, number)
    return f'all three nodes, one after another, while clients write: {judged(cluster, load, history)}'


def replace_member_under_load(cluster, old, number):
    new = cluster.new_node(number)
    new.start(new=True)
    new.wait_until(lambda _: True, 'it listens')
    for path, body in (('/cluster/add', {'id': number, 'addr': new.addr}),
                       ('/cluster/members', sorted({*cluster.leader().metrics()['voters'], number} - {old}))):
        status, text = cluster.ask_leader('POST', path, body, timeout=60)
        if status != 204:
            raise Failure(f'{path}: {status} {text}')
    # Who was removed is stopped when the others have agreed on it.
    cluster.nodes.pop(old).kill()
    cluster.leader()


FAULTS = {
    'full-disk': ('one node\'s disk is full', full_disk, True),
    'read-only-disk': ('one node\'s disk is read-only when it starts', read_only_disk, True),
    'lost-files': ('one node\'s files are lost', lost_files, False),
    'damaged-log': ('one node\'s log is damaged', damaged_log, False),
    'damaged-manifest': ('one node\'s state is damaged', damaged_manifest, False),
    'damaged-table': ('one table of a node\'s state is damaged', damaged_table, False),
    'one-identity': ('two nodes with one identity', one_identity, False),
    'install': ('a node is killed while it installs a snapshot', killed_while_installing, False),
    'clocks': ('clocks apart by 3 and 400 days', clocks_apart, False),
    'members': ('members are replaced', members_change, False),
}


def run_faults(table, args, make):
    """`make`: the cluster of a fault, of its name and its number in the table."""
    rows = []
    for number, name in enumerate(args.faults or table):
        done, fault, as_root = table[name]
        if as_root and os.geteuid() != 0:
            print(f'faults: {name}: left out, mounts need root', flush=True)
            continue
        try:
            with make(name, number) as cluster:
                seen, ok = fault(cluster), True
        except (Failure, subprocess.SubprocessError, json.JSONDecodeError) as error:
            seen, ok = str(error), False
        print(f'faults: {name}: {"" if ok else "WRONG: "}{seen}', flush=True)
        rows.append({'done': done, 'seen': seen.replace('\n', ' '), 'ok': ok})
    return {'rows': rows, 'failed': [row['done'] for row in rows if not row['ok']]}


def faults(args, variables):
    return run_faults(FAULTS, args, lambda name, number: Cluster(f'fault-{name}', variables, FLAGS, port=7600 + 20 * number))
