// Numbers and bytes to text and back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

// Appends the decimal digits.
void AppendNumberTo(std::string* text, uint64_t number);
std::string NumberToString(uint64_t number);

// Takes decimal digits from the front of *input. False if there is none, or the number does not
// fit.
bool ConsumeDecimalNumber(Slice* input, uint64_t* value);

// The whole text, decimal. False on anything else: sign, spaces, overflow.
bool ParseUint64(std::string_view text, uint64_t* value);
bool ParseInt64(std::string_view text, int64_t* value);
bool ParseDouble(std::string_view text, double* value);
// "true", "false", "1", "0".
bool ParseBool(std::string_view text, bool* value);

// Printable characters as they are, others (and the backslash) as \xHH.
std::string EscapeBytes(const Slice& bytes);

// "64.00 MB", in steps of 1024: B, KB, MB, GB, TB.
std::string BytesToHumanString(uint64_t bytes);
// "12.345 ms": us, ms, sec, or m:s, h:m:s.
std::string MicrosToHumanString(uint64_t micros);

// Without blanks at either end.
std::string_view Trim(std::string_view text);

// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string StringPrintf(const char* format, ...);

}  // namespace cairn
