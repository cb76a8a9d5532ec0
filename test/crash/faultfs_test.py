#!/usr/bin/env python3
"""faultfs fails as it is told, and after a cut has what was synced, and of the rest what POSIX allows.

  faultfs_test.py FAULTFS

Exit status: 0; 1 where it does something else; 77 where nothing can be mounted.
"""
import errno
import os
import pathlib
import random
import sys
import tempfile
import unittest

import storage_faults
from crash_common import PROGRAMS

SEEDS = range(12)


class Fixed(random.Random):
    """Draws the kind of file system that a test asks for."""

    def __init__(self, names, direct):
        super().__init__(1)
        self.wanted = [names, direct]

    def choice(self, options):
        return self.wanted.pop(0)


class FaultFsTest(unittest.TestCase):
    def mounted(self, names='strict', direct='true'):
        folder = tempfile.TemporaryDirectory(prefix='faultfs-test-')
        self.addCleanup(folder.cleanup)
        mount = storage_faults.FaultMount(pathlib.Path(folder.name), Fixed(names, direct))
        self.addCleanup(mount.drop)
        mount.mount()
        return mount

    def write(self, path, data, sync=False, flags=os.O_WRONLY | os.O_CREAT):
        fd = os.open(path, flags, 0o644)
        self.assertEqual(os.write(fd, data), len(data))
        if sync:
            os.fsync(fd)
        os.close(fd)

    def sync_directory(self, path):
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(fd)
        os.close(fd)

    def cut(self, mount, seed=1):
        mount.cut(seed, 0)
        self.refused(errno.EIO, os.listdir, mount.at)
        mount.reboot()

    def refused(self, error, function, *args):
        with self.assertRaises(OSError) as raised:
            function(*args)
        self.assertEqual(raised.exception.errno, error)

    def test_passes_on_what_is_not_to_fail(self):
        mount = self.mounted()
        self.write(mount.at / 'a', b'hello')
        os.rename(mount.at / 'a', mount.at / 'b')
        os.link(mount.at / 'b', mount.at / 'c')
        os.mkdir(mount.at / 'd')
        self.assertEqual(sorted(os.listdir(mount.at)), ['b', 'c', 'd'])
        self.assertEqual((mount.at / 'c').read_bytes(), b'hello')
        self.assertEqual(mount.counts()['injected'], 0)

    def test_fails_as_the_rules_say(self):
        mount = self.mounted()
        self.write(mount.at / '1.log', b'hello')
        for line, error in (('fail open *.log EMFILE times 1', errno.EMFILE), ('fail open,create *.log EACCES skip 1', errno.EACCES)):
            mount.tell(line)
            if 'skip' in line:
                (mount.at / '1.log').read_bytes()
            self.refused(error, (mount.at / '1.log').read_bytes)
            mount.tell('clear')
        mount.tell('fail create,mkdir,rename,unlink * ENOSPC')
        self.refused(errno.ENOSPC, self.write, mount.at / 'x', b'x')
        self.refused(errno.ENOSPC, os.mkdir, mount.at / 'x')
        self.refused(errno.ENOSPC, os.rename, mount.at / '1.log', mount.at / 'x')
        self.refused(errno.ENOSPC, os.unlink, mount.at / '1.log')
        self.assertEqual(os.statvfs(mount.at).f_bavail, 0)
        mount.tell('clear')
        self.assertGreater(os.statvfs(mount.at).f_bavail, 0)
        self.assertEqual(os.listdir(mount.at), ['1.log'])
        self.assertEqual((mount.at / '1.log').read_bytes(), b'hello')
        for line in ('fail nothing * EIO', 'fail read * EWHAT', 'fail open * short', 'fail create * EIO done', 'fail read * EIO times', 'what'):
            self.refused(errno.EINVAL, mount.tell, line)

    def test_reads_and_writes_a_part(self):
        mount = self.mounted()
        mount.tell('fail read,write *.x short times 2')
        fd = os.open(mount.at / 'a.x', os.O_RDWR | os.O_CREAT)
        n = os.write(fd, b'0123456789')
        self.assertTrue(0 < n < 10)
        self.assertEqual(os.pwrite(fd, b'0123456789', 0) < 10, True)
        self.assertEqual(os.pwrite(fd, b'0123456789', 0), 10)
        mount.tell('fail read *.x short times 1')
        self.assertTrue(0 < len(os.pread(fd, 10, 0)) < 10)
        os.close(fd)

    def test_what_is_done_may_be_answered_with_an_error(self):
        mount = self.mounted()
        self.write(mount.at / 'a', b'hello')
        mount.tell('fail rename * EIO done')
        self.refused(errno.EIO, os.rename, mount.at / 'a', mount.at / 'b')
        self.assertEqual(os.listdir(mount.at), ['b'])
        self.assertFalse(os.path.exists(mount.at / 'a'))
        self.assertEqual((mount.at / 'b').read_bytes(), b'hello')

    def test_what_was_synced_survives(self):
        for names in ('strict', 'ordered'):
            for seed in SEEDS:
                mount = self.mounted(names)
                os.mkdir(mount.at / 'd')
                self.sync_directory(mount.at)
                self.write(mount.at / 'd/a', b'x' * 10000, sync=True)
                self.write(mount.at / 'd/b', b'y', sync=True)
                os.rename(mount.at / 'd/b', mount.at / 'd/c')
                os.link(mount.at / 'd/a', mount.at / 'd/e')
                self.sync_directory(mount.at / 'd')
                self.write(mount.at / 'd/a', b'z' * 20000, flags=os.O_WRONLY | os.O_APPEND)
                self.cut(mount, seed)
                self.assertEqual(sorted(os.listdir(mount.at / 'd')), ['a', 'c', 'e'])
                found = (mount.at / 'd/a').read_bytes()
                self.assertEqual(found[:10000], b'x' * 10000)
                self.assertLessEqual(set(found[10000:]), {0, ord('z')})
                self.assertEqual(found, (mount.at / 'd/e').read_bytes())
                self.assertEqual(os.stat(mount.at / 'd/a').st_nlink, 2)
                mount.drop()

    def outcomes(self, names, act, look):
        found = set()
        for seed in SEEDS:
            mount = self.mounted(names)
            act(mount.at)
            self.cut(mount, seed)
            found.add(look(mount.at))
            mount.drop()
        return found

    def test_a_new_directory_may_be_gone_though_it_was_synced(self):
        def act(at):
            os.mkdir(at / 'd')
            self.write(at / 'd/a', b'x', sync=True)
            self.sync_directory(at / 'd')
        self.assertEqual(self.outcomes('strict', act, lambda at: len(os.listdir(at))), {0, 1})
        self.assertEqual(self.outcomes('ordered', act, lambda at: len(os.listdir(at))), {1})

    def test_renames_are_atomic(self):
        def act(at):
            self.write(at / 'CURRENT', b'old', sync=True)
            self.sync_directory(at)
            self.write(at / 'tmp', b'new', sync=True)
            os.rename(at / 'tmp', at / 'CURRENT')
        def look(at):
            return (at / 'CURRENT').read_bytes(), os.path.exists(at / 'tmp')
        for names in ('strict', 'ordered'):
            found = self.outcomes(names, act, look)
            self.assertLessEqual({(b'old', False), (b'new', False)} if names == 'strict' else {(b'new', False)}, found)
            self.assertNotIn((b'new', True), found)

    def test_unsynced_bytes_survive_in_part(self):
        def act(at):
            self.write(at / 'a', b'', sync=True)
            self.sync_directory(at)
            fd = os.open(at / 'a', os.O_WRONLY)
            for part in (b'1' * 5000, b'2' * 5000, b'3' * 5000):
                os.write(fd, part)
            os.close(fd)
        found = self.outcomes('strict', act, lambda at: (at / 'a').read_bytes())
        whole = b'1' * 5000 + b'2' * 5000 + b'3' * 5000
        self.assertIn(b'', found)
        self.assertIn(whole, found)
        self.assertTrue(any(b'\0' in one for one in found))
        self.assertTrue(any(0 < len(one) < len(whole) and whole.startswith(one) for one in found))

    def test_a_failed_sync_has_lost_what_it_was_to_write(self):
        for direct, visible in (('true', ' visible'), ('false', '')):
            mount = self.mounted(direct=direct)
            self.write(mount.at / 'a', b'old', sync=True)
            self.sync_directory(mount.at)
            fd = os.open(mount.at / 'a', os.O_RDWR)
            os.pwrite(fd, b'lost', 3)
            mount.tell(f'fail fsync a EIO times 1{visible}')
            self.refused(errno.EIO, os.fsync, fd)
            self.assertEqual(os.pread(fd, 10, 0), b'old\0\0\0\0' if visible else b'oldlost')
            os.pwrite(fd, b'new', 7)
            os.fsync(fd)
            os.close(fd)
            self.cut(mount)
            self.assertEqual((mount.at / 'a').read_bytes(), b'old\0\0\0\0new')

    def test_truncations_and_overwrites_go_back(self):
        def act(at):
            self.write(at / 'a', b'0123456789', sync=True)
            self.sync_directory(at)
            os.truncate(at / 'a', 4)
            self.write(at / 'a', b'xx', flags=os.O_WRONLY)
        found = self.outcomes('strict', act, lambda at: (at / 'a').read_bytes())
        self.assertIn(b'0123456789', found)
        self.assertIn(b'xx23', found)

    def test_refuses_a_wrong_command_line(self):
        for arguments in ([], ['/tmp'], ['--names=what', '/tmp', '/tmp']):
            done = storage_faults.run(PROGRAMS['faultfs'], *arguments, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn('faultfs: ', done.stderr)


if __name__ == '__main__':
    PROGRAMS['faultfs'] = sys.argv[1]
    if (reason := storage_faults.why_not()) is not None:
        print('skipped:', reason)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
