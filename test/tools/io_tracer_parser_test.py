#!/usr/bin/env python3
"""io_tracer_parser on traces that this program writes, byte by byte: its lines, which are those of RocksDB's tool, and its exit status.

  io_tracer_parser_test.py build/release/tools/io_tracer_parser [-v] [TEST...]
"""
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

PARSER = pathlib.Path('build/release/tools/io_tracer_parser')
BEGIN = 1_700_000_000_000_000    # microseconds


def text(data):
    assert len(data) < 128
    return bytes([len(data)]) + data


def entry(time, kind, payload=b''):
    return struct.pack('<QBI', time, kind, len(payload)) + payload


def call(time, operation, latency, status, file, numbers=(), request=None):
    """numbers: of bits 0 (file size), 1 (length), 2 (offset) those that are there."""
    payload = struct.pack('<Q', sum(1 << bit for bit, _ in numbers)) + text(operation) + struct.pack('<Q', latency) + text(status) + text(file)
    payload += b''.join(struct.pack('<Q', number) for _, number in sorted(numbers))
    payload += struct.pack('<Q', request is not None) + (text(request) if request is not None else b'')
    return entry(time, 12, payload)


HEADER = entry(BEGIN, 1, text(b'feedcafedeadbeef') + struct.pack('<II', 11, 8))
CALLS = [call(100, b'NewWritableFile', 7, b'OK', b'000009.sst'), call(200, b'Append', 1234567, b'OK', b'000009.sst', [(1, 4096)]),
         call(300, b'Read', 50, b'IO error: x', b'a-very-long-name-of-a-file.sst', [(1, 10), (2, 20)], b'r1'),
         call(400, b'GetFileSize', 1, b'OK', b'', [(0, 77)])]
LINES = ['Access Time : 100                 , File Name: 000009.sst          , File Operation: NewWritableFile   , Latency: 7         , IO Status: OK',
         'Access Time : 200                 , File Name: 000009.sst          , File Operation: Append            , Latency: 1234567   , IO Status: OK, '
         'Length: 4096',
         'Access Time : 300                 , File Name: a-very-long-name-of-a-file.sst, File Operation: Read              , Latency: 50        , '
         'IO Status: IO error: x, Length: 10, Offset: 20, Request Id: r1',
         'Access Time : 400                 , File Name:                     , File Operation: GetFileSize       , Latency: 1         , IO Status: OK, '
         'File Size: 77']
BEGINNING = [f'Start Time: {BEGIN}', 'RocksDB Major Version: 11', 'RocksDB Minor Version: 8']


class ParserTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.trace = pathlib.Path(folder.name) / 'trace'

    def parse(self, data=None, *flags):
        """(exit status, lines, standard error)"""
        if data is not None:
            self.trace.write_bytes(data)
        words = flags or [f'--io_trace_file={self.trace}']
        result = subprocess.run([str(PARSER), *words], capture_output=True, text=True, timeout=60, check=False)
        return result.returncode, result.stdout.splitlines(), result.stderr

    def test_lines(self):
        status, lines, errors = self.parse(HEADER + b''.join(CALLS))
        self.assertEqual((0, ''), (status, errors))
        self.assertEqual(BEGINNING + LINES, lines)

    def test_nothing_but_a_header(self):
        self.assertEqual((0, BEGINNING, ''), self.parse(HEADER))

    def test_entries_of_other_kinds(self):
        status, lines, errors = self.parse(HEADER + entry(1, 4, b'x') + CALLS[0])
        self.assertEqual((0, BEGINNING + LINES[:1]), (status, lines))
        self.assertIn('1 entries of other kinds', errors)

    def test_damage(self):
        whole = HEADER + b''.join(CALLS[:2])
        for cut in (1, 20, len(CALLS[1]) - 1):
            status, lines, errors = self.parse(whole[:-cut])
            self.assertEqual((1, BEGINNING + LINES[:1]), (status, lines))
            self.assertIn('Corruption', errors)
        status, lines, errors = self.parse(HEADER + entry(5, 12, b'short'))
        self.assertEqual((1, BEGINNING), (status, lines))
        self.assertIn('Corruption', errors)

    def test_no_trace(self):
        for data in (b'', HEADER[:30], entry(1, 1, b'feedcafedeadbeef\tTrace Version: 0.2\t')):
            status, lines, errors = self.parse(data)
            self.assertEqual((1, []), (status, lines))
            self.assertIn('Corruption', errors)
        status, lines, errors = self.parse(None, '--io_trace_file=/no/such/trace')
        self.assertEqual((1, []), (status, lines))
        self.assertIn('/no/such/trace', errors)

    def test_flags(self):
        self.assertEqual(2, self.parse(None, '--io_trace_file=')[0])
        self.assertEqual(2, self.parse(HEADER, f'--io_trace_file={self.trace}', 'more')[0])


if __name__ == '__main__':
    if len(sys.argv) > 1 and not sys.argv[1].startswith('-'):
        PARSER = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
