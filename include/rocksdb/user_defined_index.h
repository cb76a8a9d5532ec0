// A user-defined index: an index of a table's data blocks in a format of the user's own, as in
// RocksDB 10 and later (where it is experimental).
//
// With BlockBasedTableOptions::user_defined_index_factory each table that is written gets one,
// beside the usual index, as a metadata block "rocksdb.user_defined_index." + the factory's name.
// Reads use it if ReadOptions::table_index_factory names it, or all of them with
// use_udi_as_primary_index; of a table that has none they use the usual one. Tables stay readable
// without the factory.
//
// What these classes throw is undefined. Builders, readers and iterators belong to one table;
// a factory and a reader are used by many threads at once, a builder and an iterator by one at a
// time. Keys are user keys, with their timestamp if the comparator has timestamps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/advanced_iterator.h"
#include "rocksdb/comparator.h"
#include "rocksdb/customizable.h"
#include "rocksdb/options.h"
#include "rocksdb/scan_options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"

namespace ROCKSDB_NAMESPACE {

// With the factory's name behind it: the name of the metadata block.
inline constexpr const char* kUserDefinedIndexPrefix = "rocksdb.user_defined_index.";

class UserDefinedIndexBuilder {
 public:
  enum ValueType : uint8_t {
    kValue = 0,
    kDelete = 1,
    kMerge = 2,
    kOther = 3,  // a reference to a blob, an entity
    kTypeMax,
  };

  // A data block: where it begins in the file and how long it is, in bytes, without the five bytes
  // behind it.
  struct BlockHandle {
    uint64_t offset;
    uint64_t size;
  };

  // sequence number << 8 | type, of the keys at a block's end. Of two versions of one key the one
  // with the larger tag comes first.
  struct IndexEntryContext {
    uint64_t last_key_tag = 0;
    uint64_t first_key_tag = 0;  // 0 at the table's end
  };

  virtual ~UserDefinedIndexBuilder() = default;

  // A data block ended, which lies at `block_handle`, with the first of the keys; the other begins
  // the next block (null: there is none). What is returned, a separator perhaps, for which
  // `separator_scratch` has room, is not looked at. Before OnKeyAdded() of the second key. The
  // versions of one key may lie in several blocks.
  virtual Slice AddIndexEntry(const Slice& last_key_in_current_block,
                              const Slice* first_key_in_next_block, const BlockHandle& block_handle,
                              std::string* separator_scratch, const IndexEntryContext& context) = 0;

  // Each entry of the table, in order.
  virtual void OnKeyAdded(const Slice& /*key*/, ValueType /*type*/, const Slice& /*value*/) {}

  // The index's bytes, good as long as the builder. Empty: the table has none. An error fails the
  // table. Once, after all else.
  virtual Status Finish(Slice* index_contents) = 0;

  // Bytes, about. Not asked by Cairn.
  virtual uint64_t EstimatedSize() const = 0;
};

// A cursor over the index's entries, one for each data block. Each movement fills in its result:
// kInbound with the entry's key, at or behind the last key of its block and before the first of the
// next one, or that it stands nowhere. An error ends the read with it.
class UserDefinedIndexIterator {
 public:
  virtual ~UserDefinedIndexIterator() = default;

  // The ranges that will be read. Not called by Cairn.
  virtual void Prepare(const ScanOptions scan_opts[], size_t num_opts) = 0;

  struct SeekContext {
    // sequence number << 8 | type: of the versions of the key those with a tag of up to this are
    // sought.
    uint64_t target_tag = 0;
  };

  // As a seek to the empty key, which is good for a comparator of bytes.
  virtual Status SeekToFirstAndGetResult(IterateResult* result) {
    return SeekAndGetResult(Slice(), result, SeekContext{});
  }
  // For movements back over the table.
  virtual Status SeekToLastAndGetResult(IterateResult* /*result*/) {
    return Status::NotSupported("SeekToLast not supported by this UDI");
  }
  virtual Status PrevAndGetResult(IterateResult* /*result*/) {
    return Status::NotSupported("Prev not supported by this UDI");
  }
  // To the first block that may have the key, or one behind it. An earlier one with versions of the
  // key is good, too: the read goes on from there.
  virtual Status SeekAndGetResult(const Slice& target, IterateResult* result,
                                  const SeekContext& context) = 0;
  virtual Status NextAndGetResult(IterateResult* result) = 0;

  // Of the entry that it stands on. A handle outside of the file is Corruption.
  virtual UserDefinedIndexBuilder::BlockHandle value() = 0;
};

class UserDefinedIndexReader {
 public:
  virtual ~UserDefinedIndexReader() = default;

  // Null is Corruption. It dies before the reader.
  virtual std::unique_ptr<UserDefinedIndexIterator> NewIterator(
      const ReadOptions& read_options) = 0;

  // Bytes, the index's included. Counted as memory of the open table.
  virtual size_t ApproximateMemoryUsage() const = 0;
};

struct UserDefinedIndexOption {
  const Comparator* comparator = BytewiseComparator();  // of the table's user keys
};

class UserDefinedIndexFactory : public Customizable {
 public:
  ~UserDefinedIndexFactory() override = default;

  static const char* Type() { return "UserDefinedIndexFactory"; }

  // One that is registered (rocksdb/utilities/object_registry.h); Cairn has none of its own.
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                 std::shared_ptr<UserDefinedIndexFactory>* factory);

  virtual UserDefinedIndexBuilder* NewBuilder() const = 0;
  // `index_block`: the index's bytes, good as long as the reader.
  virtual std::unique_ptr<UserDefinedIndexReader> NewReader(Slice& index_block) const = 0;

  // These two are called. A null builder: the table gets no such index; an error fails it. A null
  // reader is Corruption.
  virtual Status NewBuilder(const UserDefinedIndexOption& /*option*/,
                            std::unique_ptr<UserDefinedIndexBuilder>& builder) const {
    builder.reset(NewBuilder());
    return Status::OK();
  }
  virtual Status NewReader(const UserDefinedIndexOption& /*option*/, Slice& index_block,
                           std::unique_ptr<UserDefinedIndexReader>& reader) const {
    reader = NewReader(index_block);
    return Status::OK();
  }
};

}  // namespace ROCKSDB_NAMESPACE
