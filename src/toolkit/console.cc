#include "toolkit/console.h"

#include <cstdarg>
#include <cstdio>

#include "fiber/io.h"
#include "toolkit/terminal.h"

namespace cairn {

namespace {

constexpr int kStandardInput = 0;  // the descriptor

}  // namespace

void Print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stdout, format, arguments);
  va_end(arguments);
}

void Write(const Slice& bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stdout); }

void FlushOutput() { std::fflush(stdout); }

void PrintError(const char* format, ...) {
  std::fflush(stdout);  // in order, where both go to one place
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
}

bool InputLines::Next(std::string* line) {
  for (size_t searched = begin_;;) {
    const size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line->assign(buffer_, begin_, end - begin_);
      if (kBeforeLineEnd != 0 && line->ends_with(kBeforeLineEnd)) line->pop_back();
      begin_ = end + 1;
      return true;
    }
    if (ended_) break;
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    constexpr size_t kChunk = size_t{64} << 10;
    buffer_.resize(searched + kChunk);
    std::fflush(stdout);  // who waits for an answer before the next line has it
    const ptrdiff_t got = fiber::io::read(kStandardInput, buffer_.data() + searched, kChunk);
    buffer_.resize(searched + (got > 0 ? static_cast<size_t>(got) : 0));
    ended_ = got <= 0;
  }
  if (begin_ == buffer_.size()) return false;
  line->assign(buffer_, begin_);
  begin_ = buffer_.size();
  return true;
}

void StderrLogger::Logv(const char* format, va_list arguments) {
  std::vfprintf(stderr, format, arguments);
  std::fputc('\n', stderr);
}

}  // namespace cairn
