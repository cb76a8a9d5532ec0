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

echo "== large frames: a thread's stack, and an overflow that steps over the guard is told"
cat > "$scratch/large_frame.cc" <<'END'
#include <cstdio>
int main(int argc, char**) {
  volatile char large[1 << 20];
  large[argc] = 1;
  return large[argc] == 1 ? 0 : 1;
}
END
"$cxx" "$scratch/large_frame.cc" -o "$scratch/large_frame" $(pkg-config --cflags --libs fiber-main)
"$scratch/large_frame"
if FIBER_STACK_SIZE=262144 "$scratch/large_frame" 2>"$scratch/said"; then
  echo "a frame of 1 MiB fits on a stack of 256 KiB" >&2
  exit 1
fi
grep 'stack overflow in fiber' "$scratch/said"

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
