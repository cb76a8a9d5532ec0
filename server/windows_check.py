#!/usr/bin/env python3
"""cairn-server built for Windows: many connections at once, TLS, and the console's Ctrl+C. Under Wine elsewhere.

  server/windows_check.py BUILD_FOLDER [--connections 1000] [--rounds 20]

Exit status 0 if all replies were right and the server ended as it should. Ctrl+Break, which is SIGHUP there, is not tried: Wine 8 does
not hand it to another process (GenerateConsoleCtrlEvent fails with error 6).
"""
import argparse
import pathlib
import resource
import ssl
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'scripts'))
import windows_test
from server_test import Client, encode, wait_for

PATIENCE = 120  # seconds
WAVE = 100  # connections that begin at once


class Server:
    def __init__(self, build, folder, *flags):
        self.lines = []
        programs = [next(build.rglob(f'{name}.exe')) for name in ('interrupt', 'cairn-server')]
        self.process = subprocess.Popen(
            [*windows_test.emulator(), *map(str, programs), f'--dir={folder}/data', '--port=0', '--disk_reserve_bytes=1000000', *flags],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=windows_test.environment(build))
        threading.Thread(target=self.read, daemon=True).start()
        wait_for(lambda: self.line('msg="ready"') or self.process.poll() is not None, self.text)
        self.address = self.address_of(' address="')

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line)

    def text(self):
        return ''.join(self.lines)

    def line(self, pattern):
        return next((line for line in self.lines if pattern in line), None)

    def address_of(self, before):
        """The address in the log's first line with `before`."""
        line = wait_for(lambda: self.line(before), self.text)
        host, port = line.split(before)[1].split('"')[0].rsplit(':', 1)
        return host, int(port)

    def interrupt(self):
        """Ctrl+C; the exit status."""
        self.process.stdin.write('\n')
        self.process.stdin.flush()
        return self.process.wait(PATIENCE)


def expect(what, found, wanted):
    if found != wanted:
        raise AssertionError(f'{what}: {found!r} instead of {wanted!r}')


def many(server, connections, rounds):
    """Connections that are all open at once: PING, ECHO and writes of each, in rounds."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard) if hard < 1 << 20 else (max(soft, connections + 200), hard))
    clients = []
    for first in range(0, connections, WAVE):
        clients += [Client(server.address) for _ in range(first, min(first + WAVE, connections))]
        expect('PING', clients[-1].call('PING'), 'PONG')
    began = time.monotonic()
    for number in range(rounds):
        for i, client in enumerate(clients):
            client.send(encode('PING') + encode('ECHO', f'{i}.{number}') + encode('SET', f'key{i}', f'{i}.{number}'))
        for i, client in enumerate(clients):
            expect('PING', client.read(), 'PONG')
            expect('ECHO', client.read(), f'{i}.{number}'.encode())
            expect('SET', client.read(), 'OK')
    print(f'{connections} connections at once: {3 * rounds * connections} requests in {time.monotonic() - began:.1f} s', flush=True)
    for client in clients:
        client.close()


def check_keys(server, connections, rounds):
    with Client(server.address) as client:
        for i in range(connections):
            expect(f'GET key{i}', client.call('GET', f'key{i}'), f'{i}.{rounds - 1}'.encode())


def encrypted(server, folder):
    context = ssl.create_default_context(cafile=f'{folder}/server.crt')
    context.check_hostname = False
    client = Client(server.address_of('tls="'))
    client.socket = context.wrap_socket(client.socket)
    client.file = client.socket.makefile('rb')
    for size in (1, 100, 100_000):
        expect('ECHO by TLS', client.call('ECHO', b'x' * size), b'x' * size)
    print(f'{client.socket.version()}: 3 requests', flush=True)
    client.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--connections', type=int, default=1000)
    parser.add_argument('--rounds', type=int, default=20)
    args = parser.parse_args()
    build = args.build.resolve()
    with windows_test.wine_up(build), tempfile.TemporaryDirectory(prefix='cairn_server_') as folder:
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj',
                        '/CN=localhost', '-keyout', 'server.key', '-out', 'server.crt'], cwd=folder, check=True, capture_output=True)
        tls = ['--tls_port=0', f'--tls_cert_file={folder}/server.crt', f'--tls_key_file={folder}/server.key', '--tls_auth_clients=no']
        server = Server(build, folder, *tls)
        try:
            many(server, args.connections, args.rounds)
            encrypted(server, folder)
            expect('exit status after Ctrl+C', server.interrupt(), 0)
            server = Server(build, folder)
            check_keys(server, args.connections, args.rounds)
            expect('exit status after Ctrl+C', server.interrupt(), 0)
        except BaseException:
            print(server.text(), file=sys.stderr)
            raise
        finally:
            if server.process.poll() is None:
                with Client(server.address) as client:
                    client.send(encode('SHUTDOWN', 'NOSAVE'))
    print('Ctrl+C ended it twice, and all keys were there after it')
    return 0


if __name__ == '__main__':
    sys.exit(main())
