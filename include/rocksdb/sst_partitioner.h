// SstPartitioner: where compactions end a table file and begin the next one, besides where its size
// says so: at the borders of tenants, say, so that files lie within one of them.
//
// Set ColumnFamilyOptions::sst_partitioner_factory. It is asked by compactions whose output does
// not lie on level 0, and where one would move files without reading them; not by flushes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

class Status;
struct ConfigOptions;

enum PartitionerResult : char {
  kNotRequired = 0x0,  // both keys may be in one file
  kRequired = 0x1,     // the current key begins a file
};

// Borrows the keys.
struct PartitionerRequest {
  PartitionerRequest(const Slice& prev_user_key_, const Slice& current_user_key_,
                     uint64_t current_output_file_size_)
      : prev_user_key(&prev_user_key_),
        current_user_key(&current_user_key_),
        current_output_file_size(current_output_file_size_) {}
  const Slice* prev_user_key;
  const Slice* current_user_key;
  uint64_t current_output_file_size;  // bytes, an estimate
};

// Used by one thread.
class SstPartitioner {
 public:
  virtual ~SstPartitioner() {}

  virtual const char* Name() const = 0;

  // Asked before each user key but the first, in the order of keys.
  virtual PartitionerResult ShouldPartition(const PartitionerRequest& request) = 0;

  // Whether a file with these keys, the first and the last one, may go to the output level as it
  // is. False: it is rewritten. Asked with a lock of the database held: must not call the database,
  // nor block.
  virtual bool CanDoTrivialMove(const Slice& smallest_user_key, const Slice& largest_user_key) = 0;

  // The compaction that a partitioner is made for. Borrows the keys.
  struct Context {
    // Its input is every table file.
    bool is_full_compaction;
    // The user asked for it.
    bool is_manual_compaction;
    int output_level;
    // Of its input.
    Slice smallest_user_key;
    Slice largest_user_key;
  };
};

// Thread safety: called from several threads at once.
class SstPartitionerFactory : public Customizable {
 public:
  ~SstPartitionerFactory() override {}
  static const char* Type() { return "SstPartitionerFactory"; }
  // Makes "SstPartitionerFixedPrefixFactory" ("{id=...;length=5}"), or what was registered under a
  // name (utilities/object_registry.h); null for "" and "nullptr". A name that is not known leaves
  // *result as it is: OK with ignore_unsupported_options (the default), else NotSupported.
  static Status CreateFromString(const ConfigOptions& options, const std::string& value,
                                 std::shared_ptr<SstPartitionerFactory>* result);

  // For each compaction, or each part of one that is divided (max_subcompactions), and once more
  // where files may be moved, with a lock of the database held. Null: no partitions.
  virtual std::unique_ptr<SstPartitioner> CreatePartitioner(
      const SstPartitioner::Context& context) const = 0;

  // Stands in the OPTIONS file.
  const char* Name() const override = 0;
};

// Partitions by the first `len` bytes of the keys; a key that is shorter is its own prefix.
class SstPartitionerFixedPrefix : public SstPartitioner {
 public:
  explicit SstPartitionerFixedPrefix(size_t len) : len_(len) {}
  ~SstPartitionerFixedPrefix() override {}

  const char* Name() const override { return "SstPartitionerFixedPrefix"; }
  PartitionerResult ShouldPartition(const PartitionerRequest& request) override;
  bool CanDoTrivialMove(const Slice& smallest_user_key, const Slice& largest_user_key) override;

 private:
  size_t len_;
};

// Its option: "length", which is `len`.
class SstPartitionerFixedPrefixFactory : public SstPartitionerFactory {
 public:
  explicit SstPartitionerFixedPrefixFactory(size_t len);
  ~SstPartitionerFixedPrefixFactory() override {}

  static const char* kClassName() { return "SstPartitionerFixedPrefixFactory"; }
  const char* Name() const override { return kClassName(); }
  std::unique_ptr<SstPartitioner> CreatePartitioner(
      const SstPartitioner::Context& context) const override;

 private:
  size_t len_;
};

extern std::shared_ptr<SstPartitionerFactory> NewSstPartitionerFixedPrefixFactory(
    size_t prefix_len);

}  // namespace ROCKSDB_NAMESPACE
