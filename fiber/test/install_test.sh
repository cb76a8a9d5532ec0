#!/bin/sh
# Installs fiber alone into an empty prefix and uses it as a stranger would: pkg-config, pkg-config with main() on a
# fiber, find_package, and the installed fiberize on a threaded program.
#   install_test.sh <source folder of fiber> <build folder> <C++ compiler>
set -eu
source=$1 build=$2 cxx=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

cmake --install "$build" --prefix "$prefix" --component fiber >/dev/null
if find "$prefix" -iname '*cairn*' -o -iname '*rocksdb*' | grep .; then
  echo "the database has no place in fiber's install" >&2
  exit 1
fi
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name fiber.pc)")
export PKG_CONFIG_PATH
pkg-config --exists fiber fiber-main

echo "== pkg-config"
"$cxx" -std=c++20 "$source/examples/threads.cc" -o "$scratch/threads" $(pkg-config --cflags --libs fiber)
"$scratch/threads" thread

echo "== pkg-config, main() on a fiber"
"$cxx" -std=c++20 "$source/examples/threads.cc" -o "$scratch/threads_main" $(pkg-config --cflags --libs fiber-main)
FIBER_WORKERS=2 "$scratch/threads_main" fiber

echo "== find_package"
cmake -S "$source/examples" -B "$scratch/project" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" >/dev/null
cmake --build "$scratch/project" >/dev/null
"$scratch/project/threads" thread
"$scratch/project/threads_main" fiber

echo "== fiberize"
for example in before_fiberize before_fiberize_pthread; do
  moved=$scratch/moved_$example
  mkdir "$moved"
  cp "$source/examples/$example.cc" "$moved/program.cc"
  "$cxx" -std=c++20 -pthread "$moved/program.cc" -o "$scratch/unmoved"
  "$scratch/unmoved"
  "$prefix/bin/fiberize" --strict "$moved"
  if grep -nE 'std::mutex|pthread_mutex_t' "$moved/program.cc" | grep -vE 'fiber_std|::fiber::posix'; then exit 1; fi
  "$cxx" -std=c++20 "$moved/program.cc" -o "$moved/program" $(pkg-config --cflags --libs fiber-main)
  FIBER_WORKERS=1 "$moved/program"
  FIBER_WORKERS=2 "$moved/program"
done
