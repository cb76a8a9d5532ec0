# A thin front to CMake's presets (CMakePresets.json). `make` alone lists the jobs; each installs what it lacks.
SHELL := /bin/sh
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
BUILD = cmake --build --preset
CTEST = ctest --output-on-failure -j $(JOBS)
.DEFAULT_GOAL := help
.PHONY: help release demo test check bench bench-writes kv-bench-built db-bench fiber-bench asan tsan clang format install install-fiber fiberize-demo clean

help:  ## list the jobs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

release:  ## build everything, optimised, under build/release
	@scripts/install-deps.sh test
	@cmake --preset release >/dev/null
	@$(BUILD) release -j $(JOBS)

demo:  ## load a million keys, kill, reopen, verify; on threads and on fibers (a table at the end)
	@scripts/install-deps.sh build
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target cairn_demo
	@build/demo/tools/cairn_demo

test: release  ## build the release and run every test
	@$(CTEST) --test-dir build/release

check:  ## format, style, layers, public headers, thread-safety annotations, clang-tidy on changed files
	@scripts/install-deps.sh check
	scripts/check_format
	scripts/check_style.py
	scripts/check_layers.py
	scripts/checks_test.py
	@cmake --preset clang >/dev/null
	$(BUILD) clang -j $(JOBS) --target headers_alone cairn
	scripts/check_tidy build/clang

bench:  ## Cairn next to a release of RocksDB (fetched), interleaved; writes bench/results/ and bench/history.ndjson
bench-writes:  ## the write path in depth: options, writers, pauses, amplification, fibers, growth (about four hours)

bench bench-writes: kv-bench-built
	@peer=$$(scripts/fetch_peer.py) && $($@-program) --bench build/demo/bench/kv_bench --ours build/demo/libcairn.so \
	  --peer "$$peer" $(BENCH_FLAGS)
bench-program = scripts/compare_engines.py
bench-writes-program = scripts/shows.py all

kv-bench-built:
	@scripts/install-deps.sh bench
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target kv_bench cairn_shared

db-bench:  ## db_bench next to that of Debian's RocksDB 7.8.3, interleaved; writes bench/results/
	@scripts/install-deps.sh bench
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target db_bench
	@scripts/compare_db_bench.py --ours build/demo/bench/db_bench $(BENCH_FLAGS)

fiber-bench:  ## the coroutine library against its targets, beside Boost and std; writes bench/results/fiber_targets.md
	@scripts/install-deps.sh bench
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target fiber_bench
	@scripts/fiber_targets.py --bench build/demo/fiber/fiber_bench --out bench/results/fiber_targets.md $(BENCH_FLAGS)

asan:  ## every unit test under the address and undefined-behaviour sanitizers
	@scripts/install-deps.sh test
	@scripts/sanitize asan

tsan:  ## the concurrency tests under the thread sanitizer
	@scripts/install-deps.sh test
	@scripts/sanitize tsan

clang:  ## build with clang 19 and check the thread-safety annotations everywhere
	@scripts/install-deps.sh check
	@cmake --preset clang >/dev/null
	$(BUILD) clang -j $(JOBS)

format:  ## rewrite the sources with clang-format
	@scripts/install-deps.sh check
	@scripts/check_format --fix

install:  ## headers, libcairn.a, libcairn.so, cairn.pc, CMake package, tools; PREFIX=/usr/local
	@scripts/install-deps.sh build
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS)
	@cmake --install build/demo --prefix $(PREFIX)
	@if [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

install-fiber:  ## the coroutine library alone: headers, libfiber.a, fiber.pc, CMake package, fiberize; PREFIX=/usr/local
	@scripts/install-deps.sh fiber
	@cmake -S fiber -B build/fiber -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build/fiber -j $(JOBS)
	@cmake --install build/fiber --prefix $(PREFIX)

fiberize-demo:  ## LevelDB's own tests on threads and, moved by tools/fiberize, on fibers (a table at the end)
	@scripts/fiberize_demo

clean:  ## remove build/
	rm -rf build
