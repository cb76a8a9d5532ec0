#include "table/cuckoo_table_builder.h"

#include <algorithm>
#include <utility>

#include "base/allocation.h"
#include "base/coding.h"
#include "table/cuckoo_table_factory.h"

namespace cairn {

CuckooTableBuilder::CuckooTableBuilder(const CuckooTableOptions& table_options,
                                       const TableBuilderOptions& options, FileWriter* file)
    : FlatTableBuilder(options, file),
      table_options_(table_options),
      block_size_(std::max(1u, table_options.cuckoo_block_size)) {
  Fail(ValidateTableOptions(table_options));
  hash_.by_modulo = table_options.use_module_hash;
  hash_.identity_first = table_options.identity_as_first_hash;
}

void CuckooTableBuilder::Add(const Slice& key, const Slice& value) {
  ParsedInternalKey parsed;
  if (!Begin(key, &parsed)) return;
  const auto refuse = [this](const std::string& what) {
    Fail(Status::NotSupported(what, file_->file_name()));
  };
  if (NumEntries() >= kMaxCuckooBuckets) return refuse("Number of keys in a file must be < 2^32-1");
  if (parsed.type != kTypeDeletion && parsed.type != kTypeValue) {
    return refuse("Unsupported key type " + std::to_string(parsed.type));
  }
  const Slice& user_key = parsed.user_key;
  if (NumEntries() == 0) {
    key_size_ = key.size();
    smallest_ = largest_ = user_key.ToString();
    if (hash_.identity_first && user_key.size() < kIdentitySize) {
      return refuse("identity_as_first_hash needs keys of at least 8 bytes");
    }
  }
  if (key.size() != key_size_) return refuse("all keys have to be the same size");
  if (parsed.type == kTypeValue) {
    if (!std::exchange(has_value_, true)) value_size_ = value.size();
    if (value.size() != value_size_) return refuse("all values have to be the same size");
  }
  only_values_of_zero_ &= parsed.sequence == 0 && parsed.type == kTypeValue;
  if (user_key.compare(smallest_) < 0) smallest_ = user_key.ToString();
  if (user_key.compare(largest_) > 0) largest_ = user_key.ToString();
  const bool room = WithMemory(key.size() + value.size(), [&] {
    keys_.append(key.data(), key.size());
    value_at_.push_back(kEmpty);
    if (parsed.type != kTypeValue) return;
    values_.append(value.data(), value.size());
    value_at_.back() = static_cast<uint32_t>(value_at_.size() - 1 - properties_.num_deletions);
  });
  if (!room) return Fail(Status::MemoryLimit("no memory for the entries of", file_->file_name()));
  Count(key, value, parsed.type);
}

// ---- Places

uint64_t CuckooTableBuilder::TableSize(uint64_t entries) const {
  const double wanted = static_cast<double>(entries) / table_options_.hash_table_ratio;
  if (hash_.by_modulo) return static_cast<uint64_t>(wanted);
  uint64_t size = 2;
  while (static_cast<double>(size) < wanted) size *= 2;
  return size;
}

uint64_t CuckooTableBuilder::EstimatedFileSize() const {
  if (finished_) return offset_;
  return NumEntries() == 0 ? 0 : TableSize(NumEntries() + 1) * (key_size_ + value_size_);
}

Slice CuckooTableBuilder::KeyOf(uint32_t entry) const {
  return Slice(keys_.data() + size_t{entry} * key_size_, key_size_);
}

bool CuckooTableBuilder::PutInFree(uint32_t entry, uint32_t function,
                                   std::vector<uint64_t>* taken) {
  uint64_t bucket = hash_.Bucket(UserKeyOf(entry), function);
  for (uint32_t i = 0; i < block_size_; ++i, ++bucket) {
    if (buckets_[bucket].entry == kEmpty) {
      buckets_[bucket].entry = entry;
      return true;
    }
    if (icmp_.EqualUserKey(UserKeyOf(buckets_[bucket].entry), UserKeyOf(entry))) {
      Fail(Status::NotSupported("Same key is being inserted again.", file_->file_name()));
      return true;
    }
    taken->push_back(bucket);
  }
  return false;
}

// By breadth: a shortest way from one of `taken` to a free bucket, each bucket's entry moving to
// one of its own other buckets.
bool CuckooTableBuilder::MakeRoom(const std::vector<uint64_t>& taken, uint64_t* freed) {
  struct Step {
    uint64_t bucket;
    size_t from;  // index in `steps`
    uint32_t depth;
  };
  constexpr size_t kStart = SIZE_MAX;
  std::vector<Step> steps;
  const uint32_t search = ++searches_;
  for (const uint64_t bucket : taken) {
    if (std::exchange(buckets_[bucket].seen, search) != search)
      steps.push_back({bucket, kStart, 0});
  }
  for (size_t i = 0; i < steps.size() && steps[i].depth < table_options_.max_search_depth; ++i) {
    const uint32_t depth = steps[i].depth;
    const Slice user_key = UserKeyOf(buckets_[steps[i].bucket].entry);
    for (uint32_t function = 0; function < num_hashes_; ++function) {
      uint64_t bucket = hash_.Bucket(user_key, function);
      for (uint32_t j = 0; j < block_size_; ++j, ++bucket) {
        if (std::exchange(buckets_[bucket].seen, search) == search) continue;
        steps.push_back({bucket, i, depth + 1});
        if (buckets_[bucket].entry != kEmpty) continue;
        size_t at = steps.size() - 1;
        for (; steps[at].from != kStart; at = steps[at].from) {
          buckets_[steps[at].bucket].entry = buckets_[steps[steps[at].from].bucket].entry;
        }
        *freed = steps[at].bucket;
        return true;
      }
    }
  }
  return false;
}

void CuckooTableBuilder::Place(uint32_t entry) {
  std::vector<uint64_t> taken;
  for (uint32_t function = 0; function < num_hashes_; ++function) {
    if (PutInFree(entry, function, &taken)) return;
  }
  for (;;) {
    uint64_t freed;
    if (MakeRoom(taken, &freed)) {
      buckets_[freed].entry = entry;
      return;
    }
    // One function more: entries that have their places keep them.
    if (num_hashes_ >= kMaxCuckooHashes) {
      return Fail(Status::NotSupported("Too many collisions. Unable to hash.", file_->file_name()));
    }
    if (PutInFree(entry, num_hashes_++, &taken)) return;
  }
}

// ---- The end

// The neighbour of one end of the keys' range, of their size.
bool CuckooTableBuilder::FindUnusedKey(std::string* user_key) const {
  *user_key = smallest_;
  for (size_t i = user_key->size(); i-- > 0;) {
    if ((*user_key)[i]-- != 0) return true;  // else the byte before lends
  }
  *user_key = largest_;
  for (size_t i = user_key->size(); i-- > 0;) {
    if (++(*user_key)[i] != 0) return true;
  }
  return false;
}

void CuckooTableBuilder::WriteBuckets() {
  std::string unused;
  if (!FindUnusedKey(&unused)) {
    return Fail(Status::NotSupported("Unable to find unused key", file_->file_name()));
  }
  if (!only_values_of_zero_) AppendInternalKeyFooter(&unused, 0, kTypeValue);
  const size_t key_size = unused.size();
  SetProperties(unused);
  unused.append(value_size_, 'a');
  const std::string no_value(value_size_, 'a');
  for (const Bucket& bucket : buckets_) {
    if (bucket.entry == kEmpty) {
      Append(unused);
    } else {
      Append(Slice(KeyOf(bucket.entry).data(), key_size));
      const uint32_t at = value_at_[bucket.entry];
      Append(at == kEmpty ? Slice(no_value)
                          : Slice(values_.data() + size_t{at} * value_size_, value_size_));
    }
    if (!ok()) return;
  }
}

void CuckooTableBuilder::SetProperties(const std::string& unused_key) {
  using N = CuckooTablePropertyNames;
  TableProperties& p = properties_;
  p.fixed_key_len = unused_key.size();
  p.raw_key_size = p.num_entries * p.fixed_key_len;
  p.raw_value_size = p.num_entries * value_size_;
  auto& extra = p.user_collected_properties;
  const auto fixed32 = [&extra](const std::string& name, uint64_t value) {
    extra[name].clear();
    PutFixed32(&extra[name], static_cast<uint32_t>(value));
  };
  const auto fixed64 = [&extra](const std::string& name, uint64_t value) {
    extra[name].clear();
    PutFixed64(&extra[name], value);
  };
  const auto flag = [&extra](const std::string& name, bool value) {
    extra[name] = std::string(1, value ? '\1' : '\0');
  };
  extra[N::kEmptyKey] = unused_key;
  fixed64(N::kValueLength, value_size_);
  fixed32(N::kNumHashFunc, num_hashes_);
  fixed64(N::kHashTableSize, hash_.size);
  fixed32(N::kCuckooBlockSize, block_size_);
  fixed32(N::kUserKeyLength, smallest_.size());
  flag(N::kIsLastLevel, NumEntries() > 0 && only_values_of_zero_);
  flag(N::kIdentityAsFirstHash, hash_.identity_first);
  flag(N::kUseModuleHash, hash_.by_modulo);
}

Status CuckooTableBuilder::Finish() {
  finished_ = true;
  if (!ok()) return status();
  hash_.size = TableSize(NumEntries());
  if (NumEntries() == 0) {
    SetProperties("");
  } else if (hash_.size > kMaxCuckooBuckets - block_size_ ||
             !WithMemory(static_cast<size_t>(hash_.size) * sizeof(Bucket), [this] {
               buckets_.resize(static_cast<size_t>(hash_.size) + block_size_ - 1);
             })) {
    Fail(Status::MemoryLimit("no memory for the buckets of", file_->file_name()));
  } else {
    for (uint32_t i = 0; i < NumEntries() && ok(); ++i) Place(i);
    if (ok()) WriteBuckets();
  }
  properties_.data_size = offset_;
  if (ok()) FinishTail(kCuckooTableMagic, /*format_version=*/1);
  return status();
}

}  // namespace cairn
