#!/usr/bin/env python3
"""The admin port of cairn-server: /metrics, /healthz, what is refused, and the page in headless Chromium.

  admin_test.py CAIRN_SERVER [--screenshot FILE] [unittest's arguments]
"""
import base64
import http.client
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import server_test

server_test.SERVER = sys.argv.pop(1)
SCREENSHOT = sys.argv.pop(sys.argv.index('--screenshot') + 1) if '--screenshot' in sys.argv else None
if SCREENSHOT:
    sys.argv.remove('--screenshot')
CHROMIUM = shutil.which('chromium')


class AdminTest(server_test.ServerTest):
    def admin(self, *flags):
        server = self.start('--admin_port=0', '--write_buffer_bytes=200000', *flags)
        port = server.port_of('admin')
        return server, port

    @staticmethod
    def size_of(text):
        number, unit = text.split()
        return float(number) * 1024 ** ('B', 'KiB', 'MiB', 'GiB').index(unit)

    def get(self, port, path, method='GET', **headers):
        connection = http.client.HTTPConnection('127.0.0.1', port, timeout=30)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, answer

    def load(self, server, count=8000):
        with server.client() as client:
            client.send(b''.join(server_test.encode('SET', f'key{i % 3000}', 'v' * 100) for i in range(count)))
            for _ in range(count):
                self.assertEqual(client.read(), 'OK')
            client.send(b''.join(server_test.encode('GET', f'key{i % 3000}') for i in range(count)))
            for _ in range(count):
                self.assertEqual(len(client.read()), 100)

    def test_metrics_count_what_happened(self):
        server, port = self.admin()
        self.load(server)
        status, text, answer = self.get(port, '/metrics')
        self.assertEqual(status, 200)
        self.assertIn('version=0.0.4', answer.headers['Content-Type'])
        values = {}
        for line in text.splitlines():
            if line.startswith('#'):
                self.assertRegex(line, r'^# (HELP|TYPE) [a-z_]+ .+')
                continue
            self.assertRegex(line, r'^[a-z_]+(\{[a-z]+="[^"]*"(,le="[^"]*")?\})? [0-9.e+-]+$')
            name, value = line.rsplit(' ', 1)
            self.assertNotIn(name, values)
            values[name] = float(value)
        self.assertEqual(values['cairn_commands_total'], 16000)
        for kind in ('read', 'write'):
            self.assertEqual(values[f'cairn_command_duration_seconds_count{{kind="{kind}"}}'], 8000)
            buckets = [v for n, v in values.items() if n.startswith(f'cairn_command_duration_seconds_bucket{{kind="{kind}"')]
            self.assertEqual(buckets, sorted(buckets))
            self.assertEqual(buckets[-1], 8000)
        self.assertGreater(values['cairn_network_bytes_total{direction="in"}'], 800_000)
        self.assertGreater(values['cairn_flush_written_bytes_total'], 0)
        self.assertGreater(sum(v for n, v in values.items() if n.startswith('cairn_level_tables')), 0)
        state = json.loads(self.get(port, '/state.json')[1])
        self.assertEqual(state['commands'], 16000)
        self.assertEqual(sum(n for _, n in state['write_latency']), 8000)
        self.assertEqual(self.get(port, '/healthz')[:2], (200, 'ok\n'))

    def test_it_only_shows_and_bears_bad_visitors(self):
        server, port = self.admin()
        self.assertEqual(self.get(port, '/nothing')[0], 404)
        self.assertEqual(self.get(port, '/', method='POST')[0], 405)
        status, text, answer = self.get(port, '/', method='HEAD')
        self.assertEqual((status, text), (200, ''))
        self.assertIn("default-src 'none'", answer.headers['Content-Security-Policy'])
        for data in (b'garbage\r\n\r\n', b'GET /\r\n\r\n', b'GET ' + b'a' * 20000, b'\x16\x03\x01' * 5000 + b'\r\n\r\n'):
            with socket.create_connection(('127.0.0.1', port), timeout=30) as visitor:
                visitor.sendall(data)
                self.assertRegex(visitor.recv(100), rb'^HTTP/1.1 4(00|31) ')
        silent = [socket.create_connection(('127.0.0.1', port)) for _ in range(100)]  # more than may come
        with server.client() as client:
            self.assertEqual(client.call('PING'), 'PONG')
        for visitor in silent:
            visitor.close()
        self.assertEqual(server.end(), 0)

    def test_others_need_the_password(self):
        result = subprocess.run([server_test.SERVER, f'--dir={self.folder.name}/data', '--port=0', '--admin_port=0', '--admin_bind=0.0.0.0'],
                                capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn('password', result.stderr)
        _, port = self.admin('--admin_bind=0.0.0.0', '--password=secret')
        self.assertEqual(self.get(port, '/metrics')[0], 401)
        for login, status in (('default:secret', 200), ('default:wrong', 401), ('admin:secret', 401)):
            code = base64.b64encode(login.encode()).decode()
            self.assertEqual(self.get(port, '/metrics', Authorization=f'Basic {code}')[0], status)

    @unittest.skipIf(CHROMIUM is None, 'no chromium (scripts/install-deps.sh test)')
    def test_the_page_shows_the_load(self):
        server, port = self.admin('--cache_bytes=100000')
        self.load(server)
        stop = threading.Event()

        def go_on():
            with server.client():  # the others come and go
                while not stop.is_set():
                    self.load(server, 1000)
        worker = threading.Thread(target=go_on)
        worker.start()

        def visit(*flags, size='1280,900'):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:  # its processes end after it
                result = subprocess.run(
                    [CHROMIUM, '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
                     '--disable-background-networking', '--disable-component-update', '--disable-sync', f'--user-data-dir={profile}',
                     f'--window-size={size}', '--virtual-time-budget=20000', *flags, f'http://127.0.0.1:{port}/'],
                    capture_output=True, text=True, timeout=300)
                self.assertEqual(result.returncode, 0, result.stderr)
                return result.stdout
        try:
            page = visit('--dump-dom')
            image = pathlib.Path(SCREENSHOT or f'{self.folder.name}/page.png')
            visit(f'--screenshot={image}')
            narrow = visit('--dump-dom', size='400,900')
        finally:
            stop.set()
            worker.join()
        self.assertGreaterEqual(int(re.search(r'data-samples="(\d+)"', page).group(1)), 5)

        def tile(name):
            return re.search(rf'id="{name}"[^>]*>([^<]*)<', page).group(1)
        self.assertRegex(tile('about'), r'\d+ workers')
        self.assertRegex(tile('rate'), r'^[\d.]+( [kM])?$')
        # The last of the samples may have seen nothing.
        self.assertRegex(tile('write'), r'^(–|[\d.]+ (ns|µs|ms|s)) / (–|[\d.]+ (ns|µs|ms|s))$')
        self.assertGreaterEqual(int(tile('clients')), 1)  # those that have just left may count, too
        self.assertEqual(tile('problem'), '')
        for text in (page, narrow):
            self.assertRegex(text, r'data-width="\d+\+0"')  # nothing lies beyond the window
        # The axes have moments and no values that mean nothing.
        moments = re.findall(r'class="when">([^<]*)<', page)
        self.assertGreaterEqual(len(moments), 2)
        for moment in moments:
            self.assertRegex(moment, r'^\d\d:\d\d:\d\d$')
        self.assertNotIn('>0 ns<', page)
        self.assertNotIn('NaN', page)
        # A table is as wide as it is large, beside all others.
        widths = [(float(w), self.size_of(title)) for w, title in re.findall(r'<rect [^>]*width="([\d.]+)"[^>]*><title>([\d.]+ \w+)</title>', page)]
        for width, size in widths:
            for other, other_size in widths:
                if min(width, other) > 20:
                    self.assertAlmostEqual(width / other, size / other_size, delta=0.25 * width / other)
        self.assertGreater(page.count('<rect '), 0)     # tables of the levels
        self.assertGreaterEqual(page.count('<path '), 3)  # the lines of the charts
        self.assertTrue(image.read_bytes().startswith(b'\x89PNG'))


if __name__ == '__main__':
    unittest.main()
