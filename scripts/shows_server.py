#!/usr/bin/env python3
"""Shows how cairn-server compares with the classic design, an epoll loop and a pool of threads, over RocksDB and over Cairn.

  clients   GET, SET and both from many connections: data in the cache, larger than it, and on storage that takes a
            millisecond for each read; tail latency at one offered rate; redis-server, which has all in memory, as a reference
  curve     from 1 to 10,000 connections, and from 1 to 64 requests on the way on each, as a plot; redis-benchmark's figures

The server runs on one processor, the load generator (and the slow storage) on another, so that the server's processor time
of a request can be told. Results go to the folder of --out: server-NAME.md, .svg and .json, and a line per row to
history.ndjson above it. --resume goes on after the last measurement of an earlier run. Exit status 1 if a measurement failed.

  shows_server.py clients --build build/demo --ours build/demo/libcairn.so --peer LIBRARY [--quick]
"""
import argparse
import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from bench_report import append_history, commit, line_plot, machine, plot
from kv_runs import Failed, SlowMount, drop_page_cache
from shows_common import markdown, median, number, ratio, spread, verdict
from shows_runner import Store, rotated

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKLOADS = {'GET': ['--command=get'], 'SET': ['--command=set'], 'half and half': ['--command=mixed', '--reads=0.5']}
# Those that a lasting load is made of come last: they change the data.
ORDER = ['GET', 'half and half', 'SET']
PLACES = {'cached': 'all data in the cache', 'uncached': 'direct reads, a cache of 1/16 of the data', 'slow': 'the same from slow storage'}
LZ4 = {'cairn-server': 'lz4', 'pool_server': '4'}


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('show', choices=['clients', 'curve'])
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build/release', help='with server/ and bench/')
    parser.add_argument('--ours', type=pathlib.Path, default=ROOT / 'build/release/libcairn.so')
    parser.add_argument('--peer', type=pathlib.Path, required=True)
    parser.add_argument('--peer-name', default='RocksDB 11.1.1')
    parser.add_argument('--quick', action='store_true', help='small, in a minute or so: to see that it works')
    parser.add_argument('--resume', action='store_true', help='keep the measurements that the result file has')
    parser.add_argument('--pairs', type=int, help='how often each is measured')
    parser.add_argument('--keys', type=int)
    parser.add_argument('--connections', type=int)
    parser.add_argument('--pools', help='a list: numbers of threads')
    parser.add_argument('--places', default=','.join(PLACES), help='a list: cached,uncached,slow (clients)')
    parser.add_argument('--duration', type=float, help='seconds of each measurement')
    parser.add_argument('--rates', help='offered rates for the tail latency, requests/s: cached,uncached,slow')
    parser.add_argument('--delay', type=int, default=1000, help='microseconds of a read of the slow storage')
    parser.add_argument('--server-cpu', default='0')
    parser.add_argument('--load-cpu', default='1')
    parser.add_argument('--dir', type=pathlib.Path, default=ROOT / 'build/shows', help='where the databases go')
    parser.add_argument('--out', type=pathlib.Path, help='bench/results; with --quick build/quick_shows')
    args = parser.parse_args(arguments)
    defaults = {'pairs': 3, 'keys': 10_000_000 if args.show == 'clients' else 1_000_000, 'connections': 1000, 'duration': 8.0,
                'pools': '64,128,256,512' if args.show == 'clients' else '64', 'rates': '10000,5000,4000'}
    quick = {'pairs': 1, 'keys': 2000, 'connections': 20, 'duration': 0.3, 'pools': '4', 'rates': '500,400,300'}
    for name, value in {**defaults, **(quick if args.quick else {})}.items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    args.pools = [int(n) for n in args.pools.split(',')]
    args.places = args.places.split(',')
    args.rates = dict(zip(PLACES, map(int, args.rates.split(','))))
    args.out = args.out or ROOT / ('build/quick_shows' if args.quick else 'bench/results')
    return args


class Program:
    """A server to measure: what it is called, whose data it serves, how it is started."""

    def __init__(self, args, name, title, engine=None, threads=0):
        self.args, self.name, self.title, self.engine, self.threads = args, name, title, engine, threads

    @property
    def data(self):
        """Servers with an equal one serve the same files."""
        return 'cairn-server' if self.name == 'cairn-server' else f'pool-{self.engine}'

    def command(self, directory, port, cache_bytes, direct):
        if self.name == 'redis-server':
            return ['redis-server', '--port', str(port), '--save', '', '--appendonly', 'no', '--maxclients', '20000',
                    '--dir', str(directory)]
        direct = 'true' if direct else 'false'
        if self.name == 'cairn-server':
            return [self.args.build / 'server/cairn-server', f'--dir={directory}', f'--port={port}', '--workers=1',
                    f'--cache_bytes={cache_bytes}', f'--direct_reads={direct}', '--compression=lz4', '--max_clients=20000']
        library = self.args.ours if self.engine == 'ours' else self.args.peer
        return [self.args.build / 'bench/pool_server', f'--engine={library.resolve()}', f'--db={directory}', f'--port={port}',
                f'--pool_threads={self.threads}', f'--cache_size={cache_bytes}', f'--use_direct_reads={direct}',
                '--compression_type=4', '--write_buffer_size=67108864', '--max_background_jobs=2', '--bloom_bits=10']


def programs(args):
    pools = [Program(args, f'pool-{engine}-{n}', f'pool of {n} threads over {args.peer_name if engine == "peer" else "Cairn"}', engine, n)
             for engine in ('peer', 'ours') for n in args.pools]
    redis = [Program(args, 'redis-server', 'redis-server (in memory)')] if shutil.which('redis-server') else []
    return [Program(args, 'cairn-server', 'cairn-server'), *pools, *redis]


def free_port():
    with socket.create_server(('127.0.0.1', 0)) as listener:
        return listener.getsockname()[1]


def answers(port):
    try:
        with socket.create_connection(('127.0.0.1', port), timeout=5) as client:
            client.sendall(b'PING\r\n')
            return client.recv(16).startswith(b'+PONG')
    except OSError:
        return False


class Running:
    """The server's process, for the time of a `with`."""

    def __init__(self, program, directory, cache_bytes, direct, log):
        self.port = free_port()
        directory.mkdir(parents=True, exist_ok=True)
        self.command = ['taskset', '-c', program.args.server_cpu, *map(str, program.command(directory, self.port, cache_bytes, direct))]
        self.log = log

    def __enter__(self):
        with open(self.log, 'w') as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        self.pid = self.process.pid  # taskset becomes the server
        end = time.monotonic() + 120
        while not answers(self.port):
            if self.process.poll() is not None or time.monotonic() > end:
                self.__exit__()
                raise Failed(f'{" ".join(self.command)}: does not answer\n{self.log.read_text()[-2000:]}')
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def cpu_seconds(self):
        # As clock_getcpuclockid(3) makes it: in nanoseconds, where /proc counts ticks.
        return time.clock_gettime((~self.pid << 3) | 2)

    def settle(self, most=120):
        """Waits until it has nothing to do by itself any more (flushes, compactions)."""
        end = time.monotonic() + most
        while time.monotonic() < end:
            before = self.cpu_seconds()
            time.sleep(0.5)
            if self.cpu_seconds() - before < 0.05:
                return


def load(args, running, *flags, limit=900):
    """kv_load's figures."""
    with tempfile.NamedTemporaryFile(suffix='.json') as figures:
        command = [args.build / 'bench/kv_load', f'--port={running.port}', f'--pid={running.pid}', f'--keys={args.keys}', '--key_size=16',
                   '--value_size=100', f'--cpu={args.load_cpu}', '--progress=false', f'--json={figures.name}', *flags]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=limit)
        found = json.loads(pathlib.Path(figures.name).read_text() or '{}')
        # Who cannot keep up with an offered rate has measured that.
        late = 'errors' in found and found['unsent'] and not (found['errors'] or found['disconnects'] or found['timeouts'] or found['wrong'])
        if done.returncode != 0 and not late:
            raise Failed(f'{" ".join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}')
        return found


def fill(args, running):
    load(args, running, '--load', '--duration=0', '--connections=50')
    running.settle()


def warm(args, running):
    """Brings all data into the cache."""
    load(args, running, '--command=mget', '--batch=100', '--distribution=sequential', '--connections=16', f'--requests={max(16, args.keys // 100)}',
         '--duration=0')


def told(figures):
    return f'{figures["ops_per_second"]:,.0f}/s {figures["server_cpu_us_per_op"]:.1f} us'


def seed_of(workload, place, pair):
    """Another one for each measurement of a server: with the same, what was written last would be read, from the memtable."""
    return f'--seed={2 + [*ORDER, "tail"].index(workload) + 10 * [*PLACES].index(place) + 100 * pair}'


def measure_place(args, scratch, program, place, pair):
    """One server in one place: its figures by workload, and the tail at the offered rate."""
    result = {}
    base = scratch / program.data
    in_memory = program.name == 'redis-server'
    if not in_memory and not (base / 'loaded').exists():
        shutil.rmtree(base, ignore_errors=True)
        with Running(program, base / 'db', 256 << 20, False, scratch / 'log') as running:
            fill(args, running)
        (base / 'loaded').touch()
    cached = place == 'cached'
    cache_bytes = max(1 << 20, args.keys * 256) if cached else max(1 << 20, args.keys * 116 // 16)
    with contextlib.ExitStack() as stack:
        directory = base / 'db'
        if not cached:
            drop_page_cache(directory)
        if place == 'slow':
            slowfs = ['taskset', '-c', args.load_cpu, args.build / 'bench/slowfs']
            mount = SlowMount(args.build / 'bench/slowfs', directory, scratch / 'slow', args.delay)
            mount.command = [*map(str, slowfs), *mount.command[1:]]
            directory = stack.enter_context(mount).at
        running = stack.enter_context(Running(program, directory, cache_bytes, not cached, scratch / 'log'))
        if in_memory:
            fill(args, running)
        elif cached:
            warm(args, running)
        running.settle()
        common = [f'--connections={args.connections}', f'--duration={args.duration:g}', f'--warmup={min(1.0, args.duration / 4):g}']
        for workload in ORDER:
            if workload == 'SET':  # leaves compactions behind
                running.settle(10)
                result['tail'] = load(args, running, *WORKLOADS['half and half'], *common, f'--rate={args.rates[place]}', seed_of('tail', place, pair))
            result[workload] = load(args, running, *WORKLOADS[workload], *common, seed_of(workload, place, pair))
    return result


def clients_steps(args):
    for place in args.places:
        for pair in range(args.pairs):
            for program in rotated(programs(args), pair):
                if program.name != 'redis-server' or place == 'cached':
                    yield place, program, pair


def clients(args, store, scratch):
    failed = 0
    steps = list(clients_steps(args))
    for number_, (place, program, pair) in enumerate(steps, 1):
        key = f'{place} | {program.name} | {pair}'
        if key in store.records:
            continue
        start = time.monotonic()
        try:
            found = measure_place(args, scratch, program, place, pair)
        except Failed as failure:
            print(f'clients [{number_}/{len(steps)}] {key}: FAILED: {failure}', file=sys.stderr)
            failed += 1
            continue
        store.add(key, {'case': place, 'engine': program.name, 'pair': pair, 'load': os.getloadavg()[0], 'figures': found})
        print(f'clients [{number_}/{len(steps)}] {key}: {", ".join(f"{w} {told(f)}" for w, f in found.items())}, '
              f'tail p99 {found["tail"]["p99_us"]:,.0f} us ({time.monotonic() - start:.0f} s)', file=sys.stderr)
    return failed


def values(store, place, name, workload, key):
    return [r['figures'][workload][key] for r in store.runs(place, name)]


def best_pool(store, place, names, workload, key, best):
    """The median of the best of the pools by `key`."""
    found = [m for name in names if (m := median(values(store, place, name, workload, key))) is not None]
    return best(found) if found else None


def clients_report(args, store):
    parts, rows = [f'{args.keys:,} keys of 16 + 100 bytes, {args.connections} connections with one request on the way each. The server has one '
                   'processor, the generator the other. Closed loops, but for the tail: an open loop at a fixed rate, half GET and half SET, '
                   'latencies from when a request was due. Processor time of the server for a request. The pools are of bench/pool_server.'], []
    for place in args.places:
        lines = []
        for program in programs(args):
            if not store.runs(place, program.name):
                continue
            line = [program.title]
            for workload in ('GET', 'SET', 'half and half'):
                line += [spread(values(store, place, program.name, workload, 'ops_per_second'), 0),
                         spread(values(store, place, program.name, workload, 'server_cpu_us_per_op'), 1)]
            line += [number(median(values(store, place, program.name, 'tail', 'p50_us')), 0), number(median(values(store, place, program.name, 'tail', 'p99_us')), 0)]
            lines.append(line)
        columns = ['server', *[f'{w}, {what}' for w in ('GET', 'SET', 'half and half') for what in ('ops/s', 'CPU µs')],
                   f'p50 at {args.rates[place]:,}/s, µs', 'p99, µs']
        parts.append(f'## {place}: {PLACES[place]}')
        parts.append(markdown(columns, lines))
        checks = []
        for engine, title in (('peer', args.peer_name), ('ours', 'Cairn')):
            names = [p.name for p in programs(args) if p.engine == engine]
            for workload in ('GET', 'SET', 'half and half'):
                ours = {key: median(values(store, place, 'cairn-server', workload, key)) for key in ('ops_per_second', 'server_cpu_us_per_op')}
                speed = ratio(ours['ops_per_second'], best_pool(store, place, names, workload, 'ops_per_second', max))
                cpu = ratio(ours['server_cpu_us_per_op'], best_pool(store, place, names, workload, 'server_cpu_us_per_op', min))
                if engine == 'peer':
                    checks += [verdict(f'{workload}: operations per second / the best pool over {title}', speed, 2.5 if place == 'slow' else 1.8, True),
                               verdict(f'{workload}: processor time / the cheapest pool over {title}', cpu, 0.4, False)]
                else:
                    checks.append(f'- {workload}: operations per second / the best pool over {title}: {number(speed)}, processor time / the cheapest: {number(cpu)}.')
                if speed is not None and engine == 'peer':
                    best = max(names, key=lambda n, w=workload: median(values(store, place, n, w, 'ops_per_second')) or 0)
                    pairs = [a / b for a, b in zip(values(store, place, 'cairn-server', workload, 'ops_per_second'),
                                                   values(store, place, best, workload, 'ops_per_second'))]
                    rows.append({'workload': f'{workload}, {place}', 'threads': args.connections,
                                 'ours': {'ops_per_second': ours['ops_per_second'], 'cpu_us_per_op': ours['server_cpu_us_per_op']},
                                 'peer': {'ops_per_second': median(values(store, place, best, workload, 'ops_per_second')), 'name': best},
                                 'ratio': median(pairs), 'lowest': min(pairs), 'highest': max(pairs)})
            tail = ratio(median(values(store, place, 'cairn-server', 'tail', 'p99_us')), best_pool(store, place, names, 'tail', 'p99_us', min))
            if engine == 'peer':
                checks.append(verdict(f'p99 at the same offered rate / the best pool over {title}', tail, 0.5, False))
            else:
                checks.append(f'- p99 at the same offered rate / the best pool over {title}: {number(tail)}.')
        parts.append('\n'.join(checks))
    return parts, plot(rows, f'Requests per second, cairn-server / the best pool over {args.peer_name}'), rows


def redis_benchmark(args, running, pipeline):
    """Requests per second by redis-benchmark: SET and GET."""
    count = 200 if args.quick else 400_000 * min(pipeline, 4)
    command = ['taskset', '-c', args.load_cpu, 'redis-benchmark', '-p', str(running.port), '-c', str(args.connections), '-n', str(count), '-r', str(args.keys),
               '-d', '100', '-t', 'set,get', '-P', str(pipeline), '--csv']
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    result = {}
    for line in done.stdout.splitlines():
        words = [word.strip('"') for word in line.split('","')]
        if words[0] in ('SET', 'GET'):
            result[words[0]] = float(words[1])
    if set(result) != {'SET', 'GET'}:
        raise Failed(f'{" ".join(command)}: {done.stdout[-1000:]} {done.stderr[-1000:]}')
    return result


def curve_points(args):
    most = 50 if args.quick else 10_000
    connections = [(n, 1) for n in (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000) if n <= most]
    return connections, [(args.connections, n) for n in (1, 4, 16, 64)]


def curve(args, store, scratch):
    failed = 0
    points = [p for group in curve_points(args) for p in group]
    for pair in range(args.pairs):
        for program in rotated(programs(args), pair):
            key = f'curve | {program.name} | {pair}'
            if key in store.records:
                continue
            start = time.monotonic()
            directory = scratch / 'db'
            shutil.rmtree(directory, ignore_errors=True)
            found = {}
            try:
                with Running(program, directory, max(1 << 20, args.keys * 512), False, scratch / 'log') as running:
                    fill(args, running)
                    warm(args, running)
                    for connections, pipeline in points:
                        for workload in ('GET', 'SET'):
                            if f'{workload} {connections} {pipeline}' in found:
                                continue
                            found[f'{workload} {connections} {pipeline}'] = load(
                                args, running, *WORKLOADS[workload], f'--connections={connections}', f'--pipeline={pipeline}',
                                f'--duration={args.duration / 2:g}', f'--warmup={min(1.0, args.duration / 4):g}')
                        print(f'curve {program.name} {connections} connections, pipeline {pipeline}: GET {told(found[f"GET {connections} {pipeline}"])}',
                              file=sys.stderr)
                    if shutil.which('redis-benchmark'):
                        for pipeline in (1, 16):
                            found[f'redis-benchmark {pipeline}'] = redis_benchmark(args, running, pipeline)
            except Failed as failure:
                print(f'{key}: FAILED: {failure}', file=sys.stderr)
                failed += 1
                continue
            store.add(key, {'case': 'curve', 'engine': program.name, 'pair': pair, 'load': os.getloadavg()[0], 'figures': found})
            print(f'{key} ({time.monotonic() - start:.0f} s)', file=sys.stderr)
    return failed


def curve_report(args, store):
    connections, pipelines = curve_points(args)
    keys = {'ops_per_second': ('ops/s', 0), 'server_cpu_us_per_op': ('CPU µs', 1), 'p99_us': ('p99 µs', 0)}
    parts = [f'{args.keys:,} keys of 16 + 100 bytes in the cache; the server has one processor, the generator the other. Closed loops: '
             'a connection sends its requests together and waits for all their replies.']
    panels = []
    for title, points, at, x in (('connections, one request on the way each', connections, 0, 'connections'),
                                 (f'requests on the way of each of {args.connections} connections', pipelines, 1, 'requests on the way')):
        for workload in ('GET', 'SET'):
            lines = []
            for program in programs(args):
                for key, (what, digits) in keys.items():
                    line = [number(median([r['figures'][f'{workload} {c} {p}'][key] for r in store.runs('curve', program.name)]), digits) for c, p in points]
                    lines.append([f'{program.title}: {what}', *line])
            parts.append(f'{workload} by {title}:\n\n' + markdown(['server', *[f'{p[at]:,}' for p in points]], lines))
            for key in ('ops_per_second', 'server_cpu_us_per_op'):
                panels.append({'title': f'{workload}, {keys[key][0]}', 'x': x, 'log_x': True, 'series': {
                    program.title: [(p[at], v) for p in points
                                    if (v := median([r['figures'][f'{workload} {p[0]} {p[1]}'][key] for r in store.runs('curve', program.name)])) is not None]
                    for program in programs(args)}})
    lines = []
    for program in programs(args):
        runs = [r['figures'] for r in store.runs('curve', program.name) if 'redis-benchmark 1' in r['figures']]
        if runs:
            lines.append([program.title, *[spread([r[f'redis-benchmark {p}'][w] for r in runs], 0) for p in (1, 16) for w in ('SET', 'GET')]])
    if lines:
        parts.append(f'redis-benchmark, {args.connections} connections:\n\n' + markdown(
            ['server', 'SET/s', 'GET/s', 'SET/s, pipeline 16', 'GET/s, pipeline 16'], lines))
    return parts, line_plot(panels, 'cairn-server and others by connections and by requests on the way'), []


TITLES = {'clients': 'The server beside pools of threads', 'curve': 'The server by connections and by requests on the way'}


def main(arguments):
    args = parse(arguments)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, hard), hard))
    name = f'server-{args.show}'
    settings = {'show': name, **{k: getattr(args, k) for k in ('keys', 'connections', 'pools', 'duration', 'rates', 'delay', 'pairs')},
                'peer': args.peer_name, 'machine': machine(), 'commit': commit(ROOT)}
    store = Store(args.out / f'{name}.json', json.loads(json.dumps(settings)), args.resume)
    scratch = args.dir / name
    if not args.resume:
        shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True, exist_ok=True)
    failed = (clients if args.show == 'clients' else curve)(args, store, scratch)
    if failed == 0:
        shutil.rmtree(scratch, ignore_errors=True)
    parts, picture, rows = (clients_report if args.show == 'clients' else curve_report)(args, store)
    head = f'# {TITLES[args.show]}'
    if args.quick:
        head += '\n\nA quick run, to see that the program works: **the figures mean nothing**.'
    loads = [r['load'] for r in store.records.values()]
    foot = (f'{args.pairs} interleaved run{"s" * (args.pairs != 1)} of {args.duration:g} s each, who goes first changes; median (lowest to highest).'
            f'\n\n{machine()}; load {(loads or [0])[0]:.1f} at the start. Cairn {store.content["settings"]["commit"]}, {args.peer_name}, '
            f'{time.strftime("%Y-%m-%d")}.')
    text = '\n\n'.join([head, *parts, foot]) + '\n'
    (args.out / f'{name}.md').write_text(text)
    (args.out / f'{name}.svg').write_text(picture)
    append_history(args.out.parent / 'history.ndjson', rows, ROOT, f'{name}: {args.peer_name}')
    print(text)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
