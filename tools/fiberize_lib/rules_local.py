"""thread_local variables become fiber_std::thread_local_ptr, where that is safe: one variable in a function or in a
source file, initialised by nothing or by literals, and each use of it in sight. All others are shown to a person: a
thread_local that stays belongs to the worker and is shared by its fibers."""
from .names import KEYWORDS, LOCAL_HEADER

WORDS = ('thread_local', '__thread', '_Thread_local')
ARITHMETIC = set('bool char short int long float double unsigned signed size_t ssize_t wchar_t int8_t int16_t int32_t '
                 'int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t ptrdiff_t'.split())
HEADER_SUFFIXES = ('.h', '.hh', '.hpp', '.hxx', '.h++', '.inl', '.ipp', '.tcc', '.tpp')
STAYS = "it stays the worker's, shared by its fibers"


class _Unsafe(Exception):
    pass


def apply(source, project):
    for body in source.macros:
        for token in body:
            if token.value in WORDS:
                source.note(token, f'thread_local in a macro: {STAYS}')
    for i, token in enumerate(source.code):
        if token.value in WORDS and token.kind == 'identifier' and not source.kept(token):
            try:
                _variable(source, project, i)
            except _Unsafe as problem:
                source.note(token, f'thread_local: {problem}: {STAYS}')


def _variable(source, project, i):
    code, scopes = source.code, source.scopes()
    scope = scopes[i]
    kind = scope[-1][0] if scope else 'namespace'
    if kind == 'class':
        raise _Unsafe('a member of a class')
    if kind == 'namespace' and source.name.lower().endswith(HEADER_SUFFIXES):
        raise _Unsafe('a variable of a header')

    first = i
    while first > 0 and code[first - 1].value in ('static', 'inline', 'extern', 'const', 'constexpr', 'constinit'):
        first -= 1
    static = False
    begin = i + 1
    for k in range(first, i):
        if code[k].value != 'static':
            raise _Unsafe(f'declared {code[k].value}')
        static = True
    while source.at(code, begin) in ('static', 'inline', 'extern', 'const', 'constexpr', 'constinit'):
        if code[begin].value != 'static':
            raise _Unsafe(f'declared {code[begin].value}')
        static = True
        begin += 1

    name_at = _declarator(source, begin)
    name = code[name_at].value
    type_tokens = code[begin:name_at]
    if not type_tokens:
        raise _Unsafe('its type is not in sight')
    if type_tokens[0].value in ('auto', 'decltype', 'struct', 'class', 'union', 'enum'):
        raise _Unsafe(f'declared {type_tokens[0].value}')
    end, literals = _initialiser(source, name_at + 1)
    if name in project.extern_locals:
        raise _Unsafe(f'{project.extern_locals[name]} declares it extern')
    uses = _uses(source, name, name_at, end, scope)

    # All is known: edit. The type's text keeps its blanks and comments.
    type_text = ''.join(source.replaced.get(t.index, t.text) if not t.blank else t.text
                        for t in source.tokens[type_tokens[0].index:type_tokens[-1].index + 1])
    arguments = _argument_types(type_tokens, type_text, literals)
    for k in range(first, name_at):
        _erase(source, code[k], code[k + 1])
    keep_static = static or kind == 'block'
    source.replaced[code[first].index] = ('static ' if keep_static else '') + \
        f'::fiber_std::thread_local_ptr<{", ".join([type_text, *arguments])}> '
    source.changes['thread_local'] += 1
    source.needed.setdefault(LOCAL_HEADER, code[first].line)
    if end > name_at + 1:
        for k in range(name_at, end):
            _erase(source, code[k], code[k + 1])
        source.replaced[code[name_at].index] = name
    if literals:
        source.replaced[code[name_at].index] = f'{name}({", ".join(literals)})'
    for k in uses:
        source.replaced[code[k].index] = f'(*{name})'


def _erase(source, token, following):
    """Removes a token and the blanks up to the next one, unless they hold a comment or a line's end."""
    blanks = source.tokens[token.index + 1:following.index]
    source.replaced[token.index] = ''
    if all(b.kind == 'space' for b in blanks):
        for b in blanks:
            source.replaced[b.index] = ''


def _declarator(source, begin):
    """The position of the declared name: the last name before = { ( ; of a single declarator."""
    code, depth, k = source.code, 0, begin
    while k < len(code):
        text = code[k].text
        if text == '<' and k > begin:
            depth += 1
        elif text == '>':
            depth -= 1
        elif depth == 0 and text in ('=', '{', '(', ';', '[', ',', ')'):
            break
        k += 1
    if k >= len(code):
        raise _Unsafe('its declaration does not end')
    if code[k].text == '[':
        raise _Unsafe('an array')
    if code[k].text in (',', ')'):
        raise _Unsafe('several variables in one declaration' if code[k].text == ',' else 'an unusual declaration')
    if not source.is_name(code, k - 1) or source.at(code, k - 2) == '::':
        raise _Unsafe('defined apart from its class' if source.at(code, k - 2) == '::' else 'an unusual declaration')
    return k - 1


def _initialiser(source, k):
    """The position of the ';' and the literals between, each with its sign."""
    code = source.code
    opening = code[k].text
    if opening == ';':
        return k, []
    closing = {'{': '}', '(': ')'}.get(opening)
    if opening == '=' and source.at(code, k + 1) == '{' and source.at(code, k + 2) == '}':
        if source.at(code, k + 3) != ';':
            raise _Unsafe('several variables in one declaration')
        return k + 3, []
    literals, expected = [], True
    k += 1
    while k < len(code):
        text = code[k].text
        if closing and text == closing:
            k += 1
            break
        if not closing and text in (';', ','):
            break
        if text == ',' and not expected:
            expected = True
        elif expected and text in ('-', '+') and source.at(code, k + 1)[:1].isdigit():
            literals.append(text + code[k + 1].text)
            k += 1
            expected = False
        elif expected and (code[k].kind in ('number', 'char', 'string') or text in ('true', 'false', 'nullptr')):
            literals.append(text)
            expected = False
        elif expected and text == 'NULL':
            literals.append('nullptr')
            expected = False
        else:
            raise _Unsafe('its initial value is not a literal, and each thread computes its own')
        k += 1
    if source.at(code, k) == ',':
        raise _Unsafe('several variables in one declaration')
    if source.at(code, k) != ';':
        raise _Unsafe('an unusual declaration')
    return k, literals


def _argument_types(type_tokens, type_text, literals):
    words = [t.value for t in type_tokens]
    if len(literals) == 1 and (words[-1] == '*' or all(w in ARITHMETIC | {'std', '::'} for w in words)):
        return [type_text]
    return ['const char*' if '"' in literal else f'decltype({literal})' for literal in literals]


def _uses(source, name, name_at, end, scope):
    """Positions of all uses within the variable's scope. Raises _Unsafe if the name may mean something else there."""
    code, scopes = source.code, source.scopes()
    while scope and scope[-1][0] == 'namespace' and code[scope[-1][1] - 1].value == 'namespace':
        scope = scope[:-1]  # names of an unnamed namespace are seen behind it
    for body in source.macros:
        if any(t.value == name for t in body):
            raise _Unsafe('a macro uses it')
    uses = []
    for k in range(len(code)):
        if code[k].value != name or code[k].kind != 'identifier' or k == name_at:
            continue
        how = source.qualification(code, k)
        inside = k > end and scopes[k][:len(scope)] == scope
        if not inside:
            if how == 'other' and k > end:
                raise _Unsafe(f'{name} may be used with a qualified name in line {code[k].line}')
            if not scope and k < name_at and how == '':
                raise _Unsafe('its name is used above it')
            continue
        if how == 'member':
            continue
        if how != '':
            raise _Unsafe(f'{name} is used with a qualified name')
        if code[k - 1].kind == 'identifier' and source.declares(code, k):
            raise _Unsafe(f'{name} is declared again in line {code[k].line}')
        if code[k - 1].text in ('>', '*', '&', '&&') and source.declares(code, k) and \
                source.at(code, k + 1) in (';', '=', ',', ')', '{'):
            raise _Unsafe(f'{name} may be declared again in line {code[k].line}')
        if source.at(code, k + 1) == ':' and source.at(code, k - 1) in (';', '{', '}'):
            raise _Unsafe(f'{name} is a label in line {code[k].line}')
        uses.append(k)
    return uses


def externs_of(source):
    """Names of `extern thread_local T name;`."""
    found, code = {}, source.code
    for i, token in enumerate(code):
        if token.value not in WORDS or 'extern' not in (source.at(code, i - 1), source.at(code, i + 1)):
            continue
        k = i
        while k < len(code) and code[k].text not in (';', '='):
            k += 1
        if k < len(code) and source.is_name(code, k - 1) and code[k - 1].value not in KEYWORDS:
            found[code[k - 1].value] = f'{source.name}:{token.line}'
    return found
