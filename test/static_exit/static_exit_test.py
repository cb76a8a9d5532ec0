#!/usr/bin/env python3
"""A database that lives longer than main(), that begins before it, or whose library is unloaded.

  static_exit_test.py scenarios PROGRAM...      plays each scenario of static_exit.cc, twice over one directory, and verifies it
  static_exit_test.py unloading PROGRAM plugin|c LIBRARY
"""
import os
import subprocess
import sys
import tempfile

SCENARIOS = ['global', 'before_main', 'background', 'fibers', 'leaked', 'at_exit', 'at_exit_first', 'thread_local']


def run(command, environment=None):
    done = subprocess.run(command, env={**os.environ, **(environment or {})}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f'{" ".join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}')


def main():
    with tempfile.TemporaryDirectory(prefix='static_exit') as folder:
        if sys.argv[1] == 'unloading':
            program, how, library = sys.argv[2:5]
            run([program, how, library, f'{folder}/db'])
            return
        for program in sys.argv[2:]:
            for scenario in SCENARIOS:
                path = f'{folder}/{os.path.basename(program)}_{scenario}'
                for _ in range(2):
                    run([program, scenario, path], {'STATIC_EXIT_BEFORE_MAIN': path} if scenario == 'before_main' else None)
                    run([program, 'verify', path])


if __name__ == '__main__':
    main()
