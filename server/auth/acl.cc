#include "server/auth/acl.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "server/host/files.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

void Must(AclUser* user, std::initializer_list<std::string_view> rules) {
  std::string error;
  for (const std::string_view rule : rules) (void)user->Apply(rule, &error);
}

void Compare(const AclUser& before, const AclUser* after, AclChanges* changes) {
  if (after == nullptr) {
    changes->deleted.push_back(before.id());
  } else if (!after->HasChannelsOf(before)) {
    changes->fewer_channels.push_back(before.id());
  }
}

std::vector<std::string_view> WordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    if (end != 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(line.size(), end + 1));
  }
  return words;
}

}  // namespace

Acl::Acl(const Permissions& permissions, std::string_view password, std::string file)
    : permissions_(permissions), file_(std::move(file)) {
  AclUser user{permissions_, std::string(kDefault), kDefaultId};
  Must(&user, {"on", "nopass", "allkeys", "allchannels", "allcommands"});
  if (!password.empty()) Must(&user, {">" + std::string(password)});
  const fiber::MutexLock lock(&mutex_);
  users_.emplace(kDefault, std::make_shared<const AclUser>(std::move(user)));
}

bool Acl::IsName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c != ' ' && c != '\0' && (c < '\t' || c > '\r');
  });
}

Acl::UserPtr Acl::FindLocked(std::string_view name) {
  const auto it = users_.find(name);
  return it == users_.end() ? nullptr : it->second;
}

Acl::UserPtr Acl::Find(std::string_view name) {
  const fiber::MutexLock lock(&mutex_);
  return FindLocked(name);
}

std::vector<Acl::UserPtr> Acl::Users() {
  const fiber::MutexLock lock(&mutex_);
  std::vector<UserPtr> all;
  for (const auto& [name, user] : users_) all.push_back(user);
  return all;
}

bool Acl::open() {
  const UserPtr user = Find(kDefault);
  return user->on() && user->nopass();
}

bool Acl::default_has_password() { return !Find(kDefault)->passwords().empty(); }

Acl::UserPtr Acl::LogIn(std::string_view name, std::string_view password) {
  const PasswordHash hash = HashPassword(password);
  UserPtr user = Find(name);
  const bool right = user != nullptr && (user->nopass() || user->KnowsPassword(hash));
  return right && user->on() ? user : nullptr;
}

bool Acl::SetUser(std::string_view name, std::span<const std::string_view> rules,
                  AclChanges* changes, std::string* error) {
  const fiber::MutexLock lock(&mutex_);
  const UserPtr before = FindLocked(name);
  AclUser user = before != nullptr ? *before : AclUser(permissions_, std::string(name), next_id_);
  for (const std::string_view rule : rules) {
    std::string why;
    if (user.Apply(rule, &why)) continue;
    *error = "Error in ACL SETUSER modifier '" + std::string(rule) + "': " + why;
    return false;
  }
  if (before == nullptr) ++next_id_;
  if (before != nullptr) Compare(*before, &user, changes);
  users_.insert_or_assign(std::string(name), std::make_shared<const AclUser>(std::move(user)));
  ChangedLocked();
  return true;
}

bool Acl::Delete(std::string_view name, AclChanges* changes) {
  const fiber::MutexLock lock(&mutex_);
  const auto it = users_.find(name);
  if (it == users_.end()) return false;
  Compare(*it->second, nullptr, changes);
  users_.erase(it);
  ChangedLocked();
  return true;
}

void Acl::SetDefaultPassword(std::string_view password) {
  const fiber::MutexLock lock(&mutex_);
  AclUser user = *FindLocked(kDefault);
  if (password.empty()) {
    Must(&user, {"nopass"});
  } else {
    Must(&user, {"resetpass", ">" + std::string(password)});
  }
  users_.insert_or_assign(std::string(kDefault), std::make_shared<const AclUser>(std::move(user)));
  ChangedLocked();
}

bool Acl::ParseLine(std::string_view line, Users_* users, std::string* error) {
  const std::vector<std::string_view> words = WordsOf(line);
  if (words.empty() || words[0].starts_with('#')) return true;
  if (words[0] != "user" || words.size() < 2 || !IsName(words[1])) {
    *error = "a line is \"user name rules ...\"";
    return false;
  }
  if (users->contains(words[1])) {
    *error = "the user '" + std::string(words[1]) + "' is there twice";
    return false;
  }
  const UserPtr before = FindLocked(words[1]);
  AclUser user(permissions_, std::string(words[1]), before != nullptr ? before->id() : next_id_++);
  for (size_t i = 2; i < words.size(); ++i) {
    std::string why;
    if (user.Apply(words[i], &why)) continue;
    *error = "'" + std::string(words[i]) + "': " + why;
    return false;
  }
  users->emplace(words[1], std::make_shared<const AclUser>(std::move(user)));
  return true;
}

Status Acl::Load(AclChanges* changes) {
  const fiber::MutexLock file_lock(&file_mutex_);
  std::string text;
  const Status s = ReadFile(file_, &text);
  if (!s.ok()) return s;
  const fiber::MutexLock lock(&mutex_);
  Users_ users;
  std::string errors;
  int line_number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    ++line_number;
    std::string error;
    if (ParseLine(line, &users, &error)) continue;
    if (!errors.empty()) errors += "; ";
    errors += file_ + ":" + std::to_string(line_number) + ": " + error;
  }
  if (!errors.empty()) {
    return Status::InvalidArgument("the users are as before, for the ACL file is wrong", errors);
  }
  users.emplace(kDefault, FindLocked(kDefault));
  for (const auto& [name, before] : users_) {
    const auto it = users.find(name);
    Compare(*before, it == users.end() ? nullptr : it->second.get(), changes);
  }
  users_ = std::move(users);
  ChangedLocked();
  return s;
}

Status Acl::Save() {
  const fiber::MutexLock file_lock(&file_mutex_);
  std::string text;
  for (const UserPtr& user : Users()) {
    text += "user " + user->name() + " " + user->Describe() + "\n";
  }
  return ReplaceFile(file_, text);
}

}  // namespace cairn::server
