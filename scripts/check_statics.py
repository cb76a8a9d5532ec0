#!/usr/bin/env python3
"""Nothing of the library is destroyed at exit, and nothing but its names is made before main().

  check_statics.py [--sanitized] libcairn.a

A database in a global object is opened before main() and closed after it, in an order that the linker chose; background threads run on
while static objects are destroyed. Whatever has a destructor and static storage, found by no matter which spelling, shows in the objects:

  a reference to __cxa_atexit or atexit      a destructor (or a function) that is to run at exit, or at dlclose()
  a section .fini_array                      the same, by attribute
  a section .init_array, without a priority  an object that is made before main() in an order that the linker chose: a database that is
                                             opened earlier would find it empty. (Constants with a priority come before all of these:
                                             src/base/never_destroyed.h.)

--sanitized: the sanitizers bring constructors of their own, and fiber tells the leak checker at exit what its stacks hold; only
__cxa_atexit counts. Exit status 1 if there is anything; the message names the object file.
"""
import argparse
import re
import subprocess
import sys

AT_EXIT = {'__cxa_atexit', 'atexit', 'on_exit', 'at_quick_exit', '__cxa_at_quick_exit'}


def undefined_symbols(text):
    """(object, name) of `nm -A -u`."""
    for line in text.splitlines():
        match = re.match(r'.*[:\[]([\w.+-]+\.o)\]?:\s+[Uw]\s+(\S+)$', line)
        if match:
            yield match.group(1), match.group(2)


def sections(text):
    """(object, section) of `readelf -SW`."""
    member = '?'
    for line in text.splitlines():
        match = re.match(r'File: .*\(([^()]+)\)$', line)
        if match:
            member = match.group(1)
        match = re.match(r'\s*\[\s*\d+\]\s+(\.\S+)', line)
        if match:
            yield member, match.group(1)


def complaints(nm, readelf, sanitized):
    banned = {'__cxa_atexit'} if sanitized else AT_EXIT
    for member, name in undefined_symbols(nm):
        if name in banned:
            yield f'{member}: {name}: something in it is destroyed at exit'
    for member, section in sections(readelf):
        if sanitized:
            break
        if section in ('.init_array', '.ctors'):
            yield f'{member}: {section}: something in it is made before main(), in no certain order'
        if section.startswith(('.fini_array', '.dtors')):
            yield f'{member}: {section}: something in it is destroyed at exit'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sanitized', action='store_true')
    parser.add_argument('library')
    args = parser.parse_args()

    def run(*command):
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    nm = run('nm', '-A', '-u', args.library)
    if not any(True for _ in undefined_symbols(nm)):
        sys.exit(f'{args.library}: no objects')
    found = list(complaints(nm, run('readelf', '-SW', args.library), args.sanitized))
    for complaint in found:
        print(complaint, file=sys.stderr)
    print(f'check_statics: {args.library}, {len(found)} errors')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
