// Paths of io.h (UTF-8, with / or \) as Windows' calls take them: UTF-16, absolute, with the prefix
// \\?\, so that they may be longer than 260 characters.
//
// Thread safety: all of it from any thread.
#pragma once

#include <string>
#include <string_view>

namespace fiber::detail {

// 0, or -ENOENT: empty; -EILSEQ: not UTF-8; -EINVAL: a name that Windows cannot hold or gives a
// meaning of its own (CON, NUL, COM1 ..., one with <>"|?*: or a control character, one that ends
// with a dot or a blank); -ENAMETOOLONG: beyond 32,000 characters, or 255 of one name.
int wide_path(const char* path, std::wstring* out);

// Back to UTF-8; half surrogates become U+FFFD.
std::string utf8(std::wstring_view wide);

}  // namespace fiber::detail
