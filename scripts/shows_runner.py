"""Takes the measurements of a show (shows_list.py) one by one, keeps each as soon as it is there, and goes on where an
earlier run was cut off."""
import dataclasses
import json
import os
import shutil
import sys
import time

from kv_runs import Failed, SlowMount, drop_page_cache, folder_bytes, run_kv_bench

STEP_LIMIT = 3 * 3600  # seconds after which a process counts as hung


@dataclasses.dataclass
class Step:
    """One process of kv_bench."""
    case: str        # what is measured; unique within an engine and a pair
    engine: str      # 'ours', 'fibers' or 'peer'
    pair: int
    benchmarks: str
    flags: list
    # A database to load before (benchmarks, flags), kept for the other steps of the same engine and pair. None: the step
    # makes its own, which goes with it.
    base: tuple = None
    cold: bool = False  # drop the database from the page cache before
    delay: int = None   # microseconds that each read takes: the database is used through slowfs

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
    """`libraries`: the file of each engine's library. `slowfs`: the program, for steps with a delay."""

    def __init__(self, bench, libraries, scratch, slowfs=None):
        self.bench = bench
        self.slowfs = slowfs
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

    def take(self, step):
        library = self.libraries[step.engine]
        db = self.scratch / (step.engine if step.base else 'own')
        flags = list(step.flags)
        if step.base:
            self.load(step, library, db)
            flags.append('--use_existing_db')
        else:
            shutil.rmtree(db, ignore_errors=True)
        if step.cold:
            drop_page_cache(db)
        os.sync()  # or the device would still be at what the run before left
        load = os.getloadavg()[0]
        storage = None
        if step.delay is None:
            runs = run_kv_bench(self.bench, library, db, step.benchmarks, flags, STEP_LIMIT)
        else:
            with SlowMount(self.slowfs, db, self.scratch / 'slow', step.delay) as mount:
                runs = run_kv_bench(self.bench, library, mount.at, step.benchmarks, flags, STEP_LIMIT)
                storage = mount.counts()
        record = {'case': step.case, 'engine': step.engine, 'pair': step.pair, 'load': load,
                  'space_bytes': folder_bytes(db), 'runs': runs, **({'storage': storage} if storage else {})}
        if not step.base:
            shutil.rmtree(db, ignore_errors=True)
        return record

    def load(self, step, library, db):
        """Makes the step's database unless it is there. The mark beside it says which pair's it is, and that it is whole."""
        mark = self.scratch / f'{step.engine}.loaded'
        wanted = f'pair {step.pair}: {step.base}'
        if mark.exists() and mark.read_text() == wanted:
            return
        mark.unlink(missing_ok=True)
        shutil.rmtree(db, ignore_errors=True)
        benchmarks, flags = step.base
        run_kv_bench(self.bench, library, db, benchmarks, flags, STEP_LIMIT)
        mark.write_text(wanted)
