"""Blocking system calls and pthread's calls, types and initialisers become those of fiber/posix.h; calls that would
change the worker become wrappers that leave it alone."""
from .names import (POSIX_CALLS, POSIX_HEADER, POSIX_IN_STD, POSIX_WITH, PTHREAD_CALLS, PTHREAD_FLAGGED, PTHREAD_HARMLESS,
                    PTHREAD_INITIALISERS, PTHREAD_TYPES, SYSCALLS_HARMLESS, SYSCALLS_MAPPED, SYSCALLS_WAITING, WORKER_CALLS)
from .source import BLOCKS, WRONG

WRAPPED = {**POSIX_CALLS, **WORKER_CALLS}
SEMAPHORES = {name for name in (*PTHREAD_CALLS, *PTHREAD_TYPES) if name.startswith('sem_')}


def apply(source, project):
    for sequence in source.sequences:
        for i, token in enumerate(sequence):
            if token.kind != 'identifier' or source.kept(token):
                continue
            if i == 0 and sequence is not source.code:
                continue  # the name of a macro
            name = token.value
            if name in WRAPPED:
                _call(source, project, sequence, i)
            elif name.startswith(('pthread_', 'PTHREAD_')) or name in SEMAPHORES:
                _pthread(source, project, sequence, i)
            elif name == 'syscall' and source.at(sequence, i + 1) == '(':
                _syscall(source, project, sequence, i)


def meaning(source, project, sequence, i):
    """What an unqualified name at i may mean instead of the system's: 'member' of a class around it, the words that say
    where it is declared, or ''."""
    name = sequence[i].value
    if sequence is source.code:
        if project.has_member(source.name, source.classes_around(i), name):
            return 'member'
        where = project.declared(source.name, name, source.namespaces_around(i))
    else:
        where = project.declared(source.name, name)
    if where:
        return f'the one that {where} declares'
    return 'the variable of that name' if name in source.variables else ''


def _call(source, project, sequence, i):
    token, name = sequence[i], sequence[i].value
    how = source.qualification(sequence, i)
    if how in ('member', 'other') or (how == 'std' and name not in POSIX_IN_STD):
        return
    if source.at(sequence, i + 1) != '(':
        if how == '::' and source.at(sequence, i - 2) not in ('struct', 'class'):
            source.note(token, BLOCKS, f'::{name} is passed on: a wrapper of {POSIX_HEADER} may be meant')
        return
    call = source.arguments(sequence, i + 1)
    fits = call is not None and WRAPPED[name][0] <= call[0] <= WRAPPED[name][1]
    if name == 'prctl' and source.at(sequence, i + 2) != 'PR_SET_NAME':
        return
    if name in POSIX_WITH and not (fits and POSIX_WITH[name] & {sequence[k].value for k in range(i + 2, call[1])}):
        return
    if how == 'std':
        if fits:  # std::remove of <algorithm> takes three
            _qualify(source, sequence, i, _kind(name))
        return
    if how == '':
        if source.declares(sequence, i) or not fits:
            return
        other = meaning(source, project, sequence, i)
        if other:
            if other != 'member':
                source.note(token, BLOCKS, f'{name}() may be {other}: write ::{name} if it is the system call')
            return
    elif not fits:
        source.note(token, BLOCKS, f'::{name} with an unusual number of arguments')
        return
    _qualify(source, sequence, i, _kind(name))


def _kind(name):
    return 'thread names and priorities' if name in WORKER_CALLS else 'system calls'


def _qualify(source, sequence, i, kind):
    """The system's name at i, with whatever qualification, gets fiber::posix before it."""
    first = sequence[i]
    if source.at(sequence, i - 1) == '::':
        if source.at(sequence, i - 2) == 'std':
            glob = source.at(sequence, i - 3) == '::'
            source.replace(sequence[i - 2], 'fiber::posix' if glob else '::fiber::posix')
        else:
            source.replace(sequence[i - 1], '::fiber::posix::')
    else:
        source.insert(first.start, '::fiber::posix::')
    source.changes[kind] += 1
    source.need(POSIX_HEADER, first)


def _pthread(source, project, sequence, i):
    token, name = sequence[i], sequence[i].value
    if '##' in (source.at(sequence, i + 1), source.at(sequence, i - 1)):
        source.note(token, WRONG, f"{name} is pasted together with ##: the tool cannot read it")
        return
    how = source.qualification(sequence, i)
    if how in ('member', 'other', 'std'):
        return
    if name in PTHREAD_INITIALISERS:
        source.replace(token, PTHREAD_INITIALISERS[name], 'pthread')
        source.need(POSIX_HEADER, token)
    elif name in PTHREAD_TYPES:
        if source.at(sequence, i - 1) not in ('struct', 'union', 'class', 'using', 'typename') and \
                not project.declared(source.name, name, source.namespaces_around(i) if sequence is source.code else None):
            _qualify(source, sequence, i, 'pthread')
    elif name in PTHREAD_CALLS:
        called = source.at(sequence, i + 1) == '('
        if how == '' and (called and source.declares(sequence, i) or meaning(source, project, sequence, i)):
            return
        call = source.arguments(sequence, i + 1) if called else None
        if called and (call is None or call[0] != PTHREAD_CALLS[name]):
            if call is not None and how == '::':
                source.note(token, WRONG, f'{name}() with an unusual number of arguments')
            return
        if not called and source.at(sequence, i - 1) not in ('&', '(', ',', '=', '::', '{', 'return'):
            return
        _qualify(source, sequence, i, 'pthread')
    elif source.at(sequence, i + 1) == '(' and not name.startswith(PTHREAD_HARMLESS) and name not in WRAPPED and \
            not (how == '' and source.declares(sequence, i)) and not name.endswith('_'):
        fits = max((p for p in PTHREAD_FLAGGED if name.startswith(p)), key=len)
        if not meaning(source, project, sequence, i):
            source.note(token, WRONG, f'{name}(): {PTHREAD_FLAGGED[fits]}')


def _syscall(source, project, sequence, i):
    token = sequence[i]
    how = source.qualification(sequence, i)
    if how in ('member', 'other', 'std') or (how == '' and source.declares(sequence, i)):
        return
    other = meaning(source, project, sequence, i) if how == '' else ''
    if other:
        if other != 'member':
            source.note(token, BLOCKS, f'syscall() may be {other}: write ::syscall if it is the system\'s')
        return
    number = source.at(sequence, i + 2)
    known = number.removeprefix('SYS_').removeprefix('__NR_')
    literal = number.startswith(('SYS_', '__NR_')) and source.at(sequence, i + 3) in (',', ')')
    if not literal or known in SYSCALLS_MAPPED:
        _qualify(source, sequence, i, 'system calls')
    if not literal:
        source.note(token, BLOCKS, 'syscall() of a number that is not in sight blocks the worker if it waits')
    elif known in SYSCALLS_WAITING:
        source.note(token, WRONG, f'syscall({number}) blocks the worker, and whoever it waits for may be a fiber of it')
    elif known not in SYSCALLS_MAPPED and known not in SYSCALLS_HARMLESS:
        source.note(token, BLOCKS, f'syscall({number}) blocks the worker if it waits')
