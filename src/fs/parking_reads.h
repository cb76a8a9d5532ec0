// ParkingReads: what a file says of itself whose Read() is made with the fiber library.
#pragma once

#include "base/namespace.h"
#include "rocksdb/file_system.h"

namespace cairn {

class ParkingReads {
 public:
  // Whether Read() parks a fiber that has to wait, instead of blocking its thread.
  virtual bool reads_park() const = 0;

 protected:
  ~ParkingReads() = default;
};

// A user's file says nothing.
inline bool ReadsPark(const FSRandomAccessFile* file) {
  const auto* known = dynamic_cast<const ParkingReads*>(file);
  return known != nullptr && known->reads_park();
}

}  // namespace cairn
