#include "base/memtable_rep.h"

#include <memory>
#include <stdexcept>
#include <string>

#include "base/coding.h"

namespace ROCKSDB_NAMESPACE {

Slice GetLengthPrefixedSlice(const char* data) { return cairn::GetLengthPrefixedSlice(data); }

KeyHandle MemTableRep::Allocate(const size_t len, char** buf) {
  *buf = allocator_->Allocate(len);
  return *buf;
}

void MemTableRep::InsertConcurrently(KeyHandle /*handle*/) {
  throw std::runtime_error("concurrent insert not supported");
}

void MemTableRep::Get(const LookupKey& k, void* callback_args,
                      bool (*callback_func)(void* arg, const char* entry)) {
  const std::unique_ptr<Iterator> iter(GetDynamicPrefixIterator());
  for (iter->Seek(k.internal_key(), k.memtable_key().data());
       iter->Valid() && callback_func(callback_args, iter->key()); iter->Next()) {
  }
}

Status MemTableRep::MultiGet(
    size_t num_keys, const char* const* keys, void** callback_args,
    bool (*callback_func)(void* arg, const char* entry), bool /*allow_data_in_errors*/,
    bool detect_key_out_of_order,
    const std::function<Status(const char*, bool)>& key_validation_callback) {
  if (detect_key_out_of_order || key_validation_callback) {
    return Status::NotSupported("MultiGet() with validation not implemented.");
  }
  const std::unique_ptr<Iterator> iter(GetDynamicPrefixIterator());
  for (size_t i = 0; i < num_keys; ++i) {
    for (iter->Seek(GetLengthPrefixedSlice(keys[i]), keys[i]);
         iter->Valid() && callback_func(callback_args[i], iter->key()); iter->Next()) {
    }
  }
  return Status::OK();
}

Slice MemTableRep::UserKey(const char* key) const {
  return cairn::ExtractUserKey(GetLengthPrefixedSlice(key));
}

}  // namespace ROCKSDB_NAMESPACE
