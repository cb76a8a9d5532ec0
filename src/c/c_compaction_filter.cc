// The C interface: compaction filters and their factories.
#include "c/c_objects.h"
#include "rocksdb/compaction_filter.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

// A filter of the caller's functions.
struct rocksdb_compactionfilter_t final : public CompactionFilter {
  void* state;
  void (*destructor)(void*);
  unsigned char (*filter)(void*, int level, const char* key, size_t key_length,
                          const char* existing_value, size_t value_length, char** new_value,
                          size_t* new_value_length, unsigned char* value_changed);
  const char* (*name)(void*);
  bool ignore_snapshots = true;

  ~rocksdb_compactionfilter_t() override { destructor(state); }
  const char* Name() const override { return name(state); }
  bool IgnoreSnapshots() const override { return ignore_snapshots; }
  bool Filter(int level, const Slice& key, const Slice& existing_value, std::string* new_value,
              bool* value_changed) const override {
    char* value = nullptr;
    size_t length = 0;
    unsigned char changed = 0;
    const bool removed = filter(state, level, key.data(), key.size(), existing_value.data(),
                                existing_value.size(), &value, &length, &changed) != 0;
    *value_changed = changed != 0;
    if (*value_changed) new_value->assign(value == nullptr ? "" : value, length);
    return removed;
  }
};

struct rocksdb_compactionfiltercontext_t {
  const CompactionFilter::Context* rep;
};

struct rocksdb_compactionfilterfactory_t final : public CompactionFilterFactory {
  void* state;
  void (*destructor)(void*);
  rocksdb_compactionfilter_t* (*create)(void*, rocksdb_compactionfiltercontext_t* context);
  const char* (*name)(void*);

  ~rocksdb_compactionfilterfactory_t() override { destructor(state); }
  const char* Name() const override { return name(state); }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& context) override {
    rocksdb_compactionfiltercontext_t shown{&context};
    return std::unique_ptr<CompactionFilter>(create(state, &shown));
  }
};

extern "C" {

rocksdb_compactionfilter_t* rocksdb_compactionfilter_create(
    void* state, void (*destructor)(void*),
    unsigned char (*filter)(void*, int level, const char* key, size_t key_length,
                            const char* existing_value, size_t value_length, char** new_value,
                            size_t* new_value_length, unsigned char* value_changed),
    const char* (*name)(void*)) {
  auto* const made = new rocksdb_compactionfilter_t;
  made->state = state;
  made->destructor = destructor;
  made->filter = filter;
  made->name = name;
  return made;
}
void rocksdb_compactionfilter_set_ignore_snapshots(rocksdb_compactionfilter_t* filter,
                                                   unsigned char whether) {
  filter->ignore_snapshots = whether != 0;
}
void rocksdb_compactionfilter_destroy(rocksdb_compactionfilter_t* filter) { delete filter; }

unsigned char rocksdb_compactionfiltercontext_is_full_compaction(
    rocksdb_compactionfiltercontext_t* context) {
  return static_cast<unsigned char>(context->rep->is_full_compaction);
}
unsigned char rocksdb_compactionfiltercontext_is_manual_compaction(
    rocksdb_compactionfiltercontext_t* context) {
  return static_cast<unsigned char>(context->rep->is_manual_compaction);
}

rocksdb_compactionfilterfactory_t* rocksdb_compactionfilterfactory_create(
    void* state, void (*destructor)(void*),
    rocksdb_compactionfilter_t* (*create_compaction_filter)(
        void*, rocksdb_compactionfiltercontext_t* context),
    const char* (*name)(void*)) {
  auto* const made = new rocksdb_compactionfilterfactory_t;
  made->state = state;
  made->destructor = destructor;
  made->create = create_compaction_filter;
  made->name = name;
  return made;
}
void rocksdb_compactionfilterfactory_destroy(rocksdb_compactionfilterfactory_t* factory) {
  delete factory;
}

void rocksdb_options_set_compaction_filter(rocksdb_options_t* o,
                                           rocksdb_compactionfilter_t* filter) {
  o->rep.compaction_filter = filter;
}
void rocksdb_options_set_compaction_filter_factory(rocksdb_options_t* o,
                                                   rocksdb_compactionfilterfactory_t* factory) {
  o->rep.compaction_filter_factory.reset(factory);
}

}  // extern "C"
