#!/usr/bin/env python3
"""Refuses an include that points upward.

A folder under src/ is a layer; cmake/CairnLayers.cmake lists them from low to high. A layer includes itself, the layers
below it, the public API (rocksdb/, cairn/) and fiber/. The public API includes only itself (cairn/ also fiber/), fiber
only itself, and the programs in server/, bench/, tools/ and examples/ only the public API, fiber/ and their own folder
(bench/ also the server's protocol, server/resp). The folders of server/ are layers, too, listed beside the others: each
includes itself and those below. Tests of the server go through a whole one, so they and server/testing may include all of
it. Headers of the system and of other libraries are not our business.

  check_layers.py [--root DIR] [--stamp FILE] [FOLDER...]    default: every folder; exit status 1 if one is wrong

The build runs it for each layer before the layer compiles, ctest and `make check` for everything.
"""
import argparse
import pathlib
import re
import sys

# What stands there is found by a compiler that is told of no include folder (bindgen), and finds the rest.
WITHOUT_INCLUDE_PATH = 'include/cairn/c'
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
SOURCES = ('.h', '.cc', '.S')
PUBLIC = ('rocksdb', 'cairn')


def declared_layers(root, name='CAIRN_LAYER_ORDER'):
    text = (root / 'cmake/CairnLayers.cmake').read_text()
    return re.search(rf'set\({name} ([a-z_ ]+)\)', text).group(1).split()


def allowed_for(path, layers):
    """The first parts of the include paths of ours that a file may use, or None if everything is allowed."""
    parts = path.parts
    if parts[0] == 'src':
        if parts[1] not in layers:
            return set()
        return {*PUBLIC, 'fiber', *layers[:layers.index(parts[1]) + 1]}
    if parts[0] == 'include':
        return {'rocksdb'} if parts[1] == 'rocksdb' else {*PUBLIC, 'fiber'}
    if parts[0] == 'fiber':
        return {'fiber'}
    if parts[0] in ('server', 'bench', 'tools', 'examples'):
        # The rival that the server is compared with has the server's protocol.
        return {*PUBLIC, 'fiber', parts[0]} | ({'server'} if parts[0] == 'bench' else set())
    return None


def allowed_in_server(path, layers):
    """The folders of server/ that a file may include, or None for all. Empty: its own is not declared."""
    if path.parts[0] == 'bench':
        return {'resp'}
    if path.parts[0] != 'server' or len(path.parts) == 2 or path.parts[1] == 'testing' or path.stem.endswith('_test'):
        return None
    if path.parts[1] not in layers:
        return set()
    return set(layers[:layers.index(path.parts[1]) + 1])


def check_file(root, path, layers, server_layers):
    ours = {*PUBLIC, 'fiber', *layers, 'server', 'bench', 'tools', 'test'}
    allowed = allowed_for(path, layers)
    if allowed is None:
        return
    if not allowed:
        yield f'{path}:1: src/{path.parts[1]} is not a declared layer (cmake/CairnLayers.cmake)'
        return
    in_server = allowed_in_server(path, server_layers)
    if in_server is not None and not in_server:
        yield f'{path}:1: server/{path.parts[1]} is not a declared layer of the server (cmake/CairnLayers.cmake)'
        return
    for number, line in enumerate((root / path).read_text(errors='replace').splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        if '..' in target.split('/') and not (root / path).is_relative_to(root / WITHOUT_INCLUDE_PATH):
            yield f'{path}:{number}: include "{target}": write the path from the include folder, without ..'
            continue
        first = target.split('/')[0] if '/' in target else None
        if first in ours and first not in allowed:
            who = 'layer ' + path.parts[1] if path.parts[0] == 'src' else path.parts[0] + '/'
            yield f'{path}:{number}: include "{target}": {who} may not include {first}/'
        elif first == 'server' and in_server is not None and target.split('/')[1] not in in_server:
            who = 'layer server/' + path.parts[1] if path.parts[0] == 'server' else path.parts[0] + '/'
            yield f'{path}:{number}: include "{target}": {who} may not include server/{target.split("/")[1]}/'


def check(root, folders):
    layers = declared_layers(root)
    server_layers = declared_layers(root, 'CAIRN_SERVER_LAYER_ORDER')
    problems = []
    for folder in folders:
        for path in sorted((root / folder).rglob('*')):
            if path.suffix in SOURCES and path.is_file():
                problems += check_file(root, path.relative_to(root), layers, server_layers)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--root', type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument('--stamp', type=pathlib.Path, help='file to touch when all is well')
    parser.add_argument('folders', nargs='*')
    args = parser.parse_args()
    problems = check(args.root, args.folders or ['include', 'fiber', 'src', 'server', 'bench', 'tools', 'examples'])
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems and args.stamp:
        args.stamp.parent.mkdir(parents=True, exist_ok=True)
        args.stamp.touch()
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
