// mixgraph: the load of a social graph as measured (Cao, Dong, Vemuri and Du, "Characterizing,
// Modeling, and Benchmarking RocksDB Key-Value Workloads at Facebook", FAST 2020): gets, puts and
// scans whose keys, value sizes and lengths follow the distributions that the flags give.

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>

#include "db_bench/flags.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "fiber/clock.h"
#include "rocksdb/iterator.h"
#include "rocksdb/rate_limiter.h"

namespace db_bench {

namespace {

constexpr int64_t kLargestValue = 1 << 20;  // bytes
constexpr double kLargestNumber = 9e15;     // an int64, and exact as a double

int64_t Whole(double x) {
  return static_cast<int64_t>(std::ceil(std::clamp(x, -kLargestNumber, kLargestNumber)));
}

// The inverses of the distributions' cumulative functions, for `u` in [0, 1).
int64_t Pareto(double u, double theta, double k, double sigma) {
  return Whole(k == 0 ? theta - sigma * std::log(u) : theta + sigma * (std::pow(u, -k) - 1) / k);
}
int64_t Power(double u, double a, double b) { return Whole(std::pow(u / a, 1 / b)); }

// One of `keys` keys: any, or some of them oftener. The power distribution says of how many
// accesses a key is; which key it is, its hash.
uint64_t KeyBelow(uint64_t keys, Random* random) {
  if (FLAGS_key_dist_a == 0 || FLAGS_key_dist_b == 0) return random->Uniform(keys);
  const int64_t rank = Power(random->Fraction(), FLAGS_key_dist_a, FLAGS_key_dist_b);
  return Random{static_cast<uint64_t>(rank)}.Uniform(keys);
}

// The keys in --keyrange_num ranges of equal size, of which each is as hot as
// a * exp(b * x) + c * exp(d * x) says of its rank x. Which range has which rank is the same with
// each seed, so that a database that was filled so is read so.
class HotRanges {
 public:
  HotRanges() {
    const int64_t ranges = std::max<int64_t>(1, FLAGS_keyrange_num);
    keys_ = std::max<int64_t>(1, FLAGS_num / ranges);
    std::vector<double> heat;
    for (int64_t rank = 1; rank <= ranges; rank++) {
      const auto x = static_cast<double>(rank);
      heat.push_back(
          std::max(0.0, FLAGS_keyrange_dist_a * std::exp(FLAGS_keyrange_dist_b * x) +
                            FLAGS_keyrange_dist_c * std::exp(FLAGS_keyrange_dist_d * x)));
    }
    Random order{static_cast<uint64_t>(ranges)};
    for (size_t i = heat.size(); i > 1; i--) std::swap(heat[i - 1], heat[order.Uniform(i)]);
    up_to_.resize(heat.size());
    std::partial_sum(heat.begin(), heat.end(), up_to_.begin());
    if (!(up_to_.back() > 0) || !std::isfinite(up_to_.back())) {
      Fail("--keyrange_dist_*: no range of keys is ever read");
    }
  }

  uint64_t Key(Random* random) const {
    const double where = random->Fraction() * up_to_.back();
    const auto range = std::upper_bound(up_to_.begin(), up_to_.end(), where) - up_to_.begin();
    const auto last = static_cast<int64_t>(up_to_.size()) - 1;
    return static_cast<uint64_t>(std::min<int64_t>(range, last) * keys_) +
           KeyBelow(static_cast<uint64_t>(keys_), random);
  }

 private:
  int64_t keys_;               // in each range
  std::vector<double> up_to_;  // the heat of the ranges up to each
};

// Holds operations back, to a rate that follows a sine: --sine_mix_rate.
class SineRate {
 public:
  explicit SineRate(double share) : share_(share), start_(fiber::now_nanos()) {
    if (FLAGS_sine_mix_rate) limiter_.reset(rocksdb::NewGenericRateLimiter(1000000));
  }
  void Before(Random* random) {
    if (limiter_ == nullptr) return;
    const uint64_t now = fiber::now_nanos();
    if (now >= next_) {
      next_ = now + FLAGS_sine_mix_rate_interval_milliseconds * 1000000;
      const double x = static_cast<double>(now - start_) / 1e9;
      double rate = SineAt(x);
      rate += FLAGS_sine_a * FLAGS_sine_mix_rate_noise * (random->Fraction() - 0.5);
      limiter_->SetBytesPerSecond(std::max<int64_t>(1, Whole(rate * share_)));
    }
    // One operation is one of its bytes.
    limiter_->Request(1, rocksdb::Env::IO_HIGH, nullptr);
  }

 private:
  const double share_;  // of the operations, that are this client's and of this kind
  const uint64_t start_;
  uint64_t next_ = 0;
  std::unique_ptr<rocksdb::RateLimiter> limiter_;
};

class MixGraph {
 public:
  explicit MixGraph(Client* client)
      : client_(client),
        db_(client->shared->db),
        target_(client),
        read_rate_((FLAGS_mix_get_ratio + FLAGS_mix_seek_ratio) / Ratios() /
                   client->shared->clients),
        write_rate_(FLAGS_mix_put_ratio / Ratios() / client->shared->clients) {
    if (FLAGS_keyrange_dist_a != 0 || FLAGS_keyrange_dist_b != 0 || FLAGS_keyrange_dist_c != 0 ||
        FLAGS_keyrange_dist_d != 0) {
      ranges_ = std::make_unique<HotRanges>();
    }
  }

  static double Ratios() {
    return FLAGS_mix_get_ratio + FLAGS_mix_put_ratio + FLAGS_mix_seek_ratio;
  }

  void Run() {
    Random* const random = &client_->random;
    Duration duration(FLAGS_duration, Reads());
    while (!duration.Done(1)) {
      number_ = NextKey();
      const rocksdb::Slice key = key_.Set(number_);
      const double kind = random->Fraction() * Ratios();
      if (kind < FLAGS_mix_get_ratio) {
        read_rate_.Before(random);
        Get(key);
      } else if (kind < FLAGS_mix_get_ratio + FLAGS_mix_put_ratio) {
        write_rate_.Before(random);
        Put(key);
      } else {
        read_rate_.Before(random);
        Scan(key);
      }
    }
    char text[256];
    const auto mean = [](int64_t sum, int64_t count) {
      return count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count);
    };
    const int64_t reads = gets_ + scans_;
    std::snprintf(text, sizeof(text),
                  "( Gets:%" PRId64 " Puts:%" PRId64 " Seek:%" PRId64 ", reads %" PRId64
                  " in %" PRId64 " found, avg size: %.1f value, %.1f scan)\n",
                  gets_, puts_, scans_, found_, reads, mean(value_bytes_, puts_),
                  mean(scanned_, scans_));
    client_->stats.AddBytes(bytes_);
    client_->stats.AddMessage(text);
  }

 private:
  uint64_t NextKey() {
    Random* const random = &client_->random;
    return ranges_ != nullptr ? ranges_->Key(random)
                              : KeyBelow(static_cast<uint64_t>(FLAGS_num), random);
  }

  void Get(const rocksdb::Slice& key) {
    const rocksdb::Status s = target_.Get(number_, key, &value_);
    if (!s.ok() && !s.IsNotFound()) Fail("get", s);
    gets_++;
    if (s.ok()) {
      found_++;
      bytes_ += key.size() + value_.size();
    }
    client_->stats.FinishedOps(db_, 1, OpKind::kRead);
  }

  void Put(const rocksdb::Slice& key) {
    const int64_t largest = std::min(kLargestValue, FLAGS_mix_max_value_size);
    int64_t size =
        Pareto(client_->random.Fraction(), FLAGS_value_theta, FLAGS_value_k, FLAGS_value_sigma);
    if (size > largest) size %= largest;
    size = std::max(size, std::min<int64_t>(10, largest));
    const rocksdb::Slice value = ValueOf(client_, static_cast<size_t>(size));
    const rocksdb::Status s = target_.Put(number_, key, value);
    if (!s.ok()) Fail("put", s);
    puts_++;
    value_bytes_ += size;
    bytes_ += key.size() + value.size();
    client_->stats.FinishedOps(db_, 1, OpKind::kWrite);
  }

  void Scan(const rocksdb::Slice& key) {
    const std::unique_ptr<rocksdb::Iterator> iter(
        db_->NewIterator(target_.Reading(), target_.Family(number_)));
    iter->Seek(key);
    scans_++;
    if (iter->Valid() && iter->key() == key) found_++;
    const int64_t length =
        Pareto(client_->random.Fraction(), FLAGS_iter_theta, FLAGS_iter_k, FLAGS_iter_sigma) %
        FLAGS_mix_max_scan_len;
    for (int64_t i = 0; i < length && iter->Valid(); i++, iter->Next()) {
      bytes_ += iter->key().size() + iter->value().size();
      scanned_++;
    }
    if (!iter->status().ok()) Fail("iterator", iter->status());
    client_->stats.FinishedOps(db_, 1, OpKind::kSeek);
  }

  Client* const client_;
  rocksdb::DB* const db_;
  Target target_;
  uint64_t number_ = 0;  // of the key
  SineRate read_rate_, write_rate_;
  std::unique_ptr<HotRanges> ranges_;
  Key key_;
  rocksdb::PinnableSlice value_;
  int64_t gets_ = 0, puts_ = 0, scans_ = 0;
  int64_t found_ = 0, value_bytes_ = 0, scanned_ = 0;
  uint64_t bytes_ = 0;
};

std::string WhyNoMix() {
  const auto bad = [](double ratio) { return !(ratio >= 0) || !std::isfinite(ratio); };
  if (bad(FLAGS_mix_get_ratio) || bad(FLAGS_mix_put_ratio) || bad(FLAGS_mix_seek_ratio) ||
      MixGraph::Ratios() <= 0) {
    return "--mix_get_ratio, --mix_put_ratio, --mix_seek_ratio: none may be negative, and one must "
           "be above 0";
  }
  if (FLAGS_mix_max_scan_len <= 0) return "--mix_max_scan_len must be positive";
  if (FLAGS_mix_max_value_size <= 0) return "--mix_max_value_size must be positive";
  if (FLAGS_keyrange_num <= 0) return "--keyrange_num must be positive";
  if (FLAGS_keyrange_num > FLAGS_num) return "--keyrange_num must be at most --num";
  if (FLAGS_sine_mix_rate_interval_milliseconds == 0) {
    return "--sine_mix_rate_interval_milliseconds must be positive";
  }
  if (!(FLAGS_sine_mix_rate_noise >= 0 && FLAGS_sine_mix_rate_noise <= 1)) {
    return "--sine_mix_rate_noise must be from 0 to 1";
  }
  return "";
}

}  // namespace

std::vector<NamedWorkload> MixedWorkloads() {
  return {{.name = "mixgraph",
           .help = "gets, puts and scans as a social graph has them: --mix_*, --keyrange_*",
           .run = [](Client* client) { MixGraph(client).Run(); },
           .refusal = WhyNoMix}};
}

}  // namespace db_bench
