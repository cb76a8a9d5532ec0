#!/usr/bin/env python3
"""The tools from their command lines, on good databases and bad ones: what they answer, with which status, and that who only looks changes
nothing.

  tools_test.py --bin build/release/tools [-v] [TEST...]
"""
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

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
        self.fails('ldb --db=db ingest_extern_sst --write_global_seqno e.sst', 'write_global_seqno')
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

    def test_words_that_are_none(self):
        self.make()
        for line, word in (('scan --max_keys=12x', 'invalid value'), ('scan --max_keys=99999999999', 'out-of-range'),
                           ('put --hex=Boo a b', 'neither true nor false'), ('get --hex 61', 'Must start with 0x'),
                           ('--compression_type=fast put a b', 'fast'), ('--bloom_bits=0 put a b', 'must be > 0'),
                           ('approxsize --from=a', 'to must be specified'), ('dump --decode_blob_index', 'decode_blob_index'),
                           ('dump_live_files --dump_uncompressed_blobs', 'dump_uncompressed_blobs'),
                           ('--env_uri=nothing://x get a', 'nothing'), ('get', '<key> must be specified'),
                           ('scan --start_time=2 --end_time=1', "End time can't be less")):
            self.fails(f'ldb --db=db {line}', word)
        for line in ('sst_dump --file=db --command=nonsense', 'sst_dump --file=db --set_block_size=x', 'sst_dump --file=db --read_num=-1',
                     'sst_dump --file=db --decode_blob_index', 'sst_dump --file=db --input_key_hex --from=zz'):
            self.fails(line)


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
