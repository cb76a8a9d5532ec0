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
# Some releases have their Linux libraries in a jar beside the one without a classifier.
CLASSIFIER = 'linux64'


def copy_artifact(maven, coordinates, folder):
    """Has maven put an artifact into the folder."""
    return subprocess.run([maven, '-q', '-B', PLUGIN, f'-Dartifact={coordinates}', f'-DoutputDirectory={folder.resolve()}'],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def fetch(maven, version, folder, name):
    """Extracts `name` from the release's jar into `folder`; what maven said, if that failed."""
    said = ''
    for suffix, classifier in (('', ''), (f'-{CLASSIFIER}', f':jar:{CLASSIFIER}')):
        done = copy_artifact(maven, f'org.rocksdb:rocksdbjni:{version}{classifier}', folder)
        said += done.stdout
        jar = folder / f'rocksdbjni-{version}{suffix}.jar'
        if done.returncode != 0 or not jar.exists():
            return said
        with zipfile.ZipFile(jar) as archive:
            found = name in archive.namelist()
            if found:
                archive.extract(name, folder)
        jar.unlink()
        if found:
            return None
    return f'{said}\nno {name} in the jars'


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
        said = fetch(maven, args.version, folder, name)
        if said is not None:
            sys.exit(f'fetch_peer.py: mvn failed (is there a network, a mirror in ~/.m2/settings.xml?)\n{said[-3000:]}')
    print(library)


if __name__ == '__main__':
    main()
