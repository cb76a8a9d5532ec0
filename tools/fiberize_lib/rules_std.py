"""std:: names of threads, locks and signals become fiber_std:: ones."""
from .names import STD_FLAGGED, STD_HEADERS, STD_NAMES

TEMPLATES = {'lock_guard', 'unique_lock', 'scoped_lock', 'shared_lock', 'future', 'shared_future', 'promise',
             'packaged_task', 'counting_semaphore', 'barrier', 'stop_callback'}
FUNCTIONS = {'call_once', 'async'}
HANDLE = 'native_handle() is a thread of the system: a fiber has none'


def apply(source, project):
    unqualified = project.uses_namespace_std(source)
    for sequence in source.sequences:
        for i, token in enumerate(sequence):
            if token.kind != 'identifier':
                continue
            if token.value == 'std':
                _std(source, sequence, i)
            elif token.value in STD_NAMES and unqualified:
                _unqualified(source, project, sequence, i)
            elif token.value == 'native_handle' and source.at(sequence, i + 1) == '(' and \
                    source.qualification(sequence, i) == 'member':
                source.note(token, HANDLE)
            elif token.value == 'namespace':
                _namespace(source, sequence, i)
    _macro_alias(source)


def _std(source, sequence, i):
    token = sequence[i]
    if '##' in (source.at(sequence, i + 1), source.at(sequence, i + 2)):
        source.note(token, 'std is pasted together with ##: the tool cannot read it')
        return
    if source.at(sequence, i + 1) != '::' or i + 2 >= len(sequence):
        return
    if source.qualification(sequence, i) in ('member', 'other', 'std'):
        return  # somebody else's std
    name = sequence[i + 2].value
    if name in STD_NAMES:
        if name == 'lock' and source.at(sequence, i + 3) != '(' and source.at(sequence, i - 1) != 'using':
            return
        if not source.kept(token):
            source.replace(token, 'fiber_std', 'std names', STD_HEADERS[STD_NAMES[name]][0])
    elif name in STD_FLAGGED:
        source.note(token, f'std::{name}: {STD_FLAGGED[name]}')


def _unqualified(source, project, sequence, i):
    """A name under `using namespace std`: rewritten where it can only be the standard's type or function."""
    token, name = sequence[i], sequence[i].value
    if source.qualification(sequence, i) != '' or name in ('lock', 'try_lock', 'launch', 'async', 'latch') and \
            source.at(sequence, i + 1) != '(' and name != 'latch':
        return
    before, after = source.at(sequence, i - 1), source.at(sequence, i + 1)
    if name in project.declared:
        if after not in ('(', ';', '=', '.', '->'):
            source.note(token, f"'{name}' under `using namespace std`: {project.declared[name]} declares one too")
        return
    if source.declares(sequence, i) and before not in ('static', 'const', 'mutable', 'inline', 'constexpr', 'typename'):
        return  # a variable or member of that name
    is_type = (source.is_name(sequence, i + 1) or (name in TEMPLATES and after == '<') or
               (before in ('<', ',') and after in ('>', ',', '&', '*')) or after == '::' or
               (before in ('(', ',', '<', 'const') and after in ('&', '*', '&&')))
    if is_type or (name in FUNCTIONS and after == '(') or (name == 'thread' and after in ('(', '{') and
                                                           before not in ('.', '->')):
        if not source.kept(token):
            source.replace(token, f'fiber_std::{name}', 'std names', STD_HEADERS[STD_NAMES[name]][0])
    elif before not in ('.', '->') and after not in ('.', '->', ')', ';', '=', '[', '&&', '||'):
        source.note(token, f"'{name}' under `using namespace std`: write fiber_std::{name} if it is the standard's")


def _namespace(source, sequence, i):
    if source.is_name(sequence, i + 1) and source.at(sequence, i + 2) == '=':
        k = i + 3 + (source.at(sequence, i + 3) == '::')
        if source.at(sequence, k) == 'std' and source.at(sequence, k + 1) == ';':
            alias = sequence[i + 1].value
            source.note(sequence[i], f'{alias} is another name of std: write fiber_std for names of threads and locks')
            for k in range(len(sequence) - 2):
                if sequence[k].value == alias and sequence[k + 1].text == '::' and sequence[k + 2].value in STD_NAMES:
                    source.note(sequence[k], f'{alias}::{sequence[k + 2].value}: {alias} is another name of std')
    elif source.at(sequence, i + 1) == 'std' and source.at(sequence, i + 2) == '{':
        depth = 0
        for k in range(i + 2, len(sequence)):
            depth += {'{': 1, '}': -1}.get(sequence[k].text, 0)
            if depth == 0:
                break
            if sequence[k].value in STD_NAMES and source.qualification(sequence, k) == '':
                source.note(sequence[k], f"'{sequence[k].value}' inside of namespace std: write fiber_std:: if it is "
                                         "the standard's")


def _macro_alias(source):
    for body in source.macros:
        if len(body) == 2 and body[1].value == 'std':
            source.note(body[0], f'the macro {body[0].value} is another name of std')
