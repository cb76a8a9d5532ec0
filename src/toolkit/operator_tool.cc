// The program cairn: its command line, and what its commands print.
#include "cairn/operator_tool.h"

#include <algorithm>
#include <cinttypes>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_util.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "rocksdb/db.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/version.h"
#include "toolkit/console.h"
#include "toolkit/database_use.h"
#include "toolkit/doctor.h"
#include "toolkit/level_chart.h"
#include "toolkit/log_view.h"
#include "toolkit/manifest_picture.h"
#include "toolkit/progress.h"
#include "toolkit/terminal.h"

namespace cairn {
namespace {

constexpr char kCairnHelp[] =
    R"(cairn: looks after a database. It changes nothing, and works beside a process that has it open.

  cairn scan DIR [--from=KEY] [--to=KEY] [--prefix=KEY] [--max=N] [--family=NAME] [--hex] [--keys] [--count]
      its entries, one a line: key, a tab, value; bytes that cannot be printed as \xHH. --count: how many
  cairn doctor DIR [--deep]
      what is wrong with the database, and what to do. --deep reads every block of every table
  cairn levels DIR [--svg=FILE]
      its column families and levels as a table, or as a picture
  cairn top DIR [--interval=SECONDS] [--once]
      the same live, with flushes, compactions, stalls and cache out of the LOG of its process; end it by Ctrl-C
  cairn help | --help | --version

Status: 0 all is well, 1 doctor found something or a command failed, 2 the command line is wrong.
Everything else (writing, repair, backups, single files): ldb --help, sst_dump --help.
)";

struct Words {
  std::string command, dir;
  std::optional<std::string> from, to, prefix, svg;
  std::string family = kDefaultColumnFamilyName;
  uint64_t max = UINT64_MAX, interval = 2;
  bool hex = false, keys = false, count = false, deep = false, once = false, help = false;
};

// Empty: the words make sense; else what does not.
std::string Parse(int argc, char const* const* argv, Words* words) {
  const struct {
    std::string_view command, name;
    bool* flag;
    std::optional<std::string>* text;
    std::string* plain;
    uint64_t* number;
  } options[] = {
      {"scan", "--from", nullptr, &words->from, nullptr, nullptr},
      {"scan", "--to", nullptr, &words->to, nullptr, nullptr},
      {"scan", "--prefix", nullptr, &words->prefix, nullptr, nullptr},
      {"scan", "--max", nullptr, nullptr, nullptr, &words->max},
      {"scan", "--family", nullptr, nullptr, &words->family, nullptr},
      {"scan", "--hex", &words->hex, nullptr, nullptr, nullptr},
      {"scan", "--keys", &words->keys, nullptr, nullptr, nullptr},
      {"scan", "--count", &words->count, nullptr, nullptr, nullptr},
      {"doctor", "--deep", &words->deep, nullptr, nullptr, nullptr},
      {"levels", "--svg", nullptr, &words->svg, nullptr, nullptr},
      {"top", "--interval", nullptr, nullptr, nullptr, &words->interval},
      {"top", "--once", &words->once, nullptr, nullptr, nullptr},
  };
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "help" || word == "-h") {
      words->help = true;
    } else if (word.substr(0, 2) != "--") {
      if (!words->dir.empty()) return "one directory, please: " + std::string(word);
      (words->command.empty() ? words->command : words->dir) = word;
    } else {
      const size_t equals = std::min(word.find('='), word.size());
      const std::string value(word.substr(std::min(equals + 1, word.size())));
      const auto found = std::find_if(std::begin(options), std::end(options), [&](const auto& o) {
        return o.name == word.substr(0, equals) && o.command == words->command;
      });
      if (found == std::end(options) || (found->flag != nullptr) != (equals == word.size())) {
        return "unknown option of " + words->command + ": " + std::string(word);
      }
      if (found->flag != nullptr) *found->flag = true;
      if (found->text != nullptr) *found->text = value;
      if (found->plain != nullptr) *found->plain = value;
      if (found->number != nullptr && !ParseUint64(value, found->number)) {
        return std::string(found->name) + ": not a number: " + value;
      }
    }
  }
  if (words->help) return "";
  static constexpr std::string_view kCommands[] = {"scan", "doctor", "levels", "top"};
  if (std::find(std::begin(kCommands), std::end(kCommands), words->command) ==
      std::end(kCommands)) {
    return words->command.empty() ? "which command?" : "unknown command: " + words->command;
  }
  if (words->interval == 0 || words->interval > 3600) return "--interval: 1 to 3600 seconds";
  return words->dir.empty() ? words->command + ": of which directory?" : "";
}

int Failed(const Status& s) {
  PrintError("cairn: %s\n", s.ToString().c_str());
  return 1;
}

// Opens it to read, with the options that it was last opened with, if they can be had.
[[nodiscard]] Status OpenToRead(const std::string& dir, std::vector<ColumnFamilyHandle*>* handles,
                                std::unique_ptr<DB>* db) {
  Status s = CheckExists(Env::Default(), dir);
  if (!s.ok()) return s;
  ConfigOptions config;
  config.ignore_unknown_options = true;
  DBOptions options;
  std::vector<ColumnFamilyDescriptor> families;
  if (!LoadLatestOptions(config, dir, &options, &families).ok()) {
    options = DBOptions();
    families.clear();
    std::vector<std::string> names;
    s = DB::ListColumnFamilies(options, dir, &names);
    if (!s.ok()) return s;
    for (const std::string& name : names) families.emplace_back(name, ColumnFamilyOptions());
  }
  return DB::OpenForReadOnly(options, dir, families, handles, db);
}

int Scan(const Words& words) {
  std::vector<ColumnFamilyHandle*> handles;
  std::unique_ptr<DB> db;
  Status s = OpenToRead(words.dir, &handles, &db);
  if (!s.ok()) return Failed(s);
  std::vector<std::unique_ptr<ColumnFamilyHandle>> owned(handles.begin(), handles.end());
  const auto family = std::find_if(handles.begin(), handles.end(), [&](ColumnFamilyHandle* handle) {
    return handle->GetName() == words.family;
  });
  if (family == handles.end()) return Failed(Status::NotFound("column family", words.family));
  ReadOptions read;
  read.total_order_seek = true;
  const std::unique_ptr<Iterator> it(db->NewIterator(read, *family));
  const Comparator* const comparator = (*family)->GetComparator();
  const auto& from = words.prefix ? words.prefix : words.from;
  if (from) {
    it->Seek(*from);
  } else {
    it->SeekToFirst();
  }
  const auto show = [&](const Slice& bytes) {
    return words.hex ? bytes.ToString(true) : EscapeBytes(bytes);
  };
  uint64_t count = 0, bytes = 0;
  Progress progress(words.count && ErrorIsTerminal(), "scanned", 0);
  for (; it->Valid() && count < words.max; it->Next()) {
    if (words.to && comparator->Compare(it->key(), *words.to) >= 0) break;
    if (words.prefix && !it->key().starts_with(*words.prefix)) break;
    ++count;
    bytes += it->key().size() + it->value().size();
    progress.Show(bytes);
    if (words.count) continue;
    Write(show(it->key()) + (words.keys ? "" : "\t" + show(it->value())) + "\n");
  }
  progress.Done();
  if (!it->status().ok()) return Failed(it->status());
  if (words.count) {
    Print("%" PRIu64 " entries, %s of keys and values\n", count, BytesToHumanString(bytes).c_str());
  }
  return 0;
}

int Diagnose(const Words& words) {
  const bool color = OutputIsTerminal();
  const struct {
    const char* word;
    const char* color;
  } grades[] = {
      {"ok  ", "\033[32m"}, {"note", "\033[36m"}, {"WARN", "\033[33m"}, {"BAD ", "\033[31m"}};
  size_t warnings = 0, bad = 0;
  for (const Finding& finding :
       Examine(Env::Default(), words.dir, {.deep = words.deep, .progress = ErrorIsTerminal()})) {
    const auto& grade = grades[finding.grade];
    warnings += finding.grade == Finding::kWarning ? 1 : 0;
    bad += finding.grade == Finding::kBad ? 1 : 0;
    Write(std::string(color ? grade.color : "") + grade.word + (color ? "\033[0m" : "") +
          StringPrintf("  %-11s  ", finding.part.c_str()) + finding.text + "\n");
    if (!finding.advice.empty()) Write("                   -> " + finding.advice + "\n");
  }
  if (bad + warnings == 0) {
    Print("\nNothing is wrong with it.\n");
    return 0;
  }
  Print("\n%" PRIu64 " bad, %" PRIu64 " to be looked at. Nothing was changed.\n", bad, warnings);
  return 1;
}

int Levels(const Words& words) {
  ManifestPicture picture;
  FileSystem* const fs = Env::Default()->GetFileSystem().get();
  Status s = picture.ReadCurrent(fs, words.dir);
  if (!s.ok()) return Failed(s);
  if (!words.svg) {
    Write(LevelTable(picture));
    return 0;
  }
  const std::string svg = LevelSvg(picture, words.dir);
  if (*words.svg == "-") {
    Write(svg);
    return 0;
  }
  s = WriteStringToFile(fs, svg, *words.svg);
  return s.ok() ? 0 : Failed(s);
}

// The last minute's work of one kind.
std::string Rate(const std::deque<LogView::Job>& jobs, bool flushes, uint64_t now_micros) {
  constexpr uint64_t kMinute = 60'000'000;
  uint64_t count = 0, bytes = 0;
  for (const LogView::Job& job : jobs) {
    if (job.is_flush != flushes || job.end_micros + kMinute < now_micros) continue;
    ++count;
    bytes += job.bytes;
  }
  return StringPrintf("%4" PRIu64 " in the last minute, %s written", count,
                      BytesToHumanString(bytes).c_str());
}

std::string JobLine(const LogView::Job& job, uint64_t now_micros) {
  const double seconds = static_cast<double>(job.micros) / 1e6;
  const uint64_t ago = now_micros > job.end_micros ? (now_micros - job.end_micros) / 1000000 : 0;
  std::string what = job.is_flush ? "flush" : StringPrintf("compaction to L%d", job.output_level);
  return StringPrintf(
             "  %6" PRIu64 " s ago  %-18s %10s  %8.2f s  %10s/s", ago, what.c_str(),
             BytesToHumanString(job.bytes).c_str(), seconds,
             BytesToHumanString(
                 seconds > 0 ? static_cast<uint64_t>(static_cast<double>(job.bytes) / seconds) : 0)
                 .c_str()) +
         (job.status == "OK" ? "" : "  " + job.status) + "\n";
}

std::string Frame(const Words& words, const ManifestPicture& picture, const LogView& log) {
  const uint64_t now = fiber::wall_micros();
  const bool open = !CheckUnused(Env::Default(), words.dir).ok();
  std::string text = "cairn top  " + words.dir + "  " + (open ? "open" : "not open now") +
                     ", last line of its LOG " +
                     (log.last_time().empty() ? "none" : log.last_time()) + "\n\n";
  text += LevelTable(picture);
  text += "\nflushes      " + Rate(log.jobs(), true, now) + "\ncompactions  " +
          Rate(log.jobs(), false, now) +
          (open ? StringPrintf(", %" PRIu64 " jobs run", log.running()) : "") + "\nstalls       " +
          StringPrintf("%4" PRIu64 " since it was opened%s", log.stalls(),
                       log.stalled() && open ? ", and now" : "") +
          (log.last_stall().empty() ? "" : "; last: " + log.last_stall().substr(0, 90)) +
          StringPrintf("\nerrors       %4" PRIu64 " in the LOG", log.errors()) + "\n";
  const struct {
    const char *shown, *name;
  } figures[] = {{"writes      ", "Cumulative writes"},
                 {"stalled     ", "Cumulative stall"},
                 {"cache       ", "Block cache"},
                 {"as of uptime", "Uptime(secs)"}};
  bool any = false;
  for (const auto& figure : figures) {
    std::string value = log.Figure(figure.name);
    if (value.empty()) continue;
    if (value[0] == ':') value.erase(0, 2);
    any = true;
    text += std::string(figure.shown) + " " + value.substr(0, 130) + "\n";
  }
  if (!any) text += "(its LOG has no report of statistics yet: stats_dump_period_sec)\n";
  text += "\nlast jobs\n";
  constexpr size_t kJobs = 8;
  const auto& jobs = log.jobs();
  for (size_t i = jobs.size() - std::min(kJobs, jobs.size()); i < jobs.size(); ++i) {
    text += JobLine(jobs[i], now);
  }
  return text;
}

int Top(const Words& words) {
  FileSystem* const fs = Env::Default()->GetFileSystem().get();
  LogView log(fs, InfoLogFileName(words.dir));
  for (;;) {
    ManifestPicture picture;
    Status s = picture.ReadCurrent(fs, words.dir);
    if (s.ok()) s = log.Read();
    if (!s.ok()) return Failed(s);
    const std::string frame = Frame(words, picture, log);
    if (words.once) {
      Write(frame);
      return 0;
    }
    Write("\033[H\033[2J" + frame);
    FlushOutput();
    fiber::sleep_for(words.interval * 1'000'000'000);
  }
}

}  // namespace

int OperatorTool::Run(int argc, char const* const* argv) {
  PrepareStreams();
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    Print("%s\n", GetRocksBuildInfoAsString("cairn").c_str());
    return 0;
  }
  Words words;
  const std::string wrong = Parse(argc, argv, &words);
  if (words.help) {
    Write(kCairnHelp);
    return 0;
  }
  if (!wrong.empty()) {
    PrintError("cairn: %s\n\n%s", wrong.c_str(), kCairnHelp);
    return 2;
  }
  if (words.command == "scan") return Scan(words);
  if (words.command == "doctor") return Diagnose(words);
  return words.command == "levels" ? Levels(words) : Top(words);
}

}  // namespace cairn
