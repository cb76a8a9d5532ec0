"""RocksDB's sources as the crate librocksdb-sys, or another that has them, carries them, fetched by cargo: for what must be compared with them
or compiled as it is. Nothing of them stays in the tree."""
import re
import subprocess
import sys


def fetch(folder, crate, name='librocksdb-sys'):
    """(the folder of RocksDB in release `crate` of the crate, the crate's whole version, which ends with RocksDB's)"""
    (folder / 'src').mkdir()
    (folder / 'src' / 'lib.rs').write_text('')
    (folder / 'Cargo.toml').write_text('[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n'
                                       f'{name} = {{ version = "{crate}", default-features = false }}\n')
    try:
        result = subprocess.run(['cargo', 'vendor', 'vendor'], cwd=folder, timeout=600, text=True, capture_output=True,
                                errors='replace', check=False)
    except FileNotFoundError:
        sys.exit(f'cargo is needed to fetch the crate {name}: apt-get install cargo')
    found = sorted(folder.glob(f'vendor/{name}*/rocksdb'))
    if result.returncode != 0 or not found:
        sys.exit(f'cannot fetch {name} {crate}:\n{result.stderr[-2000:]}')
    version = re.search(r'^version = "([^"]*)"', (found[-1].parent / 'Cargo.toml').read_text(), re.MULTILINE)
    return found[-1], version[1] if version else '?'
