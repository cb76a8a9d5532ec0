#!/usr/bin/env python3
"""pool_server answers a client of the Redis protocol over libcairn.so, and over Debian's librocksdb.so where that is installed.

  pool_server_test.py POOL_SERVER LIBRARY
"""
import ctypes
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

POOL_SERVER, LIBRARY = sys.argv[1:3]
PEER = 'librocksdb.so.7.8'


class Server:
    def __init__(self, folder, *flags, library=LIBRARY):
        self.process = subprocess.Popen([POOL_SERVER, f'--engine={library}', f'--db={folder}/db', '--port=0', *flags],
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        if 'ready on port' not in line:
            raise AssertionError(line + self.process.communicate()[1])
        self.port = int(line.split()[-1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)
        self.process.stderr.close()

    def client(self):
        return Client(socket.create_connection(('127.0.0.1', self.port), timeout=60))


class Error(str):
    """An error reply."""


class Client:
    def __init__(self, connection):
        self.connection = connection
        self.file = connection.makefile('rb')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.connection.close()

    @staticmethod
    def encode(*words):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        return b'*%d\r\n' % len(words) + b''.join(b'$%d\r\n%s\r\n' % (len(word), word) for word in words)

    def send(self, *words):
        self.connection.sendall(self.encode(*words))

    def reply(self):
        line = self.file.readline()
        if not line.endswith(b'\r\n'):
            raise EOFError(line)
        kind, rest = line[:1], line[1:-2]
        if kind == b'+':
            return rest.decode()
        if kind == b'-':
            return Error(rest.decode())
        if kind == b':':
            return int(rest)
        if kind == b'_' or rest == b'-1':
            return None
        if kind in b'$=':
            return self.file.read(int(rest) + 2)[:-2]
        if kind in b'*%':
            return [self.reply() for _ in range(int(rest) * (2 if kind == b'%' else 1))]
        raise AssertionError(line)

    def call(self, *words):
        self.send(*words)
        return self.reply()


def has_peer():
    try:
        ctypes.CDLL(PEER)
        return True
    except OSError:
        return False


class PoolServerTest(unittest.TestCase):
    library = LIBRARY

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def server(self, *flags):
        return Server(self.folder.name, *flags, library=self.library)

    def test_commands(self):
        with self.server() as server, server.client() as c:
            self.assertEqual(c.call('PING'), 'PONG')
            self.assertEqual(c.call('ping', 'hello'), b'hello')
            self.assertEqual(c.call('ECHO', b'a\r\nb\0'), b'a\r\nb\0')
            self.assertIsNone(c.call('GET', 'a'))
            self.assertEqual(c.call('SET', 'a', b'\0\r\n1'), 'OK')
            self.assertEqual(c.call('get', 'a'), b'\0\r\n1')
            self.assertEqual(c.call('SET', '', ''), 'OK')
            self.assertEqual(c.call('MSET', 'b', 2, 'c', 3, 'b', 4), 'OK')
            self.assertEqual(c.call('MGET', 'c', 'none', 'b', '', 'c'), [b'3', None, b'4', b'', b'3'])
            self.assertEqual(c.call('DEL', 'b', 'none', 'c', 'b'), 2)
            self.assertEqual(c.call('DEL', 'b'), 0)
            self.assertEqual(c.call('MGET', 'b', 'c', 'a'), [None, None, b'\0\r\n1'])
            self.assertIsInstance(c.call('DBSIZE'), int)
            self.assertEqual(c.call('CONFIG', 'GET', 'save'), [b'save', b''])
            self.assertEqual(c.call('CONFIG', 'GET', 'hobby'), [])
            self.assertIn(b'pool_threads:64', c.call('INFO'))
            self.assertEqual(c.call('QUIT'), 'OK')
            self.assertRaises(EOFError, c.reply)

    def test_wrong_commands_are_errors_and_the_connection_goes_on(self):
        with self.server() as server, server.client() as c:
            for words in (['FLY'], ['GET'], ['GET', 'a', 'b'], ['SET', 'a'], ['SET', 'a', 'b', 'EX', '5'], ['MSET', 'a'],
                          ['MSET', 'a', 'b', 'c'], ['MGET'], ['DEL'], ['CONFIG', 'SET', 'a', 'b'], ['HELLO', '4'], ['x' * 10000]):
                self.assertIsInstance(c.call(*words), Error, words)
            self.assertEqual(c.call('PING'), 'PONG')

    def test_version_3_of_the_protocol(self):
        with self.server() as server, server.client() as c:
            self.assertIn(b'pool_server', c.call('HELLO', 3))
            c.send('GET', 'a')
            self.assertEqual(c.file.readline(), b'_\r\n')
            c.send('CONFIG', 'GET', 'save')
            self.assertEqual(c.file.readline(), b'%1\r\n')

    def test_inline_commands_and_requests_in_pieces(self):
        with self.server() as server, server.client() as c:
            c.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            c.connection.sendall(b'SET word "two words"\r\n')
            self.assertEqual(c.reply(), 'OK')
            for byte in c.encode('GET', 'word') + b'PING\r\n':
                c.connection.sendall(bytes([byte]))
            self.assertEqual((c.reply(), c.reply()), (b'two words', 'PONG'))

    def test_pipelines_keep_their_order(self):
        def pipeline(client, number, wrong):
            # More than one job takes, and more than the buffers of the sockets hold.
            requests, expected = [], []
            for i in range(5000):
                key = f'{number}:{i % 100}'
                if i % 50 == 0:
                    requests.append(client.encode('MGET', key, 'none'))
                    expected.append([None, None])
                    continue
                value = f'{number} {i} '.encode() + b'v' * (i % 300)
                requests += [client.encode('SET', key, value), client.encode('GET', key)]
                expected += ['OK', value]
            sender = threading.Thread(target=client.connection.sendall, args=(b''.join(requests),))
            sender.start()
            got = [client.reply() for _ in expected]
            sender.join()
            wrong[number] = [(a, b) for a, b in zip(got, expected) if a != b]

        with self.server('--pool_threads=16', '--io_threads=2') as server:
            clients = [server.client() for _ in range(8)]
            wrong = [None] * len(clients)
            threads = [threading.Thread(target=pipeline, args=(c, i, wrong)) for i, c in enumerate(clients)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for client in clients:
                client.__exit__()
            self.assertEqual(wrong, [[]] * len(clients))

    def test_big_values_also_for_a_client_that_reads_late(self):
        big = random.Random(1).randbytes(20_000_000)
        with self.server('--pool_threads=1') as server, server.client() as c, server.client() as other:
            self.assertEqual(c.call('SET', 'big', big), 'OK')
            for _ in range(4):
                c.send('GET', 'big')
            # The only thread of the pool does not wait for the client that does not read.
            self.assertEqual(other.call('SET', 'small', 1), 'OK')
            self.assertEqual(other.call('GET', 'small'), b'1')
            for _ in range(4):
                self.assertTrue(c.reply() == big)
            self.assertTrue(c.call('MGET', 'small', 'big')[1] == big)

    def test_a_client_that_leaves_does_no_harm(self):
        with self.server('--pool_threads=4') as server, server.client() as c:
            self.assertEqual(c.call('SET', 'big', b'x' * 5_000_000), 'OK')
            for i in range(40):
                client = server.client()
                for _ in range(3):
                    client.send('GET', 'big')
                if i % 2:
                    client.connection.shutdown(socket.SHUT_RDWR)
                client.__exit__()
            self.assertEqual(c.call('PING'), 'PONG')
            for _ in range(100_000):
                if b'connected_clients:1\r' in c.call('INFO'):
                    break
            else:
                self.fail('connections are left over')

    def test_what_came_before_the_end_of_the_input_is_answered(self):
        with self.server() as server:
            for _ in range(50):
                with server.client() as c:
                    c.connection.sendall(c.encode('SET', 'a', 'b') * 3)
                    c.connection.shutdown(socket.SHUT_WR)
                    self.assertEqual(c.file.read(), b'+OK\r\n' * 3)

    def test_a_malformed_request_gets_an_error_and_ends_the_connection(self):
        with self.server() as server:
            for rubbish in (b'*1\r\n:5\r\n', b'*x\r\n', b'*1\r\n$-5\r\n', b'*1\r\n$3\r\nabcde', b"GET 'a\r\n", b'*1\r\n$99999999999\r\n'):
                with server.client() as c:
                    c.connection.sendall(c.encode('PING') + rubbish)
                    self.assertEqual(c.reply(), 'PONG')
                    reply = c.reply()
                    self.assertIsInstance(reply, Error, rubbish)
                    self.assertIn('Protocol error', reply)
                    self.assertRaises((EOFError, ConnectionError), c.reply)
            with server.client() as c:
                self.assertEqual(c.call('PING'), 'PONG')

    def test_acknowledged_writes_survive_a_kill(self):
        for flags in ((), ('--sync',)):
            with self.server(*flags) as server, server.client() as c:
                acknowledged = {}
                for i in range(300):
                    key, value = f'k{i}', f'{flags}{i}'.encode()
                    self.assertEqual(c.call('SET', key, value), 'OK')
                    acknowledged[key] = value
                self.assertEqual(c.call('DEL', 'k7'), 1)
                acknowledged['k7'] = None
                # What is under way now may be there or not.
                c.connection.sendall(b''.join(c.encode('SET', f'later{i}', i) for i in range(1000)))
                server.process.kill()
                server.process.wait()
            with self.server(*flags) as server, server.client() as c:
                self.assertEqual(c.call('MGET', *acknowledged), list(acknowledged.values()))

    def test_unix_socket(self):
        path = f'{self.folder.name}/socket'
        with self.server(f'--unix_socket={path}'):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(path)
            with Client(connection) as c:
                self.assertEqual(c.call('SET', 'a', 'b'), 'OK')
                self.assertEqual(c.call('GET', 'a'), b'b')
        self.assertFalse(os.path.exists(path))

    def test_shutdown_closes_the_database(self):
        with self.server('--statistics') as server, server.client() as c, server.client() as idle:
            self.assertEqual(c.call('SET', 'a', 'b'), 'OK')
            self.assertIn(b'rocksdb.', c.call('INFO'))
            c.send('SHUTDOWN')
            self.assertRaises((EOFError, ConnectionError), c.reply)
            self.assertRaises((EOFError, ConnectionError), idle.reply)
            self.assertEqual(server.process.wait(60), 0)
        with self.server() as server, server.client() as c:
            self.assertEqual(c.call('GET', 'a'), b'b')

    def test_refusals(self):
        def refuse(*flags, status):
            result = subprocess.run([POOL_SERVER, *flags], capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, status, result.stderr)
            return result.stderr
        right = (f'--engine={self.library}', f'--db={self.folder.name}/db')
        self.assertIn('--engine', refuse(status=2))
        self.assertIn('--pool_threads', refuse(*right, '--pool_threads=0', status=2))
        self.assertIn('--io_threads', refuse(*right, '--io_threads=65', status=2))
        self.assertIn('--port', refuse(*right, '--port=-1', status=2))
        self.assertIn('--bind', refuse(*right, '--bind=localhost', status=1))
        self.assertIn('no_such_file', refuse('--engine=./no_such_file.so', right[1], status=1))
        self.assertIn('what is', refuse(*right, 'stray', status=2))
        pathlib.Path(self.folder.name, 'file').touch()
        self.assertIn('file', refuse(right[0], f'--db={self.folder.name}/file', status=1))
        with self.server() as server:
            self.assertIn(str(server.port), refuse(right[0], f'--db={self.folder.name}/other', f'--port={server.port}', status=1))


@unittest.skipUnless(has_peer(), f'{PEER} is not installed')
class PoolServerOverRocksDBTest(PoolServerTest):
    library = PEER


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
