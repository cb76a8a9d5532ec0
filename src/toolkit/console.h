// What the tools print and read: the standard output, error and input of the program.
//
// Stateless, but for the input, which is read ahead by one reader at a time. SUSPENDS where it
// reads.
#pragma once

#include <string>

#include "base/namespace.h"
#include "rocksdb/env.h"
#include "rocksdb/slice.h"

namespace cairn {

// To the standard output; Write takes any bytes.
[[gnu::format(printf, 1, 2)]] void Print(const char* format, ...);
void Write(const Slice& bytes);
// What was written is seen now.
void FlushOutput();
// To the standard error.
[[gnu::format(printf, 1, 2)]] void PrintError(const char* format, ...);

// The lines of the standard input.
class InputLines {
 public:
  InputLines() = default;
  InputLines(const InputLines&) = delete;
  InputLines& operator=(const InputLines&) = delete;

  // The next line without its end. False: there is none.
  bool Next(std::string* line);

 private:
  std::string buffer_;
  size_t begin_ = 0;  // of what is not given out
  bool ended_ = false;
};

// Log messages to the standard error, one a line.
class StderrLogger final : public Logger {
 public:
  explicit StderrLogger(InfoLogLevel level) : Logger(level) {}
  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override;
};

}  // namespace cairn
