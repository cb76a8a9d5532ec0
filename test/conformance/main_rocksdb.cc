// The conformance tests' main() where they are compiled against RocksDB: on threads.
#include <memory>
#include <thread>  // style: RocksDB runs here
#include <utility>

#include "conformance.h"
#include "rocksdb/convenience.h"

namespace conformance {

std::function<void()> Start(std::function<void()> function) {
  // Shared, as std::function wants to be copied.
  auto thread = std::make_shared<std::thread>(std::move(function));  // style: RocksDB runs here
  return [thread] { thread->join(); };
}

const Comparator* TimestampComparator() {
  const Comparator* comparator = nullptr;
  EXPECT_OK(Comparator::CreateFromString(ConfigOptions(), "leveldb.BytewiseComparator.u64ts",
                                         &comparator));
  return comparator;
}

}  // namespace conformance

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
