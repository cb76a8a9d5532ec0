"""The headers follow the names: a standard header whose names all moved is replaced by fiber's, any other header that
is needed is added behind the first #include that always counts."""
import re

from .lexer import INCLUDES, REST_OF_LINE
from .names import STD_HEADERS, STD_NAMES

FIBER_TO_STD = {header: std for std, (header, _) in STD_HEADERS.items()}
NEWLINE = re.compile(r'\r\n|\n|\r')


class _Include:
    def __init__(self, token, always):
        self.token, self.name, self.always = token, token.text[1:-1], always


def apply(source):
    if not source.needed:
        return
    includes = list(_includes(source))
    present = {include.name for include in includes}
    left = _names_left(source)
    missing = []
    for header in sorted(source.needed, key=lambda h: (source.needed[h], h)):
        if header in present:
            continue
        standard = FIBER_TO_STD.get(header)
        found = [i for i in includes if i.name == standard and not source.kept(i.token)]
        if found and standard not in left:
            for include in found:
                source.replace(include.token, f'"{header}"', 'headers replaced')
        if not any(i.always for i in found) or standard in left:
            missing.append(header)
    if missing:
        _add(source, includes, sorted(missing))


def _names_left(source):
    """Headers of the standard of which a name still stands in the file under std:: (a kept line, a flagged use)."""
    left = set()
    for sequence in source.sequences:
        for i in range(len(sequence) - 2):
            if sequence[i].value == 'std' and sequence[i + 1].text == '::' and sequence[i + 2].value in STD_NAMES and \
                    not source.replaced(sequence[i]):
                left.add(STD_NAMES[sequence[i + 2].value])
    return left


def includes_of(source):
    """The names of the headers that a compiler for Linux may see."""
    return [d.tokens[0].text[1:-1] for d in source.directives
            if d.name in INCLUDES and d.tokens and d.tokens[0].kind == 'header' and not d.off]


def _includes(source):
    guard = _guard(source)
    depth, braces, position = 0, 0, 0
    for directive in source.directives:
        for token in source.code[position:directive.position]:
            braces += {'{': 1, '}': -1}.get(token.text, 0)
        position = directive.position
        if directive.name in ('if', 'ifdef', 'ifndef') and directive is not guard:
            depth += 1
        elif directive.name == 'endif':
            depth = max(0, depth - 1)
        elif directive.name in INCLUDES and directive.tokens and directive.tokens[0].kind == 'header':
            yield _Include(directive.tokens[0], depth == 0 and braces == 0)


def _guard(source):
    """The #ifndef of an include guard around the whole file, None without one."""
    lines = source.directives
    if len(lines) > 2 and lines[0].name == 'ifndef' and lines[0].position == 0 and lines[1].name == 'define' and \
            lines[1].position == 0 and lines[0].tokens and lines[1].tokens and \
            lines[0].tokens[0].value == lines[1].tokens[0].value and lines[-1].name == 'endif' and \
            lines[-1].position == len(source.code):
        return lines[0]
    return None


def _add(source, includes, headers):
    newline = source.newline
    first_use = source.line(min(source.needed.values()))
    before_use = [i for i in includes if i.always and source.line(i.token) <= first_use]
    source.changes['headers added'] += len(headers)
    text = ''.join(f'#include "{header}"{newline}' for header in headers)
    if before_use:
        # Behind the last include that always counts and stands before the first use.
        place, complete = _next_line(source, before_use[-1].token.end)
        source.insert(place, text if complete else newline + text.removesuffix(newline), first=True)
        return
    source.insert(_after_head(source), text + newline, first=True)


def _next_line(source, offset):
    """Where the line after that of the offset begins, and whether there is one."""
    newline = NEWLINE.search(source.text, REST_OF_LINE.match(source.text, offset).end())
    return (newline.end(), True) if newline else (len(source.text), False)


def _after_head(source):
    """Where the first include goes in a file without one: behind leading comments, #pragma once, an include guard."""
    guard = _guard(source)
    if guard is not None:
        return _next_line(source, source.directives[1].start)[0]
    first = min([t.start for t in source.code[:1]] + [d.start for d in source.directives[:1]] + [len(source.text)])
    pragma = source.directives[:1]
    if pragma and pragma[0].start == first and [t.value for t in pragma[0].tokens[:1]] == ['once']:
        return _next_line(source, first)[0]
    # A comment right above the first code belongs to that code.
    place = 3 if source.text.startswith('\xef\xbb\xbf') else 0  # behind a byte order mark
    for match in re.finditer(r'//[^\r\n]*|/\*.*?\*/', source.text[:first], re.DOTALL):
        end, complete = _next_line(source, match.end())
        if complete and NEWLINE.match(source.text, end):
            place = end
    return place
