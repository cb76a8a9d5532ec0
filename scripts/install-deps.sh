#!/bin/sh
# Installs, from Debian's archive, the packages that are missing for a job; quiet when nothing is missing.
#   scripts/install-deps.sh [build|test|check|sanitize|bench|crash|fuzz|fiber|fiberize|suite|docs|windows|jni|headers|rust|cluster|sharded|all]...     default: build
set -eu

build="g++ cmake ninja-build pkg-config python3 liburing-dev libisal-dev libxxhash-dev liblz4-dev libzstd-dev
  libsnappy-dev zlib1g-dev libbz2-dev libgflags-dev libssl-dev libbenchmark-dev"
# RocksDB 7.8.3: the oracle of the interop tests. chromium: looks at the page of the server. openssl: makes certificates.
test="libgtest-dev libgmock-dev rocksdb-tools librocksdb-dev ccache gdb chromium openssl"
check="git clang-19 clang-format-19 clang-tidy-19"
# The peers: db_bench 7.8.3, the current RocksDB, which Maven fetches, and the coroutines of Boost.
# slowfs, the slow storage: libfuse3; what it gives at best: fio. Counts of instructions: valgrind. A server for kv_load: Redis.
bench="liblmdb-dev libleveldb-dev rocksdb-tools maven libboost-context-dev libboost-fiber-dev libfuse3-dev fuse3 fio valgrind redis-server redis-tools"
# Disks that lose power.
crash="libfuse3-dev fuse3 e2fsprogs xfsprogs"
# llvm-19: llvm-symbolizer-19, which names the lines in a sanitizer's report.
sanitize="clang-19 libclang-rt-19-dev llvm-19"
fuzz="clang-19 libclang-rt-19-dev"

fiber="g++ cmake ninja-build pkg-config python3 liburing-dev"    # the coroutine library alone
fiberize="$fiber libgtest-dev libgmock-dev libbenchmark-dev libsnappy-dev liblz4-dev libzstd-dev zlib1g-dev libgflags-dev dpkg-dev
  xz-utils patch binutils zstd"
docs="git python3 python3-venv doxygen graphviz"
suite="$build dpkg-dev xz-utils patch tcl python3-venv"    # Redis's own tests: redis_suite.py
# RocksJava on Cairn: jni.py; what its own tests need.
jni="$build openjdk-17-jdk-headless maven dpkg-dev xz-utils patch junit4 libassertj-core-java libmockito-java"
# RocksDB's headers beside ours, beside cargo: compare_headers.py.
headers="python3-clang-19 libclang1-19"
# The crate rocksdb on Cairn, beside cargo: libclang for its bindings; the peers: Debian's RocksDB, and others that Maven fetches.
rust="$build libclang-19-dev librocksdb-dev maven"
# The replicated example, beside cargo and go: the network between its nodes, clocks that are apart.
cluster="$rust iproute2 faketime"
sharded="$jni $cluster"    # The sharded example, whose clients and network are those of the replicated one
# The port to Windows: the cross-compiler, what its dependencies are built with (windows_deps.py), and Wine.
windows="cmake ninja-build make pkg-config python3 dpkg-dev xz-utils perl nasm g++-mingw-w64-x86-64-posix mingw-w64-tools
  libz-mingw-w64-dev wine wine64"

wanted=""
for job in "${@:-build}"; do
  case "$job" in
    build) wanted="$wanted $build" ;;
    test) wanted="$wanted $build $test" ;;
    check) wanted="$wanted $build $test $check" ;;
    sanitize) wanted="$wanted $build $test $sanitize" ;;
    bench) wanted="$wanted $build $bench" ;;
    crash) wanted="$wanted $build $crash" ;;
    fuzz) wanted="$wanted $build $fuzz" ;;
    fiber) wanted="$wanted $fiber" ;;
    fiberize) wanted="$wanted $fiberize" ;;
    suite) wanted="$wanted $suite" ;;
    docs) wanted="$wanted $docs" ;;
    windows) wanted="$wanted $windows" ;;
    jni) wanted="$wanted $jni" ;;
    headers) wanted="$wanted $headers" ;;
    rust) wanted="$wanted $rust" ;;
    cluster) wanted="$wanted $cluster" ;;
    sharded) wanted="$wanted $sharded" ;;
    all) wanted="$wanted $build $test $check $sanitize $bench" ;;
    *) echo "install-deps.sh: unknown job '$job' (build, test, check, sanitize, bench, crash, fuzz, fiber, fiberize, suite, docs, windows, jni, headers, rust, cluster, sharded or all)" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "install-deps.sh: no Debian here; have these installed, in your system's names:" $wanted >&2
  exit 0
fi
missing=""
for package in $wanted; do
  case " $missing " in *" $package "*) continue ;; esac
  dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

sudo=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "install-deps.sh: missing packages; as root run: apt-get install$missing" >&2
    exit 1
  fi
  sudo="sudo"
fi
echo "install-deps.sh: installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The package lists may be absent or old: fetch them first. ${sudo} is empty for root.
if ! { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "install-deps.sh: apt-get failed" >&2
  exit 1
fi
