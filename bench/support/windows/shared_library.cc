#include "support/shared_library.h"

#include <windows.h>

namespace bench {

namespace {

std::wstring Wide(const std::string& text) {
  const int size = static_cast<int>(text.size());
  std::wstring wide(text.size(), L'\0');
  const int units = MultiByteToWideChar(CP_UTF8, 0, text.data(), size, wide.data(),
                                        static_cast<int>(wide.size()));
  wide.resize(static_cast<size_t>(units));
  return wide;
}

}  // namespace

void* OpenLibrary(const std::string& name, std::string* error) {
  const HMODULE library = LoadLibraryW(Wide(name).c_str());
  if (library == nullptr) *error = name + ": error " + std::to_string(GetLastError());
  return library;
}

void* FindFunction(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

}  // namespace bench
