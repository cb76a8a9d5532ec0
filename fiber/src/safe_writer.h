// SafeWriter: formats text into a small buffer and writes it to a descriptor by write(2) alone.
// Async-signal-safe: no allocation, no lock, no stdio. Write errors are ignored: there is nobody to
// tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "os_write.h"

namespace fiber::detail {

class SafeWriter {
 public:
  explicit SafeWriter(int fd) : fd_(fd) {}
  ~SafeWriter() { flush(); }
  SafeWriter(const SafeWriter&) = delete;
  SafeWriter& operator=(const SafeWriter&) = delete;

  SafeWriter& operator<<(const char* text) {
    while (*text != '\0') put(*text++);
    return *this;
  }
  SafeWriter& operator<<(uint64_t value) { return number(value, 10); }
  SafeWriter& hex(uint64_t value) {
    *this << "0x";
    return number(value, 16);
  }

  void flush() {
    os_write(fd_, buffer_, size_);
    size_ = 0;
  }

 private:
  void put(char c) {
    if (size_ == sizeof(buffer_)) flush();
    buffer_[size_++] = c;
  }
  SafeWriter& number(uint64_t value, unsigned base) {
    char digits[20];
    size_t count = 0;
    do {
      digits[count++] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    while (count > 0) put(digits[--count]);
    return *this;
  }

  const int fd_;
  size_t size_ = 0;
  char buffer_[512];
};

}  // namespace fiber::detail
