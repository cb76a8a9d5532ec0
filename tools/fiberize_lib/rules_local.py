"""thread_local variables become fiber_std::thread_local_ptr, over the whole set of files: declaration and definition
together, and each use in every file that sees them. A use that is missed does not compile; a thread_local that stays
belongs to the worker, is shared by its fibers, and is shown as wrong."""
from .names import LOCAL_HEADER
from .source import WRONG

WORDS = ('thread_local', '__thread', '_Thread_local')
ARITHMETIC = set('bool char short int long float double unsigned signed size_t ssize_t wchar_t int8_t int16_t int32_t '
                 'int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t ptrdiff_t'.split())
SPECIFIERS = ('static', 'inline', 'extern', 'const', 'constexpr', 'constinit')
ZEROS = (['nullptr'], ['0'], ['false'])  # what a value is without an initial one
STAYS = "it stays the worker's, shared by its fibers"


class _Unsafe(Exception):
    pass


class _Variable:
    """A declaration, as positions in the code. first: of its first word; type: (begin, end); name; end: of the ';'.
"""

    def __init__(self):
        self.words, self.arguments, self.value, self.owner, self.array = [], None, None, '', ''
        self.automatic = False  # declared auto


# --- what other files must know

def declarations(source, local_macros):
    """Facts of the thread-local variables of a file, those that cannot be rewritten with their problem. Keeps what was
    read of them in source.thread_locals, by position."""
    source.thread_locals, source.local_problems = {}, {}
    source.local_macros = local_macros
    found = []
    for i, token in enumerate(source.code):
        if token.kind != 'identifier' or not (token.value in WORDS or token.value in local_macros) or source.kept(token):
            continue
        try:
            variable = _read(source, i)
        except _Unsafe as problem:
            source.local_problems[i] = str(problem)
            continue
        source.thread_locals[i] = variable
        found.append({'file': source.name, 'owner': variable.owner, 'name': source.code[variable.name].value,
                      'shared': variable.shared, 'extern': 'extern' in variable.words,
                      'where': f'{source.name}:{source.line(token)}'})
    return found


def _read(source, i):
    code = source.code
    scope = source.scopes()[i]
    variable = _Variable()
    variable.kind = scope[-1].kind if scope else 'namespace'
    variable.scope = scope
    variable.at = variable.first = i
    while source.at(code, variable.first - 1) in SPECIFIERS:
        variable.first -= 1
    begin = i + 1
    while source.at(code, begin) in SPECIFIERS:
        begin += 1
    variable.words = [t.value for t in code[variable.first:begin] if t.value in SPECIFIERS]
    variable.words += [w for w in source.local_macros.get(code[i].value, ()) if w in SPECIFIERS]
    for word in ('const', 'constexpr'):
        if word in variable.words:
            raise _Unsafe(f'declared {word}')
    variable.name = _declarator(source, begin)
    variable.type = (begin, variable.name)
    if source.at(code, variable.name - 1) == '::':
        variable.owner = source.at(code, variable.name - 2)
        variable.type = (begin, source.qualified_from(code, variable.name))
    elif variable.kind == 'class':
        variable.owner = scope[-1].name
        if 'static' not in variable.words:
            raise _Unsafe('a member that is not static')
    _check_type(source, variable)
    _initial_value(source, variable)
    unnamed = any(s.kind == 'namespace' and not s.name and 'C' not in s.bases for s in scope)
    variable.shared = variable.kind == 'class' or bool(variable.owner) or \
        (variable.kind == 'namespace' and 'static' not in variable.words and not unnamed) or 'extern' in variable.words
    return variable


def _check_type(source, variable):
    code = source.code
    words = [t.value for t in code[variable.type[0]:variable.type[1]]]
    if not words:
        raise _Unsafe('its type is not in sight')
    if words[0] in ('decltype', 'struct', 'class', 'union', 'enum') or (words[0] == 'auto' and len(words) > 1):
        raise _Unsafe(f'declared {words[0]}')
    variable.automatic = words == ['auto']
    before = source.at(code, variable.first - 1)
    if variable.kind == 'block' and before not in (';', '{', '}', ':', ''):
        raise _Unsafe('an unusual declaration')


def _declarator(source, begin):
    """The position of the declared name: the last name before = { ( ; [ of a single declarator."""
    code, depth, k = source.code, 0, begin
    while k < len(code):
        text = code[k].text
        if text == '<' and k > begin:
            depth += 1
        elif text == '>':
            depth -= 1
        elif depth > 0 and text == '(':
            k = source.closing(code, k) or len(code)
        elif depth == 0 and text in ('=', '{', '(', ';', '[', ',', ')'):
            break
        k += 1
    if k >= len(code):
        raise _Unsafe('its declaration does not end')
    if code[k].text in (',', ')'):
        raise _Unsafe('several variables in one declaration' if code[k].text == ',' else 'an unusual declaration')
    if not source.is_name(code, k - 1):
        raise _Unsafe('an unusual declaration')
    return k - 1


def _initial_value(source, variable):
    """Sets end, array, and arguments or value."""
    code, k = source.code, variable.name + 1
    while source.at(code, k) == '[':
        close = source.closing(code, k)
        if close is None:
            raise _Unsafe('an unusual declaration')
        variable.array += source.text[code[k].start:code[close].end]
        k = close + 1
    end, depth = k, 0
    while end < len(code) and not (depth == 0 and code[end].text in (';', ',')):
        depth += {'(': 1, '[': 1, '{': 1, ')': -1, ']': -1, '}': -1}.get(code[end].text, 0)
        end += 1
    if source.at(code, end) == ',':
        raise _Unsafe('several variables in one declaration')
    if source.at(code, end) != ';':
        raise _Unsafe('an unusual declaration')
    variable.end = end
    words = [t.value for t in code[k:end]]
    if words in ([], ['=', '{', '}'], ['{', '}']):
        variable.arguments = []
        if variable.automatic:
            raise _Unsafe('an unusual declaration')
        return
    if variable.array:
        raise _Unsafe('an array with an initial value')
    variable.arguments = None if variable.automatic else _literals(source, k, end)
    variable.opening = words[0]
    variable.value = (code[k + (words[0] == '=')].start, code[end - 1].end)
    if variable.automatic and ('[' in words or variable.opening != '=' or words[1] == '{'):
        raise _Unsafe('declared auto')


def _literals(source, k, end):
    """The literals that the variable begins with, each with its sign; None if it is anything else."""
    code = source.code
    opening = code[k].text
    stop = end - 1 if opening in ('(', '{') else end
    if opening in ('(', '{') and source.closing(code, k) != end - 1:
        return None
    literals, expected = [], True
    k += 1
    while k < stop:
        token = code[k]
        if token.text == ',' and not expected:
            expected = True
        elif expected and token.text in ('-', '+') and source.at(code, k + 1)[:1].isdigit():
            k += 1
            literals.append(token.text + code[k].text)
            expected = False
        elif expected and (token.kind in ('number', 'char', 'string') or token.text in ('true', 'false', 'nullptr')):
            literals.append(token.text)
            expected = False
        elif expected and token.text == 'NULL':
            literals.append('nullptr')
            expected = False
        else:
            return None
        k += 1
    return literals


# --- rewriting

def apply(source, project):
    if not hasattr(source, 'thread_locals'):
        source.thread_locals, source.local_problems, source.local_macros = {}, {}, {}
    _note_macros(source)
    for i, problem in source.local_problems.items():
        _stays(source, source.code[i], problem)
    # Uses first: an initial value may be one, and goes where the declaration goes.
    seen = project.closure(source.name)
    for (owner, name), facts in project.locals.items():
        if any(fact['file'] in seen for fact in facts):
            _rewrite_uses(source, project, owner, name)
    for i, variable in sorted(source.thread_locals.items(), reverse=True):
        try:
            uses = [] if variable.shared else _uses_of_own(source, variable)
        except _Unsafe as problem:
            _stays(source, source.code[i], str(problem))
            del source.thread_locals[i]
            continue
        for sequence, k in uses:
            _dereference(source, sequence, k, k)
    for _, variable in sorted(source.thread_locals.items(), reverse=True):
        _rewrite(source, variable)


def _stays(source, token, problem):
    source.note(token, WRONG, f'thread_local: {problem}: {STAYS}')


def _note_macros(source):
    for body in source.macros:
        names = [t for t in body[1:] if t.value in WORDS or t.value in source.local_macros]
        if names and not all(t.value in (*WORDS, *SPECIFIERS) for t in body[1:]):
            source.note(names[0], WRONG, f'thread_local in a macro: {STAYS}')


def _rewrite(source, variable):
    code = source.code
    first, name = code[variable.first], code[variable.name]
    begin, end = code[variable.type[0]].start, code[variable.type[1] - 1].end
    type_text = source.render(begin, end) + variable.array
    value = source.render(*variable.value) if variable.value else ''
    if variable.automatic:
        type_text = f'std::decay_t<decltype({value})>'
    words = [w for w in variable.words if w in ('static', 'inline', 'extern')]
    if variable.kind == 'block' and 'static' not in words and 'extern' not in words:
        words.append('static')
    arguments, literals = [], variable.arguments
    if literals and not variable.shared:
        arguments = _argument_types([t.value for t in code[variable.type[0]:variable.type[1]]], type_text, literals)
    declared = source.text[code[variable.type[1]].start:name.end] if variable.owner and variable.kind != 'class' else \
        name.text
    after = ''
    if arguments:
        declared += f'({", ".join(literals)})'
    elif value and literals not in ZEROS:
        copied = variable.opening == '=' and value[0] != '{'
        result = f'return {value};' if copied else f'return {type_text}{value};'
        if variable.kind == 'block':
            after = f' {name.text}.make_with([&]() -> {type_text} {{ {result} }});'
        else:
            declared += f'{{[]() -> {type_text} {{ {result} }}}}'
    # Comments between the words stay.
    kept = ''.join(_comments(source, variable))
    source.cut(first.start, code[variable.end].end)
    source.edits[first.start, code[variable.end].end] = \
        ' '.join([*words, f'::fiber_std::thread_local_ptr<{", ".join([type_text, *arguments])}>']) + f' {kept}{declared};{after}'
    source.changes['thread_local'] += 1
    source.need(LOCAL_HEADER, first)


def _comments(source, variable):
    code = source.code
    for k in range(variable.first, variable.end):
        between = source.text[code[k].end:code[k + 1].start]
        if '/*' in between and not variable.type[0] <= k < variable.type[1] - 1 and k < variable.name:
            yield between.strip() + ' '


def _argument_types(type_words, type_text, literals):
    if len(literals) == 1 and (type_words[-1] == '*' or all(w in ARITHMETIC | {'std', '::'} for w in type_words)):
        return [type_text]
    return ['const char*' if '"' in literal else f'decltype({literal})' for literal in literals]


def _dereference(source, sequence, first, k):
    source.insert(sequence[first].start, '(*')
    source.insert(sequence[k].end, ')')


def _uses_of_own(source, variable):
    """Positions of all uses of a variable that only its file sees. Raises _Unsafe if the name may mean something else."""
    code, scopes, scope = source.code, source.scopes(), variable.scope
    name, name_at, end = code[variable.name].value, variable.name, variable.end
    while scope and scope[-1].kind == 'namespace' and not scope[-1].name:
        scope = scope[:-1]  # names of an unnamed namespace are seen behind it
    uses = []
    for body in source.macros:
        for k, token in enumerate(body):
            if token.value == name and source.at(body, k - 1) not in ('.', '->'):
                if variable.kind != 'namespace' or '##' in (source.at(body, k - 1), source.at(body, k + 1)) or \
                        source.at(body, k - 1) == '#':
                    raise _Unsafe('a macro uses it')
                uses.append((body, k))
    for k, token in enumerate(code):
        if token.value != name or token.kind != 'identifier' or k == name_at:
            continue
        how = source.qualification(code, k)
        inside = k > end and scopes[k][:len(scope)] == scope
        if not inside:
            if how == 'other' and k > end:
                raise _Unsafe(f'{name} may be used with a qualified name in line {source.line(token)}')
            if not scope and k < name_at and how == '' and k not in _names(source):
                raise _Unsafe('its name is used above it')
            continue
        if how == 'member' or k in _names(source):
            continue
        if how != '':
            raise _Unsafe(f'{name} is used with a qualified name')
        if code[k - 1].kind == 'identifier' and source.declares(code, k):
            raise _Unsafe(f'{name} is declared again in line {source.line(token)}')
        if code[k - 1].text in ('>', '*', '&', '&&') and source.declares(code, k) and \
                source.at(code, k + 1) in (';', '=', ',', ')', '{'):
            raise _Unsafe(f'{name} may be declared again in line {source.line(token)}')
        if source.at(code, k + 1) == ':' and source.at(code, k - 1) in (';', '{', '}'):
            raise _Unsafe(f'{name} is a label in line {source.line(token)}')
        uses.append((code, k))
    return uses


def _names(source):
    """Positions of the names of all thread-local declarations: no uses."""
    return {v.name for v in source.thread_locals.values()}


def _rewrite_uses(source, project, owner, name):
    """The uses, in this file, of a variable that several files may see."""
    code, positions = source.code, _names(source)
    shadows, classes = _shadows(source, name, positions)
    for body in source.macros:
        _uses_in_macro(source, body, owner, name)
    for k, token in enumerate(code):
        if token.value != name or token.kind != 'identifier' or k in positions or source.kept(token):
            continue
        how = source.qualification(code, k)
        if how == 'member':
            if owner and source.at(code, k - 2) == 'this' and _is_of(source, project, k, owner):
                _dereference(source, code, k - 2, k)
            continue
        if how == 'std' or source.declares(code, k) and how == '' and source.at(code, k + 1) in \
                (';', '=', ',', ')', '{', '(', '['):
            continue
        if how == 'other':
            last = source.at(code, k - 2)
            if (last in project.with_bases([last]) and owner and owner in project.with_bases([last])) or \
                    (not owner and not any(s.name == last for s in source.scopes()[k] if s.kind == 'class')):
                _dereference(source, code, source.qualified_from(code, k), k)
            continue
        if how == '::':
            if not owner:
                _dereference(source, code, k - 1, k)
            continue
        if any(source.scopes()[k][:len(s)] == s and k > begin for s, begin in shadows) or _names_a_macros_own(source, k):
            continue
        if owner and not _is_of(source, project, k, owner):
            continue
        if not owner and (_initialises(source, k) or
                          classes and classes & project.with_bases(source.classes_around(k))):
            continue
        _dereference(source, code, k, k)


def _initialises(source, k):
    """`S() : level(1), depth{2} {`: members that are called like it."""
    return source.at(source.code, k - 1) in (':', ',') and source.at(source.code, k + 1) in ('(', '{')


def _names_a_macros_own(source, k):
    """`DEFINE_int32(level, 1, "...");` outside of functions: what the macro makes of the name is another."""
    code = source.code
    return source.at(code, k - 1) == '(' and source.is_name(code, k - 2) and \
        source.at(code, k - 3) in ('', ';', '}', '{', ')') and all(s.kind == 'namespace' for s in source.scopes()[k])


def _is_of(source, project, k, owner):
    return owner in project.with_bases(source.classes_around(k))


def _shadows(source, name, positions):
    """(scopes, position) of the blocks in which the name is a local variable or a parameter, and the names of the classes
    of which it is a member."""
    code, found, classes = source.code, [], set()
    for k, token in enumerate(code):
        if token.value != name or k in positions or source.qualification(code, k) != '' or not source.declares(code, k) or \
                source.at(code, k + 1) not in (';', '=', ',', ')', '{', '(', '[', ':'):
            continue
        scope = source.scopes()[k]
        if source.at(code, k + 1) in (',', ')', '='):
            block = _block_of_parameter(source, k)
            if block is not None:
                found.append((source.scopes()[block + 1] if block + 1 < len(code) else (), k))
                continue
        if scope and scope[-1].kind == 'block':
            found.append((scope, k))
        elif scope and scope[-1].kind == 'class':
            classes.add(scope[-1].name)
    return found, classes


def _block_of_parameter(source, k):
    """The position of the '{' of the function whose parameter is declared at k, None if it is no parameter."""
    code, depth = source.code, 0
    for m in range(k, min(k + 300, len(code))):
        text = code[m].text
        if text in ('(', '[', '{'):
            if text == '{' and depth < 0:
                return m
            depth += 1
        elif text in (')', ']', '}'):
            depth -= 1
        elif text == ';':
            return None
    return None


def _uses_in_macro(source, body, owner, name):
    parameters = set()
    if len(body) > 2 and body[1].text == '(' and body[1].start == body[0].end:
        close = source.closing(body, 1) or 1
        parameters = {t.value for t in body[2:close]}
    for k, token in enumerate(body):
        if token.value != name or k == 0 or name in parameters or token.off or source.kept(token):
            continue
        before, after = source.at(body, k - 1), source.at(body, k + 1)
        if before in ('.', '->'):
            continue
        if '##' in (before, after) or before == '#':
            source.note(token, WRONG, f'{name} is thread-local, and pasted by a macro: write (*{name}) where it is used')
            continue
        how = source.qualification(body, k)
        if how == '' and not owner or how == '::' and not owner or \
                how == 'other' and source.at(body, k - 2) == owner:
            _dereference(source, body, source.qualified_from(body, k), k)
