"""What sharded_check.py and sharded_compare.py have found, kept in build/sharded/results.json, and the page that is made of it."""
import raft_report
from sharded_cluster import FOLDER

KEPT = FOLDER / 'results.json'


def keep(part, found):
    raft_report.keep(part, found, KEPT)


def with_older_faults(found):
    """What some of the faults gave, with what is kept of the others."""
    rows = {row['done']: row for row in [*raft_report.kept(KEPT).get('faults', {'rows': []})['rows'], *found['rows']]}
    return {'rows': list(rows.values()), 'failed': [row['done'] for row in rows.values() if not row['ok']]}


def load(found):
    return [f'{found["keys"]:,} keys of 18 bytes with values of 100, in batches of 500, each tried until it was acknowledged: '
            f'{found["took"]:,.0f} seconds, the slowest batch {found["slowest"]:.1f} seconds. Seed {found["seed"]}.', '',
            f'- regions at the end: {found["regions"]}, by {found["regions"] - 1} splits under load',
            f'- {found["moves"]} leaderships were moved by hand (balancing moved others)',
            f'- nodes killed (SIGKILL): {found["kills"]}; the last three at once. All regions led and applied again after that: '
            f'{found["restarted"]:,.0f} seconds (each log is applied from its beginning)',
            f'- one node lost all its files, was taken out of all regions, made anew and taken in again: {found["replaced"]:,.0f} seconds',
            '- after each of the three, all keys were read, linearizably: each acknowledged one was there, with its value; at the end all three '
            'nodes have the same contents']


def under_load(found):
    return [*raft_report.under_load(found), f'- regions at the end: {found["regions"]}']


def kills(found):
    return [f'{found["kills"]} times, under load that splits regions, a node that leads was killed (SIGKILL) and started again; '
            f'{found["all at once"]} of them all three at once, and {found["terminated"]} by SIGTERM, which ends the JVM without closing a database. '
            f'Seed {found["seed"]}.', '', *under_load(found),
            f'- from the kill until the others lead all regions: {raft_report.spread(found["to leaders"])}']


def partitions(found):
    kinds = ', '.join(f'{kind} ({count})' for kind, count in found['kinds'].items())
    return [f'{found["partitions"]} times, under load that splits regions, the network around the node that leads most was cut for three to six '
            f'seconds: {kinds}. Seed {found["seed"]}.', '', *under_load(found)]


def suite(found):
    return ['| | tests passed |', '| --- | --- |', *(f'| {who} | {verdict} |' for who, verdict in found['totals'].items()), '',
            'By class, Cairn and RocksDB: ' + ', '.join(f'`{name}` {ours}, {theirs}' for name, ours, theirs in found['classes']) + '.',
            *(['', 'What fails: ' + '; '.join(found['fails']) + '.'] if found['fails'] else [])]


PARTS = {'suite': ('RheaKV\'s own tests that touch storage', suite), 'load': ('Two million keys', load),
         'kills': ('Killed nodes', kills), 'partitions': ('Networks that are cut', partitions), 'faults': ('Bad input', raft_report.faults),
         'compare': ('Cairn and RocksDB', raft_report.compare)}


def text():
    return raft_report.page(['# A sharded store: examples/sharded', '',
                             'Written by `scripts/sharded_check.py` (`make sharded-test`) and `scripts/sharded_compare.py` (`make sharded-bench`): '
                             '[what it is](../../doc/cluster.md). JRaft 1.3.15 with the jar rocksdbjni 7.8.3, unmodified, on Cairn\'s library. '
                             'All nodes and the clients share one machine; times are of its disk, and of whatever else ran there, which the '
                             'load average tells of.'], PARTS, raft_report.kept(KEPT))
