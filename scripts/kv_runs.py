"""Runs kv_bench: what the programs that compare engines share."""
import json
import os
import pathlib
import subprocess


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
