#!/usr/bin/env python3
"""Users of cairn-server from outside: the ACL file, what becomes of connections, passwords that are guessed.

  acl_test.py CAIRN_SERVER [unittest's arguments]
"""
import base64
import hashlib
import os
import pathlib
import random
import signal
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request

import server_test
from server_test import encode

server_test.SERVER = sys.argv.pop(1)


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


class AclTest(server_test.ServerTest):
    def setUp(self):
        super().setUp()
        self.file = pathlib.Path(self.folder.name, 'users')

    def start_with(self, text, *flags):
        self.file.write_text(text)
        return self.start(f'--aclfile={self.file}', *flags)

    def client_of(self, server, user, password='secret'):
        client = server.client()
        self.assertEqual(client.call('AUTH', user, password), 'OK')
        return client


class FileTest(AclTest):
    USERS = f'# people\n\nuser default on #{sha256("root")} ~* &* +@all\nuser bob on >secret ~b:* +@read +@write\r\nuser carl off nopass\n'

    def test_it_is_read_at_the_start_and_again(self):
        server = self.start_with(self.USERS)
        with server.client() as client, self.client_of(server, 'bob') as bob:
            self.assertIn('NOAUTH', str(client.call('GET', 'a')))
            self.assertIn('WRONGPASS', str(client.call('AUTH', 'carl', 'anything')))
            self.assertEqual(client.call('AUTH', 'root'), 'OK')
            self.assertEqual(client.call('ACL', 'USERS'), [b'bob', b'carl', b'default'])
            self.assertEqual(bob.call('SET', 'b:1', '1'), 'OK')
            self.assertIn('NOPERM', str(bob.call('SET', 'c:1', '1')))
            self.assertIn('NOPERM', str(bob.call('PING')))
            # All or nothing.
            self.file.write_text(self.USERS + 'user dora on\nuser eve +nosuch\nuser bob on\nperson x\n')
            error = str(client.call('ACL', 'LOAD'))
            for number, why in ((7, 'Unknown command'), (8, 'twice'), (9, 'user name rules')):
                self.assertRegex(error, f'users:{number}: [^;]*{why}')
            self.assertEqual(client.call('ACL', 'USERS'), [b'bob', b'carl', b'default'])
            # Bob stays and may ping, Carl is gone; the default user stays as it is without a line.
            self.file.write_text('user bob on >new ~b:* +@all\nuser dora on >secret')
            self.assertEqual(client.call('ACL', 'LOAD'), 'OK')
            self.assertEqual(client.call('ACL', 'USERS'), [b'bob', b'default', b'dora'])
            self.assertEqual(bob.call('PING'), 'PONG')
            with server.client() as other:
                self.assertIn('NOAUTH', str(other.call('PING')))
                self.assertIn('WRONGPASS', str(other.call('AUTH', 'bob', 'secret')))
                self.assertEqual(other.call('AUTH', 'bob', 'new'), 'OK')
                self.assertEqual(other.call('AUTH', 'default', 'root'), 'OK')
            self.file.unlink()
            self.assertIn('cannot open', str(client.call('ACL', 'LOAD')))
            self.assertEqual(bob.call('PING'), 'PONG')

    def test_what_is_saved_is_there_after_a_kill(self):
        server = self.start_with('')
        with server.client() as client:
            self.assertEqual(client.call('ACL', 'SETUSER', 'bob', 'on', '>secret', '~b*', '%R~r', '&c', '+@hash', '-hset', '+client|id'), 'OK')
            users = client.call('ACL', 'LIST')
            self.assertEqual(client.call('ACL', 'SAVE'), 'OK')
            self.assertEqual(client.call('CONFIG', 'GET', 'aclfile'), [b'aclfile', str(self.file).encode()])
        server.end(signal.SIGKILL)
        self.assertNotIn('secret', self.file.read_text())
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ['data', 'log', 'users'])
        server = self.start(f'--aclfile={self.file}', '--password=ignored')
        self.assertIn('whatever the password option is', server.text())
        with server.client() as client:
            self.assertEqual(client.call('ACL', 'LIST'), users)
            self.assertEqual(client.call('AUTH', 'bob', 'secret'), 'OK')

    def test_a_bad_file_starts_nothing(self):
        self.assertIn('cannot open', self.refused('--port=0', f'--aclfile={self.folder.name}/none'))
        for text, expected in (('user\n', ':1: '), ('user a on\nuser b foo\n', ":2: 'foo': Syntax error"), ('on\n', ':1: '),
                               (random.Random(1).randbytes(5000).decode('latin1'), ':1: ')):
            self.file.write_text(text)
            self.assertIn(expected, self.refused('--port=0', f'--aclfile={self.file}'))

    def test_other_machines_are_let_in_when_the_default_user_is_not_open(self):
        self.file.write_text('user bob on nopass +@all ~*\n')
        self.assertIn('password', self.refused('--bind=0.0.0.0', '--port=0', f'--aclfile={self.file}'))
        for line in ('user default off nopass +@all ~* &*\n', 'user default on >secret\n'):
            self.assertEqual(self.start_with(line, '--bind=0.0.0.0').end(), 0)
        self.file.write_text('user default on nopass\n')
        self.assertIn('password', self.refused('--bind=0.0.0.0', '--port=0', '--password=secret', f'--aclfile={self.file}'))


class ConnectionTest(AclTest):
    def test_who_is_deleted_is_gone_at_once(self):
        server = self.start()
        with server.client() as admin:
            admin.call('ACL', 'SETUSER', 'bob', 'on', '>secret', 'allkeys', '+@all')
            admin.call('ACL', 'SETUSER', 'eve', 'on', '>secret', 'allkeys', '+@all')
            bobs = [self.client_of(server, 'bob') for _ in range(5)]
            eve = self.client_of(server, 'eve')
            for client in bobs:
                self.assertEqual(client.call('PING'), 'PONG')
            self.assertEqual(admin.call('ACL', 'DELUSER', 'bob'), 1)
            for client in bobs:
                self.assertTrue(client.ended())
                client.close()
            self.assertEqual(eve.call('PING'), 'PONG')
            # Its own end comes after the answer.
            self.assertEqual(eve.call('ACL', 'DELUSER', 'eve'), 1)
            self.assertTrue(eve.ended())
            eve.close()
            self.assertEqual(admin.call('ACL', 'USERS'), [b'default'])

    def test_rights_are_taken_while_clients_are_busy(self):
        server = self.start('--workers=2')
        with server.client() as admin:
            admin.call('ACL', 'SETUSER', 'bob', 'on', '>secret', 'allkeys', '+@all')
            outcomes, stop = [], threading.Event()

            def work(number):
                replies = set()
                with self.client_of(server, 'bob') as client:
                    while not stop.is_set():
                        client.send(encode('INCR', f'n{number}') * 20 + (encode('MULTI') + encode('INCR', 'm') + encode('EXEC')) * 5)
                        for _ in range(35):
                            reply = client.read()
                            replies.update(str(one)[:6] for one in (reply if isinstance(reply, list) else [reply]) if isinstance(one, Exception))
                    replies.add(f'end {client.call("PING")}')
                outcomes.append(replies)
            threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            for i in range(300):
                self.assertEqual(admin.call('ACL', 'SETUSER', 'bob', '-incr' if i % 2 else '+@all'), 'OK')
            self.assertEqual(admin.call('ACL', 'SETUSER', 'bob', '-incr'), 'OK')
            time.sleep(0.1)
            before = admin.call('MGET', 'n0', 'n1', 'n2', 'n3', 'm')
            time.sleep(0.2)
            self.assertEqual(admin.call('MGET', 'n0', 'n1', 'n2', 'n3', 'm'), before)
            stop.set()
            for thread in threads:
                thread.join()
            self.assertEqual(len(outcomes), 4)
            for replies in outcomes:
                self.assertLessEqual(replies, {'NOPERM', 'EXECAB', 'end PONG'})
                self.assertIn('NOPERM', replies)

    def test_who_guesses_waits_and_nobody_else(self):
        server = self.start('--workers=1', '--password=secret')
        guesses = [server.client() for _ in range(20)]
        begin = time.monotonic()
        for client in guesses:
            client.send(b''.join(encode('AUTH', f'guess{i}') for i in range(30)))
        with server.client() as client:
            self.assertEqual(client.call('AUTH', 'secret'), 'OK')
            slowest = 0
            for i in range(200):
                asked = time.monotonic()
                self.assertEqual(client.call('SET', 'a', i), 'OK')
                slowest = max(slowest, time.monotonic() - asked)
                time.sleep(0.002)
            self.assertLess(slowest, 0.3)
            for guess in guesses:
                answers = 0
                while not guess.ended():
                    guess.file.readline()
                    answers += 1
                self.assertEqual(answers, 16)
                guess.close()
            self.assertGreater(time.monotonic() - begin, 3)
            self.assertEqual(client.call('ACL', 'LOG')[0][:4], [b'count', 320, b'reason', b'auth'])

    def test_the_admin_port_is_for_users_who_may_ask_for_info(self):
        self.file.write_text('user default on >root +@all\nuser bob on >secret +get\nuser mona on >secret -@all +info\n')
        server = self.start(f'--aclfile={self.file}', '--admin_port=0', '--admin_bind=0.0.0.0')
        port = server.port_of('admin')
        for user, password, status in (('default', 'root', 200), ('mona', 'secret', 200), ('bob', 'secret', 401), ('mona', 'root', 401), ('nobody', '', 401)):
            request = urllib.request.Request(f'http://127.0.0.1:{port}/metrics')
            request.add_header('Authorization', 'Basic ' + base64.b64encode(f'{user}:{password}'.encode()).decode())
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    self.assertEqual(answer.status, status, user)
            except urllib.error.HTTPError as error:
                self.assertEqual(error.code, status, user)
                error.close()


if __name__ == '__main__':
    unittest.main()
