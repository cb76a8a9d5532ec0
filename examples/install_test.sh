#!/bin/sh
# Installs a build into an empty prefix and uses it as a stranger would: pkg-config with the shared and the static
# library, and find_package(cairn).
#   install_test.sh <source folder> <build folder> <C++ compiler>
set -eu
source=$1 build=$2 cxx=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

cmake --install "$build" --prefix "$prefix" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name cairn.pc)")
export PKG_CONFIG_PATH
pkg-config --exists cairn

echo "== pkg-config, shared library"
"$cxx" "$source/examples/article_program.cc" -o "$scratch/article" $(pkg-config --cflags --libs cairn)
"$scratch/article" 20000 "$scratch/article_db"

echo "== pkg-config, static library"
libdir=$(pkg-config --variable=libdir cairn)
mv "$libdir/libcairn.so" "$scratch/"
"$cxx" -std=c++20 "$source/examples/embed.cc" -o "$scratch/embed" $(pkg-config --static --cflags --libs cairn)
mv "$scratch/libcairn.so" "$libdir/"
"$scratch/embed" "$scratch/embed_db"

echo "== find_package"
cmake -S "$source/examples/find_package" -B "$scratch/project" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" >/dev/null
cmake --build "$scratch/project" >/dev/null
"$scratch/project/embed_static" "$scratch/db_static"
"$scratch/project/embed_shared" "$scratch/db_shared"
