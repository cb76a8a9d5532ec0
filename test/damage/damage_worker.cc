// damage_worker: makes the database that damage_check.py damages, and looks at what is left of it.
//
//   damage_worker --make --db=DIR --seed=N --old=DIR   writes it and ends without closing it;
//   --old:
//                                                      where files of its earlier days are kept
//   damage_worker --probe --db=DIR --seed=N --kind=K [--readonly_first]
//                                                      K: of the damaged file, e.g. "table"
//
// The database has merges, range tombstones, entities, partitioned indexes and filters,
// dictionaries, several compressions and table formats, files from outside, logs that are not
// flushed, and a MANIFEST and OPTIONS with a past. What it must have is known from the seed
// (history.h). A probe reads all in every way (Get, MultiGet, iterators in both directions,
// VerifyChecksum), takes a checkpoint and compacts and reads again, writes and opens it once more;
// where it does not open, it is repaired.
//
// Uses the public API alone. Prints lines "key value": open, state (how many batches there are),
// error (that a read told of), finding (what nothing explains), known (what a rule explains). Exit
// status: 0 whatever was found; 2: a bad command line, or the database could not be made.
#include <gflags/gflags.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "damage/history.h"
#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/checkpoint.h"

DEFINE_bool(make, false, "make the database");
DEFINE_bool(probe, false, "look at it");
DEFINE_string(db, "", "the database's directory");
DEFINE_string(old, "", "where --make keeps files of earlier days");
DEFINE_uint64(seed, 1, "of the contents");
DEFINE_uint64(batches, 300, "that are written");
DEFINE_string(kind, "none", "of the file that was damaged: table, log, manifest, current, ...");
DEFINE_bool(readonly_first, false, "open it read-only, too, before it is opened");

namespace cairn::damage {
namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::ColumnFamilyDescriptor;
using rocksdb::ColumnFamilyHandle;
using rocksdb::DB;
using rocksdb::Env;
using rocksdb::Iterator;
using rocksdb::Options;
using rocksdb::PinnableSlice;
using rocksdb::ReadOptions;
using rocksdb::Slice;
using rocksdb::Status;
using rocksdb::WriteBatch;
using rocksdb::WriteOptions;

Options DatabaseOptions() {
  Options options;
  options.create_if_missing = FLAGS_make;
  options.create_missing_column_families = FLAGS_make;
  options.stats_dump_period_sec = 0;
  options.max_background_jobs = 2;
  options.max_open_files = 100;
  return options;
}

Options FamilyOptions(size_t family) {
  Options options = DatabaseOptions();
  options.write_buffer_size = 64 << 10;
  options.level0_file_num_compaction_trigger = 3;
  options.target_file_size_base = 24 << 10;
  options.max_bytes_for_level_base = 64 << 10;
  options.merge_operator = History::MakeMergeOperator();
  BlockBasedTableOptions table;
  table.block_size = 1024;
  table.block_cache = rocksdb::NewLRUCache(256 << 10, 0);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  switch (family) {
    case 0:
      options.compression = rocksdb::kZSTD;
      options.compression_opts.max_dict_bytes = 4 << 10;
      break;
    case 1:
      options.compression = rocksdb::kLZ4Compression;
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
      table.metadata_block_size = 256;
      table.format_version = 6;
      break;
    case kEntities:
      options.compression = rocksdb::kSnappyCompression;
      options.compaction_style = rocksdb::kCompactionStyleUniversal;
      table.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10));
      table.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
      table.checksum = rocksdb::kXXH3;
      break;
    default:
      options.compression = rocksdb::kZlibCompression;
      options.bottommost_compression = rocksdb::kNoCompression;
      table.format_version = 2;
      table.checksum = rocksdb::kCRC32c;
      table.use_delta_encoding = false;
      break;
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::vector<ColumnFamilyDescriptor> Families() {
  std::vector<ColumnFamilyDescriptor> families;
  for (size_t i = 0; i < kFamilies; ++i) families.emplace_back(kFamilyNames[i], FamilyOptions(i));
  return families;
}

// A database and its handles.
struct Open {
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;

  ~Open() { Close(); }
  void Close() {
    for (ColumnFamilyHandle* handle : handles) delete handle;
    handles.clear();
    db.reset();
  }
  Status Do(const std::string& dir, bool readonly) {
    Close();
    const Options options = DatabaseOptions();
    DB* opened = nullptr;
    const Status s = readonly ? DB::OpenForReadOnly(options, dir, Families(), &handles, &opened)
                              : DB::Open(options, dir, Families(), &handles, &opened);
    db.reset(opened);
    return s;
  }
};

// --- Making it

void Must(const Status& s, const char* what) {
  if (s.ok()) return;
  printf("cannot %s: %s\n", what, s.ToString().c_str());
  exit(2);
}

Status AddTo(const Op& op, ColumnFamilyHandle* family, WriteBatch* batch) {
  switch (op.kind) {
    case Op::Kind::kPut:
      return batch->Put(family, op.key, op.value);
    case Op::Kind::kDelete:
      return batch->Delete(family, op.key);
    case Op::Kind::kMerge:
      return batch->Merge(family, op.key, op.value);
    case Op::Kind::kDeleteRange:
      return batch->DeleteRange(family, op.key, op.value);
    case Op::Kind::kEntity: {
      const size_t half = op.value.size() / 2;
      return batch->PutEntity(family, op.key,
                              {{rocksdb::kDefaultWideColumnName, op.value},
                               {"a", Slice(op.value.data(), half)},
                               {"b", Slice(op.value.data() + half, op.value.size() - half)}});
    }
  }
  return Status::OK();
}

void CopyFilesOf(const std::string& from, const std::string& to) {
  Env* const env = Env::Default();
  Must(env->CreateDirIfMissing(to), "make a folder");
  std::vector<std::string> names;
  Must(env->GetChildren(from, &names), "list the database");
  for (const std::string& name : names) {
    if (name == "." || name == ".." || name == "LOCK" || name.starts_with("LOG")) continue;
    std::string data;
    // (One that was deleted meanwhile.)
    if (!rocksdb::ReadFileToString(env, from + "/" + name, &data).ok()) continue;
    Must(rocksdb::WriteStringToFile(env, data, to + "/" + name), "copy a file");
  }
}

void Ingest(const Ingestion& ingestion, size_t number, Open* open) {
  const std::string path = FLAGS_db + ".ingested";
  const Options options = FamilyOptions(ingestion.family);
  // (Only so a repair without a MANIFEST knows whose it is.)
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options, open->handles[ingestion.family]);
  Must(writer.Open(path), "open a table");
  for (const auto& [key, value] : ingestion.entries) Must(writer.Put(key, value), "write a table");
  Must(writer.Finish(), "finish a table");
  rocksdb::IngestExternalFileOptions how;
  how.move_files = number % 2 == 0;
  Must(open->db->IngestExternalFile(open->handles[ingestion.family], {path}, how), "ingest");
  Env::Default()->DeleteFile(path).PermitUncheckedError();
}

int Make() {
  const History history(FLAGS_seed, FLAGS_batches);
  Open open;
  Must(open.Do(FLAGS_db, /*readonly=*/false), "open the database");
  for (size_t i = 1; i <= history.size(); ++i) {
    WriteBatch batch;
    for (const Op& op : history.ops(i)) {
      Must(AddTo(op, open.handles[op.family], &batch), "make a batch");
    }
    Must(open.db->Write(WriteOptions(), &batch), "write");
    if (const Ingestion* ingestion = history.ingestion(i)) Ingest(*ingestion, i, &open);
    const bool near_the_end = i + 60 > history.size();
    if (i % 25 == 20 && !near_the_end) {
      Must(open.db->Flush(rocksdb::FlushOptions(), open.handles[i / 25 % kFamilies]), "flush");
    }
    if (i == history.size() / 4) {
      Must(open.db->SetOptions(open.handles[1], {{"target_file_size_base", "20000"}}), "set");
      ColumnFamilyHandle* brief = nullptr;
      Must(open.db->CreateColumnFamily(FamilyOptions(3), "brief", &brief), "create");
      Must(open.db->Put(WriteOptions(), brief, "key", "value"), "write");
      Must(open.db->DropColumnFamily(brief), "drop");
      delete brief;
    }
    if (i == history.size() / 3) CopyFilesOf(FLAGS_db, FLAGS_old);
    if (i == history.size() / 2) {
      // A new MANIFEST, and tables of a recovery.
      Must(open.Do(FLAGS_db, /*readonly=*/false), "open the database");
      Must(open.db->CompactRange(rocksdb::CompactRangeOptions(), open.handles[0], nullptr, nullptr),
           "compact");
    }
    if (i == history.size() * 2 / 3) CopyFilesOf(FLAGS_db, FLAGS_old + ".late");
    if (i == history.size() - 30) {
      // A second log, and one family's part of the first in a table.
      Must(open.db->Flush(rocksdb::FlushOptions(), open.handles[3]), "flush");
    }
  }
  Must(open.db->WaitForCompact(rocksdb::WaitForCompactOptions()), "wait");
  fflush(stdout);
  _exit(0);  // as if it were killed
}

// --- Looking at it

class Prober {
 public:
  Prober() : history_(FLAGS_seed, FLAGS_batches) {}

  void Run() {
    if (FLAGS_readonly_first) {
      Open open;
      const Status s = open.Do(FLAGS_db, /*readonly=*/true);
      Say("readonly", s.ok() ? "OK" : s.ToString());
      if (s.ok()) ReadAll(&open, "read-only");
    }
    Open open;
    const Status s = open.Do(FLAGS_db, /*readonly=*/false);
    Say("open", s.ok() ? "OK" : s.ToString());
    if (!s.ok()) {
      Repair();
      return;
    }
    const std::optional<size_t> state = ReadAll(&open, "open");
    ReadKeys(&open);
    Told(open.db->VerifyChecksum(ReadOptions()));
    Checkpoint(&open, state);
    Compact(&open, state);
    GoOn(&open, state);
  }

 private:
  static void Say(const char* what, const std::string& text) {
    std::string line = text.substr(0, 300);
    std::replace(line.begin(), line.end(), '\n', ' ');
    std::replace_if(line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    printf("%s %s\n", what, line.c_str());
    fflush(stdout);
  }
  void Find(const std::string& text) {
    if (++findings_ <= 5) Say("finding", text);
  }
  // Whether it is OK; an error is what a damaged file may give.
  bool Told(const Status& s) {
    if (s.ok()) return true;
    if (++errors_ <= 3) Say("error", s.ToString());
    if (!s.IsCorruption() && !s.IsIOError() && !s.IsNotSupported() && !s.IsPathNotFound() &&
        !s.IsIncomplete() && !s.IsInvalidArgument()) {
      Find("an error of the wrong kind: " + s.ToString());
    }
    return false;
  }

  struct Contents {
    State state{kFamilies};
    std::set<size_t> whole;  // families that were read without an error
  };
  // Forward and backward.
  Contents Scan(Open* open) {
    Contents contents;
    for (size_t family = 0; family < kFamilies; ++family) {
      std::map<std::string, std::string> backward;
      const std::unique_ptr<Iterator> it(
          open->db->NewIterator(ReadOptions(), open->handles[family]));
      auto& forward = contents.state[family];
      const auto text = [&] {
        return it->columns().size() == 1 &&
                       it->columns()[0].name() == rocksdb::kDefaultWideColumnName
                   ? it->value().ToString()
                   : EntityText(it->columns());
      };
      std::string before;
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        const std::string key = it->key().ToString();
        if (!before.empty() && key <= before) Find("keys out of order: " + before + ", " + key);
        forward[key] = text();
        before = key;
      }
      const bool whole = Told(it->status());
      for (it->SeekToLast(); it->Valid(); it->Prev()) backward[it->key().ToString()] = text();
      if (Told(it->status()) && whole) {
        contents.whole.insert(family);
        if (forward != backward) Find("backward is not what forward is, in " + Name(family));
      }
      if (it->Valid()) Find("an iterator with an error is valid");
    }
    return contents;
  }
  static std::string Name(size_t family) { return std::string("family ") + kFamilyNames[family]; }

  // How many batches there are, if that can be said; that what is there is what they wrote.
  std::optional<size_t> ReadAll(Open* open, const std::string& when) {
    const Contents contents = Scan(open);
    return Check(contents, when);
  }

  std::optional<size_t> Check(const Contents& contents, const std::string& when) {
    std::set<std::string> counters;
    for (const size_t family : contents.whole) {
      const auto it = contents.state[family].find(kCounterKey);
      counters.insert(it == contents.state[family].end() ? "0" : it->second);
    }
    for (size_t family = 0; family < kFamilies; ++family) {
      for (const auto& [key, value] : contents.state[family]) {
        if (key != kCounterKey) CheckOrigin(family, key, value, when);
      }
    }
    if (counters.empty()) return std::nullopt;
    if (counters.size() > 1) {
      std::string list;
      for (const std::string& counter : counters) list += " " + counter;
      Find(when + ": a part of a batch; the families are after batch" + list);
      return std::nullopt;
    }
    size_t n = 0;
    for (const char c : *counters.begin()) {
      if (c < '0' || c > '9') {
        Find(when + ": the counter is " + *counters.begin());
        return std::nullopt;
      }
      n = n * 10 + static_cast<size_t>(c - '0');
    }
    if (n > history_.size()) {
      Find(when + ": the counter is " + *counters.begin());
      return std::nullopt;
    }
    const State wanted = history_.After(n);
    for (const size_t family : contents.whole) {
      // Files that were ingested stay, whatever became of the log.
      auto expected = wanted[family];
      const auto& found = contents.state[family];
      for (const auto& [key, value] : history_.ingested()[family]) {
        const auto it = found.find(key);
        if (it != found.end() && it->second == value) expected[key] = value;
      }
      if (found != expected) {
        Find(when + ": " + Name(family) + " is not what " + std::to_string(n) +
             " batches make it: " + Difference(expected, found));
      }
    }
    Say("state", std::to_string(n));
    if (n < history_.size() && FLAGS_kind != "log" && FLAGS_kind != "manifest" &&
        FLAGS_kind != "current") {
      Find(when + ": a damaged " + FLAGS_kind + " made it forget what follows batch " +
           std::to_string(n));
    }
    return n;
  }

  void CheckOrigin(size_t family, const std::string& key, const std::string& value,
                   const std::string& when) {
    switch (history_.OriginOf(family, key, value)) {
      case History::Origin::kHistory:
        break;
      case History::Origin::kOperandsAgain:
        Find(when + ": operands of " + key + " count twice");
        break;
      case History::Origin::kNobody:
        Find(when + ": nobody wrote " + key + " = " + value.substr(0, 60));
        break;
    }
  }

  static std::string Difference(const std::map<std::string, std::string>& expected,
                                const std::map<std::string, std::string>& found) {
    for (const auto& [key, value] : expected) {
      const auto it = found.find(key);
      if (it == found.end()) return key + " is missing";
      if (it->second != value) {
        return key + " is " + it->second.substr(0, 40) + ", not " + value.substr(0, 40);
      }
    }
    for (const auto& [key, value] : found) {
      if (!expected.contains(key)) return key + " is there";
    }
    return "";
  }

  // Get and MultiGet say what the iterators say.
  void ReadKeys(Open* open) {
    const Contents contents = Scan(open);
    for (const size_t family : contents.whole) {
      std::vector<std::string> keys;
      for (int i = 0; i < 64; ++i) {
        char key[16];
        snprintf(key, sizeof(key), "k%03d", i);
        keys.emplace_back(key);
      }
      keys.emplace_back(kCounterKey);
      for (const auto& [key, value] : history_.ingested()[family]) keys.push_back(key);
      std::vector<Slice> slices(keys.begin(), keys.end());
      std::vector<PinnableSlice> values(keys.size());
      std::vector<Status> statuses(keys.size());
      open->db->MultiGet(ReadOptions(), open->handles[family], keys.size(), slices.data(),
                         values.data(), statuses.data());
      for (size_t i = 0; i < keys.size(); ++i) {
        rocksdb::PinnableWideColumns columns;
        const Status s =
            open->db->GetEntity(ReadOptions(), open->handles[family], keys[i], &columns);
        const auto it = contents.state[family].find(keys[i]);
        const bool there = it != contents.state[family].end();
        if (s.ok()) {
          const std::string text = columns.columns().size() == 1
                                       ? columns.columns()[0].value().ToString()
                                       : EntityText(columns.columns());
          if (!there || it->second != text) Find("GetEntity of " + keys[i] + " differs");
        } else if (s.IsNotFound()) {
          if (there) Find("GetEntity does not find " + keys[i] + " of " + Name(family));
        } else {
          Told(s);
        }
        if (s.code() != statuses[i].code() && Told(statuses[i])) {
          Find("MultiGet and Get differ at " + keys[i]);
        }
        if (s.ok() && statuses[i].ok() && values[i] != columns.columns()[0].value()) {
          Find("MultiGet's value differs at " + keys[i]);
        }
      }
    }
  }

  void Checkpoint(Open* open, std::optional<size_t> state) {
    const std::string dir = FLAGS_db + ".checkpoint";
    rocksdb::Checkpoint* made = nullptr;
    Status s = rocksdb::Checkpoint::Create(open->db.get(), &made);
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    if (s.ok()) s = checkpoint->CreateCheckpoint(dir);
    if (!Told(s)) return;
    Open copy;
    if (Told(copy.Do(dir, /*readonly=*/false))) Compare(ReadAll(&copy, "checkpoint"), state);
    copy.Close();
    Told(rocksdb::DestroyDB(dir, DatabaseOptions(), Families()));
  }

  void Compare(std::optional<size_t> now, std::optional<size_t> before) {
    if (now && before && *now != *before) {
      Find("it was after batch " + std::to_string(*before) + ", and is after " +
           std::to_string(*now));
    }
  }

  void Compact(Open* open, std::optional<size_t> state) {
    for (ColumnFamilyHandle* handle : open->handles) {
      Told(open->db->CompactRange(rocksdb::CompactRangeOptions(), handle, nullptr, nullptr));
    }
    Compare(ReadAll(open, "compacted"), state);
  }

  // Writes, if it may, and opens it again.
  void GoOn(Open* open, std::optional<size_t> state) {
    const Status s = open->db->Put(WriteOptions(), open->handles[0], kCounterKey,
                                   std::to_string(state.value_or(0)));
    const bool written = Told(s) && state.has_value();
    const Status reopened = open->Do(FLAGS_db, /*readonly=*/false);
    if (Told(reopened)) {
      const std::optional<size_t> now = ReadAll(open, "again");
      if (written) Compare(now, state);
    }
  }

  // What was there and can be read is there; of values that nobody wrote there is none.
  void Repair() {
    const Status s = rocksdb::RepairDB(FLAGS_db, DatabaseOptions(), Families(), FamilyOptions(3));
    Say("repair", s.ok() ? "OK" : s.ToString());
    if (!s.ok()) {
      Told(s);
      return;
    }
    Open open;
    const Status opened = open.Do(FLAGS_db, /*readonly=*/false);
    if (!opened.ok()) {
      Find("it does not open after RepairDB: " + opened.ToString());
      return;
    }
    const Contents contents = Scan(&open);
    size_t entries = 0;
    for (size_t family = 0; family < kFamilies; ++family) {
      entries += contents.state[family].size();
      for (const auto& [key, value] : contents.state[family]) {
        CheckOrigin(family, key, value, "repaired");
      }
      if (!contents.whole.contains(family)) Find("repaired, and cannot be read: " + Name(family));
    }
    Say("repaired", std::to_string(entries));
    if (entries == 0) Find("RepairDB says OK and leaves nothing");
  }

  const History history_;
  int findings_ = 0;
  int errors_ = 0;
};

}  // namespace
}  // namespace cairn::damage

int main(int argc, char** argv) {
  gflags::SetUsageMessage("makes a database to be damaged, and looks at what is left of it");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_make == FLAGS_probe || FLAGS_db.empty()) {
    fprintf(stderr, "give --db, and one of --make and --probe\n");
    return 2;
  }
  if (FLAGS_make) return cairn::damage::Make();
  cairn::damage::Prober().Run();
  return 0;
}
