#include "player.h"

#include <algorithm>
#include <cstdarg>
#include <iterator>
#include <utility>

#include "rocksdb/comparator.h"
#include "rocksdb/env.h"
#include "rocksdb/wide_columns.h"

namespace differential {
namespace {

constexpr uint64_t kPlay = 4;
constexpr size_t kFamilies = 6;

}  // namespace

Player::Player(const Life& life, const std::string& path, std::FILE* out, bool verbose)
    : life_(life),
      path_(path),
      out_(out),
      verbose_(verbose),
      numbers_(NumbersFor(life.seed, kPlay, std::to_string(life.number))) {
  (void)rocksdb::Env::Default()->CreateDirIfMissing(path_ + ".files");
}

Player::~Player() = default;

bool Player::Open() {
  std::vector<std::string> names;
  rocksdb::Status s = rocksdb::DB::ListColumnFamilies(life_.options, path_, &names);
  // (A database that is not there yet: RocksDB says IOError.)
  if (!s.ok()) names = {rocksdb::kDefaultColumnFamilyName};
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) {
    descriptors.emplace_back(name, FamilyOptionsOf(life_.seed, life_.number, name));
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  s = rocksdb::DB::Open(life_.options, path_, descriptors, &handles, &db);
  Say("open %s, families %zu", Show(s).c_str(), names.size());
  if (!s.ok()) {
    std::fprintf(stderr, "open: %s\n", s.ToString().c_str());
    return false;
  }
  db_.reset(db);
  for (size_t i = 0; i < names.size(); i++) {
    auto family = std::make_unique<Family>();
    family->name = names[i];
    family->traits = TraitsOf(life_.seed, names[i]);
    family->handle = handles[i];
    Say("family %s", names[i].c_str());
    families_.push_back(std::move(family));
  }
  // RocksDB 7.8.3 does not keep what a snapshot at number 0 sees: a file that came before any
  // write.
  if (db_->GetLatestSequenceNumber() == 0) {
    Say("put first: %s", Show(db_->Put({}, "first", "")).c_str());
  }
  first_sequence_ = db_->GetLatestSequenceNumber();
  return true;
}

void Player::Play() {
  for (const auto& family : families_) Sweep(*family);
  for (step_ = 1; step_ <= life_.operations; step_++) Step();
  for (const auto& family : families_) Sweep(*family);
}

void Player::Step() {
  struct Kind {
    void (Player::*what)();
    uint64_t weight;
  };
  static constexpr Kind kKinds[] = {
      {&Player::WriteOne, 22},    {&Player::WriteBatch, 14},
      {&Player::Single, 5},       {&Player::DeleteRange, 3},
      {&Player::Ingest, 2},       {&Player::Get, 14},
      {&Player::MultiGet, 6},     {&Player::GetEntity, 4},
      {&Player::TakeSnapshot, 3}, {&Player::ReleaseSnapshot, 3},
      {&Player::MakeIterator, 5}, {&Player::MoveIterator, 10},
      {&Player::DropIterator, 2}, {&Player::Flush, 4},
      {&Player::Compact, 2},      {&Player::SetOptions, 1},
      {&Player::Checkpoint, 1},   {&Player::SyncLog, 1},
      {&Player::CreateFamily, 1}, {&Player::DropFamily, 1},
      {&Player::Reopen, 1},       {&Player::ForgetDroppedFamilies, 1},
  };
  uint64_t sum = 0;
  for (const Kind& kind : kKinds) sum += kind.weight;
  uint64_t choice = Below(sum);
  for (const Kind& kind : kKinds) {
    if (choice < kind.weight) {
      (this->*kind.what)();
      break;
    }
    choice -= kind.weight;
  }
  Note("at %llu", static_cast<unsigned long long>(db_->GetLatestSequenceNumber()));
  if (sequence_known_) {
    Say("sequence +%llu",
        static_cast<unsigned long long>(db_->GetLatestSequenceNumber() - first_sequence_));
  }
}

void Player::CreateFamily() {
  if (families_.size() >= kFamilies) return;
  auto family = std::make_unique<Family>();
  family->name = "f" + std::to_string(life_.number) + "_" + std::to_string(++families_made_);
  family->traits = TraitsOf(life_.seed, family->name);
  const rocksdb::Status s = db_->CreateColumnFamily(
      FamilyOptionsOf(life_.seed, life_.number, family->name), family->name, &family->handle);
  Say("create family %s: %s", family->name.c_str(), Show(s).c_str());
  if (s.ok()) families_.push_back(std::move(family));
}

void Player::DropFamily() {
  const size_t i = Below(families_.size());
  Family& family = *families_[i];
  if (family.dropped || !OneIn(3)) return;
  const rocksdb::Status s = db_->DropColumnFamily(family.handle);
  Say("drop family %s: %s", family.name.c_str(), Show(s).c_str());
  if (s.ok()) family.dropped = true;
}

void Player::ForgetDroppedFamilies() {
  for (size_t i = families_.size(); i-- > 0;) {
    Family* const family = families_[i].get();
    if (!family->dropped) continue;
    iterators_.erase(std::remove_if(iterators_.begin(), iterators_.end(),
                                    [&](const auto& held) { return held.family == family; }),
                     iterators_.end());
    Say("forget family %s: %s", family->name.c_str(),
        Show(db_->DestroyColumnFamilyHandle(family->handle)).c_str());
    families_.erase(families_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void Player::LetGo() {
  iterators_.clear();
  for (const HeldSnapshot& held : snapshots_) db_->ReleaseSnapshot(held.snapshot);
  snapshots_.clear();
  for (const auto& family : families_) {
    Say("let go of %s: %s", family->name.c_str(),
        Show(db_->DestroyColumnFamilyHandle(family->handle)).c_str());
  }
  families_.clear();
}

void Player::End() {
  LetGo();
  if (OneIn(2)) Say("close %s", Show(db_->Close()).c_str());
  db_.reset();
}

void Player::Reopen() {
  if (!OneIn(4)) return;
  // How many keys were put once, and which are gone again, stays known.
  std::map<std::string, std::pair<int, int>> singles;
  for (const auto& family : families_) {
    if (!family->dropped) {
      singles[family->name] = {family->single_keys, family->single_deleted};
    }
  }
  End();
  if (!Open()) std::exit(3);
  for (const auto& family : families_) {
    std::tie(family->single_keys, family->single_deleted) = singles[family->name];
  }
}

Player::Family& Player::AnyFamily() {
  while (true) {
    Family& family = *families_[Below(families_.size())];
    if (!family.dropped) return family;
  }
}

Player::Family& Player::ReadableFamily() { return *families_[Below(families_.size())]; }

std::string Player::Key() {
  static const std::string kOdd[] = {
      std::string(), std::string("\0", 1), "k", "k\xff\xff", std::string("k001\0", 5), "j\xff", "l",
      "k0"};
  if (OneIn(24)) return kOdd[Below(std::size(kOdd))];
  char text[32];
  std::snprintf(text, sizeof(text), "k%03d", static_cast<int>(Below(life_.keys)));
  std::string key = text;
  if (OneIn(6)) key += std::string(1 + Below(20), static_cast<char>('a' + Below(3)));
  return key;
}

std::string Player::EntityKey() { return "e" + std::to_string(Below(40)); }

std::string Player::Value() {
  std::string value = std::to_string(life_.number) + "." + std::to_string(step_) + "." +
                      std::to_string(++values_) + ".";
  if (OneIn(20)) return std::string();
  const uint64_t length = OneIn(30) ? Below(6000) : OneIn(3) ? Below(200) : Below(20);
  for (uint64_t i = 0; i < length; i++) value += static_cast<char>('a' + (i + values_) % 26);
  return value;
}

rocksdb::WideColumns Player::Columns(std::vector<std::string>* storage) {
  storage->clear();
  storage->reserve(16);
  rocksdb::WideColumns columns;
  if (OneIn(2)) {
    storage->push_back(Value());
    columns.emplace_back(rocksdb::kDefaultWideColumnName, storage->back());
  }
  const uint64_t more = Below(4);
  for (uint64_t i = 0; i < more; i++) {
    storage->push_back("c" + std::to_string(i));
    const std::string& name = storage->back();
    storage->push_back(Value());
    columns.emplace_back(name, storage->back());
  }
  return columns;
}

bool Player::Before(const Family& family, const std::string& a, const std::string& b) const {
  return family.traits.reverse ? b < a : a < b;
}

std::pair<std::string, std::string> Player::Range(const Family& family) {
  std::string a = Key(), b = Key();
  // Within the keys that range deletions may touch: SingleDelete does not go with them.
  for (std::string* key : {&a, &b}) {
    if (key->empty() || key->front() != 'k') *key = "k" + *key;
  }
  if (Before(family, b, a)) std::swap(a, b);
  return {a, b};
}

rocksdb::WriteOptions Player::HowToWrite() {
  rocksdb::WriteOptions options;
  options.disableWAL = life_.without_log && OneIn(6);
  options.sync = !options.disableWAL && OneIn(12);
  options.low_pri = OneIn(20);
  return options;
}

void Player::SayLine(const char* format, va_list arguments) {
  std::fprintf(out_, "%d.%d ", life_.number, step_);
  std::vfprintf(out_, format, arguments);
  std::fputc('\n', out_);
}

void Player::Say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  SayLine(format, arguments);
  va_end(arguments);
}

void Player::Note(const char* format, ...) {
  if (!verbose_) return;
  va_list arguments;
  va_start(arguments, format);
  SayLine(format, arguments);
  va_end(arguments);
}

std::string Player::Show(const rocksdb::Status& status) {
  if (status.ok()) return "OK";
  return "error " + std::to_string(static_cast<int>(status.code())) + "/" +
         std::to_string(static_cast<int>(status.subcode()));
}

std::string Player::Show(const rocksdb::Slice& text) {
  // FNV-1a over what is not printed.
  uint32_t hash = 0x811c9dc5u;
  for (size_t i = 0; i < text.size(); i++) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x01000193u;
  }
  std::string shown;
  for (size_t i = 0; i < std::min<size_t>(text.size(), 24); i++) {
    const auto c = static_cast<unsigned char>(text[i]);
    char code[8];
    if (c > ' ' && c < 0x7f && c != '\\') {
      shown += static_cast<char>(c);
    } else {
      std::snprintf(code, sizeof(code), "\\%02x", c);
      shown += code;
    }
  }
  if (text.size() > 24) shown += "...";
  char tail[40];
  std::snprintf(tail, sizeof(tail), "[%zu %08x]", text.size(), hash);
  return shown + tail;
}

std::string Player::Show(const rocksdb::WideColumns& columns) {
  std::string shown = "{";
  for (const rocksdb::WideColumn& column : columns) {
    shown += Show(column.name()) + ":" + Show(column.value()) + " ";
  }
  return shown + "}";
}

void RemoveTree(const std::string& path) {
  rocksdb::Env* const env = rocksdb::Env::Default();
  std::vector<std::string> names;
  if (!env->GetChildren(path, &names).ok()) return;
  for (const std::string& name : names) {
    if (name == "." || name == "..") continue;
    bool directory = false;
    const std::string child = path + "/" + name;
    if (env->IsDirectory(child, &directory).ok() && directory) {
      RemoveTree(child);
    } else {
      env->DeleteFile(child).PermitUncheckedError();
    }
  }
  env->DeleteDir(path).PermitUncheckedError();
}

}  // namespace differential
