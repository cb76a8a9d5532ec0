// The Replayer that DB::NewDefaultReplayer makes (rocksdb/utilities/replayer.h).
#pragma once

#include <memory>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/db.h"
#include "rocksdb/trace_reader_writer.h"
#include "rocksdb/utilities/replayer.h"

namespace cairn {

std::unique_ptr<Replayer> NewReplayer(DB* db, const std::vector<ColumnFamilyHandle*>& handles,
                                      std::unique_ptr<TraceReader>&& reader);

}  // namespace cairn
