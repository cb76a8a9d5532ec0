// See enum_names.h.
#include "base/enum_names.h"

namespace cairn {

// Of sixteen values that a CompressionManager gives a meaning, less the last.
#define CAIRN_CUSTOM(digits) {"kCustomCompression" #digits, kCustomCompression##digits}
#define CAIRN_CUSTOM_BUT_LAST(digit)                                                              \
  CAIRN_CUSTOM(digit##0), CAIRN_CUSTOM(digit##1), CAIRN_CUSTOM(digit##2), CAIRN_CUSTOM(digit##3), \
      CAIRN_CUSTOM(digit##4), CAIRN_CUSTOM(digit##5), CAIRN_CUSTOM(digit##6),                     \
      CAIRN_CUSTOM(digit##7), CAIRN_CUSTOM(digit##8), CAIRN_CUSTOM(digit##9),                     \
      CAIRN_CUSTOM(digit##A), CAIRN_CUSTOM(digit##B), CAIRN_CUSTOM(digit##C),                     \
      CAIRN_CUSTOM(digit##D), CAIRN_CUSTOM(digit##E)

template <>
std::span<const std::pair<std::string_view, CompressionType>> EnumNames() {
  static constexpr std::pair<std::string_view, CompressionType> kNames[] = {
      {"kNoCompression", kNoCompression},
      {"kSnappyCompression", kSnappyCompression},
      {"kZlibCompression", kZlibCompression},
      {"kBZip2Compression", kBZip2Compression},
      {"kLZ4Compression", kLZ4Compression},
      {"kLZ4HCCompression", kLZ4HCCompression},
      {"kXpressCompression", kXpressCompression},
      {"kZSTD", kZSTD},
      {"kZSTDNotFinalCompression", kZSTDNotFinalCompression},
      CAIRN_CUSTOM_BUT_LAST(8),
      CAIRN_CUSTOM(8F),
      CAIRN_CUSTOM_BUT_LAST(9),
      CAIRN_CUSTOM(9F),
      CAIRN_CUSTOM_BUT_LAST(A),
      CAIRN_CUSTOM(AF),
      CAIRN_CUSTOM_BUT_LAST(B),
      CAIRN_CUSTOM(BF),
      CAIRN_CUSTOM_BUT_LAST(C),
      CAIRN_CUSTOM(CF),
      CAIRN_CUSTOM_BUT_LAST(D),
      CAIRN_CUSTOM(DF),
      CAIRN_CUSTOM_BUT_LAST(E),
      CAIRN_CUSTOM(EF),
      CAIRN_CUSTOM_BUT_LAST(F),
      {"kDisableCompressionOption", kDisableCompressionOption}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, InfoLogLevel>> EnumNames() {
  static constexpr std::pair<std::string_view, InfoLogLevel> kNames[] = {
      {"DEBUG_LEVEL", DEBUG_LEVEL}, {"INFO_LEVEL", INFO_LEVEL},   {"WARN_LEVEL", WARN_LEVEL},
      {"ERROR_LEVEL", ERROR_LEVEL}, {"FATAL_LEVEL", FATAL_LEVEL}, {"HEADER_LEVEL", HEADER_LEVEL}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, WALRecoveryMode>> EnumNames() {
  using enum WALRecoveryMode;
  static constexpr std::pair<std::string_view, WALRecoveryMode> kNames[] = {
      {"kTolerateCorruptedTailRecords", kTolerateCorruptedTailRecords},
      {"kAbsoluteConsistency", kAbsoluteConsistency},
      {"kPointInTimeRecovery", kPointInTimeRecovery},
      {"kSkipAnyCorruptedRecords", kSkipAnyCorruptedRecords}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, DBOptions::AccessHint>> EnumNames() {
  static constexpr std::pair<std::string_view, DBOptions::AccessHint> kNames[] = {
      {"NONE", DBOptions::NONE},
      {"NORMAL", DBOptions::NORMAL},
      {"SEQUENTIAL", DBOptions::SEQUENTIAL},
      {"WILLNEED", DBOptions::WILLNEED}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, CacheTier>> EnumNames() {
  static constexpr std::pair<std::string_view, CacheTier> kNames[] = {
      {"kVolatileTier", CacheTier::kVolatileTier},
      {"kNonVolatileBlockTier", CacheTier::kNonVolatileBlockTier}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, Temperature>> EnumNames() {
  static constexpr std::pair<std::string_view, Temperature> kNames[] = {
      {"kUnknown", Temperature::kUnknown}, {"kHot", Temperature::kHot},
      {"kWarm", Temperature::kWarm},       {"kCool", Temperature::kCool},
      {"kCold", Temperature::kCold},       {"kIce", Temperature::kIce}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, PrepopulateBlobCache>> EnumNames() {
  static constexpr std::pair<std::string_view, PrepopulateBlobCache> kNames[] = {
      {"kDisable", PrepopulateBlobCache::kDisable},
      {"kFlushOnly", PrepopulateBlobCache::kFlushOnly}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, CompactionStyle>> EnumNames() {
  static constexpr std::pair<std::string_view, CompactionStyle> kNames[] = {
      {"kCompactionStyleLevel", kCompactionStyleLevel},
      {"kCompactionStyleUniversal", kCompactionStyleUniversal},
      {"kCompactionStyleFIFO", kCompactionStyleFIFO},
      {"kCompactionStyleNone", kCompactionStyleNone}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, CompactionPri>> EnumNames() {
  static constexpr std::pair<std::string_view, CompactionPri> kNames[] = {
      {"kByCompensatedSize", kByCompensatedSize},
      {"kOldestLargestSeqFirst", kOldestLargestSeqFirst},
      {"kOldestSmallestSeqFirst", kOldestSmallestSeqFirst},
      {"kMinOverlappingRatio", kMinOverlappingRatio},
      {"kRoundRobin", kRoundRobin}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, CompactionStopStyle>> EnumNames() {
  static constexpr std::pair<std::string_view, CompactionStopStyle> kNames[] = {
      {"kCompactionStopStyleSimilarSize", kCompactionStopStyleSimilarSize},
      {"kCompactionStopStyleTotalSize", kCompactionStopStyleTotalSize}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, ChecksumType>> EnumNames() {
  static constexpr std::pair<std::string_view, ChecksumType> kNames[] = {
      {"kNoChecksum", kNoChecksum},
      {"kCRC32c", kCRC32c},
      {"kxxHash", kxxHash},
      {"kxxHash64", kxxHash64},
      {"kXXH3", kXXH3}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, PinningTier>> EnumNames() {
  static constexpr std::pair<std::string_view, PinningTier> kNames[] = {
      {"kFallback", PinningTier::kFallback},
      {"kNone", PinningTier::kNone},
      {"kFlushedAndSimilar", PinningTier::kFlushedAndSimilar},
      {"kAll", PinningTier::kAll}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, BlockBasedTableOptions::IndexType>> EnumNames() {
  using T = BlockBasedTableOptions;
  static constexpr std::pair<std::string_view, T::IndexType> kNames[] = {
      {"kBinarySearch", T::kBinarySearch},
      {"kHashSearch", T::kHashSearch},
      {"kTwoLevelIndexSearch", T::kTwoLevelIndexSearch},
      {"kBinarySearchWithFirstKey", T::kBinarySearchWithFirstKey}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, BlockBasedTableOptions::DataBlockIndexType>>
EnumNames() {
  using T = BlockBasedTableOptions;
  static constexpr std::pair<std::string_view, T::DataBlockIndexType> kNames[] = {
      {"kDataBlockBinarySearch", T::kDataBlockBinarySearch},
      {"kDataBlockBinaryAndHash", T::kDataBlockBinaryAndHash}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, BlockBasedTableOptions::BlockSearchType>> EnumNames() {
  using T = BlockBasedTableOptions;
  static constexpr std::pair<std::string_view, T::BlockSearchType> kNames[] = {
      {"kBinary", T::kBinary}, {"kInterpolation", T::kInterpolation}, {"kAuto", T::kAuto}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, BlockBasedTableOptions::IndexShorteningMode>>
EnumNames() {
  using Mode = BlockBasedTableOptions::IndexShorteningMode;
  static constexpr std::pair<std::string_view, Mode> kNames[] = {
      {"kNoShortening", Mode::kNoShortening},
      {"kShortenSeparators", Mode::kShortenSeparators},
      {"kShortenSeparatorsAndSuccessor", Mode::kShortenSeparatorsAndSuccessor}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, BlockBasedTableOptions::PrepopulateBlockCache>>
EnumNames() {
  using Mode = BlockBasedTableOptions::PrepopulateBlockCache;
  static constexpr std::pair<std::string_view, Mode> kNames[] = {
      {"kDisable", Mode::kDisable},
      {"kFlushOnly", Mode::kFlushOnly},
      {"kFlushAndCompaction", Mode::kFlushAndCompaction}};
  return kNames;
}

template <>
std::span<const std::pair<std::string_view, EncodingType>> EnumNames() {
  static constexpr std::pair<std::string_view, EncodingType> kNames[] = {{"kPlain", kPlain},
                                                                         {"kPrefix", kPrefix}};
  return kNames;
}

}  // namespace cairn
