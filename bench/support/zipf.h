// Ranks with Zipf's law: the k-th most frequent of n has a probability proportional to k^-theta.
// By rejection-inversion (Hoermann and Derflinger, "Rejection-inversion to generate variates from
// monotone discrete distributions", 1996): exact for any n and theta > 0, without a table. Constant
// after construction.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bench {

class Zipf {
 public:
  Zipf(uint64_t n, double theta)
      : n_(static_cast<double>(n)),
        theta_(theta),
        low_(Integral(1.5) - 1),
        high_(Integral(n_ + 0.5)),
        sure_(2 - Inverse(Integral(2.5) - Weight(2))) {}

  // In [0, n), 0 being the most frequent. `random`: anything with Next(), 64 random bits.
  template <typename Random>
  uint64_t Next(Random* random) const {
    for (;;) {
      const double unit = static_cast<double>(random->Next() >> 11) * 0x1p-53;
      const double u = high_ + unit * (low_ - high_);
      const double x = Inverse(u);
      const double k = std::clamp(std::floor(x + 0.5), 1.0, n_);
      if (k - x <= sure_ || u >= Integral(k + 0.5) - Weight(k)) {
        return static_cast<uint64_t>(k) - 1;
      }
    }
  }

 private:
  double Weight(double x) const { return std::exp(-theta_ * std::log(x)); }
  // Of the weight: (x^(1-theta) - 1) / (1-theta), which is log x where theta is 1.
  double Integral(double x) const {
    const double log_x = std::log(x);
    const double power = (1 - theta_) * log_x;
    return std::abs(power) < kTiny ? log_x : std::expm1(power) / (1 - theta_);
  }
  double Inverse(double u) const {
    const double power = u * (1 - theta_);
    if (std::abs(power) < kTiny) return std::exp(u);
    // Rounding may push it below -1, where log1p() ends.
    return std::exp(std::log1p(std::max(power, -1.0)) / (1 - theta_));
  }
  static constexpr double kTiny = 1e-9;

  const double n_;
  const double theta_;
  const double low_;
  const double high_;
  const double sure_;
};

}  // namespace bench
