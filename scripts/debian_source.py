"""Debian's source packages, fetched with an apt of one's own: the machine's lists and sources stay as they are."""
import os
import pathlib
import re
import shutil
import subprocess


class SourceError(Exception):
    pass


def mirror():
    """The mirror that the machine's own apt uses."""
    for path in [pathlib.Path('/etc/apt/sources.list'), *sorted(pathlib.Path('/etc/apt/sources.list.d').glob('*'))]:
        if path.is_file():
            for line in path.read_text(errors='replace').splitlines():
                match = re.match(r'(?:URIs:|deb(?:\s+\[[^\]]*\])?)\s*(https?://\S+/debian)/?(?:\s|$)', line)
                if match:
                    return match.group(1)
    raise SourceError('the apt of this machine names no mirror of Debian')


def run(command, log, **options):
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, 'wb') as file:
        done = subprocess.run(command, check=False, stdout=file, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        raise SourceError(f'{" ".join(map(str, command))}: exit status {done.returncode}\n{log.read_text(errors="replace")[-4000:]}')


def fetch(package, version, suite, work):
    """The folder of the unpacked package under `work`, Debian's patches applied. Nothing is fetched twice."""
    source = work / package
    if source.exists():
        return source
    for tool in ('apt-get', 'dpkg-source'):
        if shutil.which(tool) is None:
            raise SourceError(f'{tool} is missing: the source package comes from Debian with it')
    apt, download = work / 'apt', work / 'download'
    for folder in (apt / 'lists' / 'partial', apt / 'cache' / 'archives' / 'partial', download):
        folder.mkdir(parents=True, exist_ok=True)
    pattern = f'{package}_{version}-*.dsc'
    if not list(download.glob(pattern)):
        keys = pathlib.Path('/usr/share/keyrings/debian-archive-keyring.gpg')
        signed = f'[signed-by={keys}] ' if keys.exists() else ''
        (apt / 'sources.list').write_text(f'deb-src {signed}{mirror()} {suite} main\n')
        options = []
        for name, value in [('Dir::Etc::SourceList', apt / 'sources.list'), ('Dir::Etc::SourceParts', '/dev/null'),
                            ('Dir::State::Lists', apt / 'lists'), ('Dir::Cache', apt / 'cache'),
                            ('APT::Sandbox::User', 'root' if os.geteuid() == 0 else ''), ('Acquire::Retries', '3')]:
            options += ['-o', f'{name}={value}']
        run(['apt-get', *options, 'update'], work / 'logs' / 'update.log')
        run(['apt-get', *options, 'source', '--download-only', package], work / 'logs' / 'download.log', cwd=download)
    found = list(download.glob(pattern))
    if not found:
        raise SourceError(f'the mirror has no {package} {version}: {[p.name for p in download.iterdir()]}')
    unpacked = work / f'{package}.new'
    shutil.rmtree(unpacked, ignore_errors=True)
    run(['dpkg-source', '-x', found[0].name, str(unpacked.resolve())], work / 'logs' / 'unpack.log', cwd=download)
    unpacked.rename(source)
    return source
