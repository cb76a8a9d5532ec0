#!/usr/bin/env python3
"""scripts/shows_server.py takes its measurements and tells them.

  shows_server_test.py BUILD_FOLDER LIBRARY

What lies on slow storage is left out where slowfs was not built, or FUSE is missing.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

BUILD, LIBRARY = pathlib.Path(sys.argv[1]), sys.argv[2]
SCRIPT = pathlib.Path(__file__).resolve().parent.parent / 'scripts/shows_server.py'
SLOW = (BUILD / 'bench/slowfs').exists() and pathlib.Path('/dev/fuse').exists() and shutil.which('fusermount3')


@unittest.skipIf(os.cpu_count() < 2, 'needs a processor for the server and one for the load')
class ServerShowsTest(unittest.TestCase):
    def run_show(self, show, folder, *more, status=0):
        done = subprocess.run([SCRIPT, show, '--quick', f'--build={BUILD}', f'--ours={LIBRARY}', f'--peer={LIBRARY}', '--peer-name=Itself', '--duration=0.1',
                               f'--places=cached,uncached{",slow" if SLOW else ""}', f'--dir={folder}/dbs', f'--out={folder}/results', *more],
                              capture_output=True, text=True, timeout=250)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def check(self, show):
        with tempfile.TemporaryDirectory(dir='/var/tmp') as folder:  # direct reads need a disk
            done = self.run_show(show, folder)
            results = pathlib.Path(folder) / 'results'
            text = (results / f'server-{show}.md').read_text()
            self.assertIn(text, done.stdout)
            self.assertNotIn('not measured', text)
            xml.dom.minidom.parseString((results / f'server-{show}.svg').read_text())
            # What has been measured is not measured again, and other settings are not mixed in.
            again = self.run_show(show, folder, '--resume')
            self.assertNotIn('GET ', again.stderr)
            self.assertIn('cannot resume', self.run_show(show, folder, '--resume', '--keys=100', status=1).stderr)
            return text, json.loads((results / f'server-{show}.json').read_text())['records']

    def test_clients(self):
        text, records = self.check('clients')
        self.assertEqual(text.count('| cairn-server |'), 3 if SLOW else 2)
        for record in records.values():
            for figures in record['figures'].values():
                self.assertEqual([figures[name] for name in ('errors', 'disconnects', 'timeouts')], [0, 0, 0])
                self.assertGreater(figures['ops_per_second'], 0)

    def test_curve(self):
        text, records = self.check('curve')
        self.assertIn('cairn-server: CPU µs', text)
        self.assertIn('GET 20 64', next(iter(records.values()))['figures'])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
