#!/usr/bin/env python3
"""Redis's own tests against cairn-server: the Tcl suite of Debian's source package of Redis, in its mode for a server
that runs already, and the test modules of redis-py. Both are fetched and never kept in this project; the table is
bench/results/redis-suite.md. `make redis-suite`.

  redis_suite.py [--server build/release/server/cairn-server] [--work build/redis-suite] [--out FILE]
                 [--only FILE-PATTERN,...] [--reasons scripts/redis_suite_reasons.txt]

What does not pass has a reason in the file of reasons, or is marked as unexplained; exit status 1 if something is.
"""
import argparse
import collections
import fnmatch
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree

import debian_source

ROOT = pathlib.Path(__file__).resolve().parent.parent
REDIS, SUITE = '7.0.15', 'bookworm'
REDIS_PY = '5.0.8'
PYTEST = ['pytest==8.3.4', 'pytest-asyncio==0.24.0', 'pytest-timeout==2.3.1', 'packaging']

# The files that ask for what the server has.
UNITS = [f'unit/{name}' for name in (
    'auth protocol keyspace scan info-command type/string type/incr type/list type/list-2 type/list-3 type/set type/zset '
    'type/hash sort expire other multi quit acl acl-v2 pubsub pubsubshard slowlog introspection introspection-2 bitops bitfield '
    'violations').split()]
# Files that start a server of their own only for settings that this one has as it is.
RUN_ALL_THE_SAME = {'unit/acl', 'unit/acl-v2', 'unit/auth', 'unit/pubsubshard'}
DENIED_TAGS = ['needs:debug', 'needs:repl', 'needs:save', 'needs:config-maxmemory', 'needs:reset', 'needs:pfdebug', 'repl', 'scripting',
               'cluster', 'large-memory']
MODULES = ['test_commands', 'test_connection', 'test_connection_pool', 'test_pubsub', 'test_pipeline', 'test_lock', 'test_encoding',
           'test_monitor', 'test_multiprocessing', 'test_credentials', 'test_asyncio/test_commands', 'test_asyncio/test_pubsub',
           'test_asyncio/test_pipeline', 'test_asyncio/test_lock', 'test_asyncio/test_connection_pool']
TEST_SECONDS, FILE_SECONDS = 120, 900

# What the tests switch on and off of Redis's own memory layout and files: the copy that is run keeps such settings to
# itself, so that the tests go on to what the commands do.
KEPT_SETTINGS = ('(list|hash|zset|set)-(max-(ziplist|listpack|intset)-(entries|value|size)|compress-depth)|save|sanitize-dump-payload|'
                 'appendonly|dbfilename')
KEEP_SETTINGS = '''set ::kept_settings {}
proc r {args} {
    set level 0
    if {[string is integer [lindex $args 0]]} {
        set level [lindex $args 0]
        set args [lrange $args 1 end]
    }
    if {[string equal -nocase [lindex $args 0] config] && [regexp {^(%s)$} [lindex $args 2]]} {
        set name [lindex $args 2]
        if {[string equal -nocase [lindex $args 1] set]} {
            dict set ::kept_settings $name [lindex $args 3]
            return OK
        }
        if {![dict exists $::kept_settings $name]} {dict set ::kept_settings $name 128}
        return [list $name [dict get $::kept_settings $name]]
    }
    [srv $level "client"] {*}$args
}
''' % KEPT_SETTINGS

Result = collections.namedtuple('Result', 'file name outcome detail')  # outcome: passed, failed, left out


class Failure(Exception):
    pass


def say(text):
    print(f'redis_suite.py: {text}', flush=True)


# --- the Tcl suite

COLOUR = re.compile(r'\x1b\[[0-9;]*m')
DONE = re.compile(r'\[\d+/\d+ done\]: ')
EVENT = re.compile(r'\[(ok|err|ignore|skip|exception|timeout)\]: (.*)')


def parse_tcl(unit, output):
    """The results in what test_helper.tcl prints."""
    results = []
    lines = COLOUR.sub('', output).splitlines()
    for i, line in enumerate(lines):
        if line.strip() == 'The End' or line.startswith('!!! WARNING'):
            break  # the errors once more
        match = EVENT.match(line)
        if not match:
            continue
        kind, text = match.groups()
        if kind == 'ok':
            results.append(Result(unit, re.sub(r' \(\d+ ms\)$', '', text), 'passed', ''))
        elif kind == 'ignore':
            name, _, why = text.rpartition(': ') if ': Tag' not in text else text.rpartition(': Tag')
            results.append(Result(unit, name or '(a group of tests)', 'left out', (('Tag' if ': Tag' in text else '') + why).strip()))
        elif kind == 'skip':
            results.append(Result(unit, text, 'left out', 'skip'))
        else:
            detail = []
            for more in lines[i + 1:i + 40]:
                if EVENT.match(more) or DONE.match(more):
                    break
                detail.append(more)
            name, found, _ = text.rpartition(f' in tests/{unit}.tcl')
            if not found:
                name = '(between the tests)'
                detail.insert(0, text)
            results.append(Result(unit, name, 'failed', '\n'.join(detail).strip()))
    return results


def ends_well(output):
    return any(DONE.match(line) for line in COLOUR.sub('', output).splitlines())


def fetch_tcl(work):
    source = debian_source.fetch('redis', REDIS, SUITE, work)
    copy = work / 'tcl'
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(source / 'tests', copy / 'tests')
    # One line clears functions, of which the server has none; another asks for a figure that is then not used.
    edit(copy / 'tests/support/server.tcl', 'r function flush', 'catch {r function flush}')
    edit(copy / 'tests/support/util.tcl', 'set usage [r memory usage $key]', 'set usage 1')
    helper = copy / 'tests/test_helper.tcl'
    text = helper.read_text()
    changed = re.sub(r'^proc r \{args\} \{\n.*?^\}\n', lambda _: KEEP_SETTINGS, text, count=1, flags=re.MULTILINE | re.DOTALL)
    if changed == text:
        raise Failure('test_helper.tcl has no `proc r`')
    helper.write_text(changed)
    for unit in RUN_ALL_THE_SAME:
        # But for the servers that are given files.
        path = copy / f'tests/{unit}.tcl'
        lines = path.read_text().splitlines(keepends=True)
        path.write_text(''.join(line.replace(' external:skip', '') if line.startswith('start_server {tags') else line for line in lines))
    return copy


def edit(path, old, new):
    text = path.read_text()
    if old not in text:
        raise Failure(f'{path.name} has no `{old}`')
    path.write_text(text.replace(old, new, 1))


def run_unit(unit, copy, server, skipped):
    command = ['tclsh', 'tests/test_helper.tcl', '--host', '127.0.0.1', '--port', str(server.port), '--single', unit, '--durable',
               '--ignore-encoding', '--ignore-digest', '--no-latency', '--timeout', str(TEST_SECONDS), '--tags', ' '.join(f'-{tag}' for tag in DENIED_TAGS)]
    for name in skipped:
        command += ['--skiptest', '/^' + re.escape(name).replace(r'\*', '.*') + '$']
    try:
        done = subprocess.run(command, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=FILE_SECONDS, errors='replace', text=True)
        output = done.stdout
    except subprocess.TimeoutExpired as expired:
        output = (expired.stdout or b'').decode(errors='replace')
    results = parse_tcl(unit, output)
    if not ends_well(output):
        results.append(Result(unit, '(the file does not end)', 'failed', output[-2000:]))
    return results, output


# --- redis-py

def fetch_py(work):
    folder = work / f'redis-{REDIS_PY}'
    if not folder.exists():
        subprocess.run([sys.executable, '-m', 'pip', 'download', '-q', '--no-deps', '--no-binary', ':all:', f'redis=={REDIS_PY}', '-d', str(work)],
                       check=True)
        shutil.unpack_archive(work / f'redis-{REDIS_PY}.tar.gz', work)
    python = work / 'venv/bin/python'
    if not python.exists():
        subprocess.run([sys.executable, '-m', 'venv', str(work / 'venv')], check=True)
    subprocess.run([str(python), '-m', 'pip', 'install', '-q', *PYTEST, 'async-timeout'], check=True)
    return folder, python


def parse_junit(file, text):
    results = []
    for case in xml.etree.ElementTree.fromstring(text).iter('testcase'):
        classes = case.get('classname', '').split('.')
        holder = classes[-1] + '.' if classes[-1].startswith('Test') else ''
        outcome, detail = 'passed', ''
        for part in case:
            if part.tag == 'skipped':
                outcome, detail = 'left out', part.get('message', '')
            elif part.tag in ('failure', 'error'):
                outcome, detail = 'failed', (part.get('message') or '') + '\n' + (part.text or '')
        results.append(Result(file, holder + case.get('name'), outcome, detail))
    return results


def run_module(module, protocol, folder, python, server, work, skipped):
    report = work / 'report.xml'
    report.unlink(missing_ok=True)
    file = f'{module}.py, RESP{protocol}'
    command = [str(python.absolute()), '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-o', 'asyncio_mode=auto', f'--timeout={TEST_SECONDS}', f'--protocol={protocol}',
               f'--redis-url=redis://127.0.0.1:{server.port}/9', f'--junitxml={report.absolute()}', f'tests/{module}.py']
    for name in skipped:
        command += ['--deselect', f'tests/{module}.py::{name}']
    try:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=FILE_SECONDS, text=True, errors='replace')
        output = done.stdout
    except subprocess.TimeoutExpired as expired:
        output = (expired.stdout or b'').decode(errors='replace')
    if not report.exists():
        return [Result(file, '(the file does not end)', 'failed', output[-2000:])], output
    return parse_junit(file, report.read_text()), output


# --- reasons and the table

class Reasons:
    """Lines `FILE-PATTERN | NAME-PATTERN | REASON`; the first that fits holds. `text:PATTERN` looks at what the test said
    instead of at its name; a test named by `skip:PATTERN` is not run."""

    def __init__(self, text):
        self.rules = []
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.startswith('#'):
                continue
            parts = [part.strip() for part in line.split(' | ', 2)]
            if len(parts) != 3:
                raise Failure(f'line {number} of the reasons is not `file | name | reason`: {line}')
            file, name, reason = parts
            kind = next((kind for kind in ('skip:', 'text:') if name.startswith(kind)), '')
            name = name.removeprefix(kind)
            self.rules.append((self.pattern(file), self.pattern(name), name, reason, kind))

    @staticmethod
    def pattern(text):
        return re.compile(re.escape(text).replace(r'\*', '.*') + r'\Z', re.DOTALL)

    def skipped(self, file):
        return [name for files, _, name, _, kind in self.rules if kind == 'skip:' and files.match(file)]

    def of(self, result):
        for files, names, _, reason, kind in self.rules:
            if files.match(result.file) and names.match(result.detail if kind == 'text:' else result.name):
                return reason
        return None


def table(results, reasons):
    """The report, and how many failures nobody has explained."""
    by_file = collections.OrderedDict()
    explained = collections.OrderedDict()
    left_out = collections.OrderedDict()
    unexplained = []
    for result in results:
        counts = by_file.setdefault(result.file, collections.Counter())
        if result.outcome == 'passed':
            counts['passed'] += 1
        elif result.outcome == 'failed':
            reason = reasons.of(result)
            counts['failed' if reason else 'unexplained'] += 1
            if reason:
                explained.setdefault(reason, []).append(result)
            else:
                unexplained.append(result)
        else:
            counts['left out'] += 1
            why = (reasons.of(result) or result.detail) if result.detail == 'skip' else result.detail
            left_out.setdefault(why.splitlines()[0] if why else '(no word)', []).append(result)
    columns = ('passed', 'failed', 'unexplained', 'left out')
    text = [
        '# Redis\'s own tests against cairn-server\n',
        f'Written by `make redis-suite`: the Tcl suite of Redis {REDIS} (Debian\'s source package) in its mode for external servers, and the tests',
        f'of redis-py {REDIS_PY}, which are fetched for it. In the copy that is run, settings of Redis\'s own memory layout and files are kept by',
        'the suite to itself, `acl`, `acl-v2`, `auth` and `pubsubshard` run although they ask for a server of their own, encodings and digests are not looked',
        'at. What fails has its reason below; "left out" is what the suites themselves leave out, by their tags, for an external server or for',
        'this version of Redis.\n',
        '| file | passed | fails, with a reason | fails, unexplained | left out |', '| --- | --- | --- | --- | --- |']
    total = collections.Counter()
    for file, counts in by_file.items():
        total.update(counts)
        text.append(f'| {file} | ' + ' | '.join(str(counts[column]) for column in columns) + ' |')
    text.append('| **all** | ' + ' | '.join(f'**{total[column]}**' for column in columns) + ' |\n')

    def names(entries):
        lines = []
        for file in dict.fromkeys(entry.file for entry in entries):
            shown = collections.Counter(entry.name for entry in entries if entry.file == file)
            lines.append(f'  - {file}: ' + '; '.join(name + (f' (x{n})' if n > 1 else '') for name, n in shown.items()))
        return lines

    text.append('## What fails, and why\n')
    for reason, entries in sorted(explained.items(), key=lambda item: -len(item[1])):
        text += [f'- {reason} ({len(entries)})', *names(entries)]
    if unexplained:
        text += ['', '## Unexplained\n', *names(unexplained)]
    text.append('\n## What was left out\n')
    for why, entries in sorted(left_out.items(), key=lambda item: -len(item[1])):
        files = collections.Counter(entry.file for entry in entries)
        text.append(f'- {why} ({len(entries)}): ' + ', '.join(f'{file} {n}' for file, n in files.items()))
    return '\n'.join(text) + '\n', len(unexplained)


# --- the server

class Server:
    def __init__(self, program, work):
        shutil.rmtree(work / 'data', ignore_errors=True)
        with socket.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            self.port = probe.getsockname()[1]
        self.log = open(work / 'server.log', 'wb')
        self.process = subprocess.Popen([str(program), f'--port={self.port}', f'--dir={work / "data"}'], stdout=self.log, stderr=self.log)
        for _ in range(200):
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(('127.0.0.1', self.port)).close()
                return
            except OSError:
                time.sleep(0.05)
        raise Failure(f'the server does not start: {(work / "server.log").read_text(errors="replace")[-2000:]}')

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        alive = self.process.poll() is None
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        if not alive:
            raise Failure(f'the server has ended: {self.process.returncode}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--server', type=pathlib.Path, default=ROOT / 'build/release/server/cairn-server')
    parser.add_argument('--work', type=pathlib.Path, default=ROOT / 'build/redis-suite')
    parser.add_argument('--out', type=pathlib.Path, default=ROOT / 'bench/results/redis-suite.md')
    parser.add_argument('--reasons', type=pathlib.Path, default=ROOT / 'scripts/redis_suite_reasons.txt')
    parser.add_argument('--only', default='*', help='patterns of files, with commas between; of the others the table has the last run')
    args = parser.parse_args()
    work = args.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    reasons = Reasons(args.reasons.read_text())
    wanted = args.only.split(',')
    logs, kept = work / 'output', work / 'results'
    logs.mkdir(exist_ok=True)
    kept.mkdir(exist_ok=True)

    def kept_file(file):
        return kept / (re.sub(r'\W+', '-', file) + '.json')

    def take(file, found, output):
        (logs / re.sub(r'\W+', '-', file)).write_text(output)
        counts = collections.Counter(result.outcome for result in found)
        say(f'{file}: {counts["passed"]} passed, {counts["failed"]} failed, {counts["left out"]} left out')
        for result in found:
            if result.outcome == 'failed' and not reasons.of(result):
                lines = [line for line in result.detail.splitlines() if line.strip()]
                say(f'  unexplained: {result.name}: {" / ".join(line[:160] for line in lines[:3])}')
        kept_file(file).write_text(json.dumps(found))

    units = [unit for unit in UNITS if any(fnmatch.fnmatch(unit, pattern) for pattern in wanted)]
    if units:
        copy = fetch_tcl(work)
        for unit in units:
            with Server(args.server, work) as server:
                take(unit, *run_unit(unit, copy, server, reasons.skipped(unit)))
    modules = {f'{module}.py, RESP{protocol}': (module, protocol) for module in MODULES for protocol in (2, 3)}
    files = [file for file in modules if any(fnmatch.fnmatch(file, pattern) for pattern in wanted)]
    if files:
        folder, python = fetch_py(work)
        for file in files:
            module, protocol = modules[file]
            with Server(args.server, work) as server:
                take(file, *run_module(module, protocol, folder, python, server, work, reasons.skipped(file)))
    results = [Result(*one) for file in [*UNITS, *modules] if kept_file(file).exists() for one in json.loads(kept_file(file).read_text())]
    text, unexplained = table(results, reasons)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(text)
    say(f'{args.out}: {unexplained} unexplained')
    return 1 if unexplained else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (Failure, debian_source.SourceError, subprocess.CalledProcessError) as error:
        sys.exit(f'redis_suite.py: {error}')
