#!/usr/bin/env python3
"""Tests of tools/fiberize: its lexer, each rule on small examples, and the program on files."""
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from fiberize_lib import lexer, names, rewrite, source  # noqa: E402


def rewritten(texts):
    sources, errors = rewrite.rewrite(texts)
    assert not errors, errors
    return sources


class Case(unittest.TestCase):
    """Rules are tried on a file `a.cc`; whatever comes out must not change a second time."""

    def sources(self, text, others=None, name='a.cc'):
        sources = rewritten({name: text, **(others or {})})
        again = rewritten({n: s.result() for n, s in sources.items()})
        for n, s in again.items():
            self.assertEqual(sources[n].result(), s.result(), f'{n} changes again')
            self.assertFalse(s.changes, f'{n} counts changes again')
        return sources

    def becomes(self, text, expected, others=None, name='a.cc'):
        self.assertEqual(expected, self.sources(text, others, name)[name].result())

    def stays(self, text, others=None, name='a.cc'):
        self.becomes(text, text, others, name)

    def body(self, text, expected, **options):
        """As becomes(), without the includes that were added on top."""
        result = self.sources(text, **options)[options.get('name', 'a.cc')].result()
        lines = [line for line in result.split('\n') if not line.startswith('#include "fiber/')]
        self.assertEqual(expected, '\n'.join(lines).lstrip('\n'))

    def notes(self, text, others=None, name='a.cc'):
        """(line, why), without the danger."""
        return [(line, why) for line, _, why in self.sources(text, others, name)[name].notes]

    def dangers(self, text, **options):
        return [danger for _, danger, _ in self.sources(text, **options)[options.get('name', 'a.cc')].notes]

    def noted(self, text, *words, **options):
        """One note, which has the words."""
        notes = self.notes(text, **options)
        self.assertEqual(1, len(notes), notes)
        for word in words:
            self.assertIn(word, notes[0][1])


class LexerTest(unittest.TestCase):
    def kinds(self, text):
        return [(t.kind, t.text) for t in lexer.tokenize(text).code]

    def test_tokens_stand_where_they_say(self):
        text = ('\xef\xbb\xbf#include <a>\r\n#define X(a) \\\r\n  R"x(std::mutex)x" #a\n'
                "int n = 1'000'000; char c = '\\''; /* a\n b */ auto s = u8\"\\\"\" L'x'; // c \\\n still\n\xe9 st\\\nd x >>= 1\r")
        tokens = lexer.tokenize(text)
        for token in [*tokens.code, *(t for d in tokens.directives for t in d.tokens)]:
            self.assertEqual(token.text, text[token.start:token.end])
        self.assertEqual(['include', 'define'], [d.name for d in tokens.directives])
        self.assertEqual(['int', 'n', '=', "1'000'000", ';', 'char', 'c', '=', "'\\''", ';', 'auto', 's', '=', 'u8"\\""',
                          "L'x'", ';', '\xe9', 'std', 'x', '>', '>=', '1'], [t.value for t in tokens.code])

    def test_raw_strings_end_with_their_delimiter(self):
        self.assertEqual([('raw_string', 'R"a()" )b" )a"'), ('identifier', 'x')], self.kinds('R"a()" )b" )a" x'))

    def test_a_string_after_a_name_that_ends_with_r_is_not_raw(self):
        self.assertEqual([('identifier', 'FOOR'), ('string', '"("')], self.kinds('FOOR"("'))

    def test_digit_separators_are_no_quotes(self):
        self.assertEqual([('number', "1'000"), ('punctuator', ';'), ('char', "'x'")], self.kinds("1'000; 'x'"))

    def test_a_continued_line_comment_goes_on(self):
        self.assertEqual([('identifier', 'x')], self.kinds('// a \\\n std::mutex\nx'))

    def test_a_name_across_lines_is_one(self):
        token = lexer.tokenize('mu\\\ntex').code[0]
        self.assertEqual(('identifier', 'mutex'), (token.kind, token.value))

    def test_prose_is_allowed_where_the_compiler_skips_it(self):
        lexer.tokenize("#if 0\ndon't\n#endif\n#error don't\n#if 1\nx\n#else\nit's \"\n#endif\n")

    def test_literals_that_do_not_end_are_refused(self):
        for text, line, word in [('x\n"abc\n', 2, 'string'), ("\n\n'a\n", 3, 'character'), ('/* x', 1, 'comment'),
                                 ('R"x(abc)"', 1, 'raw string'), ("#ifdef X\ndon't\n#endif\n", 2, 'character')]:
            with self.assertRaises(lexer.LexError, msg=text) as caught:
                lexer.tokenize(text)
            self.assertEqual(line, caught.exception.line)
            self.assertIn(word, str(caught.exception))


class StdTest(Case):
    def test_names_and_their_header(self):
        self.becomes('#include <mutex>\nstd::mutex m;\n', '#include "fiber/std/mutex.h"\nfiber_std::mutex m;\n')

    def test_every_name_of_the_table(self):
        for name, header in names.STD_NAMES.items():
            text = f'#include <{header}>\nusing std::{name};\n'
            self.becomes(text, f'#include "{names.STD_HEADERS[header][0]}"\nusing fiber_std::{name};\n')

    def test_blanks_comments_and_the_global_prefix_stay(self):
        self.body('::std /* a */ :: mutex m;', '::fiber_std /* a */ :: mutex m;')
        self.body('std\n  ::\n  thread t;', 'fiber_std\n  ::\n  thread t;')

    def test_nested_names(self):
        self.body('void f() { std::this_thread::sleep_for(std::chrono::seconds(1)); }',
                  'void f() { fiber_std::this_thread::sleep_for(std::chrono::seconds(1)); }')
        self.body('std::vector<std::thread> t; std::hash<std::thread::id> h;',
                  'std::vector<fiber_std::thread> t; std::hash<fiber_std::thread::id> h;')

    def test_literals_comments_and_other_names_stay(self):
        self.stays('// std::mutex\n/* std::thread */ auto s = "std::mutex"; auto r = R"(std::thread)";\n')
        self.stays('std::string s; std::move(s); std::mutex_like m; std::atomic<int> a; my::std::mutex n; x.std::f();\n')

    def test_macros_are_rewritten(self):
        self.body('#define GUARD(m) \\\n  std::lock_guard<std::mutex> guard(m)\n',
                  '#define GUARD(m) \\\n  fiber_std::lock_guard<fiber_std::mutex> guard(m)\n')

    def test_a_name_across_a_continued_line(self):
        self.body('st\\\nd::mu\\\ntex m;', 'fiber_std::mu\\\ntex m;')

    def test_using_declarations_carry_the_short_names(self):
        self.body('using std::mutex;\nmutex m;\n', 'using fiber_std::mutex;\nmutex m;\n')

    def test_kept_lines_stay(self):
        self.stays('std::mutex a;  // fiberize: keep\n// fiberize: keep\nstd::mutex b;\n')

    def test_aliases_of_std_are_shown(self):
        self.body('namespace s = std;\ns::mutex m;\ns::string t;\n', 'namespace s = std;\nfiber_std::mutex m;\ns::string t;\n')
        self.noted('#define STD std\n', 'STD')
        self.noted('#define M(x) std::##x\n', '##')
        self.noted('namespace std { class mutex; }\n', 'inside of namespace std')
        self.assertFalse(self.notes('namespace std { template <> struct hash<X> {}; }\n'))

    def test_using_namespace_std(self):
        self.body('using namespace std;\nmutex m;\nvector<thread> v;\nvoid f(mutex& a) { lock_guard<mutex> l(a); '
                  'this_thread::yield(); thread([] {}).join(); }\n',
                  'using namespace std;\nfiber_std::mutex m;\nvector<fiber_std::thread> v;\nvoid f(fiber_std::mutex& a) '
                  '{ fiber_std::lock_guard<fiber_std::mutex> l(a); fiber_std::this_thread::yield(); '
                  'fiber_std::thread([] {}).join(); }\n')

    def test_using_namespace_std_of_a_header_counts(self):
        header = {'x/common.h': '#include <mutex>\nusing namespace std;\n'}
        self.body('#include "x/common.h"\nmutex m;\n', '#include "x/common.h"\nfiber_std::mutex m;\n', others=header)
        self.stays('#include "x/other.h"\nmutex m;\n', others=header)

    def test_own_types_under_using_namespace_std_stay_and_are_shown(self):
        text = 'using namespace std;\nnamespace my { class mutex {}; }\nmutex m;\n'
        self.stays(text)
        self.assertTrue(any('declares one too' in why for _, why in self.notes(text)))

    def test_variables_that_are_called_like_a_type_stay(self):
        self.stays('using namespace std;\nint future = 1; int g() { return future + obj.mutex; }\n')

    def test_waits_on_atomics_are_shown(self):
        self.noted('std::atomic<int> ready;\nvoid f() { ready.wait(0); }\n', 'ready.wait')
        self.noted('void f(std::atomic<int>& n) { std::atomic_notify_one(&n); }', 'atomic_notify_one')
        self.assertFalse(self.notes('std::condition_variable c;\nvoid f() { c.notify_one(); }\n'))

    def test_native_handles_and_file_streams_are_shown(self):
        self.noted('void f(std::thread& t) { g(t.native_handle()); }', 'native_handle')
        self.noted('std::ofstream out;', 'file stream')


class IncludeTest(Case):
    def test_a_comment_behind_the_header_stays(self):
        self.becomes('#  include <mutex>  // NOLINT\nstd::mutex m;', '#  include "fiber/std/mutex.h"  // NOLINT\n'
                     'fiber_std::mutex m;')

    def test_a_header_of_which_nothing_is_used_stays(self):
        self.stays('#include <mutex>\nint n;\n')

    def test_a_header_with_a_name_that_stays_is_kept(self):
        self.becomes('#include <mutex>\nstd::mutex a;\nstd::once_flag b;  // fiberize: keep\n',
                     '#include <mutex>\n#include "fiber/std/mutex.h"\nfiber_std::mutex a;\n'
                     'std::once_flag b;  // fiberize: keep\n')

    def test_a_missing_header_comes_behind_the_includes(self):
        self.becomes('#include "a.h"\n#include <string>\n\nstd::mutex m;\n',
                     '#include "a.h"\n#include <string>\n#include "fiber/std/mutex.h"\n\nfiber_std::mutex m;\n')

    def test_conditional_includes_and_extern_c_are_no_place(self):
        self.becomes('#include <a>\n#ifdef X\n#include <b>\n#endif\nextern "C" {\n#include <c>\n}\nstd::mutex m;\n',
                     '#include <a>\n#include "fiber/std/mutex.h"\n#ifdef X\n#include <b>\n#endif\nextern "C" {\n'
                     '#include <c>\n}\nfiber_std::mutex m;\n')

    def test_a_conditional_header_is_replaced_and_added(self):
        self.becomes('#include <a>\n#ifdef X\n#include <mutex>\n#endif\nstd::mutex m;\n',
                     '#include <a>\n#include "fiber/std/mutex.h"\n#ifdef X\n#include "fiber/std/mutex.h"\n#endif\n'
                     'fiber_std::mutex m;\n')

    def test_an_include_guard_is_no_condition(self):
        self.becomes('// head\n#ifndef G\n#define G\n#include <a>\nstd::mutex m;\n#endif  // G\n',
                     '// head\n#ifndef G\n#define G\n#include <a>\n#include "fiber/std/mutex.h"\nfiber_std::mutex m;\n'
                     '#endif  // G\n', name='a.h')

    def test_without_any_include(self):
        self.becomes('// Copyright\n\nstd::mutex m;\n', '// Copyright\n#include "fiber/std/mutex.h"\n\n\n'
                     'fiber_std::mutex m;\n')
        self.becomes('#pragma once\nstd::mutex m;\n', '#pragma once\n#include "fiber/std/mutex.h"\n\n'
                     'fiber_std::mutex m;\n', name='a.h')
        self.becomes('#ifndef G\n#define G\nstd::mutex m;\n#endif\n',
                     '#ifndef G\n#define G\n#include "fiber/std/mutex.h"\n\nfiber_std::mutex m;\n#endif\n', name='a.h')
        self.becomes('std::mutex m;', '#include "fiber/std/mutex.h"\n\nfiber_std::mutex m;')

    def test_added_lines_end_as_the_file_does(self):
        self.becomes('#include <a>\r\nstd::mutex m;\r\n',
                     '#include <a>\r\n#include "fiber/std/mutex.h"\r\nfiber_std::mutex m;\r\n')


class PosixTest(Case):
    def test_global_calls(self):
        self.becomes('#include <unistd.h>\nint f(int d, char* p) { return ::read(d, p, 1) + :: fsync(d); }\n',
                     '#include <unistd.h>\n#include "fiber/posix.h"\nint f(int d, char* p) { return '
                     '::fiber::posix::read(d, p, 1) + ::fiber::posix:: fsync(d); }\n')

    def test_every_call_of_the_tables(self):
        for name, (count, _) in {**names.POSIX_CALLS, **names.WORKER_CALLS}.items():
            arguments = ', '.join(['PR_SET_NAME' if name == 'prctl' else 'x'] * (count - 1) + ['nullptr'] * (count > 0))
            if name == 'prctl':
                arguments = 'PR_SET_NAME'
            if name in names.POSIX_WITH:
                arguments = arguments.replace('x, x', f'x, {min(names.POSIX_WITH[name])}')
            self.body(f'void f() {{ {name}({arguments}); }}', f'void f() {{ ::fiber::posix::{name}({arguments}); }}')

    def test_unqualified_calls_by_their_number_of_arguments(self):
        self.body('void f() { close(fd); if (open("a,b", g(1, 2)) < 0) return; }',
                  'void f() { ::fiber::posix::close(fd); if (::fiber::posix::open("a,b", g(1, 2)) < 0) return; }')
        self.stays('void f() { close(); read(1); write(a, b); }')

    def test_members_other_namespaces_and_declarations_stay(self):
        self.stays('void f() { a.close(1); b->read(1, 2, 3); File::open(a, b); std::write(1, 2, 3); }')
        self.stays('struct S { int close(int fd); ~S(); void* open(const char* p, int f); };')

    def test_an_own_function_of_that_name_makes_calls_unclear(self):
        text = 'namespace n { void close(int fd); void g() { close(1); ::close(2); } }'
        self.body(text, 'namespace n { void close(int fd); void g() { close(1); ::fiber::posix::close(2); } }')
        self.noted(text, 'close() may be the one')
        others = {'b.h': 'namespace n { int rename(int a, int b); }'}
        self.noted('#include "b.h"\nnamespace n { void g() { rename(a, b); } }', 'b.h', others=others)
        for text in ('#include "b.h"\nvoid g() { rename(a, b); }', 'namespace n { void g() { rename(a, b); } }'):
            self.assertIn('::fiber::posix::rename(a, b)', self.sources(text, others)['a.cc'].result())
        self.noted('void g() { auto close = h(); close(1); }', 'variable')

    def test_std_rename_and_remove(self):
        self.body('void f() { std::rename(a, b); ::std::remove(p); v.erase(std::remove(v.begin(), v.end(), 1)); }',
                  'void f() { ::fiber::posix::rename(a, b); ::fiber::posix::remove(p); '
                  'v.erase(std::remove(v.begin(), v.end(), 1)); }')

    def test_struct_stat_stays(self):
        self.body('struct stat s; struct ::stat t; void f() { stat("a", &s); }',
                  'struct stat s; struct ::stat t; void f() { ::fiber::posix::stat("a", &s); }')

    def test_functions_that_are_passed_on_are_shown(self):
        self.noted('std::unique_ptr<int, decltype(&::close)> p;', 'passed on')

    def test_naming_and_priorities(self):
        self.body('void f() { pthread_setname_np(pthread_self(), "x"); prctl(PR_SET_NAME, "x"); prctl(PR_GET_NAME, p); }',
                  'void f() { ::fiber::posix::pthread_setname_np(::fiber::posix::pthread_self(), "x"); '
                  '::fiber::posix::prctl(PR_SET_NAME, "x"); prctl(PR_GET_NAME, p); }')

    def test_blocking_calls_without_a_wrapper_are_shown(self):
        for call in ('fopen("a", "r")', 'std::fopen("a", "r")', 'gethostbyname(a)', '::wait3(a, 1, u)', 'getline(&a, &b, stdin)',
                     'fork()', 'mmap(a, b, c, d, e, f)', 'pthread_barrier_wait(&b)', 'pthread_kill(a, b)',
                     'syscall(SYS_futex, a)', 'syscall(n)', '_mm_pause()'):
            self.assertEqual(1, len(self.notes(f'void f() {{ {call}; }}')), call)
        self.assertFalse(self.notes('void f() { a.flock(1, 2); my::fork(); wait(); getline(&a, &b, file); fcntl(a, F_GETFL, 0); }'))

    def test_large_local_arrays_are_shown(self):
        self.noted("void f() { char buf[65'536]; }", '65536 bytes')
        self.assertFalse(self.notes('char buf[65536]; struct S { char b[65536]; }; void f() { static char c[65536]; '
                                    'char d[512]; }'))


class ThreadLocalTest(Case):
    def test_in_a_function(self):
        self.body('int f() {\n  thread_local int n = 5;\n  return ++n;\n}\nint n;\n',
                  'int f() {\n  static ::fiber_std::thread_local_ptr<int, int> n(5);\n  return ++(*n);\n}\nint n;\n')

    def test_in_a_source_file(self):
        self.body('namespace {\nstatic thread_local std::vector<int> v;\nvoid f() { v.clear(); g(&v, x.v); }\n}\n',
                  'namespace {\nstatic ::fiber_std::thread_local_ptr<std::vector<int>> v;\n'
                  'void f() { (*v).clear(); g(&(*v), x.v); }\n}\n')
        self.body('namespace {\nthread_local int n;\n}\nint main() { return n; }\n',
                  'namespace {\n::fiber_std::thread_local_ptr<int> n;\n}\nint main() { return (*n); }\n')
        self.body('__thread char* p = nullptr;\n', '::fiber_std::thread_local_ptr<char*> p;\n')

    def test_initial_values(self):
        for initial, expected in [('std::string s = "x"', '<std::string, const char*> s("x")'),
                                  ('std::string s{}', '<std::string> s'), ('bool b{true}', '<bool, bool> b(true)'),
                                  ('unsigned long n = -1', '<unsigned long, unsigned long> n(-1)'),
                                  ('P p(1, "a")', '<P, decltype(1), const char*> p(1, "a")'), ('P p = {}', '<P> p')]:
            self.body(f'void f() {{ static thread_local {initial}; }}',
                      f'void f() {{ static ::fiber_std::thread_local_ptr{expected}; }}')

    def test_a_type_that_moves_too(self):
        self.body('void f() { thread_local std::mutex m; m.lock(); }',
                  'void f() { static ::fiber_std::thread_local_ptr<fiber_std::mutex> m; (*m).lock(); }')

    def test_what_is_not_safe_is_shown_and_stays(self):
        for text, word in [('struct S { thread_local int a; };', 'static'), ('thread_local int a, b;', 'several'),
                           ('thread_local int a[2] = {1, 2};', 'array'), ('thread_local auto* a = f();', 'auto'),
                           ('thread_local const int a = 1;', 'const'), ('static thread_local int a; void f() { int a = 1; }', 'again'),
                           ('static thread_local int a; void f() { T* a; }', 'again'),
                           ('namespace n { static thread_local int a; } int f() { return n::a; }', 'qualified'),
                           ('#define A() (a++)\nvoid f() { thread_local int a; }', 'macro'),
                           ('#define T(x) thread_local x\n', 'macro')]:
            self.stays(text)
            self.noted(text, word)
            self.assertEqual([source.WRONG], self.dangers(text))


class TrapTest(Case):
    """The traps of fiberize_traps.txt."""
    DANGERS = {'wrong': source.WRONG, 'blocks': source.BLOCKS, 'look': source.LOOK}

    def traps(self):
        text = (HERE / 'fiberize_traps.txt').read_text()
        for part in text.split('\n#### ')[1:]:
            title, _, rest = part.partition('\n')
            given, expected, notes, into = {}, {}, [], None
            for line in rest.split('\n'):
                head, _, name = line.partition(' ')
                if head in ('@', '=') and name and not name.startswith(' '):
                    into = given if head == '@' else expected
                    into[name] = ''
                elif head == '!':
                    file, danger, words = name.split(' ', 2)
                    notes.append((file, self.DANGERS[danger], words))
                elif line:
                    into[name_of(into)] += line + '\n'
            yield title, given, expected, notes

    def test_each(self):
        count = 0
        for title, given, expected, notes in self.traps():
            count += 1
            with self.subTest(title):
                self.try_one(given, expected, notes)
        self.assertGreaterEqual(count, 60)

    def try_one(self, given, expected, notes):
        sources = rewritten(given)
        for name, text in given.items():
            lines = [line for line in sources[name].result().split('\n') if not line.startswith('#include "fiber/')]
            self.assertEqual(expected.get(name, text), '\n'.join(lines).lstrip('\n'))
        again = rewritten({n: s.result() for n, s in sources.items()})
        for name, one in again.items():
            self.assertEqual(sources[name].result(), one.result(), f'{name} changes again')
            self.assertEqual(lasting(sources[name].notes), lasting(one.notes))
        found = [(name, danger, why) for name, one in sources.items() for _, danger, why in one.notes]
        self.assertEqual(len(notes), len(found), found)
        for name, danger, words in notes:
            self.assertTrue(any(f == name and d == danger and words in why for f, d, why in found), (words, found))


def lasting(notes):
    """Notes without the numbers of lines, which added headers change; what is only worth a look is said of a change."""
    return [re.sub(r':[0-9]+', '', why) for _, danger, why in notes if danger != source.LOOK]


def name_of(files):
    return list(files)[-1]


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.tree = self.root / 'tree'
        self.tree.mkdir()

    def put(self, name, data):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def run_tool(self, *arguments, status=0):
        done = subprocess.run([sys.executable, str(HERE / 'fiberize'), *map(str, arguments)], capture_output=True,
                              cwd=self.root, check=False)
        output = (done.stdout + done.stderr).decode('latin-1')
        self.assertEqual(status, done.returncode, output)
        self.assertNotIn('Traceback', output)
        return output

    def test_in_place_keeps_mode_bytes_and_other_files(self):
        file = self.put('sub/a.cc', b'// \xff\xe9\r\n#include <mutex>\r\nstd::mutex m; // \x80\r\n')
        file.chmod(0o754)
        other = self.put('notes.txt', 'std::mutex')
        c = self.put('c.c', 'int mutex;')
        output = self.run_tool('tree')
        self.assertEqual(b'// \xff\xe9\r\n#include "fiber/std/mutex.h"\r\nfiber_std::mutex m; // \x80\r\n',
                         file.read_bytes())
        self.assertEqual(0o754, stat.S_IMODE(file.stat().st_mode))
        self.assertEqual(('std::mutex', 'int mutex;'), (other.read_text(), c.read_text()))
        self.assertIn('1 file read, 1 changed, 2 lines', output)
        self.assertEqual([file.name], [p.name for p in file.parent.iterdir()])
        before = file.stat().st_mtime_ns
        self.assertIn('0 changed', self.run_tool('tree'))
        self.assertEqual(before, file.stat().st_mtime_ns)

    def test_output_is_a_whole_copy_and_the_input_stays(self):
        file = self.put('a.cc', 'std::mutex m;\n')
        self.put('CMakeLists.txt', 'x')
        self.put('.git/config', 'x')
        self.run_tool('--output', 'copy', 'tree')
        self.assertEqual('std::mutex m;\n', file.read_text())
        self.assertIn('fiber_std::mutex m;', (self.root / 'copy/a.cc').read_text())
        self.assertTrue((self.root / 'copy/CMakeLists.txt').exists())
        self.assertFalse((self.root / 'copy/.git').exists())
        self.assertIn('empty folder', self.run_tool('--output', 'copy', 'tree', status=1))
        self.assertIn('inside', self.run_tool('--output', 'tree/copy', 'tree', status=1))
        self.run_tool('--output', 'two', 'tree/a.cc')
        self.assertIn('fiber_std::mutex m;', (self.root / 'two/a.cc').read_text())

    def test_dry_run_and_diff_write_nothing(self):
        file = self.put('a.cc', 'std::mutex m;\n')
        output = self.run_tool('--dry-run', '--diff', 'tree')
        self.assertIn('+fiber_std::mutex m;', output)
        self.assertIn('1 changed', output)
        self.run_tool('--dry-run', '--output', 'copy', 'tree')
        self.assertFalse((self.root / 'copy').exists())
        self.assertEqual('std::mutex m;\n', file.read_text())

    def test_the_diff_applies(self):
        file = self.put('a.cc', b'int x;  // \xe9\nstd::mutex m;')
        diff = subprocess.run([sys.executable, str(HERE / 'fiberize'), '--dry-run', '--diff', 'tree'],
                              capture_output=True, cwd=self.root, check=True).stdout
        (self.root / 'x.diff').write_bytes(diff)
        self.run_tool('--output', 'copy', 'tree')
        if subprocess.run(['git', '--version'], capture_output=True, check=False).returncode == 0:
            subprocess.run(['git', 'apply', 'x.diff'], check=True, cwd=self.root)
            self.assertEqual((self.root / 'copy/a.cc').read_bytes(), file.read_bytes())

    def test_one_unreadable_file_stops_all(self):
        good = self.put('a.cc', 'std::mutex m;\n')
        self.put('b.cc', 'std::mutex a;\nauto s = "abc;\n')
        output = self.run_tool('tree', status=1)
        self.assertIn('b.cc:2: a string literal that does not end', output)
        self.assertIn('nothing was written', output)
        self.assertEqual('std::mutex m;\n', good.read_text())

    def test_wrong_use(self):
        self.put('a.py', 'x')
        self.put('a.c', 'x')
        self.assertIn('no such file', self.run_tool('missing', status=1))
        self.assertIn('not C++', self.run_tool('tree/a.py', status=1))
        self.assertIn('C, not C++', self.run_tool('tree/a.c', status=1))
        self.assertIn('no C++ file', self.run_tool('tree', status=1))
        self.assertIn('usage', self.run_tool('--wrong', 'tree', status=1))
        self.assertIn('usage', self.run_tool(status=1))
        self.assertIn('example', self.run_tool('--help'))

    def test_what_will_not_work_is_an_error_and_told_last(self):
        self.put('a.cc', 'const thread_local int a = 1;\nvoid f() { fopen("a", "r"); }\n')
        output = self.run_tool('tree', status=2)
        self.assertIn('tree/a.cc:2: fopen()', output)
        self.assertLess(output.index('fopen'), output.index('WILL NOT WORK'))
        self.assertLess(output.index('WILL NOT WORK'), output.index('a.cc:1: thread_local'))
        self.assertIn('of which 1 will not work', output)
        self.run_tool('--strict', 'tree', status=2)
        self.run_tool('--lenient', 'tree')
        self.put('a.cc', 'const thread_local int a = 1;  // fiberize: keep\nvoid f() { fopen("a", "r"); }\n')
        self.run_tool('tree')

    def test_locks_in_c_are_told(self):
        self.put('a.cc', 'int n;\n')
        self.put('fine.c', 'int pthread_mutex;\n')
        c = self.put('sub/b.c', '#include <pthread.h>\nvoid f(void) { pthread_mutex_lock(&m); }\n')
        output = self.run_tool('tree', status=2)
        self.assertIn('tree/sub/b.c:2: C, which stays as it is', output)
        self.assertIn('1 place to look at, of which 1 will not work', output)
        self.assertIn('pthread_mutex_lock(&m)', c.read_text())
        self.assertIn('0 places', self.run_tool('--exclude', 'sub', 'tree'))

    def test_binaries_links_and_excluded_files_are_left_alone(self):
        binary = self.put('bin.h', b'std::mutex\0')
        outside = self.root / 'outside.h'
        outside.write_text('std::mutex m;\n')
        self.put('in.h', 'std::mutex m;\n')
        (self.tree / 'link.h').symlink_to(outside)
        (self.tree / 'inner.h').symlink_to('in.h')
        (self.tree / 'loop').symlink_to('.')
        vendored = self.put('vendor/x.cc', 'std::mutex m;\n')
        output = self.run_tool('--exclude', '*/vendor/*', 'tree')
        self.assertIn('binary', output)
        self.assertIn('leads out', output)
        self.assertIn('1 file read', output)
        self.assertEqual(b'std::mutex\0', binary.read_bytes())
        self.assertEqual('std::mutex m;\n', outside.read_text())
        self.assertEqual('std::mutex m;\n', vendored.read_text())
        self.assertTrue((self.tree / 'inner.h').is_symlink())
        self.assertIn('fiber_std', (self.tree / 'in.h').read_text())

    def test_excluded_names_are_normalised_and_told_if_they_fit_nothing(self):
        for pattern in ('vendor', './vendor/', 'tree/vendor', 'tree//vendor/../vendor/*', 'vend*', '*/vendor/x.cc'):
            vendored = self.put('vendor/x.cc', 'std::mutex m;\n')
            self.put('a.cc', 'std::mutex m;\n')
            output = self.run_tool('--exclude', pattern, './tree/')
            self.assertIn('1 file read, 1 changed', output, pattern)
            self.assertNotIn('fits no file', output, pattern)
            self.assertEqual('std::mutex m;\n', vendored.read_text())
        self.assertIn('--exclude endor: fits no file', self.run_tool('--exclude', 'endor', 'tree'))

    def test_jobs_make_no_difference(self):
        for i in range(60):
            self.put(f'{i}.h', f'extern thread_local int v{i};\nvoid f{i}();\n')
            self.put(f'{i}.cc', f'#include "{i}.h"\n#include "{(i + 1) % 60}.h"\nthread_local int v{i} = {i};\n'
                                f'void g{i}() {{ v{i} = v{(i + 1) % 60}; fopen("a", "r"); }}\n')
        outputs = {jobs: self.run_tool('--dry-run', '--diff', '--jobs', jobs, 'tree') for jobs in (1, 2, 5)}
        self.assertIn('(*v3) = (*v4)', outputs[1])
        self.assertEqual(1, len(set(outputs.values())))
        self.assertIn('at least 1', self.run_tool('--jobs', '0', 'tree', status=1))

    def test_a_compile_database_says_what_is_compiled_and_how(self):
        self.put('include/deep/a.h', '#ifdef OLD\ninline int fsync(int) { return 0; }\n#endif\n')
        self.put('src/a.cc', '#include <deep/a.h>\nnamespace n { void f() { fsync(1); } }\n')
        self.put('src/unused.cc', 'const thread_local int n = 1;\n')
        self.run_tool('--dry-run', 'tree', status=2)
        database = [{'directory': str(self.tree), 'file': 'src/a.cc', 'command': 'c++ -UOLD -I include -c src/a.cc'}]
        self.put('compile_commands.json', json.dumps(database))
        output = self.run_tool('--dry-run', '--diff', 'tree')
        self.assertIn('+namespace n { void f() { ::fiber::posix::fsync(1); } }', output)
        self.assertIn('0 places', output)
        database[0]['command'] = 'c++ -DOLD=1 -Iinclude -c src/a.cc'
        other = self.root / 'other.json'
        other.write_text(json.dumps(database))
        self.assertIn('fsync() may be', self.run_tool('--dry-run', '--compile-database', other, 'tree'))
        other.write_text('[{"directory": 1}]')
        self.assertIn('no compile database', self.run_tool('--compile-database', other, 'tree', status=1))
        self.assertIn('no compile database', self.run_tool('--compile-database', 'missing', 'tree', status=1))
        other.write_text(json.dumps([{'directory': '/', 'file': 'x.cc', 'arguments': ['c++']}]))
        self.assertIn('names no file', self.run_tool('--compile-database', other, 'tree', status=1))

    def test_other_encodings(self):
        utf8 = self.put('a.cc', b'\xef\xbb\xbf// \xe2\x82\xac\nstd::mutex m;\n')
        latin = self.put('b.cc', b'// \xe9\nint \xe4nderung; std::mutex m;\n')
        wide = self.put('c.cc', 'std::mutex m;\n'.encode('utf-16'))
        before = wide.read_bytes()
        output = self.run_tool('tree')
        self.assertIn('c.cc: skipped: UTF-16', output)
        self.assertEqual(before, wide.read_bytes())
        self.assertTrue(utf8.read_bytes().startswith(b'\xef\xbb\xbf#include'), utf8.read_bytes())
        self.assertIn(b'// \xe2\x82\xac\n', utf8.read_bytes())
        self.assertIn(b'fiber_std::mutex m;', utf8.read_bytes())
        self.assertIn(b'int \xe4nderung; fiber_std::mutex m;', latin.read_bytes())

    def test_links_in_circles(self):
        self.put('a.cc', 'std::mutex m;\n')
        (self.tree / 'folder').symlink_to(self.tree, target_is_directory=True)
        (self.tree / 'one.cc').symlink_to('two.cc')
        (self.tree / 'two.cc').symlink_to('one.cc')
        output = self.run_tool('tree')
        self.assertIn('one.cc: skipped: a symbolic link that leads nowhere, or in a circle', output)
        self.assertIn('1 file read, 1 changed', output)
        (self.root / 'round').symlink_to('round')
        self.assertIn('leads nowhere', self.run_tool('round', status=1))

    def test_code_that_does_not_compile(self):
        for text, word in [('std::mutex m; /* \n', 'a.cc:1: a comment that does not end'),
                           ('std::mutex m;\nchar c = \'a;\n', 'a.cc:2: a character'),
                           ('std::mutex m;\n#define X "\n', 'a.cc:2: a string')]:
            file = self.put('a.cc', text)
            self.assertIn(word, self.run_tool('tree', status=1))
            self.assertEqual(text, file.read_text())
        for text in ('std::mutex m; } } } ) ]', 'void f() { ( [ { std::mutex m;', '#endif\n#else\nstd::mutex m;\n#if\n#elif\n',
                     'while ( std::mutex m;', 'struct { thread_local', 'thread_local', 'std::', 'pthread_mutex_t', '#define\n#',
                     'for (;; std::thread', 'do { std::mutex', 'namespace = std; namespace std {', 'thread_local int a[', 'close('):
            file = self.put('a.cc', text)
            output = subprocess.run([sys.executable, str(HERE / 'fiberize'), 'tree'], capture_output=True, cwd=self.root,
                                    check=False)
            self.assertIn(output.returncode, (0, 2), (text, output))

    def test_an_interrupted_run_leaves_whole_files_and_no_others(self):
        """A signal comes when the n-th file is about to be put in its place, or has just been."""
        before, after = 'std::mutex m;\n', '#include "fiber/std/mutex.h"\n\nfiber_std::mutex m;\n'
        program = ('import importlib.machinery, os, signal, sys\n'
                   'loader = importlib.machinery.SourceFileLoader("fiberize", sys.argv[1])\n'
                   'module = loader.load_module()\n'
                   'left, late, really = int(sys.argv[2]), sys.argv[3] == "late", os.replace\n'
                   'def replace(a, b):\n'
                   '    global left\n'
                   '    left -= 1\n'
                   '    if left == 0 and not late: os.kill(os.getpid(), signal.SIGTERM)\n'
                   '    really(a, b)\n'
                   '    if left == 0 and late: os.kill(os.getpid(), signal.SIGTERM)\n'
                   'os.replace = replace\n'
                   'sys.exit(module.main(sys.argv[4:]))\n')
        for arguments in (['tree'], ['--output', 'copy', 'tree']):
            for number, late in [(1, ''), (1, 'late'), (3, ''), (5, 'late')]:
                names = {f'{i}.cc' for i in range(5)}
                for name in names:
                    self.put(name, before)
                done = subprocess.run([sys.executable, '-W', 'ignore', '-c', program, str(HERE / 'fiberize'), str(number), late,
                                       *arguments], cwd=self.root, capture_output=True, text=True, check=False)
                output = done.stdout + done.stderr
                self.assertEqual(1, done.returncode, output)
                self.assertNotIn('Traceback', output)
                self.assertIn('interrupted', output)
                self.assertEqual({'tree'}, {p.name for p in self.root.iterdir()})
                self.assertEqual(names, {p.name for p in self.tree.iterdir()})
                texts = [path.read_text() for path in self.tree.iterdir()]
                self.assertLessEqual(set(texts), {before, after})
                whole = texts.count(after)
                self.assertEqual(0 if len(arguments) > 1 else number - (not late), whole)

    def test_a_tree_without_write_permission(self):
        """The superuser, who may write everywhere, becomes nobody for it."""
        program = ('import gettext, importlib.machinery, locale, os, random, sys\n'
                   'module = importlib.machinery.SourceFileLoader("fiberize", sys.argv[1]).load_module()\n'
                   'if os.geteuid() == 0:\n'
                   '    os.setgroups([])\n'
                   '    os.setgid(65534)\n'
                   '    os.setuid(65534)\n'
                   'sys.exit(module.main(["--jobs", "1", *sys.argv[2:]]))\n')
        files = [self.put(name, 'std::mutex m;\n') for name in ('a.cc', 'sub/b.cc')]
        for folder in (self.tree, self.tree / 'sub', self.root):
            folder.chmod(0o555)
            self.addCleanup(folder.chmod, 0o755)
        for arguments in (['tree'], ['--output', 'copy', 'tree'], ['--output', 'new/copy', 'tree']):
            done = subprocess.run([sys.executable, '-W', 'ignore', '-c', program, str(HERE / 'fiberize'), *arguments],
                                  cwd=self.root, capture_output=True, text=True, check=False)
            output = done.stdout + done.stderr
            self.assertEqual(1, done.returncode, output)
            self.assertNotIn('Traceback', output)
            self.assertIn('Permission denied', output)
            for file in files:
                self.assertEqual('std::mutex m;\n', file.read_text())
            self.assertEqual({'tree'}, {p.name for p in self.root.iterdir()})
            self.assertEqual({'a.cc', 'sub'}, {p.name for p in self.tree.iterdir()})


@unittest.skipUnless('FIBERIZE_CXX' in os.environ, 'FIBERIZE_CXX and FIBERIZE_INCLUDE not given (ctest gives them)')
class NamesTest(unittest.TestCase):
    """What the tables promise exists: the rewritten names compile against fiber's headers."""

    def test_every_name_exists(self):
        std = [f'using fiber_std::{name};\n' for name in names.STD_NAMES if name != 'this_thread']
        posix = [f'auto our_{name} = &fiber::posix::{name};\n'
                 for name in {**names.POSIX_CALLS, **names.WORKER_CALLS, **names.PTHREAD_CALLS}
                 if name not in ('prctl', 'fcntl')]  # templates
        posix += [f'fiber::posix::{name} a_{name};\n' for name in names.PTHREAD_TYPES]
        posix += [f'fiber::posix::{"pthread_mutex_t"} b_{name} = {value};\n'
                  for name, value in names.PTHREAD_INITIALISERS.items()]
        headers = [header for header, _ in names.STD_HEADERS.values()] + [names.LOCAL_HEADER, names.POSIX_HEADER]
        text = ''.join([f'#include "{header}"\n' for header in headers] + std + posix + [
            'namespace names_test {\nusing fiber_std::this_thread::get_id;\nusing fiber_std::this_thread::sleep_for;\n'
            'using fiber_std::this_thread::sleep_until;\nusing fiber_std::this_thread::yield;\n}\n'
            'static fiber_std::thread_local_ptr<int, int> a(5);\n'
            'static fiber_std::thread_local_ptr<const char*> b;\n'
            'static fiber_std::thread_local_ptr<int> c{[]() -> int { return 1; }};\n'
            'int d(int n) { static fiber_std::thread_local_ptr<int> e; e.make_with([&]() -> int { return n; }); return *e; }\n'
            'int f(struct flock* l) { return fiber::posix::fcntl(0, F_SETLKW, l) + fiber::posix::fcntl(0, F_GETFL); }\n'
            'int main() { return *a + (*b == nullptr) + fiber::posix::prctl(PR_SET_NAME, "x"); }\n'])
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, 'names.cc')
            source.write_text(text)
            done = subprocess.run([os.environ['FIBERIZE_CXX'], '-std=c++20', '-fsyntax-only',
                                   '-I' + os.environ['FIBERIZE_INCLUDE'], str(source)], capture_output=True, check=False)
            self.assertEqual(0, done.returncode, done.stderr.decode())


if __name__ == '__main__':
    unittest.main()
