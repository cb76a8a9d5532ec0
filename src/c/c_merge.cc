// The C interface: merge operators, and merges.
#include <deque>

#include "base/builtin_merge_operator.h"
#include "c/c_objects.h"
#include "rocksdb/merge_operator.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

// An operator of the caller's functions.
struct rocksdb_mergeoperator_t final : public MergeOperator {
  void* state;
  void (*destructor)(void*);
  char* (*full_merge)(void*, const char* key, size_t key_length, const char* existing_value,
                      size_t existing_value_length, const char* const* operands_list,
                      const size_t* operands_list_length, int num_operands, unsigned char* success,
                      size_t* new_value_length);
  char* (*partial_merge)(void*, const char* key, size_t key_length,
                         const char* const* operands_list, const size_t* operands_list_length,
                         int num_operands, unsigned char* success, size_t* new_value_length);
  void (*delete_value)(void*, const char* value, size_t value_length);
  const char* (*name)(void*);

  ~rocksdb_mergeoperator_t() override { destructor(state); }
  const char* Name() const override { return name(state); }

  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    const Pointers operands(in.operand_list);
    const Slice* const base = in.existing_value;
    unsigned char success = 0;
    size_t length = 0;
    char* const value =
        full_merge(state, in.key.data(), in.key.size(), base == nullptr ? nullptr : base->data(),
                   base == nullptr ? 0 : base->size(), operands.data.data(), operands.sizes.data(),
                   static_cast<int>(in.operand_list.size()), &success, &length);
    return Take(value, length, success, &out->new_value);
  }
  bool PartialMergeMulti(const Slice& key, const std::deque<Slice>& operand_list,
                         std::string* new_value, Logger*) const override {
    const Pointers operands(operand_list);
    unsigned char success = 0;
    size_t length = 0;
    char* const value =
        partial_merge(state, key.data(), key.size(), operands.data.data(), operands.sizes.data(),
                      static_cast<int>(operand_list.size()), &success, &length);
    return Take(value, length, success, new_value);
  }

 private:
  struct Pointers {
    template <class List>
    explicit Pointers(const List& list) {
      for (const Slice& one : list) {
        data.push_back(one.data());
        sizes.push_back(one.size());
      }
    }
    std::vector<const char*> data;
    std::vector<size_t> sizes;
  };

  bool Take(char* value, size_t length, unsigned char success, std::string* result) const {
    if (success != 0) result->assign(value == nullptr ? "" : value, length);
    if (delete_value != nullptr) {
      delete_value(state, value, length);
    } else {
      std::free(value);
    }
    return success != 0;
  }
};

extern "C" {

rocksdb_mergeoperator_t* rocksdb_mergeoperator_create(
    void* state, void (*destructor)(void*),
    char* (*full_merge)(void*, const char* key, size_t key_length, const char* existing_value,
                        size_t existing_value_length, const char* const* operands_list,
                        const size_t* operands_list_length, int num_operands,
                        unsigned char* success, size_t* new_value_length),
    char* (*partial_merge)(void*, const char* key, size_t key_length,
                           const char* const* operands_list, const size_t* operands_list_length,
                           int num_operands, unsigned char* success, size_t* new_value_length),
    void (*delete_value)(void*, const char* value, size_t value_length),
    const char* (*name)(void*)) {
  auto* const made = new rocksdb_mergeoperator_t;
  made->state = state;
  made->destructor = destructor;
  made->full_merge = full_merge;
  made->partial_merge = partial_merge;
  made->delete_value = delete_value;
  made->name = name;
  return made;
}
void rocksdb_mergeoperator_destroy(rocksdb_mergeoperator_t* merge_operator) {
  delete merge_operator;
}
void rocksdb_options_set_merge_operator(rocksdb_options_t* o,
                                        rocksdb_mergeoperator_t* merge_operator) {
  o->rep.merge_operator.reset(merge_operator);
}
void rocksdb_options_set_uint64add_merge_operator(rocksdb_options_t* o) {
  o->rep.merge_operator = cairn::BuiltinMergeOperator("uint64add");
}

void rocksdb_merge(rocksdb_t* db, const rocksdb_writeoptions_t* options, const char* key,
                   size_t keylen, const char* val, size_t vallen, char** errptr) {
  cairn::Report(errptr, db->rep->Merge(options->rep, Slice(key, keylen), Slice(val, vallen)));
}
void rocksdb_merge_cf(rocksdb_t* db, const rocksdb_writeoptions_t* options,
                      rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen,
                      const char* val, size_t vallen, char** errptr) {
  cairn::Report(errptr, db->rep->Merge(options->rep, column_family->rep, Slice(key, keylen),
                                       Slice(val, vallen)));
}
void rocksdb_writebatch_merge(rocksdb_writebatch_t* b, const char* key, size_t klen,
                              const char* val, size_t vlen) {
  b->rep.Merge(Slice(key, klen), Slice(val, vlen)).PermitUncheckedError();
}
void rocksdb_writebatch_merge_cf(rocksdb_writebatch_t* b,
                                 rocksdb_column_family_handle_t* column_family, const char* key,
                                 size_t klen, const char* val, size_t vlen) {
  b->rep.Merge(column_family->rep, Slice(key, klen), Slice(val, vlen)).PermitUncheckedError();
}
void rocksdb_writebatch_mergev(rocksdb_writebatch_t* b, int num_keys, const char* const* keys_list,
                               const size_t* keys_list_sizes, int num_values,
                               const char* const* values_list, const size_t* values_list_sizes) {
  const std::vector<Slice> key = cairn::Slices(num_keys, keys_list, keys_list_sizes);
  const std::vector<Slice> value = cairn::Slices(num_values, values_list, values_list_sizes);
  b->rep.Merge(SliceParts(key.data(), num_keys), SliceParts(value.data(), num_values))
      .PermitUncheckedError();
}
void rocksdb_writebatch_mergev_cf(rocksdb_writebatch_t* b,
                                  rocksdb_column_family_handle_t* column_family, int num_keys,
                                  const char* const* keys_list, const size_t* keys_list_sizes,
                                  int num_values, const char* const* values_list,
                                  const size_t* values_list_sizes) {
  const std::vector<Slice> key = cairn::Slices(num_keys, keys_list, keys_list_sizes);
  const std::vector<Slice> value = cairn::Slices(num_values, values_list, values_list_sizes);
  b->rep
      .Merge(column_family->rep, SliceParts(key.data(), num_keys),
             SliceParts(value.data(), num_values))
      .PermitUncheckedError();
}

}  // extern "C"
