"""A cluster of examples/replicated on this machine: how it is built, its nodes as processes, and the network between them. Used by
raft_check.py, raft_demo.py and raft_compare.py, and for examples/sharded by sharded_cluster.py; does nothing by itself."""
import contextlib
import http.client
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

import rust_tests

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / 'examples/replicated'
FOLDER = ROOT / 'build/raft'
TARGET = FOLDER / 'target'
NODE, LOAD, CHECK = TARGET / 'release/cairn-replicated', TARGET / 'release/cairn-replicated-load', FOLDER / 'check'
CRATE = rust_tests.RELEASES['0.22']    # of `rocksdb`, which openraft-rocksstore asks for


class Failure(Exception):
    """What the check is there to find."""


def environment(build):
    """Variables by which the crate is built on Cairn, and its programs find the library."""
    include, library = rust_tests.install(build)
    variables = rust_tests.environment(include / CRATE.headers, library / 'cairn/as_rocksdb', library, static=False)
    return variables | {'CARGO_TARGET_DIR': str(TARGET)}


def find_go():
    """Its path; None: there is none."""
    return shutil.which('go') or shutil.which('go', path='/usr/local/go/bin')


def go():
    found = find_go()
    if found is None:
        rust_tests.stop('no go, which builds the checker of histories: https://go.dev/dl/')
    return found


def build_programs(variables):
    """The node and the clients; the checker."""
    rust_tests.run_or_stop(['cargo', 'build', '--release', '--locked', '--quiet'], cwd=EXAMPLE, env=variables)


def build_checker():
    rust_tests.run_or_stop([go(), 'build', '-o', CHECK, '.'], cwd=EXAMPLE / 'check')


def ask(addr, method, path, body=None, timeout=2.0):
    """(status, text); (0, trouble) if there was no answer."""
    host, port = addr.rsplit(':', 1)
    connection = http.client.HTTPConnection(host, int(port), timeout=timeout)
    try:
        headers = {'content-type': 'application/json'} if isinstance(body, (dict, list)) else {}
        connection.request(method, path, json.dumps(body) if headers else body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors='replace')
    except (OSError, http.client.HTTPException) as error:
        return 0, str(error)
    finally:
        connection.close()


class Node:
    NAME = 'cairn-replicated'    # before what it says as it ends

    def __init__(self, number, addr, folder, variables, namespace=None, flags=()):
        self.number, self.addr, self.folder, self.variables, self.namespace = number, addr, folder, variables, namespace
        self.flags = list(flags)
        self.directory = folder / str(number)
        self.log = folder / f'{number}.log'
        self.process = None

    def command(self):
        return [NODE, '--id', self.number, '--dir', self.directory, '--listen', self.addr]

    def start(self, *more, new=False, **variables):
        command = ['ip', 'netns', 'exec', self.namespace] if self.namespace else []
        command += [*self.command(), *self.flags, *more, *(['--new'] if new else [])]
        with self.log.open('ab') as log:
            # (JRaft leaves its dumps where it runs.)
            self.process = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                            env=self.variables | variables, cwd=self.folder)

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def wait_for_exit(self, seconds):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f'node {self.number} still runs after {seconds} seconds') from None

    def said(self, words):
        return words in self.log.read_text(errors='replace')

    def last_words(self):
        begin = f'{self.NAME}: '
        lines = [line for line in self.log.read_text(errors='replace').splitlines() if line.startswith(begin)]
        return lines[-1][len(begin):] if lines else ''

    def metrics(self, timeout=1.0):
        status, text = ask(self.addr, 'GET', '/metrics', timeout=timeout)
        return json.loads(text) if status == 200 else None

    def wait_until(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process and self.process.poll() is not None:
                raise Failure(f'node {self.number} ended, status {self.process.returncode}, waiting for: {what}: {self.last_words()}')
            metrics = self.metrics()
            if metrics and condition(metrics):
                return metrics
            time.sleep(0.05)
        raise Failure(f'node {self.number}, after {seconds} seconds not yet: {what}')


class Cluster:
    """Three nodes, started and agreed. A context: at its end they are killed."""
    FOLDER = FOLDER

    def __init__(self, name, variables, flags=(), addresses=None, namespaces=None, port=7500):
        self.folder = self.FOLDER / 'run' / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.variables, self.flags, self.port = variables, flags, port
        self.nodes, self.strangers = {}, []
        for number in (1, 2, 3):
            addr = addresses[number] if addresses else f'127.0.0.1:{port + number}'
            self.nodes[number] = self.make_node(number, addr, (namespaces or {}).get(number))

    def make_node(self, number, addr, namespace=None):
        return Node(number, addr, self.folder, self.variables, namespace, self.flags)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in [*self.nodes.values(), *self.strangers]:
            node.kill()

    def begin(self):
        for node in self.nodes.values():
            node.start(new=True)
        for node in self.nodes.values():
            node.wait_until(lambda _: True, 'it listens')
        members = {str(number): node.addr for number, node in self.nodes.items()}
        status, text = ask(self.nodes[1].addr, 'POST', '/cluster/init', members, timeout=10)
        if status != 204:
            raise Failure(f'/cluster/init: {status} {text}')
        return self.leader()

    def addresses(self):
        return ','.join(node.addr for node in self.nodes.values())

    def new_node(self, number):
        """One that is not a member yet."""
        self.nodes[number] = self.make_node(number, f'127.0.0.1:{self.port + number}')
        return self.nodes[number]

    def leader(self, among=None, term=0, seconds=60, every=0.05):
        """The node of those that leads, in a term above `term`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for node in among or self.nodes.values():
                metrics = node.metrics(timeout=0.3)
                if metrics and metrics['state'] == 'Leader' and metrics['term'] > term:
                    return node
            time.sleep(every)
        raise Failure(f'no leader after {seconds} seconds')

    def wait_all_caught_up(self, seconds=60):
        """All nodes that run have applied what the leader had."""
        applied = self.leader().metrics()
        for node in self.nodes.values():
            if node.process:
                node.wait_until(lambda now: now['applied'] >= (applied['applied'] if applied else 0), 'it has caught up', seconds)

    def ask_leader(self, method, path, body=None, timeout=30.0):
        for _ in range(100):
            status, text = ask(self.leader().addr, method, path, body, timeout)
            if status not in (0, 307, 503):
                return status, text
            time.sleep(0.1)
        raise Failure(f'{method} {path}: {status} {text}')

    def contents(self, node):
        """All pairs that a node has, without asking others."""
        pairs, start = [], ''
        while True:
            status, text = ask(node.addr, 'GET', f'/scan?stale=true&limit=5000&from={start}', timeout=30)
            if status != 200:
                raise Failure(f'/scan: {status} {text}')
            page = json.loads(text)
            if not page:
                return pairs
            pairs += page
            start = page[-1][0] + '0'

    def check_same_contents(self):
        self.wait_all_caught_up()
        leader = self.leader()
        wanted = self.contents(leader)
        for node in self.nodes.values():
            if node.process and self.contents(node) != wanted:
                raise Failure(f'node {node.number} has other contents than node {leader.number}')
        return len(wanted)


class Load:
    """Clients, until stop()."""

    def __init__(self, cluster, *flags, history=None, more=()):
        """`more`: addresses of nodes that come later."""
        self.lines = cluster.folder / 'load.txt'
        command = [LOAD, '--nodes', ','.join([cluster.addresses(), *more]), *flags, *(['--history', history] if history else [])]
        with self.lines.open('wb') as lines:
            self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=lines, stderr=subprocess.STDOUT,
                                            env=cluster.variables)

    def seconds(self):
        """What each second gave so far."""
        found = []
        for line in self.lines.read_text().splitlines():
            with contextlib.suppress(ValueError):
                if 'second' in (row := json.loads(line)):
                    found.append(row)
        return found

    def result(self, seconds=300):
        status = self.process.wait(seconds)
        last = self.lines.read_text().splitlines()[-1]
        try:
            return json.loads(last)
        except ValueError:
            raise Failure(f'the clients ended with status {status}: {last}') from None

    def stop(self, seconds=300):
        self.process.stdin.close()
        return self.result(seconds)

    def kill(self):
        self.process.kill()
        self.process.wait()


def linearizable(history):
    """What the checker says; a Failure if it does not say so."""
    done = subprocess.run([CHECK, history], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f'{done.stdout}{done.stderr} (the history: {history})')
    return done.stdout.strip()


class Network:
    """A namespace for each node, joined by a bridge; this process sits at the bridge. A context: all is gone at its end.

    What one node sends to another is cut by a wrong, permanent address of the link layer: the bridge finds nobody there. So packets vanish
    without an error, in one direction if so wanted, and nothing but `ip` is needed."""
    NOBODY = '02:00:00:00:00:99'

    def __init__(self):
        if os.geteuid() != 0:
            sys.exit('partitions need network namespaces: run this as root')
        self.mark = f'cr{os.getpid() % 100000}'
        self.octet = random.randrange(16, 240)

    def ip(self, *words, namespace=None, check=True):
        return subprocess.run(['ip', *(['-n', namespace] if namespace else []), *map(str, words)], check=check, capture_output=True, text=True)

    def name(self, number):
        return f'{self.mark}n{number}'

    def host(self, number):
        return f'10.231.{self.octet}.{number}'

    def __enter__(self):
        try:
            self.ip('link', 'add', f'{self.mark}b', 'type', 'bridge')
            self.ip('addr', 'add', f'{self.host(254)}/24', 'dev', f'{self.mark}b')
            self.ip('link', 'set', f'{self.mark}b', 'up')
            for number in (1, 2, 3):
                self.ip('netns', 'add', self.name(number))
                self.ip('link', 'add', f'{self.mark}v{number}', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', self.name(number))
                self.ip('link', 'set', f'{self.mark}v{number}', 'master', f'{self.mark}b', 'up')
                self.ip('addr', 'add', f'{self.host(number)}/24', 'dev', 'eth0', namespace=self.name(number))
                self.ip('link', 'set', 'eth0', 'up', namespace=self.name(number))
                self.ip('link', 'set', 'lo', 'up', namespace=self.name(number))
        except (OSError, subprocess.CalledProcessError) as error:
            self.__exit__()
            sys.exit(f'partitions need network namespaces, and `ip` fails: {getattr(error, "stderr", "") or error}')
        return self

    def __exit__(self, *_):
        for number in (1, 2, 3):
            self.ip('link', 'del', f'{self.mark}v{number}', check=False)
            self.ip('netns', 'del', self.name(number), check=False)
        self.ip('link', 'del', f'{self.mark}b', check=False)

    def cut(self, sender, receiver):
        self.ip('neigh', 'replace', self.host(receiver), 'lladdr', self.NOBODY, 'dev', 'eth0', 'nud', 'permanent', namespace=self.name(sender))

    def mend(self, sender, receiver):
        self.ip('neigh', 'del', self.host(receiver), 'dev', 'eth0', namespace=self.name(sender), check=False)

    def unplug(self, number):
        self.ip('link', 'set', f'{self.mark}v{number}', 'down')

    def plug(self, number):
        self.ip('link', 'set', f'{self.mark}v{number}', 'up')
