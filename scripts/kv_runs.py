"""Runs kv_bench: what the programs that compare engines share."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time


class Failed(Exception):
    """kv_bench ended with an error; the text says which command and what it printed."""


def run_kv_bench(bench, library, db, benchmarks, flags, limit=None):
    """One process; the figures of each measured workload, in order. `limit`: seconds until it is given up."""
    command = [str(bench), f'--library={library}', f'--db={db}', f'--benchmarks={benchmarks}', '--json', *flags]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise Failed(f'{" ".join(command)}: not done after {limit} s') from None
    figures = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{')]
    if done.returncode != 0 or not figures:
        raise Failed(f'{" ".join(command)}: exit status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}')
    return figures


def count_process_instructions(command, limit=None, environment=None, within=None):
    """Of a program under callgrind, with the "operations" that it prints as JSON: all of it, its start included, or what happens
    within calls of a function (a pattern), in the threads that call it. `environment`: beside this one's."""
    command = [str(word) for word in command]
    toggle = [f'--toggle-collect={within}'] if within else []
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', *toggle, *command], capture_output=True, text=True,
                          timeout=limit, env={**os.environ, **(environment or {})})
    figures = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{')]
    collected = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode != 0 or not figures or not collected:
        raise Failed(f'{" ".join(command)}: exit status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}')
    return {'operations': figures[-1]['operations'], 'instructions': int(collected.group(1))}


def count_instructions(bench, library, db, benchmarks, flags, limit=None):
    """As run_kv_bench(), of one workload under callgrind: the instructions of the whole process, its start included."""
    counted = count_process_instructions([bench, f'--library={library}', f'--db={db}', f'--benchmarks={benchmarks}', '--json', *flags], limit)
    # Under callgrind no time means anything.
    return [{'workload': benchmarks, 'storage_bytes': 0, **counted}]


def files(folder):
    return [path for path in pathlib.Path(folder).rglob('*') if path.is_file()]


def folder_bytes(folder):
    """What the files take on the device."""
    return sum(path.stat().st_blocks * 512 for path in files(folder))


def drop_page_cache(folder):
    """Of the files in the folder, which needs no privilege as dropping everything would."""
    for path in files(folder):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)  # what is not written yet would stay
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def copy_folder(folder, to):
    """By cp, byte by byte, until the storage has all of it; figures by kv_bench's names."""
    start = time.monotonic()
    command = ['cp', '-r', '--reflink=never', str(folder), str(to)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f'{" ".join(command)}: exit status {done.returncode}\n{done.stderr[-2000:]}')
    for path in files(to):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    return [{'workload': 'cp', 'seconds': time.monotonic() - start, 'storage_bytes': 0}]


class SlowMount:
    """A folder as slow storage, through bench/slowfs, for the time of a `with`. `delay`: microseconds of each read, all of
    which go there, past the page cache."""

    def __init__(self, slowfs, folder, at, delay):
        self.command = [str(slowfs), f'--read_delay_us={delay}', '--direct_io', str(folder), str(at)]
        self.at = pathlib.Path(at)

    def __enter__(self):
        self.at.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if not self.process.stdout.readline():
            raise Failed(f'{" ".join(self.command)}: {self.process.communicate()[1]}')
        return self

    def counts(self):
        """What it has counted so far: name to number."""
        lines = (self.at / '.slowfs').read_text().split('\n')
        return {name: int(value) for name, value in (line.split() for line in lines if len(line.split()) == 2)
                if value.isdigit()}

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)
