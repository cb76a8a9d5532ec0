#include "timestamps.h"

#include <algorithm>
#include <map>
#include <optional>

namespace interop {
namespace {

constexpr uint64_t kStampsOfAPhase = 1'000'000;

// Of one key, by timestamp; no value: a deletion.
using Versions = std::map<uint64_t, std::optional<std::string>>;
using History = std::map<std::string, Versions>;

constexpr int kIngestedKeys = 200;
std::string IngestedKey(uint64_t phase, int i) {
  char text[32];
  std::snprintf(text, sizeof(text), "from outside %02d %04d", static_cast<int>(phase), i);
  return text;
}
// The older version has a value, the newer one of every third key is a deletion.
Versions IngestedVersions(uint64_t phase, int i) {
  const uint64_t start = StartOfPhase(phase);
  const std::string value(static_cast<size_t>(i), static_cast<char>('a' + i % 26));
  Versions versions;
  versions[start + 1] = "older " + value;
  if (i % 3 == 0) {
    versions[start + 3];
  } else {
    versions[start + 2] = value;
  }
  return versions;
}

uint64_t NumberOf(const char* stamp, size_t size) {
  uint64_t number = 0;
  for (size_t i = size; i > 0; --i) number = number << 8 | static_cast<unsigned char>(stamp[i - 1]);
  return number;
}

// What is asked of one database after some phases.
class Historian {
 public:
  Historian(const Database& database, uint64_t phases)
      : database_(database),
        engine_(database.engine),
        phases_(phases),
        mark_(database.setup.trims ? EndOfPhase(phases - 1) : StartOfPhase(1)),
        end_(Stamp(EndOfPhase(phases))),
        start_(Stamp(mark_)) {
    for (uint64_t phase = 1; phase <= phases; ++phase) {
      Phase sequence(database.setup.shape, phase);
      for (uint64_t timestamp = StartOfPhase(phase); !sequence.done(); ++timestamp) {
        for (Operation& op : sequence.Next()) {
          std::optional<std::string>& version = history_[op.key][timestamp];
          version.reset();
          if (op.kind == Operation::kPut) version = std::move(op.value);
        }
      }
      for (int i = 0; database.setup.ingest && i < kIngestedKeys; ++i) {
        history_[IngestedKey(phase, i)] = IngestedVersions(phase, i);
      }
    }
  }

  void All() {
    Gets();
    MultiGets();
    // (Where tables do not keep them there is only the latest moment.)
    if (!database_.setup.history) return;
    for (const uint64_t step : {1, 40, 150}) ScanAt(StartOfPhase(phases_) + step);
    for (size_t family = 0; family < database_.families.size(); ++family) {
      AllVersions(family, true);
      // (With older versions there, RocksDB shows some of them, or ends early.)
      if (engine_.cairn || !database_.setup.trims) AllVersions(family, false);
      if (database_.setup.trims) Mark(family);
    }
  }

 private:
  // The options of a reader at `stamp`, which outlives them.
  class Reading {
   public:
    Reading(const Engine& engine, const std::string& stamp)
        : engine_(engine), options_(engine.readoptions_create()) {
      engine.readoptions_set_timestamp(options_, stamp.data(), stamp.size());
      engine.readoptions_set_total_order_seek(options_, 1);
    }
    ~Reading() { engine_.readoptions_destroy(options_); }
    operator rocksdb_readoptions_t*() const { return options_; }

   private:
    const Engine& engine_;
    rocksdb_readoptions_t* const options_;
  };

  // The newest version at a moment; null: none, or it is a deletion.
  const Versions::value_type* At(const std::string& key, uint64_t timestamp) const {
    const auto versions = history_.find(key);
    if (versions == history_.end()) return nullptr;
    auto version = versions->second.upper_bound(timestamp);
    if (version == versions->second.begin()) return nullptr;
    --version;
    return version->second ? &*version : nullptr;
  }
  std::vector<std::string> Sample(uint64_t seed, int count) const {
    Numbers numbers(seed);
    std::vector<std::string> keys;
    for (int i = 0; i < count; ++i) {
      auto at = history_.lower_bound(
          KeyOf(database_.setup.shape, numbers.Below(database_.setup.shape.keys)));
      keys.push_back(at == history_.end() ? "none" : at->first);
      if (i % 8 == 0) keys.back() += "x";
    }
    for (int i = 0; database_.setup.ingest && i < 20; ++i) keys.push_back(IngestedKey(1, i));
    return keys;
  }

  void Gets() {
    const Reading read(engine_, end_);
    for (const std::string& key : Sample(5, 1000)) {
      size_t size = 0, stamp_size = 0;
      char* stamp = nullptr;
      char* const value =
          engine_.get_cf_with_ts(database_.db, read, database_.Of(key), key.data(), key.size(),
                                 &size, &stamp, &stamp_size, Checked(engine_, "get"));
      Compare(key, value, size, stamp, stamp_size, "get");
    }
  }
  void MultiGets() {
    const Reading read(engine_, end_);
    const std::vector<std::string> keys = Sample(6, 64);
    std::vector<const rocksdb_column_family_handle_t*> families;
    std::vector<const char*> data;
    std::vector<size_t> sizes, value_sizes(keys.size()), stamp_sizes(keys.size());
    std::vector<char*> values(keys.size()), stamps(keys.size()), errors(keys.size());
    for (const std::string& key : keys) {
      families.push_back(database_.Of(key));
      data.push_back(key.data());
      sizes.push_back(key.size());
    }
    engine_.multi_get_cf_with_ts(database_.db, read, families.data(), keys.size(), data.data(),
                                 sizes.data(), values.data(), value_sizes.data(), stamps.data(),
                                 stamp_sizes.data(), errors.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      if (errors[i] != nullptr) Die(std::string("multi get: ") + errors[i]);
      Compare(keys[i], values[i], value_sizes[i], stamps[i], stamp_sizes[i], "multi get");
    }
  }
  // Frees both.
  void Compare(const std::string& key, char* value, size_t size, char* stamp, size_t stamp_size,
               const char* what) {
    const Versions::value_type* const wanted = At(key, EndOfPhase(phases_));
    if ((value != nullptr) != (wanted != nullptr)) {
      Die(std::string(what) + ": " + Show(key) + (value == nullptr ? " is missing" : " is there"));
    }
    if (value == nullptr) return;
    if (std::string(value, size) != *wanted->second) {
      Die(std::string(what) + ": value of " + Show(key));
    }
    CompareStamp(key, NumberOf(stamp, stamp_size), wanted->first, what);
    engine_.free(value);
    engine_.free(stamp);
  }
  // Below the mark it may be gone, and without history any may.
  void CompareStamp(const std::string& key, uint64_t found, uint64_t wanted, const char* what) {
    if (found == wanted || (found == 0 && (wanted < mark_ || !database_.setup.history))) return;
    Die(std::string(what) + ": timestamp " + std::to_string(found) + " of " + Show(key) +
        " instead of " + std::to_string(wanted));
  }

  void ScanAt(uint64_t timestamp) {
    const std::string stamp = Stamp(timestamp);
    const Reading read(engine_, stamp);
    for (size_t family = 0; family < database_.families.size(); ++family) {
      rocksdb_iterator_t* const it =
          engine_.create_iterator_cf(database_.db, read, database_.families[family]);
      engine_.iter_seek_to_first(it);
      for (const auto& entry : history_) {
        const std::string& key = entry.first;
        const Versions::value_type* const wanted = At(key, timestamp);
        if (wanted == nullptr || FamilyOf(database_.setup, key) != family) continue;
        Expect(it, key, "scan at a moment");
        if (ValueAt(it) != *wanted->second) Die("scan at a moment: value of " + Show(key));
        size_t size = 0;
        const char* const found = engine_.iter_timestamp(it, &size);
        CompareStamp(key, NumberOf(found, size), wanted->first, "scan at a moment");
        engine_.iter_next(it);
      }
      End(it, "scan at a moment");
    }
  }

  // Keys are internal ones: with the timestamp, and eight bytes the first of which is the type.
  void AllVersions(size_t family, bool forward) {
    const char* const what = forward ? "all versions" : "all versions backward";
    const Reading read(engine_, end_);
    engine_.readoptions_set_iter_start_ts(read, start_.data(), start_.size());
    struct Entry {
      const std::string* key;
      const Versions::value_type* version;
    };
    std::vector<Entry> wanted;
    for (const auto& [key, versions] : history_) {
      if (FamilyOf(database_.setup, key) != family) continue;
      for (auto at = versions.rbegin(); at != versions.rend() && at->first >= mark_; ++at) {
        wanted.push_back({&key, &*at});
      }
    }
    if (!forward) std::reverse(wanted.begin(), wanted.end());
    rocksdb_iterator_t* const it =
        engine_.create_iterator_cf(database_.db, read, database_.families[family]);
    forward ? engine_.iter_seek_to_first(it) : engine_.iter_seek_to_last(it);
    for (const Entry& entry : wanted) {
      const std::string stamp = Stamp(entry.version->first);
      const std::string found = KeyAt(it, what);
      const std::string key = *entry.key + stamp;
      if (found.size() != key.size() + 8 || found.compare(0, key.size(), key) != 0) {
        Die(std::string(what) + ": " + Show(found) + " instead of " + Show(key));
      }
      const char type = found[key.size()];
      // A deletion, of one version, or with a timestamp.
      const bool deletion = type == 0 || type == 7 || type == 0x14;
      if (deletion == entry.version->second.has_value()) {
        Die(std::string(what) + ": type " + std::to_string(type) + " of " + Show(key));
      }
      if (!deletion && ValueAt(it) != *entry.version->second) {
        Die(std::string(what) + ": value of " + Show(key));
      }
      size_t size = 0;
      const char* const bytes = engine_.iter_timestamp(it, &size);
      if (std::string(bytes, size) != stamp) Die(std::string(what) + ": timestamp of " + Show(key));
      forward ? engine_.iter_next(it) : engine_.iter_prev(it);
    }
    End(it, what);
  }

  void Mark(size_t family) {
    size_t size = 0;
    char* const mark = engine_.get_full_history_ts_low(database_.db, database_.families[family],
                                                       &size, Checked(engine_, "the mark"));
    if (std::string(mark, size) != start_) Die("the mark is " + Show(std::string(mark, size)));
    engine_.free(mark);
    const std::string below = Stamp(mark_ - 1);
    const Reading read(engine_, below);
    char* error = nullptr;
    engine_.free(
        engine_.get_cf(database_.db, read, database_.families[family], "k", 1, &size, &error));
    if (error == nullptr || std::string(error).find("full_history_ts_low") == std::string::npos) {
      Die(std::string("a read below the mark: ") + (error == nullptr ? "OK" : error));
    }
    engine_.free(error);
  }

  std::string KeyAt(rocksdb_iterator_t* it, const char* what) {
    if (!engine_.iter_valid(it)) {
      engine_.iter_get_error(it, Checked(engine_, what));
      Die(std::string(what) + ": it ends early");
    }
    size_t size = 0;
    const char* const key = engine_.iter_key(it, &size);
    return {key, size};
  }
  std::string ValueAt(rocksdb_iterator_t* it) {
    size_t size = 0;
    const char* const value = engine_.iter_value(it, &size);
    return {value, size};
  }
  void Expect(rocksdb_iterator_t* it, const std::string& key, const char* what) {
    const std::string found = KeyAt(it, what);
    if (found != key) Die(std::string(what) + ": " + Show(found) + " instead of " + Show(key));
  }
  void End(rocksdb_iterator_t* it, const char* what) {
    if (engine_.iter_valid(it)) Die(std::string(what) + ": has also " + Show(KeyAt(it, what)));
    engine_.iter_get_error(it, Checked(engine_, what));
    engine_.iter_destroy(it);
  }

  const Database& database_;
  const Engine& engine_;
  const uint64_t phases_;
  const uint64_t mark_;
  const std::string end_, start_;
  History history_;
};

}  // namespace

std::string Stamp(uint64_t number) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(number >> (8 * i)));
  return bytes;
}
uint64_t StartOfPhase(uint64_t phase) { return phase * kStampsOfAPhase; }
uint64_t EndOfPhase(uint64_t phase) { return StartOfPhase(phase + 1) - 1; }

void WriteStamped(const Database& database, const rocksdb_writeoptions_t* write,
                  const std::vector<Operation>& operations, uint64_t timestamp) {
  const Engine& engine = database.engine;
  rocksdb_writebatch_t* const batch = engine.writebatch_create();
  const std::string stamp = Stamp(timestamp);
  for (const Operation& op : operations) {
    rocksdb_column_family_handle_t* const family = database.Of(op.key);
    const char* const key = op.key.data();
    const size_t size = op.key.size();
    if (op.kind == Operation::kDelete) {
      engine.writebatch_delete_cf_with_ts(batch, family, key, size, stamp.data(), stamp.size());
    } else if (op.kind == Operation::kSingleDelete) {
      engine.writebatch_singledelete_cf_with_ts(batch, family, key, size, stamp.data(),
                                                stamp.size());
    } else {
      engine.writebatch_put_cf_with_ts(batch, family, key, size, stamp.data(), stamp.size(),
                                       op.value.data(), op.value.size());
    }
  }
  engine.write(database.db, write, batch, Checked(engine, "write"));
  engine.writebatch_destroy(batch);
}

void IngestStamped(const Database& database, const std::string& path, uint64_t phase) {
  const Engine& engine = database.engine;
  rocksdb_envoptions_t* const env = engine.envoptions_create();
  rocksdb_sstfilewriter_t* const writer = engine.sstfilewriter_create_with_comparator(
      env, database.setup.options, database.setup.comparator);
  engine.sstfilewriter_open(writer, path.c_str(), Checked(engine, "open file"));
  for (int i = 0; i < kIngestedKeys; ++i) {
    const std::string key = IngestedKey(phase, i);
    const Versions versions = IngestedVersions(phase, i);
    for (auto at = versions.rbegin(); at != versions.rend(); ++at) {
      const std::string stamp = Stamp(at->first);
      Checked error(engine, "add to file");
      if (at->second) {
        engine.sstfilewriter_put_with_ts(writer, key.data(), key.size(), stamp.data(), stamp.size(),
                                         at->second->data(), at->second->size(), error);
      } else {
        engine.sstfilewriter_delete_with_ts(writer, key.data(), key.size(), stamp.data(),
                                            stamp.size(), error);
      }
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
}

void AddIngested(uint64_t phase, State* state) {
  for (int i = 0; i < kIngestedKeys; ++i) {
    const Versions versions = IngestedVersions(phase, i);
    if (versions.rbegin()->second) (*state)[IngestedKey(phase, i)] = *versions.rbegin()->second;
  }
}

void VerifyHistory(const Database& database, uint64_t phases) { Historian(database, phases).All(); }

}  // namespace interop
