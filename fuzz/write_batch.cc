// Batches of bytes from a log: iterated, applied to a memtable, which then holds what the batch
// says; and batches that are built come back.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "batch/batch_reader.h"
#include "batch/write_batch_internal.h"
#include "commit/batch_apply.h"
#include "fuzz/fuzz.h"
#include "memtable/memtable.h"
#include "rocksdb/comparator.h"
#include "rocksdb/write_batch.h"

namespace cairn::fuzz {

namespace {

constexpr SequenceNumber kFirst = 100;

// What a batch says, as text.
class Listing final : public WriteBatch::Handler {
 public:
  Status PutCF(uint32_t family, const Slice& key, const Slice& value) override {
    return Note('p', family, key, value);
  }
  Status PutEntityCF(uint32_t family, const Slice& key, const Slice& entity) override {
    return Note('e', family, key, entity);
  }
  Status DeleteCF(uint32_t family, const Slice& key) override { return Note('d', family, key, {}); }
  Status SingleDeleteCF(uint32_t family, const Slice& key) override {
    return Note('s', family, key, {});
  }
  Status DeleteRangeCF(uint32_t family, const Slice& begin, const Slice& end) override {
    return Note('r', family, begin, end);
  }
  Status MergeCF(uint32_t family, const Slice& key, const Slice& value) override {
    return Note('m', family, key, value);
  }
  void LogData(const Slice& blob) override { Note('l', 0, blob, {}).PermitUncheckedError(); }
  Status MarkNoop(bool) override { return Status::OK(); }

  const std::string& text() const { return text_; }

 private:
  Status Note(char what, uint32_t family, const Slice& key, const Slice& value) {
    text_ += what + std::to_string(family) + ":" + key.ToString(true) + "=" + value.ToString(true) +
             "\n";
    return Status::OK();
  }
  std::string text_;
};

void Apply(const Slice& rep) {
  const InternalKeyComparator icmp(BytewiseComparator());
  MemTableOptions options;
  options.write_buffer_size = 64 << 10;
  options.arena_block_size = 4 << 10;
  MemTable* const table = new MemTable(icmp, options, kFirst - 1);
  SingleMemTableSink sink(table);
  PrefetchBatches(&rep, 1, &sink);
  SequenceNumber next = 0;
  const Status s = ApplyBatch(rep, kFirst, &sink, /*concurrent=*/false,
                              /*ignore_missing_families=*/true, &next);
  FUZZ_CHECK(!s.ok() || next - kFirst == BatchReader(rep).count());
  std::unique_ptr<InternalIterator> iter(table->NewIterator());
  uint64_t entries = 0;
  std::string last;
  for (iter->SeekToFirst(); iter->Valid(); iter->Next(), ++entries) {
    ParsedInternalKey key;
    FUZZ_CHECK(ParseInternalKey(iter->key(), &key).ok());
    FUZZ_CHECK(key.sequence >= kFirst && (!s.ok() || key.sequence < next));
    FUZZ_CHECK(entries == 0 || icmp.Compare(last, iter->key()) < 0);
    last = iter->key().ToString();
    const LookupKey lookup(key.user_key, kMaxSequenceNumber);
    Slice value;
    Status found;
    bool is_entity = false;
    FUZZ_CHECK(table->Get(lookup, &value, &found, nullptr, nullptr, false, &is_entity));
    FUZZ_CHECK(!is_entity || found.ok());
  }
  FUZZ_CHECK(entries == table->num_entries());
  iter.reset();
  table->Unref();
}

void CheckBytes(std::string_view bytes) {
  const ExactCopy copy(bytes);
  const Slice rep(copy.view().data(), copy.view().size());
  BatchReader reader(rep);
  BatchRecord record;
  size_t records = 0;
  while (reader.Next(&record)) FUZZ_CHECK(++records <= bytes.size());
  if (reader.status().ok()) FUZZ_CHECK(reader.offset() == bytes.size());

  WriteBatch batch;
  if (WriteBatchInternal::SetContents(&batch, rep).ok()) {
    Listing listing;
    (void)batch.Iterate(&listing);
    (void)WriteBatchInternal::CheckWritable(&batch);
    (void)WriteBatchInternal::ContentFlags(&batch);
    (void)batch.HasPut();
  }
  Apply(rep);
}

void CheckRoundTrip(Input* input) {
  WriteBatch batch;
  while (!input->empty() && batch.Count() < 64) {
    const uint8_t what = input->Byte();
    const std::string key(input->Take(input->Byte() % 24));
    const std::string value(input->Take(what / 8));
    Status s;
    switch (what % 6) {
      case 0:
      case 1:
        s = batch.Put(key, value);
        break;
      case 2:
        s = batch.Delete(key);
        break;
      case 3:
        s = batch.SingleDelete(key);
        break;
      case 4: {
        const Slice key_slice(key), entity(value);
        const SliceParts value_parts(&entity, 1);
        s = WriteBatchInternal::AppendRecord(&batch, kTypeWideColumnEntity, what / 64,
                                             SliceParts(&key_slice, 1), &value_parts);
        break;
      }
      default:
        s = batch.PutLogData(value);
    }
    FUZZ_CHECK(s.ok());
  }
  Listing built, read;
  FUZZ_CHECK(batch.Iterate(&built).ok());
  const WriteBatch again(batch.Data());
  FUZZ_CHECK(again.Iterate(&read).ok() && built.text() == read.text());
  FUZZ_CHECK(again.Count() == batch.Count());
  FUZZ_CHECK(WriteBatchInternal::CheckWritable(&again).ok());
  Apply(batch.Data());
  // And with one damage.
  std::string damaged = batch.Data();
  DamageOnce(input, &damaged);
  CheckBytes(damaged);
}

}  // namespace

}  // namespace cairn::fuzz

// What it is: a batch's bytes, or what to put into one.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn::fuzz;
  return BuildOrDecode(data, size, CheckRoundTrip, CheckBytes);
}
