// What may become of the files of a database that is closed: a bit flips, a log is lost or zeroed,
// a MANIFEST lacks its last records, two tables lie under each other's names. It then says that
// something is wrong, or shows a state that it had.
#include <algorithm>
#include <cstdlib>

#include "base/random.h"
#include "fs/file_util.h"
#include "rocksdb/iterator.h"
#include "sim/entity.h"
#include "sim/world.h"

namespace cairn::sim {

using rocksdb::Status;

std::vector<std::string> World::FilesWithBytes() const {
  std::vector<std::string> names = Children();
  std::sort(names.begin(), names.end());
  std::erase_if(names, [this](const std::string& name) {
    uint64_t size = 0;
    return name.rfind("LOG", 0) == 0 || name == "LOCK" ||
           !memory_->GetFileSize(PathOf(name), IOOptions(), &size, nullptr).ok() || size == 0;
  });
  return names;
}

// Something that happens to files of a database that is closed, whose checksums are right after it.
// The name of one of them; empty: there are none of the kind.
std::string World::LoseSomething(Random64* random, std::string* told) {
  std::vector<std::string> names = FilesWithBytes();
  const auto keep = [&names](const char* suffix) {
    std::erase_if(names, [suffix](const std::string& name) { return !name.ends_with(suffix); });
  };
  const auto contents = [this](const std::string& name) {
    std::string data;
    ReadFileToString(memory_.get(), PathOf(name), &data).PermitUncheckedError();
    return data;
  };
  const auto put = [this](const std::string& name, const std::string& data) {
    WriteStringToFile(memory_.get(), data, PathOf(name), /*sync=*/true).PermitUncheckedError();
  };
  switch (random->Uniform(4)) {
    case 0:
    case 1: {
      keep(".log");
      if (names.empty()) return "";
      // Rather an old one: the newest one's end may always be missing.
      const std::string name = names[random->Uniform(random->Uniform(names.size()) + 1)];
      const bool gone = random->OneIn(2);
      *told = gone ? "loses" : "zeroes";
      if (gone) {
        memory_->DeleteFile(PathOf(name), IOOptions(), nullptr).PermitUncheckedError();
      } else {
        put(name, std::string(contents(name).size(), '\0'));
      }
      return name;
    }
    case 2: {
      // (What was ingested is in no log, so that nothing tells that it is missing.)
      std::erase_if(names, [](const std::string& name) { return !name.starts_with("MANIFEST-"); });
      if (names.empty() || plan_.kind != Plan::Kind::kRepairs) return "";
      const std::string data = contents(names.back());
      std::vector<size_t> ends;
      for (size_t at = 0; at + 7 < data.size();) {
        at += 7 + static_cast<uint8_t>(data[at + 4]) +
              256 * static_cast<size_t>(static_cast<uint8_t>(data[at + 5]));
        ends.push_back(at);
      }
      const size_t lost = random->Uniform(std::min<size_t>(6, ends.size() - 1)) + 1;
      if (lost >= ends.size()) return "";
      *told = "cuts the last " + std::to_string(lost) + " records off";
      put(names.back(), data.substr(0, ends[ends.size() - 1 - lost]));
      return names.back();
    }
    default: {
      keep(".sst");
      if (names.size() < 2) return "";
      const std::string name = names[random->Uniform(names.size())];
      const std::string other = names[random->Uniform(names.size())];
      *told = "swaps " + other + " and";
      const std::string data = contents(name);
      put(name, contents(other));
      put(other, data);
      return name;
    }
  }
}

void World::PlayDamage(const LifePlan& life) {
  Random64 random(life.seed);
  std::string what;
  std::string name;
  if (random.OneIn(2)) name = LoseSomething(&random, &what);
  if (name.empty()) {
    const std::vector<std::string> names = FilesWithBytes();
    if (names.empty()) return;
    name = names[random.Uniform(names.size())];
    uint64_t size = 0;
    memory_->GetFileSize(PathOf(name), IOOptions(), &size, nullptr).PermitUncheckedError();
    const uint64_t offset = random.Uniform(size);
    what = "flips a bit at " + std::to_string(offset) + " of";
    memory_->CorruptFile(PathOf(name), offset, static_cast<uint8_t>(1 << random.Uniform(8)))
        .PermitUncheckedError();
  }
  ++history_->counts.damaged;
  Status s = TryOpen(kPath, life, /*read_only=*/false, &db_, &families_);
  history_->Note(-1, what, name, s.ToString());
  if (!s.ok()) return;
  std::map<std::string, State> states;
  rocksdb::ReadOptions all;
  all.total_order_seek = true;
  for (int i = 0; i < plan_.families && s.ok(); ++i) {
    const std::unique_ptr<rocksdb::Iterator> it(
        db_->NewIterator(all, families_[static_cast<size_t>(i)]));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      const std::string key = it->key().ToString();
      states[key.substr(0, key.find('/') + 1)][key] = TextOf(it->columns());
    }
    s = it->status();
  }
  history_->Note(-1, "reads what is damaged", "", s.ToString());
  if (s.ok()) {
    for (const auto& client : clients_) {
      Ledger::Fit fit;
      std::string difference;
      const State& state = states[client->prefix()];
      if (!client->ledger().FitTo(state, 0, &fit, &difference) &&
          !(name.ends_with(".log") && client->ledger().FitsButForALog(state))) {
        history_->Violation("something " + what + " " + name + ", and nobody says so; client " +
                            std::to_string(client->id()) + ": " + difference);
      }
    }
    // Each transfer is a batch of two families: there as a whole or not at all.
    int64_t sum = 0;
    const State& accounts = states["account/"];
    for (const auto& [key, value] : accounts) sum += std::strtoll(value.c_str(), nullptr, 10);
    if (!accounts.empty() && (sum != kSum || accounts.size() != kAccounts)) {
      history_->Violation("something " + what + " " + name + ", and nobody says so; " +
                          std::to_string(accounts.size()) + " accounts with " +
                          std::to_string(sum) + " in all");
    }
  }
  Close().PermitUncheckedError();
  db_.reset();
}

}  // namespace cairn::sim
