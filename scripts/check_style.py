#!/usr/bin/env python3
"""The style rules that a machine can check.

1. Every wait, thread, clock and random number goes through fiber/: outside it nobody names std::mutex, std::thread,
   thread_local, a sleep, a blocking system call, a std::chrono clock, time(), std::random_device or rand().
2. A file has at most 800 lines (a warning) and never more than 1000 (an error).
3. In the library (include/, fiber/, src/) nothing with a destructor stands at namespace scope or in a function's static: a database in
   a global object, a background thread or a thread's end would find it destroyed. A static pointer or reference to what `new` made, or
   CAIRN_NEVER_DESTROYED (src/base/never_destroyed.h). scripts/check_statics.py looks at the objects; this says it earlier.
4. No note of unfinished work is left behind; no tabs, no spaces at a line's end: in scripts and documents, too.
5. No file that git knows, of whatever kind, has the marks of a merge that was not finished.
6. A test of the engine or the server does not sleep to wait for something: it waits for an event, or runs in a simulated world, where a
   sleep lets all others go on (a file that names fiber::Simulation, or calls Simulate()). `// sleeps: <why>`, at the line's end or
   above, where the sleep is itself what the test is about.
7. What only some compilers have (__int128, __builtin_..., __attribute__, asm) is named in include/cairn/compiler.h alone, in fiber/, and in
   rocksdb/env.h, which users include in C++17.
8. Windows is asked for in the folders of ports (src/fs/windows, ...): outside them, fiber/ included, at most 30 lines in all
   may ask (#ifdef _WIN32).

  check_style.py [--root DIR] [FILE...]     default: all of them; exit status 1 if a rule is broken

A line may be excused where the rule cannot be kept: `// style: <why>` at its end or on the line above. Programs and tests outside src/ may
control processes (fork, waitpid, kill) without an excuse. examples/ shows how users write programs, with the standard
library's threads and clocks: rule 1 does not hold there. Nor does it in bench/pool_server, which is made of OS threads, epoll and blocking locks
because it is the design that the server is compared with.
"""
import argparse
import pathlib
import re
import subprocess
import sys

FOLDERS = ('include', 'fiber', 'src', 'server', 'bench', 'tools', 'examples', 'test', 'fuzz', 'sim')
SOURCES = ('.h', '.cc', '.S')
SCRIPTS = ('.py', '.sh', '.cmake', '.yml', '.yaml', '.md')
LINES_WARNED, LINES_REFUSED = 800, 1000
NOTE_OF_UNFINISHED_WORK = re.compile(r'\b(?:TO' r'DO|FIX' r'ME|X' r'XX)\b')
# As git leaves them around what two sides have made of the same lines.
MARK_OF_CONFLICT = re.compile(rb'^(?:<{7} |>{7} |[|]{7} |={7}\r?$)', re.M)
EXCUSE = re.compile(r'//\s*style:\s*\S')

SLEEP_OF_A_TEST = re.compile(r'\bfiber::sleep_(?:for|until)\s*\(')
SIMULATED = re.compile(r'\bfiber::Simulation\b|\bSimulate\(')
WHY_IT_SLEEPS = re.compile(r'//\s*sleeps:\s*\S')

# (what, pattern, instead); matched on code only: comments and strings are blanked first.
CALL = r'(?<![\w.>:])(?:::\s*)?'
BANNED = [
    ('a lock of the standard library',
     re.compile(r'\bstd::(?:recursive_|timed_|shared_|recursive_timed_|shared_timed_)?mutex\b|\bstd::condition_variable'),
     'fiber/mutex.h'),
    ('a thread of the standard library', re.compile(r'\bstd::(?:j?thread|this_thread|async|future|promise)\b'),
     'fiber/thread.h, fiber/runtime.h'),
    ('a semaphore or latch of the standard library',
     re.compile(r'\bstd::(?:counting_semaphore|binary_semaphore|latch|barrier|call_once|once_flag)\b'), 'fiber/sync.h'),
    ('a blocking wait on an atomic', re.compile(r'\bstd::atomic_wait\b'), 'fiber/wait.h'),
    ('thread_local', re.compile(r'\bthread_local\b|\b__thread\b'), 'fiber/local.h'),
    ('a pthread call', re.compile(r'\bpthread_\w+\s*\('), 'fiber/'),
    ('a sleep', re.compile(CALL + r'(?:sleep|usleep|nanosleep|clock_nanosleep)\s*\('), 'fiber::sleep_for'),
    ('a clock of the standard library', re.compile(r'\bstd::chrono::\w*_clock\b|\b(?:steady|system|high_resolution)_clock\b'),
     'fiber/clock.h'),
    ('a clock', re.compile(CALL + r'(?:time|gettimeofday|clock_gettime|clock|getrusage|times)\s*\('), 'fiber/clock.h'),
    ('a random source', re.compile(r'\bstd::(?:random_device|mt19937(?:_64)?|default_random_engine)\b|' + CALL +
                                   r'(?:rand|srand|random|drand48|getrandom|getentropy)\s*\('),
     'fiber/random.h or a seeded generator'),
    ('a blocking system call',
     re.compile(CALL + r'(?:open|openat|creat|close|read|pread|preadv|write|pwrite|pwritev|fsync|fdatasync|fallocate|'
                r'posix_fallocate|ftruncate|truncate|sync_file_range|posix_fadvise|rename|unlink|mkdir|rmdir|link|stat|'
                r'fstat|lstat|access|opendir|readdir|closedir|fcntl|flock|poll|select|epoll_wait|futex|statvfs|statfs|'
                r'mmap|munmap|sched_yield|syscall)\s*\('),
     'fiber/io.h'),
    ('a blocking stream', re.compile(r'\bstd::[io]?fstream\b|' + CALL + r'(?:fopen|fread|fwrite|fclose|fgets)\s*\('),
     'fiber/io.h or FileSystem'),
    ('std::filesystem', re.compile(r'\bstd::filesystem\b'), 'FileSystem'),
    ('a directory whose name a power cut may take', re.compile(r'->CreateDir(?:IfMissing)?\s*\(|\bio::mkdir\s*\('),
     'CreateDirDurably (fs/file_util.h)'),
    ('a process call', re.compile(CALL + r'(?:fork|vfork|execv\w*|execl\w*|waitpid|wait4|kill|popen|system)\s*\('),
     'nothing: the engine starts no process'),
]
PROCESS_CALLS = 'a process call'
DIRECTORIES = 'a directory whose name a power cut may take'
# `static const std::string kName = ...`, `const std::vector<int> kNumbers{...}`: at namespace scope (column 0) or static.
# Not a pointer, not a reference, not a declaration (extern; a function), and not the same word within a class.
WITH_A_DESTRUCTOR = (r'(?:::)?(?:std::(?:string|w?stringstream|[io]stringstream|vector|deque|list|forward_list|map|multimap|set|multiset|'
                     r'unordered_\w+|function|unique_ptr|shared_ptr|weak_ptr|any|regex|locale)|fiber::local|'
                     r'fiber::(?:Function|Thread|Runtime|BackgroundCall|std::\w+)|rocksdb::(?:Status|Options|DBOptions|WriteBatch|PinnableSlice)|'
                     r'Status|IOStatus|Options|DBOptions|WriteBatch|PinnableSlice|WideColumns)\b')
STATIC = re.compile(r'(?P<scope>(?:static |thread_local |inline |const |constinit )*)' + WITH_A_DESTRUCTOR +
                    r'(?:<.*>)?(?: const)? (?P<name>[\w:]+)(?:\[\w*\])*(?: =(?!=)|\{|;| =$)')
OF_A_COMPILER = re.compile(r'\b__int128\b|\b__builtin_\w+|\b__attribute__\b|\b(?:asm|__asm__)\b|\b__declspec\b')
MAY_NAME_COMPILERS = ('fiber/', 'include/cairn/compiler.h', 'include/rocksdb/env.h', 'bench/', 'test/', 'fuzz/', 'examples/')
ASKS_FOR_WINDOWS = re.compile(r'\s*#\s*(?:if|ifdef|ifndef|elif|elifdef|elifndef)\b.*\b(?:_WIN32|_WIN64|_MSC_VER|__MINGW\w+)\b')
WINDOWS_LINES = 30
NEVER_DESTROYED = 'CAIRN_NEVER_DESTROYED'
IOSTREAM = re.compile(r'\s*#\s*include\s*<iostream>')
RIVAL = 'bench/pool_server/'


def blank_comments_and_strings(text):
    """The text with comments, strings and character literals blanked, line structure kept."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)

    def blank(match):
        if match.group(0).startswith("'") and match.start() and text[match.start() - 1].isalnum():
            return match.group(0)  # a digit separator: 1'000'000
        return ''.join(c if c == '\n' else ' ' for c in match.group(0))
    return pattern.sub(blank, text)


def declares_member(code_line, match):
    """`Status Read(...)`-like declarations of our own: `void close();`, `int open(const char* ...)` in a class."""
    before = code_line[:match.start()].rstrip()
    return bool(re.search(r'(?:\b(?!return\b|else\b|throw\b|case\b|co_await\b)\w+|[*&>])\s*$', before)) and \
        '::' not in match.group(0) and '->' not in match.group(0)


def declared_names(code):
    """Lower-case functions that this file declares itself: `std::atomic<Node*>* link(int level) {`."""
    declaration = re.compile(r'\s*(?!(?:return|else|throw|delete|new|case)\b)[\w:<>,*& ]+[\s*&](\w+)\([^()]*\)'
                             r'(?: const)?(?: noexcept)?(?: override)? ?[{;]')
    return {match.group(1) for match in map(declaration.match, code) if match}


def is_script(path, content):
    return path.suffix in SCRIPTS or path.name in ('CMakeLists.txt', 'Makefile') or content.startswith(b'#!')


def check_left_behind(text, tabs):
    for number, line in enumerate(text.splitlines(), 1):
        if NOTE_OF_UNFINISHED_WORK.search(line):
            yield number, 'error', 'a note of unfinished work: do it or open an issue'
        if '\t' in line and not tabs:
            yield number, 'error', 'a tab'
        if line != line.rstrip():
            yield number, 'error', 'spaces at the end of the line'


def check_text(path, text):
    """Yields (line number, 'error' or 'warning', message)."""
    top = pathlib.PurePath(path).parts[0]
    lines = text.splitlines()
    code = blank_comments_and_strings(text).splitlines()
    ours = declared_names(code)
    if len(lines) > LINES_REFUSED:
        yield len(lines), 'error', f'{len(lines)} lines: split the file (at most {LINES_REFUSED})'
    elif len(lines) > LINES_WARNED:
        yield len(lines), 'warning', f'{len(lines)} lines: split past {LINES_WARNED}'
    yield from check_left_behind(text, tabs=path.endswith('.S'))
    may_sleep = not is_test(path) or SIMULATED.search('\n'.join(code))
    for number, line in enumerate(lines, 1):
        above = lines[number - 2].strip() if number > 1 else ''
        excused = EXCUSE.search(line) or (above.startswith('//') and EXCUSE.search(above))
        if not may_sleep and SLEEP_OF_A_TEST.search(code[number - 1]) and not (
                WHY_IT_SLEEPS.search(line) or (above.startswith('//') and WHY_IT_SLEEPS.search(above))):
            yield number, 'error', 'a test that sleeps to wait: wait for an event or in a simulation (or "// sleeps: why")'
        if in_the_library(path) and not excused:
            name = destroyed_at_exit(path, code[number - 1])
            if name and NEVER_DESTROYED not in above:
                yield number, 'error', f'{name} is destroyed at exit, before its last user: a static pointer to what new made'
            if IOSTREAM.match(code[number - 1]):
                yield number, 'error', '<iostream> makes and destroys objects of its own: use <ostream> or <istream>'
        of_a_compiler = not path.startswith(MAY_NAME_COMPILERS) and not excused and OF_A_COMPILER.search(code[number - 1])
        if of_a_compiler:
            yield number, 'error', f'{of_a_compiler.group(0)} is not every compiler\'s: use cairn/compiler.h'
        if top in ('fiber', 'examples') or path.startswith(RIVAL) or excused or code[number - 1].lstrip().startswith('#'):
            continue
        for what, pattern, instead in BANNED:
            if what == PROCESS_CALLS and top in ('tools', 'test', 'bench'):
                continue
            if what == DIRECTORIES and (top not in ('src', 'server') or '/testing/' in path or path.endswith('_test.cc')):
                continue
            match = pattern.search(code[number - 1])
            call = match.group(0).rstrip(' (') if match and match.group(0).endswith('(') else None
            if match and not (call and (call in ours or declares_member(code[number - 1], match))):
                yield number, 'error', f'{what} ({match.group(0).strip(" (")}) outside fiber/: use {instead}'


def asks_for_windows(path, text):
    """The numbers of the lines of common code that ask whether this is Windows, or a compiler of it."""
    if {'windows', 'posix'} & set(pathlib.PurePath(path).parts[:-1]):
        return []
    return [number for number, line in enumerate(text.splitlines(), 1) if ASKS_FOR_WINDOWS.match(line)]


def marks_of_conflict(content):
    """The numbers of the lines that a merge has marked; of a binary file none."""
    if b'\0' in content[:8000]:
        return []
    return [content.count(b'\n', 0, match.start()) + 1 for match in MARK_OF_CONFLICT.finditer(content)]


def tracked(root):
    """All files that git knows; of a copy without git's folder, the sources."""
    listed = subprocess.run(['git', '-C', str(root), 'ls-files', '-z'], capture_output=True)
    if listed.returncode != 0:
        return list(sources(root))
    names = [root / name for name in listed.stdout.decode(errors='surrogateescape').split('\0') if name]
    return [path for path in names if path.is_file() and not path.is_symlink()]


def is_test(path):
    return path.split('/')[0] in ('src', 'server', 'test') and ('/testing/' in path or path.endswith('_test.cc'))


def in_the_library(path):
    parts = pathlib.PurePath(path).parts
    if parts[0] == 'fiber':
        return len(parts) > 1 and parts[1] in ('include', 'src', 'main')
    return parts[0] in ('include', 'src') and 'testing' not in parts and not path.endswith('_test.cc')


def destroyed_at_exit(path, code_line):
    """What a line of code defines that has a destructor and static storage; None."""
    line = code_line.strip()
    match = STATIC.match(line)
    if not match:
        return None
    words = match.group('scope').split()
    indented = code_line[:1].isspace()
    if indented and 'static' not in words and 'thread_local' not in words:
        return None  # a local, or a member
    if indented and path.endswith('.h') and match.group(0).endswith(';') and 'inline' not in words:
        return None  # `static std::string name;` within a class only declares it
    return match.group('name')


def sources(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*')):
            if path.suffix in SOURCES and path.is_file():
                yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--root', type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument('files', nargs='*', type=pathlib.Path)
    args = parser.parse_args()
    files = [f.resolve() for f in args.files] or list(sources(args.root))
    errors = 0
    asking = []
    for path in files:
        relative, text = path.relative_to(args.root).as_posix(), path.read_text(errors='replace')
        for number, kind, message in check_text(relative, text):
            print(f'{relative}:{number}: {kind}: {message}', file=sys.stderr)
            errors += kind == 'error'
        asking += [f'{relative}:{number}' for number in asks_for_windows(relative, text)]
    if len(asking) > WINDOWS_LINES:
        print(f'{asking[WINDOWS_LINES]}: error: {len(asking)} lines of common code ask for Windows, {WINDOWS_LINES} may: '
              f'a port belongs into a folder windows/\n  ' + '\n  '.join(asking), file=sys.stderr)
        errors += 1
    for path in [f.resolve() for f in args.files] or tracked(args.root):
        content, name = path.read_bytes(), path.relative_to(args.root).as_posix()
        found = [(number, 'error', 'a merge was not finished here') for number in marks_of_conflict(content)]
        if path.suffix not in SOURCES and is_script(path, content):
            found += check_left_behind(content.decode(errors='replace'), tabs=path.name == 'Makefile')
        for number, kind, message in found:
            print(f'{name}:{number}: {kind}: {message}', file=sys.stderr)
            errors += kind == 'error'
    print(f'check_style: {len(files)} files, {errors} errors')
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
