// The tables of a database that is repaired: whose they are, whether they can be read, what bounds
// they have, and in which order they must be asked.
//
// What a MANIFEST says of a table is better than what the table shows: RocksDB cuts tables, but not
// the range tombstones in them, and an ingested table does not say which sequence number it got.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/logging.h"
#include "base/range_tombstones.h"
#include "base/timestamps.h"
#include "compaction/table_writer.h"
#include "compaction/tombstone_writer.h"
#include "fs/file_names.h"
#include "fs/file_reader.h"
#include "options/options_check.h"
#include "read/run_merger.h"
#include "repair/repair.h"
#include "rocksdb/table.h"
#include "table/properties.h"
#include "table/table_options.h"
#include "table/table_reader.h"

namespace cairn {
namespace {

// All of a table, and past the caches.
ReadOptions Sweeping() {
  ReadOptions options;
  options.fill_cache = false;
  options.total_order_seek = true;
  return options;
}

}  // namespace

// --- Whose they are

Status Repairer::FindTables() {
  for (const auto& [number, path_id] : table_paths_) {
    Found found;
    found.number = number;
    Status s = ReadProperties(&found);
    // A comparator that is not known is a mistake of the caller, not damage.
    if (s.IsInvalidArgument()) return s;
    if (!s.ok()) {
      std::unique_ptr<TableSalvage> salvage;
      // (What a damaged byte says may not be supported, either.)
      if (!OpenDamaged(found, &salvage).ok()) {
        GiveUp(found, s);
        continue;
      }
      found.damage = s;
      found.properties = salvage->properties();
    }
    found.known_as = NumberByUniqueId(found);
    found.external = found.properties != nullptr &&
                     found.properties->user_collected_properties.contains(kExternalVersionProperty);
    found_.push_back(std::move(found));
  }
  return Status::OK();
}

Status Repairer::ReadProperties(Found* found) const {
  const std::string path = PathOfTable(found->number);
  IOStatus io = fs_->GetFileSize(path, IOOptions(), &found->size, nullptr);
  if (!io.ok()) return io;
  std::map<std::string, const Comparator*> comparators;
  std::set<std::shared_ptr<CompressionManager>> managers = {nullptr};
  const auto note = [&](const ColumnFamilyOptions& options) {
    comparators[options.comparator->Name()] = options.comparator;
    managers.insert(options.compression_manager);
  };
  for (const auto& [name, options] : known_) note(options);
  if (unknown_ != nullptr) note(*unknown_);
  Status s;
  for (const auto& [name, comparator] : comparators) {
    for (const auto& manager : managers) {
      const InternalKeyComparator icmp(comparator);
      std::unique_ptr<RandomAccessFileReader> reader;
      io = RandomAccessFileReader::Open(fs_, path, FileOptions(options_), &reader);
      if (!io.ok()) return io;
      std::unique_ptr<TableReader> table;
      TableReaderOptions table_options(icmp);
      table_options.compression_manager = manager;
      s = reading_->NewTableReader(table_options, std::move(reader), found->size, &table);
      if (s.ok()) found->properties = table->GetTableProperties();
      if (!s.IsNotSupported()) break;
    }
    if (!s.IsInvalidArgument()) break;
  }
  return s;
}

uint64_t Repairer::NumberByUniqueId(const Found& found) const {
  if (found.properties == nullptr || !found.damage.ok()) return found.number;
  const UniqueId id = UniqueIdOf(*found.properties);
  if (id == kNullUniqueId) return found.number;
  const auto has_it = [&](const auto& known) { return known.second.meta.unique_id == id; };
  const auto same = remains_.tables.find(found.number);
  if (same != remains_.tables.end() && has_it(*same)) return found.number;
  const auto other = std::find_if(remains_.tables.begin(), remains_.tables.end(), has_it);
  return other != remains_.tables.end() ? other->first : found.number;
}

void Repairer::ChooseFamilies() {
  // Ingested tables may come from another database, whose numbers of families say nothing here.
  // Of families of one name the last one is there, the others were dropped.
  std::vector<Found*> order;
  for (Found& found : found_) order.push_back(&found);
  std::sort(order.begin(), order.end(), [](const Found* a, const Found* b) {
    if ((a->properties == nullptr) != (b->properties == nullptr)) return b->properties == nullptr;
    if (a->external != b->external) return b->external;
    if (a->properties == nullptr) return a->number < b->number;
    const uint64_t a_family = a->properties->column_family_id;
    const uint64_t b_family = b->properties->column_family_id;
    return a_family != b_family ? a_family > b_family : a->number < b->number;
  });
  // A MANIFEST that lost the record of a family's beginning still has its tables, which name it.
  for (const Found* const found : order) {
    const auto known = remains_.tables.find(found->known_as);
    if (known == remains_.tables.end() || found->properties == nullptr || found->external ||
        found->properties->column_family_id != known->second.family) {
      continue;
    }
    std::string& name = remains_.families[known->second.family].name;
    if (name.empty()) name = found->properties->column_family_name;
  }
  for (Found* const found : order) ChooseFamily(found);
}

void Repairer::ChooseFamily(Found* found) {
  static const TableProperties& kNothing = *new TableProperties;
  const TableProperties& properties = found->properties != nullptr ? *found->properties : kNothing;
  uint32_t id = 0;
  std::string name = kDefaultColumnFamilyName;
  if (const auto known = remains_.tables.find(found->known_as); known != remains_.tables.end()) {
    id = known->second.family;
    name = remains_.families[id].name;
  } else if (found->external) {
    const Family* const family = FamilyNamed(properties.column_family_name);
    if (family != nullptr) {
      id = family->id;
      name = family->name;
    }
  } else if (properties.column_family_id < rocksdb::TableProperties::kUnknownColumnFamily &&
             properties.column_family_id != 0) {
    id = static_cast<uint32_t>(properties.column_family_id);
    name = properties.column_family_name;
  } else if (!found->damage.ok() && properties.column_family_id != 0 && families_.size() > 1) {
    GiveUp(*found, Status::Corruption("nothing says of which column family it is",
                                      found->damage.ToString()));
    return;
  }
  if (const auto said = remains_.families.find(id);
      said != remains_.families.end() && said->second.dropped) {
    GiveUp(*found, Status::ColumnFamilyDropped(name));
    return;
  }
  const auto existing = families_.find(id);
  if (existing != families_.end() && existing->second->name != name) {
    GiveUp(*found, Status::Corruption("inconsistent column family name",
                                      name + ", expected " + existing->second->name));
    return;
  }
  found->family = AddFamily(id, name);
  if (found->family == nullptr) {
    GiveUp(*found, Status::Corruption("Encountered unknown column family with name=" + name +
                                      ", id=" + std::to_string(id)));
  }
}

void Repairer::GiveUp(const Found& found, const Status& why) {
  LogWarn(info_log_, "Table #%llu: ignoring %s", static_cast<unsigned long long>(found.number),
          why.ToString().c_str());
  discarded_.push_back(found.number);
}

// --- What they hold

Status Repairer::ScanTables() {
  std::set<uint64_t> sound;
  const auto scan = [&](const Found& found) {
    auto table = std::make_unique<Table>();
    Status s = found.damage.ok() ? ScanTable(found, table.get()) : found.damage;
    if (!s.ok()) {
      bool complete = false;
      s = Salvage(found, s, &complete);
      if (complete) sound.insert(found.known_as);
      return s;
    }
    sound.insert(found.known_as);
    last_sequence_ = std::max(last_sequence_, table->meta.largest_seqno);
    tables_.push_back(std::move(table));
    return s;
  };
  Status s;
  // GuessSequence looks at those that were not ingested.
  std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
    return a.external != b.external ? b.external : a.number < b.number;
  });
  for (const Found& found : found_) {
    if (found.family != nullptr && !remains_.deleted.contains(found.known_as)) s = scan(found);
    if (!s.ok()) return s;
  }
  for (const auto& [id, family] : families_) {
    const auto said = remains_.families.find(id);
    if (said == remains_.families.end()) continue;
    for (const uint64_t number : said->second.tables) {
      if (sound.contains(number)) continue;
      LogWarn(info_log_, "Table #%llu of column family [%s] is lost, or a part of it",
              static_cast<unsigned long long>(number), family->name.c_str());
      if (const auto meta = remains_.tables.find(number); meta != remains_.tables.end()) {
        family->lost.push_back(meta->second.meta);
      }
    }
  }
  // What replaced these is there, unless a table is lost: then they may have what it had.
  const auto may_help = [&](const Found& found) {
    const auto known = remains_.tables.find(found.known_as);
    const InternalKeyComparator& icmp = found.family->icmp;
    return std::any_of(found.family->lost.begin(), found.family->lost.end(), [&](const auto& lost) {
      return known == remains_.tables.end() || Overlap(icmp, known->second.meta, lost);
    });
  };
  for (const Found& found : found_) {
    if (found.family == nullptr || !remains_.deleted.contains(found.known_as)) continue;
    if (may_help(found)) {
      s = scan(found);
      if (!s.ok()) return s;
    } else {
      GiveUp(found, Status::Aborted("by the MANIFEST it was deleted"));
    }
  }
  return s;
}

SequenceNumber Repairer::GuessSequence(const Found& found, const Family& family) const {
  // Whoever ingests behind all others wants no number.
  if (ReservesLastLevel(options_, *family.options)) return 0;
  SequenceNumber guess = 0;
  for (const auto& table : tables_) {
    if (table->family == &family && table->meta.number < found.number) {
      guess = std::max(guess, table->meta.largest_seqno + 1);
    }
  }
  return guess;
}

Status Repairer::ScanTable(const Found& found, Table* table) {
  Family* const family = found.family;
  const TableProperties& properties = *found.properties;
  table->family = family;
  FileMetaData& meta = table->meta;
  const auto remains = remains_.tables.find(found.known_as);
  const UniqueId unique_id = UniqueIdOf(properties);
  const auto may_be = [&](const FileMetaData& remembered) {
    return remembered.file_size == found.size &&
           (remembered.unique_id == kNullUniqueId || remembered.unique_id == unique_id);
  };
  const bool known = remains != remains_.tables.end() && may_be(remains->second.meta);
  if (known) meta = remains->second.meta;
  meta.number = found.number;
  meta.path_id = PathIdOf(found.number);
  meta.file_size = found.size;
  meta.unique_id = unique_id;
  meta.epoch_number = kUnknownEpochNumber;
  TableFileId id = UnpinnedId(meta);
  if (!known) {
    const auto& extra = properties.user_collected_properties;
    const auto stored = extra.find(kExternalGlobalSeqnoProperty);
    const bool unsaid =
        stored != extra.end() && stored->second.find_first_not_of('\0') == std::string::npos;
    id.largest_seqno = unsaid ? GuessSequence(found, *family) : kMaxSequenceNumber;
    table->guessed_sequence = unsaid;
    meta.oldest_ancester_time = properties.creation_time;
    meta.file_creation_time = properties.file_creation_time;
  }
  meta.num_entries = properties.num_entries;
  meta.num_deletions = properties.num_deletions;
  meta.raw_key_size = properties.raw_key_size;
  meta.raw_value_size = properties.raw_value_size;
  meta.smallest_seqno = kMaxSequenceNumber;
  meta.largest_seqno = 0;

  TableCache::Ref reader;
  Status s = family->tables->FindTable(id, &reader);
  if (!s.ok()) return s;
  const std::unique_ptr<InternalIterator> entries(
      reader->NewIterator(Sweeping(), /*skip_filters=*/true, options_.compaction_readahead_size,
                          /*for_compaction=*/true));
  s = ScanEntries(reader->range_tombstones(), entries.get(), table);
  // Opening the table read a filter that is whole, but not the partitions of another.
  if (s.ok() && properties.index_partitions > 0 && !properties.filter_policy_name.empty()) {
    s = reader->VerifyChecksum(Sweeping());
  }
  LogInfo(info_log_, "Table #%llu: %llu entries, sequence numbers %llu to %llu, %s",
          static_cast<unsigned long long>(found.number),
          static_cast<unsigned long long>(meta.num_entries),
          static_cast<unsigned long long>(meta.smallest_seqno),
          static_cast<unsigned long long>(meta.largest_seqno), s.ToString().c_str());
  return s;
}

Status Repairer::ScanEntries(const RangeTombstones* tombstones, InternalIterator* entries,
                             Table* table) const {
  const InternalKeyComparator& icmp = table->family->icmp;
  FileMetaData& meta = table->meta;
  const std::string path = PathOfTable(meta.number);
  InternalKey smallest, largest;
  uint64_t oldest_blob = kNoBlobFile;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    ParsedInternalKey parsed;
    Status s = ParseInternalKey(entries->key(), &parsed);
    if (!s.ok()) return Status::Corruption("malformed key", path);
    if (parsed.sequence > kLastWritableSequence) {
      return Status::Corruption("sequence number out of range", path);
    }
    if (!largest.empty() && icmp.Compare(largest.Encode(), entries->key()) >= 0) {
      return Status::Corruption("keys out of order", path);
    }
    if (smallest.empty()) smallest.DecodeFrom(entries->key());
    largest.DecodeFrom(entries->key());
    if (parsed.type == kTypeBlobIndex) {
      BlobIndex at;
      s = DecodeBlobIndex(entries->value(), &at);
      if (!s.ok()) return Status::CopyAppendMessage(s, " in ", path);
      if (oldest_blob == kNoBlobFile || at.file_number < oldest_blob) oldest_blob = at.file_number;
    }
    meta.smallest_seqno = std::min(meta.smallest_seqno, parsed.sequence);
    meta.largest_seqno = std::max(meta.largest_seqno, parsed.sequence);
  }
  if (!entries->status().ok()) return entries->status();
  meta.oldest_blob_file_number = oldest_blob;
  meta.has_no_tombstones = tombstones == nullptr || tombstones->empty();
  // What the MANIFEST says of the bounds, unless that is of another file.
  const bool bounds_known =
      !meta.smallest.empty() && icmp.Compare(meta.smallest.Encode(), meta.largest.Encode()) <= 0 &&
      (smallest.empty() || (icmp.Compare(meta.smallest.Encode(), smallest.Encode()) <= 0 &&
                            icmp.Compare(meta.largest.Encode(), largest.Encode()) >= 0));
  if (!meta.has_no_tombstones) {
    const auto& fragments = tombstones->fragments();
    for (const RangeTombstones::Fragment& fragment : fragments) {
      meta.smallest_seqno = std::min(meta.smallest_seqno, fragment.sequences.back());
      meta.largest_seqno = std::max(meta.largest_seqno, fragment.sequences.front());
    }
    const RangeTombstones::Fragment& first = fragments.front();
    const InternalKey begin(first.start, first.sequences.front(), kTypeRangeDeletion);
    const InternalKey end(fragments.back().end, kMaxSequenceNumber, kTypeRangeDeletion);
    if (smallest.empty() || icmp.Compare(begin.Encode(), smallest.Encode()) < 0) smallest = begin;
    if (largest.empty() || icmp.Compare(end.Encode(), largest.Encode()) > 0) largest = end;
  }
  if (smallest.empty()) return Status::Corruption("table without entries", path);
  if (meta.largest_seqno > kLastWritableSequence) {
    return Status::Corruption("sequence number out of range", path);
  }
  if (!bounds_known) {
    meta.smallest = smallest;
    meta.largest = largest;
  }
  return Status::OK();
}

// --- Their order

namespace {

struct KeyVersion {
  SequenceNumber sequence;
  ValueType type;
};

// That two tables have one version in common does not show in a read, but in two cases: a merge
// operand counts twice, and an iterator shows a key twice whose sequence number is 0, behind which
// it expects no other version. And what refers to a blob would become its garbage twice. A
// compaction's inputs that are still there beside its outputs are like that.
bool MustNotBeTwice(const std::vector<KeyVersion>& a, const std::vector<KeyVersion>& b) {
  for (const KeyVersion& one : a) {
    for (const KeyVersion& other : b) {
      if (one.sequence != other.sequence) continue;
      if (one.sequence == 0 || one.type == kTypeMerge || other.type == kTypeMerge ||
          one.type == kTypeBlobIndex) {
        return true;
      }
    }
  }
  return false;
}

// One of two tables that are compared, where the other one has keys, too.
class TableCursor {
 public:
  TableCursor(const InternalKeyComparator& icmp, const FileMetaData& other)
      : icmp_(icmp), other_largest_(other.largest.Encode()) {}

  Status Open(TableCache* tables, const FileMetaData& meta, const Slice& from) {
    Status s = tables->FindTable(UnpinnedId(meta), &table_);
    if (!s.ok()) return s;
    entries_.reset(table_->NewIterator(Sweeping(), /*skip_filters=*/true));
    entries_->Seek(InternalKey(from, kMaxSequenceNumber, kValueTypeForSeek).Encode());
    return Parse();
  }

  bool Valid() const { return valid_; }
  const Slice& user_key() const { return parsed_.user_key; }

  // The versions of `key`, which is this one's, newest first, and goes on behind it. *is_older is
  // set if `other` has a tombstone over one of its versions, *is_newer if it has one that is older
  // than one of them: a read that met that tombstone first would look no deeper.
  Status TakeKey(const std::string& key, const TableCursor& other,
                 std::vector<KeyVersion>* versions, bool* is_older, bool* is_newer) {
    versions->clear();
    const RangeTombstones* const tombstones = other.table_->range_tombstones();
    // (A tombstone of any timestamp counts.)
    const std::string covered = WithMaxTimestamp(icmp_.BareKey(key), icmp_.timestamp_size());
    const auto covering = [&](SequenceNumber at) {
      return tombstones == nullptr ? 0 : tombstones->Covering(covered, at);
    };
    const SequenceNumber newest_over_it = covering(kMaxSequenceNumber);
    if (parsed_.sequence > 0 && covering(parsed_.sequence - 1) > 0) *is_newer = true;
    Status s;
    while (s.ok() && valid_ && icmp_.EqualBare(parsed_.user_key, key)) {
      versions->push_back({parsed_.sequence, parsed_.type});
      if (newest_over_it > parsed_.sequence) *is_older = true;
      entries_->Next();
      s = Parse();
    }
    return s;
  }

 private:
  Status Parse() {
    valid_ = entries_->Valid();
    if (!valid_) return entries_->status();
    Status s = ParseInternalKey(entries_->key(), &parsed_);
    if (s.ok()) valid_ = !EndsBefore(icmp_, other_largest_, parsed_.user_key);
    return s;
  }

  const InternalKeyComparator& icmp_;
  const Slice other_largest_;
  TableCache::Ref table_;
  std::unique_ptr<InternalIterator> entries_;
  ParsedInternalKey parsed_;
  bool valid_ = false;
};

}  // namespace

Status Repairer::Relate(const Table& a, const Table& b, TableRelation* relation) const {
  const InternalKeyComparator& icmp = a.family->icmp;
  TableCache* const tables = a.family->tables.get();
  // (Versions of one key are related, whatever their timestamps are.)
  Slice larger = a.meta.smallest.user_key();
  if (icmp.CompareBare(larger, b.meta.smallest.user_key()) < 0) larger = b.meta.smallest.user_key();
  const std::string from = WithMaxTimestamp(icmp.BareKey(larger), icmp.timestamp_size());
  TableCursor first(icmp, b.meta), second(icmp, a.meta);
  std::vector<KeyVersion> of_first, of_second;
  Status s = first.Open(tables, a.meta, from);
  if (s.ok()) s = second.Open(tables, b.meta, from);
  while (s.ok() && (first.Valid() || second.Valid()) &&
         !(relation->first_is_newer && relation->second_is_newer)) {
    const int order = !first.Valid()    ? 1
                      : !second.Valid() ? -1
                                        : icmp.CompareBare(first.user_key(), second.user_key());
    const std::string key = (order <= 0 ? first : second).user_key().ToString();
    if (order <= 0) {
      s = first.TakeKey(key, second, &of_first, &relation->second_is_newer,
                        &relation->first_is_newer);
    }
    if (s.ok() && order >= 0) {
      s = second.TakeKey(key, first, &of_second, &relation->first_is_newer,
                         &relation->second_is_newer);
    }
    if (!s.ok() || order != 0) continue;
    const SequenceNumber first_greatest = of_first.front().sequence;
    const SequenceNumber first_least = of_first.back().sequence;
    const SequenceNumber second_greatest = of_second.front().sequence;
    const SequenceNumber second_least = of_second.back().sequence;
    if (first_greatest > second_least) relation->first_is_newer = true;
    if (second_greatest > first_least) relation->second_is_newer = true;
    if (first_greatest == second_least && second_greatest == first_least &&
        a.guessed_sequence != b.guessed_sequence) {
      (a.guessed_sequence ? relation->second_is_newer : relation->first_is_newer) = true;
    }
    if (MustNotBeTwice(of_first, of_second)) {
      relation->first_is_newer = relation->second_is_newer = true;  // they become one
    }
  }
  return s;
}

Status Repairer::PlaceFamily(Family* family) {
  int levels = family->options->num_levels;
  if (family->options->compaction_style == kCompactionStyleFIFO) levels = 1;
  if (ReservesLastLevel(options_, *family->options)) --levels;
  std::map<std::pair<uint64_t, uint64_t>, TableRelation> related;  // by their numbers
  for (;;) {
    std::vector<Table*> tables;
    std::vector<const FileMetaData*> metas;
    for (const auto& table : tables_) {
      if (table->family != family) continue;
      tables.push_back(table.get());
      metas.push_back(&table->meta);
    }
    const auto relate = [&](size_t first, size_t second, TableRelation* relation) {
      const auto [it, is_new] =
          related.try_emplace({metas[first]->number, metas[second]->number}, TableRelation());
      const Status s = is_new ? Relate(*tables[first], *tables[second], &it->second) : Status::OK();
      *relation = it->second;
      return s;
    };
    TablePlaces places;
    Status s = PlaceTables(family->icmp, metas, levels, relate, &places);
    if (!s.ok()) return s;
    if (places.conflict.empty()) {
      uint64_t epoch = kReservedEpochNumberForFileIngestedBehind + tables.size();
      for (const size_t index : places.order) {
        tables[index]->meta.epoch_number = epoch--;
        levels_[tables[index]->meta.number] = places.levels[index];
      }
      return s;
    }
    std::vector<Table*> inputs;
    for (const size_t index : places.conflict) inputs.push_back(tables[index]);
    // Of two versions with one sequence number the first table's is taken: what was written later
    // and, before that, what nobody had to guess.
    std::sort(inputs.begin(), inputs.end(), [](const Table* one, const Table* other) {
      if (one->guessed_sequence != other->guessed_sequence) return other->guessed_sequence;
      return one->meta.number > other->meta.number;
    });
    s = MergeTables(inputs);
    if (!s.ok()) return s;
  }
}

namespace {

// Writes entries that come in the order of their keys: of several with one user key and sequence
// number, which several tables have, a single one. That is the first; but a value rather than a
// merge operand, which a compaction made it of.
class OneOfEach {
 public:
  OneOfEach(const InternalKeyComparator& icmp, TableWriter* writer)
      : icmp_(icmp), writer_(writer) {}

  Status Take(const Slice& key, const Slice& value) {
    ParsedInternalKey parsed;
    Status s = ParseInternalKey(key, &parsed);
    if (!s.ok()) return s;
    const bool again = !key_.empty() && parsed.sequence == held_.sequence &&
                       icmp_.CompareUserKey(parsed.user_key, held_.user_key) == 0;
    if (again && (held_.type != kTypeMerge || parsed.type == kTypeMerge)) return s;
    if (!again) s = Finish();
    key_.assign(key.data(), key.size());
    value_.assign(value.data(), value.size());
    held_ = parsed;
    held_.user_key = Slice(key_.data(), parsed.user_key.size());
    return s;
  }

  Status Finish() {
    if (key_.empty()) return Status::OK();
    writer_->Add(held_, key_, value_);
    key_.clear();
    return writer_->status();
  }

 private:
  const InternalKeyComparator& icmp_;
  TableWriter* const writer_;
  std::string key_, value_;  // the entry that is written next; no key: none
  ParsedInternalKey held_;   // of key_
};

}  // namespace

uint64_t Repairer::AddTombstones(const RangeTombstones& tombstones, TableWriter* writer) {
  uint64_t count = 0;
  for (const RangeTombstones::Fragment& fragment : tombstones.fragments()) {
    for (size_t i = 0; i < fragment.sequences.size(); ++i, ++count) {
      writer->AddTombstone(fragment.start, fragment.end, fragment.sequences[i],
                           fragment.timestamps.empty() ? Slice() : fragment.timestamps[i]);
    }
  }
  return count;
}

Status Repairer::MergeTables(const std::vector<Table*>& inputs) {
  Family* const family = inputs[0]->family;
  const JobEnv env = MakeJobEnv(*family);
  std::vector<InternalIterator*> children;
  std::vector<TableCache::Ref> open(inputs.size());
  TombstoneCollector collector(&family->icmp);
  TableWriterOptions options;
  options.compression = family->options->compression;
  options.compression_opts = family->options->compression_opts;
  options.reason = TableFileCreationReason::kRecovery;
  options.oldest_ancester_time = UINT64_MAX;
  Status s;
  for (size_t i = 0; i < inputs.size() && s.ok(); ++i) {
    const FileMetaData& meta = inputs[i]->meta;
    s = family->tables->FindTable(UnpinnedId(meta), &open[i]);
    if (!s.ok()) break;
    children.push_back(open[i]->NewIterator(Sweeping(), /*skip_filters=*/true,
                                            options_.compaction_readahead_size,
                                            /*for_compaction=*/true));
    collector.AddOfTable(open[i]->range_tombstones(), meta.smallest.Encode(),
                         meta.largest.Encode());
    options.target_file_size += meta.file_size;
    options.oldest_ancester_time =
        std::min(options.oldest_ancester_time, meta.oldest_ancester_time);
  }
  const std::unique_ptr<InternalIterator> merged(NewRunMerger(&family->icmp, std::move(children)));
  auto output = std::make_unique<Table>();
  output->family = family;
  const uint64_t number = NewFileNumber();
  TableWriter writer(env, *family->options, options);
  if (s.ok()) s = writer.Open(number);
  if (!s.ok()) return s;
  OneOfEach entries(family->icmp, &writer);
  for (merged->SeekToFirst(); s.ok() && merged->Valid(); merged->Next()) {
    s = entries.Take(merged->key(), merged->value());
  }
  if (s.ok()) s = merged->status();
  if (s.ok()) s = entries.Finish();
  if (s.ok()) {
    if (const auto tombstones = collector.Finish(nullptr, nullptr); tombstones != nullptr) {
      AddTombstones(*tombstones, &writer);
    }
    s = writer.Finish(&output->meta);
  }
  if (!s.ok()) return s;
  made_.push_back(number);
  std::string names;
  for (const Table* input : inputs) {
    names += " #" + std::to_string(input->meta.number);
    superseded_.push_back(input->meta.number);
    family->tables->Evict(input->meta.number);
  }
  LogInfo(info_log_, "Tables%s, which have no order, became table #%llu", names.c_str(),
          static_cast<unsigned long long>(number));
  std::erase_if(tables_, [&](const auto& table) {
    return std::find(inputs.begin(), inputs.end(), table.get()) != inputs.end();
  });
  tables_.push_back(std::move(output));
  return s;
}

}  // namespace cairn
