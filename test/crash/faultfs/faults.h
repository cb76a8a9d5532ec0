// FaultStorage: storage that fails as it is told, and loses power. The lines of its control file:
//
//   fail KINDS PATTERN ERROR [skip N] [times N] [percent N] [done] [visible]
//       KINDS: names of operations (kKinds in faults.cc) with commas, or "all"; PATTERN: of the
//       file's own name, * and ? as in a shell; ERROR: EIO, ENOSPC ..., or "short": a read or write
//       of a part. Of the operations that match, the first N are let through, then N fail (all),
//       each with N in a hundred. `done`: it is done, a write in part, and fails all the same. A
//       sync that fails for EIO, ENOSPC or EDQUOT has lost what was unsynced; `visible`: readers
//       see that at once. Where several rules match the first decides.
//   seed N           of the chances
//   clear            no rule any more
//   cut SEED DIR N   cuts the power in the place of the N-th sync or change of a name from now (0:
//                    now). The empty directory DIR becomes what is there after that; all that
//                    follows here fails with EIO.
//
// Read, it gives counts: lines "name value". --log gets each line, and each fault that was
// injected: with the seed that is what a round can be replayed from.
//
// Thread safety: any thread; one operation at a time is in the backing directory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "faultfs/ledger.h"
#include "fiber/mutex.h"
#include "fiber/thread_annotations.h"
#include "slowfs/storage.h"

namespace faultfs {

class FaultStorage : public slowfs::Storage {
 public:
  using Operation = slowfs::Operation;

  // `root`: a descriptor of the backing directory; `log`: one that lines are appended to, or -1.
  // Both are borrowed. short_reads: whether the kernel hands on a read of a part.
  FaultStorage(int root, int log, Names names, bool short_reads);

  void Run(const Operation& operation, const Act& act, Answer answer) override;
  bool Full() override;
  std::string Text() override;
  int Command(std::string_view line) override;

 private:
  struct Rule {
    uint32_t kinds = 0;  // bits
    std::string pattern;
    int error = 0;  // 0: short
    uint64_t skip = 0, times = UINT64_MAX, percent = 100;
    bool done = false, visible = false;
  };

  int64_t Perform(const Operation& operation, const Act& act) FIBER_REQUIRES(mutex_);
  const Rule* Match(const Operation& operation, std::string* name) FIBER_REQUIRES(mutex_);
  void Cut() FIBER_REQUIRES(mutex_);
  void Log(const std::string& line) FIBER_REQUIRES(mutex_);
  static bool Parse(std::string_view line, Rule* rule);

  const int log_;
  const bool short_reads_;
  fiber::Mutex mutex_;
  Ledger ledger_ FIBER_GUARDED_BY(mutex_);
  std::vector<Rule> rules_ FIBER_GUARDED_BY(mutex_);
  cairn::Random64 random_ FIBER_GUARDED_BY(mutex_){1};
  uint64_t operations_ FIBER_GUARDED_BY(mutex_) = 0;
  uint64_t injected_ FIBER_GUARDED_BY(mutex_) = 0;
  bool full_ FIBER_GUARDED_BY(mutex_) = false;
  uint64_t cut_seed_ FIBER_GUARDED_BY(mutex_) = 0;
  uint64_t cut_in_ FIBER_GUARDED_BY(mutex_) = 0;  // operations; 0: not at all
  std::string cut_target_ FIBER_GUARDED_BY(mutex_);
  bool cut_ FIBER_GUARDED_BY(mutex_) = false;
  int cut_status_ FIBER_GUARDED_BY(mutex_) = 0;
  Ledger::Survival survival_ FIBER_GUARDED_BY(mutex_);
};

}  // namespace faultfs
