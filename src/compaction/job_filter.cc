#include "compaction/job_filter.h"

#include <utility>

#include "compaction/compaction.h"
#include "fs/file_names.h"

namespace cairn {

Status JobFilter::ForCompaction(const JobEnv& env, const Compaction& compaction) {
  filter_ = compaction.options().compaction_filter;
  CompactionFilterFactory* const factory = compaction.options().compaction_filter_factory.get();
  if (filter_ == nullptr && factory != nullptr &&
      factory->ShouldFilterTableFileCreation(TableFileCreationReason::kCompaction)) {
    CompactionFilter::Context context;
    context.is_full_compaction = compaction.is_full_compaction();
    context.is_manual_compaction = compaction.is_manual();
    context.input_start_level = compaction.start_level();
    context.column_family_id = env.column_family_id;
    context.reason = TableFileCreationReason::kCompaction;
    for (const CompactionInputFiles& input : compaction.inputs()) {
      for (const FileMetaData* file : input.files) {
        std::shared_ptr<const TableProperties> properties;
        TableFileId id = file->TableId(input.level);
        id.for_job = true;
        Status s = env.table_cache->GetTableProperties(id, &properties);
        if (!s.ok()) return s;
        context.input_table_properties.emplace(
            TableFileName(env.paths, file->number, file->path_id), std::move(properties));
      }
    }
    Make(factory, context);
  }
  return Check();
}

Status JobFilter::ForFlush(const JobEnv& env, const ColumnFamilyOptions& options,
                           TableFileCreationReason reason) {
  CompactionFilterFactory* const factory = options.compaction_filter_factory.get();
  if (factory != nullptr && factory->ShouldFilterTableFileCreation(reason)) {
    CompactionFilter::Context context;
    context.is_full_compaction = false;
    context.is_manual_compaction = false;
    context.column_family_id = env.column_family_id;
    context.reason = reason;
    Make(factory, context);
  }
  return Check();
}

void JobFilter::Make(CompactionFilterFactory* factory, const CompactionFilter::Context& context) {
  owned_ = factory->CreateCompactionFilter(context);
  filter_ = owned_.get();
}

Status JobFilter::Check() const {
  if (filter_ == nullptr || filter_->IgnoreSnapshots()) return Status::OK();
  return Status::NotSupported(
      "CompactionFilter::IgnoreSnapshots() = false is not supported anymore.", filter_->Name());
}

}  // namespace cairn
