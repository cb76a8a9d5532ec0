// Lines to a database's LOG: printf-style functions by level, and EventLine, which writes one line
// of JSON behind the mark EVENT_LOG_v1, as RocksDB's log analysers expect. A null logger drops
// everything.
#pragma once

#include <concepts>
#include <cstdarg>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/namespace.h"
#include "rocksdb/env.h"

namespace cairn {

void LogDebug(Logger* logger, const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
void LogInfo(Logger* logger, const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
void LogWarn(Logger* logger, const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
void LogError(Logger* logger, const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
void LogFatal(Logger* logger, const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
// Of the preamble that each new LOG file repeats.
void LogHeader(Logger* logger, const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);

// Builds `{"name": value, "list": [1, 2]}`. Names and values in order of the calls. Not
// thread-safe.
class JsonWriter {
 public:
  JsonWriter() : text_("{") {}

  JsonWriter& Field(std::string_view name, std::string_view value);
  JsonWriter& Field(std::string_view name, const char* value) {
    return Field(name, std::string_view(value));
  }
  JsonWriter& Field(std::string_view name, const std::string& value) {
    return Field(name, std::string_view(value));
  }
  JsonWriter& Field(std::string_view name, bool value) {
    return Raw(name, value ? "true" : "false");
  }
  JsonWriter& Field(std::string_view name, double value);
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  JsonWriter& Field(std::string_view name, T value) {
    return Raw(name, std::to_string(value));
  }

  // A list of numbers or of strings: BeginList("lsm_state"), Item(..) ..., EndList().
  JsonWriter& BeginList(std::string_view name);
  JsonWriter& Item(std::string_view value);
  template <std::integral T>
  JsonWriter& Item(T value) {
    return RawItem(std::to_string(value));
  }
  JsonWriter& EndList();

  // An object within: BeginObject("table_properties"), Field(..) ..., EndObject().
  JsonWriter& BeginObject(std::string_view name);
  JsonWriter& EndObject();

  // The whole object; call it once, at the end.
  std::string Finish() { return text_ + "}"; }

 private:
  JsonWriter& Raw(std::string_view name, std::string_view text);
  JsonWriter& RawItem(std::string_view text);
  void Name(std::string_view name);
  void Separate();

  std::string text_;
};

// One event: add fields, and the destructor writes the line. The first two fields are the time and,
// if not negative, the job.
//   EventLine(log, "flush_started", job).Field("num_memtables", n).Field(...);
class EventLine : public JsonWriter {
 public:
  EventLine(Logger* logger, std::string_view event, int job = -1);
  EventLine(const EventLine&) = delete;
  EventLine& operator=(const EventLine&) = delete;
  ~EventLine();

 private:
  Logger* const logger_;
};

}  // namespace cairn
