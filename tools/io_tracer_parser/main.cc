// io_tracer_parser: a trace of a file system's calls (DB::StartIOTrace) as text, one call a line,
// by the flag and the lines of RocksDB's tool of the name. Reads Cairn's traces and RocksDB's.
// Entries of other kinds are counted and passed over. Exit status: 0; 1 if the trace could not be
// read to its end; 2 if a flag is wrong.
#include <gflags/gflags.h>

#include <cinttypes>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cairn/io_trace_reader.h"
#include "rocksdb/env.h"
#include "rocksdb/trace_reader_writer.h"

DEFINE_string(io_trace_file, "", "the trace's file");

namespace {

int Fail(const rocksdb::Status& s) {
  std::fprintf(stderr, "%s: %s\n", FLAGS_io_trace_file.c_str(), s.ToString().c_str());
  return 1;
}

void PrintNumber(const char* name, const std::optional<uint64_t>& number) {
  if (number.has_value()) std::printf(", %s: %" PRIu64, name, *number);
}

void Print(const cairn::IOTraceRecord& call) {
  std::printf("Access Time : %-20" PRIu64
              ", File Name: %-20s, File Operation: %-18s, Latency: %-10" PRIu64 ", IO Status: %s",
              call.access_timestamp, call.file_name.c_str(), call.file_operation.c_str(),
              call.latency, call.io_status.c_str());
  PrintNumber("File Size", call.file_size);
  PrintNumber("Length", call.length);
  PrintNumber("Offset", call.offset);
  if (call.request.has_value()) std::printf(", Request Id: %s", call.request->c_str());
  std::printf("\n");
}

int Run() {
  std::unique_ptr<rocksdb::TraceReader> file;
  rocksdb::Status s = rocksdb::NewFileTraceReader(rocksdb::Env::Default(), rocksdb::EnvOptions(),
                                                  FLAGS_io_trace_file, &file);
  if (!s.ok()) return Fail(s);
  cairn::IOTraceReader reader(std::move(file));
  s = reader.ReadHeader();
  if (!s.ok()) return Fail(s);
  std::printf("Start Time: %" PRIu64 "\nRocksDB Major Version: %u\nRocksDB Minor Version: %u\n",
              reader.header_timestamp(), reader.major_version(), reader.minor_version());
  cairn::IOTraceRecord call;
  uint64_t others = 0;
  while (true) {
    s = reader.Next(&call);
    if (s.IsNotSupported()) {
      ++others;
    } else if (!s.ok()) {
      break;
    } else {
      Print(call);
    }
  }
  if (others != 0) {
    std::fprintf(stderr, "%s: %" PRIu64 " entries of other kinds\n", FLAGS_io_trace_file.c_str(),
                 others);
  }
  return s.IsIncomplete() ? 0 : Fail(s);
}

}  // namespace

int main(int argc, char** argv) {
  gflags::SetUsageMessage("--io_trace_file=FILE: the calls in a trace of DB::StartIOTrace");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_io_trace_file.empty() || argc > 1) {
    std::fprintf(stderr, "io_tracer_parser: --io_trace_file=FILE, and nothing else\n");
    return 2;
  }
  return Run();
}
