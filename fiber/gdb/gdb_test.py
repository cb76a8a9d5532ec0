#!/usr/bin/env python3
"""Tests fiber_gdb.py: gdb_test.py <gdb_target>. Exits with 77 (skipped) where there is no gdb that can run a program."""
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77


def run_gdb(target, *commands):
    words = ["gdb", "--batch", "-nx", "-ex", "set confirm off", "-ex", "set debuginfod enabled off", "-ex", "run"]
    for command in ("source " + str(pathlib.Path(__file__).with_name("fiber_gdb.py")),) + commands:
        words += ["-ex", command]
    done = subprocess.run(words + [target], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    return done.stdout + done.stderr


def main():
    target = sys.argv[1]
    if shutil.which("gdb") is None:
        print("skipped: gdb is not installed (scripts/install-deps.sh test installs it)")
        return SKIPPED
    listing = run_gdb(target, "fiber list")
    if "SIGABRT" not in listing:
        print("skipped: gdb cannot run programs here:\n" + listing)
        return SKIPPED
    if "Python scripting is not supported" in listing:
        print("skipped: this gdb was built without Python")
        return SKIPPED
    failures = []

    def expect(pattern, text):
        if not re.search(pattern, text, re.DOTALL):
            failures.append("no match for %r in:\n%s" % (pattern, text))

    expect(r'fiber \d+ "first" waiting, thread \d+: .*wait_for_the_event', listing)
    expect(r'fiber \d+ "second" waiting, thread \d+: .*wait_for_the_mutex', listing)
    expect(r'fiber \d+ "aborter" running', listing)
    number = re.search(r'fiber (\d+) "second"', listing)
    one = run_gdb(target, "fiber %s bt" % (number.group(1) if number else "0"), "fiber 999999 bt", "fiber nonsense",
                  "print 6 * 7")
    expect(r"lock_slow.*wait_for_the_mutex", one)
    expect(r"no fiber 999999", one)
    expect(r"fiber list \| fiber <number> bt", one)
    expect(r"= 42", one)  # the registers are back: the session goes on
    both = run_gdb(target, "fiber all bt", "bt")
    expect(r'"first".*wait_for_the_event.*"second".*wait_for_the_mutex.*abort', both)
    for failure in failures:
        print(failure)
    print("%d failures" % len(failures))
    return 1 if failures else 0


sys.exit(main())
