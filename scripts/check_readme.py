#!/usr/bin/env python3
"""The program that README.md shows is examples/embed.cc, which the build compiles. Exit status 1 if they differ."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    shown = re.search(r'```cpp\n(.*?)```', (ROOT / 'README.md').read_text(), re.S)
    example = (ROOT / 'examples/embed.cc').read_text()
    if shown and shown.group(1) == example[example.index('#include'):]:
        return 0
    print('README.md: the first C++ block differs from examples/embed.cc (from its first #include on)', file=sys.stderr)
    return 1


if __name__ == '__main__':
    sys.exit(main())
