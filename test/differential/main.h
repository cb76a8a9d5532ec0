// What main.cc needs of the library that it is compiled against.
#pragma once

#include <functional>

#include "rocksdb/db.h"

namespace differential {

// Runs it on the calling thread, or, where the library has fibers, on one.
int Run(bool on_a_fiber, const std::function<int()>& function);

// Whether ReadOptions::async_io may be asked for: 7.8.3 has an assertion that fails there.
bool ReadsAsynchronously();

// Before files are ingested. 7.8.3 flushes the family here: where a file comes above a memtable
// that has older entries it may take the database for corrupt later, when it has merged the file
// within level 0 and flushes (mended in 7.10, by epochs), or ask for another try.
void PrepareToIngest(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family);

}  // namespace differential
