// A user-defined index for tests: the last key of each block, with its tag, and where the block is,
// as a list. Public API alone. Test-only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/user_defined_index.h"

namespace cairn::testing {

struct ListIndexEntry {
  std::string last_key;
  uint64_t tag = 0;
  rocksdb::UserDefinedIndexBuilder::BlockHandle handle = {0, 0};
};

// What a builder was told, for tests that look.
struct ListIndexLog {
  std::string calls;  // "v" "d" "m" "o" for each key by its kind, "|" for each block
  std::vector<std::string> keys;
  std::vector<std::pair<std::string, std::string>> boundaries;  // last key, next key or ""
};

class ListIndexBuilder final : public rocksdb::UserDefinedIndexBuilder {
 public:
  explicit ListIndexBuilder(ListIndexLog* log) : log_(log) {}

  rocksdb::Slice AddIndexEntry(const rocksdb::Slice& last_key_in_current_block,
                               const rocksdb::Slice* first_key_in_next_block,
                               const BlockHandle& block_handle, std::string* separator_scratch,
                               const IndexEntryContext& context) override {
    Append(last_key_in_current_block.size());
    bytes_.append(last_key_in_current_block.data(), last_key_in_current_block.size());
    Append(context.last_key_tag);
    Append(block_handle.offset);
    Append(block_handle.size);
    if (log_ != nullptr) {
      log_->calls += '|';
      log_->boundaries.emplace_back(
          last_key_in_current_block.ToString(),
          first_key_in_next_block == nullptr ? "" : first_key_in_next_block->ToString());
    }
    *separator_scratch = last_key_in_current_block.ToString();
    return *separator_scratch;
  }
  void OnKeyAdded(const rocksdb::Slice& key, ValueType type,
                  const rocksdb::Slice& /*value*/) override {
    if (log_ == nullptr) return;
    log_->calls += "vdmo"[type];
    log_->keys.push_back(key.ToString());
  }
  rocksdb::Status Finish(rocksdb::Slice* index_contents) override {
    *index_contents = bytes_;
    return rocksdb::Status::OK();
  }
  uint64_t EstimatedSize() const override { return bytes_.size(); }

 private:
  void Append(uint64_t number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }

  ListIndexLog* const log_;  // may be null
  std::string bytes_;
};

class ListIndexIterator final : public rocksdb::UserDefinedIndexIterator {
 public:
  ListIndexIterator(const std::vector<ListIndexEntry>* entries,
                    const rocksdb::Comparator* comparator)
      : entries_(entries), comparator_(comparator) {}

  void Prepare(const rocksdb::ScanOptions /*scan_opts*/[], size_t /*num_opts*/) override {}
  rocksdb::Status SeekToFirstAndGetResult(rocksdb::IterateResult* result) override {
    at_ = 0;
    return Show(result);
  }
  rocksdb::Status SeekToLastAndGetResult(rocksdb::IterateResult* result) override {
    at_ = entries_->size() - 1;  // of none: beyond
    return Show(result);
  }
  rocksdb::Status PrevAndGetResult(rocksdb::IterateResult* result) override {
    --at_;
    return Show(result);
  }
  rocksdb::Status SeekAndGetResult(const rocksdb::Slice& target, rocksdb::IterateResult* result,
                                   const SeekContext& context) override {
    const auto found =
        std::partition_point(entries_->begin(), entries_->end(), [&](const ListIndexEntry& entry) {
          const int order = comparator_->Compare(entry.last_key, target);
          return order < 0 || (order == 0 && entry.tag > context.target_tag);
        });
    at_ = static_cast<size_t>(found - entries_->begin());
    return Show(result);
  }
  rocksdb::Status NextAndGetResult(rocksdb::IterateResult* result) override {
    ++at_;
    return Show(result);
  }
  rocksdb::UserDefinedIndexBuilder::BlockHandle value() override { return (*entries_)[at_].handle; }

 private:
  rocksdb::Status Show(rocksdb::IterateResult* result) const {
    const bool valid = at_ < entries_->size();
    result->key = valid ? rocksdb::Slice((*entries_)[at_].last_key) : rocksdb::Slice();
    result->bound_check_result =
        valid ? rocksdb::IterBoundCheck::kInbound : rocksdb::IterBoundCheck::kUnknown;
    return rocksdb::Status::OK();
  }

  const std::vector<ListIndexEntry>* const entries_;
  const rocksdb::Comparator* const comparator_;
  size_t at_ = SIZE_MAX;
};

class ListIndexReader final : public rocksdb::UserDefinedIndexReader {
 public:
  ListIndexReader(rocksdb::Slice bytes, const rocksdb::Comparator* comparator)
      : comparator_(comparator) {
    const auto take = [&bytes] {
      uint64_t number = 0;
      if (bytes.size() < sizeof(number)) return number;
      std::memcpy(&number, bytes.data(), sizeof(number));
      bytes.remove_prefix(sizeof(number));
      return number;
    };
    while (!bytes.empty()) {
      ListIndexEntry entry;
      const size_t size = std::min<size_t>(take(), bytes.size());
      entry.last_key.assign(bytes.data(), size);
      bytes.remove_prefix(size);
      entry.tag = take();
      entry.handle.offset = take();
      entry.handle.size = take();
      entries_.push_back(std::move(entry));
    }
  }

  std::unique_ptr<rocksdb::UserDefinedIndexIterator> NewIterator(
      const rocksdb::ReadOptions& /*read_options*/) override {
    return std::make_unique<ListIndexIterator>(&entries_, comparator_);
  }
  size_t ApproximateMemoryUsage() const override { return entries_.size() * 64; }

 private:
  const rocksdb::Comparator* const comparator_;
  std::vector<ListIndexEntry> entries_;
};

class ListIndexFactory : public rocksdb::UserDefinedIndexFactory {
 public:
  // `log`: of the builders; may be null.
  explicit ListIndexFactory(ListIndexLog* log = nullptr) : log_(log) {}

  static const char* kClassName() { return "cairn.ListIndex"; }
  const char* Name() const override { return kClassName(); }
  rocksdb::UserDefinedIndexBuilder* NewBuilder() const override {
    return new ListIndexBuilder(log_);
  }
  std::unique_ptr<rocksdb::UserDefinedIndexReader> NewReader(
      rocksdb::Slice& index_block) const override {
    return std::make_unique<ListIndexReader>(index_block, rocksdb::BytewiseComparator());
  }
  using UserDefinedIndexFactory::NewBuilder;
  rocksdb::Status NewReader(
      const rocksdb::UserDefinedIndexOption& option, rocksdb::Slice& index_block,
      std::unique_ptr<rocksdb::UserDefinedIndexReader>& reader) const override {
    reader = std::make_unique<ListIndexReader>(index_block, option.comparator);
    return rocksdb::Status::OK();
  }

 private:
  ListIndexLog* const log_;
};

}  // namespace cairn::testing
