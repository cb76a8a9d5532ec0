#!/usr/bin/env python3
"""Runs fiber_bench and prints the coroutine library's target table, row by row, met or missed.

  scripts/fiber_targets.py --bench build/release/fiber/fiber_bench [--repetitions 9] [--out bench/results/fiber_targets.md]

All benchmarks of one run are interleaved at random by Google Benchmark, so that a neighbour's load falls on ours and on
the peers alike. A figure is the median of the repetitions, beside it the best one; ratios are of medians.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

import bench_report

# (what, target in ns or None, ours, peers as {title: benchmark}); a benchmark is "name" or "name:counter".
ROWS = [
    ("raw switch", 3, "BM_RawSwitch:ns/switch", {"Boost.Context": "BM_BoostContextSwitch:ns/switch"}),
    ("yield through the scheduler, 2 fibers", 15, "BM_Yield/2/real_time", {"Boost.Fiber": "BM_BoostYield/2/real_time"}),
    ("yield through the scheduler, 100 fibers", 15, "BM_Yield/100/real_time",
     {"Boost.Fiber": "BM_BoostYield/100/real_time"}),
    ("uncontended lock + unlock, thread", "BM_StdMutex", "BM_MutexOnThread", {"std::mutex": "BM_StdMutex"}),
    ("uncontended lock + unlock, fiber", "BM_StdMutex", "BM_MutexOnFiber/real_time",
     {"std::mutex": "BM_StdMutex", "Boost.Fiber": "BM_BoostMutex"}),
    ("100 fibers on one worker, a yield inside the lock", 100, "BM_ContendedWithYieldInside/100/real_time:ns/section",
     {"Boost.Fiber": "BM_BoostContendedWithYieldInside/100/real_time:ns/section"}),
    ("ping-pong of two fibers on one worker", 80, "BM_PingPongOneWorker/real_time",
     {"Boost.Fiber (channels)": "BM_BoostPingPong/real_time"}),
    ("ping-pong across two workers", 3000, "BM_PingPongTwoWorkers/real_time",
     {"two threads on a futex": "BM_PingPongBareFutex/real_time"}),
    ("ping-pong of a fiber and a thread", 3000, "BM_PingPongFiberAndThread/real_time",
     {"two threads on a futex": "BM_PingPongBareFutex/real_time"}),
    ("spawn + join, one by one", 120, "BM_SpawnJoin/real_time",
     {"Boost.Fiber": "BM_BoostSpawnJoin/real_time", "std::thread": "BM_StdThreadSpawnJoin/real_time"}),
    ("spawn + join, batches of 1000", 80, "BM_SpawnJoinBatch1000/real_time:ns/fiber",
     {"Boost.Fiber": "BM_BoostSpawnJoinBatch1000/real_time:ns/fiber"}),
    ("cached 4 KiB read", "1.1 * BM_CachedReadThread", "BM_CachedReadFiber", {"pread": "BM_CachedReadThread",
                                                                              "preadv2 NOWAIT": "BM_CachedReadThreadNowait"}),
]
IDLE = "BM_IdleFibers/iterations:1"
LATENESS = "BM_TimerUnderBusyQueue/real_time"


def unit_nanos(unit):
    return {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]


def run(bench, repetitions, seconds):
    names = set()
    for _, target, ours, peers in ROWS:
        texts = [ours, *peers.values()] + ([target.split("* ")[-1]] if isinstance(target, str) else [])
        names.update(text.split(":ns/")[0] for text in texts)
    names |= {IDLE, LATENESS}
    pattern = "^(" + "|".join(sorted(names)) + ")$"
    command = [bench, "--benchmark_filter=" + pattern, "--benchmark_repetitions=%d" % repetitions,
               "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=%g" % seconds,
               "--benchmark_format=json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    values = {}
    for entry in json.loads(done.stdout)["benchmarks"]:
        if entry.get("run_type") != "iteration":
            continue
        name = entry["run_name"].split("/repeats:")[0]
        values.setdefault(name, []).append(entry["real_time"] * unit_nanos(entry["time_unit"]))
        for key, value in entry.items():
            if key.startswith("ns/") or key in ("bytes/fiber", "late_ns"):
                values.setdefault(name + ":" + key, []).append(value)
    return values


def figure(nanos):
    return "%.2f us" % (nanos / 1000) if nanos >= 1000 else "%.1f ns" % nanos


def table(values):
    lines = ["| what | target | ours: median (best) | | beside it: median (ours / theirs) |", "| --- | --- | --- | --- | --- |"]
    for what, target, ours, peers in ROWS:
        mine = values.get(ours)
        if mine is None:
            lines.append("| %s | | not measured | | |" % what)
            continue
        median, best = statistics.median(mine), min(mine)
        if isinstance(target, str):
            factor, _, name = target.rpartition("* ")
            limit = float(factor or 1) * statistics.median(values[name])
            shown = "%s%s = %s" % (factor + "x " if factor else "", {"BM_StdMutex": "std::mutex"}.get(name, "pread"),
                                   figure(limit))
        else:
            limit, shown = target, figure(target)
        verdict = "met" if median <= limit else "met at best" if best <= limit else "missed"
        beside = []
        for title, name in peers.items():
            if name in values:
                theirs = statistics.median(values[name])
                beside.append("%s %s (%.2f)" % (title, figure(theirs), median / theirs))
            else:
                beside.append("%s: not built" % title)
        lines.append("| %s | %s | %s (%s) | %s | %s |" % (what, shown, figure(median), figure(best), verdict,
                                                         ", ".join(beside)))
    idle = values.get(IDLE + ":bytes/fiber")
    if idle:
        size = statistics.median(idle)
        lines.append("| idle fiber, 100,000 at once | 8192 bytes | %d bytes resident | %s | |" %
                     (size, "met" if size <= 8192 else "missed"))
    late = values.get(LATENESS + ":late_ns")
    if late:
        lines.append("| a timer under a busy run queue, mean lateness | 100 us | %s (%s) | %s | |" %
                     (figure(statistics.median(late)), figure(min(late)),
                      "met" if statistics.median(late) <= 100000 else "missed"))
    return lines


def machine():
    return "%s, load %.1f at the start" % (bench_report.machine(), os.getloadavg()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--min-time", type=float, default=0.1, help="seconds for each repetition of each benchmark")
    parser.add_argument("--out", help="also write the table there")
    arguments = parser.parse_args()
    where = machine()
    values = run(arguments.bench, arguments.repetitions, arguments.min_time)
    text = "\n".join(["# The coroutine library against its targets", "",
                      "Written by `make fiber-bench`: %d repetitions, interleaved; %s." % (arguments.repetitions, where),
                      "'met at best': the best repetition meets it, the median does not.", "", *table(values), ""])
    print(text)
    if arguments.out:
        pathlib.Path(arguments.out).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(arguments.out).write_text(text)
    return 0


sys.exit(main())
