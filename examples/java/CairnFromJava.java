// RocksJava, unmodified, on Cairn: opens a database, puts, gets, iterates, merges, and uses column families,
// transactions, a backup and a checkpoint. The jar is Maven's org.rocksdb:rocksdbjni, the library behind it Cairn's:
//
//   javac -cp rocksdbjni-7.8.3.jar examples/java/CairnFromJava.java -d classes
//   java -Djava.library.path=build/jni/7.8.3/lib -cp classes:rocksdbjni-7.8.3.jar CairnFromJava data
//
// `scripts/jni.py --example` does both. Exit status: 0, or 1 after a wrong answer.
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.BackupEngine;
import org.rocksdb.BackupEngineOptions;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.Options;
import org.rocksdb.RestoreOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.StringAppendOperator;
import org.rocksdb.Transaction;
import org.rocksdb.TransactionDB;
import org.rocksdb.TransactionDBOptions;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

public final class CairnFromJava {
  private static final int KEYS = 1000;

  private static byte[] bytes(final String text) {
    return text.getBytes(UTF_8);
  }

  private static void expect(final Object expected, final Object found, final String what) {
    if (!expected.equals(found)) {
      System.out.println(what + ": expected " + expected + ", found " + found);
      System.exit(1);
    }
  }

  private static String get(final RocksDB db, final String key) throws RocksDBException {
    final byte[] value = db.get(bytes(key));
    return value == null ? "none" : new String(value, UTF_8);
  }

  private static int count(final RocksDB db) {
    int entries = 0;
    try (RocksIterator iterator = db.newIterator()) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        ++entries;
      }
    }
    return entries;
  }

  private static void plain(final Path folder) throws RocksDBException {
    try (StringAppendOperator append = new StringAppendOperator(';');
        Options options = new Options().setCreateIfMissing(true).setMergeOperator(append)) {
      try (RocksDB db = RocksDB.open(options, folder.resolve("db").toString());
          WriteOptions write = new WriteOptions().setSync(true);
          WriteBatch batch = new WriteBatch()) {
        for (int i = 0; i < KEYS; ++i) {
          batch.put(bytes(String.format("key%04d", i)), bytes("value" + i));
        }
        db.write(write, batch);
        db.merge(bytes("key0007"), bytes("more"));
        db.delete(bytes("key0008"));
      }
      try (RocksDB db = RocksDB.open(options, folder.resolve("db").toString())) {
        expect("value7;more", get(db, "key0007"), "a merged value after a reopen");
        expect("none", get(db, "key0008"), "a deleted key");
        expect(KEYS - 1, count(db), "the entries that an iterator shows");
        try (Checkpoint checkpoint = Checkpoint.create(db);
            BackupEngineOptions where = new BackupEngineOptions(folder.resolve("backup").toString());
            BackupEngine backups = BackupEngine.open(Env.getDefault(), where);
            RestoreOptions restore = new RestoreOptions(false)) {
          checkpoint.createCheckpoint(folder.resolve("checkpoint").toString());
          backups.createNewBackup(db, true);
          final String restored = folder.resolve("restored").toString();
          backups.restoreDbFromLatestBackup(restored, restored, restore);
        }
      }
      for (final String copy : new String[] {"checkpoint", "restored"}) {
        try (RocksDB db = RocksDB.openReadOnly(options, folder.resolve(copy).toString())) {
          expect(KEYS - 1, count(db), "the entries of the " + copy);
        }
      }
    }
    System.out.println("put, get, merge, iterate, checkpoint, backup: right");
  }

  private static void families(final Path folder) throws RocksDBException {
    final List<ColumnFamilyHandle> handles = new ArrayList<>();
    final List<ColumnFamilyDescriptor> names = List.of(
        new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY), new ColumnFamilyDescriptor(bytes("other")));
    try (DBOptions options = new DBOptions().setCreateIfMissing(true).setCreateMissingColumnFamilies(true);
        RocksDB db = RocksDB.open(options, folder.resolve("families").toString(), names, handles)) {
      db.put(handles.get(1), bytes("key"), bytes("of the other"));
      expect("none", get(db, "key"), "a key of the other family");
      expect("of the other", new String(db.get(handles.get(1), bytes("key")), UTF_8), "a key of its family");
      for (final ColumnFamilyHandle handle : handles) {
        handle.close();
      }
    }
    System.out.println("column families: right");
  }

  private static void transactions(final Path folder) throws RocksDBException {
    try (Options options = new Options().setCreateIfMissing(true);
        TransactionDBOptions settings = new TransactionDBOptions();
        TransactionDB db = TransactionDB.open(options, settings, folder.resolve("transactions").toString());
        WriteOptions write = new WriteOptions()) {
      try (Transaction first = db.beginTransaction(write); Transaction second = db.beginTransaction(write)) {
        first.put(bytes("key"), bytes("first"));
        try {
          second.put(bytes("key"), bytes("second"));
          expect("an exception", "none", "a key that another transaction has locked");
        } catch (final RocksDBException e) {
          expect("TimedOut", e.getStatus().getCode().name(), "the exception's code");
        }
        first.commit();
        second.rollback();
      }
      expect("first", get(db, "key"), "a committed value");
    }
    System.out.println("transactions: right");
  }

  public static void main(final String[] args) throws RocksDBException, IOException {
    RocksDB.loadLibrary();
    final Path folder = Path.of(args[0]);
    Files.createDirectories(folder.resolve("backup")); // RocksJava wants it to be there
    plain(folder);
    families(folder);
    transactions(folder);
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      maps.filter(line -> line.contains("librocksdbjni")).map(line -> line.substring(line.indexOf('/')))
          .distinct().forEach(path -> System.out.println("the library: " + path));
    }
  }
}
