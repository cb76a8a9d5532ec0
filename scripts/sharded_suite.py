"""The part `suite` of sharded_check.py: RheaKV's and JRaft's own tests that open a database, from a checkout, on Cairn's library and on RocksDB's.

Maven has the jars of neither tests nor their sources. The classes run against the released jars that the example uses, each in a JVM of its own,
as `scripts/jni_tests.py` runs RocksJava's."""
import argparse
import shutil

import jni
import jni_tests
import kafka_tests
import sharded_cluster

# The part of the sources that they are in, and what they are called there.
RHEAKV, JRAFT = 'jraft-rheakv/rheakv-core', 'jraft-core'
PACKAGE = 'com.alipay.sofa.jraft.'
CLASSES = {
    RHEAKV: ['rhea.storage.rocksdb.RocksKVStoreTest', 'rhea.storage.rhea.RheaKVStoreWithRocksDBTest', 'rhea.storage.rhea.DistributedLockRocksDBTest',
             'rhea.storage.KVStateMachineTest', 'rhea.chaos.ChaosRocksDBTest', 'rhea.chaos.ChaosRocksDBBatchingTest',
             'rhea.chaos.ChaosRocksDBLeaderReadTest', 'rhea.chaos.ChaosRocksDBLeaderReadBatchingTest'],
    JRAFT: ['storage.impl.RocksDBLogStorageTest', 'storage.impl.RocksDBSegmentLogStorageTest', 'storage.impl.LogManagerTest',
            'storage.impl.LogManagerWithSegmentLogStorageTest'],
}
DEPENDENCIES = [('junit', 'junit', '4.13.1', ''), ('org.mockito', 'mockito-all', '1.9.5', ''), ('org.openjdk.jmh', 'jmh-core', '1.20', ''),
                ('com.fasterxml.jackson.dataformat', 'jackson-dataformat-yaml', '2.12.6', ''), ('org.slf4j', 'slf4j-api', '1.7.21', '')]


def compile_tests(sources, jars, folder):
    """The folders of their classes and resources."""
    for part, names in CLASSES.items():
        made = folder / part.replace('/', '-')
        shutil.rmtree(made, ignore_errors=True)
        tests = sources / part / 'src/test'
        files = [tests / 'java' / f'{(PACKAGE + name).replace(".", "/")}.java' for name in names]
        jni.run_or_exit(['javac', '-nowarn', '-proc:none', '-d', made, '-cp', jars, '-sourcepath', tests / 'java', *files])
        if (tests / 'resources').exists():
            shutil.copytree(tests / 'resources', made, dirs_exist_ok=True)
    runner = folder / 'runner'
    jni.run_or_exit(['javac', '-d', runner, '-cp', jars, jni.ROOT / 'tools/jni/RunTests.java'])
    return [runner, *(folder / part.replace('/', '-') for part in CLASSES)]


def suite(args, _variables):
    folder = sharded_cluster.FOLDER / 'suite'
    folder.mkdir(parents=True, exist_ok=True)
    fetched = kafka_tests.fetch_jars(folder / 'jars', 'rheakv-tests', DEPENDENCIES)
    jars = f'{sharded_cluster.TARGET}/jars/*:{fetched}/*'
    path = ':'.join(str(place) for place in compile_tests(args.sources, jars, folder)) + f':{jars}'
    names = [PACKAGE + name for part in CLASSES.values() for name in part]
    # (In the runner's 512 MB clusters of RheaKV run out of memory, whatever the library.)
    opened = ['-Xmx2g'] + [word for package in ('java.base/java.lang', 'java.base/java.util', 'java.base/java.nio') for word in
              ('--add-opens', f'{package}=ALL-UNNAMED')]
    ours, theirs = jni_tests.run_on_both([*opened, '-cp', path, 'RunTests'], names, sharded_cluster.cairn_library(), folder,
                                         argparse.Namespace(jobs=1, only=None, seconds=1800))
    totals = {who: '{} of {}'.format(*jni_tests.totals(found)) for who, found in (('Cairn', ours), ('RocksDB', theirs))}
    classes = [(name.rpartition('.')[2], *('{} of {}'.format(*jni_tests.count(found[name])) for found in (ours, theirs))) for name in names]
    fails = [f'`{name.rpartition(".")[2]}.{test}` on {who} ({text[:100]})' for who, found in (('Cairn', ours), ('RocksDB', theirs))
             for name, result in found.items() for test, (verdict, text) in result['tests'].items() if verdict == 'failed']
    alone = [f'{name}.{test}: {text[:300]}' for name, test, text in jni_tests.differences(ours, theirs)]
    return {'totals': totals, 'classes': classes, 'fails': fails, 'failed': alone}
