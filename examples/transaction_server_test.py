#!/usr/bin/env python3
"""Sessions of transaction_server: they wait for each other's keys, deadlocks are told to one, and who goes lets go.

  transaction_server_test.py TRANSACTION_SERVER
"""
import select
import socket
import subprocess
import sys
import tempfile
import unittest

SERVER = sys.argv[1]
CROWD = 300  # sessions


class Session:
    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port))
        self.file = self.socket.makefile('r')

    def send(self, line):
        self.socket.sendall(line.encode() + b'\n')

    def reply(self):
        return self.file.readline().rstrip('\n')

    def ask(self, line):
        self.send(line)
        return self.reply()

    def close(self):
        self.file.close()
        self.socket.close()


class TransactionServerTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([SERVER, self.folder.name + '/db', '0'], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(':', 1)[1])
        self.sessions = []

    def tearDown(self):
        for session in self.sessions:
            session.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()

    def session(self):
        self.sessions.append(Session(self.port))
        return self.sessions[-1]

    def test_a_session_alone(self):
        one = self.session()
        self.assertEqual(one.ask('GET alice'), 'NONE')
        self.assertEqual(one.ask('PUT alice one hundred'), 'OK')
        self.assertEqual([one.ask(line) for line in ('BEGIN', 'DELETE alice', 'GET alice', 'ROLLBACK', 'GET alice')],
                         ['OK', 'OK', 'NONE', 'OK', 'VALUE one hundred'])
        self.assertIn('no transaction', one.ask('COMMIT'))
        self.assertIn('BEGIN, GET', one.ask('HELLO'))

    def test_the_second_waits_and_sees_what_the_first_wrote(self):
        one, two = self.session(), self.session()
        one.ask('PUT alice 1')
        self.assertEqual([one.ask('BEGIN'), one.ask('LOCK alice')], ['OK', 'VALUE 1'])
        self.assertEqual(two.ask('BEGIN'), 'OK')
        two.send('LOCK alice')
        self.assertEqual([one.ask('PUT alice 2'), one.ask('COMMIT')], ['OK', 'OK'])
        self.assertEqual(two.reply(), 'VALUE 2')

    def test_a_deadlock_is_told_to_one(self):
        one, two = self.session(), self.session()
        for session, key in ((one, 'a'), (two, 'b')):
            self.assertEqual([session.ask('BEGIN'), session.ask(f'LOCK {key}')], ['OK', 'NONE'])
        one.send('LOCK b')
        two.send('LOCK a')
        first, = select.select([one.socket, two.socket], [], [])[0][:1]
        loser, winner = (one, two) if first is one.socket else (two, one)
        self.assertIn('deadlock', loser.reply().lower())
        self.assertEqual(loser.ask('ROLLBACK'), 'OK')
        self.assertEqual(winner.reply(), 'NONE')

    def test_who_goes_lets_go(self):
        one, two = self.session(), self.session()
        self.assertEqual([one.ask('BEGIN'), one.ask('LOCK a'), one.ask('PUT a lost')], ['OK', 'NONE', 'OK'])
        two.send('LOCK a')
        self.sessions.remove(one)
        one.close()
        self.assertEqual(two.reply(), 'NONE')

    def test_a_crowd_counts(self):
        crowd = [self.session() for _ in range(CROWD)]
        for session in crowd:
            self.assertEqual(session.ask('BEGIN'), 'OK')
            session.send('LOCK n')
        waiting = {session.socket: session for session in crowd}
        for count in range(CROWD):
            session = waiting.pop(select.select(list(waiting), [], [])[0][0])
            self.assertEqual(session.reply(), f'VALUE {count}' if count else 'NONE')
            self.assertEqual([session.ask(f'PUT n {count + 1}'), session.ask('COMMIT')], ['OK', 'OK'])
        self.assertEqual(crowd[0].ask('GET n'), f'VALUE {CROWD}')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
