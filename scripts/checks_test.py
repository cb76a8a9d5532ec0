#!/usr/bin/env python3
"""Tests of the scripts that check the sources: each must catch a bad example and let a good one pass."""
import contextlib
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import check_clang  # noqa: E402
import check_commits  # noqa: E402
import check_docs  # noqa: E402
import check_layers  # noqa: E402
import check_style  # noqa: E402
import compatibility  # noqa: E402
import fiberize_report  # noqa: E402
import fiberize_runs  # noqa: E402
import fiberize_steps  # noqa: E402
import release_notes  # noqa: E402


class LayersTest(unittest.TestCase):
    def check(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / 'cmake').mkdir()
            (root / 'cmake/CairnLayers.cmake').write_text('set(CAIRN_LAYER_ORDER base fs table db)\n'
                                                         'set(CAIRN_SERVER_LAYER_ORDER resp keyspace commands net)\n')
            (root / path).parent.mkdir(parents=True)
            (root / path).write_text(text)
            return check_layers.check(root, [path.split('/')[0]])

    def test_upward_include_is_refused(self):
        problems = self.check('src/fs/file.cc', '#include "fs/file.h"\n#include "table/block.h"\n')
        self.assertEqual(len(problems), 1)
        self.assertIn('src/fs/file.cc:2', problems[0])

    def test_downward_include_passes(self):
        text = '#include <vector>\n#include "base/coding.h"\n#include "rocksdb/db.h"\n#include "fiber/io.h"\n'
        self.assertEqual(self.check('src/table/block.cc', text), [])

    def test_public_header_with_a_private_include_is_refused(self):
        self.assertEqual(len(self.check('include/rocksdb/db.h', '#include "base/coding.h"\n')), 1)
        self.assertEqual(len(self.check('include/rocksdb/db.h', '#include "fiber/mutex.h"\n')), 1)
        self.assertEqual(self.check('include/rocksdb/db.h', '#include "rocksdb/status.h"\n'), [])

    def test_fiber_includes_nothing_of_the_database(self):
        self.assertEqual(len(self.check('fiber/src/wait.cc', '#include "rocksdb/status.h"\n')), 1)

    def test_programs_use_the_public_api_only(self):
        self.assertEqual(len(self.check('bench/db_bench/main.cc', '#include "db/db_impl.h"\n')), 1)

    def test_upward_include_within_the_server_is_refused(self):
        text = '#include "server/resp/reply.h"\n#include "server/net/server.h"\n'
        problems = self.check('server/commands/keys.cc', text)
        self.assertEqual(len(problems), 1)
        self.assertIn('server/commands/keys.cc:2', problems[0])
        self.assertEqual(self.check('server/net/server.cc', text), [])
        self.assertEqual(self.check('server/main.cc', text), [])
        self.assertEqual(self.check('server/commands/keys_test.cc', text), [])
        self.assertEqual(len(self.check('server/extra/file.cc', 'int x;\n')), 1)

    def test_benchmarks_know_the_servers_protocol_only(self):
        self.assertEqual(self.check('bench/kv/main.cc', '#include "server/resp/reply.h"\n'), [])
        self.assertEqual(len(self.check('bench/kv/main.cc', '#include "server/net/server.h"\n')), 1)

    def test_undeclared_layer_is_refused(self):
        self.assertEqual(len(self.check('src/extra/file.cc', 'int x;\n')), 1)

    def test_path_through_the_parent_folder_is_refused(self):
        self.assertEqual(len(self.check('src/fs/file.cc', '#include "../table/block.h"\n')), 1)


class DocsTest(unittest.TestCase):
    def problems(self, readme='', page='# A page\n\n## What it has\n'):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in (('README.md', '```cpp\n#include <x>\n```\n' + readme), ('doc/page.md', page),
                               ('examples/embed.cc', '// It.\n#include <x>\n')):
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(text)
            return check_docs.check(root, ['README.md', 'doc/page.md'])

    def test_links_that_lead_somewhere_pass(self):
        self.assertEqual(self.problems('[a](doc/page.md) [b](doc/page.md#what-it-has) [c](https://x/y) [d](doc)'), [])
        self.assertEqual(self.problems(page='# A\n[a](../README.md) [b](#a)\n```\n[c](nowhere)\n```\n'), [])

    def test_dead_links_are_found(self):
        self.assertEqual(len(self.problems('[a](doc/pages.md)')), 1)
        self.assertEqual(len(self.problems('[a](doc/page.md#what-it-had)')), 1)
        self.assertEqual(len(self.problems(page='[a](README.md)')), 1)

    def test_a_picture_of_an_older_drawing_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            drawing = pathlib.Path(folder) / 'doc/drawings/a.dot'
            drawing.parent.mkdir(parents=True)
            drawing.write_text('digraph { a }')
            self.assertEqual(len(check_docs.old_pictures(pathlib.Path(folder))), 1)
            drawing.with_suffix('.svg').write_text('<svg/>' + check_docs.mark_of(drawing))
            self.assertEqual(check_docs.old_pictures(pathlib.Path(folder)), [])
            drawing.write_text('digraph { b }')
            self.assertEqual(len(check_docs.old_pictures(pathlib.Path(folder))), 1)

    def test_a_long_front_page_is_found(self):
        self.assertEqual(len(self.problems('word ' * 900)), 1)

    def test_another_example_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / 'examples').mkdir()
            (root / 'README.md').write_text('```cpp\n#include <y>\n```\n')
            (root / 'examples/embed.cc').write_text('#include <x>\n')
            self.assertEqual(len(check_docs.check(root, ['README.md'])), 1)


class StyleTest(unittest.TestCase):
    def errors(self, text, path='src/base/file.cc'):
        return [m for _, kind, m in check_style.check_text(path, text) if kind == 'error']

    def test_each_banned_name_is_caught(self):
        for line in ['std::mutex m;', 'std::shared_mutex m;', 'std::condition_variable cv;', 'std::thread t;',
                     'thread_local int x;', 'usleep(1);', '::sleep(1);', 'auto t = std::chrono::steady_clock::now();',
                     'auto t = time(nullptr);', 'std::random_device d;', 'int r = rand();', 'int fd = ::open(p, 0);',
                     'if (fsync(fd) != 0) {', 'return ::read(fd, p, n);', 'ssize_t n = pread(fd, p, n, 0);',
                     'pthread_create(&t, 0, f, 0);', 'std::ofstream out;', 'std::this_thread::yield();',
                     'clock_gettime(CLOCK_MONOTONIC, &ts);', 'pid_t p = fork();', 'std::once_flag f;']:
            self.assertEqual(len(self.errors(line + '\n')), 1, line)

    def test_a_test_that_sleeps_to_wait_is_caught(self):
        waits = 'while (!done) fiber::sleep_for(1000);\n'
        for path in ('src/db/db_test.cc', 'server/net/x_test.cc', 'src/db/testing/fixture.h', 'test/model/model_test.cc'):
            self.assertEqual(len(self.errors(waits, path)), 1, path)
        self.assertEqual(self.errors(waits, 'src/db/db_write.cc'), [])
        self.assertEqual(self.errors('// sleeps: so that it is late\n' + waits, 'src/db/db_test.cc'), [])
        self.assertEqual(self.errors('// sleeps:\n' + waits + '// fiber::Simulation\n', 'src/db/db_test.cc')[0][:6], 'a test')
        self.assertEqual(self.errors('Simulate([&] {\n' + waits + '});\n', 'src/db/db_test.cc'), [])

    def test_our_own_names_pass(self):
        for line in ['fiber::io::open(path, 0);', 'file->read(1);', 'fiber::Mutex mutex_;', 'io::fsync(fd);',
                     'int64_t micros = clock->time();', 'void close();', 'int open(const char* path);',
                     'reader.close();', 'const uint64_t time = 0;', 'std::atomic<int> x;', 'Random64 rnd(seed);',
                     'file_->write(x);']:
            self.assertEqual(self.errors(line + '\n'), [], line)

    def test_a_function_that_the_file_declares_may_have_the_name_of_a_call(self):
        text = 'std::atomic<Node*>* link(int level) { return x; }\nNode* Next() { return link(0)->load(); }\n'
        self.assertEqual(self.errors(text), [])
        self.assertEqual(len(self.errors(text + 'int r = ::link(a, b);\n')), 1)

    def test_comments_and_strings_do_not_count(self):
        self.assertEqual(self.errors('// std::mutex would block\nconst char* s = "sleep(1)";\n/* rand() */\n'), [])

    def test_an_excuse_with_a_reason_passes(self):
        self.assertEqual(self.errors('getrusage(0, &u);  // style: no other source of the peak memory\n'), [])
        self.assertEqual(self.errors('// style: peak memory\ngetrusage(0, &u);\n'), [])
        self.assertEqual(len(self.errors('getrusage(0, &u);  // style:\n')), 1)
        self.assertEqual(len(self.errors('x();  // style: x\ngetrusage(0, &u);\n')), 1)

    def test_fiber_and_examples_may(self):
        self.assertEqual(self.errors('std::mutex m;\n', 'fiber/src/wait.cc'), [])
        self.assertEqual(self.errors('std::thread t;\n', 'examples/program.cc'), [])

    def test_of_the_benchmarks_only_the_rival_made_of_threads_may(self):
        self.assertEqual(self.errors('std::mutex m;\n', 'bench/pool_server/server.cc'), [])
        self.assertEqual(len(self.errors('std::mutex m;\n', 'bench/kv_load/load.cc')), 1)

    def test_programs_control_processes_but_the_engine_does_not(self):
        self.assertEqual(self.errors('kill(pid, SIGKILL);\n', 'tools/demo.cc'), [])
        self.assertEqual(len(self.errors('kill(pid, SIGKILL);\n')), 1)

    def test_directories_of_the_engine_are_made_durably(self):
        for line in ['io = fs_->CreateDirIfMissing(dir, IOOptions(), nullptr);', 'return fs->CreateDir(dir, o, nullptr);',
                     'const int made = fiber::io::mkdir(path, 0755);']:
            self.assertEqual(len(self.errors(line + '\n', 'src/db/file.cc')), 1, line)
            self.assertEqual(self.errors(line + '\n', 'src/db/file_test.cc'), [], line)
            self.assertEqual(self.errors(line + '\n', 'tools/demo.cc'), [], line)

    def test_what_has_a_destructor_is_not_static_in_the_library(self):
        for line in ['const std::string kName = "default";', 'std::map<int, std::string> names;',
                     'const std::vector<std::pair<int, std::string>> kNames = {', 'inline const std::string kName = "x";',
                     '  static const std::string kName = "x";', '  static std::vector<int> all{1, 2};', '  static std::string kept;',
                     'const std::string DB::Properties::kStats = "x";', 'std::unique_ptr<Cache> g_cache;', 'fiber::local<int> mine;',
                     'static const Status kBad = Status::Corruption("x");', '#include <iostream>']:
            self.assertEqual(len(self.errors(line + '\n')), 1, line)
            self.assertEqual(len(self.errors(line + '\n', 'fiber/src/a.cc')), 1, line)
            self.assertEqual(self.errors(line + '\n', 'src/base/file_test.cc'), [], line)
            self.assertEqual(self.errors(line + '\n', 'tools/a.cc'), [], line)

    def test_statics_without_a_destructor_and_functions_pass(self):
        for line in ['CAIRN_NEVER_DESTROYED const std::string kName = "default";', 'extern const std::string kName;',
                     'static const std::string* const name = new std::string("x");', '  static auto& names = *new Names;',
                     'std::string Name(int number) {', 'static std::string Name();', 'Status Open(const Options& options);',
                     '  std::string name = "x";', '  std::vector<int> numbers;', 'constexpr char kName[] = "x";',
                     'constinit std::atomic<int> g_count{0};', 'std::string Names::ToString() const {', 'Status Names::Read() {',
                     'static const std::string& Name() {', 'std::vector<std::string> Split(const Slice& text) {']:
            self.assertEqual(self.errors(line + '\n'), [], line)
        self.assertEqual(self.errors('  static const std::string kName;\n', 'include/rocksdb/a.h'), [])
        self.assertEqual(self.errors('// style: nobody uses it then\nstd::string g_name;\n'), [])

    def test_what_only_some_compilers_have_is_named_in_one_header(self):
        for line in ['unsigned __int128 product;', 'x = __builtin_bswap64(y);', 'asm volatile("" ::: "memory");',
                     'int f() __attribute__((cold));', 'class __declspec(dllexport) A;']:
            for path in ('src/base/a.h', 'server/a.cc', 'tools/a.cc', 'include/rocksdb/a.h'):
                self.assertEqual(len(self.errors(line + '\n', path)), 1, line)
            for path in ('include/cairn/compiler.h', 'fiber/src/a.cc', 'test/a.cc'):
                self.assertEqual(self.errors(line + '\n', path), [], line)
        self.assertEqual(self.errors('// style: a name of the assembler\nasm(".set a, b");\nconst char* s = "asm";\n'), [])

    def test_lines_that_ask_for_windows_are_counted(self):
        text = '#ifdef _WIN32\n#elif defined(_MSC_VER)\n#  if !defined(__MINGW32__)\n#ifdef __linux__\n// _WIN32\n#endif\n'
        self.assertEqual(check_style.asks_for_windows('src/fs/a.cc', text), [1, 2, 3])
        self.assertEqual(check_style.asks_for_windows('fiber/src/windows/a.cc', text), [])
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / 'src/fs').mkdir(parents=True)
            for lines, status in ((30, 0), (31, 1)):
                (root / 'src/fs/a.cc').write_text('#ifdef _WIN32\n#endif\n' * lines)
                ran = subprocess.run([sys.executable, check_style.__file__, '--root', folder], capture_output=True, text=True)
                self.assertEqual((ran.returncode, ran.stderr.count('31 lines')), (status, status))

    def test_long_file(self):
        self.assertEqual(self.errors('int x;\n' * 1000), [])
        self.assertEqual(len(self.errors('int x;\n' * 1001)), 1)
        self.assertEqual([k for _, k, _ in check_style.check_text('src/a.cc', 'int x;\n' * 801)], ['warning'])

    def test_unfinished_work_tabs_and_trailing_spaces(self):
        self.assertEqual(len(self.errors('// TO' 'DO: later\n')), 1)
        self.assertEqual(len(self.errors('\tint x;\n')), 1)
        self.assertEqual(len(self.errors('int x; \n')), 1)


class ScriptStyleTest(unittest.TestCase):
    def test_what_is_left_behind_is_found_in_scripts_and_documents(self):
        for name, line in (('a.py', 'x = 1 '), ('a.sh', '\tx'), ('a.md', 'TO' 'DO: more'), ('CMakeLists.txt', 'x() '), ('Makefile', 'x: '),
                           ('tool', '#!/bin/sh ')):
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder).resolve()
                (root / name).write_text(line + '\n')
                for command in (['init', '-q'], ['add', name]):
                    subprocess.run(['git', '-C', folder, *command], check=True)
                ran = subprocess.run([sys.executable, check_style.__file__, '--root', folder], capture_output=True, text=True)
                self.assertEqual((ran.returncode, ran.stderr.count('error')), (1, 1), name)

    def test_good_ones_and_a_makefiles_tabs_pass(self):
        self.assertEqual(list(check_style.check_left_behind('x:\n\ty\n', tabs=True)), [])
        self.assertFalse(check_style.is_script(pathlib.Path('seed-1'), b'x \n'))


class ConflictTest(unittest.TestCase):
    # Put together here, so that this file has none itself.
    OURS, BASE, BETWEEN, THEIRS = '<' * 7 + ' HEAD', '|' * 7 + ' base', '=' * 7, '>' * 7 + ' main'

    def lines(self, *lines):
        return check_style.marks_of_conflict('\n'.join(lines).encode())

    def test_each_mark_is_caught(self):
        self.assertEqual(self.lines('| a |', self.OURS, '| b |', self.BASE, self.BETWEEN, '| c |', self.THEIRS, ''), [2, 4, 5, 7])
        self.assertEqual(self.lines('one was left', self.BETWEEN + '\r', ''), [2])

    def test_what_looks_like_one_passes(self):
        for line in ['a ' + self.OURS, '=' * 8, '=' * 6, 'x << y', '> > quoted', '<' * 8 + ' x', '|' * 7 + '|']:
            self.assertEqual(self.lines('text', line, ''), [], line)

    def test_binary_files_pass(self):
        self.assertEqual(check_style.marks_of_conflict(b'\0\n' + self.OURS.encode() + b'\n'), [])

    def test_every_file_that_git_knows_is_looked_at(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / 'doc').mkdir()
            (root / 'doc/page.md').write_text(f'a\n{self.OURS}\n')
            (root / 'unknown.md').write_text(f'{self.OURS}\n')
            for command in (['init', '-q'], ['add', 'doc']):
                subprocess.run(['git', '-C', folder, *command], check=True)
            self.assertEqual(check_style.tracked(root), [root / 'doc/page.md'])
            ran = subprocess.run([sys.executable, check_style.__file__, '--root', str(root)], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 1)
            self.assertIn('doc/page.md:2: error', ran.stderr)


class ReleaseNotesTest(unittest.TestCase):
    HEADER = '#define CAIRN_MAJOR 0\n#define CAIRN_MINOR 2\n#define CAIRN_PATCH 1\n'

    def notes(self, changelog, version='0.2.1'):
        return release_notes.notes(changelog, self.HEADER, version)

    def test_a_released_section_is_told(self):
        text, problem = self.notes('# Changes\n\n## 0.2.1 (2026-11-30)\n\n- a\n- b\n\n## 0.2.0 (2026-10-01)\n\n- c\n')
        self.assertEqual((text, problem), ('Cairn 0.2.1 (2026-11-30)\n\n- a\n- b\n', None))

    def test_what_is_not_ready_is_refused(self):
        for changelog in ('## Unreleased (0.2.1)\n\n- a\n', '## 0.2.0 (2026-10-01)\n\n- c\n', '## 0.2.1 (2026-11-30)\n\n'):
            self.assertIsNone(self.notes(changelog)[0], changelog)
        self.assertIsNone(self.notes('## 0.3.0 (2026-11-30)\n\n- a\n', '0.3.0')[0], 'the header has another one')


class CompatibilityTest(unittest.TestCase):
    def classify(self, header, source):
        body = compatibility.struct_body(f'struct Some {{\n{header}\n}};\n', 'Some')
        return compatibility.classify('Some', compatibility.fields(body), compatibility.Uses({'src/db/x.cc': source}))

    def test_what_is_read_is_honoured(self):
        rows, errors = self.classify('  static int None() { return 0; }\n  // Bytes.\n  size_t size = 1 << 20;', 'f(options.size);')
        self.assertEqual((rows['honoured'], errors), (['size'], []))

    def test_what_nothing_reads_must_say_so(self):
        _, errors = self.classify('  // Bytes.\n  size_t size = 0;', 'f(options.resize);')
        self.assertEqual(len(errors), 1)
        rows, errors = self.classify('  // A hint without effect.\n  size_t size = 0;\n  bool on = true;  // no effect', '')
        self.assertEqual((rows['accepted, without effect'], errors), (['size', 'on'], []))

    def test_what_is_refused_by_name(self):
        check = 'check->Unsupported(o.sizes.size() > 1,\n  "sizes", "give one");'
        rows, errors = self.classify('  std::map<int, std::string> sizes;', check)
        self.assertEqual((rows['refused'], errors), (['sizes'], []))

    def test_what_is_read_only_to_refuse_it(self):
        for source in ('if (o.seqno) {\n  return Status::NotSupported("seqno");\n}', 'if (o.other != nullptr || o.seqno != nullptr) return "time";',
                       'check->Unsupported(o.seqno, "seqno");\nuse(o.seqno);', 'if (o.seqno) return nullptr;'):
            rows, errors = self.classify('  bool seqno = false;', source)
            self.assertEqual((rows['refused'], errors), (['seqno'], []), source)
        for source in ('if (o.seqno) return Status::InvalidArgument("it exists (seqno)");', 'if (!o.seqno) return nullptr;',
                       'if (o.seqno) return Status::NotSupported("seqno"); f(o.seqno);'):
            self.assertEqual(self.classify('  bool seqno = false;', source)[0]['honoured'], ['seqno'], source)

    def test_an_unsupported_option_that_nothing_refuses(self):
        _, errors = self.classify('  // Unsupported.\n  size_t size = 0;', 'f(o.size);')
        self.assertEqual(len(errors), 1)


class CommitsTest(unittest.TestCase):
    def faults(self, message):
        return list(check_commits.faults_of(message))

    def test_good_ones_pass(self):
        for message in ('db: a flush waits', 'db, repair: what both need\n\nWhy.\n', 'server/net: reads\n'):
            self.assertEqual(self.faults(message), [], message)

    def test_bad_ones_are_refused(self):
        for message in ('db: ' + 'x' * 68, 'A flush waits', 'db: a flush waits.', 'db: a flush\nwaits', 'db:waits'):
            self.assertEqual(len(self.faults(message)), 1, message)


class ClangTest(unittest.TestCase):
    def look(self, text):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            (build / 'guarded.cc').write_text(text)
            (build / 'guarded.h').write_text('')
            words = ['clang++-19', f'-I{check_clang.ROOT}/fiber/include', '-std=c++20', '-Wall', '-Wthread-safety', 'guarded.cc']
            first = check_clang.look(build, 'guarded.cc', words, folder)
            self.assertEqual(check_clang.look(build, 'guarded.cc', words, folder) == '', first == '')
            if not first:  # what it includes has changed
                (build / 'guarded.h').write_text('int broken')
                self.assertNotEqual(check_clang.look(build, 'guarded.cc', words, folder), '')
            return first

    @unittest.skipUnless(shutil.which('clang++-19'), 'no clang')
    def test_a_broken_annotation_is_found(self):
        text = """#include "fiber/mutex.h"
#include "guarded.h"
struct Guarded {
  fiber::Mutex mutex;
  int value FIBER_GUARDED_BY(mutex) = 0;
  void Set() { fiber::MutexLock lock(&mutex); value = 1; }
};
"""
        self.assertEqual(self.look(text), '')
        self.assertIn('requires holding mutex', self.look(text.replace('fiber::MutexLock lock(&mutex); ', '')))

    def test_unit_tests_are_left_to_clang_tidy(self):
        for file, is_test in (('src/db/db_open_test.cc', True), ('fiber/test/mutex_test.cc', True), ('test/conformance/get_test.cc', False),
                              ('server/net/connection.cc', False), ('sim/world.cc', False)):
            self.assertEqual(check_clang.is_unit_test(file), is_test, file)


class FiberizeRunsTest(unittest.TestCase):
    """Test programs of others, case by case, in as many runs as it takes (fiberize_runs.py)."""
    # A program that speaks GoogleTest's language.
    PROGRAM = """#!/usr/bin/env python3
import os, sys, time
CASES = {'A.Passes': 'ok', 'A.Fails': 'bad', 'A.Dies': 'die', 'A.Hangs': 'hang', 'B/A.Skips/0': 'skip', 'A.DISABLED_Not': 'bad'}
if '--gtest_list_tests' in sys.argv:
    print('A.\\n  Passes\\n  Fails\\n  Dies\\n  Hangs\\n  DISABLED_Not\\nB/A.\\n  Skips/0  # GetParam() = 4')
    sys.exit(0)
flags = [a.split('=', 1)[1] for a in sys.argv if a.startswith('--gtest_flagfile=')][0]
for case in open(flags).read().split('=', 1)[1].strip().split(':'):
    print(f'[ RUN      ] {case}', flush=True)
    what = CASES[case]
    if what == 'die':
        os.kill(os.getpid(), 11)
    if what == 'hang':
        time.sleep(1000)
    said = {'ok': '      OK', 'bad': ' FAILED ', 'skip': ' SKIPPED'}[what]
    print(f'[{said} ] {case}{", where GetParam() = 4" if what == "bad" else ""} (0 ms)', flush=True)
sys.exit(1)
"""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name, value in (('WORK', self.folder), ('time', self)):
            self.addCleanup(setattr, fiberize_runs, name, getattr(fiberize_runs, name))
            setattr(fiberize_runs, name, value)
        self.now = 0
        self.put('x_test', self.PROGRAM)

    # The time that fiberize_runs sees: it passes while the case that hangs does.
    def monotonic(self):
        log = self.folder / 'logs' / 'threads' / 'x_test.log'
        if log.exists() and log.read_text().rstrip().endswith('] A.Hangs'):
            self.now += 50
        return self.now

    @staticmethod
    def sleep(_):
        time.sleep(0.01)

    def put(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def go_on(self, limit=1e6, **known):
        side = fiberize_runs.Side('threads', self.folder)
        results = fiberize_runs.Results(self.folder / 'results', 'x_test')
        if not results.listed:
            results.all['listed'] = fiberize_runs.list_cases(side, 'x_test')
        results.cases('threads').update(known)
        fiberize_runs.go_on(side, 'x_test', results, 100, limit)
        return results

    def test_what_dies_or_hangs_costs_only_itself(self):
        results = self.go_on()
        self.assertEqual({'A.Passes': 'ok', 'A.Fails': 'failed', 'A.Dies': 'died (SIGSEGV)', 'A.Hangs': 'longer than 100 s',
                          'B/A.Skips/0': 'skipped'}, results.cases('threads'))
        self.assertEqual(2, results.passed('threads'))
        self.assertEqual(['A.Dies', 'A.Fails', 'A.Hangs'], results.differing(['threads']))

    def test_a_later_run_goes_on(self):
        first = self.go_on(limit=0, **{'A.Dies': 'ok'})
        self.assertEqual(['A.Passes', 'A.Fails', 'A.Hangs', 'B/A.Skips/0'], first.left('threads'))
        second = self.go_on(**{'A.Dies': 'ok'})
        self.assertEqual((5, 'ok'), (len(second.cases('threads')), second.cases('threads')['A.Dies']))

    def test_what_did_not_pass_is_forgotten_when_asked(self):
        results = self.go_on()
        results.cases('fibers-1').update({'A.Passes': 'failed', 'A.Dies': 'ok'})
        results.all['alone'] = {'A.Passes': {'threads': [10, 10], 'fibers-1': [9, 10]},
                                'A.Fails': {'threads': [0, 10], 'fibers-1': [0, 10]}}
        results.forget_failed(['fibers-1'])
        again = fiberize_runs.Results(self.folder / 'results', 'x_test')
        self.assertEqual({'A.Dies': 'ok'}, again.cases('fibers-1'))
        self.assertEqual(['A.Dies', 'A.Fails', 'A.Hangs'], again.differing(['threads']))
        self.assertEqual({'A.Fails': {'threads': [0, 10], 'fibers-1': [0, 10]}}, again.alone)

    def test_a_program_without_googletest_is_one_case(self):
        self.put('x_test', '#!/bin/sh\nexit 3\n')
        self.assertEqual({'x_test': 'exit status 3'}, self.go_on().cases('threads'))

    def test_a_failure_counts_against_fibers_if_threads_never_fail(self):
        results = fiberize_runs.Results(self.folder / 'results', 'y_test')
        for alone, broken in [({'threads': [10, 10], 'f': [9, 10]}, True), ({'threads': [9, 10], 'f': [9, 10]}, False),
                              ({'threads': [1, 10], 'f': [0, 10]}, True), ({'threads': [10, 10], 'f': [10, 10]}, False)]:
            results.cases('threads')['c'], results.cases('f')['c'] = 'ok', 'failed'
            results.alone['c'] = alone
            self.assertEqual(broken, fiberize_runs.broken_on('f', 'c', results), alone)
        self.assertFalse(fiberize_runs.broken_on('g', 'c', results))

    def test_the_table_counts_what_ran_on_all_sides(self):
        results = fiberize_runs.Results(self.folder / 'results', 'y_test')
        results.all['listed'] = ['c', 'd', 'e']
        results.cases('threads').update(c='ok', d='ok', e='ok')
        results.add_seconds('threads', 90)
        results.cases('fibers-1').update(c='ok', d='failed')
        text = fiberize_report.table('1', 'fiberize: much', [results, fiberize_runs.Results(self.folder, 'z_test')], ['fibers-1'])
        self.assertIn('| y_test | 2 | 2 | 1 |', text)
        self.assertIn('**y_test: d**: on fibers (1 worker) failed', text)
        self.assertIn('y_test: 1 of 3 cases not run on every side, for their time: so far 3 in 90 s on threads, 2 in 0 s on fibers '
                      '(1 worker)', text)
        self.assertIn('z_test', text)

    def test_what_failed_on_threads_in_the_whole_run_is_shaky_there(self):
        builds = {where: self.folder / where for where in ('threads', 'fibers')}
        for folder in builds.values():
            folder.mkdir()
            (folder / 'y_test').write_text('')
            (folder / 'y_test').chmod(0o755)

        def compare(whole):
            def run_test(_, where, name, workers, only=None):
                passes = (where == 'threads' or len(alone) % 5 != 0) if only else whole[where]
                if only:
                    alone.append(where)
                return {'A.B': passes, 'A.C': True}, 1.0
            alone = []
            with unittest.mock.patch.object(fiberize_steps, 'run_test', run_test), contextlib.redirect_stdout(io.StringIO()):
                return fiberize_steps.compare_tests(builds, set(), 2)

        _, shaky, broken = compare({'threads': False, 'fibers': True})
        self.assertEqual((['y_test: A.B: with the whole run passes 10 of 11 times on threads, 9 of 11 on fibers'], []), (shaky, broken))
        _, _, broken = compare({'threads': True, 'fibers': False})
        self.assertEqual(['y_test: A.B'], broken)
        _, shaky, broken = compare({'threads': True, 'fibers': True})
        self.assertEqual(([], []), (shaky, broken))

    def test_a_copy_keeps_the_files_that_are_the_same(self):
        fresh, kept = self.folder / 'fresh', self.folder / 'kept'
        for root, texts in ((kept, {'a': '1', 'b': '2', 'c': '3'}), (fresh, {'a': '1', 'b': '4', 'd/e': '5'})):
            for name, text in texts.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
        before = (kept / 'a').stat().st_mtime_ns
        fiberize_steps.take_changes(fresh, kept)
        self.assertEqual({'a': '1', 'b': '4', 'd/e': '5'},
                         {str(p.relative_to(kept)): p.read_text() for p in kept.rglob('*') if p.is_file()})
        self.assertEqual(before, (kept / 'a').stat().st_mtime_ns)
        self.assertFalse(fresh.exists())


if __name__ == '__main__':
    unittest.main(verbosity=1)
