// What a log says of the one before it (track_and_verify_wals), compared with what recovery found
// there. A WalLink tells of less, but always, and may know that the whole is lost for good: what it
// says is heard, too.
#include <string>

#include "db/recovery.h"

namespace cairn {
namespace {

std::string Difference(const PredecessorWal& said, const std::string& path, uint64_t min_log,
                       const std::optional<PredecessorWal>& read, uint64_t read_end) {
  const std::string number = std::to_string(said.number);
  if (!read) return said.number >= min_log ? "Missing WAL of log number " + number : "";
  if (read->number != said.number) {
    return "Mismatched predecessor log number of WAL file " + path + " Recorded " + number +
           ". Observed " + std::to_string(read->number);
  }
  if (read->last_record != said.last_record) {
    return "Mismatched last sequence number recorded in the WAL of log number " + number +
           ". Recorded " + std::to_string(said.last_record) + ". Observed " +
           std::to_string(read->last_record) +
           ". (Last sequence number equal to 0 indicates no WAL records)";
  }
  // A file may be longer: with what was allocated and not given back, or with a recycled one's
  // remains. RocksDB takes these for a difference.
  if (read->bytes != said.bytes && read_end != said.bytes) {
    return "Mismatched size of the WAL of log number " + number + ". Recorded " +
           std::to_string(said.bytes) + " bytes. Observed " + std::to_string(read->bytes) +
           " bytes.";
  }
  return "";
}

}  // namespace

Status Recovery::CheckPredecessor(const Slice& record, ReplayedLog* log, Replay* replay) {
  const std::optional<PredecessorWal> said = log->reader->TakePredecessor();
  if (!said) return Status::OK();
  if (record.empty()) log->end_of_good = log->reader->LastRecordEnd();
  // (Behind damage it says nothing new.)
  if (!db_.options.track_and_verify_wals || replay->stopped || !log->reporter.first.ok() ||
      log->mode == WALRecoveryMode::kSkipAnyCorruptedRecords) {
    return Status::OK();
  }
  const std::string what =
      Difference(*said, log->path, replay->min_log, replay->read, replay->read_end);
  if (what.empty()) return Status::OK();
  WalLink link;
  if (log->mode == WALRecoveryMode::kPointInTimeRecovery && WalLink::Decode(record, &link)) {
    Status s = CheckLink(link, log->number, log->path, log->mode, replay);
    if (!s.ok()) return s;
  }
  log->reporter.Corruption(PredecessorWal::kSize, Status::Corruption(what, log->path));
  log->damaged = said->number;
  return Status::OK();
}

}  // namespace cairn
