// Logger's defaults, the public and internal Log functions, and the JSON of the event log.
#include "base/logging.h"

#include <cassert>
#include <cstdio>

#include "fiber/clock.h"

namespace ROCKSDB_NAMESPACE {

Logger::~Logger() = default;

Status Logger::Close() {
  if (closed_) return Status::OK();
  closed_ = true;
  return CloseImpl();
}

Status Logger::CloseImpl() { return Status::NotSupported(); }

void Logger::Logv(const InfoLogLevel log_level, const char* format, va_list ap) {
  static const char* const kNames[] = {"DEBUG", "INFO", "WARN", "ERROR", "FATAL"};
  if (log_level < GetInfoLogLevel()) return;
  if (log_level == InfoLogLevel::INFO_LEVEL) {
    Logv(format, ap);
  } else if (log_level == InfoLogLevel::HEADER_LEVEL) {
    LogHeader(format, ap);
  } else {
    assert(log_level < InfoLogLevel::HEADER_LEVEL);
    char prefixed[500];
    std::snprintf(prefixed, sizeof(prefixed), "[%s] %s", kNames[log_level], format);
    Logv(prefixed, ap);
  }
}

namespace {

void LogAt(InfoLogLevel level, Logger* logger, const char* format, va_list ap) {
  // Asked here too, because loggers need not do it.
  if (logger != nullptr && level >= logger->GetInfoLogLevel()) logger->Logv(level, format, ap);
}

void HeaderTo(Logger* logger, const char* format, va_list ap) {
  if (logger != nullptr) logger->LogHeader(format, ap);
}

}  // namespace

#define CAIRN_LOG_FUNCTION(name, call)                                            \
  void name(Logger* info_log, const char* format, ...) {                          \
    va_list ap;                                                                   \
    va_start(ap, format);                                                         \
    call;                                                                         \
    va_end(ap);                                                                   \
  }                                                                               \
  void name(const std::shared_ptr<Logger>& shared_log, const char* format, ...) { \
    Logger* const info_log = shared_log.get();                                    \
    va_list ap;                                                                   \
    va_start(ap, format);                                                         \
    call;                                                                         \
    va_end(ap);                                                                   \
  }

CAIRN_LOG_FUNCTION(Log, LogAt(InfoLogLevel::INFO_LEVEL, info_log, format, ap))
CAIRN_LOG_FUNCTION(Header, HeaderTo(info_log, format, ap))
CAIRN_LOG_FUNCTION(Debug, LogAt(InfoLogLevel::DEBUG_LEVEL, info_log, format, ap))
CAIRN_LOG_FUNCTION(Info, LogAt(InfoLogLevel::INFO_LEVEL, info_log, format, ap))
CAIRN_LOG_FUNCTION(Warn, LogAt(InfoLogLevel::WARN_LEVEL, info_log, format, ap))
CAIRN_LOG_FUNCTION(Error, LogAt(InfoLogLevel::ERROR_LEVEL, info_log, format, ap))
CAIRN_LOG_FUNCTION(Fatal, LogAt(InfoLogLevel::FATAL_LEVEL, info_log, format, ap))

#undef CAIRN_LOG_FUNCTION

void Log(const InfoLogLevel log_level, Logger* info_log, const char* format, ...) {
  va_list ap;
  va_start(ap, format);
  LogAt(log_level, info_log, format, ap);
  va_end(ap);
}

void Log(const InfoLogLevel log_level, const std::shared_ptr<Logger>& info_log, const char* format,
         ...) {
  va_list ap;
  va_start(ap, format);
  LogAt(log_level, info_log.get(), format, ap);
  va_end(ap);
}

void LogFlush(Logger* info_log) {
  if (info_log != nullptr) info_log->Flush();
}

void LogFlush(const std::shared_ptr<Logger>& info_log) { LogFlush(info_log.get()); }

}  // namespace ROCKSDB_NAMESPACE

namespace cairn {

#define CAIRN_LOG_FUNCTION(name, level)                                \
  void name(Logger* logger, const char* format, ...) {                 \
    va_list ap;                                                        \
    va_start(ap, format);                                              \
    ROCKSDB_NAMESPACE::LogAt(InfoLogLevel::level, logger, format, ap); \
    va_end(ap);                                                        \
  }

CAIRN_LOG_FUNCTION(LogDebug, DEBUG_LEVEL)
CAIRN_LOG_FUNCTION(LogInfo, INFO_LEVEL)
CAIRN_LOG_FUNCTION(LogWarn, WARN_LEVEL)
CAIRN_LOG_FUNCTION(LogError, ERROR_LEVEL)
CAIRN_LOG_FUNCTION(LogFatal, FATAL_LEVEL)

#undef CAIRN_LOG_FUNCTION

void LogHeader(Logger* logger, const char* format, ...) {
  va_list ap;
  va_start(ap, format);
  ROCKSDB_NAMESPACE::HeaderTo(logger, format, ap);
  va_end(ap);
}

namespace {

void AppendJsonString(std::string* text, std::string_view value) {
  text->push_back('"');
  for (const char c : value) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text->push_back('\\');
      text->push_back(c);
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", byte);
      *text += escape;
    } else {
      text->push_back(c);
    }
  }
  text->push_back('"');
}

}  // namespace

void JsonWriter::Separate() {
  const char last = text_.back();
  if (last != '{' && last != '[') text_ += ", ";
}

void JsonWriter::Name(std::string_view name) {
  Separate();
  AppendJsonString(&text_, name);
  text_ += ": ";
}

JsonWriter& JsonWriter::Raw(std::string_view name, std::string_view text) {
  Name(name);
  text_ += text;
  return *this;
}

JsonWriter& JsonWriter::RawItem(std::string_view text) {
  Separate();
  text_ += text;
  return *this;
}

JsonWriter& JsonWriter::Field(std::string_view name, std::string_view value) {
  Name(name);
  AppendJsonString(&text_, value);
  return *this;
}

JsonWriter& JsonWriter::Field(std::string_view name, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%g", value);
  return Raw(name, text);
}

JsonWriter& JsonWriter::BeginList(std::string_view name) { return Raw(name, "["); }

JsonWriter& JsonWriter::Item(std::string_view value) {
  Separate();
  AppendJsonString(&text_, value);
  return *this;
}

JsonWriter& JsonWriter::EndList() {
  text_ += "]";
  return *this;
}

JsonWriter& JsonWriter::BeginObject(std::string_view name) { return Raw(name, "{"); }

JsonWriter& JsonWriter::EndObject() {
  text_ += "}";
  return *this;
}

EventLine::EventLine(Logger* logger, std::string_view event, int job) : logger_(logger) {
  Field("time_micros", fiber::wall_micros());
  if (job >= 0) Field("job", job);
  Field("event", event);
}

EventLine::~EventLine() { LogInfo(logger_, "EVENT_LOG_v1 %s", Finish().c_str()); }

}  // namespace cairn
