"""Takes the measurements of a show (shows_writes.py, shows_reads.py) one by one, keeps each as soon as it is there, and goes on where an
earlier run was cut off."""
import dataclasses
import json
import os
import shutil
import sys
import time

from db_bench_runs import run_db_bench
from fio_runs import make_file, run_fio
from kv_runs import Failed, SlowMount, copy_folder, count_instructions, drop_page_cache, folder_bytes, run_kv_bench

STEP_LIMIT = 3 * 3600  # seconds after which a process counts as hung


@dataclasses.dataclass
class Base:
    """A database to load before a step. Kept for the other steps with an equal one."""
    benchmarks: str
    flags: list
    program: str = 'kv_bench'
    engine: str = None  # that loads it; None: the step's, each engine its own, anew for each pair
    name: str = None    # with `engine`: of the folder; all engines read the same files


@dataclasses.dataclass
class Step:
    """One process of kv_bench, also under callgrind, of db_bench, of fio or of cp."""
    case: str        # what is measured; unique within an engine and a pair
    engine: str      # a key of Runner's libraries, for kv_bench; of its db_benches, for db_bench
    pair: int
    benchmarks: str  # for fio: read or randread
    flags: list      # for fio: bytes of a read, reads at once, seconds
    base: Base = None   # None: the step makes its own, which goes with it
    cold: bool = False  # drop the database from the page cache before
    delay: int = None   # microseconds that each read takes: the database is used through slowfs
    count: bool = False  # with delay: kv_bench counts the storage's round trips of each operation
    program: str = 'kv_bench'  # or cp, which copies the database to `beside`, instead of `benchmarks`
    beside: str = None  # a folder that the step fills, for kv_bench its --backup_dir; what it grows by is recorded
    fresh: bool = False  # it is emptied before
    settle: bool = True  # the device gets all that was written before

    @property
    def key(self):
        return f'{self.case} | {self.engine} | {self.pair}'


class Store:
    """The measurements of a show in a JSON file, written anew after each."""

    def __init__(self, path, settings, resume):
        self.path = path
        self.content = {'settings': settings, 'records': {}}
        if not resume or not path.exists():
            return
        old = json.loads(path.read_text())
        changed = [name for name in {*settings, *old['settings']} if settings.get(name) != old['settings'].get(name)]
        if changed:
            sys.exit(f'{path}: cannot resume: other settings: {", ".join(sorted(changed))}')
        self.content = old

    @property
    def records(self):
        return self.content['records']

    def add(self, key, record):
        self.records[key] = record
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix('.json.new')
        # A record a line.
        lines = ',\n'.join(f'  {json.dumps(k)}: {json.dumps(r)}' for k, r in self.records.items())
        new.write_text(f'{{"settings": {json.dumps(self.content["settings"], indent=1)},\n "records": {{\n{lines}\n}}}}\n')
        os.replace(new, self.path)

    def runs(self, case, engine):
        """The records of a case, in the order of the pairs."""
        found = [r for r in self.records.values() if r['case'] == case and r['engine'] == engine]
        return sorted(found, key=lambda r: r['pair'])


def rotated(engines, pair):
    """Who goes first changes from pair to pair."""
    shift = pair % len(engines)
    return engines[shift:] + engines[:shift]


class Runner:
    """`libraries`: the file of each engine's library, for kv_bench. `db_benches`: the programs. `slowfs`: the program, for
    steps with a delay."""

    def __init__(self, bench, libraries, scratch, db_benches=None, slowfs=None, fio_megabytes=1024):
        self.bench = bench
        self.db_benches = db_benches or {}
        self.slowfs = slowfs
        self.fio_megabytes = fio_megabytes
        self.libraries = libraries
        self.scratch = scratch

    def measure(self, name, steps, store):
        """Returns how many steps failed; each is reported, and the others go on."""
        failed = 0
        if not store.records:
            shutil.rmtree(self.scratch, ignore_errors=True)  # of an earlier run that is not resumed
        self.scratch.mkdir(parents=True, exist_ok=True)
        for number, step in enumerate(steps, 1):
            if step.key in store.records:
                continue
            start = time.monotonic()
            try:
                record = self.take(step)
            except Failed as failure:
                print(f'{name} [{number}/{len(steps)}] {step.key}: FAILED: {failure}', file=sys.stderr)
                failed += 1
                continue
            store.add(step.key, record)
            told = ', '.join(f'{r["workload"]} {r["ops_per_second"]:,.0f}/s' for r in record['runs'] if 'ops_per_second' in r)
            print(f'{name} [{number}/{len(steps)}] {step.key}: {told} ({time.monotonic() - start:.0f} s)', file=sys.stderr)
        if failed == 0:
            shutil.rmtree(self.scratch, ignore_errors=True)
        return failed

    def run(self, program, engine, db, benchmarks, flags):
        if program == 'fio':
            return run_fio(db / 'fio.dat', benchmarks, *flags)
        if program == 'callgrind':
            return count_instructions(self.bench, self.libraries[engine], db, benchmarks, flags, STEP_LIMIT)
        if program == 'db_bench':
            return run_db_bench(self.db_benches[engine], db, benchmarks, flags, STEP_LIMIT)
        return run_kv_bench(self.bench, self.libraries[engine], db, benchmarks, flags, STEP_LIMIT)

    def take(self, step):
        flags = list(step.flags)
        if step.program == 'fio':
            db = self.scratch / 'fio'
            make_file(db / 'fio.dat', self.fio_megabytes)
        elif step.base:
            db = self.load(step)
            flags.append('--use_existing_db')
        else:
            db = self.scratch / 'own'
            shutil.rmtree(db, ignore_errors=True)
        beside = self.scratch / step.beside if step.beside else None
        if step.fresh:
            shutil.rmtree(beside, ignore_errors=True)
        if step.beside and step.program == 'kv_bench':
            flags.append(f'--backup_dir={beside}')
        had = folder_bytes(beside) if beside else 0
        if step.cold:
            drop_page_cache(db)
        if step.settle:
            os.sync()  # or the device would still be at what the run before left
        load = os.getloadavg()[0]
        storage = None
        if step.program == 'cp':
            runs = copy_folder(db, beside)
        elif step.delay is None:
            runs = self.run(step.program, step.engine, db, step.benchmarks, flags)
        else:
            with SlowMount(self.slowfs, db, self.scratch / 'slow', step.delay) as mount:
                if step.count:
                    flags.append(f'--slowfs_control={mount.at}/.slowfs')
                runs = self.run(step.program, step.engine, mount.at, step.benchmarks, flags)
                storage = mount.counts()
        record = {'case': step.case, 'engine': step.engine, 'pair': step.pair, 'load': load,
                  'space_bytes': folder_bytes(db), 'runs': runs, **({'storage': storage} if storage else {}),
                  **({'copied_bytes': folder_bytes(beside) - had} if beside else {})}
        if not step.base and step.program != 'fio':
            shutil.rmtree(db, ignore_errors=True)
        return record

    def load(self, step):
        """Makes the step's database unless it is there; its folder. The mark beside it says which one it is, and that it is
        whole."""
        base = step.base
        db = self.scratch / (base.name if base.engine else step.engine)
        mark = self.scratch / f'{db.name}.loaded'
        wanted = str(base) if base.engine else f'pair {step.pair}: {base}'
        if not mark.exists() or mark.read_text() != wanted:
            mark.unlink(missing_ok=True)
            shutil.rmtree(db, ignore_errors=True)
            self.run(base.program, base.engine or step.engine, db, base.benchmarks, base.flags)
            mark.write_text(wanted)
        return db
