#include "sim/client.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "rocksdb/sst_file_writer.h"
#include "sim/entity.h"
#include "sim/keys.h"
#include "sim/world.h"

namespace cairn::sim {

using rocksdb::ReadOptions;
using rocksdb::Status;
using rocksdb::WriteBatch;
using rocksdb::WriteOptions;

namespace {

constexpr uint64_t kLateLookNanos = 1'000'000;
constexpr uint64_t kKeys = kKeysOfAClient;
constexpr uint64_t kSingleKeys = kSingleKeysOfAClient;
constexpr uint64_t kNewKeys = 400;  // from this number on, and so many
constexpr char kOutside[] = "/outside/";

std::string SumOf(uint64_t first, uint64_t second) {
  return std::to_string(first) + " to " + std::to_string(second);
}

}  // namespace

Client::Client(World* world, int id, const Plan::ClientPlan& plan)
    : world_(world), id_(id), plan_(plan), prefix_(ClientPrefix(id)) {}

std::string Client::KeyNumber(uint64_t number) const { return NumberedKey(prefix_, number); }

void Client::Run(uint64_t count) {
  stopped_ = false;
  // Whose write met the fault has stopped; a late one shows how the database goes on afterwards.
  while (plan_.late && !world_->healed() && !world_->over()) fiber::sleep_for(kLateLookNanos);
  after_resume_ = plan_.late && world_->resumed();
  world_->PlayOperations(id_, count, &number_, &random_, [this] {
    Step();
    return !stopped_;
  });
}

void Client::EndLife() {
  for (const Held& held : held_) world_->db()->ReleaseSnapshot(held.snapshot);
  held_.clear();
  iterators_.clear();
  follower_.reset();
  for (rocksdb::ColumnFamilyHandle* const handle : secondary_families_) delete handle;
  secondary_families_.clear();
  secondary_.reset();
}

void Client::RestartVersions() {
  versions_.clear();
  for (const auto& [key, value] : ledger_.state()) versions_[key].values.emplace_back(value);
}

Client::Window Client::Look(const std::string& key) const {
  const auto found = versions_.find(key);
  return {found == versions_.end() ? 0 : found->second.acknowledged};
}

std::vector<Client::Window> Client::LookAtAll() const {
  std::vector<Window> windows;
  for (uint64_t i = 0; i < kKeys; ++i) windows.push_back(Look(KeyNumber(i)));
  return windows;
}

void Client::EndAll(std::vector<Window>* windows) const {
  for (uint64_t i = 0; i < kKeys; ++i) {
    const auto found = versions_.find(KeyNumber(i));
    (*windows)[i].to = found == versions_.end() ? 1 : found->second.values.size();
  }
}

bool Client::WasCurrent(const std::string& key, const Window& window,
                        const std::optional<std::string>& found) const {
  const auto versions = versions_.find(key);
  if (versions == versions_.end()) return !found;
  const auto& values = versions->second.values;
  const auto at = [&](size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto end = at(std::min(window.to, values.size()));
  if (std::find(at(window.from), end, found) != end) return true;
  // Of a batch that is seen in part an operand may stand where a range of the same batch is not
  // deleted yet.
  return !world_->has_fixed_snapshots() && end - at(window.from) > 1;
}

// Notes what an operation said. False: it failed, as it may now and then.
bool Client::Ok(std::string_view what, std::string_view key, const Status& s) {
  world_->history().Note(id_, what, key, s.ToString());
  if (s.ok() || s.IsNotFound()) return s.ok();
  const bool allowed =
      (after_resume_ ? world_->errors_are_allowed_after_resume() : world_->errors_are_allowed()) ||
      // What a compaction service says that fails now and then.
      (world_->has_service() && (s.IsAborted() || s.IsIncomplete()));
  if (!allowed || s.IsCorruption()) {
    world_->history().Violation("client " + std::to_string(id_) + ": " + std::string(what) + " " +
                                std::string(key) + ": " + s.ToString());
  }
  return false;
}

void Client::Compare(const std::string& key, const State& expected, const Status& s,
                     const std::string& value, std::string_view what, bool whole) {
  if (!s.ok() && !s.IsNotFound()) {
    Ok(what, key, s);
    return;
  }
  ++world_->history().counts.reads;
  world_->history().Note(id_, what, key, s.ok() ? Printable(value, 24) : "nothing");
  const auto found = expected.find(key);
  const std::optional<std::string> wanted =
      found == expected.end() ? std::nullopt
                              : std::optional(whole ? found->second : DefaultOf(found->second));
  const std::optional<std::string> there = s.ok() ? std::optional(value) : std::nullopt;
  if (wanted != there) {
    world_->history().Violation("client " + std::to_string(id_) + ": " + std::string(what) + " " +
                                key + ": expected " + Shown(wanted) + ", found " + Shown(there));
  }
}

std::string Client::DrawKey() { return KeyNumber(random_.Uniform(world_->plan().keys)); }

std::string Client::DrawValue() {
  const uint64_t size =
      random_.OneIn(30) ? random_.Uniform(20'000) : random_.Uniform(random_.OneIn(3) ? 2000 : 200);
  return DrawnValue(number_, size, &random_);
}

// The text of one or more columns, the default one among them or not.
std::string Client::DrawEntity() {
  const std::string value = DrawValue(), second = DrawOperand();
  const std::string name = "a" + std::to_string(random_.Uniform(3));
  rocksdb::WideColumns columns = {{name, second}};
  if (!random_.OneIn(4)) columns.emplace_back("", value);
  if (random_.OneIn(3)) columns.emplace_back("size", "");
  return TextOf(columns);
}

std::string Client::DrawOperand() {
  return std::to_string(number_) + "+" + random_.RandomString(random_.Uniform(30));
}

// What `key` is after the first writes of a batch.
std::optional<std::string> Client::ValueAfter(const std::vector<Effect>& effects,
                                              const std::string& key) const {
  for (auto effect = effects.rbegin(); effect != effects.rend(); ++effect) {
    if (effect->key == key) return effect->value;
  }
  const auto found = ledger_.state().find(key);
  return found == ledger_.state().end() ? std::nullopt : std::optional(found->second);
}

void Client::Step() {
  const uint64_t chance = random_.Uniform(1000);
  if (world_->plan().kind == Plan::Kind::kAlternatingStyles && random_.OneIn(8)) {
    Ingest();
  } else if (chance < 430) {
    WriteSome();
  } else if (chance < 460) {
    SingleDelete();
  } else if (chance < 640) {
    GetOne();
  } else if (chance < 690) {
    GetMany();
  } else if (chance < 740) {
    Scan();
  } else if (chance < 765) {
    WalkOnHeld();
  } else if (chance < 810) {
    ChangeSnapshots();
  } else if (chance < 890) {
    GetOfAnother();
  } else if (chance < 950) {
    Transfer();
  } else if (chance < 975) {
    SumUp();
  } else {
    Administer();
  }
}

void Client::WriteSome() {
  WriteBatch batch;
  std::vector<Effect> effects;
  const uint64_t count = random_.OneIn(4) ? 1 + random_.Uniform(20) : 1;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string key = DrawKey();
    if (random_.OneIn(12)) {
      std::string end = DrawKey();
      if (end < key) end = key;  // nothing
      batch.DeleteRange(world_->family_of(*this), key, end).PermitUncheckedError();
      for (uint64_t number = 0; number < kKeys; ++number) {
        const std::string inside = KeyNumber(number);
        if (key <= inside && inside < end && ValueAfter(effects, inside)) {
          effects.push_back({inside, std::nullopt});
        }
      }
      continue;
    }
    if (random_.OneIn(4)) {
      const std::string operand = DrawOperand();
      batch.Merge(world_->family_of(*this), key, operand).PermitUncheckedError();
      const std::optional<std::string> before = ValueAfter(effects, key);
      effects.push_back({key, Merged(before, operand)});
    } else if (random_.OneIn(5)) {
      batch.Delete(world_->family_of(*this), key).PermitUncheckedError();
      effects.push_back({key, std::nullopt});
    } else if (random_.OneIn(4)) {
      const std::string text = DrawEntity();
      batch.PutEntity(world_->family_of(*this), key, ColumnsOf(text)).PermitUncheckedError();
      effects.push_back({key, text});
    } else {
      const std::string value = DrawValue();
      batch.Put(world_->family_of(*this), key, value).PermitUncheckedError();
      effects.push_back({key, value});
    }
  }
  Commit(&batch, std::move(effects), "writes");
}

void Client::SingleDelete() {
  const std::string key = KeyNumber(kKeys + random_.Uniform(kSingleKeys));
  WriteBatch batch;
  if (ledger_.state().contains(key)) {
    batch.SingleDelete(world_->family_of(*this), key).PermitUncheckedError();
    Commit(&batch, {{key, std::nullopt}}, "single delete");
  } else if (random_.OneIn(4)) {
    const std::string text = DrawEntity();
    batch.PutEntity(world_->family_of(*this), key, ColumnsOf(text)).PermitUncheckedError();
    Commit(&batch, {{key, text}}, "single put");
  } else {
    const std::string value = DrawValue();
    batch.Put(world_->family_of(*this), key, value).PermitUncheckedError();
    Commit(&batch, {{key, value}}, "single put");
  }
}

void Client::Commit(WriteBatch* batch, std::vector<Effect> effects, std::string_view what) {
  WriteOptions options;
  options.protection_bytes_per_key = world_->plan().batch_checksum_bytes();
  options.disableWAL = plan_.without_log;
  options.sync = !plan_.without_log && plan_.sync_one_in != 0 &&
                 random_.OneIn(static_cast<uint64_t>(plan_.sync_one_in));
  Change(std::move(effects), what, options.sync, /*from_outside=*/false,
         [&] { return world_->db()->Write(options, batch); });
}

void Client::Change(std::vector<Effect> effects, std::string_view what, bool durable,
                    bool from_outside, const std::function<Status()>& change) {
  for (const Effect& effect : effects) {
    Versions& versions = versions_[effect.key];
    if (versions.values.empty()) versions.values.emplace_back(std::nullopt);
    versions.values.push_back(effect.value);
  }
  const std::string key = effects.empty() ? "nothing" : effects[0].key;
  const uint64_t begin = fiber::now_nanos();
  ledger_.Begin(effects, begin, from_outside);
  const Status s = change();
  if (!Ok(what, key, s)) {
    // Whether it is there is not known: no more in this life.
    stopped_ = true;
    return;
  }
  ++world_->history().counts.acknowledged;
  ledger_.Acknowledge(fiber::now_nanos(), durable);
  if (durable) world_->NoteDurable(begin, /*memtables=*/false);
  for (const Effect& effect : effects) {
    Versions& versions = versions_[effect.key];
    versions.acknowledged = versions.values.size() - 1;
  }
}

// One or two files from outside, which may overlap; the second one's entries are newer.
void Client::Ingest() {
  // What it wrote without the log may be lost while the files stay.
  if (plan_.without_log || world_->plan().kind == Plan::Kind::kRepairs) return GetOne();
  rocksdb::DB* const db = world_->db();
  const rocksdb::Options options = db->GetOptions(world_->family_of(*this));
  if (!Ok("make a directory", kOutside, options.env->CreateDirIfMissing(kOutside))) return;
  std::vector<std::string> paths;
  std::vector<Effect> effects;
  for (uint64_t files = 1 + random_.Uniform(2); paths.size() < files;) {
    paths.push_back(kOutside + prefix_.substr(0, 3) + "-" + std::to_string(number_) + "-" +
                    std::to_string(paths.size()) + ".sst");
    const Status s = WriteOutside(options, paths.back(), &effects);
    if (!Ok("write outside", paths.back(), s)) return;
  }
  rocksdb::IngestExternalFileOptions how;
  how.move_files = random_.OneIn(2);
  how.verify_checksums_before_ingest = random_.OneIn(3);
  Change(std::move(effects), "ingest", /*durable=*/true, /*from_outside=*/true,
         [&] { return db->IngestExternalFile(world_->family_of(*this), paths, how); });
  // (Moved, or the power is off.)
  for (const std::string& path : paths) options.env->DeleteFile(path).PermitUncheckedError();
}

Status Client::WriteOutside(const rocksdb::Options& options, const std::string& path,
                            std::vector<Effect>* effects) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(options), options);
  Status s = writer.Open(path);
  if (s.ok() && random_.OneIn(3)) {
    std::string begin = DrawKey(), end = DrawKey();
    if (end < begin) std::swap(begin, end);
    s = writer.DeleteRange(begin, end);
    for (uint64_t number = 0; number < kKeys; ++number) {
      const std::string inside = KeyNumber(number);
      if (begin <= inside && inside < end && ValueAfter(*effects, inside)) {
        effects->push_back({inside, std::nullopt});
      }
    }
  }
  std::set<std::string> keys;
  if (s.ok() && effects->empty() && random_.OneIn(3)) {
    // Where nothing is yet: the file needs no sequence number.
    const std::string key = KeyNumber(kNewKeys + random_.Uniform(kNewKeys));
    const std::string value = DrawValue();
    effects->push_back({key, value});
    s = writer.Put(key, value);
    return s.ok() ? writer.Finish() : s;
  }
  const uint64_t usual = world_->plan().kind == Plan::Kind::kAlternatingStyles ? 1
                         : random_.OneIn(2)                                    ? 3
                                                                               : 40;
  const uint64_t most = std::min(usual, world_->plan().keys);
  for (uint64_t count = 1 + random_.Uniform(most); keys.size() < count;) keys.insert(DrawKey());
  for (const std::string& key : keys) {
    if (!s.ok()) break;
    if (random_.OneIn(6)) {
      s = writer.Delete(key);
      effects->push_back({key, std::nullopt});
    } else if (random_.OneIn(4)) {
      const std::string operand = DrawOperand();
      s = writer.Merge(key, operand);
      const std::optional<std::string> before = ValueAfter(*effects, key);
      effects->push_back({key, Merged(before, operand)});
    } else if (random_.OneIn(4)) {
      const std::string text = DrawEntity();
      s = writer.PutEntity(key, ColumnsOf(text));
      effects->push_back({key, text});
    } else {
      const std::string value = DrawValue();
      s = writer.Put(key, value);
      effects->push_back({key, value});
    }
  }
  return s.ok() ? writer.Finish() : s;
}

// Two accounts, read and written under locks of the world.
void Client::Transfer() {
  uint64_t first = random_.Uniform(World::kAccounts);
  uint64_t second = random_.Uniform(World::kAccounts - 1);
  if (second >= first) ++second;
  if (second < first) std::swap(first, second);
  const fiber::MutexLock lock_first(&world_->account_mutex(first));
  const fiber::MutexLock lock_second(&world_->account_mutex(second));
  int64_t amounts[2];
  const uint64_t numbers[2] = {first, second};
  for (int i = 0; i < 2; ++i) {
    std::string value;
    const std::string key = World::AccountKey(numbers[i]);
    const Status s =
        world_->db()->Get(ReadOptions(), world_->family_of_account(numbers[i]), key, &value);
    if (s.IsNotFound()) world_->history().Violation("an account is missing: " + key);
    if (!Ok("account", key, s)) return;
    amounts[i] = std::strtoll(value.c_str(), nullptr, 10);
  }
  const auto amount = static_cast<int64_t>(random_.Uniform(100));
  WriteBatch batch;
  const int64_t after[2] = {amounts[0] - amount, amounts[1] + amount};
  for (int i = 0; i < 2; ++i) {
    batch
        .Put(world_->family_of_account(numbers[i]), World::AccountKey(numbers[i]),
             std::to_string(after[i]))
        .PermitUncheckedError();
  }
  WriteOptions options;
  options.protection_bytes_per_key = world_->plan().batch_checksum_bytes();
  options.sync = plan_.sync_one_in != 0 && random_.OneIn(static_cast<uint64_t>(plan_.sync_one_in));
  const uint64_t begin = fiber::now_nanos();
  const Status s = world_->db()->Write(options, &batch);
  if (!Ok("transfer", SumOf(first, second), s)) {
    stopped_ = true;
  } else if (options.sync) {
    world_->NoteDurable(begin, /*memtables=*/false);
  }
}

void Client::SumUp() {
  int64_t sum = 0;
  int accounts = 0;
  Status s;
  ReadOptions options;
  // A snapshot that was just taken, or one that was held for a while, has it too.
  const Held* const held = DrawSnapshot();
  const rocksdb::Snapshot* const taken =
      held == nullptr && random_.OneIn(2) ? world_->db()->GetSnapshot() : nullptr;
  options.snapshot = held != nullptr ? held->snapshot : taken;
  if (options.snapshot == nullptr || random_.OneIn(2)) {
    std::vector<rocksdb::Iterator*> made;
    if (random_.OneIn(3)) {
      made.push_back(world_->db()->NewCoalescingIterator(options, world_->families()).release());
    } else {
      s = world_->db()->NewIterators(options, world_->families(), &made);
    }
    for (rocksdb::Iterator* const one : made) {
      const std::unique_ptr<rocksdb::Iterator> it(one);
      for (it->Seek("account/"); it->Valid() && it->key().starts_with("account/"); it->Next()) {
        sum += std::strtoll(it->value().ToString().c_str(), nullptr, 10);
        ++accounts;
      }
      if (s.ok()) s = it->status();
    }
  } else if (random_.OneIn(2)) {
    std::vector<std::string> keys;
    std::vector<rocksdb::ColumnFamilyHandle*> families;
    for (uint64_t i = 0; i < World::kAccounts; ++i) {
      keys.push_back(World::AccountKey(i));
      families.push_back(world_->family_of_account(i));
    }
    std::vector<std::string> values;
    const std::vector<Status> statuses = world_->db()->MultiGet(
        options, families, std::vector<rocksdb::Slice>(keys.begin(), keys.end()), &values);
    for (uint64_t i = 0; i < World::kAccounts && s.ok(); ++i) {
      s = statuses[i];
      sum += std::strtoll(values[i].c_str(), nullptr, 10);
      ++accounts;
    }
  } else {
    for (uint64_t i = 0; i < World::kAccounts && s.ok(); ++i) {
      std::string value;
      s = world_->db()->Get(options, world_->family_of_account(i), World::AccountKey(i), &value);
      sum += std::strtoll(value.c_str(), nullptr, 10);
      ++accounts;
    }
  }
  if (taken != nullptr) world_->db()->ReleaseSnapshot(taken);
  ++world_->history().counts.reads;
  if (!Ok("sum", "", s)) return;
  const bool is_whole = sum == World::kSum || !world_->has_fixed_snapshots();
  if (!is_whole || accounts != World::kAccounts) {
    world_->history().Violation("client " + std::to_string(id_) + ": " + std::to_string(accounts) +
                                " accounts with " + std::to_string(sum) + " in all, expected " +
                                std::to_string(World::kSum) + ": a batch was seen in part");
  }
}

}  // namespace cairn::sim
