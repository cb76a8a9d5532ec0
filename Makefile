# A thin front to CMake's presets (CMakePresets.json). `make` alone lists the jobs; each installs what it lacks.
SHELL := /bin/sh
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
BUILD = cmake --build --preset
# One more at a time than there are processors: some tests wait.
CTEST = ctest --output-on-failure -j $(shell expr $(JOBS) + 1)
.DEFAULT_GOAL := help
.PHONY: help windows windows-test windows-check windows-bench c-test compare-headers ldb-suite jni jni-test jni-library kafka-test rust-test cluster-demo cluster-test cluster-bench cluster-library interop-releases release demo serve sim soak sim-mutants memcheck stress crash-check damage-check differential sim-built test check bench bench-writes bench-reads bench-cached bench-blobs bench-backup bench-matrix bench-transactions bench-stores bench-server kv-bench-built db-bench redis-suite fiber-bench asan tsan clang fuzz format install install-fiber fiberize-demo fiberize-rocksdb fiberize-db-bench fiberize-httplib fiberize-pzstd quick docs release-notes clean sharded-demo sharded-test sharded-bench sharded-library install-dropin

help:  ## list the jobs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

release:  ## build everything, optimised, under build/release
	@scripts/install-deps.sh test
	@cmake --preset release $(CONFIGURE) >/dev/null
	@$(BUILD) release -j $(JOBS)

demo:  ## load a million keys, kill, reopen, verify; on threads and on fibers (a table at the end)
	@scripts/install-deps.sh build
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target cairn_demo
	@build/demo/tools/cairn_demo

test: release  ## build the release and run every test
	@$(CTEST) --test-dir build/release

quick:  ## build and run one test program, or some of its cases: TEST=db_test [FILTER='DbLostLog*'] [PRESET=release]
	@cmake --preset $(or $(PRESET),release) >/dev/null
	@$(BUILD) $(or $(PRESET),release) -j $(JOBS) --target $(TEST)
	@$$(find build/$(or $(PRESET),release) -name '$(TEST)' -type f -perm -u+x) --gtest_brief=1 --gtest_filter='$(or $(FILTER),*)'

docs:  ## the documentation site and the API's reference, under build/site; SERVE=8000 shows it
	@scripts/install-deps.sh docs
	@scripts/docs.py $(if $(SERVE),--serve $(SERVE))

release-notes:  ## what CHANGELOG.md says of the version in include/rocksdb/version.h, for its tag
	@scripts/release_notes.py

check:  ## format, style, layers, documents, commits, public headers, thread-safety annotations, clang-tidy on changed files
	@scripts/install-deps.sh check
	scripts/check_format
	scripts/check_style.py
	scripts/check_layers.py
	scripts/compatibility.py --check
	scripts/check_docs.py
	scripts/check_commits.py
	scripts/checks_test.py
	@cmake --preset clang >/dev/null
	scripts/check_clang.py build/clang --jobs $(JOBS) $(CLANG_LOOKS)
	scripts/check_tidy build/clang

serve:  ## build and run cairn-server: any Redis client on port 6379, its page on http://127.0.0.1:6380/
	@scripts/install-deps.sh build
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target cairn-server
	@build/demo/server/cairn-server --admin_port=6380 $(SERVE_FLAGS)

sim: sim-built  ## databases in simulated worlds, each from a seed: SECONDS=60, or SEED=... to play one again
	@build/demo/sim/cairn-sim $(if $(SEED),--seed=$(SEED),--seconds=$(or $(SECONDS),60)) $(SIM_FLAGS)

soak: sim-built  ## new seeds on all processors, for SECONDS=3600
	@seq $(JOBS) | xargs -P $(JOBS) -I{} build/demo/sim/cairn-sim --seconds=$(or $(SECONDS),3600) --noprogress $(SIM_FLAGS)

sim-mutants:  ## does the simulation find planted bugs? writes bench/results/sim-mutants.md (an hour or two)
	@scripts/install-deps.sh build
	@sim/mutants.py --jobs $(JOBS) --out bench/results/sim-mutants.md $(SIM_FLAGS)

# Left out: very many fibers, other processes and engines, which take long under valgrind or fail there; and where it sees an error that is
# none: stacks of others that are read as they run (Dump, Livelock), memory that the kernel fills (WithoutTheirPages), addresses that are
# meant to be bad (ResultsAreThoseOfPread, FailuresAre), a wake of one who has just left (UnderTimeouts).
MEMCHECK_FILTER = *:-*TenThousand*:*HundredThousand*:*ManyIdle*:*NoWakeup*:*Storm*:*Soak*:*Death*:*Fork*:*Engine*:*Uring*:*Epoll*:*Many*:*AnotherProcess:*WithoutDescriptors*:DumpTest.While*:*Livelock:*WithoutTheirPages*:*ResultsAreThoseOfPread*:*FailuresAre*:*UnderTimeouts*
memcheck:  ## the fiber tests under valgrind's memcheck, which knows the fibers' stacks (FILTER= of one's own)
	@scripts/install-deps.sh build bench
	@cmake --preset release >/dev/null
	@$(BUILD) release -j $(JOBS) --target fiber_test
	@valgrind --fair-sched=yes --error-exitcode=9 --leak-check=no build/release/fiber/fiber_test --gtest_brief=1 --gtest_filter='$(or $(FILTER),$(MEMCHECK_FILTER))'

stress:  ## many threads, then fibers, on one database, all answers verified: SECONDS=60 each
	@scripts/install-deps.sh build
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target db_stress
	@build/demo/tools/db_stress --seconds=$(or $(SECONDS),60) $(STRESS_FLAGS)
	@build/demo/tools/db_stress --seconds=$(or $(SECONDS),60) --fibers $(STRESS_FLAGS)

crash-check:  ## 1,000 kills under load, 300 amid backups and restores, and as root 700 power cuts, full and broken disks, 1,000 rounds of storage that fails; bench/results/crashes.md, storage-faults.md
	@scripts/install-deps.sh build crash
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target crash_programs
	@test/crash/faultfs_test.py build/demo/test/crash/faultfs || test $$? = 77
	@test/crash/crash_check.py build/demo --out bench/results/crashes.md $(CRASH_FLAGS)

damage-check:  ## 10,000 times one damaged file of a database: opened, read in every way, repaired; bench/results/damaged-files.md
	@scripts/install-deps.sh build
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target damage_worker
	@test/damage/damage_check.py build/demo --jobs $(JOBS) --out bench/results/damaged-files.md $(DAMAGE_FLAGS)

differential:  ## 1,000 random histories, the same on RocksDB 7.8.3, on Cairn, on fibers, and on both in turns; bench/results/differential.md
	@scripts/install-deps.sh build test
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target differential_cairn differential_rocksdb
	@test/differential/differential.py --cairn build/demo/test/differential/differential_cairn --rocksdb build/demo/test/differential/differential_rocksdb \
	  --jobs $(JOBS) --out bench/results/differential.md $(DIFFERENTIAL_FLAGS)

sim-built:
	@scripts/install-deps.sh build
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target cairn-sim

bench:  ## Cairn next to a release of RocksDB (fetched), interleaved; writes bench/results/ and bench/history.ndjson
bench-writes:  ## the write path in depth: options, writers, pauses, amplification, fibers, growth (about four hours)
bench-reads:  ## reads in depth, from slow storage: MultiGet, scans, a thousand clients, round trips (about two hours)

bench-cached:  ## scans and point reads from the block cache, compaction (about ten minutes)

bench-blobs:  ## values of 1 KiB to 1 MiB in blob files and in tables; their MultiGet from slow storage (about 20 minutes)
bench-matrix:  ## every combination of the options of writing, each kind of table for reading, as heat maps (about an hour)
bench-backup:  ## a backup of 10 GB under load beside cp, and a second one; wants 40 GB of disk (about 25 minutes)

bench-transactions: kv-bench-built  ## bank transfers in transactions, 16 to 10,000 clients (about ten minutes)
	@cmake --build build/demo -j $(JOBS) --target txn_bench
	@scripts/txn_runs.py --build build/demo --out bench/results/transactions.md $(BENCH_FLAGS)

bench-stores: kv-bench-built  ## Cairn beside LevelDB, LMDB and TidesDB, those that are here (the first two by install-deps.sh), and RocksDB; bench/results/stores.md (20 minutes)
	@peer=$$(scripts/fetch_peer.py) && scripts/compare_stores.py --build build/demo --peer $$peer --out bench/results/stores.md $(BENCH_FLAGS)

bench-server:  ## cairn-server beside pools of threads over RocksDB and over Cairn, and redis-server (about two hours)

bench-server: kv-bench-built
	@cmake --build build/demo -j $(JOBS) --target cairn-server kv_load pool_server
	@peer=$$(scripts/fetch_peer.py) && for show in clients curve; do \
	  scripts/shows_server.py $$show --build build/demo --ours build/demo/libcairn.so --peer "$$peer" $(BENCH_FLAGS) || exit 1; done

bench bench-writes bench-reads bench-cached bench-blobs bench-backup bench-matrix: kv-bench-built
	@peer=$$(scripts/fetch_peer.py) && $($@-program) --bench build/demo/bench/kv_bench --ours build/demo/libcairn.so \
	  --peer "$$peer" $(BENCH_FLAGS)
bench-program = scripts/compare_engines.py
bench-writes-program = scripts/shows.py writes
bench-cached-program = scripts/shows.py cached
bench-blobs-program = scripts/shows.py blobs --slowfs build/demo/bench/slowfs
bench-backup-program = scripts/shows.py backup
bench-matrix-program = scripts/shows.py matrix
bench-reads-program = scripts/shows.py reads --db-bench build/demo/bench/db_bench --slowfs build/demo/bench/slowfs

kv-bench-built:
	@scripts/install-deps.sh bench
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target kv_bench db_bench slowfs cairn_shared

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
	@scripts/install-deps.sh sanitize
	@scripts/sanitize asan

tsan:  ## every unit test under the thread sanitizer
	@scripts/install-deps.sh sanitize
	@scripts/sanitize tsan

clang:  ## build with clang 19 and check the thread-safety annotations everywhere
	@scripts/install-deps.sh check
	@cmake --preset clang >/dev/null
	$(BUILD) clang -j $(JOBS)

c-test:  ## what RocksDB's own test of the C interface (fetched by cargo) lacks here, and why; bench/results/c-test.md
	@scripts/install-deps.sh build
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target cairn_dropin_7 cairn_dropin_10 cairn_dropin_11
	@scripts/c_test.py --out bench/results/c-test.md

compare-headers:  ## which names of RocksDB's C++ headers (fetched by cargo) are not here, and why; bench/results/headers.md
	@scripts/install-deps.sh headers
	@scripts/compare_headers.py --out bench/results/headers.md

ldb-suite:  ## RocksDB's own test of ldb (fetched by cargo) on Cairn's; bench/results/ldb-suite.md
	@scripts/install-deps.sh build
	@cmake --preset release >/dev/null
	@$(BUILD) release -j $(JOBS) --target ldb_tool
	@scripts/ldb_suite.py --ldb build/release/tools/ldb --out bench/results/ldb-suite.md

jni: jni-library  ## librocksdbjni.so on Cairn for the unmodified RocksJava jar (sources and jar fetched), and a small Java program; JNI_RELEASE=10.4.2
	@scripts/jni.py --release $(JNI_RELEASE) --build build/demo --jobs $(JOBS) --example

jni-test: jni-library  ## RocksJava's own JUnit tests on it and on RocksDB's library; bench/results/java.md; JNI_RELEASE=10.4.2: java-10.4.2.md
	@scripts/jni.py --release $(JNI_RELEASE) --build build/demo --jobs $(JOBS)
	@scripts/jni_tests.py --release $(JNI_RELEASE) --jobs $(JOBS) --out bench/results/java$(if $(filter-out 7.8.3,$(JNI_RELEASE)),-$(JNI_RELEASE)).md
JNI_RELEASE = 7.8.3

kafka-test: jni-library  ## Kafka Streams' own tests of its RocksDB stores (fetched by Maven) on it and on RocksDB's library; bench/results/kafka.md
	@scripts/jni.py --build build/demo --jobs $(JOBS)
	@scripts/kafka_tests.py --jobs $(JOBS) --out bench/results/kafka.md

jni-library:
	@scripts/install-deps.sh jni
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target cairn

rust-test:  ## the crate rocksdb's own tests (fetched by cargo) on Cairn and on RocksDB; RELEASES="0.24 0.25"; bench/results/rust.md
	@scripts/install-deps.sh rust
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target cairn cairn_shared
	@scripts/rust_tests.py --build build/demo --out bench/results/rust.md $(RUST_FLAGS) $(RELEASES)

cluster-demo: cluster-library  ## examples/replicated: three nodes over OpenRaft and the crate rocksdb on Cairn; load, a killed leader, a live table; doc/cluster.md
	@scripts/raft_demo.py --build build/demo $(CLUSTER_FLAGS)

cluster-test: cluster-library  ## the same under 100 kills and, as root, 30 partitions, full disks, lost files; bench/results/raft.md (about 20 minutes)
	@scripts/raft_check.py --build build/demo --out bench/results/raft.md $(CLUSTER_FLAGS)

cluster-bench: cluster-library  ## the same with Cairn's library and with RocksDB's (fetched), in turns; bench/results/raft.md
	@scripts/raft_compare.py --build build/demo --out bench/results/raft.md $(CLUSTER_FLAGS)

cluster-library:
	@scripts/install-deps.sh cluster
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target cairn cairn_shared

sharded-demo: jni-library  ## examples/sharded: three stores of JRaft's RheaKV (Java, fetched by Maven) on Cairn; regions split under load, a node is killed; doc/cluster.md
	@scripts/jni.py --build build/demo --jobs $(JOBS)
	@scripts/sharded_demo.py $(SHARDED_FLAGS)

sharded-test: sharded-library  ## the same with two million keys, 50 kills and, as root, 20 partitions, full disks; bench/results/sharded.md
	@scripts/sharded_check.py --build build/demo --out bench/results/sharded.md $(SHARDED_FLAGS)

sharded-bench: sharded-library  ## the same with Cairn's library and with RocksDB's, in turns; bench/results/sharded.md
	@scripts/sharded_compare.py --build build/demo --out bench/results/sharded.md $(SHARDED_FLAGS)

sharded-library:
	@scripts/install-deps.sh sharded
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target cairn cairn_shared
	@scripts/jni.py --build build/demo --jobs $(JOBS)

interop-releases:  ## databases back and forth with RocksDB 10.4.2 and 11.1.1 (fetched); bench/results/interop.md
	@scripts/install-deps.sh test bench
	@cmake --preset release >/dev/null
	@$(BUILD) release -j $(JOBS) --target cairn_shared releases_driver two_phase_cairn
	@scripts/interop_releases.py --out bench/results/interop.md $(INTEROP_FLAGS)

windows:  ## cross-compile the library and its tests for Windows (mingw-w64) and run under Wine what passes there; doc/windows.md
	@scripts/install-deps.sh windows
	@scripts/windows_deps.py --jobs $(JOBS)
	@cmake --preset windows-mingw $(WINDOWS_CONFIGURE) >/dev/null
	@cmake --build build/windows/release -j $(JOBS) --target $(WINDOWS_PROGRAMS) $(WINDOWS_DLL_PROGRAMS) ldb_tool sst_dump_tool cairn_tool trace_analyzer block_cache_trace_analyzer db_bench
	@scripts/windows_test.py --jobs $(JOBS) --out build/windows/counts.md $(WINDOWS_PROGRAMS) dll
# In batches: half the time of mingw's compiler.
WINDOWS_CONFIGURE = -DCAIRN_UNITY=ON -DCAIRN_UNITY_TESTS=ON
WINDOWS_PROGRAMS ?= base_test fs_test cache_test memtable_test wal_test table_test blob_test options_test manifest_test commit_test \
	read_test compaction_test db_test repair_test fiber_test utilities_test toolkit_test async_test model_test timestamp_model_test power_cut_test \
	simulation_test sim_test crash_test conformance_cairn
WINDOWS_DLL_PROGRAMS = c_programs embed

windows-test:  ## the same with every program, in release and debug, and OpenSSL for the server
	@scripts/install-deps.sh windows
	@scripts/windows_deps.py --jobs $(JOBS) --openssl
	@for preset in windows-mingw windows-mingw-debug; do cmake --preset $$preset $(WINDOWS_CONFIGURE) >/dev/null || exit 1; done
	@for kind in release debug; do cmake --build build/windows/$$kind -j $(JOBS) && scripts/windows_test.py --jobs $(JOBS) --build build/windows/$$kind || exit 1; done

windows-check:  ## 300 kills by TerminateProcess, databases to Linux and back, cairn-server with 1,000 connections, under Wine; bench/results/windows-*.md
	@scripts/install-deps.sh windows
	@scripts/windows_deps.py --jobs $(JOBS) --openssl
	@cmake --preset windows-mingw $(WINDOWS_CONFIGURE) >/dev/null
	@cmake --build build/windows/release -j $(JOBS) --target crash_programs cairn_shared releases_driver cairn-server interrupt reload_service
	@cmake --preset release >/dev/null
	@$(BUILD) release -j $(JOBS) --target cairn_shared releases_driver
	@test/crash/crash_check.py build/windows/release kill --kills 300 --out bench/results/windows-kills.md $(CRASH_FLAGS)
	@scripts/interop_windows.py --jobs $(JOBS) --out bench/results/windows-interop.md $(INTEROP_FLAGS)
	@server/windows_check.py build/windows/release

windows-bench:  ## db_bench.exe under Wine against db_bench of Linux, interleaved; bench/results/windows.md (about half an hour)
	@scripts/install-deps.sh windows bench
	@scripts/windows_deps.py --jobs $(JOBS)
	@cmake --preset windows-mingw $(WINDOWS_CONFIGURE) >/dev/null
	@cmake --build build/windows/release -j $(JOBS) --target db_bench
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target db_bench
	@scripts/windows_bench.py --linux build/demo --out bench/results/windows.md $(BENCH_FLAGS)

fuzz:  ## run a fuzz target for some time: make fuzz TARGET=table [SECONDS=60]; doc/fuzzing.md has them
	@scripts/fuzz "$(TARGET)" $(SECONDS)

format:  ## rewrite the sources with clang-format
	@scripts/install-deps.sh check
	@scripts/check_format --fix

install:  ## headers, libcairn.a, libcairn.so, cairn.pc, CMake package, tools; PREFIX=/usr/local; JNI=on: librocksdbjni.so, too
	@scripts/install-deps.sh build
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS)
	@cmake --install build/demo --prefix $(PREFIX)
ifeq ($(JNI),on)
	@scripts/install-deps.sh jni
	@scripts/jni.py --release $(JNI_RELEASE) --build build/demo --jobs $(JOBS)
	@install -D -m 644 build/jni/$(JNI_RELEASE)/lib/librocksdbjni.so $(DESTDIR)$(PREFIX)/lib/librocksdbjni.so
endif
	@if [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

install-dropin:  ## librocksdb.so.7.8, .10 and .11, on which programs run that were built for RocksDB's C interface: below PREFIX/lib/cairn/dropin
	@scripts/install-deps.sh build
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target cairn_dropin_7 cairn_dropin_10 cairn_dropin_11
	@cmake --install build/demo --prefix $(PREFIX) --component dropin

install-fiber:  ## the coroutine library alone: headers, libfiber.a, fiber.pc, CMake package, fiberize; PREFIX=/usr/local
	@scripts/install-deps.sh fiber
	@cmake -S fiber -B build/fiber -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build build/fiber -j $(JOBS)
	@cmake --install build/fiber --prefix $(PREFIX)

redis-suite:  ## Redis's own tests and redis-py's against cairn-server (a table in bench/results; about a quarter of an hour)
	@scripts/install-deps.sh suite
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target cairn-server
	@scripts/redis_suite.py --server build/demo/server/cairn-server

fiberize-demo:  ## LevelDB's own tests on threads and, moved by tools/fiberize, on fibers (a table at the end)
	@scripts/fiberize_demo

fiberize-rocksdb:  ## RocksDB 7.8.3's own tests on threads and, moved by tools/fiberize, on fibers (hours, in several runs); TESTS=all or names, ARGS="--minutes 60 --publish"
	@scripts/fiberize_rocksdb $(if $(TESTS),--tests $(TESTS)) $(ARGS)

fiberize-db-bench:  ## RocksDB 7.8.3's own db_bench on threads and, moved, on fibers, and Cairn's on fibers (builds for half an hour); ARGS=--publish
	@scripts/install-deps.sh bench fiberize
	@cmake --preset release -DCAIRN_BUILD_TESTS=OFF -B build/demo >/dev/null
	@cmake --build build/demo -j $(JOBS) --target db_bench
	@scripts/fiberize_db_bench --cairn build/demo/bench/db_bench $(ARGS)

fiberize-httplib:  ## the same for cpp-httplib 0.11.4, a threaded server: its own tests (minutes)
	@scripts/fiberize_httplib

fiberize-pzstd:  ## the same for pzstd of zstd 1.5.4, a threaded tool: its own tests and round trips (minutes)
	@scripts/fiberize_pzstd

clean:  ## remove build/
	rm -rf build
