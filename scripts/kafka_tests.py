#!/usr/bin/env python3
"""Kafka Streams' own tests of its RocksDB stores, unmodified, on Cairn's library and on the one in RocksDB's jar: what passes on each.

  scripts/kafka_tests.py [--kafka 3.7.2] [--release 7.8.3] [--rocksdbjni 7.8.3] [--jobs N] [--out bench/results/kafka.md] [--only cairn]
                         [--list] [CLASS...]

`scripts/jni.py` has to have linked the library, of --release. Maven fetches Kafka Streams, its test jar, and what these need into
build/kafka/KAFKA, with the jar rocksdbjni of --rocksdbjni in place of the one that Kafka Streams asks for. Of the test jar run the classes
that name RocksDB or ask for a persistent store, themselves, in a class within or in an abstract class that they extend; not those that start
Kafka's brokers. --list prints them. Each runs in a JVM of its own, as those of `scripts/jni_tests.py` do; that a class passes on a library
that it did not load says nothing, so the table tells which ones loaded it. Exit status: as that one's.
"""
import argparse
import os
import pathlib
import re
import shutil
import sys
import zipfile

import jni
import jni_tests

PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies'
PACKAGE = 'org.apache.kafka.streams.'

# What Kafka's own build gives its tests, and a runner of both JUnits: group, name, release, classifier.
JUNIT = '5.10.2'
DEPENDENCIES = [
    ('org.junit.platform', 'junit-platform-launcher', '1.10.2', ''),
    ('org.junit.jupiter', 'junit-jupiter', JUNIT, ''),
    ('org.junit.vintage', 'junit-vintage-engine', JUNIT, ''),
    ('org.mockito', 'mockito-junit-jupiter', '5.8.0', ''),
    ('org.hamcrest', 'hamcrest', '2.2', ''),
    ('org.slf4j', 'slf4j-reload4j', '1.7.36', ''),
    ('org.bouncycastle', 'bcpkix-jdk18on', '1.75', ''),
]
OPENED = ['java.base/java.io', 'java.base/java.lang', 'java.base/java.nio', 'java.base/java.nio.file', 'java.base/java.text',
          'java.base/java.time', 'java.base/java.util', 'java.base/java.util.concurrent', 'java.base/java.util.regex',
          'java.base/java.util.stream', 'java.security.jgss/sun.security.krb5']

STORES = rb'(?i)rocksdb|persistent\w*Store'
BROKERS = rb'EmbeddedKafkaCluster'

# Tests that may fail on Cairn alone, and why.
REASONS = {
    'StreamThreadTest.shouldLogAndRecordSkippedRecordsForInvalidTimestamps[2]':
        'fails now and then on either (alone, 16 of 40 times on RocksDB, 20 of 40 on Cairn): it looks for log lines of another thread, '
        'which may not be written yet; it has no store',
}


def pom(name, wanted):
    lines = ['<project xmlns="http://maven.apache.org/POM/4.0.0">', '<modelVersion>4.0.0</modelVersion>',
             f'<groupId>cairn</groupId><artifactId>{name}</artifactId><version>1</version>', '<dependencies>']
    for group, artifact, release, classifier in wanted:
        lines.append(f'<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{release}</version>'
                     + (f'<classifier>{classifier}</classifier>' if classifier else '') + '</dependency>')
    return '\n'.join([*lines, '</dependencies>', '</project>']) + '\n'


def fetch_jars(jars, name, wanted):
    """The folder `jars`, with the artifacts (group, name, release, classifier) in it and what they need."""
    text = pom(name, wanted)
    asked = jars / 'pom.xml'
    if asked.exists() and asked.read_text() == text:
        return jars
    shutil.rmtree(jars, ignore_errors=True)
    jars.parent.mkdir(parents=True, exist_ok=True)
    scrap = jars.parent / 'pom.xml'
    scrap.write_text(text)
    print(f'fetching {name} by Maven', file=sys.stderr)
    done = jni.run(['mvn', '-q', '-B', '-f', scrap, PLUGIN, f'-DoutputDirectory={jars}'])
    if done.returncode != 0:
        sys.exit(f'mvn failed (is there a network, a mirror in ~/.m2/settings.xml?)\n{done.stdout[-3000:]}')
    scrap.rename(asked)
    return jars


def fetch(kafka, rocksdbjni, folder):
    """The folder of the jars."""
    return fetch_jars(folder / f'jars-{rocksdbjni}', 'kafka-tests',
                      [('org.apache.kafka', 'kafka-streams', kafka, ''), ('org.apache.kafka', 'kafka-streams', kafka, 'test'),
                       ('org.apache.kafka', 'kafka-clients', kafka, 'test'), ('org.apache.kafka', 'kafka-streams-test-utils', kafka, ''),
                       ('org.rocksdb', 'rocksdbjni', rocksdbjni, ''), *DEPENDENCIES])


def whole_text(classes, name):
    """The bytes of a class, of those within it, and of the abstract classes that it names."""
    text = b''.join(data for path, data in classes.items() if path == name or path.startswith(f'{name}$'))
    abstract = {path.decode() for path in re.findall(rb'org/apache/kafka/[\w/]*/Abstract\w+Test\b', text)}
    return text + b''.join(whole_text(classes, path) for path in abstract if path != name and path in classes)


def test_classes(jars, kafka):
    with zipfile.ZipFile(jars / f'kafka-streams-{kafka}-test.jar') as archive:
        classes = {path.removesuffix('.class'): archive.read(path) for path in archive.namelist() if path.endswith('.class')}
    names = []
    for path in sorted(classes):
        simple = path.rpartition('/')[2]
        if '$' in simple or not simple.endswith('Test') or simple.startswith('Abstract'):
            continue
        text = whole_text(classes, path)
        if b'org/junit' in text and re.search(STORES, text) and not re.search(BROKERS, text):
            names.append(path.replace('/', '.'))
    return names


def compile_runner(folder, jars):
    source = jni.ROOT / 'tools/jni/RunPlatformTests.java'
    made = folder / 'runner'
    jni.run_or_exit(['javac', '-d', made, '-cp', f'{jars}/*', source])
    return made


def report(args, ours, theirs):
    loading = [name for name, result in ours.items() if result.get('library')]
    passed, total = jni_tests.totals({name: ours[name] for name in loading})
    their_passed, their_total = jni_tests.totals({name: theirs[name] for name in loading if name in theirs})
    lines = ['# Kafka Streams\' tests of its RocksDB stores on Cairn', '',
             f'`make kafka-test`: of Kafka Streams {args.kafka}, its own test jar, the classes that name RocksDB or ask for a persistent '
             f'store and start no brokers, with the unmodified jar rocksdbjni {args.rocksdbjni}, on `librocksdbjni.so` of Cairn and on the '
             'library in the jar (RocksDB\'s). Which library a JVM had its memory map says.', '',
             f'{len(loading)} of the {len(ours)} classes loaded the library: of their tests {passed} of {total} pass on Cairn, '
             f'{their_passed} of {their_total} on RocksDB. The others open no store: '
             + ', '.join(f'`{name.rpartition(".")[2]}`' for name in sorted(ours) if name not in loading) + '.']
    if os.geteuid() == 0:
        lines += ['', 'The tests that fail on RocksDB ask that a read-only directory cannot be written to. Root, who ran them, can; they pass on '
                  'both for another user.']
    return jni_tests.report(lines, ours, theirs, REASONS, PACKAGE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    jni_tests.add_options(parser)
    parser.add_argument('--kafka', default='3.7.2')
    parser.add_argument('--rocksdbjni', default='7.8.3', help='the jar beside Kafka Streams; its classes have to be those of --release')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('classes', nargs='*', metavar='CLASS', help='RocksDBStoreTest, say; default: all')
    args = parser.parse_args()
    folder = jni.ROOT / 'build/kafka' / args.kafka
    jars = fetch(args.kafka, args.rocksdbjni, folder)
    names = [name for name in test_classes(jars, args.kafka) if not args.classes or name.rpartition('.')[2] in args.classes]
    if args.list:
        print('\n'.join(names))
        return
    library = jni.Workplace(args.release).library
    if not library.exists() and args.only != 'rocksdb':
        sys.exit(f'kafka_tests.py: no {library}: scripts/jni.py links it')
    opens = [word for package in OPENED for word in ('--add-opens', f'{package}=ALL-UNNAMED')]
    words = [*opens, '-cp', f'{compile_runner(folder, jars)}:{jars}/*', 'RunPlatformTests']
    results = folder / f'results-{args.rocksdbjni}'
    results.mkdir(exist_ok=True)
    ours, theirs = jni_tests.run_on_both(words, names, library.parent, results, args)
    status = jni_tests.print_differences(ours, theirs, REASONS)
    if args.out:
        args.out.write_text(report(args, ours, theirs))
    sys.exit(status)


if __name__ == '__main__':
    main()
