"""The part `faults` of sharded_check.py: what must not go well, and how a node says so. Each fault has a cluster of its own and answers what was
seen, or raises Failure; in the end every acknowledged write must be there."""
import shutil
import time

import raft_faults
from raft_cluster import Failure, Load
from raft_faults import REFUSED, STORAGE_FAILED, Mount, expect_exit, fill, flip, nothing_lost, shortened
from sharded_cluster import Cluster

FLAGS = ['--split-keys', 2000, '--check-every', 300]


def full_disk(cluster):
    node = cluster.nodes[3]
    with Mount(node.directory, '16m') as mount:
        cluster.begin()
        load = Load(cluster, '--clients', 8, '--mix', 'write', '--value-bytes', 16000)
        said = expect_exit(node, STORAGE_FAILED, 'No space left')
        node.process = None
        time.sleep(2)
        result = nothing_lost(load.stop())
        mount.change('size=2g')
        node.start()
        cluster.check_same_contents()
        node.kill()
    return (f'status {STORAGE_FAILED}: "{shortened(said, cluster)}"; the others went on, {result["acknowledged"]:,} acknowledged writes, none lost; '
            'with room again, and started again, it caught up')


def read_only_disk(cluster):
    node = cluster.nodes[3]
    with Mount(node.directory, '2g') as mount:
        cluster.begin()
        fill(cluster)
        node.kill()
        mount.change('ro')
        node.start()
        said = expect_exit(node, REFUSED, 'Read-only')
        node.process = None
        result = fill(cluster)
        mount.change('rw')
        node.start()
        cluster.check_same_contents()
        node.kill()
    return (f'status {REFUSED}: "{shortened(said, cluster)}"; the others went on ({result["acknowledged"]:,} writes); writable again, it caught up')


def lost_files(cluster):
    cluster.begin()
    fill(cluster)
    node = cluster.nodes[3]
    node.kill()
    shutil.rmtree(node.directory)
    node.start()
    said = [expect_exit(node, REFUSED, 'must not come back as if nothing had been')]
    node.start(new=True)
    said.append(expect_exit(node, REFUSED, 'by another directory'))
    node.process = None
    fill(cluster)
    replace(cluster, node)
    result = fill(cluster)
    cluster.check_same_contents()
    return (f'without files: status {REFUSED}, "{shortened(said[0], cluster)}"; made anew: "{shortened(said[1], cluster)}"; taken out of all regions '
            f'and taken in again, it got all, and {result["acknowledged"]:,} more writes')


def replace(cluster, node):
    shutil.rmtree(node.directory, ignore_errors=True)
    cluster.ask_any('POST', f'/cluster/forget?id={node.number}')
    node.start('--join', new=True)
    node.wait_until(lambda _: True, 'it listens')
    cluster.ask_any('POST', f'/cluster/add?id={node.number}')


def lost_data(cluster):
    """The database of data is made of the logs: that it is lost is no loss."""
    cluster.begin()
    result = fill(cluster)
    node = cluster.nodes[3]
    node.kill()
    shutil.rmtree(node.directory / 'data')
    node.start()
    keys = cluster.check_same_contents()
    return f'it started, and made it anew of its logs: {keys:,} keys after {result["acknowledged"]:,} acknowledged writes, as the others have'


def damaged_data(cluster):
    """The same: nothing of it is taken up."""
    cluster.begin()
    result = fill(cluster)
    node = cluster.nodes[3]
    node.kill()
    damaged = [path for path in (node.directory / 'data').rglob('*') if path.is_file() and path.stat().st_size > 20]
    for path in damaged:
        flip(path, path.stat().st_size // 2)
    node.start()
    keys = cluster.check_same_contents()
    return f'bytes of each of its {len(damaged)} files: it started, and made it anew of its logs: {keys:,} keys after {result["acknowledged"]:,} ' \
           'acknowledged writes, as the others have'


def damaged_log(cluster):
    cluster.begin()
    fill(cluster)
    node = cluster.nodes[3]
    node.kill()
    path = max(node.directory.glob('raft/*_1_*/log/*.log'), key=lambda path: path.stat().st_size)
    flip(path, path.stat().st_size // 2)
    node.start()
    said = expect_exit(node, REFUSED, 'checksum mismatch')
    node.process = None
    result = fill(cluster)
    replace(cluster, node)
    cluster.check_same_contents()
    return (f'bytes in the middle of the newest file of a region\'s log: status {REFUSED}, "{shortened(said, cluster)}"; the others went on '
            f'({result["acknowledged"]:,} writes); taken out and taken in again, it got all')


def damaged_manifest(cluster):
    cluster.begin()
    fill(cluster)
    node = cluster.nodes[3]
    node.kill()
    flip(next(iter(node.directory.glob('raft/*_1_*/log/MANIFEST-*'))), 20)
    node.start()
    said = expect_exit(node, REFUSED, 'checksum mismatch')
    node.process = None
    fill(cluster)
    replace(cluster, node)
    cluster.check_same_contents()
    return f'bytes of the MANIFEST of a region\'s log: status {REFUSED}, "{shortened(said, cluster)}"; taken out and taken in again, it got all'


def one_identity(cluster):
    cluster.begin()
    fill(cluster, 2)
    node = cluster.nodes[3]
    other = cluster.make_node(3, node.addr)
    other.log = cluster.folder / 'second.log'
    cluster.strangers.append(other)
    other.start()
    said = [expect_exit(other, REFUSED, 'another process runs on this directory')]
    copy = cluster.make_node(2, node.addr)
    copy.directory, copy.log = node.directory, other.log
    cluster.strangers.append(copy)
    copy.start()
    said.append(expect_exit(copy, REFUSED, 'is the directory of node'))
    cluster.check_same_contents()
    return '; '.join(f'{what}: "{shortened(words, cluster)}"' for what, words in zip(('a second process on the directory', 'the directory under '
                                                                                      'another number'), said))


def told_to_end(cluster, rounds=10):
    """SIGTERM ends the JVM, which closes no database, amid load."""
    cluster.begin()
    load = Load(cluster, '--clients', 8)
    for number in range(rounds):
        time.sleep(1)
        node = cluster.nodes[1 + number % 3]
        status = node.terminate()
        if status != 143:
            raise Failure(f'node {node.number}, told to end, ended with {status}')
        node.start()
        cluster.wait_all_caught_up()
    result = nothing_lost(load.stop())
    cluster.check_same_contents()
    return f'{rounds} times, under load: status 143, no JVM crashed; {result["acknowledged"]:,} acknowledged writes, none lost'


FAULTS = {
    'full-disk': ('one node\'s disk is full', full_disk, True),
    'read-only-disk': ('one node\'s disk is read-only when it starts', read_only_disk, True),
    'lost-files': ('one node\'s files are lost', lost_files, False),
    'lost-data': ('one node\'s database of data is lost, its logs are there', lost_data, False),
    'damaged-data': ('one node\'s database of data is damaged', damaged_data, False),
    'damaged-log': ('one node\'s log is damaged', damaged_log, False),
    'damaged-manifest': ('the MANIFEST of one node\'s log is damaged', damaged_manifest, False),
    'one-identity': ('two nodes with one identity', one_identity, False),
    'told-to-end': ('JVMs end without closing', told_to_end, False),
}


def faults(args, variables):
    return raft_faults.run_faults(FAULTS, args, lambda name, number: Cluster(f'fault-{name}', variables, FLAGS, port=8700 + 20 * number,
                                                                             library=args.library_folder))
