"""A cluster of examples/sharded on this machine: how it is built, and its nodes as processes. Its clients, the checker of their histories and
the network are those of raft_cluster.py. Used by sharded_check.py, sharded_demo.py and sharded_compare.py; does nothing by itself."""
import collections
import hashlib
import http.client
import json
import os
import pathlib
import queue
import threading
import time

import jni
import raft_cluster
from raft_cluster import ROOT, Failure, ask

EXAMPLE = ROOT / 'examples/sharded'
FOLDER = ROOT / 'build/sharded'
TARGET = FOLDER / 'target'
RELEASE = '7.8.3'    # of RocksJava, as the pom says
ELECTION = 1000    # milliseconds
RAFT = 1000    # the ports of Raft, above those of HTTP (Members.java)


def build_node():
    jni.run_or_exit(['mvn', '-q', '-B', '-f', EXAMPLE / 'pom.xml', 'package'])


def cairn_library():
    """The folder of Cairn's, which has to be linked."""
    library = jni.Workplace(RELEASE).library
    if not library.exists():
        raise SystemExit(f'no {library}: scripts/jni.py links it')
    return library.parent


def add_options(parser):
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build/demo', help='a folder with cairn and cairn_shared built')
    parser.add_argument('--out', type=pathlib.Path, help='where the table goes')
    parser.add_argument('--folder', type=pathlib.Path, default=FOLDER, help='where the stores are, below run/')


def prepare(args):
    """All programs; the variables of their environment."""
    Cluster.FOLDER = args.folder.resolve()
    cairn_library()
    build_node()
    variables = raft_cluster.environment(args.build)
    raft_cluster.build_programs(variables)
    raft_cluster.build_checker()
    return variables


def java_variables():
    """The environment of nodes alone, without the clients of raft_cluster.py."""
    return dict(os.environ)


class Node(raft_cluster.Node):
    NAME = 'cairn-sharded'

    def __init__(self, *args, members, library):
        super().__init__(*args)
        self.members, self.library = members, library

    def command(self):
        """`library`: the folder of Cairn's; None: RocksDB's, from the jar."""
        flags = [f'-Djava.library.path={self.library}'] if self.library else []
        scrap = self.folder / f'scrap-{self.number}'    # where the jar unpacks its library
        scrap.mkdir(parents=True, exist_ok=True)
        return ['java', '-Xmx1g', '-XX:+UseSerialGC', f'-Djava.io.tmpdir={scrap}', f'-XX:ErrorFile={self.folder}/hs_err_%p.log', *flags,
                '-Dsun.net.httpserver.nodelay=true', '-cp', f'{TARGET}/cairn-sharded-1.jar:{TARGET}/jars/*', 'cairn.sharded.Main',
                '--id', self.number, '--dir', self.directory, '--members', self.members]

    def terminate(self):
        """As `kill` does: the JVM ends, and closes no database."""
        self.process.terminate()
        status = self.wait_for_exit(60)
        self.process = None
        return status


class Cluster(raft_cluster.Cluster):
    """`library`: the folder of the one for the nodes; None: RocksDB's."""
    FOLDER = FOLDER

    def __init__(self, name, variables, flags=(), addresses=None, namespaces=None, port=8500, library=None):
        hosts = addresses or {number: f'127.0.0.1:{port + number}' for number in (1, 2, 3)}
        self.members = ','.join(f'{number}={addr}' for number, addr in hosts.items())
        self.library = library
        super().__init__(name, variables, ['--election', ELECTION, *flags], addresses, namespaces, port)

    def make_node(self, number, addr, namespace=None):
        return Node(number, addr, self.folder, self.variables, namespace, self.flags, members=self.members, library=self.library)

    def __exit__(self, *exception):
        super().__exit__(*exception)
        crashes = sorted(path.name for path in self.folder.glob('hs_err_*'))
        if crashes:
            raise Failure(f'a JVM crashed: {crashes} in {self.folder}')

    def begin(self):
        for node in self.nodes.values():
            node.start(new=True)
        for node in self.nodes.values():
            node.wait_until(lambda now: len(now['marks']) == 3, 'all have met', 600)
        used = [pathlib.Path(f'/proc/{node.process.pid}/maps').read_text() for node in self.nodes.values()]
        for maps in used:
            if self.library and f'{self.library}/librocksdbjni' not in maps or not self.library and f'{self.folder}/scrap' not in maps:
                raise Failure('a node does not run with the library that it should')

    def regions(self, among=None):
        """{region: its leader's node, or None}: as the node that leads it says."""
        found = {}
        for node in among or self.nodes.values():
            metrics = node.metrics(timeout=10) if node.process else None
            for region in metrics['regions'] if metrics else []:
                found.setdefault(region['id'], None)
                if region['leader'] == node.number:
                    found[region['id']] = node
        return found

    def wait_all_led(self, among=None, seconds=90, every=0.05):
        """Until each region that one of the nodes has is led by one of them."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            regions = self.regions(among)
            if regions and all(regions.values()):
                return regions
            time.sleep(every)
        raise Failure(f'after {seconds} seconds these regions have no leader: {[region for region, node in regions.items() if not node]}')

    def most_leading(self):
        """The node that leads most regions."""
        return collections.Counter(self.wait_all_led().values()).most_common(1)[0][0]

    def wait_all_caught_up(self, seconds=180):
        """All nodes that run have the same regions, and have applied what was committed when this was called."""
        end = time.monotonic() + seconds
        committed = {}
        for node in self.nodes.values():
            metrics = node.metrics(timeout=5) if node.process else None
            for region in metrics['regions'] if metrics else []:
                committed[region['id']] = max(committed.get(region['id'], 0), region['committed'])
        while time.monotonic() < end:
            self.wait_all_led(seconds=seconds)
            rows = [node.metrics(timeout=5) for node in self.nodes.values() if node.process]
            if all(rows) and len({tuple(region['id'] for region in row['regions']) for row in rows}) == 1 and \
                    all(region['applied'] >= committed.get(region['id'], 0) for row in rows for region in row['regions']) and \
                    committed.keys() <= {region['id'] for region in rows[0]['regions']}:
                return
            time.sleep(0.1)
        raise Failure(f'after {seconds} seconds not all nodes have caught up: {rows}')

    def pages(self, node, stale):
        """What a node has, page by page; not `stale`: linearizable."""
        start = ''
        while True:
            for _ in range(50):
                status, text = ask(node.addr, 'GET', f'/scan?limit=10000&from={start}{"&stale=true" if stale else ""}', timeout=60)
                if status == 200:
                    break
                time.sleep(0.2)
            else:
                raise Failure(f'/scan: {status} {text}')
            page = json.loads(text)
            if not page:
                return
            yield page
            start = page[-1][0] + '0'

    def digest(self, node):
        """(How many pairs the node has, a digest of them)."""
        count, digest = 0, hashlib.sha256()
        for page in self.pages(node, stale=True):
            count += len(page)
            digest.update(json.dumps(page).encode())
        return count, digest.hexdigest()

    def check_same_contents(self):
        """All nodes that run have the same. Answers the count of keys. (Nobody may write meanwhile.)"""
        end = time.monotonic() + 60
        while True:
            self.wait_all_caught_up()
            found = {node.number: self.digest(node) for node in self.nodes.values() if node.process}
            if len(set(found.values())) == 1:
                return next(iter(found.values()))[0]
            # A region's last entries may be applied after the first look.
            if time.monotonic() > end:
                raise Failure(f'the nodes have other contents: {found}')

    def ask_any(self, method, path, seconds=300):
        """A call of /cluster of any node that runs, until it is done."""
        end = time.monotonic() + seconds
        while True:
            node = next(node for node in self.nodes.values() if node.process)
            status, text = ask(node.addr, method, path, timeout=60)
            if status == 204:
                return
            if time.monotonic() > end:
                raise Failure(f'{path}: {status} {text}')
            time.sleep(0.5)


def key_of(number):
    """Scattered over the whole range, so that all regions are written to."""
    return f'{(number * 2654435761) % (1 << 32):08x}{number:010d}'


def value_of(number):
    return f'value of {number} '.ljust(100, 'v')


class Bulk:
    """Threads that write the keys 0 to `total` in batches, each until it is acknowledged."""

    def __init__(self, cluster, total, batch=500, threads=4):
        self.cluster, self.total, self.batch = cluster, total, batch
        self.todo = queue.Queue()
        for start in range(0, total, batch):
            self.todo.put(start)
        self.done, self.failed, self.slowest = 0, [], 0.0
        self.lock = threading.Lock()
        self.began = time.monotonic()
        self.took = None
        self.threads = [threading.Thread(target=self.work, args=(number,), daemon=True) for number in range(threads)]
        for thread in self.threads:
            thread.start()

    def work(self, number):
        addresses = [node.addr for node in self.cluster.nodes.values()]
        connection = None
        while True:
            try:
                start = self.todo.get_nowait()
            except queue.Empty:
                return
            numbers = range(start, min(start + self.batch, self.total))
            body = ''.join(f'{key_of(at)}\t{value_of(at)}\n' for at in numbers).encode()
            begin, status = time.monotonic(), 0
            while status != 204 and time.monotonic() < begin + 120:
                try:
                    connection = connection or http.client.HTTPConnection(addresses[number % len(addresses)], timeout=20)
                    connection.request('POST', '/batch', body)
                    answer = connection.getresponse()
                    status = answer.status
                    answer.read()
                except (OSError, http.client.HTTPException):
                    connection, number = None, number + 1
                if status != 204:
                    time.sleep(0.1)
            with self.lock:
                self.slowest = max(self.slowest, time.monotonic() - begin)
                if status == 204:
                    self.done += len(numbers)
                else:
                    self.failed.append(start)

    def running(self):
        return any(thread.is_alive() for thread in self.threads)

    def finish(self):
        for thread in self.threads:
            thread.join()
        self.took = time.monotonic() - self.began
        if self.failed:
            raise Failure(f'not acknowledged within two minutes: the batches {self.failed[:10]}')

    def check(self):
        """Reads all that there is, linearizably, and finds each acknowledged pair there."""
        seen = bytearray(self.total)
        for page in self.cluster.pages(next(iter(self.cluster.nodes.values())), stale=False):
            for key, value in page:
                number = int(key[8:]) if len(key) == 18 else self.total
                if number < self.total:
                    if key != key_of(number) or value != value_of(number):
                        raise Failure(f'{key} has another value: {value}')
                    seen[number] = 1
        missing = self.total - sum(seen)
        if missing:
            raise Failure(f'{missing} acknowledged keys are lost, the first of them {key_of(seen.index(0))}')
