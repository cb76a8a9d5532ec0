// Writes and checks a database with one feature, through the C interface of an engine that is
// loaded at run time. interop_releases.py hands databases back and forth with it.
//
//   releases_driver LIBRARY features                        what it can write, one per line: name,
//                                                           title, Cairn's support, and what it
//                                                           says when it refuses; with tabs between
//   releases_driver LIBRARY write DB FEATURE PHASE [KEYS]   ends without closing, the last batches
//                                                           in the log
//   releases_driver LIBRARY verify DB FEATURE PHASES [KEYS] phases 1 to PHASES, and nothing else
//   releases_driver LIBRARY properties DB FEATURE           name <tab> value, opened for reading
//   releases_driver LIBRARY options DB [strict]             loads the OPTIONS file
//   releases_driver LIBRARY backup DB FEATURE DIR STYLE     makes one, prints its number
//   releases_driver LIBRARY backups DIR                     verifies all, prints their numbers
//   releases_driver LIBRARY restore DB DIR NUMBER           (as the others, of backups.h)
//   releases_driver LIBRARY purge DIR COUNT                 so many are left
//
// Exit status 0; 1: the database disagrees, or an error (stderr says what).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backups.h"
#include "database.h"
#include "end_at_once.h"
#include "engine.h"
#include "features.h"
#include "timestamps.h"
#include "transfers.h"

namespace interop {
namespace {

// ---- Writing

void PutFixed32(std::string* to, uint32_t value) {
  for (int i = 0; i < 4; ++i) to->push_back(static_cast<char>(value >> (8 * i)));
}

void PutVarint(std::string* to, uint64_t value) {
  for (; value >= 128; value >>= 7) to->push_back(static_cast<char>(value | 128));
  to->push_back(static_cast<char>(value));
}

void PutPrefixed(std::string* to, const std::string& value) {
  PutVarint(to, value.size());
  *to += value;
}

// A batch of one entity of the default family, as a batch's own bytes: the C interface has no other
// way. `value` is its default column.
std::string EntityBatch(const std::string& key, const std::string& value) {
  const std::pair<std::string, std::string> columns[] = {
      {"", value}, {"length", std::to_string(value.size())}, {"same", value}};
  std::string entity;
  PutVarint(&entity, 1);  // version
  PutVarint(&entity, 3);
  for (const auto& [name, column] : columns) {
    PutPrefixed(&entity, name);
    PutVarint(&entity, column.size());
  }
  for (const auto& column : columns) entity += column.second;
  std::string batch(8, '\0');  // the sequence number
  PutFixed32(&batch, 1);
  batch.push_back(0x16);  // an entity
  PutPrefixed(&batch, key);
  PutPrefixed(&batch, entity);
  return batch;
}

// A family that was there, in logs, tables and MANIFEST, and is not any more.
void ComeAndGo(const Database& database, const rocksdb_writeoptions_t* write,
               const rocksdb_flushoptions_t* flush) {
  const Engine& engine = database.engine;
  rocksdb_column_family_handle_t* const brief = engine.create_column_family(
      database.db, database.setup.options, "brief", Checked(engine, "create family"));
  for (int i = 0; i < 100; ++i) {
    const std::string key = std::to_string(i);
    if (database.setup.stamped) {
      const std::string stamp = Stamp(0);
      engine.put_cf_with_ts(database.db, write, brief, key.data(), key.size(), stamp.data(),
                            stamp.size(), "brief", 5, Checked(engine, "put"));
    } else {
      engine.put_cf(database.db, write, brief, key.data(), key.size(), "brief", 5,
                    Checked(engine, "put"));
    }
    if (i == 50) engine.flush_cf(database.db, flush, brief, Checked(engine, "flush"));
  }
  engine.drop_column_family(database.db, brief, Checked(engine, "drop"));
  engine.column_family_handle_destroy(brief);
}

// False: the batch is none that a file can hold.
bool Ingest(const Database& database, const std::string& path,
            const std::vector<Operation>& operations) {
  const Engine& engine = database.engine;
  const Setup& setup = database.setup;
  std::map<std::string, const Operation*> entries;
  for (const Operation& op : operations) {
    if (op.kind == Operation::kDeleteRange) return false;
    const bool again = !entries.emplace(op.key, &op).second;
    if (again && op.kind == Operation::kMerge) return false;
    entries[op.key] = &op;
  }
  std::vector<const Operation*> sorted;
  for (const auto& entry : entries) sorted.push_back(entry.second);
  if (setup.reverse) std::reverse(sorted.begin(), sorted.end());
  rocksdb_envoptions_t* const env = engine.envoptions_create();
  rocksdb_sstfilewriter_t* const writer =
      setup.comparator == nullptr
          ? engine.sstfilewriter_create(env, setup.options)
          : engine.sstfilewriter_create_with_comparator(env, setup.options, setup.comparator);
  engine.sstfilewriter_open(writer, path.c_str(), Checked(engine, "open file"));
  for (const Operation* op : sorted) {
    const char* const key = op->key.data();
    const size_t size = op->key.size();
    Checked error(engine, "add to file");
    if (op->kind == Operation::kDelete) {
      engine.sstfilewriter_delete(writer, key, size, error);
    } else if (op->kind == Operation::kMerge) {
      engine.sstfilewriter_merge(writer, key, size, op->value.data(), op->value.size(), error);
    } else {
      engine.sstfilewriter_put(writer, key, size, op->value.data(), op->value.size(), error);
    }
  }
  engine.sstfilewriter_finish(writer, Checked(engine, "finish file"));
  engine.sstfilewriter_destroy(writer);
  engine.envoptions_destroy(env);
  rocksdb_ingestexternalfileoptions_t* const options = engine.ingestexternalfileoptions_create();
  engine.ingestexternalfileoptions_set_move_files(options, 1);
  const char* const files[] = {path.c_str()};
  engine.ingest_external_file_cf(database.db, database.families[0], files, 1, options,
                                 Checked(engine, "ingest"));
  engine.ingestexternalfileoptions_destroy(options);
  return true;
}

void WriteBatch(const Database& database, const rocksdb_writeoptions_t* write,
                const std::vector<Operation>& operations) {
  const Engine& engine = database.engine;
  rocksdb_writebatch_t* const batch = engine.writebatch_create();
  for (const Operation& op : operations) {
    rocksdb_column_family_handle_t* const family = database.Of(op.key);
    const char* const key = op.key.data();
    const size_t size = op.key.size();
    switch (op.kind) {
      case Operation::kPut:
        engine.writebatch_put_cf(batch, family, key, size, op.value.data(), op.value.size());
        break;
      case Operation::kMerge:
        engine.writebatch_merge_cf(batch, family, key, size, op.value.data(), op.value.size());
        break;
      case Operation::kDelete:
        engine.writebatch_delete_cf(batch, family, key, size);
        break;
      case Operation::kSingleDelete:
        engine.writebatch_singledelete_cf(batch, family, key, size);
        break;
      case Operation::kDeleteRange:
        for (rocksdb_column_family_handle_t* each : database.families) {
          engine.writebatch_delete_range_cf(batch, each, key, size, op.value.data(),
                                            op.value.size());
        }
        break;
    }
  }
  engine.write(database.db, write, batch, Checked(engine, "write"));
  engine.writebatch_destroy(batch);
  if (!database.setup.entities) return;
  // Again as entities: what a plain read shows does not change.
  for (size_t i = 0; i < operations.size(); i += 2) {
    const Operation& op = operations[i];
    const bool last =
        std::none_of(operations.begin() + static_cast<std::ptrdiff_t>(i) + 1, operations.end(),
                     [&](const Operation& other) { return other.key == op.key; });
    if (op.kind != Operation::kPut || !last) continue;
    const std::string bytes = EntityBatch(op.key, op.value);
    rocksdb_writebatch_t* const entity = engine.writebatch_create_from(bytes.data(), bytes.size());
    engine.write(database.db, write, entity, Checked(engine, "write entity"));
    engine.writebatch_destroy(entity);
  }
}

void Write(const Setup& setup, const std::string& path, uint64_t phase) {
  Database database(setup, path, false);
  const Engine& engine = setup.engine;
  rocksdb_writeoptions_t* const write = engine.writeoptions_create();
  rocksdb_flushoptions_t* const flush = engine.flushoptions_create();
  if (setup.families) ComeAndGo(database, write, flush);
  Phase sequence(setup.shape, phase);
  size_t flushes = 0;
  uint64_t timestamp = StartOfPhase(phase);
  if (setup.stamped && setup.ingest) IngestStamped(database, path + ".outside.sst", phase);
  while (!sequence.done()) {
    const std::vector<Operation> operations = sequence.Next();
    if (setup.stamped) {
      WriteStamped(database, write, operations, timestamp++);
    } else if (!setup.ingest || sequence.batch() % 29 != 0 ||
               !Ingest(database, path + ".outside.sst", operations)) {
      WriteBatch(database, write, operations);
    }
    if (sequence.flush_now()) {
      if (setup.atomic_flush) {
        engine.flush_cfs(database.db, flush, database.families.data(),
                         static_cast<int>(database.families.size()), Checked(engine, "flush"));
      } else {
        engine.flush_cf(database.db, flush, database.families[flushes++ % database.families.size()],
                        Checked(engine, "flush"));
      }
    }
    if (sequence.compact_now()) {
      for (rocksdb_column_family_handle_t* family : database.families) {
        if (setup.stamped && setup.trims) {
          const std::string low = Stamp(EndOfPhase(phase - 1));
          engine.increase_full_history_ts_low(database.db, family, low.data(), low.size(),
                                              Checked(engine, "raise the mark"));
        }
        engine.compact_range_cf(database.db, family, nullptr, 0, nullptr, 0);
      }
    }
  }
  if (setup.flush_wal) engine.flush_wal(database.db, 0, Checked(engine, "flush log"));
  std::fflush(nullptr);
  // Nothing is closed, and the locks of the process go with it.
  EndAtOnce();
}

// ---- Reading

class Verifier {
 public:
  // As of the end of `phase`, where keys have timestamps.
  Verifier(const Database& database, const State& state, uint64_t phase)
      : database_(database),
        engine_(database.engine),
        setup_(database.setup),
        state_(state),
        stamp_(Stamp(EndOfPhase(phase))) {
    read_ = engine_.readoptions_create();
    if (setup_.stamped) engine_.readoptions_set_timestamp(read_, stamp_.data(), stamp_.size());
    engine_.readoptions_set_total_order_seek(read_, 1);
    engine_.readoptions_set_verify_checksums(read_, 1);
  }
  ~Verifier() { engine_.readoptions_destroy(read_); }

  void All() {
    for (size_t family = 0; family < database_.families.size(); ++family) {
      std::vector<std::pair<std::string, std::string>> expected;
      for (const auto& entry : state_) {
        if (FamilyOf(setup_, entry.first) == family) expected.push_back(entry);
      }
      if (setup_.reverse) std::reverse(expected.begin(), expected.end());
      Scan(family, expected, true);
      std::reverse(expected.begin(), expected.end());
      Scan(family, expected, false);
    }
    Gets();
    MultiGets();
    if (setup_.prefix > 0) Prefixes();
  }

 private:
  using Entries = std::vector<std::pair<std::string, std::string>>;

  void Scan(size_t family, const Entries& expected, bool forward) {
    rocksdb_iterator_t* const it =
        engine_.create_iterator_cf(database_.db, read_, database_.families[family]);
    forward ? engine_.iter_seek_to_first(it) : engine_.iter_seek_to_last(it);
    const char* const what = forward ? "forward" : "backward";
    for (const auto& [key, value] : expected) {
      if (!engine_.iter_valid(it)) {
        Error(it);
        Die(std::string(what) + ": ends before " + Show(key));
      }
      Expect(it, key, value, what);
      forward ? engine_.iter_next(it) : engine_.iter_prev(it);
    }
    if (engine_.iter_valid(it)) Die(std::string(what) + ": has also " + Show(KeyAt(it)));
    Error(it);
    engine_.iter_destroy(it);
  }

  void Gets() {
    Numbers numbers(setup_.shape.seed + 1);
    for (int i = 0; i < 4000; ++i) {
      std::string key = KeyOf(setup_.shape, numbers.Below(setup_.shape.keys));
      if (i % 4 == 0) key += "x";
      size_t size = 0;
      char* const value = engine_.get_cf(database_.db, read_, database_.Of(key), key.data(),
                                         key.size(), &size, Checked(engine_, "get"));
      Compare(key, value, size, "get");
      engine_.free(value);
    }
  }

  void MultiGets() {
    Numbers numbers(setup_.shape.seed + 2);
    for (int i = 0; i < 50; ++i) {
      std::vector<std::string> keys;
      std::vector<const rocksdb_column_family_handle_t*> families;
      std::vector<const char*> data;
      std::vector<size_t> sizes;
      for (int k = 0; k < 32; ++k) {
        keys.push_back(KeyOf(setup_.shape, numbers.Below(setup_.shape.keys)));
        if (k % 8 == 0) keys.back() += "x";
      }
      for (const std::string& key : keys) {
        families.push_back(database_.Of(key));
        data.push_back(key.data());
        sizes.push_back(key.size());
      }
      std::vector<char*> values(keys.size()), errors(keys.size());
      std::vector<size_t> value_sizes(keys.size());
      engine_.multi_get_cf(database_.db, read_, families.data(), keys.size(), data.data(),
                           sizes.data(), values.data(), value_sizes.data(), errors.data());
      for (size_t k = 0; k < keys.size(); ++k) {
        if (errors[k] != nullptr) Die(std::string("multi get: ") + errors[k]);
        Compare(keys[k], values[k], value_sizes[k], "multi get");
        engine_.free(values[k]);
      }
    }
  }

  // What begins with a prefix, by an iterator that is bound to it.
  void Prefixes() {
    rocksdb_readoptions_t* const read = engine_.readoptions_create();
    engine_.readoptions_set_prefix_same_as_start(read, 1);
    for (size_t family = 0; family < database_.families.size(); ++family) {
      rocksdb_iterator_t* const it =
          engine_.create_iterator_cf(database_.db, read, database_.families[family]);
      // Some are missing, beyond the last key.
      for (uint64_t i = 0; i < setup_.shape.keys + 400; i += 200) {
        const std::string prefix = KeyOf(setup_.shape, i).substr(0, setup_.prefix);
        engine_.iter_seek(it, prefix.data(), prefix.size());
        for (auto at = state_.lower_bound(prefix);
             at != state_.end() && at->first.compare(0, prefix.size(), prefix) == 0; ++at) {
          if (FamilyOf(setup_, at->first) != family) continue;
          if (!engine_.iter_valid(it)) {
            Error(it);
            Die("prefix: ends before " + Show(at->first));
          }
          Expect(it, at->first, at->second, "prefix");
          engine_.iter_next(it);
        }
        if (engine_.iter_valid(it)) Die("prefix: has also " + Show(KeyAt(it)));
        Error(it);
      }
      engine_.iter_destroy(it);
    }
    engine_.readoptions_destroy(read);
  }

  std::string KeyAt(rocksdb_iterator_t* it) {
    size_t size = 0;
    const char* const key = engine_.iter_key(it, &size);
    return {key, size};
  }
  void Expect(rocksdb_iterator_t* it, const std::string& key, const std::string& value,
              const char* what) {
    if (KeyAt(it) != key) {
      Die(std::string(what) + ": " + Show(KeyAt(it)) + " instead of " + Show(key));
    }
    size_t size = 0;
    const char* const found = engine_.iter_value(it, &size);
    if (std::string(found, size) != value) Die(std::string(what) + ": value of " + Show(key));
  }
  void Compare(const std::string& key, const char* value, size_t size, const char* what) {
    const auto at = state_.find(key);
    if ((value != nullptr) != (at != state_.end())) {
      Die(std::string(what) + ": " + Show(key) + (value == nullptr ? " is missing" : " is there"));
    }
    if (value != nullptr && std::string(value, size) != at->second) {
      Die(std::string(what) + ": value of " + Show(key));
    }
  }
  void Error(rocksdb_iterator_t* it) { engine_.iter_get_error(it, Checked(engine_, "iterator")); }

  const Database& database_;
  const Engine& engine_;
  const Setup& setup_;
  const State& state_;
  const std::string stamp_;
  rocksdb_readoptions_t* read_ = nullptr;
};

// The number of keys.
size_t VerifyContents(const Database& database, uint64_t phases) {
  const Setup& setup = database.setup;
  State state;
  for (uint64_t phase = 1; phase <= phases; ++phase) {
    Replay(setup.shape, phase, kAll, &state);
    if (setup.stamped && setup.ingest) AddIngested(phase, &state);
    // (The one before is history that may still be read.)
    if (phase == phases || (setup.stamped && setup.history && phase + 1 == phases)) {
      Verifier(database, state, phase).All();
    }
  }
  if (setup.stamped) VerifyHistory(database, phases);
  return state.size();
}

void Verify(const Setup& setup, const std::string& path, uint64_t phases) {
  Database database(setup, path, false);
  const size_t keys = VerifyContents(database, phases);
  size_t count = 0;
  const Engine& engine = setup.engine;
  char** const names = engine.list_column_families(setup.options, path.c_str(), &count,
                                                   Checked(engine, "list families"));
  if (count != database.families.size()) Die("it has " + std::to_string(count) + " families");
  engine.list_column_families_destroy(names, count);
  database.Close();
  std::printf("%zu keys\n", keys);
}

// Into a new database, beside its own family, which is empty; and again once it has been opened
// anew.
void VerifyImported(const Setup& setup, const std::string& path, const std::string& dir,
                    uint64_t phases, const std::vector<std::string>& lines) {
  Database database(setup, path, false);
  database.families.insert(database.families.begin(), Import(database, "second", dir, lines));
  VerifyContents(database, phases);
  database.Close();
  Database again(setup, path, false, /*both=*/true);
  std::swap(again.families[0], again.families[1]);
  VerifyContents(again, phases);
  again.Close();
}

void Properties(const Setup& setup, const std::string& path) {
  Database database(setup, path, true);
  const Engine& engine = setup.engine;
  for (const char* const name :
       {"rocksdb.estimate-num-keys", "rocksdb.total-sst-files-size", "rocksdb.live-sst-files-size",
        "rocksdb.num-files-at-level0", "rocksdb.num-files-at-level5", "rocksdb.num-files-at-level6",
        "rocksdb.compression-ratio-at-level0", "rocksdb.compression-ratio-at-level5",
        "rocksdb.compression-ratio-at-level6", "rocksdb.num-entries-active-mem-table",
        "rocksdb.num-deletes-active-mem-table", "rocksdb.estimate-live-data-size",
        "rocksdb.num-blob-files", "rocksdb.total-blob-file-size", "rocksdb.live-blob-file-size",
        "rocksdb.live-blob-file-garbage-size", "rocksdb.blob-stats"}) {
    char* const value = engine.property_value_cf(database.db, database.families[0], name);
    std::printf("%s\t%s\n", name, value == nullptr ? "-" : value);
    engine.free(value);
  }
  database.Close();
}

void LoadOptions(const Engine& engine, const std::string& path, bool strict) {
  rocksdb_options_t* options = nullptr;
  rocksdb_options_t** family_options = nullptr;
  char** names = nullptr;
  size_t count = 0;
  engine.load_latest_options(path.c_str(), engine.create_default_env(), !strict, nullptr, &options,
                             &count, &names, &family_options, Checked(engine, "options"));
  for (size_t i = 0; i < count; ++i) std::printf("%s\n", names[i]);
  engine.load_latest_options_destroy(options, names, family_options, count);
}

int Run(const std::vector<std::string>& args) {
  Engine engine;
  std::string error;
  if (args.size() < 2) Die("usage: see the head of main.cc");
  if (!Load(args[0], &engine, &error)) Die(error);
  const std::string& command = args[1];
  if (command == "features") {
    for (const Feature& feature : Features()) {
      if (feature.has != nullptr && !feature.has(engine)) continue;
      const char* const support[] = {"full", "reads", "refuses", "salvages"};
      std::printf("%s\t%s\t%s\t%s\n", feature.name, feature.title,
                  support[static_cast<int>(feature.support)], feature.refusal);
    }
    return 0;
  }
  if (command == "options" && args.size() >= 3) {
    LoadOptions(engine, args[2], args.size() > 3 && args[3] == "strict");
    return 0;
  }
  if (command == "transfers") {
    std::puts(CanTransfer(engine) ? "yes" : "no");
    return 0;
  }
  if (command == "backups" && args.size() == 3) {
    ListBackups(engine, args[2]);
    return 0;
  }
  if (command == "restore" && args.size() == 5) {
    RestoreBackup(engine, args[2], args[3], static_cast<uint32_t>(std::stoul(args[4])));
    return 0;
  }
  if (command == "purge" && args.size() == 4) {
    PurgeBackups(engine, args[2], static_cast<uint32_t>(std::stoul(args[3])));
    return 0;
  }
  const Feature* const feature = args.size() > 3 ? FindFeature(args[3]) : nullptr;
  if (feature == nullptr) Die("no such command or feature");
  Setup setup(engine);
  const size_t keys_at = command == "import" ? 6 : 5;
  if (args.size() > keys_at && command != "backup") setup.shape.keys = std::stoull(args[keys_at]);
  feature->apply(&setup);
  if (command == "backup" && args.size() == 6) {
    MakeBackup(setup, args[2], args[4], args[5]);
  } else if (command == "export" && args.size() == 5) {
    Database database(setup, args[2], false);
    Export(database, args[4]);
    database.Close();
  } else if (command == "import" && args.size() > 6) {
    VerifyImported(setup, args[2], args[4], std::stoull(args[5]), {args.begin() + 7, args.end()});
  } else if (command == "properties") {
    Properties(setup, args[2]);
  } else if (command == "write" && args.size() > 4) {
    Write(setup, args[2], std::stoull(args[4]));
  } else if (command == "verify" && args.size() > 4) {
    Verify(setup, args[2], std::stoull(args[4]));
  } else {
    Die("no such command");
  }
  return 0;
}

}  // namespace
}  // namespace interop

int main(int argc, char** argv) {
  return interop::Run(std::vector<std::string>(argv + 1, argv + argc));
}
