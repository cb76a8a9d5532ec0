#include "fiber/mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "sim_hooks.h"

namespace fiber::io {

namespace {

// mmap() and mincore() take addresses of whole pages.
size_t page_size() {
  static const auto size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

void* address(const char* data) { return const_cast<char*>(data); }

}  // namespace

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(address(data_), size_);
}

int Mapping::of(int fd, uint64_t size, Mapping* mapping) {
  if (size > SIZE_MAX) return -EFBIG;
  const auto length = static_cast<size_t>(size);
  void* const data = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return -errno;
  Mapping made;
  made.data_ = static_cast<const char*>(data);
  made.size_ = length;
  *mapping = std::move(made);
  return 0;
}

WritableMapping::~WritableMapping() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

int WritableMapping::of(int fd, uint64_t offset, size_t size, WritableMapping* mapping) {
  void* const data =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (data == MAP_FAILED) return -errno;
  WritableMapping made;
  made.data_ = static_cast<char*>(data);
  made.size_ = size;
  *mapping = std::move(made);
  return 0;
}

size_t WritableMapping::granularity() { return page_size(); }

bool Mapping::resident(size_t offset, size_t length) const {
  if (detail::simulator() != nullptr) return false;
  if (offset > size_ || length > size_ - offset) return false;
  const size_t page = page_size();
  size_t from = offset / page * page;
  const size_t end = offset + length;
  while (from < end) {
    unsigned char pages[64];
    const size_t count = std::min(std::size(pages), (end - from + page - 1) / page);
    if (::mincore(address(data_ + from), std::min(count * page, size_ - from), pages) != 0) {
      return false;
    }
    if (!std::all_of(pages, pages + count, [](unsigned char p) { return (p & 1) != 0; })) {
      return false;
    }
    from += count * page;
  }
  return true;
}

}  // namespace fiber::io
