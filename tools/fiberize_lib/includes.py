"""The headers follow the names: a standard header whose names all moved is replaced by fiber's, any other header that
is needed is added behind the first #include that always counts."""
import re

from .names import STD_HEADERS, STD_NAMES

FIBER_TO_STD = {header: std for std, (header, _) in STD_HEADERS.items()}


class _Include:
    def __init__(self, hash_token, header_token, name, always):
        self.hash_token, self.header_token, self.name, self.always = hash_token, header_token, name, always


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
        found = [i for i in includes if i.name == standard and not source.kept(i.header_token)]
        if found and standard not in left:
            for include in found:
                source.replace(include.header_token, f'"{header}"', 'headers replaced')
        if not any(i.always for i in found) or standard in left:
            missing.append(header)
    if missing:
        _add(source, includes, sorted(missing))


def _names_left(source):
    """Headers of the standard of which a name still stands in the file under std:: (a kept line, a flagged use)."""
    left = set()
    for sequence in source.sequences:
        for i in range(len(sequence) - 2):
            if sequence[i].value == 'std' and sequence[i].index not in source.replaced and \
                    sequence[i + 1].text == '::' and sequence[i + 2].value in STD_NAMES:
                left.add(STD_NAMES[sequence[i + 2].value])
    return left


def includes_of(source):
    return [include.name for include in _includes(source)]


def _includes(source):
    guard = _guard_end(source)
    depth, braces, hash_token = 0, 0, None
    tokens = source.tokens
    for k, token in enumerate(tokens):
        if token.directive is None:
            braces += {'{': 1, '}': -1}.get(token.text, 0)
            continue
        if token.text == '#' and token.kind == 'punctuator':
            hash_token = token
        elif token.kind == 'identifier' and token.text == token.directive and tokens[k - 1].directive == '':
            if token.text in ('if', 'ifdef', 'ifndef') and token.index != guard:
                depth += 1
            elif token.text == 'endif':
                depth = max(0, depth - 1)
        if token.kind == 'header' or (token.directive in ('include', 'import') and token.kind == 'string'):
            yield _Include(hash_token, token, token.text[1:-1], depth == 0 and braces == 0)


def _guard_end(source):
    """The index of the word ifndef of an include guard around the whole file, -1 without one."""
    significant = [t for t in source.tokens if not t.blank]
    words = [t.value for t in significant[:6]]
    if len(significant) > 8 and words[:2] == ['#', 'ifndef'] and words[3:5] == ['#', 'define'] and \
            words[5] == words[2] and significant[-1].directive == 'endif':
        return significant[1].index
    return -1


def _add(source, includes, headers):
    newline = source.newline
    anchors = [i for i in includes if i.always]
    first_use = min(source.needed.values())
    before_use = [i for i in anchors if i.header_token.line <= first_use] or anchors[:0]
    # Behind the last include of the first block that always counts: `#include` lines without code between.
    if before_use:
        anchor = before_use[-1].header_token
        for header in headers:
            source.changes['headers added'] += 1
        text = ''.join(f'#include "{header}"{newline}' for header in headers)
        end = _line_end(source, anchor.index)
        if end == len(source.tokens):
            text = newline + text.removesuffix(newline)
        source.insert_before(end, text)
        return
    index = _after_head(source)
    source.changes['headers added'] += len(headers)
    text = ''.join(f'#include "{header}"{newline}' for header in headers)
    source.insert_before(index, text + newline)


def _line_end(source, index):
    """The index of the token that begins the next line."""
    for k in range(index, len(source.tokens)):
        if source.tokens[k].kind == 'newline':
            return k + 1
    return len(source.tokens)


def _after_head(source):
    """Where the first include goes in a file without one: behind leading comments, #pragma once, an include guard."""
    guard, tokens = _guard_end(source), source.tokens
    if guard >= 0:
        return _line_end(source, _line_end(source, guard))
    index = 0
    for k, token in enumerate(tokens):
        if token.kind == 'comment':
            index = _line_end(source, k)
        elif not token.blank:
            if token.text == '#' and re.match(r'#\s*pragma\s+once', ''.join(t.text for t in tokens[k:k + 5])):
                return _line_end(source, k)
            # A comment right above the first code belongs to that code.
            return index if k > index and any(t.kind == 'newline' for t in tokens[index:k]) else 0
    return index
