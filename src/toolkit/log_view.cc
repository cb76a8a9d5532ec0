#include "toolkit/log_view.h"

#include <algorithm>
#include <memory>

#include "base/string_util.h"

namespace cairn {
namespace {

constexpr size_t kJobsKept = 1000;
constexpr std::string_view kEvent = "EVENT_LOG_v1 ";

// The number, or the text, of a member of a flat JSON object; empty: it has none.
std::string_view Member(std::string_view json, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\": ";
  size_t at = json.find(key);
  if (at == json.npos) return {};
  at += key.size();
  if (at < json.size() && json[at] == '"') {
    return json.substr(at + 1, std::min(json.find('"', at + 1), json.size()) - at - 1);
  }
  return json.substr(at, std::min(json.find_first_of(",}", at), json.size()) - at);
}

uint64_t Number(std::string_view json, std::string_view name) {
  uint64_t value = 0;
  return ParseUint64(Member(json, name), &value) ? value : 0;
}

constexpr std::string_view kFigures[] = {
    "Uptime(secs)",    "Cumulative writes", "Cumulative WAL", "Cumulative stall",
    "Interval writes", "Interval stall",    "Block cache",    "Cumulative compaction"};

}  // namespace

Status LogView::Read() {
  uint64_t size = 0;
  Status s = fs_->GetFileSize(path_, IOOptions(), &size, nullptr);
  if (!s.ok()) return s;
  if (size < offset_) Clear();  // a new LOG
  std::unique_ptr<FSSequentialFile> file;
  s = fs_->NewSequentialFile(path_, FileOptions(), &file, nullptr);
  if (s.ok() && offset_ > 0) s = file->Skip(offset_);
  std::string buffer(size_t{256} << 10, '\0');
  while (s.ok()) {
    Slice got;
    s = file->Read(buffer.size(), IOOptions(), &got, buffer.data(), nullptr);
    if (!s.ok() || got.empty()) break;
    offset_ += got.size();
    rest_.append(got.data(), got.size());
    size_t begin = 0;
    for (size_t end; (end = rest_.find('\n', begin)) != rest_.npos; begin = end + 1) {
      Take(std::string_view(rest_).substr(begin, end - begin));
    }
    rest_.erase(0, begin);
  }
  return s;
}

void LogView::Clear() {
  offset_ = stalls_ = errors_ = 0;
  stalled_ = false;
  rest_.clear();
  jobs_.clear();
  running_.clear();
  figures_.clear();
  last_stall_.clear();
}

void LogView::Take(std::string_view line) {
  for (const std::string_view name : kFigures) {
    if (line.substr(0, name.size()) == name) {
      figures_[std::string(name)] = Trim(line.substr(name.size()));
      return;
    }
  }
  // "2026/11/21-21:43:11.123456 7f81c2a4e6c0 ..."
  constexpr size_t kTimeSize = 26;
  if (line.size() < kTimeSize || line[4] != '/') return;
  last_time_ = line.substr(0, 19);
  const size_t event = line.find(kEvent);
  if (event != line.npos) {
    TakeEvent(line.substr(event + kEvent.size()));
  } else if (line.find("Stopping writes") != line.npos ||
             line.find("Stalling writes") != line.npos) {
    ++stalls_;
    stalled_ = true;
    last_stall_ = line.substr(std::min(line.find("[WARN] ") + 7, line.size()));
  } else if (line.find("Writes run freely") != line.npos) {
    stalled_ = false;
  } else if (line.find("[ERROR]") != line.npos || line.find("[FATAL]") != line.npos) {
    ++errors_;
  }
}

void LogView::TakeEvent(std::string_view json) {
  const std::string_view event = Member(json, "event");
  const uint64_t job = Number(json, "job");
  if (event == "flush_started" || event == "compaction_started") {
    running_[job] = Number(json, "time_micros");
  } else if (event == "flush_finished" || event == "compaction_finished") {
    running_.erase(job);
    Job done;
    done.end_micros = Number(json, "time_micros");
    done.is_flush = event == "flush_finished";
    done.status = Member(json, "status");
    done.output_level = static_cast<int>(Number(json, "output_level"));
    done.bytes = Number(json, done.is_flush ? "file_size" : "total_output_size");
    done.micros = Number(json, done.is_flush ? "flush_time_micros" : "compaction_time_micros");
    jobs_.push_back(std::move(done));
    if (jobs_.size() > kJobsKept) jobs_.pop_front();
  }
}

std::string LogView::Figure(std::string_view name) const {
  const auto found = figures_.find(name);
  return found == figures_.end() ? "" : found->second;
}

}  // namespace cairn
