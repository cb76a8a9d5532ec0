#!/usr/bin/env python3
"""What two_phase_driver.cc does, with a release of RocksDB, through the C interface of its library.

  two_phase_peer.py LIBRARY DB POLICY STEP ...
"""
import ctypes
import os
import sys

STAMPED = 3  # the policy that means WRITE_COMMITTED, and timestamps in the second family
LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = ctypes.c_void_p
LIBC.malloc.argtypes = [ctypes.c_size_t]
POINTER, SIZE = ctypes.c_void_p, ctypes.c_size_t


class Engine:
    def __init__(self, library):
        self.library = ctypes.CDLL(library)

    def __call__(self, name, *args, result=None):
        function = getattr(self.library, 'rocksdb_' + name)
        function.restype = result
        return function(*args)

    def checked(self, name, *args, result=None):
        """With the `char** errptr` that comes last."""
        error = ctypes.c_char_p()
        got = self(name, *args, ctypes.byref(error), result=result)
        if error.value is not None:
            fail(f'{name}: {error.value.decode()}')
        return got

    def make(self, name, *args):
        return POINTER(self(name, *args, result=POINTER))


def fail(text):
    print(text, file=sys.stderr, flush=True)
    sys.stdout.flush()
    os._exit(1)


def returned(value, success, size):
    success[0] = 1
    size[0] = len(value)
    memory = LIBC.malloc(len(value) + 1)
    ctypes.memmove(memory, value, len(value))
    return memory


# Operands follow what is there, with commas between.
FULL = ctypes.CFUNCTYPE(POINTER, POINTER, POINTER, SIZE, POINTER, SIZE, ctypes.POINTER(POINTER), ctypes.POINTER(SIZE), ctypes.c_int,
                        ctypes.POINTER(ctypes.c_ubyte), ctypes.POINTER(SIZE))
PARTIAL = ctypes.CFUNCTYPE(POINTER, POINTER, POINTER, SIZE, ctypes.POINTER(POINTER), ctypes.POINTER(SIZE), ctypes.c_int,
                           ctypes.POINTER(ctypes.c_ubyte), ctypes.POINTER(SIZE))
DESTROY, NAME = ctypes.CFUNCTYPE(None, POINTER), ctypes.CFUNCTYPE(POINTER, POINTER)
OPERATOR = ctypes.create_string_buffer(b'interop.Joined')


def full(_state, _key, _key_size, existing, existing_size, operands, sizes, count, success, size):
    parts = [] if existing is None else [ctypes.string_at(existing, existing_size)]
    parts += [ctypes.string_at(operands[i], sizes[i]) for i in range(count)]
    return returned(b','.join(parts), success, size)


def partial(_state, _key, _key_size, operands, sizes, count, success, size):
    return returned(b','.join(ctypes.string_at(operands[i], sizes[i]) for i in range(count)), success, size)


CALLBACKS = (DESTROY(lambda _state: None), FULL(full), PARTIAL(partial), None, NAME(lambda _state: ctypes.addressof(OPERATOR)))


class Driver:
    def __init__(self, library, path, policy):
        self.engine = e = Engine(library)
        self.stamped, self.timestamp = policy == STAMPED, 0
        policy = 0 if self.stamped else policy
        txn_db_options = e.make('transactiondb_options_create')
        if policy:
            e('transactiondb_options_set_write_policy', txn_db_options, policy)
            e('transactiondb_options_set_rollback_merge_operands', txn_db_options, 1)
        options = e.make('options_create')
        e('options_set_create_if_missing', options, 1)
        e('options_set_create_missing_column_families', options, 1)
        e('options_set_merge_operator', options, e.make('mergeoperator_create', None, *CALLBACKS))
        e('options_set_compression', options, 0)
        second = options
        if self.stamped:
            second = e.make('options_create')
            e.checked('get_options_from_string', options, b'comparator=leveldb.BytewiseComparator.u64ts', second)
        self.write, self.read = e.make('writeoptions_create'), e.make('readoptions_create')
        self.flush_options = e.make('flushoptions_create')
        self.txn_options = e.make('transaction_options_create')
        names = (ctypes.c_char_p * 2)(b'default', b'second')
        handles = (POINTER * 2)()
        self.db = POINTER(e.checked('transactiondb_open_column_families', options, txn_db_options,
                                    path.encode(), 2, names, (POINTER * 2)(options, second), handles, result=POINTER))
        self.families = [POINTER(handle) for handle in handles]

    def close(self):
        for family in self.families:
            self.engine('column_family_handle_destroy', family)
        self.engine('transactiondb_close', self.db)

    def prepared(self):
        """By name."""
        e, count = self.engine, SIZE()
        got = e('transactiondb_get_prepared_transactions', self.db, ctypes.byref(count), result=ctypes.POINTER(POINTER))
        found = {}
        for i in range(count.value):
            txn, size = POINTER(got[i]), SIZE()
            name = e('transaction_get_name', txn, ctypes.byref(size), result=POINTER)
            found[ctypes.string_at(name, size.value).decode()] = txn
        return found

    def put_into(self, prefix, target, kind, key, *value):
        for family in self.families:
            data = [part for text in (key, *value) for part in (text.encode(), SIZE(len(text)))]
            self.engine.checked(f'{prefix}_{kind}_cf', *target, family, *data)

    def commit(self, txn):
        if self.stamped:
            self.engine('transaction_set_commit_timestamp', txn, ctypes.c_uint64(self.timestamp))
        self.engine.checked('transaction_commit', txn)
        self.engine('transaction_destroy', txn)

    def show(self):
        e = self.engine
        print(' '.join(['prepared', *sorted(self.prepared())]))
        newest = ctypes.create_string_buffer(b'\xff' * 8, 8)
        stamped = e.make('readoptions_create')
        e('readoptions_set_timestamp', stamped, newest, SIZE(8))
        for i, family in enumerate(self.families):
            has_timestamps = self.stamped and i == 1
            it = e.make('transactiondb_create_iterator_cf', self.db, stamped if has_timestamps else self.read, family)
            line = ['family']
            e('iter_seek_to_first', it)
            while e('iter_valid', it, result=ctypes.c_ubyte):
                size, value_size = SIZE(), SIZE()
                key = ctypes.string_at(e('iter_key', it, ctypes.byref(size), result=POINTER), size.value)
                value = ctypes.string_at(e('iter_value', it, ctypes.byref(value_size), result=POINTER), value_size.value)
                line.append(f'{key.decode()}={value.decode()}')
                if has_timestamps:
                    at = ctypes.string_at(e('iter_timestamp', it, ctypes.byref(size), result=POINTER), 8)
                    line[-1] += f'@{int.from_bytes(at, "little")}'
                e('iter_next', it)
            e('iter_destroy', it)
            print(' '.join(line))

    def run(self, steps):
        e, steps, txn = self.engine, iter(steps), None
        for step in steps:
            if step == 'at':
                self.timestamp = int(next(steps))
            elif step in ('put', 'merge') and self.stamped:
                plain = e.make('transaction_begin', self.db, self.write, self.txn_options, None)
                self.put_into('transaction', (plain,), step, next(steps), next(steps))
                self.commit(plain)
            elif step in ('put', 'merge'):
                self.put_into('transactiondb', (self.db, self.write), step, next(steps), next(steps))
            elif step == 'begin':
                txn, name = e.make('transaction_begin', self.db, self.write, self.txn_options, None), next(steps)
                e.checked('transaction_set_name', txn, name.encode(), SIZE(len(name)))
            elif step in ('tput', 'tmerge'):
                self.put_into('transaction', (txn,), step[1:], next(steps), next(steps))
            elif step == 'tdelete':
                self.put_into('transaction', (txn,), 'delete', next(steps))
            elif step == 'prepare':
                e.checked('transaction_prepare', txn)
            elif step == 'commit':
                self.commit(self.prepared()[next(steps)])
            elif step == 'rollback':
                decided = self.prepared()[next(steps)]
                e.checked('transaction_rollback', decided)
                e('transaction_destroy', decided)
            elif step == 'flush':
                e.checked('transactiondb_flush_cf', self.db, self.flush_options, self.families[int(next(steps))])
            elif step == 'show':
                self.show()
            elif step == 'die':
                sys.stdout.flush()
                os._exit(0)


def main():
    driver = Driver(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    driver.run(sys.argv[4:])
    driver.close()


if __name__ == '__main__':
    main()
