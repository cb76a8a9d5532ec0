#!/usr/bin/env python3
"""slowfs gives back what was written, lets reads wait side by side, counts them, and refuses what it does not understand.

  slowfs_test.py SLOWFS

Exit status 77 (skipped for ctest) where nothing can be mounted.
"""
import fcntl
import mmap
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

SLOWFS = sys.argv[1]
PAGE = 4096


def refusal(*arguments, status):
    result = subprocess.run([SLOWFS, *arguments], capture_output=True, text=True, timeout=60)
    assert result.returncode == status, (arguments, result)
    return result.stderr


class Mount:
    """The file system on a folder of its own; `with` ends it by SIGTERM and keeps what it printed last."""

    def __init__(self, *flags):
        self.folder = tempfile.TemporaryDirectory()
        self.backing, self.at = (os.path.join(self.folder.name, name) for name in ('backing', 'mount'))
        os.mkdir(self.backing)
        os.mkdir(self.at)
        self.process = subprocess.Popen([SLOWFS, *flags, self.backing, self.at], stdout=subprocess.PIPE, text=True)
        self.ready = self.process.stdout.readline()

    def __enter__(self):
        if not self.ready:
            self.process.wait(60)
            raise AssertionError('slowfs did not mount')
        return self

    def __exit__(self, *_):
        try:
            self.end()
            assert not os.path.ismount(self.at)
        except BaseException:  # leave no dead mount behind a slowfs that failed
            self.process.kill()
            unmount(self.at, '-l' if os.getuid() == 0 else '-z', check=False)
            raise
        finally:
            self.folder.cleanup()

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.printed = self.process.communicate(timeout=60)[0]
        except ValueError:  # ended before
            return
        assert self.process.returncode == 0, self.process.returncode

    def path(self, name):
        return os.path.join(self.at, name)

    def control(self, line):
        fd = os.open(self.path('.slowfs'), os.O_WRONLY)
        try:
            os.write(fd, line.encode())
        finally:
            os.close(fd)

    def counts(self):
        with open(self.path('.slowfs')) as file:
            return counts_in(file.read())

    def make_cold_file(self, name, pages):
        """A file of random pages, none of them in the mount's page cache; returns (descriptor, contents)."""
        data = random.Random(pages).randbytes(pages * PAGE)
        with open(self.path(name), 'wb') as file:
            file.write(data)
            os.fsync(file.fileno())
        fd = os.open(self.path(name), os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)  # no readahead
        return fd, data


def unmount(at, *flags, check=True):
    subprocess.run([*(['umount'] if os.getuid() == 0 else ['fusermount3', '-u']), *flags, at], check=check, timeout=60)


def counts_in(text):
    return {name: int(value) for name, value in (line.split() for line in text.splitlines())}


def read_in_parallel(fd, count):
    """Reads `count` far pages, a thread each; returns them by number."""
    pages = {}
    together = threading.Barrier(count)

    def read(i):
        together.wait()
        pages[i] = os.pread(fd, PAGE, i * 64 * PAGE)
    threads = [threading.Thread(target=read, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return pages


class ContentsTest(unittest.TestCase):
    FLAGS = ['--read_delay_us=0']

    def setUp(self):
        self.mount = self.enterContext(Mount(*self.FLAGS)) if hasattr(self, 'enterContext') else self.entered()

    def entered(self):  # Python before 3.11
        mount = Mount(*self.FLAGS).__enter__()
        self.addCleanup(mount.__exit__)
        return mount

    def backing(self, name):
        with open(os.path.join(self.mount.backing, name), 'rb') as file:
            return file.read()

    def test_what_was_written_is_read(self):
        data = random.Random(1).randbytes(3_000_017)
        path = self.mount.path('file')
        with open(path, 'wb') as file:
            for begin in range(0, len(data), 70_001):
                file.write(data[begin:begin + 70_001])
            os.fsync(file.fileno())
        self.assertEqual(self.backing('file'), data)
        for drop in (False, True):
            with open(path, 'rb') as file:
                if drop:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                self.assertEqual(file.read(), data)
        self.assertEqual(os.stat(path).st_size, len(data))

    def test_append_overwrite_and_truncate(self):
        path = self.mount.path('log')
        for part in (b'one', b'two'):
            with open(path, 'ab') as file:
                file.write(part)
        with open(path, 'r+b') as file:
            os.pwrite(file.fileno(), b'T', 3)
            file.truncate(5)
            os.fsync(file.fileno())
            self.assertEqual(os.pread(file.fileno(), 100, 0), b'oneTw')
            self.assertEqual(os.pread(file.fileno(), 100, 5), b'')
        os.truncate(path, 8)
        self.assertEqual(self.backing('log'), b'oneTw\0\0\0')
        with open(path, 'wb'):
            pass
        self.assertEqual(os.stat(path).st_size, 0)

    def test_names(self):
        at = self.mount.path
        os.makedirs(at('a/b'))
        for name in ('a/x', 'a/y'):
            with open(at(name), 'w') as file:
                file.write(name)
        os.rename(at('a/x'), at('a/b/z'))
        os.replace(at('a/y'), at('a/b/z'))  # over an existing one
        with open(at('a/b/z')) as file:
            self.assertEqual(file.read(), 'a/y')
        os.link(at('a/b/z'), at('a/l'))
        self.assertEqual(os.stat(at('a/l')).st_nlink, 2)
        self.assertEqual(os.stat(at('a/l')).st_ino, os.stat(at('a/b/z')).st_ino)
        self.assertEqual(sorted(os.listdir(at('a'))), ['b', 'l'])
        self.assertRaises(FileNotFoundError, os.stat, at('a/x'))
        self.assertRaises(FileNotFoundError, os.unlink, at('a/x'))
        self.assertRaises(OSError, os.rmdir, at('a/b'))  # not empty
        self.assertRaises(FileExistsError, os.open, at('a/l'), os.O_CREAT | os.O_EXCL)
        self.assertRaises(NotADirectoryError, os.listdir, at('a/l'))
        folder = os.open(at('a'), os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        with open(at('a/l'), 'r+') as file:  # a file without a name lives while it is open
            os.unlink(at('a/l'))
            os.unlink(at('a/b/z'))
            self.assertEqual(os.fstat(file.fileno()).st_nlink, 0)
            self.assertEqual(file.read(), 'a/y')
        os.rmdir(at('a/b'))
        self.assertEqual(os.listdir(self.mount.backing + '/a'), [])

    def test_many_names(self):
        names = {f'{i:06}-{"n" * 100}' for i in range(1500)}
        for name in names:
            os.close(os.open(self.mount.path(name), os.O_CREAT | os.O_WRONLY))
        self.assertEqual(set(os.listdir(self.mount.at)), names)

    def test_attributes_and_space(self):
        path = self.mount.path('file')
        fd = os.open(path, os.O_CREAT | os.O_RDWR, 0o640)
        os.utime(path, (1_000, 2_000))
        os.chmod(path, 0o600)
        found = os.stat(os.path.join(self.mount.backing, 'file'))
        self.assertEqual((found.st_mode & 0o777, found.st_atime, found.st_mtime), (0o600, 1_000, 2_000))
        self.assertEqual(os.stat(path).st_mtime, 2_000)
        os.posix_fallocate(fd, 0, 10 * PAGE)
        self.assertEqual(os.fstat(fd).st_size, 10 * PAGE)
        self.assertGreaterEqual(os.fstat(fd).st_blocks * 512, 10 * PAGE)
        os.close(fd)
        self.assertGreater(os.statvfs(path).f_bavail, 0)

    def test_locks(self):
        path = self.mount.path('LOCK')
        program = ('import fcntl, sys\nf = open(sys.argv[1], "w")\n'
                   'try: fcntl.{}(f, fcntl.LOCK_EX | fcntl.LOCK_NB)\nexcept OSError: sys.exit(9)')
        for kind in ('lockf', 'flock'):
            def other():
                return subprocess.run([sys.executable, '-c', program.format(kind), path], timeout=60).returncode
            with open(path, 'w') as file:
                self.assertEqual(other(), 0)
                getattr(fcntl, kind)(file, fcntl.LOCK_EX)
                self.assertEqual(other(), 9)
            self.assertEqual(other(), 0)

    def test_direct_and_mapped(self):
        data = random.Random(2).randbytes(64 * PAGE)
        with mmap.mmap(-1, len(data)) as memory:  # aligned
            memory[:] = data
            fd = os.open(self.mount.path('file'), os.O_CREAT | os.O_RDWR | os.O_DIRECT)
            self.assertEqual(os.pwritev(fd, [memory], 0), len(data))
            memory[:] = bytes(len(data))
            self.assertEqual(os.preadv(fd, [memory], 0), len(data))
            self.assertEqual(memory[:], data)
            os.close(fd)
        with open(self.mount.path('file'), 'rb') as file, \
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            self.assertEqual(mapped[:], data)


class WritebackTest(ContentsTest):
    FLAGS = ['--read_delay_us=0', '--writeback']


class DelayTest(unittest.TestCase):
    def test_parallel_reads_wait_side_by_side(self):
        with Mount('--read_delay_us=0') as mount:
            fd, data = mount.make_cold_file('file', 64 * 32)
            mount.control('delay 300000\nreset\n')
            begin = time.monotonic()
            pages = read_in_parallel(fd, 32)
            seconds = time.monotonic() - begin
            for i in range(32):
                self.assertEqual(pages[i], data[i * 64 * PAGE:][:PAGE])
            counts = mount.counts()
            self.assertGreaterEqual(seconds, 0.3)
            self.assertLess(seconds, 16 * 0.3)  # one after the other: 32 delays
            self.assertGreaterEqual(counts['mean_read_us'], 300000)
            self.assertEqual((counts['reads'], counts['read_bytes']), (32, 32 * PAGE))
            self.assertGreaterEqual(counts['max_reads_in_flight'], 4)
            self.assertLessEqual(counts['rounds'], 16)
            self.assertEqual(counts['reads_in_flight'], 0)
            os.close(fd)

    def test_rounds_of_one_after_the_other(self):
        with Mount('--read_delay_us=1', '--read_jitter_us=100') as mount:
            fd, data = mount.make_cold_file('file', 64 * 9)
            for _ in range(2):
                mount.control('reset')
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
                for i in range(7):
                    self.assertEqual(os.pread(fd, PAGE, i * 64 * PAGE), data[i * 64 * PAGE:][:PAGE])
                counts = mount.counts()
                self.assertEqual([counts[name] for name in ('reads', 'rounds', 'max_reads_in_flight', 'writes')],
                                 [7, 7, 1, 0])
            os.pread(fd, PAGE, 0)  # in the page cache
            self.assertEqual(mount.counts()['reads'], 7)
            os.close(fd)

    def test_a_queue_of_one_serves_one_after_the_other(self):
        with Mount('--read_delay_us=20000', '--max_parallel=1') as mount:
            fd, _ = mount.make_cold_file('file', 64 * 8)
            begin = time.monotonic()
            read_in_parallel(fd, 8)
            self.assertGreaterEqual(time.monotonic() - begin, 8 * 0.02)
            self.assertEqual(mount.counts()['parallel'], 1)
            os.close(fd)

    def test_writes_and_syncs_wait_too(self):
        with Mount('--write_delay_us=50000', '--sync_delay_us=70000') as mount:
            fd = os.open(mount.path('file'), os.O_CREAT | os.O_WRONLY)
            begin = time.monotonic()
            os.write(fd, b'12345')
            written = time.monotonic()
            os.fsync(fd)
            self.assertGreaterEqual(written - begin, 0.05)
            self.assertGreaterEqual(time.monotonic() - written, 0.07)
            os.close(fd)
            counts = mount.counts()
            self.assertEqual([counts[name] for name in ('writes', 'write_bytes', 'syncs')], [1, 5, 1])

    def test_direct_io_reads_every_time(self):
        with Mount('--direct_io', '--read_delay_us=10') as mount:
            fd, data = mount.make_cold_file('file', 4)
            mount.control('reset')
            for _ in range(3):
                self.assertEqual(os.pread(fd, 2 * PAGE, 100), data[100:100 + 2 * PAGE])
            counts = mount.counts()
            self.assertEqual((counts['reads'], counts['read_bytes']), (3, 6 * PAGE))
            os.close(fd)

    def test_readahead_is_bounded(self):
        def reads(flag):
            with Mount('--read_delay_us=10', flag) as mount:
                os.close(mount.make_cold_file('file', 256)[0])
                mount.control('reset')
                with open(mount.path('file'), 'rb') as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                    while os.read(file.fileno(), PAGE):
                        pass
                return mount.counts()['reads']
        self.assertGreaterEqual(reads('--max_readahead=0'), 256)
        self.assertLess(reads('--max_readahead=131072'), 64)


class ControlTest(unittest.TestCase):
    def test_settings_and_refusals(self):
        with Mount('--read_jitter_us=5') as mount:
            self.assertEqual(os.listdir(mount.at), [])
            self.assertEqual((mount.counts()['delay'], mount.counts()['jitter']), (1000, 5))
            subprocess.run(['sh', '-c', 'echo delay 7 >"$0"; echo write_delay 8 >>"$0"', mount.path('.slowfs')], check=True)
            mount.control('jitter 0\n\nsync_delay 9')
            self.assertEqual([mount.counts()[name] for name in ('delay', 'jitter', 'write_delay', 'sync_delay')],
                             [7, 0, 8, 9])
            for wrong in ('delay', 'delay ', 'delay x', 'delay 1 ', 'delay -1', 'delay 60000001', 'delay 99999999999999999999',
                          'resett', 'reset 1', '\0'):
                with self.assertRaises(OSError, msg=wrong) as raised:
                    mount.control(wrong)
                self.assertEqual(raised.exception.errno, 22)
            self.assertEqual(mount.counts()['delay'], 7)
            self.assertRaises(PermissionError, os.unlink, mount.path('.slowfs'))
            self.assertRaises(PermissionError, os.rename, mount.path('.slowfs'), mount.path('other'))

    def test_the_end(self):
        for how in (signal.SIGINT, signal.SIGTERM):
            with Mount('--read_delay_us=0') as mount:
                fd, _ = mount.make_cold_file('file', 1)
                os.pread(fd, PAGE, 0)
                os.close(fd)
                mount.end(how)
                self.assertEqual(counts_in(mount.printed)['reads'], 1)
        with Mount() as mount:  # unmounted by somebody else
            unmount(mount.at)
            mount.end(0)
            self.assertEqual(counts_in(mount.printed)['reads'], 0)

    def test_the_end_does_not_wait_for_reads(self):
        with Mount('--read_delay_us=60000000') as mount:
            fd, _ = mount.make_cold_file('file', 1)
            reader = threading.Thread(target=lambda: os.pread(fd, PAGE, 0))
            reader.start()
            while mount.counts()['reads_in_flight'] == 0:
                time.sleep(0.01)
            mount.end()
            reader.join(30)
            self.assertFalse(reader.is_alive())
            try:
                os.close(fd)
            except OSError:
                pass  # its file system is gone

    def test_command_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            inner = os.path.join(folder, 'inner')
            os.mkdir(inner)
            file = os.path.join(folder, 'file')
            open(file, 'w').close()
            self.assertIn('two directories', refusal(folder, status=2))
            self.assertIn('/no/such', refusal('/no/such', inner, status=1))
            self.assertIn('Not a directory', refusal(folder, file, status=1))
            self.assertIn('lies in', refusal(folder, inner, status=2))
            self.assertIn('60000000', refusal('--read_delay_us=60000001', inner, inner, status=2))
            self.assertIn('--threads', refusal('--threads=0', inner, inner, status=2))
            self.assertIn('no_such_flag', refusal('--no_such_flag', inner, inner, status=1))
        result = subprocess.run([SLOWFS, '--help'], capture_output=True, text=True, timeout=60)
        self.assertIn('read_delay_us', result.stdout)


def why_nothing_can_be_mounted():
    """None if it can. Only the system's refusals count: a slowfs that fails otherwise is to fail the test."""
    try:
        os.close(os.open('/dev/fuse', os.O_RDWR))
    except OSError as error:
        return str(error)
    if os.getuid() == 0:
        capabilities = next(line for line in open('/proc/self/status') if line.startswith('CapEff'))
        return None if int(capabilities.split()[1], 16) >> 21 & 1 else 'no CAP_SYS_ADMIN'
    return None if shutil.which('fusermount3') else 'neither root nor fusermount3 (Debian: fuse3)'


if __name__ == '__main__':
    if (reason := why_nothing_can_be_mounted()) is not None:
        print('skipped: nothing can be mounted here:', reason)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
