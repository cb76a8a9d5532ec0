#include "fiber/mapping.h"

#include <cerrno>

#include "handles.h"
#include "system.h"
#include "win_error.h"

namespace fiber::io {

Mapping::~Mapping() {
  if (data_ != nullptr) UnmapViewOfFile(data_);
}

int Mapping::of(int fd, uint64_t size, Mapping* mapping) {
  if (size > SIZE_MAX) return -EFBIG;
  if (size == 0) return -EINVAL;
  void* const file = detail::handle_of(fd);
  if (file == nullptr) return -EBADF;
  const HANDLE section =
      CreateFileMappingW(file, nullptr, PAGE_READONLY, static_cast<DWORD>(size >> 32),
                         static_cast<DWORD>(size & UINT32_MAX), nullptr);
  if (section == nullptr) return detail::last_error();
  const void* const data = MapViewOfFile(section, FILE_MAP_READ, 0, 0, static_cast<size_t>(size));
  const int error = data == nullptr ? detail::last_error() : 0;
  CloseHandle(section);  // the view keeps it
  if (data == nullptr) return error;
  Mapping made;
  made.data_ = static_cast<const char*>(data);
  made.size_ = static_cast<size_t>(size);
  *mapping = std::move(made);
  return 0;
}

// (A file with a mapping cannot be cut, nor replaced.)
WritableMapping::~WritableMapping() = default;

int WritableMapping::of(int /*fd*/, uint64_t /*offset*/, size_t /*size*/,
                        WritableMapping* /*mapping*/) {
  return -EOPNOTSUPP;
}

size_t WritableMapping::granularity() { return size_t{64} << 10; }

bool Mapping::resident(size_t /*offset*/, size_t /*length*/) const { return false; }

}  // namespace fiber::io
