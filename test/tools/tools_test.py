#!/usr/bin/env python3
"""The tools from their command lines, on good databases and bad ones: what they answer, with which status, and that who only looks changes
nothing.

  tools_test.py --bin build/release/tools [-v] [TEST...]
"""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

BIN = pathlib.Path('build/release/tools')
TIMEOUT_S = 120


def run(line, folder, stdin=None):
    """(status, standard output, standard error); the first word is a tool's name."""
    words = line if isinstance(line, list) else line.split()
    result = subprocess.run([str(BIN / words[0]), *words[1:]], cwd=folder, input=stdin, capture_output=True, timeout=TIMEOUT_S,
                            env={**os.environ, 'TZ': 'UTC', 'LC_ALL': 'C'})
    return result.returncode, result.stdout.decode(errors='replace'), result.stderr.decode(errors='replace')


def contents(folder):
    """{name: hash} of all files under a folder, and their times of change."""
    return {str(path.relative_to(folder)): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
            for path in sorted(folder.rglob('*')) if path.is_file()}


class ToolsTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def ok(self, line, stdin=None):
        status, out, err = run(line, self.folder, stdin)
        self.assertEqual(status, 0, f'{line}\n{out}{err}')
        return out

    def fails(self, line, *words, stdin=None):
        """Status 1, and an error that has these words; nothing on the way of a crash."""
        status, out, err = run(line, self.folder, stdin)
        self.assertEqual(status, 1, f'{line}\n{out}{err}')
        for word in words:
            self.assertIn(word, err, line)
        return out

    def make(self, name='db', keys=500):
        self.ok(f'ldb --db={name} --create_if_missing load', ''.join(f'k{i:04} ==> v{i}\n' for i in range(keys)).encode())
        self.ok(f'ldb --db={name} compact')
        self.ok(f'ldb --db={name} create_column_family two')
        self.ok(f'ldb --db={name} --column_family=two put x y')
        self.ok(f'ldb --db={name} deleterange k0100 k0200')
        return self.folder / name


LOOKS = ['get k0001', 'scan --max_keys=3', 'dump --count_only', 'idump --count_only', 'approxsize --from=a --to=z', 'manifest_dump --verbose',
         'file_checksum_dump', 'list_column_families', 'checkconsistency', 'get_property rocksdb.stats', 'list_live_files_metadata',
         'dump_live_files', 'list_file_range_deletes', 'multi_get k0001 k0150', '--column_family=two get x', '--secondary_path=second get k0001']


class Looking(ToolsTest):
    def test_leaves_everything_as_it_is(self):
        db = self.make()
        before = contents(db)
        for command in LOOKS:
            self.ok(f'ldb --db=db {command}')
            self.assertEqual(contents(db), before, command)
        for command in ('check', 'scan', 'verify', 'identify', 'recompress'):
            self.ok(f'sst_dump --file=db --command={command} --verify_checksum --show_properties')
            self.assertEqual(contents(db), before, command)

    def test_goes_on_while_another_process_has_the_database(self):
        db = self.make()
        with subprocess.Popen([str(BIN / 'ldb'), '--db=db', 'query'], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
            owner.stdin.write(b'put live 1\n')
            owner.stdin.flush()
            self.assertEqual(owner.stdout.readline(), b'Successfully put live 1\n')
            before = contents(db)
            for command in LOOKS:
                self.ok(f'ldb --db=db {command}')
            self.assertEqual(self.ok('ldb --db=db get live'), '1\n')
            for command in ('put a b', 'delete a', 'compact', 'create_column_family three', 'unsafe_remove_sst_file 1', 'repair',
                            'update_manifest --update_temperatures', 'checkpoint --checkpoint_dir=c', 'reduce_levels --new_levels=2'):
                if command.startswith('reduce'):
                    run(f'ldb --db=db {command}', self.folder)  # nothing to do, or refused
                else:
                    self.fails(f'ldb --db=db {command}', 'LOCK')
                self.assertEqual(contents(db), before, command)
            owner.communicate(b'get live\n', timeout=TIMEOUT_S)
            self.assertEqual(owner.returncode, 0)


class Writing(ToolsTest):
    def test_a_pipe_carries_a_database_over(self):
        self.make()
        for flags in ('', '--hex'):
            dumped = self.ok(f'ldb --db=db dump {flags}')
            self.ok(f'ldb --db=copy{len(flags)} --create_if_missing load {flags} --compact', dumped.encode())
            self.assertEqual(self.ok(f'ldb --db=copy{len(flags)} scan'), self.ok('ldb --db=db scan'))

    def test_bytes_of_all_values_go_through(self):
        self.ok('ldb --db=db --create_if_missing put --hex 0x0000FF 0x00410A42')
        self.assertEqual(self.ok('ldb --db=db get --hex 0x0000FF'), '0x00410A42\n')
        status = subprocess.run([str(BIN / 'ldb'), '--db=db', 'get', '--key_hex', '0x0000FF'], cwd=self.folder, capture_output=True, timeout=TIMEOUT_S)
        self.assertEqual(status.stdout, b'\x00A\nB\n')

    def test_entities(self):
        self.ok('ldb --db=db --create_if_missing put_entity k :whole a:1 b:2')
        self.assertEqual(self.ok('ldb --db=db get_entity k'), ':whole a:1 b:2\n')
        self.assertEqual(self.ok('ldb --db=db get k'), 'whole\n')
        self.assertEqual(self.ok('ldb --db=db multi_get_entity k none'), 'k ==> :whole a:1 b:2\nKey not found: none\n')
        self.fails('ldb --db=db put_entity k novalue', 'wide column format')

    def test_ttl(self):
        self.ok('ldb --db=db --ttl --create_if_missing batchput a 1 b 2')
        self.assertEqual(self.ok('ldb --db=db --ttl scan'), 'a : 1\nb : 2\n')
        self.assertRegex(self.ok('ldb --db=db --ttl scan --timestamp'), r'^Scanning key-values from .* 2013 to .* 2038\n.* a : 1\n.* b : 2\n$')
        self.assertEqual(self.ok('ldb --db=db --ttl dump --end_time=1400000000'), 'Keys in range: 0\n')
        buckets = self.ok('ldb --db=db --ttl dump --count_only --bucket=400000000')
        self.assertEqual([line.split(' : ')[1] for line in buckets.splitlines() if line.startswith('Keys in range')].count('2'), 1)
        self.ok('ldb --db=db put short 1')
        self.fails('ldb --db=db --ttl get short', 'Corruption')

    def test_reduce_levels_moves_and_reopens(self):
        self.make()
        self.ok('ldb --db=db put extra 1')
        before = self.ok('ldb --db=db scan')
        self.ok('ldb --db=db reduce_levels --new_levels=3')
        self.assertEqual(self.ok('ldb --db=db scan'), before)

    def test_change_compaction_style(self):
        self.make()
        before = self.ok('ldb --db=db scan')
        out = self.ok('ldb --db=db change_compaction_style --old_compaction_style=0 --new_compaction_style=1')
        self.assertIn('files per level after compaction: 1,0,', out)
        self.assertEqual(self.ok('ldb --db=db scan'), before)

    def test_backup_and_restore(self):
        self.make()
        self.ok('ldb --db=db backup --backup_dir=b --num_threads=2')
        self.ok('ldb --db=db put later 1')
        self.ok('ldb --db=db backup --backup_dir=b')
        self.ok('ldb --db=back restore --backup_dir=b')
        self.assertEqual(self.ok('ldb --db=back scan'), self.ok('ldb --db=db scan'))
        self.fails('ldb --db=other restore --backup_dir=nothing')
        self.assertFalse((self.folder / 'other').exists())

    def test_external_files(self):
        self.make()
        self.ok('ldb --db=db write_extern_sst e.sst', b'k0001 ==> new\nzz ==> 1\n')
        self.ok('ldb --db=db ingest_extern_sst e.sst')
        self.assertEqual(self.ok('ldb --db=db get k0001'), 'new\n')
        self.ok('ldb --db=db ingest_extern_sst --write_global_seqno e.sst')
        self.assertEqual(self.ok('ldb --db=db get zz'), '1\n')
        self.fails('ldb --db=db ingest_extern_sst nothing.sst', 'nothing.sst')
        self.fails('ldb --db=db write_extern_sst f.sst', 'ascending order', stdin=b'b ==> 1\na ==> 2\n')

    def test_removing_a_table_that_is_gone_lets_the_database_open(self):
        db = self.make()
        table = max(db.glob('*.sst'), key=lambda path: path.stat().st_size)
        table.unlink()
        self.fails('ldb --db=db put a 1', table.name)
        self.ok(f'ldb --db=db unsafe_remove_sst_file {int(table.stem)}')
        self.ok('ldb --db=db put a 1')
        self.assertEqual(self.ok('ldb --db=db --column_family=two get x'), 'y\n')
        self.fails('ldb --db=db unsafe_remove_sst_file 9999', '9999')


class BadInput(ToolsTest):
    def test_no_database(self):
        for command in [*LOOKS, 'put a b', 'compact', 'unsafe_remove_sst_file 1', 'repair', 'reduce_levels --new_levels=2',
                        'checkpoint --checkpoint_dir=c', 'backup --backup_dir=b']:
            self.fails(f'ldb --db=nothing {command}', 'nothing')
            self.assertFalse((self.folder / 'nothing').exists(), command)
        self.fails('sst_dump --file=nothing.sst', 'nothing.sst')

    def test_damaged_files_are_named(self):
        db = self.make()
        table = max(db.glob('*.sst'), key=lambda path: path.stat().st_size)
        data = bytearray(table.read_bytes())
        data[40] ^= 0x55
        table.write_bytes(data)
        before = contents(db)
        for command in ('scan', 'dump', 'idump'):
            self.fails(f'ldb --db=db {command}', table.name)
        self.fails(f'sst_dump --file=db/{table.name} --command=verify', table.name, 'checksum')
        self.fails(f'sst_dump --file=db/{table.name} --command=scan --verify_checksum', table.name)
        self.assertEqual(contents(db), before)

    def test_damaged_manifest(self):
        db = self.make()
        manifest = db / (db / 'CURRENT').read_text().strip()
        data = bytearray(manifest.read_bytes())
        data[20] ^= 0x55
        manifest.write_bytes(data)
        before = contents(db)
        for command in ('get k0001', 'manifest_dump', 'file_checksum_dump', 'list_column_families', 'checkconsistency'):
            self.fails(f'ldb --db=db {command}', manifest.name)
        self.assertEqual(contents(db), before)

    def test_files_that_are_none(self):
        self.make()
        (self.folder / '000001.sst').write_bytes(b'no table' * 100)
        (self.folder / '000002.log').write_bytes(b'no log' * 10000)
        (self.folder / 'MANIFEST-000003').write_bytes(b'no manifest' * 100)
        self.fails('sst_dump --file=000001.sst', '000001.sst')
        self.fails('ldb dump --path=MANIFEST-000003', 'MANIFEST-000003')
        self.fails('ldb dump --path=nothing.txt', "Can't parse file type")
        self.assertIn('Corruption detected', run('ldb dump_wal --walfile=000002.log', self.folder)[2])
        self.fails('ldb dump_wal --walfile=nothing.log', 'nothing.log')
        self.fails('ldb dump_wal --walfile=db')

    def test_values_in_blob_files(self):
        db = self.folder / 'db'
        flags = '--enable_blob_files --min_blob_size=10 --blob_compression_type=snappy'
        self.ok(f'ldb --db=db --create_if_missing {flags} put small 1')
        self.ok(f'ldb --db=db {flags} put large ' + 'ab' * 100)
        self.ok(f'ldb --db=db {flags} compact')
        blob = next(db.glob('*.blob'))
        number = int(blob.stem)
        ref = rf'\[blob ref\] file:{number} offset:67 size:(\d+) compression: Snappy'
        size = re.search(ref, self.ok('ldb --db=db idump --decode_blob_index'))[1]
        self.assertIn("'small' seq:0, type:1 => 1\n", self.ok('ldb --db=db idump --decode_blob_index'))
        self.assertNotIn('[blob ref]', self.ok('ldb --db=db idump'))
        table = max(db.glob('*.sst'))
        for line in (f'sst_dump --file={table} --command=scan --decode_blob_index', f'ldb dump --path={table} --decode_blob_index'):
            self.assertRegex(self.ok(line), ref)
        text = self.ok(f'ldb dump --path={blob} --dump_uncompressed_blobs')
        self.assertIn('Column Family ID : 0\n  Compression      : kSnappyCompression\n', text)
        self.assertIn('Blob count       : 1\n', text)
        self.assertIn(f'Read record with offset 0x1e (30):\n  key size   : 5\n  value size : {size}\n', text)
        self.assertIn('  key        : large\n  raw blob   : ' + 'ab' * 100 + '\n', text)
        self.assertIn(f'total records: 1\n  total key size: 5\n  total blob size: {size}\n  total raw blob size: 200\n', text)
        self.assertIn('  key        : 6C61726765\n', self.ok(f'ldb dump --path={blob} --hex'))
        everything = self.ok('ldb --db=db dump_live_files --decode_blob_index --dump_uncompressed_blobs')
        self.assertIn(f'Blob Files\n==============================\n{blob}\n', everything.replace('db/', f'{db}/').replace(f'{self.folder}/{self.folder}/', f'{self.folder}/'))
        self.assertIn('raw blob   : ' + 'ab' * 100, everything)
        self.assertRegex(self.ok('ldb --db=db list_live_files_metadata'), rf'Live Blob Files:\n.*{blob.name}\n')
        self.assertRegex(self.ok('ldb --db=db list_live_files_metadata --sort_by_filename'), rf"{blob.name}, column family 'default'\n")
        # What a writer left that died, and what was damaged since.
        data = blob.read_bytes()
        torn = self.folder / '000077.blob'
        torn.write_bytes(data[:-32])
        self.assertIn('No blob log footer.\nRead record', self.ok(f'ldb dump --path={torn}'))
        torn.write_bytes(data[:-33])
        self.fails(f'ldb dump --path={torn}', '000077.blob at offset 30: blob record reaches beyond the end')
        torn.write_bytes(data[:70] + bytes([data[70] ^ 1]) + data[71:])
        self.fails(f'ldb dump --path={torn}', 'the checksum does not match')
        torn.write_bytes(data[:20])
        self.fails(f'ldb dump --path={torn}', '000077.blob at offset 0: the file is cut')

    def test_words_that_are_none(self):
        self.make()
        for line, word in (('scan --max_keys=12x', 'invalid value'), ('scan --max_keys=99999999999', 'out-of-range'),
                           ('put --hex=Boo a b', 'neither true nor false'), ('get --hex 61', 'Must start with 0x'),
                           ('--compression_type=fast put a b', 'fast'), ('--bloom_bits=0 put a b', 'must be > 0'),
                           ('approxsize --from=a', 'to must be specified'), ('scan --decode_blob_index', 'decode_blob_index'),
                           ('--env_uri=nothing://x get a', 'nothing'), ('get', '<key> must be specified'),
                           ('scan --start_time=2 --end_time=1', "End time can't be less")):
            self.fails(f'ldb --db=db {line}', word)
        for line in ('sst_dump --file=db --command=nonsense', 'sst_dump --file=db --set_block_size=x', 'sst_dump --file=db --read_num=-1',
                     'sst_dump --file=db --input_key_hex --from=zz'):
            self.fails(line)


class Front(ToolsTest):
    """The front: cairn."""

    def doctor(self, name='db', *words, flags=''):
        """What it says of a database with something wrong; nothing is changed."""
        before = contents(self.folder / name)
        status, out, err = run(f'cairn doctor {name} {flags}', self.folder)
        self.assertEqual(status, 1, out + err)
        for word in words:
            self.assertIn(word, out)
        self.assertEqual(contents(self.folder / name), before)
        return out

    def test_scan(self):
        self.make(keys=20)
        self.assertEqual(self.ok('cairn scan db --from=k0003 --to=k0005'), 'k0003\tv3\nk0004\tv4\n')
        self.assertEqual(self.ok('cairn scan db --prefix=k001 --max=1 --keys'), 'k0010\n')
        self.assertEqual(self.ok('cairn scan db --family=two --hex'), '78\t79\n')
        self.assertIn('20 entries', self.ok('cairn scan db --count'))
        self.ok('ldb --db=db put --hex 0x00FF 0x5C0A')
        self.assertEqual(self.ok('cairn scan db --max=1'), '\\x00\\xFF\t\\x5C\\x0A\n')
        self.fails('cairn scan db --family=three', 'three')
        self.fails('cairn scan nothing', 'nothing')

    def test_looks_change_nothing_beside_an_open_database(self):
        db = self.make()
        with subprocess.Popen([str(BIN / 'ldb'), '--db=db', 'query'], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
            owner.stdin.write(b'put live 1\n')
            owner.stdin.flush()
            self.assertEqual(owner.stdout.readline(), b'Successfully put live 1\n')
            before = contents(db)
            self.assertEqual(self.ok('cairn scan db --prefix=live'), 'live\t1\n')
            self.assertIn('a process has the database open', self.ok('cairn doctor db --deep'))
            self.assertIn('L1', self.ok('cairn levels db'))
            self.assertIn(' open, ', self.ok('cairn top db --once'))
            self.assertEqual(contents(db), before)
            owner.communicate(b'', timeout=TIMEOUT_S)
            self.assertEqual(owner.returncode, 0)
        self.assertIn('not open now', self.ok('cairn top db --once'))

    def test_doctor_of_a_sound_database(self):
        db = self.make()
        before = contents(db)
        out = self.ok('cairn doctor db --deep')
        self.assertIn('Nothing is wrong', out)
        self.assertIn('every block is sound', out)
        self.assertEqual(contents(db), before)

    def test_doctor_of_current_and_manifest(self):
        db = self.make()
        current = (db / 'CURRENT').read_text()
        (db / 'CURRENT').unlink()
        self.doctor('db', 'BAD   CURRENT', current.strip(), 'repair')
        (db / 'CURRENT').write_text('nonsense')
        self.doctor('db', 'BAD   CURRENT')
        (db / 'CURRENT').write_text('MANIFEST-009999\n')
        self.doctor('db', 'BAD   CURRENT', 'MANIFEST-009999, which is missing')
        (db / 'CURRENT').write_text(current)
        manifest = db / current.strip()
        data = bytearray(manifest.read_bytes())
        data[20] ^= 0x55
        manifest.write_bytes(data)
        self.doctor('db', 'BAD   MANIFEST', manifest.name)
        self.ok('ldb --db=db repair')  # as it says
        self.assertIn('Nothing is wrong', self.ok('cairn doctor db'))

    def test_doctor_of_tables(self):
        db = self.make()
        table = max(db.glob('*.sst'), key=lambda path: path.stat().st_size)
        data = table.read_bytes()
        table.unlink()
        self.doctor('db', 'BAD   tables', table.name)
        table.write_bytes(data[:-1])
        self.doctor('db', 'BAD   tables', table.name, f'it has {len(data) - 1} bytes, the MANIFEST says {len(data)}')
        table.write_bytes(data[:40] + bytes([data[40] ^ 0x55]) + data[41:])
        self.assertIn('Nothing is wrong', self.ok('cairn doctor db'))  # what it does not read it cannot see
        self.doctor('db', 'BAD   tables', table.name, 'checksum', flags='--deep')
        other = next(path for path in db.glob('*.sst') if path != table)
        table.write_bytes(other.read_bytes())
        self.doctor('db', 'BAD   tables', table.name)

    def test_doctor_of_blob_files(self):
        values = ''.join(f'k{i:03} ==> {str(i) * 100}\n' for i in range(100)).encode()
        self.ok('ldb --db=db --create_if_missing --enable_blob_files --min_blob_size=10 load', values)
        self.ok('ldb --db=db --enable_blob_files --min_blob_size=10 compact')
        db = self.folder / 'db'
        self.assertRegex(self.ok('cairn doctor db --deep'), r'blob files +1 file, .* of which 0.* are garbage: every value is sound')
        blob = next(db.glob('*.blob'))
        data = blob.read_bytes()
        stray = db / '009999.blob'
        stray.write_bytes(data)
        self.assertRegex(self.ok('cairn doctor db'), f'orphans .* in 1 file that the database does not need: {stray.name}')
        stray.unlink()
        blob.unlink()
        self.doctor('db', 'BAD   blob files', blob.name)
        blob.write_bytes(data[:-1])
        self.doctor('db', 'BAD   blob files', blob.name, f'it has {len(data) - 1} bytes, the MANIFEST says {len(data)}')
        middle = len(data) // 2
        blob.write_bytes(data[:middle] + bytes([data[middle] ^ 0x55]) + data[middle + 1:])
        self.assertIn('Nothing is wrong', self.ok('cairn doctor db'))  # what it does not read it cannot see
        self.doctor('db', 'BAD   blob files', blob.name, 'checksum', flags='--deep')

    def test_doctor_of_logs_elsewhere(self):
        db = self.make()
        self.ok('ldb --db=db put last 1')
        elsewhere = self.folder / 'logs'
        elsewhere.mkdir()
        logs = list(db.glob('*.log'))
        self.assertTrue(logs)
        for log in logs:
            log.rename(elsewhere / log.name)
        options = max(db.glob('OPTIONS-*'))
        options.write_text(options.read_text().replace('[DBOptions]', f'[DBOptions]\n  wal_dir={elsewhere}'))
        self.assertRegex(self.ok('cairn doctor db'), '1 log is needed, with 2 writes')
        newest = max(elsewhere.glob('*.log'), key=lambda path: path.stat().st_size)
        data = newest.read_bytes()
        newest.write_bytes(data[:8] + bytes([data[8] ^ 0x55]) + data[9:])
        self.assertIn(newest.name, self.ok('cairn doctor db'))
        elsewhere.rename(self.folder / 'gone')
        self.doctor('db', 'WARN  logs', str(elsewhere), 'wal_dir')

    def test_doctor_counts_what_a_killed_process_left(self):
        db = self.make()
        # A log that its database still needs: that of a process that was killed.
        with subprocess.Popen([str(BIN / 'ldb'), '--db=db', 'query'], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
            for i in range(300):
                owner.stdin.write(b'put live%d %s\n' % (i, b'x' * 200))
            owner.stdin.write(b'get live299\n')
            owner.stdin.flush()
            while not owner.stdout.readline().startswith(b'live299'):
                pass
            owner.kill()
            owner.wait(TIMEOUT_S)
        self.assertRegex(self.ok('cairn doctor db'), r'1 log is needed, with 30[01] writes')

    def test_doctor_of_something_else(self):
        self.fails('cairn doctor nothing')
        (self.folder / 'empty').mkdir()
        self.doctor('empty', 'no file of a database')

    def test_levels_as_a_picture(self):
        self.make()
        self.ok(['ldb', '--db=db', 'create_column_family', 'a <b> & "c"'])
        self.ok('ldb --db=db put z 1')
        self.assertRegex(self.ok('cairn levels db'), r'(?s)^default  \d+ files.*\n  L0 .*\n  L1 .*\ntwo  1 file.*\na <b> & "c"  0 files')
        self.ok('cairn levels db --svg=out.svg')
        picture = xml.etree.ElementTree.parse(self.folder / 'out.svg').getroot()
        texts = [element.text for element in picture.iter() if element.tag.endswith('text')]
        self.assertIn('a <b> & "c"', texts)
        self.assertIn('L1', texts)
        boxes = [element for element in picture.iter() if element.tag.endswith('rect') and len(element)]
        self.assertEqual(len(boxes), len(list((self.folder / 'db').glob('*.sst'))))
        for box in boxes:  # within the track
            self.assertGreaterEqual(float(box.get('x')), 80)
            self.assertLessEqual(float(box.get('x')) + float(box.get('width')), 741)
        self.fails('cairn levels nothing', 'nothing')
        self.fails('cairn levels db --svg=no/such/folder/x.svg', 'x.svg')

    def test_top_tells_what_the_log_says(self):
        self.make()
        now = int(time.time() * 1e6)
        (self.folder / 'db' / 'LOG').write_text(
            '2026/11/27-13:29:38.000001 343d EVENT_LOG_v1 {"time_micros": %d, "job": 7, "event": "flush_started", "num_memtables": 1}\n'
            '2026/11/27-13:29:38.000002 343d EVENT_LOG_v1 {"time_micros": %d, "job": 7, "event": "flush_finished", "status": "OK", '
            '"file_number": 6, "file_size": 2097152, "flush_time_micros": 500000}\n'
            '2026/11/27-13:29:38.000003 343d EVENT_LOG_v1 {"time_micros": %d, "job": 8, "event": "compaction_finished", "status": "OK", '
            '"compaction_time_micros": 2000000, "output_level": 3, "total_output_size": 4194304}\n'
            '2026/11/27-13:29:38.000004 343b [WARN] [default] Stopping writes because of something\n'
            '2026/11/27-13:29:39.000005 343b ------- DUMPING STATS -------\n'
            'Cumulative writes: 5 writes, 6 keys\nBlock cache LRUCache@0x1 capacity: 8.00 MB usage: 1.00 MB\n' % (now, now, now))
        out = self.ok('cairn top db --once')
        self.assertRegex(out, r'flushes +1 in the last minute, 2\.00 MB written')
        self.assertRegex(out, r'compactions +1 in the last minute, 4\.00 MB written')
        self.assertRegex(out, r'compaction to L3 +4\.00 MB +2\.00 s +2\.00 MB/s')
        self.assertRegex(out, r'stalls +1 since it was opened; last: \[default\] Stopping writes because of something')
        self.assertIn('5 writes, 6 keys', out)
        self.assertIn('capacity: 8.00 MB usage: 1.00 MB', out)
        self.assertIn('last line of its LOG 2026/11/27-13:29:39', out)

    def test_the_command_line(self):
        self.assertIn('cairn doctor DIR', self.ok('cairn --help'))
        self.assertIn('cairn doctor DIR', self.ok('cairn scan --help'))
        self.assertIn('cairn', self.ok('cairn --version'))
        for line in ('cairn', 'cairn nonsense db', 'cairn doctor', 'cairn scan db --nonsense', 'cairn scan db --max=x', 'cairn levels db --max=1',
                     'cairn scan a b', 'cairn top db --interval=0', 'cairn scan db --hex=1', 'cairn scan db --from'):
            status, _, err = run(line, self.folder)
            self.assertEqual(status, 2, line)
            self.assertIn('cairn doctor DIR', err, line)


def main():
    global BIN
    arguments = sys.argv[1:]
    if '--bin' in arguments:
        at = arguments.index('--bin')
        BIN = pathlib.Path(arguments[at + 1])
        del arguments[at:at + 2]
    BIN = BIN.resolve()
    unittest.main(argv=[sys.argv[0], *arguments])


if __name__ == '__main__':
    main()
