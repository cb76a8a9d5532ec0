// The numbers of tickers and histograms in the C interface: those of RocksDB 10.4, as whose header
// it is compatible (rocksdb/c.h). A program in C, or in a language that binds it, has them as
// numbers, while rocksdb/statistics.h has RocksDB 7.8.3's order.
//
// Used by the C interface's functions. Pure functions.
#ifndef CAIRN_C_STATISTICS_NUMBERS_H_
#define CAIRN_C_STATISTICS_NUMBERS_H_

#include <cstdint>

namespace cairn {

/// The ticker that RocksDB 10.4 gives this number; TICKER_ENUM_MAX if Cairn has none.
uint32_t TickerOfNumber(uint32_t number);

/// The histogram that RocksDB 10.4 gives this number; HISTOGRAM_ENUM_MAX if Cairn has none.
uint32_t HistogramOfNumber(uint32_t number);

}  // namespace cairn

#endif  // CAIRN_C_STATISTICS_NUMBERS_H_
