#!/usr/bin/env python3
"""Instructions of the operations that all else is made of, counted by callgrind, against bounds that stand in the tree.

  scripts/instruction_guard.py [--bench build/release/bench/kv_bench] [--library build/release/libcairn.so]
    [--server-requests build/release/test/server_requests/server_requests] [--engine] [--only NAME] [--write]

Each operation on a database that is in memory, one thread; what the start costs is taken off (two runs, of which one does more).
Those of the server are requests through its parser, its executor and the engine, one by one, without sockets.
A count is what a program was compiled to, whatever else the machine does, so that it may fail a test, as a time may not.
bench/instructions.txt: a line for each operation with its count when it was last looked at; more than 8% above it fails, and
so does more than 10% below: the gain would be lost unseen (of the server's requests 25%, which vary by 7%). --write: makes the file anew, for a change that is meant.
Exit status: 0; 1 beyond a bound.
"""
import argparse
import pathlib
import shutil
import sys
import tempfile

from kv_runs import Failed, count_instructions, count_process_instructions, run_kv_bench

ROOT = pathlib.Path(__file__).resolve().parent.parent
BOUNDS = ROOT / 'bench/instructions.txt'
ABOVE, BELOW = 1.08, 0.90
# Of the server's requests, whose keys lie in a memtable of random heights.
SERVER_ABOVE, SERVER_BELOW = 1.25, 0.75
KEYS = 20000
# Name: workload, operations of the shorter run (the longer one does three times as many), flags.
OPERATIONS = {
    'put': ('overwrite', 30000, []),
    'put_in_batches_of_100': ('overwrite', 30000, ['--batch_size=100']),
    'get': ('readrandom', 10000, []),
    'get_missing': ('readmissing', 10000, []),
    'multiget_of_32': ('multiget', 9600, ['--batch_size=32']),
    'seek_and_10_next': ('seekrandom', 5000, ['--seek_nexts=10']),
    'seek_and_1000_next': ('seekrandom', 200, ['--seek_nexts=1000']),
}


# Name: command, requests of the shorter run.
REQUESTS = {'server_get': ('get', 5000), 'server_set': ('set', 5000)}


def per_operation(less, more):
    return (more['instructions'] - less['instructions']) / (more['operations'] - less['operations'])


def measure_requests(program, name):
    command, requests = REQUESTS[name]
    # (valgrind has all threads wait with one that waits for io_uring.)
    return per_operation(*(count_process_instructions([program, f'--command={command}', f'--requests={requests * times}'],
                                                      environment={'FIBER_ENGINE': 'epoll'}, within='*Requests::Make*') for times in (1, 3)))


def measure(bench, library, scratch, name):
    workload, operations, flags = OPERATIONS[name]
    counts = []
    for times in (1, 3):
        db = scratch / 'copy'
        shutil.rmtree(db, ignore_errors=True)
        shutil.copytree(scratch / 'db', db)
        counts.append(count_instructions(bench, library, db, workload, [
            f'--num={KEYS}', f'--operations={operations * times}', '--use_existing_db', '--threads=1', '--seed=1', *flags])[0])
    return per_operation(*counts)


def bounds():
    lines = [line.split() for line in BOUNDS.read_text().splitlines() if line and not line.startswith('#')]
    return {name: float(count) for name, count in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bench', type=pathlib.Path, default=ROOT / 'build/release/bench/kv_bench')
    parser.add_argument('--library', type=pathlib.Path, default=ROOT / 'build/release/libcairn.so')
    parser.add_argument('--server-requests', type=pathlib.Path, default=ROOT / 'build/release/test/server_requests/server_requests')
    parser.add_argument('--only', action='append', choices=[*OPERATIONS, *REQUESTS], help='this one (may be given again)')
    parser.add_argument('--engine', action='store_true', help='nothing of the server')
    parser.add_argument('--write', action='store_true')
    args = parser.parse_args()
    if shutil.which('valgrind') is None:
        sys.exit('instruction_guard.py: valgrind is missing: scripts/install-deps.sh bench')
    known = {} if args.write else bounds()
    found, failed = {}, []
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        try:
            names = args.only or [*OPERATIONS, *([] if args.engine else REQUESTS)]
            if any(name in OPERATIONS for name in names):
                run_kv_bench(args.bench, args.library, scratch / 'db', 'filluniquerandom,compact', [f'--num={KEYS}', '--threads=1', '--seed=1'])
            for name in names:
                if name in REQUESTS:
                    found[name] = measure_requests(args.server_requests, name)
                else:
                    found[name] = measure(args.bench, args.library, scratch, name)
                bound = known.get(name)
                ratio = f'{found[name] / bound:6.3f}' if bound else '     -'
                print(f'{name:24}{found[name]:10.0f}{bound or 0:10.0f}{ratio}', flush=True)
                low, high = (SERVER_BELOW, SERVER_ABOVE) if name in REQUESTS else (BELOW, ABOVE)
                if bound and not low <= found[name] / bound <= high:
                    failed.append(name)
                if bound is None and not args.write:
                    failed.append(name)
        except Failed as failure:
            sys.exit(str(failure))
    if args.write:
        head = BOUNDS.read_text().splitlines() if BOUNDS.is_file() else []
        comments = [line for line in head if line.startswith('#')] or ['# Instructions of an operation: scripts/instruction_guard.py --write']
        BOUNDS.write_text('\n'.join([*comments, *(f'{name} {count:.0f}' for name, count in found.items())]) + '\n')
    if failed:
        sys.exit(f'instruction_guard.py: beyond its bound in {BOUNDS.relative_to(ROOT)}: {", ".join(failed)}. '
                 'If it is meant, --write and say why in the commit message.')


if __name__ == '__main__':
    main()
