"""The table of what the test programs of another's project did on threads and on fibers (fiberize_runs.py), of all runs."""
from collections import Counter
import fnmatch
import os
import platform

from fiberize_runs import OK, SKIPPED, broken_on
from fiberize_steps import ROOT

REASONS = ROOT / 'scripts' / 'fiberize_reasons.txt'


def reasons():
    """[(program pattern, case pattern, reason)]"""
    lines = [line.strip() for line in REASONS.read_text().splitlines()]
    return [tuple(part.strip() for part in line.split('|', 2)) for line in lines if line and not line.startswith('#')]


def reason_for(program, case, known):
    return next((why for where, what, why in known if fnmatch.fnmatch(program, where) and fnmatch.fnmatch(case, what)), '')


def alone_text(alone):
    return ', '.join(f'{passed} of {times} {place(side)}' for side, (passed, times) in sorted(alone.items(), reverse=True))


def place(side):
    if side == 'threads':
        return 'on threads'
    count = side.rsplit('-', 1)[1]
    return f'on fibers ({count} worker{"" if count == "1" else "s"})'


def failures(results, sides, known):
    """One line a case that did not pass somewhere."""
    for result in results:
        for case in result.differing(sides):
            verdicts = '; '.join(f'{place(side)} {result.cases(side)[case]}' for side in sides if case in result.cases(side) and
                                 result.cases(side)[case] not in (OK, SKIPPED))
            alone = alone_text(result.alone.get(case, {}))
            mark = '**' if any(broken_on(side, case, result) for side in sides[1:]) else ''
            why = reason_for(result.program, case, known)
            yield (f'- {mark}{result.program}: {case}{mark}: {verdicts}' + (f'; repeated alone, passed {alone}' if alone else '') +
                   (f'. {why}' if why else ''))


def table(version, said, results, fibers):
    sides = ['threads', *fibers]
    ran = [r for r in results if all(r.cases(side) for side in sides)]
    ran.sort(key=lambda r: r.program)
    out = ['# RocksDB\'s own test programs, on threads and on fibers', '',
           f'RocksDB {version}, Debian\'s source package, moved to fibers by `tools/fiberize`: '
           f'{said.strip().removeprefix("fiberize: ")}. **Changed by hand: 0 lines.** `make fiberize-rocksdb` '
           '(scripts/fiberize_rocksdb) does it again.', '',
           'Compared are the cases that were decided on all sides: of those that ran, how many passed. A case that needs longer '
           'than the limit, or ends its process, has not passed.', '',
           f'| test program | cases | {" | ".join(place(s) for s in sides)} | {" | ".join("s " + place(s) for s in sides)} |',
           '| --- | ---: |' + ' ---: |' * (2 * len(sides))]
    sums = [0] * (1 + 2 * len(sides))
    for r in ran:
        common = [c for c in r.listed if all(c in r.cases(side) for side in sides)]
        row = [len(common), *(sum(r.cases(side)[c] in (OK, SKIPPED) for c in common) for side in sides),
               *(r.seconds(side) for side in sides)]
        sums = [a + b for a, b in zip(sums, row)]
        out.append(f'| {r.program} | ' + ' | '.join(f'{v:.0f}' for v in row) + ' |')
    out.append(f'| **{len(ran)} programs** | ' + ' | '.join(f'**{v:,.0f}**' for v in sums) + ' |')
    skipped = sum(v == SKIPPED for r in ran for v in r.cases('threads').values())
    if skipped:
        out += ['', f'{skipped} of the cases skip themselves on threads; they count as passed.']
    lines = list(failures(ran, sides, reasons()))
    if lines:
        out += ['', 'Cases that did not pass in the whole run; in bold those that pass on threads and not on fibers:', '', *lines]
    out += ['', *left_out(results, ran, sides)]
    commits = Counter(c for r in ran for c in r.all['commits'])
    out += ['', f'{os.cpu_count()} processors that other work shared, Linux {platform.release()}: the seconds are rough. A program '
            'that is not run again keeps the result of its commit: '
            f'{", ".join(f"{name} ({count} programs)" for name, count in sorted(commits.items()))}.']
    return '\n'.join(out) + '\n'


def left_out(results, ran, sides):
    begun = [r for r in results if r not in ran and any(r.seconds(side) for side in sides)]
    missing = sorted(r.program for r in results if r not in ran and r not in begun)
    out = [f'- {r.program}: no case of {len(r.listed)} decided on every side yet, in {max(map(r.seconds, sides)):.0f} s'
           for r in begun]
    if missing:
        out.append(f'Left out, not built or not run yet ({len(missing)} programs): {", ".join(missing)}.')
    for r in ran:
        left = [c for c in r.listed if any(c not in r.cases(side) for side in sides)]
        if left:
            done = ', '.join(f'{len(r.cases(side))} in {r.seconds(side):.0f} s {place(side)}' for side in sides)
            out.append(f'- {r.program}: {len(left)} of {len(r.listed)} cases not run on every side, for their time: so far {done}')
    return out or ['Nothing is left out.']
