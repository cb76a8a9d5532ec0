"""Blocking system calls become the wrappers of fiber/posix.h; calls that would change the worker become wrappers that
leave it alone."""
from .names import POSIX_CALLS, POSIX_HEADER, POSIX_IN_STD, WORKER_CALLS

WRAPPED = {**POSIX_CALLS, **WORKER_CALLS}


def apply(source, project):
    for sequence in source.sequences:
        for i, token in enumerate(sequence):
            if token.kind == 'identifier' and token.value in WRAPPED:
                _call(source, project, sequence, i)


def _call(source, project, sequence, i):
    token, name = sequence[i], sequence[i].value
    how = source.qualification(sequence, i)
    if how in ('member', 'other') or (how == 'std' and name not in POSIX_IN_STD) or source.kept(token):
        return
    if source.at(sequence, i + 1) != '(':
        if how == '::' and source.at(sequence, i - 2) not in ('struct', 'class'):
            source.note(token, f'::{name} is passed on: a wrapper of {POSIX_HEADER} may be meant')
        return
    call = source.arguments(sequence, i + 1)
    fits = call is not None and WRAPPED[name][0] <= call[0] <= WRAPPED[name][1]
    if name == 'prctl':
        if source.at(sequence, i + 2) != 'PR_SET_NAME':
            return
    if how == 'std':
        if fits:  # std::remove of <algorithm> takes three
            _replace(source, sequence, i, i - 2)
        return
    if how == '':
        if source.declares(sequence, i) or not fits:
            return
        if name in project.declared:
            source.note(token, f'{name}() may be the one that {project.declared[name]} declares: write ::{name} if it '
                               'is the system call')
            return
        if name in source.variables:
            source.note(token, f'{name}() may be the variable of that name: write ::{name} if it is the system call')
            return
        source.replace(token, f'::fiber::posix::{name}', _kind(name), POSIX_HEADER)
        return
    if not fits:
        source.note(token, f'::{name} with an unusual number of arguments')
        return
    _replace(source, sequence, i, i - 1)


def _kind(name):
    return 'thread names and priorities' if name in WORKER_CALLS else 'system calls'


def _replace(source, sequence, i, first):
    """The name at i, whose qualification begins at `first`, gets fiber::posix before it."""
    if source.at(sequence, first) == 'std':
        glob = source.at(sequence, first - 1) == '::'
        source.replace(sequence[first], 'fiber::posix' if glob else '::fiber::posix')
    else:
        source.replace(sequence[first], '::fiber::posix::')
    source.changes[_kind(sequence[i].value)] += 1
    source.needed.setdefault(POSIX_HEADER, sequence[i].line)
