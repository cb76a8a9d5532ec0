#!/usr/bin/env python3
"""cairn-server built for Windows: many connections at once, TLS, the console's Ctrl+C, and a service. Under Wine elsewhere.

  server/windows_check.py BUILD_FOLDER [--connections 1000] [--rounds 20] [--only service]

Exit status 0 if all replies were right and the server ended as it should. On Windows itself `--only service` wants an administrator's
prompt, `--only console` the program openssl. Ctrl+Break, which is SIGHUP there, is not tried: Wine 8 does
not hand it to another process (GenerateConsoleCtrlEvent fails with error 6). Nor is what the service tells the log of events: Wine 8 keeps
none.
"""
import argparse
import os
import pathlib
import re
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
    if os.name != 'nt':
        import resource
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


class Service:
    """cairn-server as a service: made, and deleted in the end."""

    NAME = 'cairn-server-check'

    def __init__(self, build, folder, *flags):
        self.build = build
        self.log = pathlib.Path(folder) / 'server.log'
        self.seen = 0  # characters of the log, before the last start
        program = windows_path(next(build.rglob('cairn-server.exe')))
        words = [program, '--service', '--port=0', '--disk_reserve_bytes=1000000', f'--log_file={windows_path(self.log)}', *flags]
        self.control('create', self.NAME, 'binPath=', ' '.join(f'"{word}"' for word in words), 'start=', 'demand')

    def run(self, program, *words):
        """Its status and what it printed."""
        done = subprocess.run([*windows_test.emulator(), program, *words], env=windows_test.environment(self.build), text=True, errors='replace',
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
        return done.returncode, done.stdout

    def control(self, *words):
        status, output = self.run('sc.exe', *words)
        if status != 0:
            raise AssertionError(f'sc {words}: status {status}, {output}')
        return output

    def start(self):
        self.seen = len(self.text(whole=True))
        self.control('start', self.NAME)

    def text(self, whole=False):
        """The log; only what came since the last start."""
        text = self.log.read_text() if self.log.exists() else ''
        return text if whole else text[self.seen:]

    def state(self):
        """(state, exit code, the service's own exit code), as sc.exe has them."""
        output = self.control('query', self.NAME)
        return tuple(re.search(rf'{name}\s*:\s*(\w+)(?:\s+(\w+))?', output)[group] for name, group in
                     (('STATE', 2), ('WIN32_EXIT_CODE', 1), ('SERVICE_EXIT_CODE', 1)))

    def wait(self, state):
        wait_for(lambda: self.state()[0] == state, lambda: f'for {state}: {self.state()}; {self.text()}')

    def client(self):
        found = wait_for(lambda: re.search(r' address="([\d.]+):(\d+)"', self.text()), self.text)
        return Client((found[1], int(found[2])))

    def reload(self):
        status, output = self.run(str(next(self.build.rglob('reload_service.exe'))), self.NAME)
        expect('status of reload_service', (status, output), (0, ''))
        wait_for(lambda: 'the log was opened again' in self.text(), self.text)

    def stop(self):
        self.control('stop', self.NAME)
        self.wait('STOPPED')
        expect('exit codes', self.state(), ('STOPPED', '0', '0'))

    def delete(self):
        if self.state()[0] != 'STOPPED':
            self.run('sc.exe', 'stop', self.NAME)
        self.control('delete', self.NAME)


def windows_path(path):
    """As the program sees a file of this system."""
    return str(path) if os.name == 'nt' else 'Z:' + str(path).replace('/', '\\')


def as_service(build, folder):
    text = refused(build, '--service')
    if 'sc.exe create' not in text:
        raise AssertionError(f'--service without the service manager: {text!r}')
    data = pathlib.Path(folder, 'of a service')  # with a space: the name of a program may have one
    data.mkdir()
    service = Service(build, data, f'--dir={windows_path(data / "data")}')
    try:
        service.start()
        with service.client() as client:
            expect('SET', client.call('SET', 'greeting', 'hello'), 'OK')
            expect('GET', client.call('GET', 'greeting'), b'hello')
            service.wait('RUNNING')
            service.reload()
            expect('PING after the reload', client.call('PING'), 'PONG')
        service.stop()
        service.start()
        with service.client() as client:
            expect('GET after the next start', client.call('GET', 'greeting'), b'hello')
        service.stop()
    finally:
        service.delete()
    service = Service(build, data, '--dir=data')
    try:
        service.start()
        service.wait('STOPPED')
        expect('exit codes where the folder is relative', service.state(), ('STOPPED', '1066', '1'))
        if 'absolute path' not in service.text():
            raise AssertionError(f'the log says nothing of --dir: {service.text()!r}')
    finally:
        service.delete()
    print('a service: started, stopped and started again with its keys, reloaded; a relative folder is refused', flush=True)


def refused(build, *flags):
    """What the program says, which ends with status 1."""
    done = subprocess.run([*windows_test.emulator(), str(next(build.rglob('cairn-server.exe'))), *flags], env=windows_test.environment(build),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    expect(f'exit status with {flags}', done.returncode, 1)
    return done.stderr


def on_a_console(build, folder, connections, rounds):
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj',
                    '/CN=localhost', '-keyout', 'server.key', '-out', 'server.crt'], cwd=folder, check=True, capture_output=True)
    tls = ['--tls_port=0', f'--tls_cert_file={folder}/server.crt', f'--tls_key_file={folder}/server.key', '--tls_auth_clients=no']
    server = Server(build, folder, *tls)
    try:
        many(server, connections, rounds)
        encrypted(server, folder)
        expect('exit status after Ctrl+C', server.interrupt(), 0)
        server = Server(build, folder)
        check_keys(server, connections, rounds)
        expect('exit status after Ctrl+C', server.interrupt(), 0)
    except BaseException:
        print(server.text(), file=sys.stderr)
        raise
    finally:
        if server.process.poll() is None:
            with Client(server.address) as client:
                client.send(encode('SHUTDOWN', 'NOSAVE'))
    print('Ctrl+C ended it twice, and all keys were there after it', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--connections', type=int, default=1000)
    parser.add_argument('--rounds', type=int, default=20)
    parser.add_argument('--only', choices=['console', 'service'])
    args = parser.parse_args()
    build = args.build.resolve()
    with windows_test.wine_up(build), tempfile.TemporaryDirectory(prefix='cairn_server_') as folder:
        if args.only != 'service':
            on_a_console(build, folder, args.connections, args.rounds)
        if args.only != 'console':
            as_service(build, folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
