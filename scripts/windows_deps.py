#!/usr/bin/env python3
"""Builds what the Windows port links against, with mingw-w64, from Debian's source packages.

  windows_deps.py [--out build/windows/deps] [--jobs N] [--openssl] [NAME...]     default: all but OpenSSL and mimalloc

zlib is a Debian package of its own for mingw (libz-mingw-w64-dev). A dependency that is built is not built again; a folder
that is removed builds all of it anew. Everything is linked statically: a program then runs without any DLL beside it.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import debian_source

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLCHAIN = ROOT / 'cmake' / 'windows-mingw.cmake'
SUITE = 'bookworm'
TRIPLE = 'x86_64-w64-mingw32'
CC, CXX, AR, RANLIB = f'{TRIPLE}-gcc-posix', f'{TRIPLE}-g++-posix', f'{TRIPLE}-gcc-ar-posix', f'{TRIPLE}-ranlib'
# Debian's name, its version of bookworm.
PACKAGES = {
    'googletest': '1.12.1', 'xxhash': '0.8.1', 'lz4': '1.9.4', 'libzstd': '1.5.4+dfsg2', 'gflags': '2.2.2',
    'snappy': '1.1.9', 'libisal': '2.30.0', 'benchmark': '1.7.1', 'bzip2': '1.0.8', 'openssl': None,
    'mimalloc': '2.0.9+ds',
}
# Those that not every build wants.
OPTIONAL = ('openssl', 'mimalloc')


class Build:
    def __init__(self, out, jobs):
        self.out, self.jobs = out, jobs
        self.work = out.parent / 'sources'
        self.logs = self.work / 'logs'

    def source(self, package):
        return debian_source.fetch(package, PACKAGES[package] or '*', SUITE, self.work)

    def run(self, name, command, **options):
        debian_source.run([str(word) for word in command], self.logs / f'{name}.log', **options)

    def cmake(self, package, folder='.', *options):
        build = self.work / f'{package}.build'
        shutil.rmtree(build, ignore_errors=True)
        self.run(f'{package}-configure', [
            'cmake', '-G', 'Ninja', '-S', self.source(package) / folder, '-B', build, f'-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}',
            '-DCMAKE_BUILD_TYPE=Release', f'-DCMAKE_INSTALL_PREFIX={self.out}', '-DCMAKE_INSTALL_LIBDIR=lib',
            '-DBUILD_SHARED_LIBS=OFF', *options])
        self.run(f'{package}-build', ['cmake', '--build', build, '-j', self.jobs])
        self.run(f'{package}-install', ['cmake', '--install', build])

    def pkg_config(self, name, version, libs, cflags=''):
        folder = self.out / 'lib' / 'pkgconfig'
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f'{name}.pc').write_text(
            f'prefix={self.out}\nName: {name}\nDescription: {name} for Windows\nVersion: {version}\n'
            f'Libs: -L${{prefix}}/lib {libs}\nCflags: -I${{prefix}}/include {cflags}\n')

    def headers(self, names, folder):
        target = self.out / 'include' / folder
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copy(name, target)

    # --- the packages

    def googletest(self):
        self.cmake('googletest')

    def xxhash(self):
        self.cmake('xxhash', 'cmake_unofficial', '-DXXHASH_BUILD_XXHSUM=OFF')

    def lz4(self):
        self.cmake('lz4', 'build/cmake', '-DLZ4_BUILD_CLI=OFF', '-DLZ4_BUILD_LEGACY_LZ4C=OFF', '-DBUILD_STATIC_LIBS=ON',
                   # (It brings a copy of xxHash, whose names are those of the library itself else.)
                   '-DCMAKE_C_FLAGS=-DXXH_NAMESPACE=LZ4_')

    def libzstd(self):
        self.cmake('libzstd', 'build/cmake', '-DZSTD_BUILD_PROGRAMS=OFF', '-DZSTD_BUILD_TESTS=OFF', '-DZSTD_BUILD_SHARED=OFF',
                   '-DZSTD_LEGACY_SUPPORT=OFF')

    def gflags(self):
        self.cmake('gflags', '.', '-DBUILD_STATIC_LIBS=ON', '-DBUILD_gflags_LIB=ON', '-DBUILD_TESTING=OFF', '-DREGISTER_BUILD_DIR=OFF',
                   '-DREGISTER_INSTALL_PREFIX=OFF')

    def benchmark(self):
        # (Debian's has the version from its packaging, not from git.)
        self.cmake('benchmark', '.', f'-DGIT_VERSION={PACKAGES["benchmark"]}', '-DBENCHMARK_ENABLE_TESTING=OFF',
                   '-DBENCHMARK_ENABLE_WERROR=OFF', '-DBENCHMARK_ENABLE_INSTALL=ON')

    def snappy(self):
        """Its CMake wants what Debian took out; the library is four files and a header that CMake would fill in."""
        source, build = self.source('snappy'), self.work / 'snappy.build'
        shutil.rmtree(build, ignore_errors=True)
        build.mkdir(parents=True)
        major, minor, patch = PACKAGES['snappy'].split('.')
        stub = (source / 'snappy-stubs-public.h.in').read_text()
        for name, value in {'PROJECT_VERSION_MAJOR': major, 'PROJECT_VERSION_MINOR': minor, 'PROJECT_VERSION_PATCH': patch,
                            'HAVE_SYS_UIO_H_01': '0'}.items():
            stub = stub.replace('${' + name + '}', value)
        (build / 'snappy-stubs-public.h').write_text(stub)
        objects = []
        for name in ('snappy', 'snappy-c', 'snappy-sinksource', 'snappy-stubs-internal'):
            objects.append(build / f'{name}.o')
            self.run(f'snappy-{name}', [CXX, '-O2', '-DNDEBUG', '-DHAVE_BUILTIN_EXPECT=1', '-DHAVE_BUILTIN_CTZ=1', f'-I{build}',
                                        f'-I{source}', '-c', source / f'{name}.cc', '-o', objects[-1]])
        (self.out / 'lib').mkdir(parents=True, exist_ok=True)
        self.run('snappy-archive', [AR, 'rcs', self.out / 'lib' / 'libsnappy.a', *objects])
        self.headers([source / 'snappy.h', source / 'snappy-c.h', source / 'snappy-sinksource.h',
                      build / 'snappy-stubs-public.h'], '.')
        self.pkg_config('snappy', PACKAGES['snappy'], '-lsnappy')

    def bzip2(self):
        """Its Makefile knows the host alone; the library is seven files and a header."""
        source, build = self.source('bzip2'), self.work / 'bzip2.build'
        shutil.rmtree(build, ignore_errors=True)
        build.mkdir(parents=True)
        objects = []
        for name in ('blocksort', 'huffman', 'crctable', 'randtable', 'compress', 'decompress', 'bzlib'):
            objects.append(build / f'{name}.o')
            self.run(f'bzip2-{name}', [CC, '-O2', '-D_FILE_OFFSET_BITS=64', '-c', source / f'{name}.c', '-o', objects[-1]])
        (self.out / 'lib').mkdir(parents=True, exist_ok=True)
        self.run('bzip2-archive', [AR, 'rcs', self.out / 'lib' / 'libbz2.a', *objects])
        self.headers([source / 'bzlib.h'], '.')

    def libisal(self):
        source = self.source('libisal')
        self.run('libisal-build', ['make', '-f', 'Makefile.unx', 'arch=mingw', 'AS=nasm', 'units=crc', f'CC={CC}', f'AR={AR}',
                                   f'-j{self.jobs}', 'lib'], cwd=source)
        libraries = [*source.glob('bin/*.a'), *source.glob('bin/*.lib')]
        if len(libraries) != 1:
            raise debian_source.SourceError(f'ISA-L made {libraries}')
        (self.out / 'lib').mkdir(parents=True, exist_ok=True)
        shutil.copy(libraries[0], self.out / 'lib' / 'libisal.a')
        self.run('libisal-index', [RANLIB, self.out / 'lib' / 'libisal.a'])
        self.headers(sorted((source / 'include').glob('*.h')), 'isa-l')
        self.headers([source / 'isa-l.h'] if (source / 'isa-l.h').exists() else [], '.')
        self.pkg_config('libisal', PACKAGES['libisal'], '-lisal')

    def mimalloc(self):
        self.cmake('mimalloc', '.', '-DMI_BUILD_SHARED=OFF', '-DMI_BUILD_OBJECT=OFF', '-DMI_BUILD_TESTS=OFF', '-DMI_OVERRIDE=OFF',
                   '-DMI_INSTALL_TOPLEVEL=ON')

    def openssl(self):
        source = self.source('openssl')
        self.run('openssl-configure', ['perl', 'Configure', 'mingw64', 'no-shared', 'no-tests', 'no-engine',
                                       f'--cross-compile-prefix={TRIPLE}-', f'--prefix={self.out}', '--libdir=lib'], cwd=source)
        # The prefix is the compiler's; the posix flavour has the C++11 threads, which OpenSSL does not use.
        self.run('openssl-build', ['make', f'-j{self.jobs}', 'build_libs'], cwd=source)
        self.run('openssl-install', ['make', 'install_dev'], cwd=source)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=pathlib.Path, default=ROOT / 'build' / 'windows' / 'deps')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--openssl', action='store_true', help='OpenSSL, too, for the TLS of cairn-server')
    parser.add_argument('names', nargs='*', choices=[*PACKAGES, []], metavar='NAME', help=', '.join(PACKAGES))
    args = parser.parse_args()
    names = args.names or [name for name in PACKAGES if name not in OPTIONAL or (name == 'openssl' and args.openssl)]
    for tool in (CC, CXX, AR, 'nasm', 'cmake', 'ninja', 'make'):
        if shutil.which(tool) is None:
            print(f'windows_deps.py: {tool} is missing: scripts/install-deps.sh windows', file=sys.stderr)
            return 1
    build = Build(args.out.resolve(), args.jobs)
    done = build.out / 'built'
    done.mkdir(parents=True, exist_ok=True)
    for name in names:
        stamp = done / name
        if stamp.exists():
            continue
        print(f'windows_deps.py: {name}', flush=True)
        try:
            getattr(build, name)()
        except (debian_source.SourceError, OSError, subprocess.SubprocessError) as error:
            print(f'windows_deps.py: {name}: {error}', file=sys.stderr)
            return 1
        stamp.touch()
    return 0


if __name__ == '__main__':
    sys.exit(main())
