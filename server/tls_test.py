#!/usr/bin/env python3
"""cairn-server behind TLS: certificates made here by openssl, clients of Python's ssl and redis-cli, good ones and bad ones.

  tls_test.py CAIRN_SERVER [unittest's arguments]
"""
import pathlib
import random
import select
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import server_test
from server_test import Client, encode

server_test.SERVER = sys.argv.pop(1)
REDIS_CLI = shutil.which('redis-cli')


def openssl(folder, *words):
    subprocess.run(['openssl', *words], cwd=folder, check=True, capture_output=True, timeout=60)


def make_certificates(folder):
    """An authority, and signed by it the server and a client; another authority with a client of its own."""
    for authority in ('ca', 'other-ca'):
        openssl(folder, 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', f'/CN={authority}',
                '-keyout', f'{authority}.key', '-out', f'{authority}.crt')
    for name, authority in (('server', 'ca'), ('client', 'ca'), ('stranger', 'other-ca')):
        openssl(folder, 'req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', f'/CN={name}', '-keyout', f'{name}.key', '-out', f'{name}.csr')
        (folder / f'{name}.ext').write_text('subjectAltName=IP:127.0.0.1\n')
        openssl(folder, 'x509', '-req', '-in', f'{name}.csr', '-CA', f'{authority}.crt', '-CAkey', f'{authority}.key', '-CAcreateserial', '-days', '2',
                '-extfile', f'{name}.ext', '-out', f'{name}.crt')
    openssl(folder, 'ec', '-in', 'server.key', '-aes128', '-passout', 'pass:secret', '-out', 'locked.key')


class TlsClient(Client):
    def __init__(self, address, context, receive_buffer=0):
        raw = socket.socket()
        if receive_buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        raw.settimeout(30)
        raw.connect(address)
        try:
            self.socket = context.wrap_socket(raw, server_hostname=address[0])
        except Exception:
            raw.close()
            raise
        self.file = self.socket.makefile('rb')

    def exchange(self, data, size):
        """Sends and receives at once, `size` bytes in the end. (Python's sockets of ssl are not for two threads.)"""
        got = bytearray()
        left = memoryview(data)
        self.socket.setblocking(False)
        while len(got) < size:
            wanted = [self.socket] if left else []
            if not self.socket.pending():
                readable, writable, _ = select.select([self.socket], wanted, [], 30)
                if not readable and not writable:
                    raise TimeoutError(f'{len(got)} of {size} bytes have come')
            try:
                if left:
                    left = left[self.socket.send(left[:65536]):]
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                pass
            try:
                piece = self.socket.recv(65536)
                if not piece:
                    raise ConnectionError('the server has closed the connection')
                got += piece
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                pass
        self.socket.settimeout(30)
        return bytes(got)


class TlsTest(server_test.ServerTest):
    @classmethod
    def setUpClass(cls):
        certificates = tempfile.TemporaryDirectory()
        cls.addClassCleanup(certificates.cleanup)
        cls.certificates = pathlib.Path(certificates.name)
        make_certificates(cls.certificates)

    def flags(self, clients='no', *more, ca=True):
        files = {'tls_cert_file': 'server.crt', 'tls_key_file': 'server.key', 'tls_ca_cert_file': 'ca.crt' if ca else ''}
        return ['--tls_port=0', f'--tls_auth_clients={clients}',
                *(f'--{name}={self.certificates}/{file}' for name, file in files.items() if file), *more]

    def start_tls(self, clients='no', *more, port=-1):
        server = self.start(*self.flags(clients, *more), port=port)
        server.tls_address = ('127.0.0.1', server.port_of('tls'))
        return server

    def context(self, certificate=None, version=None):
        context = ssl.create_default_context(cafile=self.certificates / 'ca.crt')
        if certificate:
            context.load_cert_chain(self.certificates / f'{certificate}.crt', self.certificates / f'{certificate}.key')
        if version:
            context.minimum_version = context.maximum_version = version
        return context

    def client(self, server, certificate=None, version=None, **more):
        return TlsClient(server.tls_address, self.context(certificate, version), **more)

    def alive(self, server, certificate=None):
        self.assertIsNone(server.process.poll())
        with self.client(server, certificate) as client:
            self.assertEqual(client.call('SET', 'alive', 'yes'), 'OK')
            self.assertEqual(client.call('GET', 'alive'), b'yes')

    def wait_for_clients(self, server, count, certificate=None):
        deadline = time.monotonic() + 30
        with self.client(server, certificate) as client:
            while b'connected_clients:%d\r' % count not in client.call('INFO', 'clients'):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)


class ReloadTest(TlsTest):
    def test_a_hangup_reads_the_certificates_again(self):
        folder = pathlib.Path(self.folder.name)
        for name in ('server.crt', 'server.key'):
            shutil.copy(self.certificates / name, folder / name)
        server = self.start_tls('no', f'--tls_cert_file={folder}/server.crt', f'--tls_key_file={folder}/server.key')

        def shown():
            with self.client(server) as client:
                self.assertEqual(client.call('PING'), 'PONG')
                return client.socket.getpeercert()['subject'][0][0][1]

        def hang_up(count, text):
            server.process.send_signal(signal.SIGHUP)
            self.wait_for(lambda: server.text().count(text) == count)
        self.assertEqual(shown(), 'server')
        with self.client(server) as old:
            # Another one of the same authority, as its user renews it; each of them, often.
            for round_number in range(1, 151):
                name = ('client', 'server')[round_number % 2]
                for kind in ('crt', 'key'):
                    shutil.copy(self.certificates / f'{name}.{kind}', folder / f'server.{kind}')
                hang_up(round_number, 'msg="the certificates were read again"')
                if round_number < 3 or round_number > 148:
                    self.assertEqual(shown(), name)
            # What is wrong stays outside: a key of another, and what is none.
            shutil.copy(self.certificates / 'stranger.key', folder / 'server.key')
            hang_up(1, 'msg="the certificates stay as they were"')
            (folder / 'server.crt').write_text('nothing')
            hang_up(2, 'msg="the certificates stay as they were"')
            self.assertEqual(shown(), 'client')
            self.assertEqual(old.call('PING'), 'PONG')
        self.assertEqual(server.end(), 0)


class UseTest(TlsTest):
    def test_commands_pipelines_and_large_values_of_both_versions(self):
        server = self.start_tls(port=0)
        large = random.Random(1).randbytes(5_000_000)
        for version, name in ((ssl.TLSVersion.TLSv1_2, 'TLSv1.2'), (ssl.TLSVersion.TLSv1_3, 'TLSv1.3')):
            with self.client(server, version=version) as client:
                self.assertEqual(client.socket.version(), name)
                self.assertEqual(client.call('FLUSHALL'), 'OK')
                self.assertEqual(client.call('SET', 'large', large), 'OK')
                self.assertEqual(client.call('GET', 'large'), large)
                # Pinned values between small ones, and more than fits into any buffer.
                client.send((encode('GET', 'large') + b'PING\r\n') * 4)
                for _ in range(4):
                    self.assertEqual([client.read(), client.read()], [large, 'PONG'])
                count = 5000
                data = b''.join(encode('SET', f'key{i}', f'value{i}') + encode('GET', f'key{i}') for i in range(count))
                replies = b''.join(b'+OK\r\n$%d\r\nvalue%d\r\n' % (len(f'value{i}'), i) for i in range(count))
                # More than fits into the buffers, both ways at once.
                data += encode('ECHO', 'e' * 30_000) * 300
                replies += (b'$30000\r\n' + b'e' * 30_000 + b'\r\n') * 300
                self.assertEqual(client.exchange(data, len(replies)), replies)
                # Acknowledged before it is written: replies leave by another way.
                self.assertEqual(client.call('DURABILITY', 'none'), 'OK')
                client.send(b''.join(encode('INCR', 'n') for _ in range(count)))
                self.assertEqual([client.read() for _ in range(count)], list(range(1, count + 1)))
            with server.client() as plain:  # the other port has the same data
                self.assertEqual(plain.call('STRLEN', 'large'), len(large))
                self.assertEqual(plain.call('CONFIG', 'GET', 'tls-port'), [b'tls-port', b'%d' % server.tls_address[1]])
        self.assertEqual(server.end(), 0)

    def test_messages_come_beside_replies(self):
        server = self.start_tls(port=0)
        large = random.Random(2).randbytes(300_000)
        with self.client(server) as listener, self.client(server, version=ssl.TLSVersion.TLSv1_2) as publisher:
            self.assertEqual(listener.call('SUBSCRIBE', 'a'), [b'subscribe', b'a', 1])
            for i in range(20):
                publisher.send(encode('PUBLISH', 'a', large) + encode('PUBLISH', 'a', i))
                listener.send(b'PING\r\n' * 10)
                got = [listener.read() for _ in range(12)]
                self.assertEqual([m for m in got if m[0] == b'message'], [[b'message', b'a', large], [b'message', b'a', b'%d' % i]])
                self.assertEqual([m for m in got if m[0] == b'pong'], [[b'pong', b'']] * 10)
                self.assertEqual([publisher.read(), publisher.read()], [1, 1])

    def test_requests_in_records_of_any_size(self):
        server = self.start_tls()
        dice = random.Random(3)
        with self.client(server) as client:
            for _ in range(50):
                value = dice.randbytes(dice.choice((0, 1, 100, 16_383, 16_384, 16_385, 70_000)))
                data = encode('SET', 'a', value) + encode('GET', 'a')
                while data:
                    size = dice.choice((1, 5, 200, 16_384, 100_000))
                    client.send(data[:size])
                    data = data[size:]
                self.assertEqual([client.read(), client.read()], ['OK', value])

    def test_sessions_are_resumed_and_the_end_is_told(self):
        server = self.start_tls('yes')
        context = self.context('client')
        with TlsClient(server.tls_address, context) as client:
            self.assertEqual(client.call('PING'), 'PONG')
            session = client.socket.session
        raw = socket.create_connection(server.tls_address)
        with context.wrap_socket(raw, server_hostname='127.0.0.1', session=session, suppress_ragged_eofs=False) as again:
            self.assertTrue(again.session_reused)
            again.sendall(b'QUIT\r\n')
            self.assertEqual(again.recv(100), b'+OK\r\n')
            self.assertEqual(again.recv(100), b'')  # a proper end, not a cut

    @unittest.skipUnless(REDIS_CLI, 'there is no redis-cli')
    def test_redis_cli(self):
        server = self.start_tls('yes')
        command = [REDIS_CLI, '-p', str(server.tls_address[1]), '--tls', '--cacert', self.certificates / 'ca.crt',
                   '--cert', self.certificates / 'client.crt', '--key', self.certificates / 'client.key']
        for words, expected in ((('SET', 'greeting', 'hello'), 'OK'), (('GET', 'greeting'), 'hello')):
            result = subprocess.run([*command, *words], capture_output=True, text=True, timeout=60)
            self.assertEqual(result.stdout.strip(), expected, result.stderr)

    def test_a_shutdown_finishes_what_is_under_way(self):
        server = self.start_tls()
        with self.client(server) as busy, self.client(server) as idle, self.client(server) as asks:
            self.assertEqual(idle.call('PING'), 'PONG')
            busy.send(encode('DEBUG', 'SLEEP', '0.5') + encode('SET', 'late', 'yes'))
            time.sleep(0.1)
            asks.send(encode('SHUTDOWN'))
            self.assertTrue(idle.ended())
            self.assertEqual([busy.read(), busy.read()], ['OK', 'OK'])
        self.assertEqual(server.process.wait(60), 0)


class CertificateTest(TlsTest):
    def refused_client(self, server, certificate=None, version=None):
        # With TLS 1.3 a client learns only when it reads that its certificate was refused.
        with self.assertRaises((ssl.SSLError, ConnectionError)) as caught:
            with self.client(server, certificate, version) as client:
                client.call('PING')
                self.fail('it was let in')
        return str(caught.exception)

    def test_clients_show_who_they_are(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            server = self.start_tls('yes')
            with self.client(server, 'client', version) as client:
                self.assertEqual(client.call('PING'), 'PONG')
            self.refused_client(server, None, version)
            self.refused_client(server, 'stranger', version)
            self.alive(server, 'client')
            self.assertIn('handshake failed', server.text())
            with self.client(server, 'client') as client:
                self.assertIn(b'failed_tls_handshakes:2\r', client.call('INFO', 'stats'))
            server.end()
            server = self.start_tls('optional')
            for certificate in (None, 'client'):
                with self.client(server, certificate, version) as client:
                    self.assertEqual(client.call('PING'), 'PONG')
            self.refused_client(server, 'stranger', version)
            server.end()

    def test_old_versions_are_refused(self):
        server = self.start_tls()
        for version in ('-tls1', '-tls1_1'):
            result = subprocess.run(['openssl', 's_client', '-connect', f'127.0.0.1:{server.tls_address[1]}', version, '-cipher', 'ALL:@SECLEVEL=0'],
                                    stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn('alert', result.stderr)
        self.alive(server)

    def test_what_is_missing_is_said_at_the_start(self):
        folder = self.certificates
        self.assertIn('tls_cert_file', self.refused('--port=-1', '--tls_port=0'))
        self.assertIn('tls_ca_cert_file', self.refused('--port=-1', *self.flags('yes', ca=False)))
        self.assertIn('tls_auth_clients', self.refused(*self.flags('perhaps')))
        for flag, expected in ((f'--tls_cert_file={folder}/none.crt', 'none.crt'), (f'--tls_key_file={folder}/client.key', 'client.key'),
                               (f'--tls_key_file={folder}/locked.key', 'locked.key'), (f'--tls_ca_cert_file={folder}/ca.key', 'ca.key')):
            self.assertIn(expected, self.refused('--port=-1', *self.flags('yes'), flag))

    def test_an_address_of_others_needs_a_password_or_certificates(self):
        for clients in ('no', 'optional'):
            self.assertIn('password', self.refused('--port=-1', '--bind=0.0.0.0', *self.flags(clients)))
        # Certificates say nothing of the port without TLS.
        self.assertIn('password', self.refused('--port=0', '--bind=0.0.0.0', *self.flags('yes')))
        self.assertEqual(self.start_tls('yes', '--bind=0.0.0.0').end(), 0)
        self.assertEqual(self.start_tls('no', '--bind=0.0.0.0', '--password=secret').end(), 0)


class HostileTest(TlsTest):
    def raw(self, server):
        raw = socket.create_connection(server.tls_address)
        raw.settimeout(30)
        return raw

    def read_to_the_end(self, raw):
        data = b''
        try:
            while piece := raw.recv(65536):
                data += piece
        except ConnectionError:
            pass
        return data

    def test_what_is_no_tls_ends_the_connection(self):
        server = self.start_tls('no', '--tls_handshake_timeout=300')
        dice = random.Random(5)
        hello = bytes.fromhex('16030100')
        for data in (b'PING\r\n' * 10, encode('SET', 'a', 'b'), b'GET / HTTP/1.1\r\n\r\n', dice.randbytes(100_000), hello + b'\xff' * 300,
                     b'\x80\x2e\x01\x03\x01' + bytes(100), b'\x16\x03\x03\xff\xff' + bytes(70_000)):
            with self.raw(server) as raw:
                try:
                    raw.sendall(data)
                except ConnectionError:
                    continue
                self.assertNotIn(b'PONG', self.read_to_the_end(raw), data[:20])
        self.alive(server)

    def test_mutilated_handshakes_and_records(self):
        server = self.start_tls()
        dice = random.Random(6)
        for _ in range(150):
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = self.context().wrap_bio(incoming, outgoing, server_hostname='127.0.0.1')
            with self.raw(server) as raw:
                raw.settimeout(5)
                cut = dice.randrange(5)  # the flight that is spoilt; the last ones are requests
                try:
                    for flight in range(cut + 1):
                        try:
                            if flight < 2:
                                tls.do_handshake()
                            else:
                                tls.write(encode('SET', 'x', 'y' * 100))
                        except ssl.SSLWantReadError:
                            pass
                        data = bytearray(outgoing.read())
                        if flight == cut and data:
                            for _ in range(dice.randrange(1, 4)):
                                data[dice.randrange(len(data))] ^= dice.randrange(1, 256)
                            data = data[:dice.randrange(1, len(data) + 1)]
                        raw.sendall(data)
                        if flight == 0 and cut != 0:
                            incoming.write(raw.recv(65536))
                    raw.shutdown(socket.SHUT_WR)
                    self.read_to_the_end(raw)
                except (ConnectionError, ssl.SSLError, BrokenPipeError):
                    pass
        self.alive(server)
        self.wait_for_clients(server, 1)

    def test_who_never_finishes_the_handshake_is_dropped(self):
        server = self.start_tls('no', '--tls_handshake_timeout=1', '--max_clients=50')
        silent = [self.raw(server) for _ in range(20)]
        for raw in silent[10:]:
            raw.sendall(bytes.fromhex('160301'))
        begin = time.monotonic()
        self.alive(server)
        for raw in silent:
            self.assertEqual(self.read_to_the_end(raw), b'')
            raw.close()
        self.assertLess(time.monotonic() - begin, 20)
        self.wait_for_clients(server, 1)

    def test_a_slow_reader_gets_everything_and_one_that_never_reads_is_dropped(self):
        server = self.start_tls('no', '--send_timeout=3')
        large = random.Random(2).randbytes(1_000_000)
        with self.client(server) as client:
            client.call('SET', 'large', large)
            client.call('SET', 'small', 's' * 5000)
        before = server.memory()
        greedy = self.client(server, receive_buffer=4096)
        slow = self.client(server, receive_buffer=4096)
        # Replies leave before their writes are made, as far as the socket takes them: parts of records are left over.
        self.assertEqual(slow.call('DURABILITY', 'none'), 'OK')
        slow.send((encode('GET', 'small') + encode('INCR', 'n')) * 300 + encode('GET', 'large') * 2 + b'PING\r\n')
        greedy.socket.settimeout(1)
        try:
            for _ in range(100):
                greedy.send(encode('GET', 'large') * 100)
        except (TimeoutError, ssl.SSLError, OSError):
            pass
        self.alive(server)
        self.assertLess(server.memory() - before, 64 << 20)
        for i in range(300):
            self.assertEqual([slow.read(), slow.read()], [b's' * 5000, i + 1])
            if i % 50 == 0:
                time.sleep(0.1)
        self.assertEqual([slow.read() for _ in range(3)], [large, large, 'PONG'])
        slow.close()
        self.wait_for_clients(server, 1)
        greedy.close()

    def test_ends_in_the_middle(self):
        server = self.start_tls()
        request = encode('SET', 'cut', 'v' * 200_000)
        for how in ('reset', 'end', 'goodbye', 'half'):
            client = self.client(server)
            client.call('PING')
            client.send(request[:100_000])
            if how == 'reset':
                client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            if how == 'half':
                client.socket.shutdown(socket.SHUT_WR)
            if how == 'goodbye':
                client.socket.settimeout(5)
                try:
                    client.socket.unwrap()
                except (ssl.SSLError, OSError):
                    pass
            client.close()
        self.wait_for_clients(server, 1)
        with self.client(server) as client:
            self.assertEqual(client.call('EXISTS', 'cut'), 0)
            # In the middle of a reply.
            client.call('SET', 'large', b'v' * 5_000_000)
            for _ in range(5):
                other = self.client(server)
                other.send(encode('GET', 'large') * 3)
                other.file.read(10_000)
                other.close()
        self.wait_for_clients(server, 1)
        self.alive(server)

    def test_idle_connections_are_cheap(self):
        server = self.start_tls()
        context = self.context()
        before = server.memory()
        idle = [TlsClient(server.tls_address, context) for _ in range(200)]
        for client in idle:
            self.assertEqual(client.call('PING'), 'PONG')
        self.assertLess((server.memory() - before) / len(idle), 150_000)
        for client in idle:
            client.close()
        self.wait_for_clients(server, 1)

    def test_full_means_closed(self):
        server = self.start_tls('no', '--max_clients=1')
        with self.client(server) as client:
            self.assertEqual(client.call('PING'), 'PONG')
            with self.assertRaises((ssl.SSLError, OSError)):
                self.client(server)
            self.assertEqual(client.call('PING'), 'PONG')


if __name__ == '__main__':
    unittest.main()
