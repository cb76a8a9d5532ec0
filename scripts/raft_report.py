"""What raft_check.py and raft_compare.py have found, kept in build/raft/results.json, and the page that is made of it. sharded_report.py makes
its page in the same way, of another file."""
import datetime
import json
import os
import statistics
import subprocess

from raft_cluster import FOLDER, ROOT

KEPT = FOLDER / 'results.json'
# As the run began.
COMMIT = subprocess.run(['git', 'describe', '--always', '--dirty'], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def kept(path=KEPT):
    return json.loads(path.read_text()) if path.exists() else {}


def keep(part, found, path=KEPT):
    when = {'date': datetime.date.today().isoformat(), 'commit': COMMIT, 'processors': os.cpu_count(), 'load': round(os.getloadavg()[2], 1)}
    path.write_text(json.dumps(kept(path) | {part: found | {'when': when}}, indent=1))


def in_turns(measures, rounds):
    """Calls each of {who: what measures it} in turns, and answers {what: {who: the median, the lowest and the highest}}."""
    runs = {who: [] for who in measures}
    for number in range(rounds):
        for who in sorted(measures, reverse=number % 2 == 1):
            runs[who].append(measures[who]())
            print(who, runs[who][-1], flush=True)
    rows = {}
    for who, found in runs.items():
        for what in found[0]:
            values = [run[what] for run in found]
            rows.setdefault(what, {})[who] = {'median': statistics.median(values), 'min': min(values), 'max': max(values)}
    return rows


def milliseconds(seconds):
    return f'{seconds * 1000:,.0f} ms'


def spread(found):
    return f'median {milliseconds(found["median"])}, at most {milliseconds(found["max"])} ({found["count"]} times)'


def when(found):
    when = found['when']
    return (f'{when["date"]}, commit {when["commit"]}, {when["processors"]} processors, load average of the last 15 minutes '
            f'{when["load"]}')


def under_load(found):
    return [f'- writes acknowledged, of keys that are written once: {found["acknowledged"]:,}; lost: {found["lost"]}',
            f'- operations in all: {found["done"]:,}, and {found["unknown"]:,} writes of unknown outcome',
            f'- history of the registers: {found["history"]}',
            f'- at the end all three nodes have the same {found["keys"]:,} keys']


def kills(found):
    return [f'{found["kills"]} times, under load, the leader was killed (SIGKILL) and started again; {found["all at once"]} of them all '
            f'three nodes at once. Seed {found["seed"]}.', '', *under_load(found),
            f'- from the kill to a new leader: {spread(found["to leader"])}',
            f'- from the kill to the next acknowledged write: {spread(found["to write"])}',
            f'- snapshots that nodes received to catch up: {found["snapshots"]}']


def partitions(found):
    kinds = ', '.join(f'{kind} ({count})' for kind, count in found['kinds'].items())
    return [f'{found["partitions"]} times, under load, the network between the nodes was cut for two to five seconds: {kinds}. Seed '
            f'{found["seed"]}.', '', *under_load(found), f'- from the cut to a new leader, where one must come: {spread(found["to leader"])}']


def faults(found):
    return ['| what was done | what was seen | as expected |', '| --- | --- | --- |',
            *(f'| {row["done"]} | {row["seen"]} | {"yes" if row["ok"] else "**no**"} |' for row in found['rows'])]


def suite(found):
    return ['| store | OpenRaft\'s suite on Cairn |', '| --- | --- |', *(f'| {name} | {verdict} |' for name, verdict in found['rows'].items())]


def compare(found):
    lines = [f'The same programs, with Cairn\'s library and with that of RocksDB {found["peer"]} in its place; {found["rounds"]} rounds, in turns, '
             f'{found["seconds"]} seconds each, {found["clients"]} clients, values of {found["bytes"]} bytes. Medians, and the lowest and highest.',
             '', '| | Cairn | RocksDB | Cairn / RocksDB |', '| --- | ---: | ---: | ---: |']
    for what, values in found['rows'].items():
        cells = [f'{values[who]["median"]:,.0f} ({values[who]["min"]:,.0f} to {values[who]["max"]:,.0f})' for who in ('cairn', 'rocksdb')]
        lines.append(f'| {what} | {cells[0]} | {cells[1]} | {values["cairn"]["median"] / values["rocksdb"]["median"]:.2f} |')
    return lines


PARTS = {'suite': ('OpenRaft\'s suite for stores', suite), 'kills': ('Killed leaders', kills), 'partitions': ('Networks that are cut', partitions),
         'faults': ('Bad input', faults), 'compare': ('Cairn and RocksDB', compare)}


def text():
    return page(['# A replicated store: examples/replicated', '',
                 'Written by `scripts/raft_check.py` (`make cluster-test`) and `scripts/raft_compare.py` (`make cluster-bench`): '
                 '[what it is](../../doc/cluster.md). All nodes and the clients share one machine; times are of its disk, and of whatever else '
                 'ran there, which the load average tells of.'], PARTS, kept())


def page(lines, parts, results):
    """These lines, then each part that there is a result of. `parts`: its name to its title and to what makes lines of its result."""
    for part, (title, show) in parts.items():
        found = results.get(part)
        if found is None:
            continue
        lines += ['', f'## {title}', '']
        if found.get('failed'):
            lines += ['**Wrong**: ' + '; '.join(found['failed']), '']
        if 'rows' in found or not found.get('failed'):
            lines += show(found)
        lines += ['', f'({when(found)})']
    return '\n'.join(lines) + '\n'
