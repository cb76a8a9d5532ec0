// The words of requests as Redis reads them: numbers, names in any case, patterns.

#ifndef CAIRN_SERVER_RESP_WORDS_H_
#define CAIRN_SERVER_RESP_WORDS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::server {

// In lower case, if it is a letter of ASCII.
inline char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// A whole number: no plus sign, no leading zeros, no spaces.
bool ParseInteger(std::string_view text, int64_t* value);
bool ParseUnsigned(std::string_view text, uint64_t* value);
// A decimal number, "inf", "+inf" or "-inf", without spaces; no NaN.
bool ParseDouble(std::string_view text, double* value);
// The same for INCRBYFLOAT and HINCRBYFLOAT, which calculate with more digits than they store, so
// that 0.1 and 0.2 are 0.3.
bool ParseLongDouble(std::string_view text, long double* value);
std::string FormatLongDouble(long double value);
bool EqualsIgnoringCase(std::string_view text, std::string_view capitals);
// Redis's patterns: * ? [a-c] [^a] \x.
bool MatchesPattern(std::string_view pattern, std::string_view text, bool ignore_case = false);
// Of a pattern: what every match begins with.
std::string LiteralPrefix(std::string_view pattern);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_RESP_WORDS_H_
