// The C interface: a filter of recovered writes (rocksdb/c_wal_filter.h).
#include "c/c_objects.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/wal_filter.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

struct rocksdb_walfilter_t final : public WalFilter {
  void* state = nullptr;
  void (*destructor)(void*) = nullptr;
  rocksdb_walfilter_column_family_log_number_map_cb families = nullptr;
  rocksdb_walfilter_log_record_found_cb found = nullptr;
  const char* (*name)(void*) = nullptr;

  ~rocksdb_walfilter_t() override {
    if (destructor != nullptr) destructor(state);
  }
  const char* Name() const override { return name(state); }

  void ColumnFamilyLogNumberMap(const std::map<uint32_t, uint64_t>& logs,
                                const std::map<std::string, uint32_t>& names) override {
    if (families == nullptr) return;
    std::vector<uint32_t> ids, name_ids;
    std::vector<uint64_t> numbers;
    std::vector<const char*> texts;
    std::vector<size_t> lengths;
    for (const auto& [id, log] : logs) {
      ids.push_back(id);
      numbers.push_back(log);
    }
    for (const auto& [text, id] : names) {
      texts.push_back(text.c_str());
      lengths.push_back(text.size());
      name_ids.push_back(id);
    }
    families(state, ids.data(), numbers.data(), ids.size(), texts.data(), lengths.data(),
             name_ids.data(), name_ids.size());
  }

  WalProcessingOption LogRecordFound(unsigned long long log_number, const std::string& log_file,
                                     const WriteBatch& batch, WriteBatch* new_batch,
                                     bool* batch_changed) override {
    if (found == nullptr) return WalProcessingOption::kContinueProcessing;
    const rocksdb_writebatch_t in_c{batch};
    rocksdb_writebatch_t changed{WriteBatch()};
    unsigned char is_changed = 0;
    const int answer =
        found(state, log_number, log_file.c_str(), log_file.size(), &in_c, &changed, &is_changed);
    *batch_changed = is_changed != 0;
    if (*batch_changed) *new_batch = std::move(changed.rep);
    // What is no answer is what a filter in C++ would be taken for, too: damage.
    const bool known =
        answer >= 0 && answer < static_cast<int>(WalProcessingOption::kWalProcessingOptionMax);
    return known ? static_cast<WalProcessingOption>(answer) : WalProcessingOption::kCorruptedRecord;
  }
};

extern "C" {

rocksdb_walfilter_t* rocksdb_walfilter_create(
    void* state, void (*destructor)(void*),
    rocksdb_walfilter_column_family_log_number_map_cb column_family_log_number_map,
    rocksdb_walfilter_log_record_found_cb log_record_found, const char* (*name)(void*)) {
  auto* const filter = new rocksdb_walfilter_t;
  filter->state = state;
  filter->destructor = destructor;
  filter->families = column_family_log_number_map;
  filter->found = log_record_found;
  filter->name = name;
  return filter;
}
void rocksdb_walfilter_destroy(rocksdb_walfilter_t* filter) { delete filter; }

void rocksdb_options_set_wal_filter(rocksdb_options_t* opt, rocksdb_walfilter_t* filter) {
  opt->rep.wal_filter = filter;
}
void rocksdb_options_clear_wal_filter(rocksdb_options_t* opt) { opt->rep.wal_filter = nullptr; }

void rocksdb_table_properties_collector_factory_destroy(
    rocksdb_table_properties_collector_factory_t* factory) {
  delete factory;
}
void rocksdb_options_add_table_properties_collector_factory(
    rocksdb_options_t* opt, rocksdb_table_properties_collector_factory_t* factory) {
  opt->rep.table_properties_collector_factories.push_back(factory->rep);
}

}  // extern "C"
