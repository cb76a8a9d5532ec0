// FlushBlockPolicy: where a table's data blocks end. By size (block_size, block_size_deviation)
// unless BlockBasedTableOptions::flush_block_policy_factory says otherwise: where readers will
// read what belongs together, say.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"
#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {

class Slice;
// The block that is being filled: for NewFlushBlockPolicy() alone.
class BlockBuilder;
struct ConfigOptions;

// Of one table, used by one thread.
class FlushBlockPolicy {
 public:
  virtual ~FlushBlockPolicy() {}

  // Asked before each entry but range tombstones, in their order: whether it begins a block. `key`
  // is internal: the user key, and 8 bytes with the sequence number and the type. A block is never
  // empty: what is said before a block's first entry changes nothing. A block of 1 GiB ends anyway.
  virtual bool Update(const Slice& key, const Slice& value) = 0;
};

// Thread safety: called from several threads at once.
class FlushBlockPolicyFactory : public Customizable {
 public:
  ~FlushBlockPolicyFactory() override {}
  static const char* Type() { return "FlushBlockPolicyFactory"; }
  // Makes "FlushBlockBySizePolicyFactory", "FlushBlockEveryKeyPolicyFactory" (a block for each
  // entry), or what was registered under a name (utilities/object_registry.h). A name that is not
  // known leaves *result as it is: OK with ignore_unsupported_options (the default), else
  // NotSupported.
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                 std::shared_ptr<FlushBlockPolicyFactory>* result);

  // For each table; the caller deletes it. Borrows both arguments for the policy's life. Null: the
  // table cannot be written (InvalidArgument).
  virtual FlushBlockPolicy* NewFlushBlockPolicy(const BlockBasedTableOptions& table_options,
                                                const BlockBuilder& data_block_builder) const = 0;

  // Stands in the OPTIONS file.
  const char* Name() const override = 0;
};

// The default: block_size and block_size_deviation.
class FlushBlockBySizePolicyFactory : public FlushBlockPolicyFactory {
 public:
  FlushBlockBySizePolicyFactory();

  static const char* kClassName() { return "FlushBlockBySizePolicyFactory"; }
  const char* Name() const override { return kClassName(); }
  FlushBlockPolicy* NewFlushBlockPolicy(const BlockBasedTableOptions& table_options,
                                        const BlockBuilder& data_block_builder) const override;
  // For a policy of one's own that asks this one, too. `size`: bytes; `deviation`: percent of them.
  static FlushBlockPolicy* NewFlushBlockPolicy(uint64_t size, int deviation,
                                               const BlockBuilder& data_block_builder);
};

}  // namespace ROCKSDB_NAMESPACE
