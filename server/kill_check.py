#!/usr/bin/env python3
"""Loads cairn-server, kills it (SIGKILL) at random moments, starts it again and checks that it has what it acknowledged.

  kill_check.py CAIRN_SERVER [--seconds 600] [--seed N] [--connections N] [--keep FOLDER]

Each connection has keys of its own, sends writes of every kind, many at once, and logs which of them were acknowledged. After
a kill its keys must be as after all acknowledged writes and some number, zero or more, of those that followed, in order: none
in part, none left out. That holds for acknowledgements after the system has the write (durability os) and after the disk has
it (sync). A connection that asked for neither (none) may lose the last of its writes, but again only from the end.

Prints a line for each kill, then a sum. Exit status 1 at the first that does not hold, with what was expected and found; the
server's folder is kept then.
"""
import argparse
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

import server_test
from server_test import ReplyError, encode

DURABILITIES = ['os', 'os', 'os', 'sync', 'none']
KEYS = 40  # of each type and connection


class Model:
    """What a connection's keys hold. Keys that are missing are not in it."""

    def __init__(self, state=None):
        self.state = state or {}

    def apply(self, operation):
        """The keys that it touches."""
        kind, key, *arguments = operation
        state = self.state
        if kind == 'set':
            state[key] = arguments[0]
        elif kind == 'del':
            state.pop(key, None)
        elif kind == 'incr':
            state[key] = b'%d' % (int(state.get(key, b'0')) + arguments[0])
        elif kind == 'append':
            state[key] = state.get(key, b'') + arguments[0]
        elif kind == 'mset':  # a command or a transaction of several keys: all of them or none
            keys = [key, *(k for k, _ in arguments[1:])]
            state[key] = arguments[0]
            state.update(arguments[1:])
            return keys
        elif kind == 'hset':
            state.setdefault(key, {})
            state[key] = {**state[key], **dict(arguments)}
        elif kind == 'hdel':
            fields = {f: v for f, v in state.get(key, {}).items() if f != arguments[0]}
            state[key] = fields
            if not fields:
                del state[key]
        elif kind == 'sadd':
            state[key] = frozenset(state.get(key, frozenset()) | {arguments[0]})
        elif kind == 'srem':
            state[key] = frozenset(state.get(key, frozenset()) - {arguments[0]})
            if not state[key]:
                del state[key]
        else:
            raise AssertionError(kind)
        return [key]


def request_of(operation, transaction):
    """What to send, and how many replies come, the last of which acknowledges it."""
    kind, key, *arguments = operation
    if kind == 'mset' and transaction:
        pairs = [(key, arguments[0]), *arguments[1:]]
        return encode('MULTI') + b''.join(encode('SET', *pair) for pair in pairs) + encode('EXEC'), len(pairs) + 2
    if kind == 'mset':
        return encode('MSET', key, arguments[0], *(word for pair in arguments[1:] for word in pair)), 1
    if kind == 'incr':
        return encode('INCRBY', key, arguments[0]), 1
    if kind == 'hset':
        return encode('HSET', key, *(word for pair in arguments for word in pair)), 1
    return encode(kind.upper(), key, *arguments), 1


class Writer:
    """One connection: goes on until the server is gone."""

    def __init__(self, number, seed):
        self.number = number
        self.random = random.Random(seed)
        self.durability = DURABILITIES[number % len(DURABILITIES)]
        self.checked = {}  # the state when last checked
        self.log = []      # operations sent since, in order
        self.acknowledged = 0  # of them
        self.total = 0
        self.error = None

    def key(self, kind):
        return b'%s:%d:%d' % (kind.encode(), self.number, self.random.randrange(KEYS))

    def value(self):
        return b'%d:' % self.random.randrange(1 << 40) + b'x' * self.random.choice([0, 10, 100, 1000, 20000] if self.random.random() < 0.05 else [10, 100])

    def operation(self):
        kind = self.random.choices(['set', 'del', 'incr', 'append', 'mset', 'hset', 'hdel', 'sadd', 'srem'], [30, 6, 10, 4, 10, 12, 5, 8, 4])[0]
        if kind in ('set', 'mset'):
            more = [(self.key('string'), self.value()) for _ in range(self.random.randrange(1, 6))] if kind == 'mset' else []
            return (kind, self.key('string'), self.value(), *more)
        if kind == 'del':
            return kind, self.key(self.random.choice(['string', 'count', 'text', 'hash', 'set']))
        if kind == 'incr':
            return kind, self.key('count'), self.random.randrange(-5, 10)
        if kind == 'append':
            return kind, self.key('text'), b'+%d' % self.random.randrange(1000)
        if kind == 'hset':
            return kind, self.key('hash'), *((b'f%d' % self.random.randrange(30), self.value()) for _ in range(self.random.randrange(1, 4)))
        if kind == 'hdel':
            return kind, self.key('hash'), b'f%d' % self.random.randrange(30)
        return kind, self.key('set'), b'm%d' % self.random.randrange(50)

    def run(self, server):
        try:
            with server.client() as client:
                if client.call('DURABILITY', self.durability) != 'OK':
                    raise AssertionError('DURABILITY is refused')
                while True:
                    batch = [self.operation() for _ in range(self.random.choice([1, 1, 4, 16, 64]))]
                    parts = [request_of(one, self.random.random() < 0.5) for one in batch]
                    self.log += batch
                    client.send(b''.join(data for data, _ in parts))
                    for _, replies in parts:
                        for _ in range(replies):
                            reply = client.read()
                            if isinstance(reply, ReplyError):
                                raise AssertionError(f'the server refuses: {reply}')
                        self.acknowledged += 1
        except (ConnectionError, OSError):
            pass  # it was killed
        except AssertionError as error:
            self.error = error

    def found(self, client):
        """The state as the server has it."""
        asked = [(kind, b'%s:%d:%d' % (kind.encode(), self.number, i)) for kind in ('string', 'count', 'text', 'hash', 'set') for i in range(KEYS)]
        reads = {'hash': 'HGETALL', 'set': 'SMEMBERS'}
        client.send(b''.join(encode(reads.get(kind, 'GET'), key) for kind, key in asked))
        state = {}
        for kind, key in asked:
            reply = client.read()
            if isinstance(reply, ReplyError):
                raise AssertionError(f'{key}: {reply}')
            if kind == 'hash':
                reply = dict(zip(reply[::2], reply[1::2]))
            elif kind == 'set':
                if len(set(reply)) != len(reply):
                    raise AssertionError(f'{key}: a member comes twice')
                reply = frozenset(reply)
            if reply or reply == b'':
                state[key] = reply
        return state

    def check(self, client):
        """Lets the log begin anew. Returns how many of the writes that were not acknowledged are there, less those lost."""
        found = self.found(client)
        model = Model(self.checked)
        least = 0 if self.durability == 'none' else self.acknowledged
        differing = {key for key in {*found, *model.state} if found.get(key) != model.state.get(key)}
        last = None  # the longest history that fits
        at_least = None
        for count in range(len(self.log) + 1):
            if count:
                for key in model.apply(self.log[count - 1]):
                    (differing.discard if found.get(key) == model.state.get(key) else differing.add)(key)
            if count == least:
                at_least = {key: (model.state.get(key), found.get(key)) for key in differing}
            if not differing and count >= least:
                last = count
        if last is None:
            shown = '\n'.join(f'  {key}: acknowledged {expected!r:.200}, found {there!r:.200}' for key, (expected, there) in list(at_least.items())[:10])
            raise AssertionError(f'connection {self.number} (durability {self.durability}): {len(self.log)} writes sent, {self.acknowledged} acknowledged; '
                                 f'what is there fits none of their beginnings. After the acknowledged ones differ:\n{shown}')
        beyond = last - self.acknowledged
        self.total += self.acknowledged
        self.checked, self.log, self.acknowledged = found, [], 0
        return beyond


def check(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('server')
    parser.add_argument('--seconds', type=float, default=600)
    parser.add_argument('--seed', type=int, default=None)
    parser.add_argument('--connections', type=int, default=10)
    parser.add_argument('--keep', help='the folder of the data; a new one')
    args = parser.parse_args(arguments)
    server_test.SERVER = args.server
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f'seed {seed}', flush=True)
    chance = random.Random(seed)
    folder = args.keep or tempfile.mkdtemp(prefix='kill_check.', dir='/var/tmp')
    writers = [Writer(i, chance.randrange(1 << 60)) for i in range(args.connections)]
    end = time.monotonic() + args.seconds
    kills = lost = beyond = 0
    # Small memtables, so that kills meet flushes and compactions, too.
    flags = ['--write_buffer_bytes=1000000', '--workers=2']
    while time.monotonic() < end or kills == 0:
        server = server_test.Server(folder, *flags)
        started = time.monotonic()
        threads = [threading.Thread(target=writer.run, args=(server,)) for writer in writers]
        for thread in threads:
            thread.start()
        time.sleep(chance.uniform(0.1, 3.0))
        server.end(signal.SIGKILL)
        for thread in threads:
            thread.join()
        ran = time.monotonic() - started
        sent = sum(writer.acknowledged for writer in writers)
        server = server_test.Server(folder, *flags)
        try:
            for writer in writers:
                if writer.error:
                    raise writer.error
                with server.client() as client:
                    count = writer.check(client)
                    beyond += max(count, 0)
                    lost += max(-count, 0)
        except AssertionError as error:
            print(f'FAILED after {kills + 1} kills (seed {seed}, the data is in {folder}): {error}')
            server.end(signal.SIGKILL)
            return 1
        kills += 1
        # Sometimes the next kill comes while it recovers or compacts from the last.
        if chance.random() < 0.5:
            server.end(signal.SIGKILL)
        else:
            server.end()
        print(f'kill {kills} after {ran:.1f} s: {sent:,} acknowledged', flush=True)
    total = sum(writer.total for writer in writers)
    print(f'{kills} kills, {total:,} writes acknowledged, all of them found (but for {lost:,} of the connections that asked for no durability); '
          f'{beyond:,} more had come through that could not be acknowledged any more')
    shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == '__main__':
    sys.exit(check(sys.argv[1:]))
