// A trace of operations that one engine makes and another replays (trace_test.py). The public API
// alone, compiled once against Cairn and once against librocksdb.
//
//   trace_driver trace DB TRACE            operations in two families, traced; their contents
//   trace_driver replay DB TRACE THREADS   on a new database; what came of each, and the contents
//
// Prints what the other engine must print, too. Exit status 1: something failed, stderr says what.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/trace_reader_writer.h"
#include "rocksdb/trace_record.h"
#include "rocksdb/trace_record_result.h"
#include "rocksdb/utilities/replayer.h"
#include "rocksdb/write_batch.h"

namespace {

using rocksdb::Slice;
using rocksdb::Status;

void Die(const std::string& what) {
  std::fprintf(stderr, "trace_driver: %s\n", what.c_str());
  std::exit(1);
}
void Check(const char* what, const Status& s) {
  if (!s.ok()) Die(std::string(what) + ": " + s.ToString());
}

std::string KeyOf(unsigned i) {
  char text[32];
  std::snprintf(text, sizeof(text), "%06u", i * 2654435761u % 1000u);
  return text;
}

struct Database {
  explicit Database(const std::string& dir) {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    Check("open", rocksdb::DB::Open(options, dir,
                                    {{rocksdb::kDefaultColumnFamilyName, options}, {"f", options}},
                                    &handles, &db));
  }
  ~Database() {
    for (rocksdb::ColumnFamilyHandle* const handle : handles) {
      Check("handle", db->DestroyColumnFamilyHandle(handle));
    }
    delete db;
  }
  void Print() const {
    for (rocksdb::ColumnFamilyHandle* const handle : handles) {
      const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(rocksdb::ReadOptions(), handle));
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        std::printf("%u %s=%s\n", handle->GetID(), it->key().ToString().c_str(),
                    it->value().ToString().c_str());
      }
      Check("iterate", it->status());
    }
  }
  rocksdb::DB* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
};

void Trace(const std::string& dir, const std::string& trace) {
  Database database(dir);
  rocksdb::DB* const db = database.db;
  std::unique_ptr<rocksdb::TraceWriter> writer;
  Check("writer", rocksdb::NewFileTraceWriter(db->GetEnv(), rocksdb::EnvOptions(), trace, &writer));
  Check("start", db->StartTrace(rocksdb::TraceOptions(), std::move(writer)));
  for (unsigned i = 0; i < 2000; ++i) {
    rocksdb::ColumnFamilyHandle* const family = database.handles[i % 3 == 0 ? 1 : 0];
    const std::string key = KeyOf(i);
    std::string value;
    switch (i % 7) {
      case 0: {
        rocksdb::WriteBatch batch;
        Check("batch", batch.Put(database.handles[0], key, "batch" + std::to_string(i)));
        Check("batch", batch.Delete(database.handles[1], KeyOf(i / 2)));
        Check("batch", batch.DeleteRange(family, KeyOf(i), KeyOf(i) + "5"));
        Check("write", db->Write(rocksdb::WriteOptions(), &batch));
        break;
      }
      case 1: {
        const Status s = db->Get(rocksdb::ReadOptions(), family, key, &value);
        if (!s.ok() && !s.IsNotFound()) Check("get", s);
        break;
      }
      case 2: {
        std::vector<std::string> values;
        db->MultiGet(rocksdb::ReadOptions(), {family, database.handles[0]}, {key, KeyOf(i / 3)},
                     &values);
        break;
      }
      case 3: {
        const std::string upper = key + "~";
        const Slice bound(upper);
        rocksdb::ReadOptions options;
        if (i % 2 == 0) options.iterate_upper_bound = &bound;
        const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(options, family));
        it->Seek(key);
        it->SeekForPrev(KeyOf(i + 1));
        break;
      }
      default:
        // Long values, with lengths of two bytes, and empty ones.
        Check("put", db->Put(rocksdb::WriteOptions(), family, key,
                             std::string(i % 11 == 0 ? 300 : i % 5, 'v')));
    }
  }
  Check("end", db->EndTrace());
  database.Print();
}

// Prints what came of an operation.
class Printer : public rocksdb::TraceRecordResult::Handler {
 public:
  Status Handle(const rocksdb::StatusOnlyTraceExecutionResult& result) override {
    return Print(result, result.GetStatus().ToString());
  }
  Status Handle(const rocksdb::SingleValueTraceExecutionResult& result) override {
    return Print(result, result.GetStatus().ToString() + " " + result.GetValue());
  }
  Status Handle(const rocksdb::MultiValuesTraceExecutionResult& result) override {
    std::string text;
    for (size_t i = 0; i < result.GetValues().size(); ++i) {
      text += result.GetMultiStatus()[i].ToString() + " " + result.GetValues()[i] + ", ";
    }
    return Print(result, text);
  }
  Status Handle(const rocksdb::IteratorTraceExecutionResult& result) override {
    return Print(result, result.GetStatus().ToString() +
                             (result.GetValid() ? " at " : " at nothing ") +
                             result.GetKey().ToString() + "=" + result.GetValue().ToString());
  }

 private:
  static Status Print(const rocksdb::TraceExecutionResult& result, const std::string& text) {
    std::printf("of type %d: %s\n", result.GetTraceType(), text.c_str());
    return Status::OK();
  }
};

void Replay(const std::string& dir, const std::string& trace, uint32_t threads) {
  Database database(dir);
  std::unique_ptr<rocksdb::TraceReader> reader;
  Check("reader",
        rocksdb::NewFileTraceReader(database.db->GetEnv(), rocksdb::EnvOptions(), trace, &reader));
  std::unique_ptr<rocksdb::Replayer> replayer;
  Check("replayer",
        database.db->NewDefaultReplayer(database.handles, std::move(reader), &replayer));
  Check("prepare", replayer->Prepare());
  Printer printer;
  // (Several threads change the order, and with it what is found.)
  const auto print = [&](Status s, std::unique_ptr<rocksdb::TraceRecordResult>&& result) {
    Check("an operation", s);
    Check("its result", result->Accept(&printer));
  };
  std::function<void(Status, std::unique_ptr<rocksdb::TraceRecordResult>&&)> told;
  if (threads == 1) told = print;
  Check("replay", replayer->Replay(rocksdb::ReplayOptions(threads, 1000.0), told));
  if (threads == 1) database.Print();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "trace") {
    Trace(argv[2], argv[3]);
  } else if (argc == 5 && std::string(argv[1]) == "replay") {
    Replay(argv[2], argv[3], static_cast<uint32_t>(std::atoi(argv[4])));
  } else {
    Die("usage: trace_driver trace DB TRACE | replay DB TRACE THREADS");
  }
  return 0;
}
