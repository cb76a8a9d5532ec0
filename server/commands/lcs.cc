// LCS: the longest common subsequence of two strings, its length, or where its runs lie in both.
//
// The lengths of the subsequences of all beginnings of the strings fill a table, of which only the
// last row is kept; the way back from its end needs one bit of each cell: where the longer one was.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fiber/runtime.h"
#include "server/commands/command.h"

namespace cairn::server {

using rocksdb::PinnableSlice;

namespace {

// As large a table as Redis fills with its default settings.
constexpr uint64_t kMaxCells = (uint64_t{512} << 20) / sizeof(uint32_t);
// A long calculation lets the worker's other fibers run after so many cells.
constexpr uint64_t kCellInterval = 1 << 18;

struct Run {
  size_t a, b;  // where it begins in each
  size_t length;
};

struct Result {
  size_t length = 0;
  std::vector<Run> runs;  // the last first, if they were asked for
};

// SUSPENDS.
Result LongestCommon(std::string_view a, std::string_view b, bool with_runs) {
  Result result;
  std::vector<uint32_t> row(b.size() + 1);
  // Of cell (i, j): the beginnings without a's last byte have the longer subsequence.
  std::vector<bool> shorter_a(with_runs ? a.size() * b.size() : 0);
  uint64_t cells = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    uint32_t diagonal = 0;
    for (size_t j = 0; j < b.size(); ++j) {
      const uint32_t above = row[j + 1];
      const bool longer_above = above > row[j];
      row[j + 1] = a[i] == b[j] ? diagonal + 1 : std::max(above, row[j]);
      if (with_runs) shorter_a[i * b.size() + j] = longer_above;
      diagonal = above;
    }
    cells += b.size();
    if (cells >= kCellInterval) {
      cells = 0;
      fiber::yield();
    }
  }
  result.length = row.back();
  if (!with_runs) return result;
  bool in_run = false;
  for (size_t i = a.size(), j = b.size(); i != 0 && j != 0;) {
    if (a[i - 1] == b[j - 1]) {
      --i;
      --j;
      if (in_run) {
        Run& run = result.runs.back();
        run = {i, j, run.length + 1};
      } else {
        result.runs.push_back({i, j, 1});
      }
      in_run = true;
    } else {
      in_run = false;
      if (shorter_a[(i - 1) * b.size() + j - 1]) {
        --i;
      } else {
        --j;
      }
    }
  }
  return result;
}

void ReplyRuns(Call& call, const Result& result, size_t min_length, bool with_lengths) {
  const auto reply_range = [&](size_t begin, size_t length) {
    call.reply.Array(2);
    call.reply.Integer(static_cast<int64_t>(begin));
    call.reply.Integer(static_cast<int64_t>(begin + length - 1));
  };
  const auto fits = [&](const Run& run) { return run.length >= min_length; };
  call.reply.Map(2);
  call.reply.Bulk("matches");
  call.reply.Array(
      static_cast<size_t>(std::count_if(result.runs.begin(), result.runs.end(), fits)));
  for (const Run& run : result.runs) {
    if (!fits(run)) continue;
    call.reply.Array(with_lengths ? 3 : 2);
    reply_range(run.a, run.length);
    reply_range(run.b, run.length);
    if (with_lengths) call.reply.Integer(static_cast<int64_t>(run.length));
  }
  call.reply.Bulk("len");
  call.reply.Integer(static_cast<int64_t>(result.length));
}

// key key [LEN] [IDX] [MINMATCHLEN length] [WITHMATCHLEN]
void Lcs(Call& call) {
  Entry entries[2];
  PinnableSlice bytes[2];
  for (size_t i = 0; i < 2; ++i) {
    const Found found = call.Find(call[1 + i], &entries[i], &bytes[i]);
    if (found == Found::kFailed) return;
    if (found == Found::kYes && entries[i].type != Type::kString) {
      call.reply.Error("ERR The specified keys must contain string values");
      return;
    }
  }
  bool length = false, runs = false, with_lengths = false;
  int64_t min_length = 0;
  for (size_t i = 3; i < call.size(); ++i) {
    if (call.Is(i, "LEN")) {
      length = true;
    } else if (call.Is(i, "IDX")) {
      runs = true;
    } else if (call.Is(i, "WITHMATCHLEN")) {
      with_lengths = true;
    } else if (call.Is(i, "MINMATCHLEN") && i + 1 < call.size()) {
      if (!call.Integer(++i, &min_length)) return;
    } else {
      call.SyntaxError();
      return;
    }
  }
  if (length && runs) {
    call.reply.Error("ERR If you want both the length and indexes, please just use IDX.");
    return;
  }
  const std::string_view a = entries[0].value, b = entries[1].value;
  if ((a.size() + 1) * (b.size() + 1) > kMaxCells) {
    call.reply.Error(
        "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len");
    return;
  }
  Result result = LongestCommon(a, b, !length);
  if (length) {
    call.reply.Integer(static_cast<int64_t>(result.length));
  } else if (runs) {
    ReplyRuns(call, result, static_cast<size_t>(std::max<int64_t>(min_length, 0)), with_lengths);
  } else {
    std::string common;
    for (auto run = result.runs.rbegin(); run != result.runs.rend(); ++run) {
      common.append(a.substr(run->a, run->length));
    }
    call.reply.Bulk(common);
  }
}

constexpr Command kCommands[] = {
    {"lcs", -3, kRead | kOneState, 1, 2, 1, Lcs, "string"},
};

}  // namespace

std::span<const Command> LcsCommands() { return kCommands; }

}  // namespace cairn::server
