"""What the program says: what was changed, and what a person must look at, the most dangerous last."""
import collections
import difflib
import sys

from .source import BLOCKS, LOOK, WRONG

HEADS = {LOOK: 'worth a look:', BLOCKS: 'blocks a worker meanwhile, as long as it takes:',
         WRONG: 'WILL NOT WORK as it is (it can deadlock, or fibers share what is a thread\'s own):'}


def counted(number, noun):
    return f'{number} {noun}' + ('' if number == 1 else 's')


def changed_lines(before, after):
    """Lines that differ: replaced ones count once, however they changed."""
    # What both begin and end with costs no comparison of all with all.
    first, last = 0, 0
    shorter = min(len(before), len(after))
    while first < shorter and before[first] == after[first]:
        first += 1
    while last < shorter - first and before[-1 - last] == after[-1 - last]:
        last += 1
    matcher = difflib.SequenceMatcher(None, before[first:len(before) - last], after[first:len(after) - last], autojunk=False)
    return sum(max(i2 - i1, j2 - j1) for kind, i1, i2, j1, j2 in matcher.get_opcodes() if kind != 'equal')


def report(outcomes, texts, skipped, others, out):
    """Prints the report, with `others`, (name, line, why) of what will not work elsewhere; returns the texts that changed and the number of places that will not work."""
    changed, lines = {}, 0
    totals = collections.Counter()
    for name, outcome in outcomes.items():
        after = outcome.result()
        if after is not texts[name] and after != texts[name]:
            changed[name] = after
            count = changed_lines(texts[name].splitlines(), after.splitlines())
            lines += count
            totals.update(outcome.changes)
            kinds = ', '.join(f'{kind} {n}' for kind, n in sorted(outcome.changes.items()))
            print(f'{name}: {counted(count, "line")} changed ({kinds})', file=out)
    for name, why in skipped:
        print(f'{name}: skipped: {why}', file=out)
    notes = collections.Counter()
    for danger in (LOOK, BLOCKS, WRONG):
        found = [(name, line, why) for name, outcome in outcomes.items() for line, how, why in outcome.notes if how == danger]
        found += others if danger == WRONG else []
        notes[danger] = len(found)
        if found:
            print(HEADS[danger], file=out)
        for name, line, why in found:
            print(f'  {name}:{line}: {why}', file=out)
    kinds = ', '.join(f'{kind} {n}' for kind, n in sorted(totals.items()))
    print(f'fiberize: {counted(len(outcomes), "file")} read, {len(changed)} changed, {counted(lines, "line")}'
          f'{f" ({kinds})" if kinds else ""}; {counted(sum(notes.values()), "place")} to look at, of which '
          f'{notes[WRONG]} will not work', file=out)
    return changed, notes[WRONG]


def print_diff(texts, changed):
    for name, after in changed.items():
        for line in difflib.unified_diff(texts[name].splitlines(True), after.splitlines(True), 'a/' + name, 'b/' + name):
            sys.stdout.buffer.write(line.encode('latin-1', 'replace'))
            if not line.endswith('\n'):
                sys.stdout.buffer.write(b'\n\\ No newline at end of file\n')
    sys.stdout.flush()
