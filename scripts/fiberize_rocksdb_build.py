"""Builds RocksDB 7.8.3, as it is and moved by tools/fiberize: what fiberize_rocksdb and fiberize_db_bench share."""
import os
import shutil

from fiberize_steps import ROOT, WORK, run, say

PACKAGE, VERSION, SUITE = 'rocksdb', '7.8.3', 'bookworm'
FLAGS = ['-DCMAKE_CXX_STANDARD=20', '-DFAIL_ON_WARNINGS=OFF', '-DPORTABLE=ON', '-DWITH_BENCHMARK_TOOLS=ON', '-DWITH_TOOLS=OFF',
         '-DWITH_SNAPPY=ON', '-DWITH_LZ4=ON', '-DWITH_ZSTD=ON', '-DWITH_ZLIB=ON', '-DROCKSDB_BUILD_SHARED=OFF',
         '-DCMAKE_UNITY_BUILD=ON', '-DCMAKE_UNITY_BUILD_BATCH_SIZE=12']
TESTED = ['-DCMAKE_BUILD_TYPE=Debug', '-DCMAKE_CXX_FLAGS_DEBUG=-O1', '-DWITH_TESTS=ON',
          '-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST',
          f'-DCMAKE_PROJECT_rocksdb_INCLUDE={ROOT / "cmake" / "FiberizeRocksdb.cmake"}']
MEASURED = ['-DCMAKE_BUILD_TYPE=Release', '-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG', '-DWITH_TESTS=OFF']


def tools():
    """clang compiles these in half of the time of gcc, mold links the 190 programs in a tenth."""
    flags = ['-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold'] if shutil.which('mold') else []
    clang = next((n for n in ('19', '18', '17', '16') if shutil.which(f'clang++-{n}')), None)
    if clang:
        flags += [f'-DCMAKE_C_COMPILER=clang-{clang}', f'-DCMAKE_CXX_COMPILER=clang++-{clang}']
    return flags, '-w -Xclang -fno-pch-timestamp' if clang else '-w -fpch-preprocess'


def build(source, where, kind, targets, compile_flags='', libraries=''):
    """RocksDB's own build, which looks for ccache itself, of TESTED or MEASURED; returns its folder."""
    name = f'rocksdb-{where}' if kind is TESTED else f'rocksdb-{where}-release'
    say(f'building {name}')
    folder = WORK / f'build-{name}'
    chosen, quiet = tools()
    run(['cmake', '-S', source, '-B', folder, '-G', 'Ninja', *FLAGS, *kind, *chosen,
         f'-DCMAKE_CXX_FLAGS={quiet} {compile_flags}'.strip(), f'-DCMAKE_CXX_STANDARD_LIBRARIES={libraries}'],
        WORK / 'logs' / f'{name}_configure.log')
    run(['cmake', '--build', folder, '-j', os.environ.get('JOBS', '2'), '--target', *targets],
        WORK / 'logs' / f'{name}_build.log', env={**os.environ, 'CCACHE_SLOPPINESS': 'pch_defines,time_macros'})
    return folder
