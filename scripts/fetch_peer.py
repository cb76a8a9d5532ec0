#!/usr/bin/env python3
"""Fetches a release of RocksDB as its makers publish it for Java, and unpacks the shared library in it, which exports
the whole C interface: the peer of `make bench`. Prints the library's path. Nothing is fetched twice.

  fetch_peer.py [--version 11.1.1] [--dir build/peer]
"""
import argparse
import pathlib
import platform
import shutil
import subprocess
import sys
import zipfile

PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy'
# The names within the jar.
LIBRARIES = {'x86_64': 'librocksdbjni-linux64.so', 'aarch64': 'librocksdbjni-linux-aarch64.so'}


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--version', default='11.1.1')
    parser.add_argument('--dir', type=pathlib.Path, default=root / 'build/peer')
    args = parser.parse_args()
    name = LIBRARIES.get(platform.machine())
    if name is None:
        sys.exit(f'fetch_peer.py: the release has no library for {platform.machine()}')
    folder = args.dir / args.version
    library = folder / name
    if not library.exists():
        maven = shutil.which('mvn')
        if maven is None:
            sys.exit('fetch_peer.py: no mvn; run scripts/install-deps.sh bench')
        folder.mkdir(parents=True, exist_ok=True)
        print(f'fetch_peer.py: fetching org.rocksdb:rocksdbjni:{args.version} (about 90 MB)', file=sys.stderr)
        done = subprocess.run([maven, '-q', '-B', PLUGIN, f'-Dartifact=org.rocksdb:rocksdbjni:{args.version}',
                               f'-DoutputDirectory={folder.resolve()}'], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        jar = folder / f'rocksdbjni-{args.version}.jar'
        if done.returncode != 0 or not jar.exists():
            sys.exit(f'fetch_peer.py: mvn failed (is there a network, a mirror in ~/.m2/settings.xml?)\n{done.stdout[-3000:]}')
        with zipfile.ZipFile(jar) as archive:
            archive.extract(name, folder)
        jar.unlink()
    print(library)


if __name__ == '__main__':
    main()
