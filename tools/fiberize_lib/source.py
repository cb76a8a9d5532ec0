"""One file under rewriting: its tokens, the scopes of its braces, the edits that the rules ask for and the notes for a
person. An edit replaces a stretch of text or inserts one, so that what is not edited stays as it is, byte for byte."""
import bisect
import collections
import re

from . import conditions, lexer
from .names import BEFORE_EXPRESSION, KEYWORDS

KEEP = 'fiberize: keep'  # a comment with this on a line, or alone on the line above, keeps the tool from that line
# How bad it is if what a note tells of is not looked at.
WRONG, BLOCKS, LOOK = 0, 1, 2

# What a declaration may stand behind, or begin with before its type.
DECLARATION_STARTS = ('', ';', '{', '}', ':', 'static', 'inline', 'extern', 'const', 'constexpr', 'virtual', 'typename', 'friend',
                      'unsigned', 'struct', 'class', 'enum', 'explicit', 'volatile', ']')

# An open brace: kind is namespace, class or block (a function's body, a statement, an initialiser, an enum); position
# that of the '{' in the code; name that of a namespace or class; bases those of a class.
Scope = collections.namedtuple('Scope', 'kind position name bases')


class Source:
    def __init__(self, name, text, known=conditions.LINUX):
        self.name, self.text = name, text
        self.changes = collections.Counter()  # kind -> count
        self.notes = []  # (line, danger, why)
        self.edits = {}  # (start, end) -> new text
        self.insertions = collections.defaultdict(list)  # offset -> texts
        self.needed = {}  # header of fiber -> offset of the first text that needs it
        self.newline = '\r\n' if text.count('\r\n') * 2 > text.count('\n') else '\n'
        tokens = lexer.tokenize(text, known)
        self.code, self.directives = tokens.code, tokens.directives
        self.macros = [d.tokens for d in self.directives if d.name == 'define' and d.tokens]
        self.sequences = [self.code, *self.macros]  # runs of tokens that are read on their own
        self._lines = None
        self._kept = self._kept_lines() if KEEP in text else ()
        self._scopes = None
        self._guard = None

    # --- places

    def line(self, where):
        """The line of an offset or of a token, from 1."""
        if self._lines is None:
            self._lines = [m.end() for m in re.finditer(r'\r\n|\n|\r', self.text)]
        return bisect.bisect_right(self._lines, where if isinstance(where, int) else where.start) + 1

    def _kept_lines(self):
        kept = set()
        spans = sorted([(t.start, t.end) for s in [self.code, *(d.tokens for d in self.directives)] for t in s])
        starts = [start for start, _ in spans]
        code_lines = {self.line(start) for start in starts} | {self.line(d.start) for d in self.directives}
        for match in re.finditer(re.escape(KEEP), self.text):
            at = bisect.bisect_right(starts, match.start()) - 1
            if at >= 0 and spans[at][1] > match.start():
                continue  # within a literal
            line = self.line(match.start())
            kept.add(line)
            if line not in code_lines:
                kept.add(line + 1)
        return kept

    def kept(self, token):
        return bool(self._kept) and self.line(token) in self._kept

    # --- edits

    def replace(self, token, text, kind=None, header=None):
        self.edits[token.start, token.end] = text
        if kind:
            self.changes[kind] += 1
        if header:
            self.need(header, token)

    def need(self, header, token):
        self.needed.setdefault(header, token.start)

    def insert(self, offset, text, first=False):
        """first: before what is inserted there by others."""
        if first:
            self.insertions[offset].insert(0, text)
        else:
            self.insertions[offset].append(text)

    def replaced(self, token):
        return (token.start, token.end) in self.edits

    def cut(self, start, end):
        """Takes the edits within a stretch of text back, before one edit replaces all of it."""
        for span in [s for s in self.edits if start <= s[0] and s[1] <= end]:
            del self.edits[span]
        for offset in [o for o in self.insertions if start <= o < end]:
            del self.insertions[offset]

    def render(self, start, end):
        """The text between two offsets as the edits so far make it."""
        pieces = [(a, 1, b, text) for (a, b), text in self.edits.items() if start <= a and b <= end]
        pieces += [(at, 0, at, ''.join(texts)) for at, texts in self.insertions.items() if start <= at <= end]
        parts, position = [], start
        for a, _, b, text in sorted(pieces):
            parts += [self.text[position:a], text]
            position = max(b, a)
        parts.append(self.text[position:end])
        return ''.join(parts)

    def result(self):
        return self.render(0, len(self.text)) if self.edits or self.insertions else self.text

    def note(self, token, danger, why):
        if token.off or self.kept(token):
            return
        found = (self.line(token), danger, why)
        if found not in self.notes:
            self.notes.append(found)

    # --- scopes

    def scopes(self):
        """For each token of the code, by position: the open braces around it, outermost first."""
        if self._scopes is None:
            self._scopes = self._find_scopes()
        return self._scopes

    def _find_scopes(self):
        stack, found, saved = (), [()] * len(self.code), []
        conditionals = [d for d in self.directives if d.name in lexer.CONDITIONALS]
        upcoming, following = 0, conditionals[0].position if conditionals else -1
        for position, token in enumerate(self.code):
            while position == following:
                # The branches of a conditional each begin with the braces that were open before it.
                name = conditionals[upcoming].name
                if name in ('if', 'ifdef', 'ifndef'):
                    saved.append(stack)
                elif name == 'endif':
                    if saved:
                        saved.pop()
                elif saved:
                    stack = saved[-1]
                upcoming += 1
                following = conditionals[upcoming].position if upcoming < len(conditionals) else -1
            text = token.text
            if text == '}':
                stack = stack[:-1]
            found[position] = stack
            if text == '{':
                stack = stack + (self._brace(position),)
        return found

    def _brace(self, position):
        words, depth, i = [], 0, position - 1  # backwards
        code = self.code
        while i >= 0:
            text = code[i].text
            if text in (')', ']'):
                depth += 1
            elif text in ('(', '['):
                depth -= 1
                if depth < 0:
                    return Scope('block', position, '', ())
            elif depth == 0 and text in (';', '{', '}'):
                break
            elif depth == 0:
                words.append(text)
            elif depth > 0 and len(words) < 2:
                words.append('(')
            if len(words) > 400:  # an initialiser
                return Scope('block', position, '', ())
            i -= 1
        if 'namespace' in words and '(' not in words:
            name = ''.join(reversed(words[:words.index('namespace')]))
            return Scope('namespace', position, name, ())
        if 'extern' in words and any(w.startswith('"') for w in words):
            return Scope('namespace', position, '', ('C',))
        if words and words[0] in (')', '(', '=', 'return'):
            return Scope('block', position, '', ())
        if any(w in ('class', 'struct', 'union') for w in words) and 'enum' not in words and '=' not in words and \
                not self._ends_like_function(position):
            # `struct S f() {` is a function; `class ALIGNED(8) S : public B {` is a class.
            return Scope('class', position, *_class_of(words[::-1]))
        return Scope('block', position, '', ())

    def _ends_like_function(self, position):
        i = position - 1
        while i > 0 and self.code[i].text in ('const', 'noexcept', 'override', 'final', 'volatile', '&', '&&'):
            if self.code[i].text == 'final' and self.code[i - 1].kind == 'identifier':
                return False
            i -= 1
        return self.code[i].text == ')'

    def classes_around(self, position):
        """Names of the classes whose members a name at the position may mean, without those that they derive from."""
        found = []
        for scope in self.scopes()[position]:
            if scope.kind == 'class':
                found.append(scope.name)
            elif scope.kind == 'block':
                found += self._function_of(scope.position)
        return found

    def namespaces_around(self, position):
        names = []
        for scope in self.scopes()[position]:
            if scope.kind == 'namespace' and scope.name:
                names += scope.name.split('::')
        return tuple(names)

    def _function_of(self, brace):
        """B and A of the function `int A::B::f(...) {` whose brace is at the position; of constructors too."""
        code, start = self.code, self._declaration_start(brace)
        k, name_at = start, None
        while k < brace:
            text = code[k].value
            if text == 'operator':
                name_at = k
                break
            if text == '(':
                if self.is_name(code, k - 1) and code[k - 1].value not in ('__attribute__', '__declspec'):
                    name_at = k - 1
                    break
                k = self.closing(code, k) or brace
            elif text == '[':
                k = self.closing(code, k) or brace
            k += 1
        if name_at is None:
            return []
        names, k = [], name_at - (self.at(code, name_at - 1) == '~')
        while self.at(code, k - 1) == '::' and k - 2 >= start:
            k -= 2
            if self.at(code, k) == '>':
                k = self.opening_angle(code, k) - 1
            if k < 0 or code[k].kind != 'identifier':
                break
            names.append(code[k].value)
        return names

    def _declaration_start(self, brace):
        """Where the declaration begins that the brace at the position belongs to. Braces of an initialiser list,
        `: a{1}, b{2} {`, are within it."""
        code, i = self.code, brace - 1
        while i >= 0:
            text = code[i].text
            if text in (')', ']') or (text == '}' and code[i + 1].text in (',', '{')):
                depth = 0
                while i >= 0:
                    depth += {')': 1, ']': 1, '}': 1, '(': -1, '[': -1, '{': -1}.get(code[i].text, 0)
                    if depth == 0:
                        break
                    i -= 1
            elif text in (';', '{', '}', '(', '['):
                break
            i -= 1
        return i + 1

    # --- small questions of the rules; positions are within a sequence

    @staticmethod
    def opening_angle(sequence, i):
        """The position of the '<' that the '>' at i closes, or i."""
        depth, k = 0, i
        while k >= 0 and i - k < 100:
            depth += {'>': 1, '<': -1}.get(sequence[k].text, 0)
            if depth == 0:
                return k
            k -= 1
        return i

    @staticmethod
    def at(sequence, i):
        return sequence[i].value if 0 <= i < len(sequence) else ''

    @staticmethod
    def is_name(sequence, i):
        return 0 <= i < len(sequence) and sequence[i].kind == 'identifier' and sequence[i].value not in KEYWORDS

    def qualification(self, sequence, i):
        """How the name at i is qualified: '' (not), '::' (global), 'std' (also ::std), 'member' (after . or ->), 'other'."""
        before = self.at(sequence, i - 1)
        if before in ('.', '->', '.*', '->*'):
            return 'member'
        if before != '::':
            return ''
        if self.at(sequence, i - 2) == 'std' and self.at(sequence, i - 3) not in ('.', '->'):
            outer = self.at(sequence, i - 3) == '::' and (self.is_name(sequence, i - 4) or
                                                            self.at(sequence, i - 4) == '>')
            return 'other' if outer else 'std'
        if self.is_name(sequence, i - 2) or self.at(sequence, i - 2) in ('>', 'decltype'):
            return 'other'
        return 'other' if self.at(sequence, i - 2) == ')' and self._is_scope(sequence, i - 2) else '::'

    def _is_scope(self, sequence, i):
        """Whether the ')' at i ends `decltype(x)` or a macro's `TYPE(x)`, not a cast or the head of an `if`."""
        depth = 0
        for k in range(i, -1, -1):
            depth += {')': 1, '(': -1}.get(sequence[k].text, 0)
            if depth == 0:
                return self.is_name(sequence, k - 1) or self.at(sequence, k - 1) == 'decltype'
        return False

    def qualified_from(self, sequence, i):
        """The position where the qualified name that ends at i begins."""
        while self.at(sequence, i - 1) == '::':
            if self.is_name(sequence, i - 2):
                i -= 2
            elif self.at(sequence, i - 2) == '>':
                i = self.opening_angle(sequence, i - 2) - 1
            else:
                return i - 1
        return i

    @staticmethod
    def closing(sequence, i):
        """The position of the bracket that closes the one at i, None if it has no end."""
        depth = 0
        for k in range(i, len(sequence)):
            text = sequence[k].text
            if text in ('(', '[', '{'):
                depth += 1
            elif text in (')', ']', '}'):
                depth -= 1
                if depth == 0:
                    return k
        return None

    def arguments(self, sequence, i):
        """The number of arguments of the call whose '(' is at i, and the position of its ')'; None if it has no end. Those of a
        branch that no compiler sees count only for a call that none sees either."""
        depth, count = 0, 1
        for k in range(i, len(sequence)):
            if sequence[k].off and not sequence[i].off:
                continue
            text = sequence[k].text
            if text in ('(', '[', '{'):
                depth += 1
            elif text in (')', ']', '}'):
                depth -= 1
                if depth == 0:
                    return (count if k > i + 1 else 0), k
            elif text == ',' and depth == 1:
                count += 1
        return None

    def declares(self, sequence, i):
        """Whether the name at i, unqualified, looks like it is being declared: `int close(`, `auto* open`, `~wait`."""
        before = sequence[i - 1] if i > 0 else None
        if before is None:
            return False
        if before.text in ('~', 'operator'):
            return True
        if before.kind == 'identifier':
            return before.value not in BEFORE_EXPRESSION
        if before.text in ('>', '*', '&', '&&'):
            if self.at(sequence, i + 1) == '(' and before.text != '>' and not self._begins_with_type(sequence, i - 1):
                return False  # `x == a && close(fd)`
            return i >= 2 and (sequence[i - 2].kind == 'identifier' and sequence[i - 2].value not in BEFORE_EXPRESSION or
                               sequence[i - 2].text in ('>', '*'))
        return False

    def _begins_with_type(self, sequence, i):
        """Whether what stands before the * or & at i is the first type of a declaration, and no operand."""
        while self.at(sequence, i - 1) in ('*', '&', '&&', 'const'):
            i -= 1
        first = i - 1
        if self.at(sequence, first) == '>':
            first = self.opening_angle(sequence, first) - 1
        first = self.qualified_from(sequence, first)
        before = self.at(sequence, first - 1)
        return before in DECLARATION_STARTS or (before == '>' and self.at(sequence, first - 2) != '-')


def _class_of(words):
    """The name and the bases of `template <class T> class ALIGNED S final : public n::B<X>, C`."""
    at = max(i for i, w in enumerate(words) if w in ('class', 'struct', 'union'))
    # `template <class T> class S : B<struct X>`: the keyword that counts is the first one outside of angles.
    depth = 0
    for i, word in enumerate(words):
        depth += {'<': 1, '>': -1}.get(word, 0)
        if depth == 0 and word in ('class', 'struct', 'union'):
            at = i
            break
    head = words[at + 1:]
    bases = []
    depth = 0
    for i, word in enumerate(head):
        depth += {'<': 1, '>': -1}.get(word, 0)
        if word == ':' and depth == 0:
            bases, head = head[i + 1:], head[:i]
            break
    names = [w for w in head if w[0].isalpha() or w[0] == '_']
    names = [w for w in names if w != 'final']
    if '<' in head:  # a specialisation
        names = [w for w in head[:head.index('<')] if w[0].isalpha() or w[0] == '_']
    found, depth, last = [], 0, ''
    for word in [*bases, ',']:
        if word == ',' and depth == 0:
            found.append(last)
        depth += {'<': 1, '>': -1}.get(word, 0)
        if depth == 0 and (word[0].isalpha() or word[0] == '_') and word not in ('public', 'private', 'protected',
                                                                                  'virtual'):
            last = word
    return (names[-1] if names else ''), tuple(b for b in found if b)
