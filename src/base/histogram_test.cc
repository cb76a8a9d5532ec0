#include "base/histogram.h"

#include <gtest/gtest.h>

#include <limits>

namespace cairn {
namespace {

// What RocksDB 7.8.3 prints for the values of AddTestValues().
const char kExpectedTable[] =
    "Count: 10000 Average: 1260.8063  StdDev: 1109.13\n"
    "Min: 0  Median: 945.1704  Max: 4958\n"
    "Percentiles: P50: 945.17 P75: 1944.55 P99: 4359.09 P99.9: 4958.00 P99.99: 4958.00\n"
    "------------------------------------------------------\n"
    "[       0,       1 ]       33   0.330%   0.330% \n"
    "(       1,       2 ]       19   0.190%   0.520% \n"
    "(       2,       3 ]       16   0.160%   0.680% \n"
    "(       3,       4 ]        8   0.080%   0.760% \n"
    "(       4,       6 ]       23   0.230%   0.990% \n"
    "(       6,      10 ]       56   0.560%   1.550% \n"
    "(      10,      15 ]       57   0.570%   2.120% \n"
    "(      15,      22 ]       78   0.780%   2.900% \n"
    "(      22,      34 ]      127   1.270%   4.170% \n"
    "(      34,      51 ]      157   1.570%   5.740% \n"
    "(      51,      76 ]      193   1.930%   7.670% \n"
    "(      76,     110 ]      266   2.660%  10.330% #\n"
    "(     110,     170 ]      394   3.940%  14.270% #\n"
    "(     170,     250 ]      508   5.080%  19.350% #\n"
    "(     250,     380 ]      730   7.300%  26.650% #\n"
    "(     380,     580 ]      950   9.500%  36.150% ##\n"
    "(     580,     870 ]     1149  11.490%  47.640% ##\n"
    "(     870,    1300 ]     1350  13.500%  61.140% ###\n"
    "(    1300,    1900 ]     1319  13.190%  74.330% ###\n"
    "(    1900,    2900 ]     1504  15.040%  89.370% ###\n"
    "(    2900,    4400 ]      990   9.900%  99.270% ##\n"
    "(    4400,    6600 ]       73   0.730% 100.000% \n";

template <typename AddFunction>
void AddTestValues(AddFunction add) {
  uint64_t x = 88172645463325252ull;
  for (int i = 0; i < 10000; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    add((x >> 20) % (1 + (x % 5000)));
  }
}

TEST(Histogram, PrintsTheTableThatRocksDBPrints) {
  Histogram h;
  AddTestValues([&h](uint64_t v) { h.Add(v); });
  EXPECT_EQ(kExpectedTable, h.ToString());
  HistogramData data;
  h.Data(&data);
  EXPECT_NEAR(945.170370, data.median, 1e-6);
  EXPECT_NEAR(3753.030303, data.percentile95, 1e-6);
  EXPECT_NEAR(4359.090909, data.percentile99, 1e-6);
  EXPECT_NEAR(1260.806300, data.average, 1e-6);
  EXPECT_NEAR(1109.128845, data.standard_deviation, 1e-6);
  EXPECT_EQ(4958, data.max);
  EXPECT_EQ(10000u, data.count);
  EXPECT_EQ(12608063u, data.sum);
  EXPECT_EQ(0, data.min);
}

TEST(Histogram, OfNothingIsZero) {
  Histogram h;
  EXPECT_TRUE(h.Empty());
  EXPECT_EQ(0, h.Median());
  EXPECT_EQ(0, h.Average());
  EXPECT_EQ(0, h.StandardDeviation());
  EXPECT_EQ(
      "Count: 0 Average: 0.0000  StdDev: 0.00\n"
      "Min: 0  Median: 0.0000  Max: 0\n"
      "Percentiles: P50: 0.00 P75: 0.00 P99: 0.00 P99.9: 0.00 P99.99: 0.00\n"
      "------------------------------------------------------\n",
      h.ToString());
}

TEST(Histogram, OfOneValueIsThatValue) {
  Histogram h;
  h.Add(1234);
  EXPECT_EQ(1234, h.Median());
  EXPECT_EQ(1234, h.Percentile(99.99));
  EXPECT_EQ(1234u, h.Min());
  EXPECT_EQ(1234u, h.Max());
  EXPECT_EQ(0, h.StandardDeviation());
}

TEST(Histogram, MergeIsTheSameAsAddingToOne) {
  Histogram parts[3], whole;
  int i = 0;
  AddTestValues([&](uint64_t v) {
    parts[i++ % 3].Add(v);
    whole.Add(v);
  });
  Histogram merged(parts[0]);
  merged.Merge(parts[1]);
  merged.Merge(parts[2]);
  EXPECT_EQ(whole.ToString(), merged.ToString());
  merged.Clear();
  EXPECT_TRUE(merged.Empty());
}

TEST(HistogramBuckets, AreSortedAndHoldTheirLimit) {
  for (size_t i = 0; i < HistogramBuckets::kCount; i++) {
    EXPECT_EQ(i, HistogramBuckets::IndexFor(HistogramBuckets::Limit(i)));
    if (i + 1 < HistogramBuckets::kCount) {
      EXPECT_LT(HistogramBuckets::Limit(i), HistogramBuckets::Limit(i + 1));
      EXPECT_EQ(i + 1, HistogramBuckets::IndexFor(HistogramBuckets::Limit(i) + 1));
    }
  }
  EXPECT_EQ(HistogramBuckets::kCount - 1,
            HistogramBuckets::IndexFor(std::numeric_limits<uint64_t>::max()));
  EXPECT_EQ(0u, HistogramBuckets::IndexFor(0));
}

}  // namespace
}  // namespace cairn
