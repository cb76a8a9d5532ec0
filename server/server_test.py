#!/usr/bin/env python3
"""cairn-server as its clients see it: started, used, misused, killed and started again.

  server_test.py CAIRN_SERVER [unittest's arguments]
"""
import contextlib
import os
import pathlib
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

SERVER = sys.argv.pop(1) if __name__ == '__main__' else None
SANITIZED = bool(os.environ.get('CAIRN_SANITIZE'))  # takes more memory than its limits here


class ReplyError(Exception):
    pass


def encode(*words):
    parts = [b'*%d\r\n' % len(words)]
    for word in words:
        data = word if isinstance(word, bytes) else str(word).encode()
        parts.append(b'$%d\r\n%s\r\n' % (len(data), data))
    return b''.join(parts)


class Client:
    def __init__(self, address):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(30)
        self.socket.connect(address)
        self.file = self.socket.makefile('rb')

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        self.file.close()
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def read(self):
        line = self.file.readline()
        if not line.endswith(b'\r\n'):
            raise ConnectionError('the server has closed the connection')
        kind, rest = line[:1], line[1:-2]
        if kind == b'+':
            return rest.decode()
        if kind == b'-':
            return ReplyError(rest.decode())
        if kind == b':':
            return int(rest)
        if kind == b'$':
            if rest == b'-1':
                return None
            data = self.file.read(int(rest) + 2)
            if len(data) != int(rest) + 2:
                raise ConnectionError('the server has closed the connection')
            return data[:-2]
        if kind == b'*':
            return None if rest == b'-1' else [self.read() for _ in range(int(rest))]
        raise AssertionError(f'no reply: {line!r}')

    def call(self, *words):
        self.send(encode(*words))
        return self.read()

    def ended(self):
        try:
            return self.file.read(1) == b''
        except ConnectionError:
            return True


def wait_for(ready, why=lambda: ''):
    """What ready() gives once that is true; an error with why() where it is not within half a minute."""
    deadline = time.monotonic() + 30
    while not (found := ready()):
        if time.monotonic() > deadline:
            raise AssertionError(f'waited in vain {why()}')
        time.sleep(0.01)
    return found


class Server:
    def __init__(self, folder, *flags, port=0, limits=()):
        """`limits`: pairs of a resource and how much of it the process may have."""
        self.folder = pathlib.Path(folder)
        self.log = open(self.folder / 'log', 'w')
        self.process = subprocess.Popen(
            [SERVER, f'--dir={folder}/data', f'--port={port}', '--disk_reserve_bytes=1000000', *flags], stdout=subprocess.DEVNULL, stderr=self.log,
            preexec_fn=(lambda: [resource.setrlimit(what, (most, most)) for what, most in limits]) if limits else None)
        self.address = None
        deadline = time.monotonic() + 60
        while 'msg="ready"' not in self.text():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f'it did not start:\n{self.text()}')
            time.sleep(0.01)
        for line in self.text().splitlines():
            if ' address="127.0.0.1:' in line:
                self.address = ('127.0.0.1', int(line.split('127.0.0.1:')[1].split('"')[0]))
            elif ' address="0.0.0.0:' in line:
                self.address = ('127.0.0.1', int(line.split('0.0.0.0:')[1].split('"')[0]))

    def text(self):
        return (self.folder / 'log').read_text()

    def port_of(self, what):
        """Of the address that its log gives for "tls" or "admin": a moment after it takes clients, perhaps."""
        return int(wait_for(lambda: re.search(rf'{what}="[^"]*:(\d+)/?"', self.text()), self.text).group(1))

    def client(self):
        return Client(self.address)

    def memory(self):
        if SANITIZED:
            return 0
        for line in pathlib.Path(f'/proc/{self.process.pid}/status').read_text().splitlines():
            if line.startswith('VmRSS'):
                return int(line.split()[1]) * 1024
        raise AssertionError('no VmRSS')

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        status = self.process.wait(60)
        self.log.close()
        return status


class ServerTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.servers = []
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(self.end_all)

    def end_all(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.process.kill()
                server.process.wait()
            server.log.close()

    def start(self, *flags, port=0, limits=()):
        self.servers.append(Server(self.folder.name, *flags, port=port, limits=limits))
        return self.servers[-1]

    def wait_for(self, ready):
        return wait_for(ready)

    def refused(self, *flags):
        result = subprocess.run([SERVER, f'--dir={self.folder.name}/data', *flags], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 1, result.stderr)
        return result.stderr


class UseTest(ServerTest):
    def test_pipelines_large_values_and_restarts(self):
        server = self.start()
        with server.client() as client:
            large = random.Random(1).randbytes(10_000_000)
            self.assertEqual(client.call('SET', 'large', large), 'OK')
            count = 5000
            client.send(b''.join(encode('SET', f'key{i}', f'value{i}') for i in range(count)))
            self.assertEqual([client.read() for _ in range(count)], ['OK'] * count)
            mixed = b''.join(encode('GET', f'key{i}') + encode('INCR', 'counter') + encode('NOSUCH') for i in range(count))
            sender = threading.Thread(target=client.send, args=(mixed,))
            sender.start()
            for i in range(count):
                self.assertEqual(client.read(), b'value%d' % i)
                self.assertEqual(client.read(), i + 1)
                self.assertIn('unknown command', str(client.read()))
            sender.join()
            self.assertEqual(client.call('GET', 'large'), large)
            client.send(encode('GET', 'large') * 3 + b'PING\r\n')
            self.assertEqual([client.read() for _ in range(4)], [large] * 3 + ['PONG'])
        self.assertEqual(server.end(), 0)
        server = self.start()
        with server.client() as client:
            self.assertEqual(client.call('DBSIZE'), 5002)
            self.assertEqual(client.call('GET', 'large'), large)

    def test_transactions_and_watches_of_two_clients(self):
        server = self.start()
        with server.client() as one, server.client() as two:
            one.call('SET', 'a', '1')
            self.assertEqual(one.call('WATCH', 'a', 'b'), 'OK')
            self.assertEqual(two.call('SET', 'a', '2'), 'OK')
            self.assertEqual(one.call('MULTI'), 'OK')
            self.assertEqual(one.call('INCR', 'a'), 'QUEUED')
            self.assertIsNone(one.call('EXEC'))
            one.call('WATCH', 'a')
            two.call('SET', 'other', '2')
            two.call('SETNX', 'a', '9')  # changes nothing
            one.call('MULTI')
            one.call('INCR', 'a')
            one.call('GET', 'a')
            one.call('INCR', 'other', 'too many')
            self.assertIn('EXECABORT', str(one.call('EXEC')))
            one.call('WATCH', 'a')
            one.call('MULTI')
            one.call('INCR', 'a')
            one.call('INCR', 'nothing')
            one.call('GET', 'a')
            self.assertEqual(one.call('EXEC'), [3, 1, b'3'])
            one.call('WATCH', 'a')
            two.call('FLUSHALL')
            one.call('MULTI')
            one.call('PING')
            self.assertIsNone(one.call('EXEC'))
            self.assertEqual(one.call('DBSIZE'), 0)

    def test_counters_of_many_clients_lose_nothing(self):
        server = self.start('--workers=2')

        def count(client):
            client.send(b''.join(encode('INCR', f'counter{i % 3}') for i in range(300)))
            for _ in range(300):
                client.read()
        clients = [server.client() for _ in range(20)]
        threads = [threading.Thread(target=count, args=(client,)) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(clients[0].call('MGET', 'counter0', 'counter1', 'counter2'), [b'2000'] * 3)
        for client in clients:
            client.close()

    def test_unix_sockets_and_what_a_killed_server_leaves(self):
        path = f'{self.folder.name}/socket'
        server = self.start(f'--unix_socket={path}', port=-1)
        with Client(path) as client:
            self.assertEqual(client.call('SET', 'a', 'b', 'EX', 100), 'OK')
        self.assertEqual(server.end(signal.SIGKILL), -signal.SIGKILL)
        server = self.start(f'--unix_socket={path}', port=-1)
        with Client(path) as client:
            self.assertEqual(client.call('GET', 'a'), b'b')
            self.assertIn(client.call('TTL', 'a'), range(90, 101))
        self.assertEqual(server.end(), 0)
        self.assertFalse(os.path.exists(path))

    def test_durability_is_each_connections_choice(self):
        server = self.start('--durability=none')
        with server.client() as one, server.client() as two:
            self.assertEqual(one.call('DURABILITY'), b'none')
            self.assertEqual(two.call('DURABILITY', 'sync'), 'OK')
            self.assertIn('ERR', str(two.call('DURABILITY', 'perhaps')))
            for i in range(50):
                one.send(encode('SET', 'a', i) + encode('GET', 'a'))
                self.assertEqual([one.read(), one.read()], ['OK', b'%d' % i])
                self.assertEqual(two.call('SET', 'b', i), 'OK')
            self.assertEqual(one.call('DURABILITY'), b'none')
            self.assertEqual(two.call('DURABILITY'), b'sync')


    def test_checkpoints_open_like_the_data(self):
        server = self.start('--checkpoints_kept=2')
        with server.client() as client:
            for i in range(4):
                client.call('SET', 'round', i)
                if i == 3:
                    self.assertEqual(client.call('BGSAVE'), 'Background saving started')
                    deadline = time.monotonic() + 30
                    while b'rdb_bgsave_in_progress:1' in client.call('INFO', 'persistence'):
                        self.assertLess(time.monotonic(), deadline)
                else:
                    self.assertEqual(client.call('SAVE'), 'OK')
            client.call('SET', 'round', 'after')
            self.assertAlmostEqual(client.call('LASTSAVE'), time.time(), delta=30)
        self.assertEqual(server.end(), 0)
        made = sorted(pathlib.Path(self.folder.name, 'data-checkpoints').iterdir())
        self.assertEqual(len(made), 2)
        for checkpoint, expected in zip(made, (b'2', b'3')):
            server = self.start(f'--dir={checkpoint}')
            with server.client() as client:
                self.assertEqual(client.call('GET', 'round'), expected)
            self.assertEqual(server.end(), 0)


class StartTest(ServerTest):
    def test_an_address_of_others_needs_a_password(self):
        self.assertIn('password', self.refused('--bind=0.0.0.0', '--port=0'))
        server = self.start('--bind=0.0.0.0', '--password=secret')
        self.assertEqual(server.end(), 0)

    def test_files_and_flags(self):
        config = pathlib.Path(self.folder.name, 'config')
        config.write_text('# a comment\nmax-clients 2\n\nslowlog_micros "0"\ndatabases 3\n')
        server = self.start(f'--config={config}', '--databases=5')
        with server.client() as client:
            self.assertEqual(client.call('CONFIG', 'GET', 'maxclients'), [b'maxclients', b'2'])
            self.assertEqual(client.call('SELECT', '4'), 'OK')
            self.assertIn('out of range', str(client.call('SELECT', '5')))
            self.assertGreater(client.call('SLOWLOG', 'LEN'), 0)
            self.assertEqual(client.call('CONFIG', 'SET', 'slowlog-log-slower-than', '-1'), 'OK')
            self.assertIn('ERR', str(client.call('CONFIG', 'SET', 'port', '1')))
            with server.client() as second, server.client() as third:
                self.assertEqual(second.call('PING'), 'PONG')
                self.assertIn('max number of clients', str(third.read()))
                self.assertTrue(third.ended())
        server.end()
        for text, expected in (('nosuch 1\n', ':1'), ('port 1\nport\n', ':2'), ('dir "a\n', 'quotes'), ('port x\n', 'port')):
            config.write_text(text)
            self.assertIn(expected, self.refused(f'--config={config}'))
        for flag, expected in (('--durability=maybe', 'durability'), ('--compression=none2', 'compression'),
                               ('--bind=localhost', 'numeric'), ('--databases=0', 'databases'), ('word', '--help'), ('--service', 'systemd')):
            self.assertIn(expected, self.refused(flag))
        config.write_text('service true\n')
        self.assertIn('belongs on the command line', self.refused(f'--config={config}'))

    def test_why_it_does_not_start_is_in_the_log_file_too(self):
        log = pathlib.Path(self.folder.name, 'kept.log')
        self.assertIn('numeric', self.refused('--bind=localhost', f'--log_file={log}'))
        self.assertIn('numeric', log.read_text())

    def test_the_example_file(self):
        example = pathlib.Path(__file__).parent / 'dist' / 'cairn-server.conf'
        server = self.start(f'--config={example}')
        self.assertEqual(server.end(), 0)
        # What is commented out is right, too, but for the files that it names.
        config = pathlib.Path(self.folder.name, 'config')
        config.write_text(re.sub(r'(?m)^# ([a-z-]+ \S+|password .*)$', r'\1', example.read_text()))
        self.assertIn('/etc/cairn-server/', self.refused(f'--config={config}', '--port=-1', '--tls_port=0'))

    def test_help_and_a_port_in_use(self):
        result = subprocess.run([SERVER, '--help'], capture_output=True, text=True, timeout=60)
        self.assertIn('-durability', result.stdout)
        self.assertNotIn('-flagfile', result.stdout)
        server = self.start()
        other = tempfile.mkdtemp(dir=self.folder.name)
        result = subprocess.run([SERVER, f'--dir={other}', f'--port={server.address[1]}'], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn('choose another port', result.stderr)
        result = subprocess.run([SERVER, f'--dir={self.folder.name}/data', '--port=0'], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn('lock', result.stderr.lower())

    def test_a_shutdown_finishes_what_is_under_way(self):
        server = self.start()
        with server.client() as busy, server.client() as idle, server.client() as asks:
            self.assertEqual(idle.call('PING'), 'PONG')
            busy.send(encode('DEBUG', 'SLEEP', '0.5') + encode('SET', 'late', 'yes'))
            deadline = time.monotonic() + 30
            while b'cmd=debug' not in asks.call('CLIENT', 'LIST'):
                self.assertLess(time.monotonic(), deadline)
            asks.send(encode('SHUTDOWN'))
            self.assertTrue(idle.ended())
            self.assertEqual(busy.read(), 'OK')
            self.assertEqual(busy.read(), 'OK')
            self.assertTrue(busy.ended())
        self.assertEqual(server.process.wait(60), 0)
        server = self.start()
        with server.client() as client:
            self.assertEqual(client.call('GET', 'late'), b'yes')


class SignalTest(ServerTest):
    def test_a_hangup_opens_the_log_again_and_reads_the_users_again(self):
        log, users = (pathlib.Path(self.folder.name, name) for name in ('server.log', 'users.acl'))
        users.write_text('user default on nopass +@all ~* &*\nuser bob on >old +@all ~*\n')
        server = self.start(f'--aclfile={users}')
        with server.client() as client:
            self.assertEqual(client.call('AUTH', 'bob', 'old'), 'OK')
            users.write_text('user default on nopass +@all ~* &*\nuser bob on >new +get ~*\nuser eve on >e +@all ~*\n')
            server.process.send_signal(signal.SIGHUP)
            self.wait_for(lambda: 'msg="the users were read again"' in server.text())
            self.assertIn('users="3"', server.text())
            self.assertIn('NOPERM', str(client.call('SET', 'a', 'b')))  # at once
            with server.client() as other:
                self.assertIn('WRONGPASS', str(other.call('AUTH', 'bob', 'old')))
            # A file that is wrong changes nothing.
            users.write_text('user default on nopass +@all ~* &*\nuser bob on >new +nonsense\n')
            server.process.send_signal(signal.SIGHUP)
            self.wait_for(lambda: 'msg="the users stay as they were"' in server.text())
            self.assertIn('nonsense', server.text())
            with server.client() as other:
                self.assertEqual(other.call('AUTH', 'eve', 'e'), 'OK')
                self.assertEqual(other.call('SET', 'a', 'b'), 'OK')
        self.assertEqual(server.end(), 0)
        users.write_text('user default on nopass +@all ~* &*\n')
        process = subprocess.Popen([SERVER, f'--dir={self.folder.name}/data', '--port=0', '--disk_reserve_bytes=0', f'--log_file={log}'])
        self.addCleanup(process.kill)
        self.wait_for(lambda: log.exists() and 'msg="ready"' in log.read_text())
        log.rename(f'{log}.1')
        for _ in range(20):
            process.send_signal(signal.SIGHUP)
        self.wait_for(lambda: log.exists() and 'msg="the log was opened again"' in log.read_text())
        process.terminate()
        self.assertEqual(process.wait(60), 0)
        self.assertIn('msg="stopped"', log.read_text())
        self.assertNotIn('msg="stopped"', pathlib.Path(f'{log}.1').read_text())

    def test_it_outlives_who_reads_its_log(self):
        process = subprocess.Popen([SERVER, f'--dir={self.folder.name}/data', '--port=0', '--disk_reserve_bytes=0'], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.kill)
        address = None
        for line in process.stderr:
            if b' address="127.0.0.1:' in line:
                address = ('127.0.0.1', int(line.split(b'127.0.0.1:')[1].split(b'"')[0]))
            if b'msg="ready"' in line:
                break
        process.stderr.close()
        process.stdout.close()
        for _ in range(3):
            process.send_signal(signal.SIGHUP)  # each is told in the log
            with Client(address) as client:
                self.assertEqual(client.call('SET', 'a', 'b'), 'OK')
                self.assertEqual(client.call('DEBUG', 'SLEEP', '0'), 'OK')
        process.terminate()
        self.assertEqual(process.wait(60), 0)


class LimitTest(ServerTest):
    def test_clients_leave_the_store_its_descriptors(self):
        own = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(own[1], 4096), own[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, own)
        server = self.start('--write_buffer_bytes=1000000', limits=[(resource.RLIMIT_NOFILE, 1024)])
        self.assertIn('max_clients="648"', server.text())
        with server.client() as client:
            self.assertEqual(client.call('CONFIG', 'GET', 'maxclients'), [b'maxclients', b'648'])
            self.assertIn('try with', str(client.call('CONFIG', 'SET', 'maxclients', '1020')))
            self.assertEqual(client.call('CONFIG', 'SET', 'maxclients', '640'), 'OK')
            idle = [server.client() for _ in range(1010)]
            # Tables are made and compacted, logs come and go.
            for i in range(60):
                self.assertEqual(client.call('SET', f'key{i}', bytes([i]) * 200_000), 'OK')
            self.assertIn(b'rejected_connections:', client.call('INFO', 'stats'))
            for one in idle:
                one.close()
            for i in range(60):
                self.assertEqual(client.call('GET', f'key{i}'), bytes([i]) * 200_000)
        self.assertNotIn('a write failed', server.text())
        self.assertEqual(server.end(), 0)
        result = subprocess.run([SERVER, f'--dir={self.folder.name}/data', '--port=0'], capture_output=True, text=True, timeout=60,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)))
        self.assertEqual(result.returncode, 1)
        self.assertIn('ulimit -n', result.stderr)

    @unittest.skipIf(SANITIZED, 'a sanitizer needs the address space')
    def test_what_there_is_no_memory_for_is_an_error(self):
        server = self.start('--cache_bytes=10000000', '--write_buffer_bytes=4000000', '--workers=2', limits=[(resource.RLIMIT_AS, 3 << 29)])
        largest = 512 << 20
        requests = [('SETRANGE', 'a', largest - 1, 'x'), ('SETBIT', 'a', 8 * largest - 1, 1), ('BITFIELD', 'a', 'SET', 'u8', 8 * largest - 8, 1),
                    ('SETRANGE', 'b', 50_000_000, 'x'), *[('APPEND', 'c', b'v' * 16_000_000)] * 3, ('BITOP', 'NOT', 'd', 'b'), ('GET', 'b')]

        def load(number):
            with server.client() as client:
                for request in requests:
                    reply = client.call(*request)
                    if isinstance(reply, ReplyError):
                        self.assertIn('OOM', str(reply))
        threads = [threading.Thread(target=load, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertIsNone(server.process.poll(), server.text())
        with server.client() as client:
            self.assertIn('OOM', str(client.call('SETRANGE', 'a', largest - 1, 'x')))
            self.assertEqual(client.call('SET', 'a', 'b'), 'OK')
        self.assertEqual(server.end(), 0)


class HostileTest(ServerTest):
    def alive(self, server):
        self.assertIsNone(server.process.poll())
        with server.client() as client:
            self.assertEqual(client.call('SET', 'alive', 'yes'), 'OK')
            self.assertEqual(client.call('GET', 'alive'), b'yes')

    def test_what_is_no_request_ends_the_connection(self):
        server = self.start()
        for data in (b'*x\r\n', b'*1\r\n$-5\r\n', b'*1\r\n$99999999999\r\n', b'*99999999\r\n', b'*1\r\n:1\r\n', b'*2\r\n$1\r\na\r\nb',
                     b'get "a\r\n', b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + b'A' * 70000, b'a' * 100_000,
                     b'a' * 10_000_000):
            with server.client() as client:
                client.call('SET', 'a', 'b')
                client.send(data)
                self.assertIn('Protocol error', str(client.read()), data[:20])
                self.assertTrue(client.ended())
        dice = random.Random(7)
        for _ in range(200):
            with server.client() as client:
                good = encode('SET', 'x', 'y' * 100)
                data = bytearray(good * 3)
                for _ in range(dice.randrange(1, 6)):
                    data[dice.randrange(len(data))] = dice.randrange(256)
                try:
                    client.send(bytes(data[:dice.randrange(len(data) + 1)]))
                    client.socket.shutdown(socket.SHUT_WR)
                    while client.file.read(65536):
                        pass
                except ConnectionError:
                    pass
        self.alive(server)

    def test_announced_sizes_take_no_memory(self):
        server = self.start()
        before = server.memory()
        clients = []
        for _ in range(50):
            client = server.client()
            client.send(b'*2\r\n$3\r\nGET\r\n$500000000\r\n' + b'a' * 1000)
            clients.append(client)
            client = server.client()
            client.send(b'*1000000\r\n' + b'$1\r\na\r\n' * 10)
            clients.append(client)
        time.sleep(0.3)
        self.alive(server)
        self.assertLess(server.memory() - before, 50 << 20)
        for client in clients:
            client.close()

    def test_who_does_not_read_is_not_waited_for(self):
        server = self.start('--send_timeout=3')
        with server.client() as client:
            client.call('SET', 'large', b'v' * 1_000_000)
        before = server.memory()
        greedy = server.client()
        greedy.socket.setblocking(False)
        sent = 0
        data = encode('GET', 'large') * 100
        deadline = time.monotonic() + 2
        while time.monotonic() < deadline and sent < 50_000_000:
            try:
                sent += greedy.socket.send(data)
            except BlockingIOError:
                time.sleep(0.01)
        self.alive(server)
        self.assertLess(server.memory() - before, 64 << 20)
        # It is dropped in the end.
        deadline = time.monotonic() + 30
        with server.client() as client:
            while b'connected_clients:1\r' not in client.call('INFO', 'clients'):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)
        greedy.close()

    def test_no_more_clients_than_allowed_are_served(self):
        server = self.start('--max_clients=10')
        for _ in range(20):
            clients = [server.client() for _ in range(30)]  # all at once: who is refused, is told
            replies = []
            for client in clients:
                with contextlib.suppress(ConnectionError):
                    client.send(encode('PING'))
            for client in clients:
                with contextlib.suppress(ConnectionError):
                    replies.append(client.read())
            self.assertLessEqual(replies.count('PONG'), 10)
            self.assertGreater(replies.count('PONG'), 0)
            for client in clients:
                client.close()
            deadline = time.monotonic() + 30
            while True:
                with server.client() as client, contextlib.suppress(ConnectionError):
                    info = client.call('INFO', 'clients')
                    if isinstance(info, bytes) and b'connected_clients:1\r' in info:
                        break
                self.assertLess(time.monotonic(), deadline)

    def test_passwords_are_not_guessed(self):
        server = self.start('--password=secret')
        with server.client() as client:
            self.assertIn('NOAUTH', str(client.call('GET', 'a')))
            client.send(encode('SET', 'a', b'v' * 20000))
            self.assertIn('unauthenticated bulk length', str(client.read()))
            self.assertTrue(client.ended())
        with server.client() as client:
            self.assertIn('WRONGPASS', str(client.call('AUTH', 'secreT')))
            self.assertIn('WRONGPASS', str(client.call('AUTH', 'nobody', 'secret')))
            self.assertEqual(client.call('AUTH', 'secret'), 'OK')
            self.assertEqual(client.call('SET', 'a', b'v' * 20000), 'OK')
        with server.client() as client:
            tries = 0
            try:
                while 'WRONGPASS' in str(client.call('AUTH', f'guess{tries}')):
                    tries += 1
            except ConnectionError:
                pass
            self.assertLess(tries, 20)
        with server.client() as client:
            # A pipeline goes on with the rights that its AUTH gave.
            client.send(encode('GET', 'a') + encode('AUTH', 'default', 'secret') + encode('STRLEN', 'a'))
            self.assertIn('NOAUTH', str(client.read()))
            self.assertEqual([client.read(), client.read()], ['OK', 20000])

    def test_idle_connections_are_cheap_and_may_be_ended(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8000), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        server = self.start('--idle_timeout=2')
        before = server.memory()
        idle = [server.client() for _ in range(2000)]
        self.alive(server)
        self.assertLess((server.memory() - before) / len(idle), 40_000)
        deadline = time.monotonic() + 30
        for client in idle:
            self.assertTrue(client.ended())
            self.assertLess(time.monotonic(), deadline)
            client.close()
        self.alive(server)


class KillTest(ServerTest):
    def test_what_was_acknowledged_survives_kill_9(self):
        model = {}
        for round_number in range(3):
            server = self.start('--workers=2', '--write_buffer_bytes=1000000')
            lock = threading.Lock()
            under_way = {}  # the values of a key that were sent and not acknowledged: each may be there
            stop = threading.Event()

            def load(number):
                dice = random.Random(round_number * 10 + number)
                try:
                    with server.client() as client:
                        while not stop.is_set():
                            pairs = [(f'{number}-{dice.randrange(500)}', f'{dice.getrandbits(64)}' * 20) for _ in range(8)]
                            with lock:
                                for key, value in pairs:
                                    under_way.setdefault(key, []).append(value)
                            client.send(b''.join(encode('SET', *pair) for pair in pairs))
                            for key, value in pairs:
                                if client.read() == 'OK':
                                    with lock:
                                        model[key] = value
                                        under_way[key].remove(value)
                except (ConnectionError, OSError):
                    pass
            threads = [threading.Thread(target=load, args=(i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            time.sleep(1)
            server.end(signal.SIGKILL)
            stop.set()
            for thread in threads:
                thread.join()
            server = self.start()
            with server.client() as client:
                self.assertGreater(len(model), 100)
                for key, value in model.items():
                    found = client.call('GET', key)
                    self.assertIn(found, {v.encode() for v in [value, *under_way.get(key, [])]}, key)
                    model[key] = found.decode()
            self.assertEqual(server.end(), 0)


if __name__ == '__main__':
    unittest.main()
