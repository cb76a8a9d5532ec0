// The numbers of tickers and histograms in the C interface. A program in C, or in a language that
// binds it, has them as numbers, each of which is another's in another release of RocksDB, and
// rocksdb/statistics.h has 7.8.3's. Facts from RocksDB's statistics.h of 8.10.0, 10.4.2 and 11.8.1.
//
// Used by the C interface's functions. Pure functions.
#ifndef CAIRN_C_STATISTICS_NUMBERS_H_
#define CAIRN_C_STATISTICS_NUMBERS_H_

#include <cstdint>

namespace cairn {

// By RocksDB's release.
enum class Numbering { k8, k10, k11 };

/// The ticker that the release gives this number; TICKER_ENUM_MAX if Cairn has none.
uint32_t TickerOfNumber(Numbering numbering, uint32_t number);

/// The histogram that the release gives this number; HISTOGRAM_ENUM_MAX if Cairn has none.
uint32_t HistogramOfNumber(Numbering numbering, uint32_t number);

}  // namespace cairn

#endif  // CAIRN_C_STATISTICS_NUMBERS_H_
